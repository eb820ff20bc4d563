// SPDX-License-Identifier: MIT
// A regular file whose large reads come from a mapping of it and pass by the caches: for reading
// what is in the page cache into memory that a GPU copies from. Each thread reads 1.5 times as fast
// as with pread (scan/gpu/NOTES.md).
#pragma once

#include <cstddef>

#include "presso/byte_stream.h"

namespace presso {

/// Reads are as those of FdRandomAccess, also where the file is shorter by now or its storage
/// fails: a mapping then raises SIGBUS, for which the first MappedFile installs a handler. It takes
/// what its own reads have raised and leaves all else to the handler before. What is not in the
/// page cache, small reads, and files that cannot be mapped are read by pread.
class MappedFile final : public RandomAccess {
 public:
  /// Of this and more is taken from the mapping.
  static constexpr std::size_t kLeastMappedRead = 64u << 10;

  /// `fd` is a regular file of `size` bytes, which the caller keeps open and closes.
  MappedFile(int fd, std::uint64_t size);
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() override;

  std::uint64_t size() const override { return file_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override;
  bool is_mapped() const { return mapping_ != nullptr; }

 private:
  bool is_cached(std::uint64_t offset) const;
  bool copy(std::uint64_t offset, MutableBytes into) const;

  int fd_;
  FdRandomAccess file_;
  const Byte* mapping_ = nullptr;
};

}  // namespace presso
