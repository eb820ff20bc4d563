// SPDX-License-Identifier: MIT
// Sums of doubles of any size, exact: 128-bit integers times powers of two, and their quotient
// rounded once. SmallSums holds, for each group, the doubles that the unit of a fixed-point sum is
// too coarse for (double_sum_state.cpp): 128-bit sums in finer and finer units, of which those have
// memory that some value needs. Where values differ by less than about 2^50 that is none of them.
// Tested by tests/unit/query/group/ratio_test.cpp and grouping_test.cpp.
#pragma once

#include <array>
#include <vector>

#include "query/group/aggregate_state.h"

namespace presso::query::grouping {

/// Any sum of 2^42 doubles, in two's complement.
class LongSum {
 public:
  /// value * 2^exponent, whose bits are all doubles' bits or those of SmallSums.
  void add(Int128 value, int exponent);
  void add(double value);
  /// To nearest, ties to even.
  double divided_by(std::uint64_t divisor) const;

 private:
  static constexpr int kLeastExponent = -1300;
  static constexpr std::size_t kWords = 40;
  std::array<std::uint64_t, kWords> words_{};
};

class SmallSums {
 public:
  /// Values are below 2^(exponent + 52).
  explicit SmallSums(int exponent) : exponent_(exponent) {}

  bool any() const { return !levels_.empty(); }
  void extend(std::uint32_t groups);
  std::uint64_t growth_bytes(std::uint32_t groups) const;
  std::uint64_t bytes() const;
  void clear() { levels_.clear(); }
  void add(std::uint32_t group, double value);
  void begin_merge(const SmallSums& from);
  void merge(const SmallSums& from, const GroupList& groups, const std::uint32_t* ids);
  /// Whether the group's sum is not 0; then it is added to `sum`.
  bool add_to(LongSum& sum, std::uint32_t group) const;

 private:
  /// A level holds values of less than 2^(53 + kStep) units; 2^42 of them fit.
  static constexpr int kStep = 32;
  int unit_of(std::size_t level) const { return exponent_ - kStep * (static_cast<int>(level) + 1); }
  Column<Uint128>& level_at(std::size_t level);

  int exponent_;
  std::uint32_t groups_ = 0;
  std::vector<Column<Uint128>> levels_;  ///< unsigned: adds negative numbers modulo 2^128
};

}  // namespace presso::query::grouping
