// SPDX-License-Identifier: MIT
// A file without a name, for data that does not fit into memory (sorting, joins, groups). The
// system frees it when the process ends, however that happens. Movable, owns the descriptor.
// read_at() may be called by several threads; append() and clear() by one alone. All errors
// name the directory, because a full one is what users can mend.
// Tested by tests/unit/format/temporary_file_test.cpp.
#pragma once

#include <string>

#include "presso/byte_stream.h"

namespace presso {

/// The file. Bytes are only appended; clear() drops all of them.
class TemporaryFile {
 public:
  /// Returns `directory`, or if that is empty the one that TMPDIR names, else /tmp.
  static std::string directory_for(const std::string& directory);
  /// Creates the file in directory_for(directory). Errors name that directory.
  static Result<TemporaryFile> create(const std::string& directory);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  ~TemporaryFile();

  Status append(Bytes bytes);
  std::uint64_t size() const { return size_; }
  Status read_at(std::uint64_t offset, MutableBytes into) const;
  /// Empties the file and gives its space back.
  Status clear();

 private:
  TemporaryFile(int fd, std::string directory) : fd_(fd), directory_(std::move(directory)) {}
  Error named(Error error) const;

  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::string directory_;
};

}  // namespace presso
