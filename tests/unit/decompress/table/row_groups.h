// SPDX-License-Identifier: MIT
// Columns of every type for tests of row groups, a row group of one column, and comparing columns.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "compress/table/write/row_group_encoder.h"
#include "decompress/table/row_group_decoder.h"
#include "presso/compress.h"

namespace presso::row_groups {

enum class Nulls { kNone, kSome, kAll };
enum class Values { kEqual, kSorted, kRandom, kExtreme };

inline std::vector<ColumnType> all_types() {
  std::vector<ColumnType> types;
  for (int type = 1; type <= 17; ++type) types.push_back(static_cast<ColumnType>(type));
  return types;
}

inline ColumnSchema column_schema(ColumnType type, std::string name = "c") {
  ColumnSchema column;
  column.name = std::move(name);
  column.type = type;
  if (type == ColumnType::kDecimal64) column.precision = 18;
  if (type == ColumnType::kDecimal128) column.precision = 38;
  return column;
}

inline void add_nulls(ColumnData& column, Nulls nulls, std::mt19937_64& random) {
  if (nulls == Nulls::kNone) return;
  column.validity.assign((column.rows + 7) / 8, 0);
  if (nulls == Nulls::kAll) return;
  for (std::uint64_t row = 0; row < column.rows; ++row) {
    const bool valid = row % 5 == 4 || random() % 4 != 0;
    if (valid) column.validity[row / 8] |= static_cast<Byte>(1u << (row % 8));
  }
}

inline std::uint64_t number(Values values, std::uint64_t row, std::mt19937_64& random) {
  switch (values) {
    case Values::kEqual:
      return 42;
    case Values::kSorted:
      return 3 * row + random() % 3;
    case Values::kRandom:
      return random();
    default:
      return random() % 2 == 0 ? (random() % 2 == 0 ? 0 : ~std::uint64_t{0})
                               : (std::uint64_t{1} << 63) - random() % 2;
  }
}

inline double real(Values values, std::uint64_t row, std::mt19937_64& random) {
  constexpr double kSpecial[] = {0.0,
                                 -0.0,
                                 std::numeric_limits<double>::quiet_NaN(),
                                 std::numeric_limits<double>::infinity(),
                                 -std::numeric_limits<double>::infinity(),
                                 1e-310,
                                 -1.5};
  switch (values) {
    case Values::kEqual:
      return -0.0;
    case Values::kSorted:
      return static_cast<double>(row) / 100;
    case Values::kRandom:
      return std::ldexp(static_cast<double>(random()), static_cast<int>(random() % 100) - 100);
    default:
      return kSpecial[random() % 7];
  }
}

inline std::string text(Values values, std::uint64_t row, std::mt19937_64& random) {
  constexpr const char* kWords[] = {"carefully ", "final ", "deposits ", "sleep ", "quickly "};
  std::string made;
  switch (values) {
    case Values::kEqual:
      return "always this";
    case Values::kSorted:
      return "customer#" + std::to_string(1000000 + row / 20);
    case Values::kRandom:
      for (auto words = random() % 6; words > 0; --words) made += kWords[random() % 5];
      return made + std::to_string(random() % 10000);
    default:
      made.resize(random() % 30);
      for (char& byte : made) byte = static_cast<char>(random());
      return made;
  }
}

/// What stands under a null is another value, but for strings, which are empty there.
inline ColumnData make_column(ColumnType type, std::uint64_t rows, Nulls nulls, Values values,
                              std::uint64_t seed = 1) {
  std::mt19937_64 random(seed);
  ColumnData column;
  column.type = type;
  column.rows = rows;
  add_nulls(column, nulls, random);
  if (is_string(type)) {
    column.offsets.push_back(0);
    for (std::uint64_t row = 0; row < rows; ++row) {
      const bool null =
          !column.validity.empty() && (column.validity[row / 8] >> (row % 8) & 1) == 0;
      const std::string made = null ? "" : text(values, row, random);
      column.values.append({reinterpret_cast<const Byte*>(made.data()), made.size()});
      column.offsets.push_back(static_cast<std::int64_t>(column.values.size()));
    }
    return column;
  }
  const std::uint32_t width = value_bytes(type);
  column.values.grow(width == 0 ? (rows + 7) / 8 : rows * width);
  std::fill_n(column.values.data(), column.values.size(), Byte{0});
  for (std::uint64_t row = 0; row < rows; ++row) {
    Byte bytes[16];
    store(bytes, number(values, row, random));
    store(bytes + 8, values == Values::kSorted ? 0 : number(values, row, random));
    if (type == ColumnType::kDouble) store(bytes, real(values, row, random));
    if (type == ColumnType::kFloat) store(bytes, static_cast<float>(real(values, row, random)));
    if (width == 0) {
      column.values.data()[row / 8] |= static_cast<Byte>((bytes[0] >> 1 & 1) << (row % 8));
    } else {
      std::memcpy(column.values.data() + row * width, bytes, width);
    }
  }
  return column;
}

/// Random numbers that come again after `period` rows: what packing cannot use and bytes can.
inline ColumnData repeating_column(ColumnType type, std::uint64_t rows, std::uint64_t period) {
  ColumnData column = make_column(type, rows, Nulls::kNone, Values::kRandom);
  const std::size_t width = value_bytes(type);
  for (std::uint64_t row = period; row < rows; ++row) {
    std::memcpy(column.values.data() + row * width, column.values.data() + (row - period) * width,
                width);
  }
  return column;
}

inline ColumnData strings_column(const std::vector<std::string>& rows) {
  ColumnData column;
  column.rows = rows.size();
  column.offsets.push_back(0);
  for (const std::string& row : rows) {
    column.values.append({reinterpret_cast<const Byte*>(row.data()), row.size()});
    column.offsets.push_back(static_cast<std::int64_t>(column.values.size()));
  }
  return column;
}

/// A value's bytes; of a bool, 0 or 1.
inline Bytes bytes_at(const ColumnView& column, std::uint64_t row) {
  constexpr static Byte kBits[] = {0, 1};
  if (column.type == ColumnType::kBool) {
    return {kBits + (column.values[row / 8] >> (row % 8) & 1), 1};
  }
  if (is_string(column.type)) return column.string(row);
  return {column.values + row * value_bytes(column.type), value_bytes(column.type)};
}

inline bool same_value(const ColumnView& a, std::uint64_t row_a, const ColumnView& b,
                       std::uint64_t row_b) {
  if (a.is_null(row_a) || b.is_null(row_b)) return a.is_null(row_a) == b.is_null(row_b);
  const Bytes left = bytes_at(a, row_a);
  const Bytes right = bytes_at(b, row_b);
  return std::equal(left.begin(), left.end(), right.begin(), right.end());
}

/// The first row of `part`, from row `first` of `whole` on, that differs; part.rows where none.
inline std::uint64_t first_difference(const ColumnView& whole, std::uint64_t first,
                                      const ColumnView& part) {
  std::uint64_t row = 0;
  while (row < part.rows && same_value(whole, first + row, part, row)) ++row;
  return row;
}

/// A row group as it is in a file, and what it is read with.
struct Stored {
  TableSchema schema;
  RowGroup directory;
  std::vector<Byte> blocks;

  RowGroupDecoder decoder(const RandomAccess& file) const {
    return RowGroupDecoder(schema, directory, file, 0);
  }
  Result<ColumnData> read(std::uint32_t first, std::uint32_t rows) const {
    const MemoryRandomAccess file(blocks);
    return decoder(file).read(0, first, rows);
  }
  Result<ColumnData> read() const { return read(0, directory.rows); }
  Status check() const {
    const MemoryRandomAccess file(blocks);
    return decoder(file).check();
  }
  std::size_t offset_of(std::size_t block) const {
    std::size_t at = 0;
    for (std::size_t i = 0; i < block; ++i) at += directory.blocks[i].stored_bytes;
    return at;
  }
};

/// Through the serialised directory, which must be what the encoder made.
inline Stored store_group(TableSchema schema, const EncodedRowGroup& encoded) {
  Stored stored{std::move(schema), {}, {}};
  const std::vector<Byte> payload = serialise_row_group(encoded.directory);
  auto parsed = parse_row_group(payload, stored.schema);
  EXPECT_TRUE(parsed.ok()) << parsed.error().message();
  if (parsed.ok()) stored.directory = std::move(*parsed);
  EXPECT_EQ(serialise_row_group(stored.directory), payload);
  const Bytes blocks = encoded.blocks.bytes();
  stored.blocks.assign(blocks.begin(), blocks.end());
  EXPECT_EQ(stored.blocks.size(), stored.directory.stored_bytes());
  return stored;
}

inline Stored encode_column(const ColumnData& column, bool quick = false) {
  TableSchema schema;
  schema.columns.push_back(column_schema(column.type));
  RowGroupEncoder encoder(schema, table_parameters(CompressOptions{}, quick));
  const ColumnView view = column.view();
  const EncodedRowGroup encoded = encoder.encode({&view, 1}, {});
  return store_group(schema, encoded);
}

}  // namespace presso::row_groups
