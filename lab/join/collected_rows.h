// SPDX-License-Identifier: MIT
// Rows of a key that do not lie side by side in a table, put together for a Found. A key that is
// looked up more than once in one call is put together once, so that they are never more than the
// build side has.
// Tested by lab/tests/lab_join_table_test.cpp.
#pragma once

#include "lab/join/lab_join_table.h"
#include "query/values/hash.h"

namespace presso::query::join::lab {

/// Tables of chains are limited to fewer rows than this, so that 32 bits can number what is
/// collected.
constexpr std::uint64_t kMostChainedRows = std::uint64_t{1} << 31;

/// Refuses larger build sides with kInvalidArgument.
inline Status check_chained_rows(const JoinKeyFacts& facts) {
  if (facts.rows < kMostChainedRows) return {};
  return make_error(ErrorCode::kInvalidArgument,
                    "a join by chains of rows is for less than 2^31 rows");
}

/// Collects for one call of find(). The memory is that of the Found, and is used again by the next
/// call. A small hash table in Found::numbers, of three words a slot, leads from the first row of a
/// key (plus 1) to where its rows begin and end in Found::collected.
class CollectedRows {
 public:
  /// `found`: a LabFound.
  CollectedRows(Found& found, std::size_t keys)
      : found_(static_cast<LabFound&>(found)), bits_(bits_for(2 * keys + 2)) {
    found_.collected.clear();
  }

  /// For a key with a single row, which needs no entry in the hash table.
  void add_one(std::uint32_t row, std::uint32_t& first, std::uint32_t& count) {
    first = static_cast<std::uint32_t>(found_.collected.size());
    count = 1;
    found_.collected.push_back(row);
  }
  /// For a key whose first row is `head`: append(rows) is called, unless this key was collected
  /// before, and must add all rows of the key to the vector. `first` and `count` are set for the
  /// Found.
  template <class Append>
  void add(std::uint32_t head, Append&& append, std::uint32_t& first, std::uint32_t& count) {
    if (!used_) found_.numbers.assign(std::size_t{3} << bits_, 0);
    used_ = true;
    const std::size_t mask = (std::size_t{1} << bits_) - 1;
    std::size_t at = static_cast<std::uint32_t>(hash_word(head)) & mask;
    while (slot(at)[0] != 0 && slot(at)[0] != head + 1) at = (at + 1) & mask;
    if (slot(at)[0] == 0) {
      slot(at)[0] = head + 1;
      slot(at)[1] = static_cast<std::uint32_t>(found_.collected.size());
      append(found_.collected);
      slot(at)[2] = static_cast<std::uint32_t>(found_.collected.size());
    }
    first = slot(at)[1];
    count = slot(at)[2] - first;
  }
  /// Called after the last key: Found::rows points to what was collected.
  void finish() { found_.rows = found_.collected.data(); }

 private:
  /// Slot i of the hash table: row + 1 (0: free), begin, end.
  std::uint32_t* slot(std::size_t i) { return found_.numbers.data() + 3 * i; }

  LabFound& found_;
  const unsigned bits_;
  bool used_ = false;
};

}  // namespace presso::query::join::lab
