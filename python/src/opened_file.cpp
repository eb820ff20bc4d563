// SPDX-License-Identifier: MIT
// A file of the system is read with pread(2), without the GIL; a Python object with its
// read_range(), under the GIL. Tested by python/tests/test_files.py and
// python/tests/test_servers.py.
#include "python/src/opened_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "presso/table.h"
#include "presso/wire.h"
#include "python/src/gil.h"
#include "tools/times/time_window.h"

namespace presso::python {
namespace nb = nanobind;
namespace {

/// The bytes by which begins_table() recognises a table.
constexpr std::size_t kBegunBytes = 12;

/// A file of the system.
class PathAccess final : public FileAccess {
 public:
  /// Takes the descriptor over.
  PathAccess(int fd, std::uint64_t size) : fd_(fd), file_(fd, size) {}
  ~PathAccess() override { ::close(fd_); }
  PathAccess(const PathAccess&) = delete;
  PathAccess& operator=(const PathAccess&) = delete;

  std::uint64_t size() const override { return file_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    return file_.read_at(offset, into);
  }
  std::optional<std::int64_t> modified() const override {
    struct stat about {};
    if (::fstat(fd_, &about) != 0) return std::nullopt;
    return cli::latest_of(about);
  }

 private:
  int fd_;
  FdRandomAccess file_;
};

/// The exception's text, or its class's name if it has none. Does not throw.
std::string text_of_raised(const nb::python_error& raised) {
  // The class's name stands in for an exception without a text, such as KeyboardInterrupt().
  for (PyObject* const said : {PyObject_Str(raised.value().ptr()),
                               PyObject_GetAttrString(raised.type().ptr(), "__name__")}) {
    PyObject* const bytes =
        said == nullptr ? nullptr : PyUnicode_AsEncodedString(said, "utf-8", "backslashreplace");
    Py_XDECREF(said);
    std::string text;
    if (bytes != nullptr) text = PyBytes_AsString(bytes);
    Py_XDECREF(bytes);
    PyErr_Clear();
    if (!text.empty()) return text;
  }
  return "an exception";
}

/// A Python object with read_range(offset, length). Every read takes the GIL, so reads of one
/// object do not overlap.
class ObjectAccess final : public FileAccess {
 public:
  ObjectAccess(nb::object reader, std::uint64_t size) : reader_(std::move(reader)), size_(size) {}
  /// Drops Python's objects with the lock, on whatever thread the last owner is.
  ~ObjectAccess() override {
    const auto drop = [this] {
      reader_.reset();
      raised_.reset();
    };
    // with_gil() fails only if the interpreter is ending.
    if (with_gil(drop)) return;
    // The interpreter is gone or going, so the objects are left alone.
    reader_.release();
    raised_.release();
  }
  ObjectAccess(const ObjectAccess&) = delete;
  ObjectAccess& operator=(const ObjectAccess&) = delete;

  std::uint64_t size() const override { return size_; }

  /// Reads by a call of Python's object, one at a time by the interpreter's lock. Errors:
  /// kTruncated outside of the file; kCancelled while the interpreter ends.
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    // The range is checked first, so that Python code is never asked for bytes outside the file.
    if (offset > size_ || into.size() > size_ - offset) return make_error(ErrorCode::kTruncated);
    if (into.empty()) return {};
    Status done;
    if (!with_gil([&] { done = read_with_gil(offset, into); })) {
      return make_error(ErrorCode::kCancelled, "the interpreter is ending");
    }
    return done;
  }

  /// Raises a KeyboardInterrupt or the like that the object's read has raised; mere Exceptions
  /// become the cause of an Error.
  void raise_interrupt() const override {
    if (!raised_.is_valid()) return;
    if (PyObject_IsInstance(raised_.ptr(), PyExc_Exception) != 0) return;
    const nb::object raised = std::exchange(raised_, {});
    PyErr_SetObject(raised.type().ptr(), raised.ptr());
    throw nb::python_error();
  }
  /// The text tells whether the error came from that exception, as errors are copied on their way.
  nb::object cause_of(const Error& error) const override {
    const bool is_it =
        raised_.is_valid() && error.code == ErrorCode::kIo && error.what == raised_text_;
    return is_it ? std::exchange(raised_, {}) : nb::none();
  }
  nb::object reader() const override { return reader_; }

 private:
  /// Reads with the GIL and keeps what the object raises.
  Status read_with_gil(std::uint64_t offset, MutableBytes into) const {
    try {
      const nb::object read = reader_.attr("read_range")(offset, into.size());
      return copy(read, into);
    } catch (const nb::python_error& raised) {
      // The exception is kept with its traceback, so that the user sees where the reading failed.
      raised_ = nb::borrow(raised.value());
      if (raised.traceback().is_valid()) {
        PyException_SetTraceback(raised_.ptr(), raised.traceback().ptr());
      }
      raised_text_ = text_of_raised(raised);
      return make_error(ErrorCode::kIo, raised_text_);
    }
  }
  /// Copies what the object gave; it must be exactly as many bytes as were asked for.
  static Status copy(const nb::object& read, MutableBytes into) {
    Py_buffer view;
    if (PyObject_GetBuffer(read.ptr(), &view, PyBUF_SIMPLE) != 0) {
      PyErr_Clear();
      return make_error(ErrorCode::kIo, "a read gave something else than bytes");
    }
    const auto size = static_cast<std::size_t>(view.len);
    // The buffer is released before an error is made, whatever its length.
    if (size == into.size()) std::memcpy(into.data(), view.buf, size);
    PyBuffer_Release(&view);
    if (size == into.size()) return {};
    return make_error(ErrorCode::kIo,
                      "a read of " + grouped(into.size()) + " bytes gave " + grouped(size));
  }

  nb::object reader_;
  std::uint64_t size_;
  // With the GIL.
  mutable nb::object raised_;
  mutable std::string raised_text_;
};

/// The bytes of a Python object, valid as long as that. Nothing is copied.
Bytes view_of(const nb::bytes& bytes) {
  return {reinterpret_cast<const Byte*>(bytes.c_str()), bytes.size()};
}

/// Opens a regular file. Without O_NONBLOCK a pipe of that name would block.
Result<SharedAccess> open_path(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno_error("cannot open", errno);
  struct stat about {};
  const bool is_known = ::fstat(fd, &about) == 0;
  if (!is_known || !S_ISREG(about.st_mode)) {
    // errno is kept, because close() may change it.
    const int error_number = errno;
    ::close(fd);
    if (!is_known) return errno_error("cannot look at", error_number);
    return make_error(ErrorCode::kIo, "is not a regular file");
  }
  return SharedAccess(std::make_shared<PathAccess>(fd, static_cast<std::uint64_t>(about.st_size)));
}

}  // namespace

/// Whether the file begins as a table does. Error: those of reading.
Result<bool> is_table(const RandomAccess& file) {
  Byte begun[kBegunBytes];
  // A file that is shorter than a magic number is none; the caller finds the error.
  if (file.size() < sizeof begun) return false;
  PRESSO_TRY(file.read_at(0, begun));
  return begins_table(begun);
}

/// An estimate of how many bytes at the file's end hold its index, so that a far file is fetched in
/// few requests. At most 64 MiB. A guess that is too small costs one more request, one that is too
/// large some bytes.
std::uint64_t tail_bytes(Bytes begun, std::uint64_t size) {
  // The estimate is for an index and line facts of blocks that are compressed by less than this
  // ratio.
  constexpr std::uint64_t kBytesOfBlock = 16, kRatio = 4, kMost = 64u << 20;
  std::uint64_t block_bytes = kDefaultBlockBytes;
  if (begun.size() >= kFileHeaderBytes) {
    const auto header = parse_file_header(begun.data());
    if (header.ok()) block_bytes = header->block_bytes;
  }
  return std::min(kMost, size / block_bytes * kBytesOfBlock * kRatio);
}

/// Where the file's index begins, by its trailer; the file's size where `end` has no sound trailer.
/// The trailer is the last thing in a file, so its end is enough to find it.
std::uint64_t index_offset(Bytes end, std::uint64_t size) {
  if (end.size() < kTrailerBytes) return size;
  const auto trailer = parse_trailer(end.data() + end.size() - kTrailerBytes);
  if (!trailer.ok() || trailer->file_bytes > size) return size;
  return size - trailer->file_bytes + trailer->index_offset;
}

/// Paths are bytes, because file systems do not promise UTF-8.
std::string bytes_of(const nb::bytes& bytes) {
  return {bytes.c_str(), bytes.size()};
}

/// Opens a path anew at each call, so that thousands of files do not hold thousands of descriptors.
Result<SharedAccess> OpenedFile::open() const {
  return access == nullptr ? open_path(path) : access;
}

/// What a file object has raised appears as the cause in the traceback.
void raise(const Error& error, const OpenedFile& file) {
  raise(error, file.name, file.access == nullptr ? nb::none() : file.access->cause_of(error));
}

/// Declares the class and the functions that open files to Python.
void bind_opened_file(nb::module_& module) {
  nb::class_<OpenedFile>(module, "OpenedFile", "A file that is read at any place.")
      .def_prop_ro(
          "name", [](const OpenedFile& file) { return text_of(file.name); },
          "By which messages call it.")
      .def_prop_ro(
          "path", [](const OpenedFile& file) { return text_of(file.path); },
          "Where it lies, or empty.")
      .def_prop_ro(
          "url", [](const OpenedFile& file) { return text_of(file.url); },
          "By which it was opened, or empty.")
      .def_prop_ro(
          "reader",
          [](const OpenedFile& file) {
            return file.access == nullptr ? nb::none() : file.access->reader();
          },
          "Python's object that reads it, or None.");
  module.def(
      "open_descriptor",
      [](int fd, std::uint64_t size, const nb::bytes& path, const nb::bytes& name) {
        return OpenedFile{
            bytes_of(name), std::make_shared<PathAccess>(fd, size), bytes_of(path), {}};
      },
      nb::arg("fd"), nb::arg("size"), nb::arg("path"), nb::arg("name"),
      "Takes the descriptor of a regular file.");
  module.def(
      "later",
      [](const nb::bytes& path, const nb::bytes& name) {
        return OpenedFile{bytes_of(name), {}, bytes_of(path), {}};
      },
      nb::arg("path"), nb::arg("name"), "A regular file that is opened when its turn comes.");
  module.def(
      "open_object",
      [](nb::object reader, std::uint64_t size, const nb::bytes& name, const nb::bytes& url) {
        return OpenedFile{bytes_of(name),
                          std::make_shared<ObjectAccess>(std::move(reader), size),
                          {},
                          bytes_of(url)};
      },
      nb::arg("reader"), nb::arg("size"), nb::arg("name"), nb::arg("url") = nb::bytes("", 0),
      "An object with read_range(offset, length), which gives bytes; of `size` bytes.");
  module.def(
      "tail_bytes",
      [](const nb::bytes& begun, std::uint64_t size) { return tail_bytes(view_of(begun), size); },
      nb::arg("begun"), nb::arg("size"),
      "How much of the end of a file of `size` bytes, of which the first ones are `begun` or "
      "nothing is known, its index and line facts are likely to take, in bytes.");
  module.def(
      "index_offset",
      [](const nb::bytes& end, std::uint64_t size) { return index_offset(view_of(end), size); },
      nb::arg("end"), nb::arg("size"),
      "Where the index begins in a file that ends with these bytes, or `size`, its own.");
}

}  // namespace presso::python
