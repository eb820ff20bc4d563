// SPDX-License-Identifier: MIT
// Cuts the wanted rows into batches and brings decoded columns into Arrow's layout. All but
// decimals of 64 bits have it already.
#include "decompress/arrow/arrow_rows.h"

#include <algorithm>
#include <numeric>

#include "format/columns/utf8_check.h"

namespace presso {
namespace {

/// Sign-extends to 128 bits. Only decimals of 64 bits have another layout than Arrow's;
/// everything else is handed over as it was decoded.
void widen_decimals(ColumnData& data) {
  Buffer wide;
  wide.resize_discarding(static_cast<std::size_t>(data.rows) * 16);
  for (std::uint64_t row = 0; row < data.rows; ++row) {
    const auto value = load<std::int64_t>(data.values.data() + 8 * row);
    store(wide.data() + 16 * row, value);
    store<std::int64_t>(wide.data() + 16 * row + 8, value < 0 ? -1 : 0);
  }
  data.values = std::move(wide);
  data.type = ColumnType::kDecimal128;
}

}  // namespace

/// Strings of utf8 columns are checked here, because consumers take them for valid without
/// looking.
Status to_arrow_layout(const ColumnSchema& column, ColumnData& data) {
  if (data.dictionary != nullptr) return {};  // whoever made it has looked at its entries
  if (column.type == ColumnType::kDecimal64) widen_decimals(data);
  const bool says_utf8 = column.type == ColumnType::kUtf8 && column.valid_utf8;
  if (!says_utf8 || are_valid_utf8(data.values.data(), data.offsets)) return {};
  return make_error(ErrorCode::kBadRowGroup,
                    "column '" + column.name + "' is said to be UTF-8 and is not");
}

/// Without columns in the options, all of the table's are taken, in its order.
Result<ArrowRows> ArrowRows::make(const Table& table, const ArrowOptions& options) {
  ArrowRows rows(table);
  rows.columns_ = options.columns;
  if (rows.columns_.empty()) {
    rows.columns_.resize(table.schema().columns.size());
    std::iota(rows.columns_.begin(), rows.columns_.end(), std::size_t{0});
  }
  for (const std::size_t column : rows.columns_) {
    if (column >= table.schema().columns.size()) {
      return make_error(ErrorCode::kInvalidArgument, "there is no such column");
    }
    rows.schema_.columns.push_back(table.schema().columns[column]);
  }
  // A range past the end is cut, not refused: consumers ask for "the next rows".
  rows.row_ = std::min(options.first_row, table.rows());
  rows.end_ = rows.row_ + std::min(options.rows, table.rows() - rows.row_);
  rows.batch_rows_ = std::max(options.batch_rows, 1u);
  return rows;
}

/// Batches do not cross row groups, and begin at multiples of batch_rows within one.
std::optional<ArrowRows::Batch> ArrowRows::next() {
  if (row_ >= end_) return std::nullopt;
  RowGroupSummary about = table_.row_group(group_);
  while (row_ >= about.first_row + about.rows) about = table_.row_group(++group_);
  const std::uint64_t first = row_ - about.first_row;
  const std::uint64_t rows =
      std::min({batch_rows_ - first % batch_rows_, about.rows - first, end_ - row_});
  row_ += rows;
  return Batch{group_, static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(rows)};
}

// Thread-safe: batches are independent.
Result<std::vector<ColumnData>> ArrowRows::read(const Batch& batch) const {
  PRESSO_ASSIGN(std::vector<ColumnData> columns,
                table_.read(batch.group, columns_, batch.first, batch.rows));
  for (std::size_t i = 0; i < columns.size(); ++i) {
    PRESSO_TRY(to_arrow_layout(schema_.columns[i], columns[i]));
  }
  return columns;
}

}  // namespace presso
