// SPDX-License-Identifier: MIT
#include "scan/gpu/join/lookup.h"

#include "scan/gpu/join/join_sizes.h"

namespace presso::gpu {
namespace {

/// What stays in the level 2 cache. Keys that are asked for are often clustered (those of orders in
/// the lines of orders): of an array neighbours are read together, of a table never. An array of
/// 24 MB for 300,000 of 1,500,000 such keys is asked 90 G times a second, the table 24 (H100).
constexpr std::uint64_t kCachedBytes = std::uint64_t{1} << 25;

}  // namespace

LookupPlan::LookupPlan(std::uint64_t rows, const std::optional<Range>& range) {
  units_ = units_of(rows, sizeof(std::uint64_t));
  bytes_ = key_table_bytes(rows, sizeof(std::uint64_t));
  if (!range || range->most - range->least >= kNoRow - 1) return;
  const std::uint64_t places = range->most - range->least + 1;
  const std::uint64_t array_bytes = places * sizeof(std::uint32_t);
  if (array_bytes > kCachedBytes && array_bytes > bytes_) return;
  places_ = places;
  least_ = range->least;
  bytes_ = array_bytes;
}

Lookup LookupPlan::at(void* memory) const {
  Lookup lookup;
  if (is_array()) {
    lookup.places = static_cast<std::uint32_t*>(memory);
    lookup.least = least_;
    lookup.last = places_ - 1;
  } else {
    lookup.units = memory;
    lookup.unit_count = static_cast<std::uint32_t>(units_);
  }
  return lookup;
}

}  // namespace presso::gpu
