// SPDX-License-Identifier: MIT
// Implements key_order.h, which finds out whether keys ascend in a table: zones are compared first,
// as they cost nothing to read; only if they ascend are the values of a few vectors read.
#include "query/run/key_order.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "decompress/table/group_reader.h"
#include "query/plan/filter.h"
#include "query/plan/join_plan.h"
#include "query/rows/table_facts.h"

namespace presso::query {
namespace {

/// Vectors that are sampled, evenly spread from the first row to the last.
constexpr std::uint64_t kVectorsRead = 8;

/// The source's column that the key is, below conversions that keep the order; nullopt: it is no
/// such column.
std::optional<std::size_t> column_of_key(const RunInput& input, std::size_t source,
                                         const std::vector<NodeId>& keys) {
  if (keys.size() != 1) return std::nullopt;
  const Node& key = input.query.input->at(keys[0]);
  // A NULL has no place in the order.
  if (key.physical != Physical::kInt64 || !key.range.known || key.nullable) return std::nullopt;
  const auto filter = range_filter(*input.query.input, keys[0], key.range.least, key.range.most);
  if (!filter || input.query.joins->source_of(filter->column) != source) return std::nullopt;
  return filter->column - input.query.joins->sources[source].first_column;
}

/// Whether no row group has a value smaller than one in an earlier row group.
bool zones_ascend(const std::vector<Table>& tables, std::size_t column) {
  std::uint64_t last = 0;
  for (const Table& table : tables) {
    const TableIndex& index = TableAccess::index(table);
    for (std::uint64_t group = 0; group < index.groups().size(); ++group) {
      const ColumnZone& zone = index.zone(group, column);
      if ((zone.flags & kZoneKnown) == 0) return false;
      // A row group of NULLs alone does not disturb the order.
      if ((zone.flags & kZoneNoValue) != 0) continue;
      if (zone.least < last) return false;
      last = zone.most;
    }
  }
  return true;
}

/// Reads vectors of one column, in ascending order of rows. Used by one thread.
class VectorSample {
 public:
  VectorSample(const std::vector<Table>& tables, const std::vector<InputColumn>& columns,
               std::size_t column)
      : tables_(tables), column_(column), reader_(physical_of(columns)) {}

  /// Whether the values of the vector that holds `row` ascend and none is smaller than the last
  /// value that was read. Vectors that were read already are skipped.
  Result<bool> ascends_at(std::uint64_t row) {
    if (row < end_) return true;
    PRESSO_TRY(go_to(row));
    const auto in_slice = static_cast<std::uint32_t>(row - slice_.first_row());
    const std::uint32_t vector = in_slice / kBatchRows;
    Selection all;
    all.all = true;
    all.count = slice_.vector_rows(vector);
    PRESSO_ASSIGN(const VectorView view, reader_.load(column_, vector, all));
    const auto* const values = static_cast<const std::int64_t*>(view.values);
    const bool ascends = std::is_sorted(values, values + all.count) && values[0] >= last_;
    last_ = values[all.count - 1];
    end_ = slice_.first_row() + std::uint64_t{vector} * kBatchRows + all.count;
    return ascends;
  }

 private:
  /// Opens the slice that holds a row.
  Status go_to(std::uint64_t row) {
    std::uint64_t first = 0;
    std::size_t table = 0;
    for (; row - first >= tables_[table].rows(); ++table) first += tables_[table].rows();
    std::uint64_t group = 0;
    for (; row - first >= tables_[table].row_group(group).rows; ++group) {
      first += tables_[table].row_group(group).rows;
    }
    slice_.group = std::make_shared<GroupContext>();
    slice_.group->first_row = first;
    slice_.group->table = table;
    PRESSO_ASSIGN(slice_.group->reader, GroupReader::open(tables_[table], group));
    slice_.first = static_cast<std::uint32_t>(row - first) / kSliceRows * kSliceRows;
    slice_.rows = std::min(kSliceRows, slice_.group->reader->rows() - slice_.first);
    reader_.open(slice_);
    return {};
  }

  const std::vector<Table>& tables_;
  std::size_t column_;
  SliceReader reader_;
  Slice slice_;
  /// The row after the last one that was read.
  std::uint64_t end_ = 0;
  std::int64_t last_ = std::numeric_limits<std::int64_t>::min();
};

/// Samples the column. An unreadable block counts as "does not ascend".
bool sample_ascends(const std::vector<Table>& tables, const std::vector<InputColumn>& columns,
                    std::size_t column) {
  const std::uint64_t rows = rows_of(tables);
  VectorSample sample(tables, columns, column);
  for (std::uint64_t i = 0; rows != 0 && i < kVectorsRead; ++i) {
    const auto ascends = sample.ascends_at((rows - 1) * i / (kVectorsRead - 1));
    // The error occurs again when the block is read for the query.
    if (!ascends.ok() || !*ascends) return false;
  }
  return true;
}

}  // namespace

/// Each column is examined once for a query; see KeyOrders.
bool keys_ascend(const RunInput& input, std::size_t source, const std::vector<NodeId>& keys) {
  const auto column = column_of_key(input, source, keys);
  if (!column) return false;
  return input.key_orders->ascends(source, *column, [&] {
    const std::vector<Table>& tables = input.sources[source];
    return zones_ascend(tables, *column) &&
           sample_ascends(tables, input.query.joins->sources[source].scan.columns, *column);
  });
}

}  // namespace presso::query
