// SPDX-License-Identifier: MIT
// Packs and unpacks batches. A batch is one piece of memory: its size, the number of rows, then
// each column's validity, offsets and values, aligned to 8 bytes so that they can be viewed in
// place. Tested by tests/unit/compress/table/row_sorter_test.cpp.
#include "compress/table/rows/row_batch.h"

#include <algorithm>

namespace presso {
namespace {

/// Arrays are aligned, because offsets of strings are read where they stand.
constexpr std::size_t kAlignment = 8;

/// Pads with zeros to kAlignment.
void append_aligned(Buffer& batch, Bytes bytes) {
  constexpr Byte kPadding[kAlignment] = {};
  batch.append(bytes);
  batch.append({kPadding, round_up(batch.size(), kAlignment) - batch.size()});
}

void append_number(Buffer& batch, std::uint64_t number) {
  Byte bytes[sizeof number];
  store(bytes, number);
  batch.append(bytes);
}

Bytes bytes_of(const std::vector<std::int64_t>& offsets) {
  return {reinterpret_cast<const Byte*>(offsets.data()), offsets.size() * sizeof offsets[0]};
}

/// Takes the pieces of a batch in order; it trusts the batch, which this process has written.
class BatchReader {
 public:
  explicit BatchReader(const Byte* batch) : at_(batch) {}

  const Byte* bytes(std::size_t size) { return std::exchange(at_, at_ + round_up(size, 8)); }
  std::uint64_t number() { return load<std::uint64_t>(bytes(sizeof(std::uint64_t))); }

 private:
  const Byte* at_;
};

/// The order of pieces is that of pack_batch().
ColumnView read_column(ColumnType type, std::uint64_t rows, BatchReader& reader) {
  ColumnView column;
  column.type = type;
  column.rows = rows;
  const auto bitmap_bytes = static_cast<std::size_t>((rows + 7) / 8);
  if (reader.number() != 0) column.validity = reader.bytes(bitmap_bytes);
  if (is_string(type)) {
    const std::size_t size = (static_cast<std::size_t>(rows) + 1) * sizeof(std::int64_t);
    column.offsets = reinterpret_cast<const std::int64_t*>(reader.bytes(size));
    column.values = reader.bytes(static_cast<std::size_t>(column.offsets[rows]));
  } else {
    const std::size_t width = value_bytes(type);
    column.values =
        reader.bytes(width == 0 ? bitmap_bytes : static_cast<std::size_t>(rows) * width);
  }
  return column;
}

/// How many bytes a row's strings and numbers take; those under nulls count as well.
std::uint64_t row_bytes(std::span<const ColumnView> columns, std::uint32_t row) {
  std::uint64_t bytes = 0;
  for (const ColumnView& column : columns) {
    bytes += is_string(column.type) ? column.string(row).size() + sizeof(std::int64_t)
                                    : std::max(value_bytes(column.type), 1u);
  }
  return bytes;
}

/// How many rows of `order` become the next batch: kBatchRows, or fewer if they reach kBatchBytes.
std::size_t rows_of_batch(std::span<const ColumnView> columns,
                          std::span<const std::uint32_t> order) {
  const std::size_t most = std::min<std::size_t>(order.size(), kBatchRows);
  std::uint64_t bytes = 0;
  std::size_t rows = 0;
  while (rows < most && bytes < kBatchBytes) bytes += row_bytes(columns, order[rows++]);
  return rows;
}

}  // namespace

/// The size is filled in at the end.
Buffer pack_batch(std::span<const ColumnData> columns) {
  Buffer batch;
  append_number(batch, 0);
  append_number(batch, columns.front().rows);
  for (const ColumnData& column : columns) {
    append_number(batch, column.validity.empty() ? 0 : 1);
    append_aligned(batch, column.validity);
    if (is_string(column.type)) append_aligned(batch, bytes_of(column.offsets));
    append_aligned(batch, column.values.bytes());
  }
  store<std::uint64_t>(batch.data(), batch.size());
  return batch;
}

/// Nothing is copied: views point into the batch.
std::vector<ColumnView> unpack_batch(const TableSchema& schema, const Buffer& batch) {
  BatchReader reader(batch.data() + kBatchSizeBytes);
  const std::uint64_t rows = reader.number();
  std::vector<ColumnView> columns;
  for (const ColumnSchema& column : schema.columns) {
    columns.push_back(read_column(column.type, rows, reader));
  }
  return columns;
}

/// Rows are gathered batch by batch, so memory is that of one batch.
Status pack_rows(const TableSchema& schema, std::vector<ColumnView> columns,
                 std::span<const std::uint32_t> order, const std::function<Status(Buffer)>& take) {
  const std::vector<ColumnView> sources[] = {std::move(columns)};
  std::vector<RowPick> picks;
  while (!order.empty()) {
    picks.clear();
    const std::size_t rows = rows_of_batch(sources[0], order);
    for (const std::uint32_t row : order.first(rows)) picks.push_back({0, row});
    std::vector<ColumnData> batch = empty_columns(schema);
    append_rows(sources, picks, batch);
    PRESSO_TRY(take(pack_batch(batch)));
    order = order.subspan(rows);
  }
  return {};
}

}  // namespace presso
