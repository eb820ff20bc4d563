// SPDX-License-Identifier: MIT
#include "tools/python/src/opened_file.h"

#include <fcntl.h>
#include <nanobind/stl/string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "tools/python/src/errors.h"

namespace presso::python {
namespace nb = nanobind;
namespace {

class PathAccess final : public RandomAccess {
 public:
  PathAccess(int fd, std::uint64_t size) : fd_(fd), file_(fd, size) {}
  ~PathAccess() override { ::close(fd_); }
  PathAccess(const PathAccess&) = delete;
  PathAccess& operator=(const PathAccess&) = delete;

  std::uint64_t size() const override { return file_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    return file_.read_at(offset, into);
  }

 private:
  int fd_;
  FdRandomAccess file_;
};

class ObjectAccess final : public RandomAccess {
 public:
  ObjectAccess(nb::object reader, std::uint64_t size) : reader_(std::move(reader)), size_(size) {}
  ~ObjectAccess() override {
    if (Py_IsInitialized() == 0) {
      reader_.release();
      return;
    }
    const nb::gil_scoped_acquire acquire;
    reader_.reset();
  }
  ObjectAccess(const ObjectAccess&) = delete;
  ObjectAccess& operator=(const ObjectAccess&) = delete;

  std::uint64_t size() const override { return size_; }

  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    if (offset > size_ || into.size() > size_ - offset) return make_error(ErrorCode::kTruncated);
    if (into.empty()) return {};
    const nb::gil_scoped_acquire acquire;
    try {
      const nb::object read = reader_.attr("read_range")(offset, into.size());
      if (!nb::isinstance<nb::bytes>(read)) {
        return make_error(ErrorCode::kIo, "a read gave something else than bytes");
      }
      const auto bytes = nb::borrow<nb::bytes>(read);
      if (bytes.size() != into.size()) {
        return make_error(ErrorCode::kIo, "a read of " + grouped(into.size()) + " bytes gave " +
                                              grouped(bytes.size()));
      }
      std::memcpy(into.data(), bytes.c_str(), into.size());
      return {};
    } catch (const nb::python_error& raised) {
      return make_error(ErrorCode::kIo, nb::str(raised.value()).c_str());
    }
  }

 private:
  nb::object reader_;
  std::uint64_t size_;
};

}  // namespace

Result<OpenedFile> open_path(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return errno_error("cannot open", errno);
  struct stat about {};
  const bool is_known = ::fstat(fd, &about) == 0;
  if (!is_known || !S_ISREG(about.st_mode)) {
    const int error_number = errno;
    ::close(fd);
    if (!is_known) return errno_error("cannot look at", error_number);
    return make_error(ErrorCode::kInvalidArgument,
                      S_ISDIR(about.st_mode) ? "is a directory" : "is not a regular file");
  }
  return OpenedFile{path,
                    std::make_shared<PathAccess>(fd, static_cast<std::uint64_t>(about.st_size))};
}

OpenedFile open_object(nb::object reader, std::uint64_t size, std::string name) {
  return {std::move(name), std::make_shared<ObjectAccess>(std::move(reader), size)};
}

void bind_opened_file(nb::module_& module) {
  nb::class_<OpenedFile>(module, "OpenedFile", "A file that is read at any place.")
      .def_ro("name", &OpenedFile::name, "By which messages call it.")
      .def_prop_ro(
          "size", [](const OpenedFile& file) { return file.access->size(); }, "In bytes.");
  module.def(
      "open_path", [](const std::string& path) { return take(open_path(path), path); },
      nb::arg("path"));
  module.def("open_object", &open_object, nb::arg("reader"), nb::arg("size"), nb::arg("name"));
}

}  // namespace presso::python
