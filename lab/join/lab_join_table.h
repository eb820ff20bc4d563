// SPDX-License-Identifier: MIT
// Tables of joins that were measured beside the product's (query/join) and that queries do not use:
// chains (G5), open addressing (G21), a table of the distinct keys (F9, F4), a radix join (G8,
// G14), a nested loop and a sort-merge join (G20). They are JoinTables, so that the same tests and
// the same benchmark (lab/programs/join) run them. query/join/NOTES.md compares them. Tested by
// lab/tests/lab_join_table_test.cpp.
#pragma once

#include <array>
#include <string_view>

#include "query/join/build_rows.h"
#include "query/join/join_table.h"

namespace presso::query::join::lab {

enum class Strategy : std::uint8_t {
  kChained,     ///< slots with chains of rows (G5)
  kOpen,        ///< open addressing (G21)
  kDistinct,    ///< a table of the distinct keys, and the rows of each (F9, F4)
  kRadix,       ///< both sides are partitioned until parts fit into the cache (G8)
  kNestedLoop,  ///< every row against every other (G20)
  kSortMerge,   ///< both sides are sorted (G20)
};

constexpr std::array<std::string_view, 6> kStrategyNames = {"chained", "open",        "distinct",
                                                            "radix",   "nested-loop", "sort-merge"};

/// A plan for one of these tables. The strategy of the base is not looked at.
struct Plan : JoinTablePlan {
  Strategy which = Strategy::kChained;
  /// kChained, kOpen, kDistinct: how many keys there are for a slot, at most; 0: as measured best.
  double load = 0;
  bool buckets = false;    ///< kOpen: of four slots; else slot by slot
  unsigned doublings = 0;  ///< kDistinct: of the table, as a key had found no place
};

/// What a table is built from.
struct LabInput {
  const Plan& plan;
  const BuildKeys& keys;
  JoinKeyFacts facts;
  std::uint64_t rows() const { return facts.rows; }
};

/// What find() of these tables needs: they take no other Found.
struct LabFound : Found {
  std::vector<std::uint64_t> words;
  std::vector<std::uint32_t> numbers;
  std::vector<std::uint32_t> more_numbers;
  std::vector<std::uint32_t> collected;  ///< rows of tables that do not have them side by side
};

/// A table with the name of its strategy.
class LabTable : public JoinTable {
 protected:
  LabTable(Strategy which, const JoinKeyFacts& facts)
      : JoinTable(JoinStrategy::kAuto, facts), which_(which) {}
  std::string_view name() const override {
    return kStrategyNames[static_cast<std::size_t>(which_)];
  }

 private:
  Strategy which_;
};

/// As JoinTable::build() and JoinTable::predict(), for these tables. A table by the nested loop
/// does not find out whether keys are unique. build() sets plan.doublings.
Result<std::unique_ptr<JoinTable>> build(Plan& plan, const BuildKeys& keys);
JoinMemory predict(const Plan& plan, const JoinKeyFacts& facts);

/// Calls take(key, row) for rows with a key, from the last one to the first.
template <class Take>
void for_each_key_backwards(const BuildKeys& keys, Take&& take) {
  for (std::uint64_t row = keys.keys.size(); row-- > 0;) {
    if (has_bit(keys.validity, row)) take(keys.keys[row], static_cast<std::uint32_t>(row));
  }
}

/// A power of two, so that at most `load` keys come to a slot (at least 1/64); at least 1.
inline std::uint64_t slots_for(std::uint64_t keys, double load) {
  const double wanted = static_cast<double>(keys) / std::max(load, 1.0 / 64);
  std::uint64_t slots = 1;
  while (static_cast<double>(slots) < wanted) slots *= 2;
  return slots;
}

}  // namespace presso::query::join::lab
