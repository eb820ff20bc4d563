// SPDX-License-Identifier: MIT
// Everything that is known of some groups besides their keys: how many rows they have, the first of
// them, and the state of each aggregate. Groups are numbers.
// Tested by tests/unit/scan/group/grouping_test.cpp.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "scan/group/aggregate_state.h"

namespace presso::query::grouping {

inline std::uint64_t row_number(const RowNumbers& rows, std::uint32_t i) {
  return rows.base + (rows.rows != nullptr ? rows.rows[i] : i);
}

/// Whether rows come after all rows that came before, so that only groups without a row get a
/// first one.
enum class RowOrder { kAfterAll, kAny };

class GroupStates {
 public:
  explicit GroupStates(std::span<const AggregateSpec> aggregates);

  std::uint32_t groups() const { return groups_; }
  std::uint64_t bytes() const;
  /// What extend(groups) is going to allocate.
  std::uint64_t growth_bytes(std::uint32_t groups) const;
  /// New groups have no row. Throws std::bad_alloc, as everything here that adds.
  void extend(std::uint32_t groups);
  /// Keeps the memory.
  void clear();

  /// `numbers`: of the rows, which may be the first ones of their groups.
  Status add(const GroupedRows& rows, std::span<const VectorView> arguments,
             const RowNumbers& numbers, RowOrder order);

  void prepare_merge();
  void begin_merge(const GroupStates& from);
  bool merges_in_parallel() const;
  void merge(const GroupStates& from, const GroupList& groups, const std::uint32_t* ids);

  bool has_rows(std::uint32_t group) const { return row_counts_[group] != 0; }
  void get_row_counts(const GroupList& groups, std::uint64_t* out) const;
  void get_first_rows(const GroupList& groups, std::uint64_t* out) const {
    for (std::uint32_t i = 0; i < groups.count; ++i) out[i] = first_rows_[groups.at[i]];
  }
  bool has_nulls(std::size_t aggregate) const { return aggregates_[aggregate]->has_nulls(); }
  std::shared_ptr<const StringArena> strings(std::size_t aggregate) const {
    return aggregates_[aggregate]->strings();
  }
  /// `row_counts`: as get_row_counts() gives them.
  Status write(std::size_t aggregate, const GroupList& groups, const std::uint64_t* row_counts,
               const std::uint64_t* to, const ResultColumn& out) const {
    return aggregates_[aggregate]->write(groups, row_counts, to, out);
  }

 private:
  void count(const GroupedRows& rows, const RowNumbers& numbers);
  void make_room_for_rows(std::uint64_t rows);
  void lower_first_rows(const GroupedRows& rows, const RowNumbers& numbers);

  std::uint32_t groups_ = 0;
  /// Small, as every row reaches into them; before they can overflow, all but 1 of each is moved to
  /// the others, which have no memory until then.
  Column<std::uint32_t> row_counts_;
  Column<std::uint64_t> more_row_counts_;
  std::uint64_t most_counted_ = 0;    ///< no element of row_counts_ is greater
  Column<std::uint64_t> first_rows_;  ///< anything for groups without rows
  std::vector<std::unique_ptr<AggregateState>> aggregates_;
};

/// The form of an aggregate's values.
Physical result_of(const AggregateSpec& spec);

}  // namespace presso::query::grouping
