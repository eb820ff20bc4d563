// SPDX-License-Identifier: MIT
// Set operations on sorted, disjoint intervals of unsigned 64-bit integers, both ends included.
// Sets are small (kMostIntervals), so that the quadratic intersection is cheap.
#include "query/plan/intervals.h"

#include <algorithm>

namespace presso::query {

/// The greatest image; one past it would overflow.
constexpr std::uint64_t kGreatest = ~std::uint64_t{0};

IntervalSet IntervalSet::between(std::uint64_t least, std::uint64_t most) {
  return least > most ? none() : IntervalSet({{least, most}});
}

bool IntervalSet::meets(std::uint64_t least, std::uint64_t most) const {
  return std::any_of(intervals_.begin(), intervals_.end(), [=](const Interval& interval) {
    return interval.least <= most && interval.most >= least;
  });
}

bool IntervalSet::covers(std::uint64_t least, std::uint64_t most) const {
  return std::any_of(intervals_.begin(), intervals_.end(), [=](const Interval& interval) {
    return interval.least <= least && interval.most >= most;
  });
}

IntervalSet IntervalSet::complement() const {
  std::vector<Interval> rest;
  std::uint64_t begin = 0;
  bool open = true;  // whether numbers from `begin` on are still to be covered
  for (const Interval& interval : intervals_) {
    if (interval.least > begin) rest.push_back({begin, interval.least - 1});
    open = interval.most != kGreatest;
    begin = interval.most + 1;
  }
  if (open) rest.push_back({begin, kGreatest});
  return IntervalSet(std::move(rest));
}

IntervalSet IntervalSet::intersection(const IntervalSet& other) const {
  std::vector<Interval> common;
  for (const Interval& a : intervals_) {
    for (const Interval& b : other.intervals_) {
      const Interval both = {std::max(a.least, b.least), std::min(a.most, b.most)};
      if (both.least <= both.most) common.push_back(both);
    }
  }
  return IntervalSet(std::move(common));
}

/// By De Morgan's law: the complement of the intersection of the complements.
IntervalSet IntervalSet::union_with(const IntervalSet& other) const {
  return complement().intersection(other.complement()).complement();
}

}  // namespace presso::query
