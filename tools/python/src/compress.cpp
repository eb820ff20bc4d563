// SPDX-License-Identifier: MIT
#include "tools/python/src/compress.h"

#include <fcntl.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "presso/compress.h"
#include "presso/compress_arrow.h"
#include "presso/compress_table.h"
#include "presso/decompress.h"
#include "presso/table.h"
#include "tools/io/output_file.h"
#include "tools/python/src/errors.h"
#include "tools/python/src/interruptible.h"
#include "tools/python/src/opened_file.h"

namespace presso::python {
namespace nb = nanobind;
namespace {

using Progress = std::optional<nb::callable>;

/// Memory of an object of Python, for as long as this lives. With the GIL.
class BufferView {
 public:
  explicit BufferView(const nb::object& object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  ~BufferView() { PyBuffer_Release(&view_); }
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;
  Bytes bytes() const {
    return {static_cast<const Byte*>(view_.buf), static_cast<std::size_t>(view_.len)};
  }

 private:
  Py_buffer view_;
};

/// Calls a function of Python with running totals, from another thread, and keeps what it raises.
class ProgressCalls {
 public:
  explicit ProgressCalls(const Progress& progress) : progress_(progress) {}

  /// False: it is to stop.
  bool call(std::uint64_t one, std::uint64_t other) {
    if (!progress_) return true;
    const nb::gil_scoped_acquire acquire;
    try {
      (*progress_)(one, other);
      return true;
    } catch (nb::python_error& error) {
      raised_.emplace(std::move(error));
      return false;
    }
  }
  void rethrow() {
    if (raised_) throw std::move(*raised_);
  }

 private:
  const Progress& progress_;
  std::optional<nb::python_error> raised_;
};

CompressOptions options_of(const nb::dict& asked) {
  CompressOptions options;
  options.level = nb::cast<int>(asked["level"]);
  options.block_bytes = nb::cast<std::uint32_t>(asked["block_bytes"]);
  options.threads = nb::cast<unsigned>(asked["threads"]);
  const std::string coding = nb::cast<std::string>(asked["coding"]);
  if (coding == "byte") options.coding = Coding::kByte;
  if (coding == "bit") options.coding = Coding::kBit;
  const std::string favor = nb::cast<std::string>(asked["favor"]);
  if (favor == "decode") options.favor = Favor::kDecode;
  if (favor == "archive") options.favor = Favor::kArchive;
  if (!asked["index_permille"].is_none()) {
    options.filter_permille = nb::cast<std::uint32_t>(asked["index_permille"]);
  }
  options.metadata.entries =
      nb::cast<std::vector<std::pair<std::string, std::string>>>(asked["metadata"]);
  return options;
}

nb::bytes bytes_of(const std::vector<Byte>& bytes) {
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// Cancels a running compression where a signal's handler has raised.
void watch(CompressOptions& options, const std::atomic<bool>& cancelled, ProgressCalls& progress) {
  options.on_progress = [&](std::uint64_t plain, std::uint64_t compressed) {
    return !cancelled && progress.call(plain, compressed);
  };
}

nb::bytes compress(const nb::object& data, const nb::dict& asked) {
  const BufferView view(data);
  CompressOptions options = options_of(asked);
  std::atomic<bool> cancelled = false;
  const Progress none;
  ProgressCalls progress(none);
  watch(options, cancelled, progress);
  return bytes_of(
      take(interruptible(cancelled, [&] { return compress_buffer(view.bytes(), options); })));
}

nb::bytes decompress(const nb::object& data, unsigned threads) {
  const BufferView view(data);
  DecompressOptions options;
  options.threads = threads;
  std::atomic<bool> cancelled = false;
  options.on_progress = [&](std::uint64_t, std::uint64_t) { return !cancelled; };
  return bytes_of(
      take(interruptible(cancelled, [&] { return decompress_buffer(view.bytes(), options); })));
}

/// Runs `write(sink)` for a file that appears under its name when all is written.
template <class Write>
auto write_file(const std::string& path, bool overwrite, std::atomic<bool>& cancelled,
                const Write& write) {
  cli::OutputFile::Options how;
  how.overwrite = overwrite;
  cli::OutputFile file = take(cli::OutputFile::create(path, how), path);
  auto result = interruptible(cancelled, [&]() -> decltype(write(file.sink())) {
    PRESSO_ASSIGN(auto done, write(file.sink()));
    PRESSO_TRY(file.commit({}));
    return done;
  });
  return result;
}

nb::tuple compress_file(const OpenedFile& from, const std::string& to, bool overwrite,
                        const nb::dict& asked, const Progress& called) {
  CompressOptions options = options_of(asked);
  options.sample = from.access.get();
  std::atomic<bool> cancelled = false;
  ProgressCalls progress(called);
  watch(options, cancelled, progress);
  auto done = write_file(to, overwrite, cancelled, [&](ByteSink& sink) {
    RangeSource source(*from.access, 0, from.access->size());
    return compress_stream(source, sink, options);
  });
  progress.rethrow();
  const CompressSummary summary = take(std::move(done), from.name);
  return nb::make_tuple(summary.plain_bytes, summary.compressed_bytes);
}

nb::tuple decompress_file(const OpenedFile& from, const std::string& to, bool overwrite,
                          unsigned threads, const Progress& called) {
  DecompressOptions options;
  options.threads = threads;
  std::atomic<bool> cancelled = false;
  ProgressCalls progress(called);
  options.on_progress = [&](std::uint64_t compressed, std::uint64_t plain) {
    return !cancelled && progress.call(compressed, plain);
  };
  auto done =
      write_file(to, overwrite, cancelled, [&](ByteSink& sink) -> Result<DecompressSummary> {
        Byte begun[12] = {};
        if (from.access->size() >= sizeof begun) PRESSO_TRY(from.access->read_at(0, begun));
        RangeSource source(*from.access, 0, from.access->size());
        return begins_table(begun) ? decompress_table(source, sink, options)
                                   : decompress_stream(source, sink, options);
      });
  progress.rethrow();
  const DecompressSummary summary = take(std::move(done), from.name);
  return nb::make_tuple(summary.plain_bytes, summary.compressed_bytes);
}

/// `capsule`: of __arrow_c_stream__().
nb::dict write_table(const nb::capsule& capsule, const std::string& to, bool overwrite,
                     std::uint32_t group_rows, const nb::dict& asked) {
  auto* const given =
      static_cast<ArrowArrayStream*>(PyCapsule_GetPointer(capsule.ptr(), "arrow_array_stream"));
  if (given == nullptr) throw nb::python_error();
  if (given->release == nullptr) {
    raise(make_error(ErrorCode::kInvalidArgument, "the stream has been read already"));
  }
  ArrowArrayStream stream = *given;
  given->release = nullptr;
  TableWriterOptions options;
  options.group_rows = group_rows;
  options.compress = options_of(asked);
  std::atomic<bool> cancelled = false;
  const Progress none;
  ProgressCalls progress(none);
  watch(options.compress, cancelled, progress);
  const TableWriterSummary done =
      take(write_file(to, overwrite, cancelled,
                      [&](ByteSink& sink) { return compress_arrow(stream, sink, options); }),
           to);
  nb::dict of;
  of["rows"] = done.rows;
  of["row_groups"] = done.row_groups;
  of["value_bytes"] = done.value_bytes;
  of["compressed_bytes"] = done.compressed_bytes;
  return of;
}

}  // namespace

void bind_compress(nb::module_& module) {
  module.def("compress", &compress, nb::arg("data"), nb::arg("asked"));
  module.def("decompress", &decompress, nb::arg("data"), nb::arg("threads"));
  module.def("compress_file", &compress_file, nb::arg("file"), nb::arg("to"), nb::arg("overwrite"),
             nb::arg("asked"), nb::arg("progress").none());
  module.def("decompress_file", &decompress_file, nb::arg("file"), nb::arg("to"),
             nb::arg("overwrite"), nb::arg("threads"), nb::arg("progress").none());
  module.def("write_table", &write_table, nb::arg("stream"), nb::arg("to"), nb::arg("overwrite"),
             nb::arg("group_rows"), nb::arg("asked"));
}

}  // namespace presso::python
