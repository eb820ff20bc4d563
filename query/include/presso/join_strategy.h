// SPDX-License-Identifier: MIT
// The ways to find rows of two tables with equal keys, on a CPU and on a GPU. All give the same
// rows in the same order; query/join/NOTES.md says which is fast when. Tables that were measured
// and are not used are in lab/join. Tested by tests/unit/query/join/join_table_test.cpp.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace presso {

/// The build side is the table that is kept in memory and looked up in; the probe side is read row
/// by row. kAuto chooses one of the others by the range and order of the build keys.
enum class JoinStrategy : std::uint8_t {
  kAuto,
  kMerge,      ///< ascending keys of the build side, walked along by ascending probe keys
  kDirect,     ///< an array with a place for each possible key
  kUnchained,  ///< a hash table: a directory of slots, whose rows lie one after the other (Birler
               ///< et al. 2024); on a GPU one table with open addressing
};

/// Names of the strategies for options and messages, in the order of the enum.
constexpr std::array<std::string_view, 4> kJoinStrategyNames = {"auto", "merge", "direct",
                                                                "unchained"};

constexpr std::string_view join_strategy_name(JoinStrategy strategy) {
  return kJoinStrategyNames[static_cast<std::size_t>(strategy)];
}

/// Returns the strategy of that name, or nullopt.
constexpr std::optional<JoinStrategy> join_strategy_of(std::string_view name) {
  for (std::size_t i = 0; i < kJoinStrategyNames.size(); ++i) {
    if (kJoinStrategyNames[i] == name) return static_cast<JoinStrategy>(i);
  }
  return std::nullopt;
}

}  // namespace presso
