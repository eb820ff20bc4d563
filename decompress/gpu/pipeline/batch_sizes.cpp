// SPDX-License-Identifier: MIT
// BatchSizes: the growing sizes at the beginning and the shrinking ones at the end.
#include "decompress/gpu/pipeline/batch_sizes.h"

#include <algorithm>

namespace presso::gpu {
namespace {

constexpr std::uint64_t kShareOfFirst = 8;
/// Smaller batches cost more by themselves than the pipeline gains.
constexpr std::uint64_t kSmallestFirst = 1u << 20;

}  // namespace

BatchSizes BatchSizes::of_slots(std::uint64_t slot_plain_bytes, std::uint64_t expected,
                                bool all_alike) {
  const std::uint64_t share = all_alike ? slot_plain_bytes : slot_plain_bytes / kShareOfFirst;
  return {std::min(std::max(share, kSmallestFirst), slot_plain_bytes), slot_plain_bytes, expected};
}

std::uint64_t BatchSizes::next() const {
  if (left_ == 0) return grown_;
  const std::uint64_t share = left_ < 2 * first_ ? left_ : left_ / 2;
  return std::min(grown_, std::max(share, first_));
}

void BatchSizes::took(std::uint64_t plain_bytes) {
  left_ -= std::min(left_, plain_bytes);
  grown_ = std::min(2 * grown_, most_);
}

}  // namespace presso::gpu
