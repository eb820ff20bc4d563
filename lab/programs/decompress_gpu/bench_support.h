// SPDX-License-Identifier: MIT
// What the GPU's benchmarks share: a file opened for reading, the summary of repeated timings, and
// the names of dependency rules in tables.
#pragma once

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <vector>

#include "presso/byte_stream.h"
#include "presso/wire.h"

namespace presso::gpu::bench {

struct Times {
  double median = 0, best = 0, worst = 0;
};

/// The summary of at least one time, in any unit.
inline Times summary(std::vector<double> times) {
  std::sort(times.begin(), times.end());
  return {times[times.size() / 2], times.front(), times.back()};
}

inline const char* rule_name(DependencyRule rule) {
  constexpr const char* kNames[] = {"none", "strict", "literal-aware", "two-wave", "tile"};
  return kNames[static_cast<std::size_t>(rule)];
}

/// A regular file, closed when it goes.
class InputFile final : public RandomAccess {
 public:
  explicit InputFile(const std::string& path)
      : fd_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)), open_error_(fd_ < 0 ? errno : 0) {
    struct stat about {};
    if (fd_ < 0) return;
    if (fstat(fd_, &about) != 0) open_error_ = errno;
    size_ = static_cast<std::uint64_t>(about.st_size);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;
  ~InputFile() override {
    if (fd_ >= 0) ::close(fd_);
  }

  /// Whether it could be opened; before anything else.
  Status status(const std::string& path) const {
    return open_error_ == 0 ? Status() : errno_error(path, open_error_);
  }
  std::uint64_t size() const override { return size_; }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    return FdRandomAccess(fd_, size_).read_at(offset, into);
  }

 private:
  int fd_;
  int open_error_;
  std::uint64_t size_ = 0;
};

}  // namespace presso::gpu::bench
