// SPDX-License-Identifier: MIT
// A file without a name for what memory does not hold: the system frees it with the process,
// however that ends. Tested by tests/unit/format/temporary_file_test.cpp.
#pragma once

#include <string>

#include "presso/byte_stream.h"

namespace presso {

class TemporaryFile {
 public:
  /// `directory`; empty: the one that the environment variable TMPDIR names, else /tmp.
  static std::string directory_for(const std::string& directory);
  /// In directory_for(directory). Errors name it.
  static Result<TemporaryFile> create(const std::string& directory);
  TemporaryFile(TemporaryFile&& other) noexcept;
  TemporaryFile& operator=(TemporaryFile&& other) noexcept;
  ~TemporaryFile();

  Status append(Bytes bytes);
  std::uint64_t size() const { return size_; }
  Status read_at(std::uint64_t offset, MutableBytes into) const;
  /// Gives its room back.
  Status clear();

 private:
  TemporaryFile(int fd, std::string directory) : fd_(fd), directory_(std::move(directory)) {}
  Error named(Error error) const;

  int fd_ = -1;
  std::uint64_t size_ = 0;
  std::string directory_;
};

}  // namespace presso
