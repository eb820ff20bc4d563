// SPDX-License-Identifier: MIT
// Options arrive as a dictionary that presso/_compress.py has checked. All work runs on a thread of
// its own without the GIL, and is cancelled by a signal's exception. Memory: for buffers, input and
// output; for files, a few blocks for each thread. Tested by python/tests/test_works.py and
// python/tests/test_tables.py.
#include "python/src/compress.h"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <atomic>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "presso/compress.h"
#include "presso/compress_arrow.h"
#include "presso/compress_table.h"
#include "presso/decompress.h"
#include "presso/table.h"
#include "python/src/errors.h"
#include "python/src/gil.h"
#include "python/src/interruptible.h"
#include "python/src/opened_file.h"
#include "python/src/owned_stream.h"
#include "tools/io/output_file.h"

namespace presso::python {
namespace nb = nanobind;
namespace {

using Progress = std::optional<nb::callable>;

/// The memory of a Python object for as long as this lives; its owner cannot resize it meanwhile.
/// With the GIL.
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

/// Calls a Python function with running totals, from another thread, and keeps what the function
/// raises until the work has ended. One thread calls call(); the owner calls rethrow() afterwards.
class ProgressCalls {
 public:
  explicit ProgressCalls(const Progress& progress = std::nullopt) : progress_(progress) {}

  /// Calls the function. Returns false if the work is to stop, because the function has raised
  /// something.
  bool call(std::uint64_t one, std::uint64_t other) {
    if (!progress_) return true;
    const auto call = [&] {
      try {
        (*progress_)(one, other);
      } catch (nb::python_error& error) {
        raised_.emplace(std::move(error));
      }
    };
    return with_gil(call) && !raised_;
  }
  /// Raises what the function raised, which comes before any error that followed from it.
  void rethrow() {
    if (raised_) throw std::move(*raised_);
  }

 private:
  Progress progress_;
  std::optional<nb::python_error> raised_;
};

/// The options of the library from the dictionary that the Python code has checked. A key that is
/// missing is a mistake of that code, so it raises KeyError.
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

/// A copy as a bytes object.
nb::bytes python_bytes(const std::vector<Byte>& bytes) {
  return nb::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

/// The function that the library calls between blocks; it ends cancelled work.
auto watching(const std::atomic<bool>& cancelled, ProgressCalls& progress) {
  return [&](std::uint64_t one, std::uint64_t other) {
    return !cancelled && progress.call(one, other);
  };
}

/// Compresses on a thread of its own, so that Ctrl-C ends it; the buffer's memory is held
/// meanwhile. The buffer is held by a view, so that Python's threads can go on using it but not
/// resize it.
nb::bytes compress(const nb::object& data, const nb::dict& asked) {
  const BufferView view(data);
  CompressOptions options = options_of(asked);
  ProgressCalls none;
  return python_bytes(take(interruptible([&](const std::atomic<bool>& cancelled) {
    options.on_progress = watching(cancelled, none);
    return compress_buffer(view.bytes(), options);
  })));
}

/// Decompresses in that way. Error: DamageError. It takes what compress() makes: a file in memory,
/// with its index.
nb::bytes decompress(const nb::object& data, unsigned threads) {
  const BufferView view(data);
  DecompressOptions options;
  options.threads = threads;
  ProgressCalls none;
  return python_bytes(take(interruptible([&](const std::atomic<bool>& cancelled) {
    options.on_progress = watching(cancelled, none);
    return decompress_buffer(view.bytes(), options);
  })));
}

/// Runs `write(sink, cancelled)` for a file that appears under its name when everything is written.
/// Errors that are not about this file are about `from`.
template <class Write>
auto write_file(const OpenedFile& from, const std::string& to, bool overwrite,
                ProgressCalls& progress, const Write& write) {
  cli::OutputFile::Options how;
  how.overwrite = overwrite;
  cli::OutputFile file = take(cli::OutputFile::create(to, how), to);
  bool is_written = false;
  auto done = interruptible([&](const std::atomic<bool>& cancelled) {
    auto written = write(file.sink(), cancelled);
    // Work that was written completely and then failed to be renamed failed at its target.
    is_written = written.ok();
    if (!written.ok()) return written;
    const Status committed = file.commit({});
    return committed.ok() ? std::move(written) : decltype(written)(committed.error());
  });
  // What the progress function raised has cancelled the work, so it is the reason.
  progress.rethrow();
  const bool is_of_target = is_written || file.sink().failed();
  if (!done.ok() && is_of_target) raise(done.error(), to);
  return take(std::move(done), from);
}

/// Compresses a file into another one, which appears when it is complete. Returns plain and
/// compressed bytes. The sample is the file itself, from which block size and dictionary are
/// chosen.
nb::tuple compress_file(OpenedFile from, const nb::bytes& to, bool overwrite, const nb::dict& asked,
                        const Progress& called) {
  from.access = take(from.open(), from);
  CompressOptions options = options_of(asked);
  options.sample = from.access.get();
  ProgressCalls progress(called);
  const CompressSummary summary =
      write_file(from, bytes_of(to), overwrite, progress,
                 [&](ByteSink& sink, const std::atomic<bool>& cancelled) {
                   options.on_progress = watching(cancelled, progress);
                   RangeSource source(*from.access, 0, from.access->size());
                   return compress_stream(source, sink, options);
                 });
  return nb::make_tuple(summary.plain_bytes, summary.compressed_bytes);
}

/// Decompresses a file, or the text of a table. Returns plain and compressed bytes. Which of the
/// two it is, is told by the first bytes.
nb::tuple decompress_file(OpenedFile from, const nb::bytes& to, bool overwrite, unsigned threads,
                          const Progress& called) {
  from.access = take(from.open(), from);
  DecompressOptions options;
  options.threads = threads;
  ProgressCalls progress(called);
  const auto write = [&](ByteSink& sink,
                         const std::atomic<bool>& cancelled) -> Result<DecompressSummary> {
    options.on_progress = watching(cancelled, progress);
    PRESSO_ASSIGN(const bool has_rows, is_table(*from.access));
    RangeSource source(*from.access, 0, from.access->size());
    return has_rows ? decompress_table(source, sink, options)
                    : decompress_stream(source, sink, options);
  };
  const DecompressSummary summary = write_file(from, bytes_of(to), overwrite, progress, write);
  return nb::make_tuple(summary.plain_bytes, summary.compressed_bytes);
}

/// A stream that passes on another one, which it takes, and ends with ECANCELED when its work is
/// cancelled.
class CancellableStream {
 public:
  /// A stream that ends with ECANCELED once the work is cancelled. It lends out the given stream,
  /// which stays its owner's.
  CancellableStream(ArrowArrayStream& given, const std::atomic<bool>& cancelled)
      : given_(given), cancelled_(cancelled) {
    // Each function of the stream is called by the writer's one thread.
    stream_.get_schema = [](ArrowArrayStream* self, ArrowSchema* to) {
      ArrowArrayStream& inner = of(self).given_.stream;
      return inner.get_schema(&inner, to);
    };
    stream_.get_next = [](ArrowArrayStream* self, ArrowArray* to) {
      // The given stream has no way to be interrupted, so it is left alone between two batches.
      if (of(self).cancelled_) return ECANCELED;
      ArrowArrayStream& inner = of(self).given_.stream;
      return inner.get_next(&inner, to);
    };
    stream_.get_last_error = [](ArrowArrayStream* self) {
      ArrowArrayStream& inner = of(self).given_.stream;
      return of(self).cancelled_ ? "cancelled" : inner.get_last_error(&inner);
    };
    stream_.release = [](ArrowArrayStream* self) { self->release = nullptr; };
    stream_.private_data = this;
  }
  CancellableStream(const CancellableStream&) = delete;
  CancellableStream& operator=(const CancellableStream&) = delete;

  /// The stream; it must not be used after this object is gone.
  ArrowArrayStream& stream() { return stream_; }

 private:
  static CancellableStream& of(ArrowArrayStream* self) {
    return *static_cast<CancellableStream*>(self->private_data);
  }

  StreamOwner given_;
  const std::atomic<bool>& cancelled_;
  ArrowArrayStream stream_;
};

/// Writes a table from a stream of Arrow batches. `capsule` is one of __arrow_c_stream__(), which
/// keeps the stream until it is read. Returns the figures of the table. Errors: those of the stream
/// are about the target's name, as a stream has none.
nb::dict write_table(const nb::capsule& capsule, const nb::bytes& to, bool overwrite,
                     std::uint32_t group_rows, const nb::dict& asked) {
  ArrowArrayStream& given = given_stream(capsule);
  TableWriterOptions options;
  options.group_rows = group_rows;
  options.compress = options_of(asked);
  ProgressCalls none;
  const OpenedFile batches{bytes_of(to), {}, {}};
  const TableWriterSummary done =
      write_file(batches, bytes_of(to), overwrite, none,
                 [&](ByteSink& sink, const std::atomic<bool>& cancelled) {
                   options.compress.on_progress = watching(cancelled, none);
                   CancellableStream stream(given, cancelled);
                   return compress_arrow(stream.stream(), sink, options);
                 });
  nb::dict of;
  of["rows"] = done.rows;
  of["row_groups"] = done.row_groups;
  of["value_bytes"] = done.value_bytes;
  of["compressed_bytes"] = done.compressed_bytes;
  return of;
}

}  // namespace

/// Declares the functions to Python. Their arguments were checked by presso/_compress.py.
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
