// SPDX-License-Identifier: MIT
// Implements join_scratch.h, the temporary memory of one join, which comes from the memory of the
// JoinWorkplace and goes back to it.
#include "query/gpu/join/join_scratch.h"

#include <algorithm>
#include <cstring>

namespace presso::gpu {

/// The pinned memory for results that are read back is the only thing a join needs always.
Status JoinScratch::begin() {
  PRESSO_ASSIGN(back_, place_.memory().allocate_pinned(kBackBytes));
  is_enqueued_ = true;
  return {};
}

/// Waits for the stream. After it the destructor may free memory at once; before, it must wait.
Status JoinScratch::finish() {
  PRESSO_TRY(place_.device().wait(stream_));
  is_enqueued_ = false;
  return {};
}

/// The memory lives as long as the scratch.
Result<Byte*> JoinScratch::allocate(std::uint64_t bytes, const std::string& what) {
  PRESSO_ASSIGN(DeviceMemory memory, allocate_for(bytes, what));
  held_.push_back(std::move(memory));
  return held_.back().get();
}

/// An error for lack of memory says how much was wanted, and what for.
/// The memory belongs to the caller and may outlive the scratch. At least one byte is allocated, so
/// that no pointer is null.
Result<DeviceMemory> JoinScratch::allocate_for(std::uint64_t bytes, const std::string& what) {
  auto memory = place_.memory().allocate(std::max<std::uint64_t>(bytes, 1));
  if (memory.ok() || !is_out_of_memory(memory.error())) return memory;
  Error error = memory.error();
  error.what = grouped(bytes) + " bytes for " + what + ": " + error.what;
  return error;
}

/// Through pinned memory, as only that is copied without another copy by the driver. Waits.
Status JoinScratch::read_back(void* to, const void* d_from, std::size_t bytes) {
  PRESSO_TRY(
      place_.device().copy_out(back_.get(), static_cast<const Byte*>(d_from), bytes, stream_));
  PRESSO_TRY(place_.device().wait(stream_));
  std::memcpy(to, back_.get(), bytes);
  return {};
}

}  // namespace presso::gpu
