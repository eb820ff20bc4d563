// SPDX-License-Identifier: MIT
#include "scan/gpu/table/group_rows.h"

#include <algorithm>

#include "scan/group/ratio.h"

namespace presso::gpu {
namespace {

using query::AggregateKind;
using query::Int128;
using query::Physical;
using query::RowStore;

/// Rows of an answer from the cells of groups.
class GroupTable {
 public:
  GroupTable(const PipelineBuilder& builder, const query::BoundQuery& bound,
             const query::GroupInput& input, const GroupCells& from)
      : builder_(builder), bound_(bound), input_(input), from_(from), cells_(from.cells) {
    for (std::uint64_t group = 0; group < builder.groups(); ++group) {
      if (row_count(group) != 0 || bound.keys.empty()) groups_.push_back(group);
    }
    std::sort(groups_.begin(), groups_.end(),
              [this](std::uint64_t a, std::uint64_t b) { return first_row(a) < first_row(b); });
  }

  RowStore make() {
    std::vector<Physical> physical;
    for (const PipelineBuilder::Key& key : builder_.keys()) {
      physical.push_back(key.codes != nullptr ? Physical::kString : Physical::kInt64);
    }
    for (const query::AggregateSpec& spec : input_.plan().aggregates) {
      physical.push_back(spec.kind == AggregateKind::kSum       ? Physical::kInt128
                         : spec.kind == AggregateKind::kAverage ? Physical::kDouble
                                                                : Physical::kInt64);
    }
    RowStore rows(physical);
    rows.resize_unset(groups_.size());
    for (std::size_t i = 0; i < bound_.keys.size(); ++i) write_key(rows, i);
    for (std::size_t i = 0; i < bound_.aggregates.size(); ++i) write_aggregate(rows, i);
    rows.drop_idle_validity();
    return rows;
  }

 private:
  std::uint64_t row_count(std::uint64_t group) const {
    if (builder_.counts_rows()) return cells_[group];
    return first_row(group) == ~std::uint64_t{0} ? 0 : 1;
  }
  std::uint64_t first_row(std::uint64_t group) const { return cells_[builder_.groups() + group]; }
  std::uint64_t cell(std::size_t i, std::uint64_t group) const {
    return cells_[(kGroupCells + i) * builder_.groups() + group];
  }

  static void set_null(RowStore& rows, std::size_t column, std::uint64_t row) {
    rows.validity(column)[row / 64] &= ~(std::uint64_t{1} << (row % 64));
  }

  /// A key's value in a group, nothing where it is null; of strings their number.
  std::optional<std::int64_t> key_value(std::size_t i, std::uint64_t group) const {
    const PipelineBuilder::Key& key = builder_.keys()[i];
    if (key.of_row) {
      const StageUse& use = builder_.stages()[*builder_.row_stage()];
      const std::int64_t value = from_.row_keys[i][group / builder_.row_stride()];
      return value == use.columns[*key.of_row].null_value ? std::nullopt : std::optional(value);
    }
    const std::uint64_t value = group / key.stride % key.values;
    if (key.nullable && value == key.values - 1) return std::nullopt;
    return static_cast<std::int64_t>(static_cast<std::uint64_t>(key.least) + value);
  }

  void write_key(RowStore& rows, std::size_t i) const {
    const PipelineBuilder::Key& key = builder_.keys()[i];
    if (key.codes != nullptr) return write_strings(rows, i, *key.codes);
    auto* const to = reinterpret_cast<std::int64_t*>(rows.values(i));
    for (std::size_t row = 0; row < groups_.size(); ++row) {
      const auto value = key_value(i, groups_[row]);
      to[row] = value.value_or(0);
      if (!value) set_null(rows, i, row);
    }
  }

  /// Each string's bytes are copied once.
  void write_strings(RowStore& rows, std::size_t i, const query::KeyCodes& codes) const {
    const auto arena = std::make_shared<query::StringArena>();
    std::vector<std::optional<query::StringRef>> known(codes.count());
    auto* const to = reinterpret_cast<query::StringRef*>(rows.values(i));
    for (std::size_t row = 0; row < groups_.size(); ++row) {
      const auto code = key_value(i, groups_[row]);
      to[row] = {};
      if (!code) {
        set_null(rows, i, row);
        continue;
      }
      auto& string = known[static_cast<std::size_t>(*code)];
      if (!string) string = arena->add(codes.string(*code).bytes());
      to[row] = *string;
    }
    rows.keep(arena);
  }

  Int128 sum_of(const CellsOfAggregate& of, std::uint64_t group) const {
    const std::uint64_t low = cell(*of.low, group);
    if (!of.high) return static_cast<std::int64_t>(low);
    return (Int128{static_cast<std::int64_t>(cell(*of.high, group))} << 32) +
           static_cast<Int128>(low);
  }

  void write_aggregate(RowStore& rows, std::size_t i) const {
    const std::size_t column = bound_.keys.size() + i;
    const CellsOfAggregate& of = builder_.aggregates()[i];
    const query::AggregateSpec& spec = input_.plan().aggregates[i];
    Byte* const to = rows.values(column);
    for (std::size_t row = 0; row < groups_.size(); ++row) {
      const std::uint64_t group = groups_[row];
      const std::uint64_t count = of.count ? cell(*of.count, group) : row_count(group);
      switch (spec.kind) {
        case AggregateKind::kCountRows:
          store(to + 8 * row, row_count(group));
          continue;
        case AggregateKind::kCount:
          store(to + 8 * row, count);
          continue;
        case AggregateKind::kSum:
          store(to + 16 * row, count == 0 ? Int128{0} : sum_of(of, group));
          break;
        case AggregateKind::kAverage: {
          query::grouping::WideSum sum;
          if (count != 0) sum.add(sum_of(of, group));
          store(to + 8 * row,
                count == 0 ? 0.0 : query::grouping::average_rounded(sum, spec.scale, count));
          break;
        }
        default:
          store(to + 8 * row,
                count == 0 ? std::uint64_t{0} : cell(*of.low, group) ^ (std::uint64_t{1} << 63));
      }
      if (count == 0) set_null(rows, column, row);
    }
  }

  const PipelineBuilder& builder_;
  const query::BoundQuery& bound_;
  const query::GroupInput& input_;
  const GroupCells& from_;
  const std::vector<std::uint64_t>& cells_;
  std::vector<std::uint64_t> groups_;
};

}  // namespace

RowStore rows_of_groups(const PipelineBuilder& builder, const query::BoundQuery& bound,
                        const query::GroupInput& input, const GroupCells& from) {
  return GroupTable(builder, bound, input, from).make();
}

}  // namespace presso::gpu
