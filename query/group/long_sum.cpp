// SPDX-License-Identifier: MIT
// Implements long_sum.h, exact sums of doubles of any size, with schoolbook arithmetic on words.
// LongSum runs once for each group that needs it, SmallSums for each value that is too small for
// the column's unit.
#include "query/group/long_sum.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "query/group/ratio.h"

namespace presso::query::grouping {

/// Negative values are added in two's complement, so carries run to the top.
void LongSum::add(Int128 value, int exponent) {
  const auto place = static_cast<unsigned>(exponent - kLeastExponent);
  const std::size_t first = place / 64;
  const unsigned shift = place % 64;
  const auto bits = static_cast<Uint128>(value);
  const std::uint64_t sign = value < 0 ? ~std::uint64_t{0} : 0;
  // The value's three words, then its sign in all words above.
  const Uint128 low = bits << shift;
  const std::uint64_t top =
      shift == 0 ? sign : static_cast<std::uint64_t>(bits >> 64) >> (64 - shift) | sign << shift;
  std::uint64_t carry = 0;
  for (std::size_t i = first; i < kWords; ++i) {
    const std::size_t word = i - first;
    const std::uint64_t more = word == 0   ? static_cast<std::uint64_t>(low)
                               : word == 1 ? static_cast<std::uint64_t>(low >> 64)
                               : word == 2 ? top
                                           : sign;
    const Uint128 total = Uint128{words_[i]} + more + carry;
    words_[i] = static_cast<std::uint64_t>(total);
    carry = static_cast<std::uint64_t>(total >> 64);
  }
}

/// frexp() and ldexp() split the double exactly.
void LongSum::add(double value) {
  int power = 0;
  const double fraction = std::frexp(value, &power);
  // A double that is smaller than normal ones has zeros in place of bits below 2^-1074.
  add(static_cast<Int128>(std::ldexp(fraction, 53)), power - 53);
}

/// Long division from the highest word; whether anything remains decides about ties.
/// The two leading words of the quotient and whether anything follows them are all that rounding
/// needs (ratio.h). Costs 40 divisions of 128 by 64 bits.
double LongSum::divided_by(std::uint64_t divisor) const {
  const bool negative = words_[kWords - 1] >> 63 != 0;
  std::array<std::uint64_t, kWords> words = words_;
  std::uint64_t carry = 1;
  for (std::uint64_t& word : words) {
    if (!negative) break;
    word = ~word + carry;
    carry = carry != 0 && word == 0 ? 1 : 0;
  }
  std::uint64_t rest = 0;
  for (std::size_t i = kWords; i-- > 0;) {
    const Uint128 dividend = (Uint128{rest} << 64) | words[i];
    words[i] = static_cast<std::uint64_t>(dividend / divisor);
    rest = static_cast<std::uint64_t>(dividend % divisor);
  }
  std::size_t top = kWords;
  while (top > 0 && words[top - 1] == 0) --top;
  if (top < 2) return 0;  // only 0 is so small
  const Uint128 leading = (Uint128{words[top - 1]} << 64) | words[top - 2];
  for (std::size_t i = 0; i + 2 < top; ++i) rest |= words[i];
  const double result =
      round_once(leading, rest != 0, kLeastExponent + 64 * (static_cast<int>(top) - 2));
  return negative ? -result : result;
}

/// Allocates a level at its first use.
Column<Uint128>& SmallSums::level_at(std::size_t level) {
  if (levels_.size() <= level) levels_.resize(level + 1);
  Column<Uint128>& sums = levels_[level];
  if (sums.empty()) sums.extend(groups_);
  return sums;
}

void SmallSums::extend(std::uint32_t groups) {
  groups_ = groups;
  for (Column<Uint128>& sums : levels_) {
    if (!sums.empty()) sums.extend(groups);
  }
}

std::uint64_t SmallSums::growth_bytes(std::uint32_t groups) const {
  std::uint64_t bytes = 0;
  for (const Column<Uint128>& sums : levels_) {
    bytes += sums.empty() ? 0 : sums.growth_bytes(groups);
  }
  return bytes;
}

std::uint64_t SmallSums::bytes() const {
  std::uint64_t bytes = 0;
  for (const Column<Uint128>& sums : levels_) bytes += sums.bytes();
  return bytes;
}

/// Chooses the first level whose unit divides the value exactly.
void SmallSums::add(std::uint32_t group, double value) {
  int power = 0;
  std::frexp(value, &power);
  // The first level whose unit all of the value's 53 bits are multiples of.
  const int below = exponent_ - (power - 53);
  const auto level = static_cast<std::size_t>(std::max(0, (below + kStep - 1) / kStep - 1));
  const auto units = static_cast<Int128>(std::ldexp(value, -unit_of(level)));
  level_at(level)[group] += static_cast<Uint128>(units);
}

/// Allocates here, so that merge() may run on several threads.
void SmallSums::begin_merge(const SmallSums& from) {
  for (std::size_t level = 0; level < from.levels_.size(); ++level) {
    if (!from.levels_[level].empty()) level_at(level);
  }
}

void SmallSums::merge(const SmallSums& from, const GroupList& groups, const std::uint32_t* ids) {
  for (std::size_t level = 0; level < from.levels_.size(); ++level) {
    const Column<Uint128>& sums = from.levels_[level];
    if (sums.empty()) continue;
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      levels_[level][ids[i]] += sums[groups.at[i]];
    }
  }
}

/// Returns whether the group had anything to add, that is, whether its sum needs a LongSum.
bool SmallSums::add_to(LongSum& sum, std::uint32_t group) const {
  bool any = false;
  for (std::size_t level = 0; level < levels_.size(); ++level) {
    if (levels_[level].empty() || levels_[level][group] == 0) continue;
    sum.add(static_cast<Int128>(levels_[level][group]), unit_of(level));
    any = true;
  }
  return any;
}

}  // namespace presso::query::grouping
