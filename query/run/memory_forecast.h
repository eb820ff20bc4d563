// SPDX-License-Identifier: MIT
// Predicts the memory for groups and for sorting, before anything runs, from numbers of rows,
// expected selectivities, ranges of keys, sizes of dictionaries and average lengths of strings.
// Groups are counted as if all combinations of their keys occurred, up to one for each row, so
// there may be far fewer. Used by --explain and to choose the number of parts. Reads directories
// only. Tested by tests/unit/query/run/memory_forecast_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "query/run/execution.h"

namespace presso::query {

/// The most parts into which groups or joins are divided with one pass over the tables for each;
/// with more parts, temporary files are used.
constexpr std::uint32_t kMostPasses = 8;
/// A higher limit, for passes that read little more than its own part of most columns, because
/// parts are ranges of a packed column.
constexpr std::uint32_t kMostPassesByWord = 64;
/// The most parts of a temporary file.
constexpr std::uint32_t kMostParts = 4096;

/// Returns the number of parts for groups that would take `share` times the memory: a power of two,
/// at least 2 and at least three times `share`, because a part may use half of the memory and parts
/// differ in size. If that is more than kMostPasses, rows go through a file, beside which a part
/// may use a quarter of the memory only; there are four times as many parts then, but at most
/// kMostParts.
std::uint32_t parts_for(double share);

/// Averages for the rows or groups that are sorted.
struct SortSizes {
  double rows = 0;
  /// Bytes of a row with all columns, and of its sort keys.
  double row_bytes = 0;
  double key_bytes = 0;
  std::uint64_t limit = ~std::uint64_t{0};
};
/// What sorting takes.
struct SortForecast {
  /// Rows that are held at once; a limit needs fewer.
  double rows = 0;
  /// Bytes to sort them in memory.
  double memory_bytes = 0;
  /// Bytes in temporary files; 0 if memory suffices.
  double file_bytes = 0;
};
/// The prediction for a sort on `threads` threads. Pure function.
SortForecast forecast_sort(const SortSizes& sizes, unsigned threads, std::uint64_t memory_bytes);

/// Averages for groups.
struct GroupSizes {
  double rows = 0;
  /// An upper bound of the number of groups.
  double groups = 0;
  /// Whether an array has a place for each possible group.
  bool by_place = false;
  /// Bytes of a group's keys, as hash tables hold them.
  double key_bytes = 0;
  /// Bytes of a group's counts and aggregates.
  double state_bytes = 0;
  /// Bytes of a row's keys and arguments, as temporary files hold them.
  double row_bytes = 0;
  /// Bytes of a finished group, as temporary files hold it.
  double result_bytes = 0;
};
/// What grouping takes.
struct GroupForecast {
  double groups = 0;
  /// Bytes to find the groups in memory.
  double memory_bytes = 0;
  /// Up to kMostPasses, each part is a pass over the tables.
  std::uint32_t parts = 1;
  /// Bytes in temporary files: rows if there are more parts, and groups, which are put in order
  /// again after they came part by part. 0 if there are none.
  double file_bytes = 0;
};
/// The prediction for groups. Pure function.
GroupForecast forecast_groups(const GroupSizes& sizes, unsigned threads,
                              std::uint64_t memory_bytes);

/// The prediction for a whole query.
struct MemoryForecast {
  /// Set if there are keys.
  std::optional<GroupForecast> groups;
  /// Set if there is an order: for rows, or for the groups that are sorted.
  std::optional<SortForecast> order;
};
/// An upper bound for the number of different values, NULL included, of a node of the input graph;
/// infinite if unknown. Reads directories for columns of strings.
Result<double> most_values(const Execution& execution, NodeId node);

/// The prediction for the query if `rows` rows fulfil all conditions and are joined. Reads
/// directories if strings are grouped or sorted.
Result<MemoryForecast> forecast_memory(const Execution& execution, double rows);

}  // namespace presso::query
