// SPDX-License-Identifier: MIT
// The ways in which rows of two tables with equal keys are found. All give the same rows in the
// same order; NOTES.md says which is fast when.
// Tested by tests/unit/query/join/join_table_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace presso {

enum class JoinStrategy : std::uint8_t {
  kAuto,
  kMerge,       ///< ascending keys of the build side, walked along by ascending probe keys
  kDirect,      ///< an array with a place for each possible key
  kUnchained,   ///< a directory of slots, whose rows lie one after the other (Birler et al. 2024)
  kChained,     ///< slots with chains of rows (G5)
  kOpen,        ///< open addressing (G21)
  kDistinct,    ///< a table of the distinct keys, and the rows of each (F9, F4)
  kRadix,       ///< both sides are partitioned until parts fit into the cache (G8)
  kNestedLoop,  ///< every row against every other (G20)
  kSortMerge,   ///< both sides are sorted (G20)
};

constexpr std::array<std::string_view, 10> kJoinStrategyNames = {
    "auto", "merge",    "direct", "unchained",   "chained",
    "open", "distinct", "radix",  "nested-loop", "sort-merge"};

constexpr std::string_view join_strategy_name(JoinStrategy strategy) {
  return kJoinStrategyNames[static_cast<std::size_t>(strategy)];
}

/// Whether queries on a GPU have it: as keys that ascend and are searched, an array over the range
/// of keys, or one table of keys.
constexpr bool is_gpu_strategy(JoinStrategy strategy) {
  return strategy == JoinStrategy::kMerge || strategy == JoinStrategy::kDirect ||
         strategy == JoinStrategy::kOpen;
}

constexpr std::optional<JoinStrategy> join_strategy_of(std::string_view name) {
  for (std::size_t i = 0; i < kJoinStrategyNames.size(); ++i) {
    if (kJoinStrategyNames[i] == name) return static_cast<JoinStrategy>(i);
  }
  return std::nullopt;
}

}  // namespace presso
