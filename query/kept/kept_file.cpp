// SPDX-License-Identifier: MIT
// Bytes in memory and then in a file.
#include "query/kept/kept_file.h"

#include <algorithm>
#include <cstring>

namespace presso::query {

KeptFile::KeptFile(std::uint64_t memory_bytes, std::string temporary_directory)
    : limit_(memory_bytes), directory_(std::move(temporary_directory)) {}

Status KeptFile::write(Bytes bytes) {
  const auto held = static_cast<std::size_t>(
      file_ ? 0 : std::min<std::uint64_t>(bytes.size(), limit_ - memory_size_));
  PRESSO_TRY(without_bad_alloc([&] {
    write_memory(bytes.first(held));
    return Status();
  }));
  if (held == bytes.size()) return {};
  if (!file_) {
    PRESSO_ASSIGN(TemporaryFile made, TemporaryFile::create(directory_));
    file_.emplace(std::move(made));
  }
  return file_->append(bytes.subspan(held));
}

void KeptFile::write_memory(Bytes bytes) {
  while (!bytes.empty()) {
    const auto at = static_cast<std::size_t>(memory_size_ % kChunkBytes);
    if (at == 0) chunks_.push_back(std::make_unique_for_overwrite<Byte[]>(kChunkBytes));
    const std::size_t count = std::min(bytes.size(), kChunkBytes - at);
    std::memcpy(chunks_.back().get() + at, bytes.data(), count);
    memory_size_ += count;
    bytes = bytes.subspan(count);
  }
}

void KeptFile::read_memory(std::uint64_t offset, MutableBytes into) const {
  while (!into.empty()) {
    const auto at = static_cast<std::size_t>(offset % kChunkBytes);
    const std::size_t count = std::min(into.size(), kChunkBytes - at);
    std::memcpy(into.data(), chunks_[static_cast<std::size_t>(offset / kChunkBytes)].get() + at,
                count);
    offset += count;
    into = into.subspan(count);
  }
}

Status KeptFile::read_at(std::uint64_t offset, MutableBytes into) const {
  if (offset > size() || into.size() > size() - offset) return make_error(ErrorCode::kTruncated);
  if (offset < memory_size_) {
    const auto held =
        static_cast<std::size_t>(std::min<std::uint64_t>(into.size(), memory_size_ - offset));
    read_memory(offset, into.first(held));
    offset += held;
    into = into.subspan(held);
  }
  return into.empty() ? Status() : file_->read_at(offset - memory_size_, into);
}

}  // namespace presso::query
