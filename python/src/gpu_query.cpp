// SPDX-License-Identifier: MIT
// A query is recorded as a list of steps and opened in the library for each use: a plan of the GPU
// belongs to a run. Tested by python/tests/test_gpu.py.
#include "python/src/gpu_query.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "presso/arrow.h"
#include "python/src/capsules.h"
#include "python/src/errors.h"
#include "python/src/gil.h"
#include "python/src/gpu_library.h"
#include "python/src/interruptible.h"
#include "python/src/opened_file.h"
#include "python/src/owned_stream.h"
#include "python/src/query.h"

namespace presso::python {
namespace nb = nanobind;
namespace {

using Files = std::vector<OpenedFile>;

/// The clauses that have a text and nothing else, by the methods of Query that add them.
const std::map<std::string, presso_gpu_clause>& text_clauses() {
  static const std::map<std::string, presso_gpu_clause> kClauses = {
      {"alias", PRESSO_GPU_ALIAS},         {"where", PRESSO_GPU_WHERE},
      {"select", PRESSO_GPU_SELECT},       {"group_by", PRESSO_GPU_GROUP_BY},
      {"aggregate", PRESSO_GPU_AGGREGATE}, {"having", PRESSO_GPU_HAVING},
      {"order_by", PRESSO_GPU_ORDER_BY}};
  return kClauses;
}

/// The steps of a query as the library of presso-gpu takes them. It owns everything that the steps
/// point to; deques keep the addresses stable. It does not move, because the steps hold pointers
/// into it.
class Steps {
 public:
  /// Appends a step of the question; texts are copied, so that pointers stay valid.
  presso_gpu_step& add(presso_gpu_clause clause, const std::string& text = {}) {
    presso_gpu_step step = {};
    step.clause = clause;
    step.text = kept(text);
    steps_.push_back(step);
    return steps_.back();
  }
  /// Adds files to the last step; files that were to be opened later are opened now. Here a file
  /// that cannot be opened raises, before the GPU is touched.
  void add_files(Files files) {
    lists_.emplace_back();
    List& list = lists_.back();
    for (OpenedFile& file : files) {
      file.access = take(file.open(), file);
      list.files.push_back(gpu_file_of(*file.access));
      list.names.push_back(kept(file.name));
      access_.push_back(file.access);
    }
    presso_gpu_step& step = steps_.back();
    step.files = list.files.data();
    step.names = list.names.data();
    step.file_count = list.files.size();
  }
  /// Sets how the query runs; 0 stands for all threads or the usual memory.
  void set_options(unsigned threads, std::uint64_t memory_bytes) {
    options_ = {threads, memory_bytes};
  }

  // What the library is given: they live as long as this object.
  const std::vector<presso_gpu_step>& steps() const { return steps_; }
  const presso_gpu_query_options& options() const { return options_; }
  const std::vector<SharedAccess>& access() const { return access_; }

 private:
  /// Files and their names, as one step refers to them.
  struct List {
    std::vector<presso_gpu_file> files;
    std::vector<presso_gpu_text> names;
  };

  /// Copies a text to where it stays.
  presso_gpu_text kept(const std::string& text) {
    texts_.push_back(text);
    return {texts_.back().data(), texts_.back().size()};
  }

  std::vector<presso_gpu_step> steps_;
  presso_gpu_query_options options_ = {};
  std::deque<std::string> texts_;
  std::deque<List> lists_;
  std::vector<SharedAccess> access_;
};

/// Adds one call of a method of Query as a step. Raises UnsupportedError for a method that GPUs
/// have no step for.
void add_call(Steps& steps, const nb::tuple& call) {
  const std::string method = nb::cast<std::string>(call[0]);
  const auto clause = text_clauses().find(method);
  if (clause != text_clauses().end()) {
    steps.add(clause->second, nb::cast<std::string>(call[1]));
  } else if (method == "distinct") {
    steps.add(PRESSO_GPU_DISTINCT);
  } else if (method == "limit") {
    presso_gpu_step& step = steps.add(PRESSO_GPU_LIMIT);
    step.rows = nb::cast<std::uint64_t>(call[1]);
    step.offset = nb::cast<std::uint64_t>(call[2]);
  } else if (method == "join") {
    steps.add(PRESSO_GPU_JOIN, nb::cast<std::string>(call[3])).join_kind =
        static_cast<std::uint32_t>(join_kind_of(nb::cast<std::string>(call[2])));
    steps.add_files(nb::cast<Files>(call[1]));
  } else if (method == "set_options") {
    steps.set_options(nb::cast<unsigned>(call[1]), nb::cast<std::uint64_t>(call[2]));
  } else {
    raise(make_error(ErrorCode::kUnsupported, "GPUs are not asked for " + method + "()"));
  }
}

/// A query on a GPU. Each use opens it anew in the library, so one object may be used by several
/// threads.
class GpuQuery {
 public:
  /// Makes a query. `statement`, if not empty, takes the place of the files' rows and of all calls
  /// except set_options(). `calls` are those of Query's methods.
  static GpuQuery make(const nb::bytes& library, int device, const std::string& statement,
                       const Files& files, const std::vector<nb::tuple>& calls) {
    auto steps = std::make_unique<Steps>();
    steps->add(statement.empty() ? PRESSO_GPU_FROM : PRESSO_GPU_SQL, statement);
    steps->add_files(files);
    for (const nb::tuple& call : calls) add_call(*steps, call);
    return GpuQuery(bytes_of(library), device, std::move(steps));
  }

  /// The answer as a stream for Python. It keeps the files open until it is released. The schema
  /// that a reader may request is ignored, as Arrow permits.
  nb::object stream(const nb::object&) const {
    ArrowArrayStream answer;
    opened([&](GpuApi api, const presso_gpu_query* query, const std::atomic<bool>&) -> Status {
      presso_gpu_error error = {};
      return called(api->stream(query, &answer, &error), error);
    });
    StreamOwner owner(answer);
    return stream_capsule([&](ArrowArrayStream& out) {
      own_stream(owner.stream, steps_->access(), out);
      owner.stream.release = nullptr;
    });
  }

  /// Runs the query without its rows; returns the summary as a dictionary. The figures are those of
  /// this run; no rows are made for Python.
  nb::dict run() const {
    presso_gpu_query_summary found = {};
    opened([&](GpuApi api, const presso_gpu_query* query, const std::atomic<bool>& cancelled) {
      presso_gpu_error error = {};
      return called(api->run(query, byte_of(cancelled), &found, &error), error);
    });
    QuerySummary summary;
    summary.rows = found.rows;
    summary.rows_in = found.rows_in;
    summary.rows_matched = found.rows_matched;
    summary.groups = found.groups;
    summary.bytes_read = found.bytes_read;
    summary.bytes_stored = found.bytes_stored;
    summary.blocks_read = found.blocks_read;
    summary.blocks_skipped = found.blocks_skipped;
    summary.passes = found.passes;
    summary.device = found.device;
    summary.on_device = found.on_device;
    summary.why_cpu = found.why_cpu;
    return summary_of(summary);
  }

  /// The plan as text; with `analyze` the query is run first.
  nb::str explain(bool analyze) const {
    std::string plan;
    // The library hands out the text once, while its own copy lives.
    const auto take_text = [](void* self, presso_gpu_text text) {
      static_cast<std::string*>(self)->assign(text.data, text.bytes);
    };
    opened([&](GpuApi api, const presso_gpu_query* query, const std::atomic<bool>& cancelled) {
      presso_gpu_error error = {};
      return called(
          api->explain(query, analyze ? 1 : 0, byte_of(cancelled), take_text, &plan, &error),
          error);
    });
    return text_of(plan);
  }

 private:
  GpuQuery(std::string library, int device, std::unique_ptr<Steps> steps)
      : library_(std::move(library)), device_(device), steps_(std::move(steps)) {}

  /// The library takes a byte and not an atomic, since only C passes between the two.
  static const unsigned char* byte_of(const std::atomic<bool>& flag) {
    return reinterpret_cast<const unsigned char*>(&flag);
  }

  /// Opens the query in the library, calls `call` with it on a thread that Ctrl-C can end, without
  /// the interpreter's lock, and closes it. Raises what a file object raised in preference to the
  /// error that followed from it.
  template <class Call>
  void opened(const Call& call) const {
    const Status done = interruptible([&](const std::atomic<bool>& cancelled) -> Status {
      PRESSO_ASSIGN(const GpuApi api, open_gpu_library(library_));
      presso_gpu_query* query = nullptr;
      presso_gpu_error error = {};
      const std::vector<presso_gpu_step>& steps = steps_->steps();
      // Opening a query parses and binds it; a mistake in it is found here.
      PRESSO_TRY(called(
          api->open_query(steps.data(), steps.size(), &steps_->options(), device_, &query, &error),
          error));
      const Status status = call(api, query, cancelled);
      api->close_query(query);
      return status;
    });
    // An interrupt that a file object raised comes before any error.
    for (const SharedAccess& file : steps_->access()) file->raise_interrupt();
    if (done.ok()) return;
    for (const SharedAccess& file : steps_->access()) {
      const nb::object cause = file->cause_of(done.error());
      if (!cause.is_none()) raise(done.error(), {}, cause);
    }
    raise(done.error());
  }

  std::string library_;
  int device_;
  std::unique_ptr<Steps> steps_;
};

}  // namespace

/// Declares the class to Python.
void bind_gpu_query(nb::module_& module) {
  nb::class_<GpuQuery>(module, "GpuQuery", "A question asked of tables on a GPU.")
      .def_static("make", &GpuQuery::make, nb::arg("library"), nb::arg("device"),
                  nb::arg("statement"), nb::arg("files"), nb::arg("calls"))
      .def("stream", &GpuQuery::stream, nb::arg("requested_schema") = nb::none())
      .def("run", &GpuQuery::run)
      .def("explain", &GpuQuery::explain, nb::arg("analyze"));
}

}  // namespace presso::python
