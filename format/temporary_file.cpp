// SPDX-License-Identifier: MIT
// TemporaryFile: a file that no folder lists, read and written by its descriptor.
#include "format/temporary_file.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

namespace presso {
namespace {

/// An open descriptor of a file without a name in `directory`, or -1 with errno set. Where the
/// file system has no O_TMPFILE (NFS, for example), a named file is made and its name removed
/// at once.
int open_without_name(const std::string& directory) {
#ifdef O_TMPFILE
  const int fd = ::open(directory.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
  if (fd >= 0) return fd;
#endif
  std::string path = directory + "/presso-XXXXXX";
  const int named = ::mkostemp(path.data(), O_CLOEXEC);
  if (named >= 0) ::unlink(path.c_str());
  return named;
}

}  // namespace

std::string TemporaryFile::directory_for(const std::string& directory) {
  if (!directory.empty()) return directory;
  const char* const given = std::getenv("TMPDIR");
  return given != nullptr && *given != '\0' ? given : "/tmp";
}

Result<TemporaryFile> TemporaryFile::create(const std::string& directory) {
  std::string chosen = directory_for(directory);
  const int fd = open_without_name(chosen);
  if (fd < 0) {
    return errno_error(
        "cannot create a temporary file in `" + chosen + "`, for what memory does not hold", errno);
  }
  return TemporaryFile(fd, std::move(chosen));
}

TemporaryFile::TemporaryFile(TemporaryFile&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      size_(other.size_),
      directory_(std::move(other.directory_)) {}

TemporaryFile& TemporaryFile::operator=(TemporaryFile&& other) noexcept {
  std::swap(fd_, other.fd_);
  std::swap(size_, other.size_);
  std::swap(directory_, other.directory_);
  return *this;
}

TemporaryFile::~TemporaryFile() {
  if (fd_ >= 0) ::close(fd_);
}

Error TemporaryFile::named(Error error) const {
  error.what =
      "a temporary file in `" + directory_ + "`, for what memory does not hold: " + error.what;
  return error;
}

Status TemporaryFile::append(Bytes bytes) {
  Status written = FdSink(fd_).write(bytes);
  if (!written.ok()) return named(std::move(written.error()));
  size_ += bytes.size();
  return {};
}

Status TemporaryFile::read_at(std::uint64_t offset, MutableBytes into) const {
  Status read = FdRandomAccess(fd_, size_).read_at(offset, into);
  if (read.ok()) return {};
  // The file is the library's own: what is amiss with it is no damage of the input.
  read.error().code = ErrorCode::kIo;
  return named(std::move(read.error()));
}

Status TemporaryFile::clear() {
  if (::ftruncate(fd_, 0) != 0 || ::lseek(fd_, 0, SEEK_SET) < 0) {
    return named(errno_error("cannot be cut", errno));
  }
  size_ = 0;
  return {};
}

}  // namespace presso
