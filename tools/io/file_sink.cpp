// SPDX-License-Identifier: MIT
// Writes to a descriptor with write(2). Holes are made by seeking, so they need a regular file that
// is new; a hole costs no disk space and reads as zeros. Buffers are large already, so that nothing
// is gathered here. Tested by tests/cli/test_failures.py and tests/cli/test_decompress.py.
#include "tools/io/file_sink.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "tools/cli/message.h"

namespace presso::cli {
namespace {

// Holes begin and end at multiples of this size, which is that of a block in common file systems.
constexpr std::size_t kPageBytes = 4096;

/// Whether all bytes are zero; `bytes` must not be empty. memcmp() with a shift of one byte
/// compares each byte with its neighbour and is vectorised by the C library.
bool is_zero(Bytes bytes) {
  return bytes[0] == 0 && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0;
}

}  // namespace

Status FileSink::write(Bytes bytes) {
  if (failed()) return *error_;
  return sparse_ ? write_sparse(bytes) : write_all(bytes);
}

/// Writes with holes. It goes by the pages of the file (not of the buffer): pages of zeros only
/// lengthen the pending hole, and the others are written in runs as long as possible.
Status FileSink::write_sparse(Bytes bytes) {
  std::size_t run = 0;  // bytes[0, run) are to be written
  while (run < bytes.size()) {
    const std::size_t into_page = static_cast<std::size_t>((position_ + run) % kPageBytes);
    const std::size_t part = std::min(kPageBytes - into_page, bytes.size() - run);
    if (part != kPageBytes || !is_zero(bytes.subspan(run, part))) {
      run += part;
      continue;
    }
    PRESSO_TRY(write_all(bytes.first(run)));
    hole_bytes_ += part;
    position_ += part;
    bytes = bytes.subspan(run + part);
    run = 0;
  }
  return write_all(bytes);
}

/// Seeks over the pending hole.
Status FileSink::skip_hole() {
  if (hole_bytes_ == 0) return {};
  if (lseek(fd_, static_cast<off_t>(hole_bytes_), SEEK_CUR) < 0) return fail("cannot seek", errno);
  hole_bytes_ = 0;
  return {};
}

/// Writes all bytes, however the system divides them up. A signal may interrupt a write and a pipe
/// may take only a part.
Status FileSink::write_all(Bytes bytes) {
  if (bytes.empty()) return {};
  PRESSO_TRY(skip_hole());
  position_ += bytes.size();
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return fail("cannot write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return {};
}

/// Call it once at the end: a hole at the end of the file gets its length only here. ftruncate()
/// lengthens a file without writing to it.
Status FileSink::finish() {
  if (failed()) return *error_;
  if (hole_bytes_ != 0 && ftruncate(fd_, static_cast<off_t>(position_)) != 0) {
    return fail("cannot set the length", errno);
  }
  return {};
}

/// Remembers the error, which every later write returns again.
Status FileSink::fail(const char* doing, int error_number) {
  closed_pipe_ = error_number == EPIPE;
  error_ = errno_error(doing, error_number);
  return *error_;
}

int print_output(const std::string& text) {
  FileSink sink(STDOUT_FILENO);
  const Status written = sink.write({reinterpret_cast<const Byte*>(text.data()), text.size()});
  if (!written.ok() && !sink.closed_pipe()) error("standard output", written.error());
  return exit_status();
}

}  // namespace presso::cli
