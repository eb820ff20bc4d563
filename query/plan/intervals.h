// SPDX-License-Identifier: MIT
// Sets of column values, as intervals of their zone images: unsigned integers whose order is that
// of the values (FORMAT.md 15.4). All comparisons of one column with literals become one such set
// (S4.10), whatever AND, OR and NOT stood between them, and zones (the least and greatest value of
// a slice) are compared with the set to skip slices (S1.1). NULL is in no set. Values are
// immutable. Tested by tests/unit/query/plan/intervals_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

namespace presso::query {

/// All integers from `least` to `most`.
struct Interval {
  std::uint64_t least = 0;
  std::uint64_t most = 0;  ///< included
  friend bool operator==(const Interval&, const Interval&) = default;
};

/// Invariant: intervals are in ascending order, disjoint, and not adjacent.
class IntervalSet {
 public:
  static IntervalSet all() { return IntervalSet({{0, ~std::uint64_t{0}}}); }
  static IntervalSet none() { return IntervalSet({}); }
  /// The set [least, most]; empty if least > most.
  static IntervalSet between(std::uint64_t least, std::uint64_t most);

  const std::vector<Interval>& intervals() const { return intervals_; }
  bool empty() const { return intervals_.empty(); }
  bool is_all() const { return *this == all(); }
  /// meets(): whether the set contains any number of [least, most]. covers(): whether it contains
  /// all.
  bool meets(std::uint64_t least, std::uint64_t most) const;
  bool covers(std::uint64_t least, std::uint64_t most) const;

  IntervalSet complement() const;
  IntervalSet intersection(const IntervalSet& other) const;
  IntervalSet union_with(const IntervalSet& other) const;

  friend bool operator==(const IntervalSet&, const IntervalSet&) = default;

 private:
  explicit IntervalSet(std::vector<Interval> intervals) : intervals_(std::move(intervals)) {}
  std::vector<Interval> intervals_;
};

}  // namespace presso::query
