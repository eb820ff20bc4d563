// SPDX-License-Identifier: MIT
// Implements lookup.h: how build rows are found by kernels that look keys up among other work. It
// chooses between an array over the range of keys and a table, and says how much memory that takes.
#include "query/gpu/join/lookup.h"

#include "query/gpu/join/join_sizes.h"

namespace presso::gpu {
namespace {

/// The most bytes of an array that stay in the L2 cache. Keys that are looked up are often
/// clustered (those of orders in the lines of orders): neighbours are read together from an array,
/// never from a table. An array of 24 MB for 300,000 of 1,500,000 such keys gives 90 G look-ups a
/// second, the table 24 (H100).
constexpr std::uint64_t kCachedLookupBytes = std::uint64_t{1} << 25;

/// Bits in a word of marks.
constexpr std::uint64_t kWordBits = 32;  // allow(bare-32): of a word

}  // namespace

bool LookupPlan::may_be_array(const std::optional<Range>& range) {
  return range && range->most - range->least < kNoRow - 1;
}

/// An array is used if it stays in the cache, or takes no more memory than the table.
LookupPlan::LookupPlan(std::uint64_t rows, const std::optional<Range>& range,
                       std::optional<LookupForm> form) {
  if (form == LookupForm::kAscending) {
    form_ = LookupForm::kAscending;
    units_ = rows;
    bytes_ = rows * (sizeof(std::uint64_t) + sizeof(std::uint32_t));
    return;
  }
  units_ = units_of(rows, sizeof(std::uint64_t));
  bytes_ = key_table_bytes(rows, sizeof(std::uint64_t));
  if (form == LookupForm::kTable || !may_be_array(range)) return;
  const std::uint64_t places = range->most - range->least + 1;
  const std::uint64_t array_bytes = places * sizeof(std::uint32_t);
  if (!form && array_bytes > kCachedLookupBytes && array_bytes > bytes_) return;
  form_ = LookupForm::kArray;
  places_ = places;
  least_ = range->least;
  bytes_ = array_bytes;
}

/// Ascending keys are followed by their rows.
Lookup LookupPlan::at(void* memory) const {
  Lookup lookup;
  lookup.form = form_;
  if (form_ == LookupForm::kArray) {
    lookup.places = static_cast<std::uint32_t*>(memory);
    lookup.least = least_;
    lookup.last = places_ - 1;
  } else {
    lookup.units = memory;
    lookup.unit_count = static_cast<std::uint32_t>(units_);
  }
  if (form_ == LookupForm::kAscending) {
    lookup.places = reinterpret_cast<std::uint32_t*>(static_cast<std::uint64_t*>(memory) + units_);
  }
  return lookup;
}

std::uint64_t ordering_bytes(std::uint64_t most_numbers) {
  const std::uint64_t tiles = tiles_of(most_numbers / kWordBits + 1);
  return tiles * kTileRows * 2 * sizeof(std::uint32_t) + (tiles + 1) * sizeof(std::uint64_t);
}

}  // namespace presso::gpu
