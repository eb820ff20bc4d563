// SPDX-License-Identifier: MIT
#include "scan/gpu/table/run_space.h"

#include <cstring>

namespace presso::gpu {

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
