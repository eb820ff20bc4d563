// SPDX-License-Identifier: MIT
#include "tools/python/src/query.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "presso/arrow.h"
#include "presso/query.h"
#include "tools/python/src/capsules.h"
#include "tools/python/src/errors.h"
#include "tools/python/src/interruptible.h"
#include "tools/python/src/opened_file.h"
#include "tools/python/src/owned_stream.h"

namespace presso::python {
namespace nb = nanobind;
namespace {

using Files = std::vector<std::shared_ptr<const RandomAccess>>;

/// The tables of some files, with the same columns.
struct Tables {
  std::vector<Table> tables;
  std::vector<std::string> names;
};

Tables open_tables(const std::vector<OpenedFile>& files, Files& kept) {
  Tables opened;
  for (const OpenedFile& file : files) {
    Result<Table> table = [&] {
      const nb::gil_scoped_release release;
      return Table::open(*file.access);
    }();
    opened.tables.push_back(take(std::move(table), file.name));
    opened.names.push_back(file.name);
    kept.push_back(file.access);
  }
  return opened;
}

JoinKind kind_of(const std::string& name) {
  static const std::pair<const char*, JoinKind> kKinds[] = {
      {"inner", JoinKind::kInner}, {"left", JoinKind::kLeft}, {"right", JoinKind::kRight},
      {"full", JoinKind::kFull},   {"semi", JoinKind::kSemi}, {"anti", JoinKind::kAnti}};
  for (const auto& [known, kind] : kKinds) {
    if (name == known) return kind;
  }
  raise(make_error(ErrorCode::kInvalidArgument,
                   "no kind of join '" + name + "': inner, left, right, full, semi, anti"));
}

nb::dict summary_of(const QuerySummary& summary) {
  nb::dict of;
  of["rows"] = summary.rows;
  of["rows_in"] = summary.rows_in;
  of["rows_matched"] = summary.rows_matched;
  of["groups"] = summary.groups;
  of["bytes_read"] = summary.bytes_read;
  of["bytes_stored"] = summary.bytes_stored;
  of["blocks_read"] = summary.blocks_read;
  of["blocks_skipped"] = summary.blocks_skipped;
  of["passes"] = summary.passes;
  return of;
}

/// Drops the answer.
class NoSink final : public ResultSink {
 public:
  Result<bool> write(ResultBatch, Buffer) override { return true; }
};

/// A query, its files, and how it is run.
class FileQuery {
  /// The value of call(options), which Ctrl-C ends.
  template <class Call>
  auto cancellable(const Call& call) const {
    std::atomic<bool> cancelled = false;
    QueryOptions options = options_;
    options.cancelled = &cancelled;
    return take(interruptible(cancelled, [&] { return call(options); }));
  }

 public:
  static FileQuery from(const std::vector<OpenedFile>& files) {
    Files kept;
    Tables opened = open_tables(files, kept);
    return {Query::from(std::move(opened.tables), std::move(opened.names)), std::move(kept)};
  }
  /// `open(path)` gives an OpenedFile.
  static FileQuery of_statement(const std::string& text, const nb::object& open) {
    Result<SqlQuery> parsed = parse_sql(text);
    if (!parsed.ok()) {
      raise_explained(parsed.error(), explain_expression_error(text, parsed.error()));
    }
    std::vector<std::string> paths = {parsed->from.path};
    for (const SqlJoin& join : parsed->joins) paths.push_back(join.source.path);
    Files kept;
    std::vector<Table> tables;
    for (const std::string& path : paths) {
      const auto file = nb::cast<OpenedFile>(open(path));
      tables.push_back(std::move(open_tables({file}, kept).tables[0]));
    }
    return {Query::from(*parsed, text, std::move(tables)), std::move(kept)};
  }

  void as(const std::string& alias) { query_.as(alias); }
  void join(const std::vector<OpenedFile>& files, const std::string& kind, const std::string& on) {
    const JoinKind join_kind = kind_of(kind);
    Tables opened = open_tables(files, files_);
    query_.join(std::move(opened.tables), std::move(opened.names), join_kind, on);
  }
  void where(const std::string& text) { query_.where(text); }
  void select(const std::string& text) { query_.select(text); }
  void distinct() { query_.distinct(); }
  void group_by(const std::string& text) { query_.group_by(text); }
  void aggregate(const std::string& text) { query_.aggregate(text); }
  void having(const std::string& text) { query_.having(text); }
  void order_by(const std::string& text) { query_.order_by(text); }
  void limit(std::uint64_t rows, std::uint64_t offset) { query_.limit(rows, offset); }
  void set_options(unsigned threads, std::uint64_t memory_bytes) {
    options_.threads = threads;
    options_.memory_bytes = memory_bytes;
  }

  nb::object stream(const nb::object&) const {
    return stream_capsule([&](ArrowArrayStream& out) {
      ArrowArrayStream answer;
      check(query_.run(options_, answer));
      own_files(answer, files_, out);
    });
  }
  nb::object schema() const {
    const TableSchema of = take(query_.schema());
    return schema_capsule([&](ArrowSchema& out) { check(export_schema(of, out)); });
  }
  nb::dict run() const {
    NoSink sink;
    return summary_of(
        cancellable([&](const QueryOptions& options) { return query_.run(options, sink); }));
  }
  std::string explain(bool analyze) const {
    return cancellable(
        [&](const QueryOptions& options) { return query_.explain(options, analyze); });
  }

 private:
  FileQuery(Query query, Files files) : query_(std::move(query)), files_(std::move(files)) {}

  Query query_;
  Files files_;
  QueryOptions options_;
};

}  // namespace

void bind_query(nb::module_& module) {
  nb::class_<FileQuery>(module, "Query", "A question asked of tables.")
      .def_static("from_files", &FileQuery::from, nb::arg("files"))
      .def_static("of_statement", &FileQuery::of_statement, nb::arg("text"), nb::arg("open"))
      .def("alias", &FileQuery::as)
      .def("join", &FileQuery::join, nb::arg("files"), nb::arg("kind"), nb::arg("on"))
      .def("where", &FileQuery::where)
      .def("select", &FileQuery::select)
      .def("distinct", &FileQuery::distinct)
      .def("group_by", &FileQuery::group_by)
      .def("aggregate", &FileQuery::aggregate)
      .def("having", &FileQuery::having)
      .def("order_by", &FileQuery::order_by)
      .def("limit", &FileQuery::limit, nb::arg("rows"), nb::arg("offset"))
      .def("set_options", &FileQuery::set_options, nb::arg("threads"), nb::arg("memory_bytes"))
      .def("stream", &FileQuery::stream, nb::arg("requested_schema") = nb::none())
      .def("schema", &FileQuery::schema)
      .def("run", &FileQuery::run)
      .def("explain", &FileQuery::explain, nb::arg("analyze"));
}

}  // namespace presso::python
