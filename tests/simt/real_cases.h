// SPDX-License-Identifier: MIT
// Tables with columns of doubles and floats, and answers of queries about them to the bit, for
// tests of queries on a GPU (tests/queries/doubles.txt).
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "presso/sql.h"
#include "presso/table_writer.h"
#include "tests/simt/queried_table.h"

namespace presso::test {

/// The answer with the bits of all numbers, so that -0 differs from 0 and no digit is rounded.
class BitSink final : public ResultSink {
 public:
  Status begin(const TableSchema& of) override {
    schema_ = of;
    return {};
  }
  Result<bool> write(ResultBatch batch, Buffer) override {
    for (std::uint64_t row = 0; row < batch[0].rows; ++row) {
      for (const ColumnData& column : batch) text += text_of(column.view(), row) + ",";
      text.back() = '\n';
    }
    return true;
  }

  std::string text;

 private:
  static std::string text_of(const ColumnView& column, std::uint64_t row) {
    if (column.is_null(row)) return "null";
    if (is_string(column.type)) {
      const Bytes bytes = column.string(row);
      return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    if (column.type == ColumnType::kBool) {
      return (column.values[row / 8] >> (row % 8) & 1) != 0 ? "true" : "false";
    }
    const std::size_t width = value_bytes(column.type);
    std::string hex;
    for (std::size_t i = width; i-- > 0;) {
      const Byte byte = column.values[row * width + i];
      for (const unsigned digit : {byte / 16u, byte % 16u}) hex += "0123456789abcdef"[digit];
    }
    return hex;
  }

  TableSchema schema_;
};

inline Answer bits_with(const Query& query, const QueryOptions& options) {
  BitSink sink;
  const auto done = query.run(options, sink);
  if (!done.ok()) return {"error: " + done.error().message(), {}};
  return {sink.text, *done};
}

inline Answer bits_of(const Query& query, std::shared_ptr<QueryDevice> device) {
  QueryOptions options;
  options.threads = 2;
  options.device = std::move(device);
  return bits_with(query, options);
}

template <class T>
ColumnData column_of(ColumnType type, std::uint32_t rows,
                     const std::function<T(std::uint32_t row)>& value) {
  ColumnData column;
  column.type = type;
  column.rows = rows;
  column.values.resize_discarding(rows * sizeof(T));
  for (std::uint32_t row = 0; row < rows; ++row) {
    const T one = value(row);
    std::memcpy(column.values.data() + row * sizeof(T), &one, sizeof one);
  }
  return column;
}

/// Columns by name, written as a table.
struct TableOfColumns {
  using Described = std::vector<std::pair<ColumnSchema, ColumnView>>;

  TableOfColumns(const std::vector<std::pair<std::string, ColumnData>>& columns,
                 std::uint32_t group_rows)
      : TableOfColumns(described(columns), group_rows) {}
  TableOfColumns(const Described& columns, std::uint32_t group_rows) {
    TableSchema schema;
    std::vector<ColumnView> views;
    for (const auto& [column, data] : columns) {
      schema.columns.push_back(column);
      views.push_back(data);
    }
    VectorSink sink(bytes);
    TableWriterOptions options;
    options.group_rows = group_rows;
    options.compress.threads = 1;
    options.compress.level = kMinLevel;  // at which numbers stay packed
    auto writer = TableWriter::open(sink, schema, options);
    EXPECT_TRUE(writer.ok()) << writer.error().message();
    EXPECT_TRUE(writer->append(views).ok());
    EXPECT_TRUE(writer->close().ok());
    access = std::make_unique<MemoryRandomAccess>(bytes);
    table.emplace(*Table::open(*access));
  }

  std::vector<Byte> bytes;
  std::unique_ptr<MemoryRandomAccess> access;
  std::optional<Table> table;

 private:
  static Described described(const std::vector<std::pair<std::string, ColumnData>>& columns) {
    Described all;
    for (const auto& [name, data] : columns) {
      ColumnSchema schema;
      schema.name = name;
      schema.type = data.type;
      schema.nullable = !data.validity.empty();
      all.emplace_back(std::move(schema), data.view());
    }
    return all;
  }
};

/// A double with any sign and mantissa, and an exponent of that range.
inline double any_real(corpora::Random& random, int least_exponent, int most_exponent) {
  const double mantissa = 1.0 + static_cast<double>(random.below(1u << 30)) / (1u << 30) +
                          static_cast<double>(random.below(1u << 22)) / (1ull << 52);
  const auto span = static_cast<std::uint32_t>(most_exponent - least_exponent + 1);
  const double value = std::ldexp(mantissa, least_exponent + static_cast<int>(random.below(span)));
  return random.below(2) == 0 ? value : -value;
}

inline ColumnData with_nulls(ColumnData column, corpora::Random& random, std::uint32_t one_of) {
  column.validity.assign((column.rows + 7) / 8, 0);
  for (std::uint64_t row = 0; row < column.rows; ++row) {
    if (random.below(one_of) == 0) continue;
    column.validity[row / 8] = static_cast<Byte>(column.validity[row / 8] | 1u << (row % 8));
  }
  return column;
}

}  // namespace presso::test
