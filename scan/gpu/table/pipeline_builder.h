// SPDX-License-Identifier: MIT
// From a bound query to a pipeline: which columns it reads, conditions as steps over lane masks,
// expressions as a program over registers, keys of groups as one number, aggregates as cells. What
// a pipeline cannot do is refused with a reason, and the query is the CPU's. Knows no device.
// Tested by tests/simt/query_on_gpu_test.cpp.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "scan/gpu/table/device_table.h"
#include "scan/gpu/table/pipeline.h"
#include "scan/gpu/table/string_rows.h"
#include "scan/query/group_input.h"

namespace presso::gpu {

/// What the leaves ask of the slices of a loaded table, to be copied to the device.
struct LeafTables {
  std::vector<LeafRange> ranges;  ///< by leaf, then by slice
  std::vector<ImageInterval> intervals;
  std::vector<std::uint32_t> code_bits;
};

/// The conditions of a pipeline over a loaded table, and what of them StringRows must answer.
struct TableConditions {
  std::vector<ConditionStep> steps;
  std::vector<StringLeaf> strings;
};

/// Numbers of dictionaries' codes, as Pipeline::code_begins and code_numbers.
struct CodeTables {
  std::vector<std::uint32_t> begins;
  std::vector<std::uint32_t> numbers;
};

/// How a cell, or two, become an aggregate.
struct CellsOfAggregate {
  std::optional<std::size_t> low;    ///< sum modulo 2^64, its low part, least or greatest image
  std::optional<std::size_t> high;   ///< of sums in two parts
  std::optional<std::size_t> count;  ///< of values that are not null; none: all rows have one
};

class PipelineBuilder {
 public:
  /// Both are kept by reference.
  PipelineBuilder(const query::Graph& graph, const query::FilterPlan& plan)
      : graph_(graph), plan_(plan) {}

  /// kUnsupported, with the reason, where the conditions are none that a pipeline can test.
  Status add_conditions();
  /// The same for groups and aggregates. `rows`: that there are at most.
  Status add_groups(const query::BoundQuery& bound, const query::GroupInput& input,
                    std::uint64_t rows);
  /// After that: registers are dealt out, counts filled in.
  Result<Pipeline> finish();

  /// The table's columns, by the pipeline's numbers of them.
  const std::vector<std::size_t>& columns() const { return columns_; }
  /// Bits of the columns, by the pipeline's numbers of them, whose strings are tested.
  std::uint32_t string_columns() const;
  /// The conditions, in which rows of columns that `table` has as tokens are asked for by their
  /// bits. kUnsupported where those are too many.
  Result<TableConditions> conditions_over(const DeviceTable& table) const;
  /// What the conditions ask of the slices of `table`.
  Result<LeafTables> leaf_tables(const DeviceTable& table,
                                 const std::vector<query::Physical>& physical) const;
  /// `codes`: as GroupInput's.
  CodeTables code_tables(const DeviceTable& table, const query::GroupInput& input) const;

  // Of groups.
  struct Key {
    std::uint64_t stride = 1;
    std::uint64_t values = 1;  ///< the null included
    std::int64_t least = 0;
    bool nullable = false;  ///< the last value is the null
  };
  const std::vector<Key>& keys() const { return keys_; }
  const std::vector<CellsOfAggregate>& aggregates() const { return aggregates_; }
  std::uint64_t groups() const { return groups_; }
  /// Nothing is wanted but the number of rows, and no program is needed for it.
  bool counts_only() const { return !has_groups_ && cells_.empty() && values_.empty(); }
  /// Whether rows of groups are counted; else a group that has none has no first row either.
  bool counts_rows() const { return counts_rows_ || !has_groups_; }

 private:
  /// Steps before registers are dealt out: each gives a value of its own.
  struct Value {
    PipelineStep step;
    std::vector<std::size_t> from;  ///< values that it reads, in the order a, b, c
    bool is_wide = false;
  };

  struct Cell {
    PipelineCell::Kind kind;
    std::size_t value;
    std::uint16_t valid;
    std::optional<query::NodeId> column_node;  ///< it adds up a column, perhaps without a program
    friend bool operator==(const Cell&, const Cell&) = default;
  };

  Result<Byte> column_of(std::size_t table_column);
  Status add_filter(const query::Filter& filter);
  Status add_tree(const query::Filter& filter, unsigned depth);
  Status add_leaf(const query::Filter& filter);
  Status push(ConditionStep step);
  Result<std::size_t> value_of(query::NodeId id);
  Result<std::size_t> value_of_step(const query::Node& node);
  Result<std::size_t> load(std::size_t table_column, PipelineStep::Kind kind,
                           std::int64_t null_value, bool is_wide);
  Result<std::size_t> append(Value value);
  Result<std::size_t> append(PipelineStep::Kind kind, std::size_t a, std::size_t b, bool is_wide);
  Result<std::size_t> append_constant(PipelineStep::Kind kind, std::size_t a, std::int64_t constant,
                                      bool is_wide);
  Result<std::uint16_t> nullable_columns_of(query::NodeId id);
  Result<std::uint16_t> valid_columns(query::NodeId id);
  Status add_key(const query::BoundQuery& bound, const query::GroupInput& input, std::size_t i);
  Status add_aggregate(const query::AggregateCall& call, const query::AggregateSpec& spec,
                       std::uint64_t rows);
  Status add_sum(query::NodeId argument, const query::AggregateSpec& spec, std::uint16_t valid,
                 std::uint64_t rows, CellsOfAggregate& cells);
  Result<std::size_t> add_cell(Cell cell);
  void mark_columns(Pipeline& pipeline) const;
  bool sums_only() const;
  Status deal_registers(Pipeline& pipeline) const;

  const query::Graph& graph_;
  const query::FilterPlan& plan_;
  std::vector<std::size_t> columns_;
  std::vector<ConditionStep> conditions_;
  std::vector<const query::Filter*> leaves_;
  std::vector<Value> values_;
  std::map<query::NodeId, std::size_t> known_;
  std::map<std::pair<Byte, std::int64_t>, std::size_t> loads_;
  std::map<Byte, std::size_t> code_keys_;  ///< columns whose codes are numbered: which key
  std::vector<Key> keys_;
  std::vector<CellsOfAggregate> aggregates_;
  std::vector<Cell> cells_;
  std::optional<std::size_t> group_;
  std::uint64_t groups_ = 1;
  bool has_groups_ = false;
  bool counts_rows_ = false;
  std::uint16_t nullable_ = 0;
};

}  // namespace presso::gpu
