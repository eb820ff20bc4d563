// SPDX-License-Identifier: MIT
// Implements memory_forecast.h, the prediction of memory for groups and sorting: models the data
// structures of query/group and query/order with constants that were taken from their code.
#include "query/run/memory_forecast.h"

#include <algorithm>
#include <cmath>

#include "query/run/string_facts.h"

namespace presso::query {
namespace {

/// Bytes of a hash-table slot: 16, in a table that is between a third and five eighths full.
constexpr double kSlotBytes = 35;
/// Average excess of arrays that double as they grow.
constexpr double kGrowth = 1.4;
/// Bytes of a sorted row in memory: its number, two entries that are sorted, and the place of its
/// key.
constexpr double kNumberBytes = 8;
constexpr double kEntryBytes = 2 * 16 + 4;
/// Bytes of a numeric sort key with its NULL flag.
constexpr double kNumberKeyBytes = 9;
/// Bytes of each group for its number of rows and its first row.
constexpr double kRowCountBytes = 12;
/// Arrays up to this size are used whatever the number of groups is (query/group/grouping.cpp).
constexpr double kFewPlaces = 1u << 17;
/// The share of the memory that rows may fill before they are sorted (query/order/ordering.cpp).
constexpr double kSortShare = 0.75;

/// Sizes of nodes of the input graph. Facts about string columns are read once and kept.
class NodeSizes {
 public:
  explicit NodeSizes(const Execution& execution) : execution_(execution) {}

  const Node& node(NodeId id) const { return execution_.query.input->at(id); }

  /// The average bytes of a value with its string. A computed string is assumed to be as long as
  /// its inputs together.
  Result<double> bytes(NodeId id) {
    const auto fixed = static_cast<double>(physical_bytes(node(id).physical));
    if (node(id).physical != Physical::kString) return fixed;
    double text = 0;
    for (const std::size_t column : execution_.query.input->columns_of({id})) {
      if (!is_string(execution_.query.columns[column].schema.type)) continue;
      PRESSO_ASSIGN(const StringFacts facts, facts_of(column));
      text += facts.bytes;
    }
    return fixed + text;
  }

  /// Whether groups of this key are found by a number in a known range.
  Result<bool> ranged(NodeId id) {
    const Node& of = node(id);
    if (of.physical == Physical::kBool) return true;
    if (of.physical == Physical::kInt64) return of.range.known;
    if (of.kind != Node::Kind::kColumn || of.physical != Physical::kString) return false;
    PRESSO_ASSIGN(const StringFacts facts, facts_of(of.column));
    return facts.coded;
  }

  /// The bytes of the node's value as a group key.
  Result<double> key_bytes(NodeId id) {
    PRESSO_ASSIGN(const bool number, ranged(id));
    return number ? kNumberBytes : bytes(id);
  }

  /// An upper bound for the number of different values, NULL included.
  Result<double> distinct(NodeId id) {
    const Node& of = node(id);
    const double null = of.nullable ? 1 : 0;
    if (of.physical == Physical::kBool) return 2 + null;
    if (of.physical == Physical::kInt64 && of.range.known) {
      return static_cast<double>(of.range.most - of.range.least) + 1 + null;
    }
    if (of.kind == Node::Kind::kColumn && of.physical == Physical::kString) {
      PRESSO_ASSIGN(const StringFacts facts, facts_of(of.column));
      return facts.distinct + null;
    }
    return INFINITY;
  }

 private:
  /// Facts about a column, which are looked up once.
  Result<StringFacts> facts_of(std::size_t column) {
    known_.resize(execution_.query.columns.size());
    if (!known_[column]) {
      PRESSO_ASSIGN(known_[column], string_facts(execution_, column));
    }
    return *known_[column];
  }

  const Execution& execution_;
  std::vector<std::optional<StringFacts>> known_;  ///< indexed by column; empty: not looked up yet
};

/// Bytes that an aggregate takes in a group of `rows` rows.
Result<double> state_bytes(const AggregateCall& call, NodeSizes& sizes, double rows) {
  // Bytes of a value in a set of count(DISTINCT).
  constexpr double kDistinctBytes = 48;
  if (!call.argument) return 0.0;
  PRESSO_ASSIGN(const double value, sizes.bytes(*call.argument));
  const bool is_small = sizes.node(*call.argument).physical == Physical::kInt64;
  switch (call.kind) {
    case AggregateKind::kSum:
    case AggregateKind::kAverage:
      return is_small ? 8.0 : 24.0;
    case AggregateKind::kMin:
    case AggregateKind::kMax:
      return value;
    case AggregateKind::kCountDistinct:
      return 8 + kDistinctBytes * rows;
    default:
      return 0.0;
  }
}

/// Sizes for the query's groups.
Result<GroupSizes> group_sizes(const Execution& execution, double rows, NodeSizes& nodes) {
  const BoundQuery& query = execution.query;
  GroupSizes sizes;
  sizes.rows = rows;
  sizes.groups = 1;
  sizes.by_place = true;
  sizes.row_bytes = 3 * kNumberBytes;  // the row's number twice, the part
  sizes.result_bytes = 2 * kNumberBytes;
  for (const NodeId key : query.keys) {
    PRESSO_ASSIGN(const double distinct, nodes.distinct(key));
    PRESSO_ASSIGN(const double bytes, nodes.key_bytes(key));
    PRESSO_ASSIGN(const bool ranged, nodes.ranged(key));
    sizes.by_place = sizes.by_place && ranged;
    sizes.groups *= std::max(distinct, 1.0);
    sizes.key_bytes += bytes;
    sizes.row_bytes += bytes;
    sizes.result_bytes += bytes;
  }
  sizes.by_place = sizes.by_place && sizes.groups <= kFewPlaces;
  // Arrays have a place for each possible group, hash tables only for groups that occur.
  if (!sizes.by_place) sizes.groups = std::min(sizes.groups, sizes.rows);
  sizes.state_bytes = kRowCountBytes;
  for (const AggregateCall& call : query.aggregates) {
    PRESSO_ASSIGN(const double state,
                  state_bytes(call, nodes, sizes.rows / std::max(sizes.groups, 1.0)));
    sizes.state_bytes += state;
    sizes.result_bytes += std::max(state, kNumberBytes);
    if (!call.argument) continue;
    PRESSO_ASSIGN(const double argument, nodes.bytes(*call.argument));
    sizes.row_bytes += argument;
  }
  return sizes;
}

/// Bytes of a sort key: strings as they are, numbers in a fixed form.
double sort_key_bytes(double bytes, Physical physical) {
  return physical == Physical::kString ? bytes : kNumberKeyBytes;
}

/// Sizes for rows that are sorted as they stand in the tables.
Result<SortSizes> row_sizes(const Execution& execution, double rows, NodeSizes& nodes) {
  const BoundQuery& query = execution.query;
  SortSizes sizes;
  sizes.rows = rows;
  sizes.row_bytes = kNumberBytes;
  for (const NodeId id : query.results) {
    PRESSO_ASSIGN(const double bytes, nodes.bytes(id));
    sizes.row_bytes += bytes;
  }
  for (const NodeId id : query.sort_nodes) {
    PRESSO_ASSIGN(const double bytes, nodes.bytes(id));
    sizes.row_bytes += bytes;
    sizes.key_bytes += sort_key_bytes(bytes, nodes.node(id).physical);
  }
  sizes.limit = query.last_row();
  return sizes;
}

/// Sizes for groups that are sorted. Their strings are those of keys, of which each group has one.
SortSizes sizes_of_sorted_groups(const Execution& execution, const GroupSizes& groups) {
  const BoundQuery& query = execution.query;
  SortSizes sizes;
  sizes.rows = groups.groups;
  sizes.row_bytes = kNumberBytes + groups.key_bytes;
  for (const NodeId id : query.results) {
    sizes.row_bytes += static_cast<double>(physical_bytes(query.output->at(id).physical));
  }
  for (const NodeId id : query.sort_nodes) {
    const Physical physical = query.output->at(id).physical;
    const double bytes = physical == Physical::kString ? groups.key_bytes : 0;
    sizes.row_bytes += static_cast<double>(physical_bytes(physical)) + bytes;
    sizes.key_bytes += sort_key_bytes(bytes, physical);
  }
  sizes.limit = query.last_row();
  return sizes;
}

}  // namespace

std::uint32_t parts_for(double share) {
  constexpr double kReserve = 3;
  /// With a file, a part too many costs little, but a part that is too large costs the whole file.
  constexpr std::uint32_t kMoreParts = 4;
  std::uint32_t parts = 2;
  while (parts < kMostParts && parts < kReserve * share) parts *= 2;
  return parts > kMostPasses ? std::min(kMoreParts * parts, kMostParts) : parts;
}

/// With a limit, each thread keeps up to twice as many rows as are wanted.
SortForecast forecast_sort(const SortSizes& sizes, unsigned threads, std::uint64_t memory_bytes) {
  SortForecast forecast;
  const double kept = 2.0 * threads * static_cast<double>(sizes.limit);
  forecast.rows = std::min(sizes.rows, kept);
  forecast.memory_bytes = forecast.rows * (sizes.row_bytes + sizes.key_bytes + kEntryBytes);
  if (forecast.memory_bytes > kSortShare * static_cast<double>(memory_bytes)) {
    forecast.file_bytes = forecast.rows * sizes.row_bytes;
  }
  return forecast;
}

/// Memory for an array on each thread, or for a hash table on each thread and the merged one.
GroupForecast forecast_groups(const GroupSizes& sizes, unsigned threads,
                              std::uint64_t memory_bytes) {
  GroupForecast forecast;
  forecast.groups = std::min(sizes.groups, sizes.rows);
  const double group_bytes = kGrowth * (sizes.key_bytes + sizes.state_bytes);
  if (sizes.by_place) {
    forecast.memory_bytes = sizes.groups * sizes.state_bytes * threads;
  } else {
    // Each thread has a table of the groups it has met; afterwards the tables are merged.
    const double in_tables = std::min(forecast.groups * threads, sizes.rows);
    const double merged = threads > 1 ? forecast.groups : 0;
    forecast.memory_bytes = in_tables * (group_bytes + kSlotBytes) + merged * group_bytes;
  }
  const double share = forecast.memory_bytes / static_cast<double>(memory_bytes);
  if (share <= 1) return forecast;
  forecast.parts = parts_for(share);
  if (forecast.parts > kMostPasses) forecast.file_bytes = sizes.rows * sizes.row_bytes;
  // Ordering the results may use a quarter of the memory.
  const SortSizes results{forecast.groups, sizes.result_bytes, kNumberKeyBytes};
  forecast.file_bytes += forecast_sort(results, 1, memory_bytes / 4).file_bytes;
  return forecast;
}

Result<double> most_values(const Execution& execution, NodeId node) {
  return NodeSizes(execution).distinct(node);
}

Result<MemoryForecast> forecast_memory(const Execution& execution, double rows) {
  const BoundQuery& query = execution.query;
  MemoryForecast forecast;
  NodeSizes nodes(execution);
  SortSizes sorted;
  if (query.grouped()) {
    PRESSO_ASSIGN(const GroupSizes groups, group_sizes(execution, rows, nodes));
    if (!query.keys.empty()) {
      forecast.groups = forecast_groups(groups, execution.threads, execution.memory_bytes);
    }
    sorted = sizes_of_sorted_groups(execution, groups);
    sorted.rows = std::min(groups.groups, std::max(groups.rows, 1.0));
  } else if (!query.sort_keys.empty()) {
    PRESSO_ASSIGN(sorted, row_sizes(execution, rows, nodes));
  }
  if (!query.sort_keys.empty()) {
    // Groups come to be sorted from one thread.
    const unsigned threads = query.grouped() ? 1 : execution.threads;
    forecast.order = forecast_sort(sorted, threads, execution.memory_bytes);
  }
  return forecast;
}

}  // namespace presso::query
