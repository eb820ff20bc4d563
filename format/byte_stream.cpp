// SPDX-License-Identifier: MIT
// Sources and sinks over files and memory, and the buffers that carry bytes between them
// (presso/byte_stream.h has the contracts). System calls are repeated on EINTR and
// on partial transfers; other failures become errors with errno's text. Nothing here locks
// except BufferPool.
// Tested by tests/unit/format/byte_stream_test.cpp.
#include "presso/byte_stream.h"

#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace presso {

namespace {

/// Asks for 2 MiB pages, which save TLB misses in large buffers. It is only advice: where the
/// system does not take it, nothing changes.
void advise_large_pages(MutableBytes memory) {
#ifdef MADV_HUGEPAGE
  constexpr std::uintptr_t kPage = 4096;
  constexpr std::size_t kLeast = 4u << 20;  // smaller ones share pages with other memory
  if (memory.size() < kLeast) return;
  const auto begin = round_up(reinterpret_cast<std::uintptr_t>(memory.data()), kPage);
  const auto end = reinterpret_cast<std::uintptr_t>(memory.data()) + memory.size();
  if (end > begin)
    static_cast<void>(madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE));
#else
  static_cast<void>(memory);
#endif
}

}  // namespace

// New memory is not cleared, except for the slack.
void Buffer::resize_discarding(std::size_t size) {
  if (size > capacity_ || data_ == nullptr) {
    data_ = std::make_unique_for_overwrite<Byte[]>(size + kSlack);
    capacity_ = size;
    if (large_pages_) advise_large_pages({data_.get(), size + kSlack});
    std::fill_n(data_.get() + size, kSlack, Byte{0});
  }
  size_ = size;
}

/// Keeps contents. Capacity at least doubles, so that appending costs amortised constant time a
/// byte.
void Buffer::grow(std::size_t size) {
  if (size > capacity_ || data_ == nullptr) {
    Buffer larger;
    larger.large_pages_ = large_pages_;
    larger.resize_discarding(std::max(size, 2 * capacity_));
    std::copy_n(data_.get(), size_, larger.data());
    *this = std::move(larger);
  }
  size_ = size;
}

void Buffer::append(Bytes bytes) {
  const std::size_t old = size_;
  grow(old + bytes.size());
  std::copy(bytes.begin(), bytes.end(), data_.get() + old);
}

Buffer BufferPool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) return {};
  Buffer buffer = std::move(free_.back());
  free_.pop_back();
  return buffer;
}

void BufferPool::give_back(Buffer buffer) {
  const std::lock_guard lock(mutex_);
  free_.push_back(std::move(buffer));
}

Result<std::size_t> read_fully(ByteSource& source, MutableBytes into) {
  std::size_t done = 0;
  while (done < into.size()) {
    PRESSO_ASSIGN(const std::size_t got, source.read(into.subspan(done)));
    if (got == 0) break;
    done += got;
  }
  return done;
}

Result<std::size_t> FdSource::read(MutableBytes into) {
  for (;;) {
    const ssize_t got = ::read(fd_, into.data(), into.size());
    if (got >= 0) return static_cast<std::size_t>(got);
    if (errno != EINTR) return errno_error("read", errno);
  }
}

/// pread() does not move the descriptor's position, so several threads may read at once.
Status FdRandomAccess::read_at(std::uint64_t offset, MutableBytes into) const {
  while (!into.empty()) {
    const ssize_t got = ::pread(fd_, into.data(), into.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno_error("read", errno);
    if (got == 0) return make_error(ErrorCode::kTruncated, "file ends early");
    into = into.subspan(static_cast<std::size_t>(got));
    offset += static_cast<std::uint64_t>(got);
  }
  return {};
}

Status FdSink::write(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t put = ::write(fd_, bytes.data(), bytes.size());
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno_error("write", errno);
    bytes = bytes.subspan(static_cast<std::size_t>(put));
  }
  return {};
}

Result<std::size_t> MemorySource::read(MutableBytes into) {
  const std::size_t count = std::min(into.size(), rest_.size());
  std::copy_n(rest_.begin(), count, into.begin());
  rest_ = rest_.subspan(count);
  return count;
}

Status MemoryRandomAccess::read_at(std::uint64_t offset, MutableBytes into) const {
  if (offset > bytes_.size() || into.size() > bytes_.size() - offset) {
    return make_error(ErrorCode::kTruncated, "file ends early");
  }
  std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset), into.size(), into.begin());
  return {};
}

Result<std::size_t> RangeSource::read(MutableBytes into) {
  const std::size_t count =
      static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), end_ - at_));
  PRESSO_TRY(file_.read_at(at_, into.first(count)));
  at_ += count;
  return count;
}

Result<std::size_t> PrefixedSource::read(MutableBytes into) {
  PRESSO_ASSIGN(const std::size_t got, prefix_.read(into));
  return got > 0 ? Result<std::size_t>(got) : rest_.read(into);
}

Status VectorSink::write(Bytes bytes) {
  to_.insert(to_.end(), bytes.begin(), bytes.end());
  return {};
}

}  // namespace presso
