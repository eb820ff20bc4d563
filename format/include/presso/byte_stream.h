// SPDX-License-Identifier: MIT
// Where bytes come from and go to: sources read in order, files read at any offset, sinks. The
// library reaches the outside only through these; callers may bring their own. The exception are
// files without a name, where rows are sorted that memory does not hold (TableSortOptions).
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "presso/bytes.h"
#include "presso/error.h"

namespace presso {

/// An owned, movable byte array that is not cleared when it grows. `size` is what the user set;
/// kSlack bytes after it may always be read and written, so that decoders can copy in wide steps.
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

  /// Sets the size; contents up to the smaller of both sizes are kept only by `grow`.
  void resize_discarding(std::size_t size);
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

/// Buffers that go round between the stages of a pipeline. Thread-safe.
class BufferPool {
 public:
  Buffer take();
  void give_back(Buffer buffer);

 private:
  std::mutex mutex_;
  std::vector<Buffer> free_;
};

/// Bytes in order, once.
class ByteSource {
 public:
  virtual ~ByteSource() = default;
  /// Reads at least one byte unless at the end (then 0), at most `into.size()`.
  virtual Result<std::size_t> read(MutableBytes into) = 0;
};

/// Reads until `into` is full or the source ends; returns how much.
Result<std::size_t> read_fully(ByteSource& source, MutableBytes into);

/// Bytes at any offset. Thread-safe.
class RandomAccess {
 public:
  virtual ~RandomAccess() = default;
  virtual std::uint64_t size() const = 0;
  /// Fills `into` from `offset`; kTruncated where the file ends before.
  virtual Status read_at(std::uint64_t offset, MutableBytes into) const = 0;
};

class ByteSink {
 public:
  virtual ~ByteSink() = default;
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

/// Writes all bytes or fails (kNoSpace, kIo).
class FdSink final : public ByteSink {
 public:
  explicit FdSink(int fd) : fd_(fd) {}
  Status write(Bytes bytes) override;

 private:
  int fd_;
};

/// Bytes in memory that the caller keeps.
class MemorySource final : public ByteSource {
 public:
  explicit MemorySource(Bytes bytes) : rest_(bytes) {}
  Result<std::size_t> read(MutableBytes into) override;

 private:
  Bytes rest_;
};

class MemoryRandomAccess final : public RandomAccess {
 public:
  explicit MemoryRandomAccess(Bytes bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override;

 private:
  Bytes bytes_;
};

/// A part of a random-access file as a source read in order.
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

/// A source with bytes put back in front of it that were read to see what it is.
class PrefixedSource final : public ByteSource {
 public:
  /// Both are kept by reference.
  PrefixedSource(Bytes prefix, ByteSource& rest) : prefix_(prefix), rest_(rest) {}
  Result<std::size_t> read(MutableBytes into) override;

 private:
  MemorySource prefix_;
  ByteSource& rest_;
};

class VectorSink final : public ByteSink {
 public:
  explicit VectorSink(std::vector<Byte>& to) : to_(to) {}
  Status write(Bytes bytes) override;

 private:
  std::vector<Byte>& to_;
};

}  // namespace presso
