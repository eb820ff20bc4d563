// SPDX-License-Identifier: MIT
// Sums of groups in two widths. Values go to 64-bit sums, and a bound is kept of what those can
// have become; only if it would pass 2^63 they are emptied into 128-bit sums. The usual row thus
// costs one 64-bit addition without an overflow test. Used by integer_sum_state.cpp and
// double_sum_state.cpp. Tested by tests/unit/query/group/grouping_test.cpp.
#pragma once

#include <algorithm>

#include "format/cpu_loops.h"
#include "query/group/aggregate_state.h"

namespace presso::query::grouping {

/// Sums of a smaller magnitude fit 64 bits with their sign.
inline constexpr Uint128 kNarrowLimit = Uint128{1} << 63;

/// Adds as unsigned numbers do; overflow of signed ones would be undefined.
inline std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// 64-bit sums and a bound of their absolute values.
/// Example: after 1,000 rows of values below 2^20 the bound is 1,000 * 2^20, far below 2^63; it
/// takes 2^43 such rows before the sums must be emptied, whatever the groups are.
class NarrowSums {
 public:
  void extend(std::uint32_t groups) { sums_.extend(groups); }
  void clear() {
    sums_.clear();
    bound_ = 0;
    is_full_ = false;
  }
  std::uint64_t bytes() const { return sums_.bytes(); }
  std::uint64_t growth_bytes(std::uint32_t groups) const { return sums_.growth_bytes(groups); }
  std::int64_t operator[](std::size_t group) const { return sums_[group]; }
  std::uint32_t groups() const { return static_cast<std::uint32_t>(sums_.size()); }
  Uint128 bound() const { return bound_; }

  /// Whether sums cannot overflow if `more` is added to a group.
  bool has_room(Uint128 more) const { return bound_ + more < kNarrowLimit; }
  /// Replaces the bound by the real one; costs a pass over all groups.
  void tighten() { bound_ = loops_for<Kernels>().magnitude(sums_.data(), groups()); }
  void reset() {
    std::fill_n(sums_.data(), sums_.size(), 0);
    bound_ = 0;
    is_full_ = false;
  }

  /// Adds rows; `more` is a bound of what one group gains. Chooses the loop by the number of groups
  /// and runs.
  void add(const GroupedRows& rows, const std::int64_t* values, Uint128 more) {
    bound_ += more;
    if (rows.groups == 1) {
      sums_[0] = wrapping_sum(sums_[0], loops_for<Kernels>().sum(values, rows.count));
    } else if (rows.runs == 0 && rows.groups <= kFewGroups) {
      loops_for<Kernels>().sum_few(rows.row_ids(), values, rows.count, rows.groups, sums_.data());
    } else if (rows.runs != 0) {
      Int64Batch of_runs;
      loops_for<Kernels>().sum_runs(values, rows.run_ends, rows.runs, of_runs.data());
      add_each(rows.run_ids, of_runs.data(), rows.runs);
    } else {
      add_each(rows.row_ids(), values, rows.count);
    }
  }
  void prefetch(std::uint32_t first, std::uint32_t count) const { sums_.prefetch(first, count); }
  /// Merges of several others may begin before the first of them is done, so the sums tell nothing
  /// yet of what they will become. Once there is no room for another one, is_full() says so, and
  /// all of them are to be merged by WideSums::merge().
  void begin_merge(const NarrowSums& from) {
    if (is_full_ || !has_room(from.bound_)) {
      is_full_ = true;
    } else {
      bound_ += from.bound_;
    }
  }
  bool is_full() const { return is_full_; }
  void merge(const NarrowSums& from, const GroupList& groups, const std::uint32_t* ids) {
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      sums_[ids[i]] = wrapping_sum(sums_[ids[i]], from.sums_[groups.at[i]]);
    }
  }

 private:
  void add_each(const std::uint32_t* ids, const std::int64_t* values, std::uint32_t count) {
    std::int64_t* const sums = sums_.data();
    for (std::uint32_t i = 0; i < count; ++i) sums[ids[i]] = wrapping_sum(sums[ids[i]], values[i]);
  }

  Column<std::int64_t> sums_;
  Uint128 bound_ = 0;
  bool is_full_ = false;
};

/// 128-bit sums, which take no memory until they are needed.
class WideSums {
 public:
  void extend(std::uint32_t groups) {
    groups_ = groups;
    if (!sums_.empty()) sums_.extend(groups);
  }
  void clear() { sums_.clear(); }
  std::uint64_t bytes() const { return sums_.bytes(); }
  std::uint64_t growth_bytes(std::uint32_t groups) const {
    return sums_.empty() ? 0 : sums_.growth_bytes(groups);
  }
  bool any() const { return !sums_.empty(); }
  Int128 of(std::uint32_t group) const {
    return sums_.empty() ? 0 : static_cast<Int128>(sums_[group]);
  }

  /// Adds narrow * 2^shift to these sums and sets the narrow ones to 0.
  void take(NarrowSums& narrow, unsigned shift) {
    make();
    for (std::uint32_t i = 0; i < groups_; ++i) {
      sums_[i] += static_cast<Uint128>(Int128{narrow[i]}) << shift;
    }
    narrow.reset();
  }
  void add(const GroupedRows& rows, const std::int64_t* values) {
    make();
    const std::uint32_t* ids = rows.row_ids();
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      sums_[ids[i]] += static_cast<Uint128>(Int128{values[i]});
    }
  }
  void begin_merge(const WideSums& from) {
    if (from.any()) make();
  }
  void merge(const WideSums& from, const GroupList& groups, const std::uint32_t* ids) {
    if (!from.any()) return;
    for (std::uint32_t i = 0; i < groups.count; ++i) sums_[ids[i]] += from.sums_[groups.at[i]];
  }
  /// Allocates here, so that several threads may merge narrow sums.
  void begin_merge_of_narrow() { make(); }
  /// Merges narrow sums times 2^shift.
  void merge(const NarrowSums& from, unsigned shift, const GroupList& groups,
             const std::uint32_t* ids) {
    for (std::uint32_t i = 0; i < groups.count; ++i) {
      sums_[ids[i]] += static_cast<Uint128>(Int128{from[groups.at[i]]}) << shift;
    }
  }

 private:
  void make() {
    if (sums_.empty()) sums_.extend(groups_);
  }

  std::uint32_t groups_ = 0;
  Column<Uint128> sums_;  // unsigned: wraps where a caller's promises do not hold
};

}  // namespace presso::query::grouping
