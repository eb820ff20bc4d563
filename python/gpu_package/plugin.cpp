// SPDX-License-Identifier: MIT
// The library of the package presso-gpu. It implements the C interface of plugin.h over presso's
// own C++: searches and queries on a GPU. Work that a GPU does not do is done on the CPU, and the
// answer says so. No C++ exception and no C++ type leaves it. Tested by python/tests/test_gpu.py.
// It links the same tools/device code as the command, with CUDA. The caller's structs are trusted:
// it is the module of the same version.
#include "python/gpu_package/plugin.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "presso/query.h"
#include "presso/scan.h"
#include "presso/sql.h"
#include "python/gpu_package/plugin_error.h"
#include "tools/device/gpu.h"

namespace presso::gpu_plugin {
namespace {

// --- what passes between the two

/// A copy of the text, which need not end with a zero.

std::string string_of(const presso_gpu_text& text) {
  return {text.data, text.bytes};
}

/// Runs a call of the library and turns what goes wrong into the C struct. Returns 0, or 1 with
/// `error` filled in. No exception passes.
template <class Call>
int answer(presso_gpu_error* error, const Call& call) {
  Status status;
  // Memory that runs out and exceptions of the library become errors of the struct.
  try {
    status = call();
  } catch (const std::bad_alloc&) {
    status = make_error(ErrorCode::kOutOfMemory);
  } catch (const std::exception& problem) {
    status = make_error(ErrorCode::kIo, problem.what());
  }
  if (status.ok()) return 0;
  copy_error(status.error(), *error);
  return 1;
}

/// A file that the caller reads, through the function that it gave.
class CallerFile final : public RandomAccess {
 public:
  explicit CallerFile(const presso_gpu_file& file) : file_(file) {}
  std::uint64_t size() const override { return file_.bytes; }
  /// Called by several threads of the library; the caller's function takes the GIL if it must.
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    presso_gpu_error error = {};
    if (file_.read_at(file_.self, offset, into.data(), into.size(), &error) == 0) return {};
    return error_of(error);
  }

 private:
  presso_gpu_file file_;
};

/// The caller's byte as the flag that presso's options take; the assertion below is what allows
/// this. A byte and a lock-free atomic bool have the same size and representation here.
const std::atomic<bool>* flag_of(const unsigned char* byte) {
  static_assert(sizeof(std::atomic<bool>) == 1 && std::atomic<bool>::is_always_lock_free);
  return reinterpret_cast<const std::atomic<bool>*>(byte);
}

// Searching.

/// Compiles the pattern. Error: kInvalidArgument with the place in it.
Result<Pattern> pattern_of(const presso_gpu_pattern& asked) {
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < asked.count; ++i) texts.push_back(string_of(asked.texts[i]));
  PatternOptions options;
  options.ignore_case = asked.ignore_case != 0;
  options.unicode = asked.unicode != 0;
  options.multiline = asked.multiline != 0;
  options.bounds = static_cast<MatchBounds>(asked.bounds);
  if (asked.syntax == PRESSO_GPU_FIXED) return Pattern::compile_literals(texts, options);
  if (asked.syntax == PRESSO_GPU_LIKE) return Pattern::compile_like(texts, '\\', options);
  return Pattern::compile(texts, options);
}

/// The options of a scan. They call the functions of `how`, which is kept by reference. They are
/// valid as long as `how`, so for one call of scan_file().
ScanOptions scan_options(const presso_gpu_scan& how) {
  ScanOptions options;
  options.threads = how.threads;
  options.invert = how.invert != 0;
  options.line_numbers = how.line_numbers != 0;
  options.matches = how.matches != 0;
  options.fail_fast = how.fail_fast != 0;
  options.use_index = how.use_index != 0;
  options.max_lines = how.max_lines;
  options.before_context = how.before_context;
  options.after_context = how.after_context;
  options.first_line = how.first_line;
  options.last_line = how.last_line;
  options.cancelled = flag_of(how.cancelled);
  if (how.on_progress != nullptr) {
    options.on_progress = [&how](std::uint64_t bytes) { how.on_progress(how.self, bytes); };
  }
  if (how.on_damage != nullptr) {
    options.on_damage = [&how](const DamagedBlock& block) {
      presso_gpu_damage damage = {block.plain_offset, block.plain_bytes, {}};
      copy_error(block.error, damage.error);
      how.on_damage(how.self, &damage);
    };
  }
  return options;
}

/// The callback that hands lines to the caller; empty if none is wanted. The caller's line refers
/// to memory that is valid during the call only.
LineCallback line_callback(const presso_gpu_scan& how) {
  if (how.on_line == nullptr) return {};
  // A span is two numbers, so that the caller can read them as an array.
  return [&how](const MatchedLine& line) {
    static_assert(sizeof(MatchSpan) == 2 * sizeof(std::size_t));
    const presso_gpu_line given = {static_cast<std::uint32_t>(line.kind),
                                   line.text.data(),
                                   line.text.size(),
                                   line.offset,
                                   line.number,
                                   line.matches.empty() ? nullptr : &line.matches.data()->begin,
                                   line.matches.size()};
    return how.on_line(how.self, &given) != 0;
  };
}

/// The figures that the caller's struct has.
void copy_summary(const ScanSummary& from, presso_gpu_scan_summary& to) {
  to.lines = from.lines;
  to.matches = from.matches;
  to.plain_bytes = from.plain_bytes;
  to.damaged_blocks = from.damaged_blocks;
  to.blocks = from.blocks;
  to.blocks_read = from.blocks_read;
  to.blocks_skipped = from.blocks_skipped;
  to.bytes_read = from.bytes_read;
}

}  // namespace
}  // namespace presso::gpu_plugin

/// A handle of the interface: one pattern on one opened GPU.
struct presso_gpu_search {
  std::unique_ptr<presso::FileSearch> search;
};

namespace presso::gpu_plugin {
namespace {

/// Opens a GPU for one pattern. Errors: those of the pattern, and kNoDevice where there is no GPU.
int open_search(const presso_gpu_pattern* pattern, int device, presso_gpu_search** out,
                presso_gpu_error* error) {
  return answer(error, [&]() -> Status {
    PRESSO_ASSIGN(const Pattern compiled, pattern_of(*pattern));
    gpu::GpuOptions options;
    options.device = device;
    PRESSO_ASSIGN(std::unique_ptr<FileSearch> search, cli::open_gpu_search(options, compiled));
    *out = new presso_gpu_search{std::move(search)};
    return {};
  });
}

/// Searches one file on the opened GPU, or on the CPU with the reason in `why_cpu`.
int scan_file(presso_gpu_search* search, const presso_gpu_file* file, const presso_gpu_scan* how,
              presso_gpu_scan_summary* out, presso_gpu_error* error) {
  return answer(error, [&]() -> Status {
    // The file is opened for this call: its index is read again, so that it may have changed.
    const CallerFile access(*file);
    PRESSO_ASSIGN(ScannedFile opened, ScannedFile::open(access));
    PRESSO_ASSIGN(const ScanSummary found,
                  search->search->scan(opened, scan_options(*how), line_callback(*how)));
    copy_summary(found, *out);
    copy_text(search->search->why_cpu().value_or(""), out->why_cpu);
    return {};
  });
}

/// Frees the GPU's memory. Nothing may be searching.
void close_search(presso_gpu_search* search) {
  delete search;
}

// Querying.

/// The GPUs that queries use. They are opened when they are needed, each is used by one query at a
/// time, and they are kept afterwards together with their memory and what CUDA has started, because
/// opening one takes about half a second.
class Devices {
 public:
  /// A GPU for one query, idle or newly opened. It returns to the pool when the last copy of the
  /// pointer goes.
  static Result<std::shared_ptr<QueryDevice>> take(int device) {
    Devices& all = devices();
    std::shared_ptr<QueryDevice> taken = all.idle(device);
    if (!taken) {
      gpu::QueryGpuOptions options;
      options.device = device;
      PRESSO_ASSIGN(taken, cli::open_gpu_queries(options));
    }
    QueryDevice* const used = taken.get();
    // The deleter owns a copy, so the device lives while it is lent and returns when the last user
    // is done.
    const auto give_back = [&all, device, taken](QueryDevice*) { all.give_back(device, taken); };
    return std::shared_ptr<QueryDevice>(used, give_back);
  }

 private:
  /// The pool lives as long as the process, because streams may end after static destructors have
  /// begun.
  static Devices& devices() {
    static auto* const kAll = new Devices;
    return *kAll;
  }

  /// Takes an idle device out of the pool; nullptr if there is none.
  std::shared_ptr<QueryDevice> idle(int device) {
    const std::lock_guard lock(mutex_);
    for (auto at = idle_.begin(); at != idle_.end(); ++at) {
      if (at->first != device) continue;
      std::shared_ptr<QueryDevice> found = std::move(at->second);
      idle_.erase(at);
      return found;
    }
    return nullptr;
  }
  /// Puts a device back, with its memory and whatever is loaded there.
  void give_back(int device, const std::shared_ptr<QueryDevice>& used) {
    const std::lock_guard lock(mutex_);
    idle_.emplace_back(device, used);
  }

  std::mutex mutex_;
  std::vector<std::pair<int, std::shared_ptr<QueryDevice>>> idle_;
};

/// A query with its files and options. Steps are added in the order of the caller's list. It is
/// shared by a query's handle and by the streams that it made.
struct AskedTables {
  std::vector<std::unique_ptr<CallerFile>> files;
  std::optional<Query> query;
  QueryOptions options;
  int device = 0;

  /// Opens the files of a step as tables.
  Result<std::vector<Table>> open(const presso_gpu_step& step) {
    std::vector<Table> tables;
    for (std::size_t i = 0; i < step.file_count; ++i) {
      files.push_back(std::make_unique<CallerFile>(step.files[i]));
      PRESSO_ASSIGN(Table table, Table::open(*files.back()));
      tables.push_back(std::move(table));
    }
    return tables;
  }

  /// Begins the query, from files or from a statement. Errors: those of the files and of the
  /// statement.
  Status begin(const presso_gpu_step& step) {
    PRESSO_ASSIGN(std::vector<Table> tables, open(step));
    const std::string text = string_of(step.text);
    if (step.clause == PRESSO_GPU_SQL) {
      PRESSO_ASSIGN(const SqlQuery parsed, parse_sql(text));
      query.emplace(Query::from(parsed, text, std::move(tables)));
      return {};
    }
    query.emplace(Query::from(std::move(tables), names_of(step)));
    return {};
  }

  /// Adds one step to the query. Error kInvalidArgument: a clause that is not known. The order of
  /// clauses is checked by the query, not here.
  Status add(const presso_gpu_step& step) {
    const std::string text = string_of(step.text);
    switch (static_cast<presso_gpu_clause>(step.clause)) {
      case PRESSO_GPU_FROM:
      case PRESSO_GPU_SQL:
        return begin(step);
      case PRESSO_GPU_JOIN: {
        PRESSO_ASSIGN(std::vector<Table> tables, open(step));
        query->join(std::move(tables), names_of(step), static_cast<JoinKind>(step.join_kind), text);
        return {};
      }
      case PRESSO_GPU_ALIAS:
        query->as(text);
        return {};
      case PRESSO_GPU_WHERE:
        query->where(text);
        return {};
      case PRESSO_GPU_SELECT:
        query->select(text);
        return {};
      case PRESSO_GPU_DISTINCT:
        query->distinct();
        return {};
      case PRESSO_GPU_GROUP_BY:
        query->group_by(text);
        return {};
      case PRESSO_GPU_AGGREGATE:
        query->aggregate(text);
        return {};
      case PRESSO_GPU_HAVING:
        query->having(text);
        return {};
      case PRESSO_GPU_ORDER_BY:
        query->order_by(text);
        return {};
      case PRESSO_GPU_LIMIT:
        query->limit(step.rows, step.offset);
        return {};
    }
    return make_error(ErrorCode::kInvalidArgument, "a clause that is not known");
  }

  /// The options of one run, with a GPU that this run has for itself. A device cannot serve two
  /// queries at once, hence one from the pool for each run.
  Result<QueryOptions> run_options(const unsigned char* cancelled = nullptr) const {
    QueryOptions with = options;
    PRESSO_ASSIGN(with.device, Devices::take(device));
    with.cancelled = cancelled == nullptr ? nullptr : flag_of(cancelled);
    return with;
  }

 private:
  /// The names of a step's files, which qualify their columns.
  static std::vector<std::string> names_of(const presso_gpu_step& step) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < step.file_count; ++i) names.push_back(string_of(step.names[i]));
    return names;
  }
};

}  // namespace
}  // namespace presso::gpu_plugin

/// A handle of the interface.
struct presso_gpu_query {
  std::shared_ptr<presso::gpu_plugin::AskedTables> asked;
};

namespace presso::gpu_plugin {
namespace {

/// Opens the files and adds the steps; nothing has run yet. Errors: those of files and clauses.
int open_query(const presso_gpu_step* steps, std::size_t count,
               const presso_gpu_query_options* options, int device, presso_gpu_query** out,
               presso_gpu_error* error) {
  return answer(error, [&]() -> Status {
    auto asked = std::make_shared<AskedTables>();
    asked->options.threads = options->threads;
    asked->options.memory_bytes = options->memory_bytes;
    asked->device = device;
    for (std::size_t i = 0; i < count; ++i) PRESSO_TRY(asked->add(steps[i]));
    *out = new presso_gpu_query{std::move(asked)};
    return {};
  });
}

/// A stream that keeps alive what its query reads. Arrow's consumers may release it on any thread,
/// after the handle is closed.
struct HeldStream {
  std::shared_ptr<AskedTables> asked;
  ArrowArrayStream inner;
};

/// The object that a stream's pointer leads to.
HeldStream& held_by(ArrowArrayStream* stream) {
  return *static_cast<HeldStream*>(stream->private_data);
}

/// Fills `out` with functions that pass every call on to the held stream.
void hold(std::unique_ptr<HeldStream> held, ArrowArrayStream& out) {
  out.get_schema = [](ArrowArrayStream* self, ArrowSchema* to) {
    return held_by(self).inner.get_schema(&held_by(self).inner, to);
  };
  out.get_next = [](ArrowArrayStream* self, ArrowArray* to) {
    return held_by(self).inner.get_next(&held_by(self).inner, to);
  };
  out.get_last_error = [](ArrowArrayStream* self) {
    return held_by(self).inner.get_last_error(&held_by(self).inner);
  };
  // The inner stream goes first, since it reads the files that `asked` holds.
  out.release = [](ArrowArrayStream* self) {
    const std::unique_ptr<HeldStream> last(&held_by(self));
    last->inner.release(&last->inner);
    self->release = nullptr;
  };
  out.private_data = held.release();
}

/// Begins the query; the device returns to the pool when the stream is released.
int stream(const presso_gpu_query* query, ArrowArrayStream* out, presso_gpu_error* error) {
  return answer(error, [&]() -> Status {
    PRESSO_ASSIGN(const QueryOptions options, query->asked->run_options());
    auto held = std::make_unique<HeldStream>(HeldStream{query->asked, {}});
    PRESSO_TRY(query->asked->query->run(options, held->inner));
    hold(std::move(held), *out);
    return {};
  });
}

/// Drops an answer of which only the figures are wanted.
class NoSink final : public ResultSink {
 public:
  Result<bool> write(ResultBatch, Buffer) override { return true; }
};

/// The figures of a run, with the device and the reason for the CPU as text.
void copy_summary(const QuerySummary& from, presso_gpu_query_summary& to) {
  to.rows = from.rows;
  to.rows_in = from.rows_in;
  to.rows_matched = from.rows_matched;
  to.groups = from.groups;
  to.bytes_read = from.bytes_read;
  to.bytes_stored = from.bytes_stored;
  to.blocks_read = from.blocks_read;
  to.blocks_skipped = from.blocks_skipped;
  to.passes = from.passes;
  copy_text(from.device, to.device);
  copy_text(from.on_device, to.on_device);
  copy_text(from.why_cpu, to.why_cpu);
}

/// Runs the query and drops its rows. `cancelled` is looked at between steps.
int run(const presso_gpu_query* query, const unsigned char* cancelled,
        presso_gpu_query_summary* out, presso_gpu_error* error) {
  return answer(error, [&]() -> Status {
    PRESSO_ASSIGN(const QueryOptions options, query->asked->run_options(cancelled));
    NoSink sink;
    PRESSO_ASSIGN(const QuerySummary summary, query->asked->query->run(options, sink));
    copy_summary(summary, *out);
    return {};
  });
}

/// Gives the plan to `take`, once; with `analyze` it runs the query before.
int explain(const presso_gpu_query* query, int analyze, const unsigned char* cancelled,
            void (*take)(void* self, presso_gpu_text text), void* self, presso_gpu_error* error) {
  return answer(error, [&]() -> Status {
    PRESSO_ASSIGN(const QueryOptions options, query->asked->run_options(cancelled));
    PRESSO_ASSIGN(const std::string text, query->asked->query->explain(options, analyze != 0));
    take(self, {text.data(), text.size()});
    return {};
  });
}

/// Streams that were made of it stay valid, because they share what it holds.
void close_query(presso_gpu_query* query) {
  delete query;
}

/// Lists the GPUs; `count` tells how many there are, even if `room` is less.
int devices(presso_gpu_device* out, std::size_t room, std::size_t* count, presso_gpu_error* error) {
  return answer(error, [&]() -> Status {
    PRESSO_ASSIGN(const std::vector<gpu::DeviceInfo> found, cli::gpu_devices());
    *count = found.size();
    for (std::size_t i = 0; i < std::min(room, found.size()); ++i) {
      copy_text(found[i].name, out[i].name);
      out[i].total_memory_bytes = found[i].total_memory_bytes;
      out[i].free_memory_bytes = found[i].free_memory_bytes;
    }
    return {};
  });
}

// The table of functions; its order is that of presso_gpu_api.
constexpr presso_gpu_api kApi = {PRESSO_GPU_ABI, PRESSO_VERSION, &devices,    &open_search,
                                 &scan_file,     &close_search,  &open_query, &stream,
                                 &run,           &explain,       &close_query};

}  // namespace
}  // namespace presso::gpu_plugin

extern "C" const presso_gpu_api* presso_gpu_plugin(void) {
  return &presso::gpu_plugin::kApi;
}
