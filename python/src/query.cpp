// SPDX-License-Identifier: MIT
// A query is built under the GIL and run without it on a thread that Ctrl-C can end. Streams
// outlive the object and share its files. Tested by python/tests/test_tables.py,
// python/tests/test_joined_parts.py, python/tests/test_partial.py and
// python/tests/test_dictionaries.py.
#include "python/src/query.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "presso/arrow.h"
#include "presso/checksum.h"
#include "presso/compress_arrow.h"
#include "presso/query.h"
#include "presso/statement.h"
#include "presso/united_tables.h"
#include "python/src/capsules.h"
#include "python/src/errors.h"
#include "python/src/gil.h"
#include "python/src/interruptible.h"
#include "python/src/opened_file.h"
#include "python/src/owned_stream.h"

namespace presso::python {
namespace nb = nanobind;
namespace {

using Files = std::vector<OpenedFile>;

/// Tables of several files with the same columns, and the files' names.
struct Tables {
  std::vector<Table> tables;
  std::vector<std::string> names;
};

/// Says what can be done with a file that is no table.
void add_advice(Error& error) {
  if (error.code == ErrorCode::kNotPresso && error.what.empty()) {
    error.what =
        "'presso compress --table auto' makes a table of rows of text, and presso.write_table() "
        "one of a data frame";
  } else if (error.code == ErrorCode::kContent) {
    error.what += "; presso.scan() searches its lines";
  }
}

/// Opens the files as tables. They are added to `kept`, because the tables need them. Errors are
/// raised with the file's name.
Tables open_tables(const Files& files, Files& kept) {
  Tables opened;
  for (OpenedFile file : files) {
    // One that is opened when its turn comes: that is now.
    file.access = take(file.open(), file);
    Result<Table> table = [&] {
      const GilReleased released;
      return Table::open(*file.access);
    }();
    if (!table.ok()) add_advice(table.error());
    opened.tables.push_back(take(std::move(table), file));
    opened.names.push_back(file.name);
    kept.push_back(std::move(file));
  }
  return opened;
}

/// The kind of a column for those that all libraries compare in the same way; empty for others.
/// Floats, decimals, bools and types of Arrow that columns lack are left out, as libraries differ
/// about their comparison.
const char* kind_of(const ColumnSchema& column) {
  if (!column.arrow_type.empty()) return "";
  switch (column.type) {
    case ColumnType::kInt8:
    case ColumnType::kInt16:
    case ColumnType::kInt32:
    case ColumnType::kInt64:
    case ColumnType::kUint8:
    case ColumnType::kUint16:
    case ColumnType::kUint32:
    case ColumnType::kUint64:
      return "integer";
    case ColumnType::kDate32:
      return "date";
    case ColumnType::kTimestamp:
      return "timestamp";
    case ColumnType::kUtf8:
      return "string";
    default:
      return "";
  }
}

/// A checksum of where the rows of a table lie and of its zones; with the file's size, a part
/// recognises its file by it. It reads only what the file tells about its row groups, and no
/// values.
std::uint64_t layout_checksum(const Table& table) {
  Checksum64 checksum;
  const auto add = [&](const std::vector<std::uint64_t>& words) {
    checksum.add({reinterpret_cast<const Byte*>(words.data()), words.size() * 8});
  };
  for (std::uint64_t group = 0; group < table.row_groups(); ++group) {
    const RowGroupSummary rows = table.row_group(group);
    add({rows.rows, rows.text_bytes, rows.stored_bytes});
    for (std::size_t column = 0; column < table.schema().columns.size(); ++column) {
      const ColumnSummary zone = table.column(group, column);
      add({zone.nulls, zone.has_zone ? 1u : 0u, zone.least, zone.most});
    }
  }
  return checksum.value();
}

/// Drops an answer of which only the figures are wanted.
class NoSink final : public ResultSink {
 public:
  Result<bool> write(ResultBatch, Buffer) override { return true; }
};

/// A table that was written into memory.
class TableInMemory final : public FileAccess {
 public:
  explicit TableInMemory(std::vector<Byte> bytes) : bytes_(std::move(bytes)), file_(bytes_) {}
  std::uint64_t size() const override { return file_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    return file_.read_at(offset, into);
  }

 private:
  const std::vector<Byte> bytes_;
  const MemoryRandomAccess file_;
};

/// Answers that a query reads and that live as long as it, in the place of a file.
class KeptAnswers final : public FileAccess {
 public:
  explicit KeptAnswers(std::shared_ptr<const void> answers) : answers_(std::move(answers)) {}
  std::uint64_t size() const override { return 0; }
  Status read_at(std::uint64_t, MutableBytes) const override {
    return make_error(ErrorCode::kTruncated);
  }

 private:
  const std::shared_ptr<const void> answers_;
};

/// Keeps what a stream of Arrow gives as a table in memory, at the fastest level. Without the GIL.
/// Groups of a partial answer may be many, so they are compressed; level 1 costs least.
Result<OpenedFile> kept_in_memory(ArrowArrayStream& stream, const std::atomic<bool>& cancelled) {
  TableWriterOptions options;
  options.compress.level = 1;
  options.compress.on_progress = [&](std::uint64_t, std::uint64_t) { return !cancelled; };
  std::vector<Byte> bytes;
  VectorSink sink(bytes);
  PRESSO_TRY(compress_arrow(stream, sink, options));
  return OpenedFile{"a partial answer", std::make_shared<TableInMemory>(std::move(bytes)), {}};
}

/// A query, its files, and how it is run. Only one thread at a time changes it, and none while it
/// runs.
class FileQuery {
  /// Counts, with the GIL, how many are reading the query without it.
  class Reading {
   public:
    explicit Reading(const FileQuery& query) : query_(query) { ++query_.readers_; }
    ~Reading() { --query_.readers_; }
    Reading(const Reading&) = delete;
    Reading& operator=(const Reading&) = delete;

   private:
    const FileQuery& query_;
  };

  /// The query, to be changed; raises an error while it runs. The GIL guards the count, so that no
  /// thread can begin to read between this check and a change.
  Query& changed() {
    if (readers_ == 0) return query_;
    raise(make_error(ErrorCode::kInvalidArgument, "a query cannot be changed while it runs"));
  }
  /// The value of the result, or raises: an interrupt first, then the error with what a file
  /// object has raised as its cause.
  template <class T>
  T taken(Result<T> result) const {
    // An exception of a file object outranks the library's error, which only says that a read
    // failed.
    for (const OpenedFile& file : files_) file.access->raise_interrupt();
    if (result.ok()) {
      if constexpr (std::is_void_v<T>)
        return;
      else
        return std::move(*result);
    }
    for (const OpenedFile& file : files_) {
      const nb::object cause = file.access->cause_of(result.error());
      if (!cause.is_none()) raise(result.error(), {}, cause);
    }
    raise(result.error());
  }
  /// The value of call(options), which runs on a thread that Ctrl-C can end. Reading is counted for
  /// the whole run, as the query may not change meanwhile.
  template <class Call>
  auto cancellable(const Call& call) const {
    const Reading reading(*this);
    return taken(interruptible([&](const std::atomic<bool>& cancelled) {
      QueryOptions options = options_;
      options.cancelled = &cancelled;
      return call(options);
    }));
  }

 public:
  /// Makes a query over files. `groups` is None, or says which row groups of the only file are a
  /// part: (first, end, the file's size and layout_checksum() when it was divided, the names of the
  /// files that were divided with it, which qualify its columns). The files are opened now, so that
  /// a missing one is found when the query is made.
  static FileQuery from(const Files& files, const nb::object& groups) {
    Files kept;
    Tables opened = open_part(files, groups, kept);
    return {Query::from(std::move(opened.tables), std::move(opened.names)), std::move(kept)};
  }
  /// Makes a query from a statement. `open(paths)` gives the OpenedFiles of a table that it names.
  /// What has to be answered before the last query, as subqueries, is answered now. An error of the
  /// grammar is raised with the place in the statement. `union_by_name`: columns that some of a
  /// table's files lack are null.
  static FileQuery of_statement(const std::string& text, const nb::object& open, unsigned threads,
                                std::uint64_t memory_bytes, bool union_by_name) {
    const Result<SqlStatement> parsed = parse_statement(text);
    const auto refuse = [&text](const Error& error) {
      raise_explained(error, explain_expression_error(text, error));
    };
    if (!parsed.ok()) refuse(parsed.error());
    if (parsed->purpose == SqlStatement::Purpose::kStore) {
      raise(make_error(ErrorCode::kInvalidArgument,
                       "CREATE TABLE and COPY are statements of the command 'presso sql'; here the "
                       "answer is read by any library that knows Arrow"));
    }
    std::vector<NamedTables> named;
    Files kept;
    bool is_plain = is_one_query(*parsed);
    for (const SqlSource& source : files_of(*parsed)) {
      const bool by_name = union_by_name || reads_by_name(source, refuse);
      nb::list paths;
      for (const std::string& path : names_of(source)) paths.append(text_of(path));
      Tables opened = open_tables(nb::cast<Files>(open(paths)), kept);
      is_plain = is_plain && opened.tables.size() == 1;
      named.push_back({source, std::move(opened), by_name});
    }
    return FileQuery(*parsed, text, named, std::move(kept), threads, memory_bytes, is_plain);
  }

  // The clauses of the query, each checked when the query runs.
  void as(const std::string& alias) { changed().as(alias); }
  /// Joins further files; `groups` is as in from().
  void join(const Files& files, const std::string& kind, const std::string& on,
            const nb::object& groups) {
    const JoinKind join_kind = join_kind_of(kind);
    Files kept;
    Tables opened = open_part(files, groups, kept);
    // The query is changed before the files are taken over, so that an error leaves both as they
    // were.
    changed().join(std::move(opened.tables), std::move(opened.names), join_kind, on);
    source_begins_.push_back(files_.size());
    files_.insert(files_.end(), kept.begin(), kept.end());
  }
  /// Says which source is divided when the query is about a part.
  void divided(std::size_t source) { changed().divided(source); }
  void where(const std::string& text) { changed().where(text); }
  void select(const std::string& text) { changed().select(text); }
  void distinct() { changed().distinct(); }
  void group_by(const std::string& text) { changed().group_by(text); }
  void aggregate(const std::string& text) { changed().aggregate(text); }
  void having(const std::string& text) { changed().having(text); }
  void order_by(const std::string& text) { changed().order_by(text); }
  void limit(std::uint64_t rows, std::uint64_t offset) { changed().limit(rows, offset); }
  /// Sets how the query runs. `dictionaries` are columns of the table, as QueryOptions names them.
  void set_options(unsigned threads, std::uint64_t memory_bytes,
                   std::vector<std::string> dictionaries) {
    // Options may change a running query as well, so this is checked for them too.
    changed();
    options_.threads = threads;
    options_.memory_bytes = memory_bytes;
    options_.dictionaries = std::move(dictionaries);
  }
  /// The columns that are worth giving as dictionaries.
  std::vector<std::string> dictionary_columns() const {
    const Reading reading(*this);
    return taken([&] {
      const GilReleased released;
      return query_.dictionary_columns();
    }());
  }

  /// The answer as a stream; the schema that a reader may ask for is ignored.
  nb::object stream(const nb::object&) const {
    return stream_from(files_,
                       [this](ArrowArrayStream& answer) { return query_.run(options_, answer); });
  }
  /// A stream of the partial answer of a part, for merge().
  nb::object partial(const std::string& order_name, std::int64_t first_order,
                     std::uint32_t buckets) const {
    const PartialForm form{order_name, first_order, buckets};
    return stream_from(
        files_, [&](ArrowArrayStream& answer) { return query_.partial(form, options_, answer); });
  }
  /// The columns of such a partial answer. It needs no rows, only the schemas of the files.
  nb::object partial_schema(const std::string& order_name, std::int64_t first_order,
                            std::uint32_t buckets) const {
    const PartialForm form{order_name, first_order, buckets};
    const TableSchema of = taken(query_.partial_schema(form));
    return schema_capsule([&](ArrowSchema& out) { check(export_schema(of, out)); });
  }
  /// Merges partial answers. `capsules` are those of __arrow_c_stream__(), which keep their streams
  /// while they are read.
  nb::object merge(const nb::list& capsules, const std::string& order_name, std::uint32_t buckets,
                   bool again) const {
    std::vector<ArrowArrayStream*> streams;
    // Each stream is read to its end here, because merging needs all parts of a group at once.
    for (const nb::handle capsule : capsules) streams.push_back(&given_stream(capsule));
    Files kept;
    for (ArrowArrayStream* const stream : streams) {
      kept.push_back(cancellable([&](const QueryOptions& options) {
        return kept_in_memory(*stream, *options.cancelled);
      }));
    }
    Files files;
    std::vector<Table> tables = open_tables(kept, files).tables;
    const PartialForm form{order_name, 0, buckets, again};
    return stream_from(files, [&](ArrowArrayStream& answer) {
      return query_.merge(std::move(tables), form, options_, answer);
    });
  }
  /// Raises what the last stream has failed with, if it has. Damage of the only file is raised with
  /// its name.
  void raise_failure() const {
    const std::optional<Error> failure = failure_->get();
    if (!failure) return;
    if (files_.size() == 1 && is_damage(failure->code)) raise(*failure, files_[0]);
    taken(Status(*failure));
  }
  /// The answer's columns. With dictionaries the query is prepared, as it decides which are coded.
  nb::object schema() const {
    if (options_.dictionaries.empty()) {  // then nothing has to be read
      const TableSchema of = take(query_.schema());
      return schema_capsule([&](ArrowSchema& out) { check(export_schema(of, out)); });
    }
    const Reading reading(*this);
    const PreparedQuery prepared = taken([&] {
      const GilReleased released;
      return query_.prepare(options_);
    }());
    return schema_capsule([&](ArrowSchema& out) {
      check(export_schema(prepared.schema(), out, prepared.coded_columns()));
    });
  }
  /// The answer's columns with the kinds by which filters of other libraries can be pushed down.
  nb::list column_kinds() const {
    const TableSchema of = take(query_.schema());
    nb::list kinds;
    for (const ColumnSchema& column : of.columns) {
      kinds.append(nb::make_tuple(text_of(column.name), kind_of(column)));
    }
    return kinds;
  }
  /// Runs the query, drops its rows and gives the figures.
  nb::dict run() const {
    NoSink sink;
    return summary_of(
        cancellable([&](const QueryOptions& options) { return query_.run(options, sink); }));
  }
  /// Says how the query can be divided: the number of the source that is divided, whether there are
  /// groups, and, for each file of the source, its row groups as (rows, bytes of text or else
  /// stored ones, whether a row of the answer may be in it), its size, and a checksum of its
  /// layout. Zones are read here, so the call may take as long as opening the files.
  nb::tuple divide() const {
    const QueryDivision division =
        cancellable([&](const QueryOptions& options) { return query_.divide(options); });
    nb::list files;
    for (std::size_t i = 0; i < division.wanted.size(); ++i) {
      const OpenedFile& file = files_[source_begins_[division.source] + i];
      const Table table = take(Table::open(*file.access), file);
      nb::list groups;
      for (std::size_t group = 0; group < division.wanted[i].size(); ++group) {
        const RowGroupSummary summary = table.row_group(group);
        const std::uint64_t plain_bytes =
            table.text_bytes() > 0 ? summary.text_bytes : summary.stored_bytes;
        groups.append(nb::make_tuple(summary.rows, plain_bytes, bool{division.wanted[i][group]}));
      }
      files.append(nb::make_tuple(groups, file.access->size(), layout_checksum(table)));
    }
    return nb::make_tuple(division.source, division.grouped, files);
  }
  /// Whether a statement is one query and each of its tables one file.
  bool is_plain() const { return is_plain_; }
  /// The files of the first table, then those of joined ones.
  Files files() const { return files_; }
  /// The plan as text; with `analyze` the query is run first.
  std::string explain(bool analyze) const {
    return cancellable(
        [&](const QueryOptions& options) { return query_.explain(options, analyze); });
  }

 private:
  /// A stream of what `begin(answer)` begins without the GIL; the stream keeps the files.
  template <class Begin>
  nb::object stream_from(const Files& files, const Begin& begin) const {
    ArrowArrayStream answer;
    {
      // Reading is counted only while the stream is begun; what it needs later it keeps itself.
      const Reading reading(*this);
      const Status begun = [&] {
        const GilReleased released;
        return begin(answer);
      }();
      taken(begun);
    }
    StreamOwner owner(answer);
    std::vector<SharedAccess> kept;
    for (const OpenedFile& file : files) kept.push_back(file.access);
    if (kept_ != nullptr) kept.push_back(std::make_shared<const KeptAnswers>(kept_));
    failure_->set({});
    return stream_capsule([&](ArrowArrayStream& out) {
      own_stream(owner.stream, std::move(kept), out, failure_);
      owner.stream.release = nullptr;
    });
  }

  /// Opens the files, or the part of the only file that `groups` describes. `groups` is as from()
  /// describes it.
  static Tables open_part(const Files& files, const nb::object& groups, Files& kept) {
    Tables opened = open_tables(files, kept);
    if (groups.is_none()) return opened;
    opened.tables[0] = part_of(opened.tables[0], groups, kept[0]);
    opened.names.clear();
    for (const nb::handle name : nb::tuple(groups[4])) {
      opened.names.push_back(bytes_of(nb::cast<nb::bytes>(name)));
    }
    return opened;
  }
  /// The part of a table; raises an error if the file is not the one that was divided.
  static Table part_of(const Table& table, const nb::object& groups, const OpenedFile& file) {
    // The size is compared first, as it costs nothing.
    if (nb::cast<std::uint64_t>(groups[2]) != file.access->size() ||
        nb::cast<std::uint64_t>(groups[3]) != layout_checksum(table)) {
      raise(make_error(ErrorCode::kIo, "has changed since it was divided into parts"), file);
    }
    if (table.row_groups() == 0) return table;
    return take(table.part(nb::cast<std::uint64_t>(groups[0]), nb::cast<std::uint64_t>(groups[1])),
                file);
  }

  /// Tables of a statement, in the order in which it names them.
  struct NamedTables {
    SqlSource source;
    Tables opened;
    bool by_name = false;
  };

  FileQuery(Query query, Files files) : query_(std::move(query)), files_(std::move(files)) {}
  /// Answers all of a statement but its last query. Ctrl-C ends that.
  FileQuery(const SqlStatement& statement, const std::string& text,
            const std::vector<NamedTables>& named, Files files, unsigned threads,
            std::uint64_t memory_bytes, bool is_plain)
      : query_(Query::from(std::vector<Table>{})), files_(std::move(files)), is_plain_(is_plain) {
    options_.threads = threads;
    options_.memory_bytes = memory_bytes;
    auto kept = std::make_shared<std::vector<std::shared_ptr<const void>>>();
    StatementQuery last = cancellable([&](const QueryOptions& options) {
      StatementContext context;
      context.options = options;
      context.open = [&](const SqlSource& source) -> Result<StatementTables> {
        // Each place of the statement has its tables; equal names have equal ones.
        const auto found = std::find_if(named.begin(), named.end(), [&](const NamedTables& each) {
          return each.source.path == source.path && each.source.offset == source.offset;
        });
        if (found == named.end()) {
          return make_error(ErrorCode::kInvalidArgument, source.path + " was not opened");
        }
        const Tables& opened = found->opened;
        PRESSO_ASSIGN(UnitedTables united,
                      with_common_columns(opened.tables, opened.names, found->by_name, options));
        kept->push_back(std::move(united.kept));
        return StatementTables{std::move(united.tables), opened.names};
      };
      return lower_statement(statement, text, context);
    });
    kept->push_back(std::move(last.kept));
    kept_ = std::move(kept);
    query_ = std::move(last.query);
  }

  /// The names of a table's files.
  static std::vector<std::string> names_of(const SqlSource& source) {
    return source.paths.empty() ? std::vector<std::string>{source.path} : source.paths;
  }
  /// Whether read_...(..., union_by_name = true) was said; other options are refused.
  template <class Refuse>
  static bool reads_by_name(const SqlSource& source, const Refuse& refuse) {
    bool by_name = false;
    for (const SqlSourceOption& option : source.options) {
      if (option.name == "union_by_name" && option.values.size() == 1) {
        by_name = option.values[0] == "true";
        continue;
      }
      Error error = make_error(ErrorCode::kInvalidArgument,
                               "there is no option " + option.name +
                                   " here: presso.sql() reads tables, whose only option is "
                                   "union_by_name");
      error.byte_offset = option.offset;
      refuse(error);
    }
    return by_name;
  }

  Query query_;
  Files files_;
  bool is_plain_ = false;             ///< one query, each table of which is one file
  std::shared_ptr<const void> kept_;  ///< what a statement's last query reads beside the files
  std::vector<std::size_t> source_begins_ = {0};  ///< in files_
  QueryOptions options_;
  std::shared_ptr<Last<Error>> failure_ = std::make_shared<Last<Error>>();  ///< of streams
  mutable unsigned readers_ = 0;                                            ///< with the GIL
};

}  // namespace

// The names are those of the command's --kind.
JoinKind join_kind_of(const std::string& name) {
  static const std::pair<const char*, JoinKind> kKinds[] = {
      {"inner", JoinKind::kInner}, {"left", JoinKind::kLeft}, {"right", JoinKind::kRight},
      {"full", JoinKind::kFull},   {"semi", JoinKind::kSemi}, {"anti", JoinKind::kAnti}};
  for (const auto& [known, kind] : kKinds) {
    if (name == known) return kind;
  }
  raise(make_error(ErrorCode::kInvalidArgument,
                   "no kind of join '" + name + "': inner, left, right, full, semi, anti"));
}

// The keys are those of the documents; None is never among the values.
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
  of["device"] = text_of(summary.device);
  of["on_device"] = text_of(summary.on_device);
  of["why_cpu"] = text_of(summary.why_cpu);
  return of;
}

// The names of the methods are those that presso/_query.py calls.
void bind_query(nb::module_& module) {
  nb::class_<FileQuery>(module, "Query", "A question asked of tables.")
      .def_static("from_files", &FileQuery::from, nb::arg("files"), nb::arg("groups") = nb::none())
      .def("divide", &FileQuery::divide)
      .def("files", &FileQuery::files)
      .def_static("of_statement", &FileQuery::of_statement, nb::arg("text"), nb::arg("open"),
                  nb::arg("threads"), nb::arg("memory_bytes"), nb::arg("union_by_name"))
      .def("is_plain", &FileQuery::is_plain)
      .def("alias", &FileQuery::as)
      .def("join", &FileQuery::join, nb::arg("files"), nb::arg("kind"), nb::arg("on"),
           nb::arg("groups") = nb::none())
      .def("divided", &FileQuery::divided, nb::arg("source"))
      .def("partial", &FileQuery::partial, nb::arg("order_name"), nb::arg("first_order"),
           nb::arg("buckets"))
      .def("partial_schema", &FileQuery::partial_schema, nb::arg("order_name"),
           nb::arg("first_order"), nb::arg("buckets"))
      .def("merge", &FileQuery::merge, nb::arg("streams"), nb::arg("order_name"),
           nb::arg("buckets"), nb::arg("again"))
      .def("where", &FileQuery::where)
      .def("select", &FileQuery::select)
      .def("distinct", &FileQuery::distinct)
      .def("group_by", &FileQuery::group_by)
      .def("aggregate", &FileQuery::aggregate)
      .def("having", &FileQuery::having)
      .def("order_by", &FileQuery::order_by)
      .def("limit", &FileQuery::limit, nb::arg("rows"), nb::arg("offset"))
      .def("set_options", &FileQuery::set_options, nb::arg("threads"), nb::arg("memory_bytes"),
           nb::arg("dictionaries"))
      .def("dictionary_columns", &FileQuery::dictionary_columns)
      .def("stream", &FileQuery::stream, nb::arg("requested_schema") = nb::none())
      .def("raise_failure", &FileQuery::raise_failure)
      .def("schema", &FileQuery::schema)
      .def("column_kinds", &FileQuery::column_kinds)
      .def("run", &FileQuery::run)
      .def("explain", &FileQuery::explain, nb::arg("analyze"));
}

}  // namespace presso::python
