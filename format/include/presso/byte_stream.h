// SPDX-License-Identifier: MIT
// Where bytes come from and where they go: sources that are read in order, files that are read at
// any offset, and sinks. The library reads and writes only through these, and callers may bring
// their own. The one exception are temporary files without a name, to which sorting and queries
// write what memory does not hold (TableSortOptions, format/temporary_file.h). Tested by
// tests/unit/format/byte_stream_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

/// An owned, movable byte array that is not cleared when it grows. `size` is what the user set.
/// Once a size has been set, be it 0, kSlack bytes after it may always be read and written, so that
/// decoders can copy in wide steps without testing for the end.
class Buffer {
 public:
  static constexpr std::size_t kSlack = 128;

  Buffer() = default;
  Buffer(Buffer&& other) noexcept { *this = std::move(other); }
  Buffer& operator=(Buffer&& other) noexcept {
    data_ = std::move(other.data_);
    size_ = std::exchange(other.size_, 0);
    capacity_ = std::exchange(other.capacity_, 0);
    large_pages_ = other.large_pages_;
    return *this;
  }

  /// For buffers of many MiB, before they are given a size: memory in large pages, where the system
  /// has them, costs fewer page faults.
  void use_large_pages() { large_pages_ = true; }

  /// Sets the size; the content is unspecified afterwards. Memory is allocated only where it does
  /// not suffice, and never given back.
  void resize_discarding(std::size_t size);
  /// Sets the size, which may also become smaller, keeping the content up to the smaller of both
  /// sizes. Memory at least doubles where it does not suffice.
  void grow(std::size_t size);
  void append(Bytes bytes);
  void clear() { size_ = 0; }

  Byte* data() { return data_.get(); }
  const Byte* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Bytes bytes() const { return {data_.get(), size_}; }
  MutableBytes mutable_bytes() { return {data_.get(), size_}; }

 private:
  std::unique_ptr<Byte[]> data_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
  bool large_pages_ = false;
};

/// Buffers that circulate between the stages of a pipeline, so that they are not allocated anew for
/// each item. Thread-safe. It grows to the number of buffers that are in use at one time.
class BufferPool {
 public:
  /// Returns a free buffer, of any size, or a new empty one.
  Buffer take();
  void give_back(Buffer buffer);

 private:
  std::mutex mutex_;
  std::vector<Buffer> free_;
};

/// Bytes that are read once, in order. One thread reads at a time.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads at most `into.size()` bytes, and at least one unless the source has ended. Returns how
  /// many; 0 at the end.
  virtual Result<std::size_t> read(MutableBytes into) = 0;
};

/// Reads until `into` is full or the source ends. Returns how many bytes were read.
Result<std::size_t> read_fully(ByteSource& source, MutableBytes into);

/// Bytes that can be read at any offset. Implementations must be thread-safe.
class RandomAccess {
 public:
  virtual ~RandomAccess() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `into` with the bytes from `offset`; kTruncated if the file ends before.
  virtual Status read_at(std::uint64_t offset, MutableBytes into) const = 0;
};

/// Takes bytes in order. One thread writes at a time.
class ByteSink {
 public:
  virtual ~ByteSink() = default;
  /// Takes all of `bytes`, or returns an error after which the sink is not used any more.
  virtual Status write(Bytes bytes) = 0;
};

/// A file descriptor that the caller keeps open and closes.
class FdSource final : public ByteSource {
 public:
  explicit FdSource(int fd) : fd_(fd) {}
  Result<std::size_t> read(MutableBytes into) override;

 private:
  int fd_;
};

/// A regular file, read with pread().
class FdRandomAccess final : public RandomAccess {
 public:
  /// `fd` must be a regular file of `size` bytes.
  FdRandomAccess(int fd, std::uint64_t size) : fd_(fd), size_(size) {}
  std::uint64_t size() const override { return size_; }
  Status read_at(std::uint64_t offset, MutableBytes into) const override;

 private:
  int fd_;
  std::uint64_t size_;
};

/// Writes all bytes to a file descriptor that the caller keeps, or fails (kNoSpace, kIo).
class FdSink final : public ByteSink {
 public:
  explicit FdSink(int fd) : fd_(fd) {}
  Status write(Bytes bytes) override;

 private:
  int fd_;
};

/// Bytes in memory that the caller keeps, as a source. Reading copies them.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(Bytes bytes) : rest_(bytes) {}
  Result<std::size_t> read(MutableBytes into) override;

 private:
  Bytes rest_;
};

/// Bytes in memory that the caller keeps, readable at any offset.
class MemoryRandomAccess final : public RandomAccess {
 public:
  explicit MemoryRandomAccess(Bytes bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override;

 private:
  Bytes bytes_;
};

/// The bytes [begin, end) of a random-access file as a source. `file` is kept by reference.
class RangeSource final : public ByteSource {
 public:
  RangeSource(const RandomAccess& file, std::uint64_t begin, std::uint64_t end)
      : file_(file), at_(begin), end_(end) {}
  Result<std::size_t> read(MutableBytes into) override;

 private:
  const RandomAccess& file_;
  std::uint64_t at_;
  std::uint64_t end_;
};

/// A source with bytes in front of it, for bytes that were read already to see what kind of file it
/// is.
class PrefixedSource final : public ByteSource {
 public:
  /// Both are kept by reference.
  PrefixedSource(Bytes prefix, ByteSource& rest) : prefix_(prefix), rest_(rest) {}
  Result<std::size_t> read(MutableBytes into) override;

 private:
  MemorySource prefix_;
  ByteSource& rest_;
};

/// Appends everything to a vector that the caller keeps.
class VectorSink final : public ByteSink {
 public:
  explicit VectorSink(std::vector<Byte>& to) : to_(to) {}
  Status write(Bytes bytes) override;

 private:
  std::vector<Byte>& to_;
};

}  // namespace presso
