// SPDX-License-Identifier: MIT
// Sums of doubles of any size, exact. LongSum is a superaccumulator: an integer wide enough for
// every bit that a double can have (Kulisch 1971), used only at the end. SmallSums holds, for each
// group, doubles that the unit of a fixed-point sum is too coarse for (double_sum_state.cpp):
// 128-bit sums in ever finer units, which take memory only where some value needs them. If values
// differ by a factor of less than about 2^50, none does. Tested by
// tests/unit/query/group/ratio_test.cpp and grouping_test.cpp.
#pragma once

#include <array>
#include <vector>

#include "query/group/aggregate_state.h"

namespace presso::query::grouping {

/// Holds any sum of 2^42 doubles, as 2,560 bits in two's complement.
class LongSum {
 public:
  /// Adds value * 2^exponent. No bit of it may be below 2^kLeastExponent; those of doubles and of
  /// all levels of SmallSums are not.
  void add(Int128 value, int exponent);
  void add(double value);
  /// Returns the sum divided by `divisor`, rounded to nearest, ties to even.
  double divided_by(std::uint64_t divisor) const;

 private:
  static constexpr int kLeastExponent = -1300;
  static constexpr std::size_t kWords = 40;
  std::array<std::uint64_t, kWords> words_{};
};

/// Levels of sums, each with a unit 2^32 times finer than the one before.
class SmallSums {
 public:
  /// Values will be below 2^(exponent + 52).
  explicit SmallSums(int exponent) : exponent_(exponent) {}

  bool any() const { return !levels_.empty(); }
  void extend(std::uint32_t groups);
  std::uint64_t growth_bytes(std::uint32_t groups) const;
  std::uint64_t bytes() const;
  void clear() { levels_.clear(); }
  void add(std::uint32_t group, double value);
  void begin_merge(const SmallSums& from);
  void merge(const SmallSums& from, const GroupList& groups, const std::uint32_t* ids);
  /// Adds the group's sum to `sum`; returns whether it is not 0.
  bool add_to(LongSum& sum, std::uint32_t group) const;

 private:
  /// Bits between units. A level holds values of less than 2^(53 + kStep) units, so 2^42 of them
  /// fit.
  static constexpr int kStep = 32;
  int unit_of(std::size_t level) const { return exponent_ - kStep * (static_cast<int>(level) + 1); }
  Column<Uint128>& level_at(std::size_t level);

  int exponent_;
  std::uint32_t groups_ = 0;
  std::vector<Column<Uint128>> levels_;  ///< unsigned: negative numbers are added modulo 2^128
};

}  // namespace presso::query::grouping
