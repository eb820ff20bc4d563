// SPDX-License-Identifier: MIT
// Tables of some columns for tests of slices, and what slices should give, computed row by row from
// the columns themselves.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "decompress/table/column_slice.h"
#include "format/columns/zone_image.h"
#include "presso/table_writer.h"
#include "tests/unit/decompress/table/row_groups.h"

namespace presso::slices {

using Bits = std::array<std::uint64_t, kVectorBits>;

inline bool bit(const Bits& bits, std::uint32_t row) {
  return (bits[row / 64] >> (row % 64) & 1) != 0;
}

/// A file of these columns, all of one length, in row groups of `group_rows` rows.
inline std::vector<Byte> table_of(std::span<const ColumnData> columns,
                                  std::uint32_t group_rows = 1u << 20) {
  TableSchema schema;
  std::vector<ColumnView> views;
  for (const ColumnData& column : columns) {
    schema.columns.push_back(row_groups::column_schema(
        column.type, std::string("c").append(std::to_string(views.size()))));
    views.push_back(column.view());
  }
  std::vector<Byte> file;
  VectorSink sink(file);
  TableWriterOptions options;
  options.group_rows = group_rows;
  options.compress.threads = 1;
  auto writer = TableWriter::open(sink, schema, options);
  EXPECT_TRUE(writer.ok()) << writer.error().message();
  if (!writer.ok()) return file;
  const Status appended = writer->append(views);
  EXPECT_TRUE(appended.ok()) << appended.error().message();
  const auto closed = writer->close();
  EXPECT_TRUE(closed.ok()) << closed.error().message();
  return file;
}

/// An opened file.
struct Opened {
  explicit Opened(Bytes file, const DecodeOptions& options = {}) : access(file) {
    auto opened = Table::open(access, options);
    EXPECT_TRUE(opened.ok()) << opened.error().message();
    if (opened.ok()) table = std::make_unique<Table>(std::move(*opened));
  }
  std::shared_ptr<const GroupReader> group(std::uint64_t number = 0,
                                           ReadCounters* counters = nullptr) const {
    auto opened = GroupReader::open(*table, number, counters);
    EXPECT_TRUE(opened.ok()) << opened.error().message();
    return opened.ok() ? *opened : nullptr;
  }
  MemoryRandomAccess access;
  std::unique_ptr<Table> table;
};

/// The image of a value; ~0 for NaN.
inline std::uint64_t image_at(const ColumnView& column, std::uint64_t row) {
  const Byte* const at = column.values + row * value_bytes(column.type);
  switch (column.type) {
    case ColumnType::kBool:
      return column.values[row / 8] >> (row % 8) & 1;
    case ColumnType::kInt8:
      return signed_image(load<std::int8_t>(at));
    case ColumnType::kInt16:
      return signed_image(load<std::int16_t>(at));
    case ColumnType::kInt32:
    case ColumnType::kDate32:
      return signed_image(load<std::int32_t>(at));
    case ColumnType::kUint8:
      return *at;
    case ColumnType::kUint16:
      return load<std::uint16_t>(at);
    case ColumnType::kUint32:
      return load<std::uint32_t>(at);
    case ColumnType::kUint64:
      return load<std::uint64_t>(at);
    case ColumnType::kFloat: {
      const double value{load<float>(at)};
      return std::isnan(value) ? ~std::uint64_t{0} : double_image(value);
    }
    case ColumnType::kDouble: {
      const auto value = load<double>(at);
      return std::isnan(value) ? ~std::uint64_t{0} : double_image(value);
    }
    default:
      return signed_image(load<std::int64_t>(at));
  }
}

}  // namespace presso::slices
