// SPDX-License-Identifier: MIT
// Implements run_space.h: copies between pageable host memory and the device through pieces of
// pinned memory, and runs work on the queue's threads, or on the caller's where there is no queue.
#include "query/gpu/table/run_space.h"

#include <cstring>

namespace presso::gpu {

Status RunSpace::for_each(std::size_t count, const std::function<Status(std::size_t)>& work) const {
  if (queue == nullptr || count < 2) {
    for (std::size_t i = 0; i < count; ++i) PRESSO_TRY(work(i));
    return {};
  }
  std::vector<Status> done(count);
  Tasks tasks(count, [&](std::size_t i) { done[i] = without_bad_alloc([&] { return work(i); }); });
  queue->add_first(tasks);
  queue->finish(tasks);
  for (Status& one : done) PRESSO_TRY(std::move(one));
  return {};
}

Status RunSpace::copy_there(void* to, const void* from, std::uint64_t bytes) const {
  const std::uint64_t most = pinned.usual_bytes();
  for (std::uint64_t at = 0; at < bytes; at += most) {
    const auto count = static_cast<std::size_t>(std::min(bytes - at, most));
    PRESSO_ASSIGN(Byte* const piece, pinned.piece(0, count));
    std::memcpy(piece, static_cast<const Byte*>(from) + at, count);
    PRESSO_TRY(device().copy_in(static_cast<Byte*>(to) + at, piece, count, stream));
    PRESSO_TRY(device().wait(stream));
  }
  return {};
}

Status RunSpace::copy_there(void* to, std::span<const Bytes> pieces,
                            std::uint64_t alignment) const {
  const auto aligned = [=](std::uint64_t bytes) {
    return (bytes + alignment - 1) / alignment * alignment;
  };
  std::uint64_t all = 0;
  for (const Bytes piece : pieces) all += aligned(piece.size());
  if (all == 0) return {};
  const std::uint64_t most = std::min(all, pinned.usual_bytes() / alignment * alignment);
  PRESSO_ASSIGN(Byte* const here, pinned.piece(0, most));
  auto* there = static_cast<Byte*>(to);
  std::uint64_t filled = 0;
  const auto send = [&]() -> Status {
    PRESSO_TRY(device().copy_in(there, here, static_cast<std::size_t>(filled), stream));
    PRESSO_TRY(device().wait(stream));
    there += filled;
    filled = 0;
    return {};
  };
  for (Bytes rest : pieces) {
    while (!rest.empty()) {
      if (filled == most) PRESSO_TRY(send());
      const auto count =
          static_cast<std::size_t>(std::min<std::uint64_t>(rest.size(), most - filled));
      std::memcpy(here + filled, rest.data(), count);
      filled += aligned(count);
      rest = rest.subspan(count);
    }
  }
  return send();
}

Status RunSpace::copy_there(Byte* to, const Upload& upload) const {
  const auto bytes = static_cast<std::size_t>(upload.bytes());
  if (bytes > pinned.usual_bytes()) {
    std::vector<Byte> image(bytes);
    upload.write(image.data());
    return copy_there(to, image.data(), bytes);
  }
  PRESSO_ASSIGN(Byte* const piece, pinned.piece(0, bytes));
  upload.write(piece);
  PRESSO_TRY(device().copy_in(to, piece, bytes, stream));
  return device().wait(stream);
}

Status RunSpace::copy_back(void* to, const void* from, std::uint64_t bytes) const {
  const std::uint64_t most = pinned.usual_bytes();
  for (std::uint64_t at = 0; at < bytes; at += most) {
    const auto count = static_cast<std::size_t>(std::min(bytes - at, most));
    PRESSO_ASSIGN(Byte* const piece, pinned.piece(0, count));
    PRESSO_TRY(device().copy_out(piece, static_cast<const Byte*>(from) + at, count, stream));
    PRESSO_TRY(device().wait(stream));
    std::memcpy(static_cast<Byte*>(to) + at, piece, count);
  }
  return {};
}

}  // namespace presso::gpu
