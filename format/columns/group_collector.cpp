// SPDX-License-Identifier: MIT
// Checks batches and copies their rows into row groups. Batches are the caller's memory: they are
// checked in full before a byte of them is taken.
#include "format/columns/group_collector.h"

#include <algorithm>
#include <cstring>

#include "format/columns/bit_copy.h"
#include "format/columns/utf8_check.h"

namespace presso {
namespace {

/// The most bytes of strings in one row, 2 GiB. The strings of a row group may have 4 GiB, so there
/// is always room for its last row, the one with which it reaches its size.
constexpr std::uint64_t kMostRowBytes = std::uint64_t{2} << 30;
/// How many rows are counted first in the search for the end of a row group.
constexpr std::uint64_t kFirstStep = 1024;

/// kInvalidArgument, naming the column.
Error refuse(const ColumnSchema& column, const std::string& what) {
  return make_error(ErrorCode::kInvalidArgument, "column '" + column.name + "': " + what);
}

/// A row's name in messages, where rows count from 1.
std::string row_name(std::uint64_t row) {
  return "row " + grouped(row + 1);
}

/// How many bytes the strings of these rows have; those under nulls do not count.
std::uint64_t string_bytes(const ColumnView& column, std::uint64_t first, std::uint64_t end) {
  if (column.validity == nullptr) {
    return static_cast<std::uint64_t>(column.offsets[end] - column.offsets[first]);
  }
  std::uint64_t bytes = 0;
  for (std::uint64_t row = first; row < end; ++row) {
    const auto length = static_cast<std::uint64_t>(column.offsets[row + 1] - column.offsets[row]);
    bytes += column.is_null(row) ? 0 : length;
  }
  return bytes;
}

/// Whether all strings are valid UTF-8. Rows between two nulls are checked together.
bool has_valid_utf8(const ColumnView& column) {
  const std::span offsets(column.offsets, static_cast<std::size_t>(column.rows) + 1);
  if (column.validity == nullptr) return are_valid_utf8(column.values, offsets);
  for (std::size_t row = 0; row < column.rows; ++row) {
    const std::size_t first = row;
    // What stands under nulls need not be UTF-8.
    while (row < column.rows && !column.is_null(row)) ++row;
    if (!are_valid_utf8(column.values, offsets.subspan(first, row - first + 1))) return false;
  }
  return true;
}

/// Checks that offsets ascend from 0 and, if the schema promises UTF-8, that strings are valid.
Status check_strings(const ColumnSchema& schema, const ColumnView& column) {
  if (column.offsets == nullptr) return refuse(schema, "has no offsets");
  const std::span offsets(column.offsets, static_cast<std::size_t>(column.rows) + 1);
  if (offsets.front() != 0 || !std::is_sorted(offsets.begin(), offsets.end())) {
    return refuse(schema, "offsets do not begin with 0, or fall");
  }
  if (offsets.back() > 0 && column.values == nullptr) return refuse(schema, "has no values");
  if (schema.type == ColumnType::kUtf8 && schema.valid_utf8 && !has_valid_utf8(column)) {
    return refuse(schema, "a string is not UTF-8, as the schema says");
  }
  return {};
}

/// Refuses a null in a column that must have none, and names its row.
Status check_nulls(const ColumnSchema& schema, const ColumnView& column,
                   std::uint64_t rows_before) {
  if (schema.nullable || column.validity == nullptr) return {};
  // Counting is fast; the row is looked for only for the message.
  if (count_bits(column.validity, column.rows) == column.rows) return {};
  std::uint64_t row = 0;
  while (!column.is_null(row)) ++row;
  return refuse(schema, row_name(rows_before + row) + " is null, but the column is not nullable");
}

/// Refuses a row of more than kMostRowBytes. Single rows are looked at only if all rows together
/// have more.
Status check_row_bytes(std::span<const ColumnView> columns, std::uint64_t rows_before) {
  const auto bytes_of = [&](std::uint64_t first, std::uint64_t end) {
    std::uint64_t bytes = 0;
    for (const ColumnView& column : columns) {
      if (is_string(column.type)) bytes += string_bytes(column, first, end);
    }
    return bytes;
  };
  const std::uint64_t rows = columns.front().rows;
  // The usual case costs one pass.
  if (bytes_of(0, rows) <= kMostRowBytes) return {};
  for (std::uint64_t row = 0; row < rows; ++row) {
    if (bytes_of(row, row + 1) <= kMostRowBytes) continue;
    return make_error(ErrorCode::kInvalidArgument,
                      row_name(rows_before + row) + " has more than 2 GiB");
  }
  return {};
}

/// Values of 1 to 16 bytes are copied together.
void append_fixed(const ColumnView& from, std::uint64_t first, std::uint64_t rows, ColumnData& to) {
  // Values under nulls are copied as they are.
  const std::size_t width = value_bytes(from.type);
  to.values.append({from.values + first * width, static_cast<std::size_t>(rows) * width});
}

/// Appends bits. The bytes that the bitmap grows by are set to 0 first, because copy_bits() works
/// only where the target's bits are 0.
void append_bits(const ColumnView& from, std::uint64_t first, std::uint64_t rows, ColumnData& to) {
  const std::size_t before = to.values.size();
  to.values.grow(static_cast<std::size_t>((to.rows + rows + 7) / 8));
  std::fill(to.values.data() + before, to.values.data() + to.values.size(), Byte{0});
  copy_bits(from.values, first, rows, to.values.data(), to.rows);
}

/// Appends strings without the bytes that stand under nulls.
void append_nullable_strings(const ColumnView& from, std::uint64_t first, std::uint64_t rows,
                             ColumnData& to) {
  for (std::uint64_t row = first; row < first + rows; ++row) {
    if (!from.is_null(row)) to.values.append(from.string(row));
    to.offsets.push_back(static_cast<std::int64_t>(to.values.size()));
  }
}

/// Without nulls all bytes are copied at once, and offsets moved by a constant.
void append_strings(const ColumnView& from, std::uint64_t first, std::uint64_t rows,
                    ColumnData& to) {
  if (from.validity != nullptr) return append_nullable_strings(from, first, rows, to);
  const std::int64_t begin = from.offsets[first];
  // From offsets of the batch to those of the row group.
  const std::int64_t shift = static_cast<std::int64_t>(to.values.size()) - begin;
  const auto bytes = static_cast<std::size_t>(from.offsets[first + rows] - begin);
  if (bytes > 0) to.values.append({from.values + begin, bytes});
  for (std::uint64_t row = first + 1; row <= first + rows; ++row) {
    to.offsets.push_back(from.offsets[row] + shift);
  }
}

/// Before the first null a column has no validity bits, as all its rows have values.
void append_validity(const ColumnView& from, std::uint64_t first, std::uint64_t rows,
                     ColumnData& to) {
  if (from.validity == nullptr && to.validity.empty()) return;
  const auto set = [&](std::uint64_t begin, std::uint64_t count) {
    static constexpr Byte kOnes[] = {255, 255, 255, 255, 255, 255, 255, 255};
    for (; count > 0; count -= std::min<std::uint64_t>(count, 64)) {
      copy_bits(kOnes, 0, std::min<std::uint64_t>(count, 64), to.validity.data(), begin);
      begin += 64;
    }
  };
  const bool had_none = to.validity.empty();
  to.validity.resize(static_cast<std::size_t>((to.rows + rows + 7) / 8));
  if (had_none) set(0, to.rows);
  if (from.validity == nullptr) return set(to.rows, rows);
  copy_bits(from.validity, first, rows, to.validity.data(), to.rows);
}

}  // namespace

/// Checks everything that the encoder relies on; linear in the batch.
Status check_batch(const TableSchema& schema, std::span<const ColumnView> columns,
                   std::uint64_t rows_before) {
  if (columns.size() != schema.columns.size()) {
    return make_error(ErrorCode::kInvalidArgument, "a batch of " + std::to_string(columns.size()) +
                                                       " columns for a table of " +
                                                       std::to_string(schema.columns.size()));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnSchema& wanted = schema.columns[i];
    const ColumnView& column = columns[i];
    if (column.type != wanted.type) return refuse(wanted, "is of another type in the batch");
    if (column.rows != columns.front().rows) {
      return refuse(wanted, grouped(column.rows) + " rows, " + grouped(columns.front().rows) +
                                " in the columns before it");
    }
    // Columns without rows may have null pointers.
    if (column.rows == 0) continue;
    if (is_string(column.type)) {
      PRESSO_TRY(check_strings(wanted, column));
    } else if (column.values == nullptr) {
      return refuse(wanted, "has no values");
    }
    PRESSO_TRY(check_nulls(wanted, column, rows_before));
  }
  return columns.front().rows == 0 ? Status{} : check_row_bytes(columns, rows_before);
}

GroupCollector::GroupCollector(const TableSchema& schema, CollectorLimits limits)
    : schema_(schema), limits_(limits) {
  clear();
}

/// Empty columns of the schema's types.
void GroupCollector::clear() {
  columns_.clear();
  for (const ColumnSchema& column : schema_.columns) {
    columns_.emplace_back().type = column.type;
    if (is_string(column.type)) columns_.back().offsets.push_back(0);
  }
  rows_ = 0;
  bytes_ = 0;
}

std::uint64_t GroupCollector::bytes_of(std::span<const ColumnView> columns, std::uint64_t first,
                                       std::uint64_t rows) const {
  std::uint64_t bytes = 0;
  for (const ColumnView& column : columns) {
    if (is_string(column.type)) {
      bytes += rows * sizeof(std::int64_t);
      bytes += string_bytes(column, first, first + rows);
    } else {
      bytes += rows * std::max(value_bytes(column.type), 1u);
    }
  }
  return bytes;
}

/// The least number of rows with which the row group reaches its size: an exponential search,
/// whose steps double until they reach it and then halve. Each row is counted a few times, as
/// only those not yet passed are.
std::uint64_t GroupCollector::rows_that_fit(std::span<const ColumnView> columns,
                                            std::uint64_t first) const {
  const std::uint64_t most =
      std::min<std::uint64_t>(columns.front().rows - first, limits_.rows - rows_);
  std::uint64_t low = 0;  // rows that do not fill it
  std::uint64_t high = most;
  std::uint64_t bytes = bytes_;
  for (std::uint64_t step = kFirstStep; high - low > 1;) {
    const std::uint64_t rows = std::min(step, (high - low) / 2);
    const std::uint64_t more = bytes_of(columns, first + low, rows);
    if (bytes + more >= limits_.bytes) {
      high = low + rows;
    } else {
      low += rows;
      bytes += more;
      step *= 2;
    }
  }
  return high;
}

/// Copies column by column.
std::uint64_t GroupCollector::take(std::span<const ColumnView> columns, std::uint64_t first) {
  const std::uint64_t rows = rows_that_fit(columns, first);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnView& from = columns[i];
    ColumnData& to = columns_[i];
    append_validity(from, first, rows, to);
    if (is_string(from.type)) {
      append_strings(from, first, rows, to);
    } else if (from.type == ColumnType::kBool) {
      append_bits(from, first, rows, to);
    } else {
      append_fixed(from, first, rows, to);
    }
    to.rows += rows;
  }
  bytes_ += bytes_of(columns, first, rows);
  rows_ += rows;
  return rows;
}

// Buffers go with the rows; the next row group allocates its own.
std::vector<ColumnData> GroupCollector::finish() {
  std::vector<ColumnData> finished = std::move(columns_);
  clear();
  return finished;
}

}  // namespace presso
