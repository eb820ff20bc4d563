// SPDX-License-Identifier: MIT
// What groups and rows to be sorted will take in memory, told before anything is run, for
// --explain: from the number of rows, the share that conditions are expected to let pass, ranges of
// keys, sizes of dictionaries and how long strings are on average. Groups are counted as if all
// combinations of their keys occurred, up to one group for each row, so that there may be far
// fewer. Tested by tests/unit/query/run/memory_forecast_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "query/run/execution.h"

namespace presso::query {

/// Groups are made in as many parts, in a pass over the tables each; in more, by way of a file.
constexpr std::uint32_t kMostPasses = 8;
/// Where a pass reads of most columns no more than its own part, which packed values tell.
constexpr std::uint32_t kMostPassesByWord = 64;
constexpr std::uint32_t kMostParts = 4096;

/// Into how many parts groups are divided that would take `share` times the memory: a part has half
/// of it, or a quarter beside a file, and groups do not come evenly.
std::uint32_t parts_for(double share);

/// Bytes of one row or group, on average.
struct SortSizes {
  double rows = 0;
  double row_bytes = 0;  ///< of all columns
  double key_bytes = 0;
  std::uint64_t limit = ~std::uint64_t{0};
};
struct SortForecast {
  double rows = 0;          ///< that are held at once
  double memory_bytes = 0;  ///< to sort them in memory
  double file_bytes = 0;    ///< through temporary files; 0: memory suffices
};
SortForecast forecast_sort(const SortSizes& sizes, unsigned threads, std::uint64_t memory_bytes);

struct GroupSizes {
  double rows = 0;
  double groups = 0;        ///< at most
  bool by_place = false;    ///< an array has a place for each
  double key_bytes = 0;     ///< as tables hold them
  double state_bytes = 0;   ///< counts and aggregates
  double row_bytes = 0;     ///< keys and arguments of a row, as files hold them
  double result_bytes = 0;  ///< of a finished group, likewise
};
struct GroupForecast {
  double groups = 0;
  double memory_bytes = 0;  ///< to find them in memory
  std::uint32_t parts = 1;  ///< up to kMostPasses: passes over the tables
  /// Through temporary files: rows where there are more parts, and groups that are put in order
  /// again after they came part by part; 0: none.
  double file_bytes = 0;
};
GroupForecast forecast_groups(const GroupSizes& sizes, unsigned threads,
                              std::uint64_t memory_bytes);

struct MemoryForecast {
  std::optional<GroupForecast> groups;  ///< where there are keys
  std::optional<SortForecast> order;
};
/// Different values of a node of the query's input, null included, at most; infinite: not known.
/// Reads directories of row groups of columns of strings.
Result<double> most_values(const Execution& execution, NodeId node);

/// `rows`: that are expected to fulfil all conditions, and to be joined. Reads directories of row
/// groups where strings are grouped or sorted.
Result<MemoryForecast> forecast_memory(const Execution& execution, double rows);

}  // namespace presso::query
