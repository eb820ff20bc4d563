// SPDX-License-Identifier: MIT
// The sink that writes every file and pipe of the command. It remembers its first error, so that
// the command can tell a failed output from a failed input, and a closed pipe from a full disk.
// Tested by tests/cli/test_failures.py.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "presso/byte_stream.h"

namespace presso::cli {

/// A sink that writes to a descriptor, which it does not own. Used by one thread at a time.
class FileSink final : public ByteSink {
 public:
  /// `sparse` means that `fd` is a new regular file in which whole pages of zeros become holes.
  explicit FileSink(int fd, bool sparse = false) : fd_(fd), sparse_(sparse) {}

  Status write(Bytes bytes) override;
  /// To be called after the last write: gives a file that ends in a hole its length.
  Status finish();

  bool failed() const { return error_.has_value(); }
  const Error& error() const { return *error_; }
  /// Whether the reader at the other end of a pipe went away.
  bool closed_pipe() const { return closed_pipe_; }

 private:
  /// Writes bytes as they are.
  Status write_all(Bytes bytes);
  /// Leaves out runs of zeroes, which become holes of the file.
  Status write_sparse(Bytes bytes);
  /// Moves over the hole that is pending.
  Status skip_hole();
  /// Keeps the error, with which all later calls fail as well.
  Status fail(const char* doing, int error_number);

  int fd_;
  bool sparse_;
  std::uint64_t position_ = 0;  ///< in the file, with the pending hole
  std::uint64_t hole_bytes_ = 0;
  bool closed_pipe_ = false;
  std::optional<Error> error_;
};

/// A sink that throws away what is written to it. Checking a file and calibration decode into it.
class NullSink final : public ByteSink {
 public:
  Status write(Bytes) override { return {}; }
};

/// Writes a text to standard output and returns the exit status. An error is printed; a closed pipe
/// is none.
int print_output(const std::string& text);

}  // namespace presso::cli
