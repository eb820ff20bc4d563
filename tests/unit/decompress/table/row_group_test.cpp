// SPDX-License-Identifier: MIT
// Row groups through encoder and decoder: every type, nulls, sizes around those of blocks, every
// representation of strings, ranges of rows, zones, and exact lines. Damage: row_group_damage_test.
#include <cmath>

#include "format/columns/column_block.h"
#include "format/columns/zone_image.h"
#include "tests/unit/decompress/table/row_groups.h"

namespace presso::row_groups::row_group_test {
namespace {

void expect_round_trip(const ColumnData& column, const Stored& stored) {
  const auto read = stored.read();
  ASSERT_TRUE(read.ok()) << read.error().message();
  ASSERT_EQ(read->rows, column.rows);
  ASSERT_EQ(first_difference(column.view(), 0, read->view()), column.rows);
  EXPECT_TRUE(stored.check().ok());
}

void expect_ranges(const ColumnData& column, const Stored& stored, int ranges) {
  std::mt19937_64 random(7);
  for (int i = 0; i < ranges; ++i) {
    const auto first = static_cast<std::uint32_t>(random() % (column.rows + 1));
    const auto most = static_cast<std::uint32_t>(column.rows) - first;
    const auto rows = static_cast<std::uint32_t>(random() % (std::uint64_t{most} + 1));
    const auto part = stored.read(first, i % 2 == 0 ? rows : std::min(rows, 20u));
    ASSERT_TRUE(part.ok()) << part.error().message();
    ASSERT_EQ(first_difference(column.view(), first, part->view()), part->rows) << first;
    for (std::uint64_t bit = part->rows; bit < 8 * part->validity.size(); ++bit) {
      ASSERT_EQ(part->validity[bit / 8] >> (bit % 8) & 1, 0) << "behind the last row";
    }
  }
}

class EveryType : public testing::TestWithParam<ColumnType> {};

TEST_P(EveryType, RoundTripsWithAndWithoutNullsAndByRangesOfRows) {
  for (const std::uint64_t rows : {1, 7, 1000, 65536, 65537, 200001}) {
    for (const Nulls nulls : {Nulls::kNone, Nulls::kSome, Nulls::kAll}) {
      for (int values = 0; values < 4; ++values) {
        const bool large = rows > 1000;
        if (large && static_cast<int>(rows + static_cast<std::uint64_t>(nulls)) % 4 != values) {
          continue;
        }
        SCOPED_TRACE(testing::Message() << rows << " rows, nulls " << static_cast<int>(nulls)
                                        << ", values " << values);
        const ColumnData column =
            make_column(GetParam(), rows, nulls, static_cast<Values>(values), rows);
        const Stored stored = encode_column(column);
        expect_round_trip(column, stored);
        expect_ranges(column, stored, large ? 4 : 8);
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(EveryType, RoundTripsWithoutCoding) {
  for (const std::uint64_t rows : {1, 1000, 65537, 200001}) {
    for (const Values values : {Values::kEqual, Values::kSorted, Values::kRandom}) {
      const ColumnData column = make_column(GetParam(), rows, Nulls::kSome, values, rows);
      const Stored stored = encode_column(column, true);
      expect_round_trip(column, stored);
      expect_ranges(column, stored, 4);
    }
  }
}

TEST_P(EveryType, RowsOutsideTheGroupAreAnInvalidArgumentAndNoRowsAreFine) {
  const Stored stored =
      encode_column(make_column(GetParam(), 70000, Nulls::kSome, Values::kRandom));
  for (const std::uint32_t first : {0u, 5u, 65536u, 70000u}) {
    const auto none = stored.read(first, 0);
    ASSERT_TRUE(none.ok());
    EXPECT_EQ(none->rows, 0u);
  }
  EXPECT_EQ(stored.read(70000, 1).error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(stored.read(1, ~0u).error().code, ErrorCode::kInvalidArgument);
}

/// Independent of the encoder: the image of a value that is not null and no NaN.
std::uint64_t image_of(const ColumnView& column, std::uint64_t row) {
  const Bytes value = bytes_at(column, row);
  if (is_string(column.type)) {
    std::uint64_t image = 0;
    for (std::size_t i = 0; i < 8; ++i) {
      image = image << 8 | (i < value.size() ? value[i] : 0u);
    }
    return image;
  }
  if (column.type == ColumnType::kFloat || column.type == ColumnType::kDouble) return 0;
  std::uint64_t bits = 0;
  const std::size_t from = value.size() == 16 ? 8 : 0;
  std::memcpy(&bits, value.data() + from, value.size() - from);
  if (!is_signed(column.type)) return bits;
  const auto unused = 64 - 8 * (value.size() - from);
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(bits << unused) >> unused) ^ kTopBit;
}

double real_at(const ColumnView& column, std::uint64_t row) {
  const Bytes value = bytes_at(column, row);
  float single = 0;
  double real = 0;
  if (value.size() == 4) {
    std::memcpy(&single, value.data(), 4);
    return double{single};
  }
  std::memcpy(&real, value.data(), 8);
  return real;
}

struct Bounds {
  std::uint64_t least = ~std::uint64_t{0}, most = 0;
  double least_real = INFINITY, most_real = -INFINITY;
  Byte flags = kZoneKnown | kZoneNoValue;
};

Bounds bounds_of(const ColumnView& column, std::uint64_t first, std::uint64_t rows) {
  Bounds bounds;
  const bool real = column.type == ColumnType::kFloat || column.type == ColumnType::kDouble;
  for (std::uint64_t row = first; row < first + rows; ++row) {
    if (column.is_null(row)) {
      bounds.flags |= kZoneHasNull;
    } else if (real && std::isnan(real_at(column, row))) {
      bounds.flags |= kZoneHasNan;
    } else {
      bounds.flags &= static_cast<Byte>(~kZoneNoValue);
      bounds.least = std::min(bounds.least, image_of(column, row));
      bounds.most = std::max(bounds.most, image_of(column, row));
      if (real) bounds.least_real = std::min(bounds.least_real, real_at(column, row));
      if (real) bounds.most_real = std::max(bounds.most_real, real_at(column, row));
    }
  }
  return bounds;
}

TEST_P(EveryType, ZonesOfEachBlockAreItsLeastAndMostValues) {
  const bool real = GetParam() == ColumnType::kFloat || GetParam() == ColumnType::kDouble;
  for (int values = 0; values < 4; ++values) {
    const ColumnData column =
        make_column(GetParam(), 66000, Nulls::kSome, static_cast<Values>(values));
    const Stored stored = encode_column(column);
    std::uint64_t row = 0;
    for (const ColumnBlock& block : stored.directory.blocks) {
      const bool zones =
          block.stream == ColumnStream::kValues || block.stream == ColumnStream::kCodes ||
          block.stream == ColumnStream::kLengths || block.stream == ColumnStream::kTokenCounts;
      if (!zones) continue;
      const Bounds bounds = bounds_of(column.view(), row, block.rows);
      EXPECT_EQ(block.zone_flags, bounds.flags);
      if (!real) {
        EXPECT_EQ(block.least, bounds.least);
        EXPECT_EQ(block.most, bounds.most);
      } else {
        EXPECT_EQ(double_of_image(block.least), bounds.least_real);
        EXPECT_EQ(double_of_image(block.most), bounds.most_real);
        EXPECT_FALSE(std::signbit(double_of_image(block.least)) && bounds.least_real == 0);
        EXPECT_FALSE(std::signbit(double_of_image(block.most)) && bounds.most_real == 0);
      }
      row += block.rows;
    }
    EXPECT_EQ(row, column.rows);
  }
}

INSTANTIATE_TEST_SUITE_P(RowGroup, EveryType, testing::ValuesIn(all_types()));

TEST(RowGroup, OfNaNsAloneHasNoValueInItsZone) {
  ColumnData column;
  column.type = ColumnType::kDouble;
  column.rows = 10;
  const double nan = std::nan("");
  for (int i = 0; i < 10; ++i) column.values.append({reinterpret_cast<const Byte*>(&nan), 8});
  const Stored stored = encode_column(column);
  EXPECT_EQ(stored.directory.blocks[0].zone_flags, kZoneKnown | kZoneHasNan | kZoneNoValue);
  expect_round_trip(column, stored);
}

void expect_strings(const std::vector<std::string>& rows, Representation expected) {
  const ColumnData column = strings_column(rows);
  const Stored stored = encode_column(column);
  EXPECT_EQ(stored.directory.columns[0].representation, expected);
  EXPECT_EQ(stored.directory.columns[0].value_bytes, column.values.size());
  expect_round_trip(column, stored);
  expect_ranges(column, stored, 12);
}

TEST(RowGroupNumbers, ThatComeAgainAfterManyRowsAreStoredAsBytes) {
  for (const ColumnType type :
       {ColumnType::kInt16, ColumnType::kInt64, ColumnType::kDouble, ColumnType::kDecimal128}) {
    const ColumnData column = repeating_column(type, 70000, 300);
    const Stored stored = encode_column(column);
    EXPECT_FALSE(is_column_coding(stored.blocks.data())) << static_cast<int>(type);
    EXPECT_LT(stored.blocks.size(), 70000 * value_bytes(type) / 10);
    expect_ranges(column, stored, 12);
    const auto read = stored.read();
    ASSERT_TRUE(read.ok()) << read.error().message();
    EXPECT_EQ(first_difference(column.view(), 0, read->view()), 70000u);
  }
  const auto random = make_column(ColumnType::kInt64, 70000, Nulls::kNone, Values::kRandom);
  EXPECT_TRUE(is_column_coding(encode_column(random).blocks.data()));
}

std::vector<std::string> texts(std::size_t rows, Values values) {
  std::mt19937_64 random(3);
  std::vector<std::string> made;
  for (std::size_t row = 0; row < rows; ++row) made.push_back(text(values, row, random));
  return made;
}

TEST(RowGroupStrings, OfWhichFewDifferBecomeADictionaryWithPresenceOfItsEntries) {
  std::mt19937_64 random(3);
  std::vector<std::string> rows;
  for (int i = 0; i < 100000; ++i) rows.push_back("state " + std::to_string(random() % 50));
  expect_strings(rows, Representation::kDictionary);
  const Stored stored = encode_column(strings_column(rows));
  EXPECT_EQ(stored.directory.columns[0].entries, 50u);
  EXPECT_EQ(stored.directory.columns[0].distinct, 50u);
  EXPECT_NE(stored.directory.blocks.back().presence, 0u);
}

TEST(RowGroupStrings, WithoutCodingAreADictionaryOrRawBytes) {
  const ColumnData few =
      make_column(ColumnType::kUtf8, 10000, Nulls::kNone, Values::kSorted);  // 20 rows each
  EXPECT_EQ(encode_column(few, true).directory.columns[0].representation,
            Representation::kDictionary);
  const ColumnData many = make_column(ColumnType::kUtf8, 10000, Nulls::kNone, Values::kRandom);
  const Stored stored = encode_column(many, true);
  EXPECT_EQ(stored.directory.columns[0].representation, Representation::kBytes);
  EXPECT_GE(stored.blocks.size(), many.values.size());
}

TEST(RowGroupStrings, OfWordsBecomeTokens) {
  expect_strings(texts(150000, Values::kRandom), Representation::kToken);
}

TEST(RowGroupStrings, OfRandomBytesBecomeBytes) {
  expect_strings(texts(3000, Values::kExtreme), Representation::kBytes);
}

TEST(RowGroupStrings, ThatAreAllEmptyRoundTrip) {
  for (const std::size_t rows : {1, 9, 65537}) {
    expect_strings(std::vector<std::string>(rows), Representation::kDictionary);
  }
}

TEST(RowGroupStrings, LargerThanABlockTakeSeveral) {
  std::mt19937_64 random(5);
  std::vector<std::string> rows;
  for (const std::size_t mebibytes : {3, 0, 9, 3}) {
    std::string row(mebibytes << 20, '\0');
    for (char& byte : row) byte = static_cast<char>('a' + random() % 4);
    rows.push_back(std::move(row));
  }
  rows.emplace_back("after");
  rows.emplace_back();
  expect_strings(rows, Representation::kBytes);
}

TEST(RowGroupStrings, ThatTokensMakeLargerInOneBlockStayWithinItsPayload) {
  std::mt19937_64 random(5);
  std::vector<std::string> rows;
  for (std::size_t row = 0; row < 5 * 65536; ++row) {
    std::string made = text(Values::kRandom, row, random);
    if (row / 65536 % 2 == 1) {
      made.resize(60);
      for (char& byte : made) byte = static_cast<char>(random());
    } else {
      made += made;
    }
    rows.push_back(std::move(made));
  }
  const ColumnData column = strings_column(rows);
  const Stored stored = encode_column(column);
  ASSERT_EQ(stored.directory.columns[0].representation, Representation::kToken);
  expect_round_trip(column, stored);
}

TEST(RowGroupStrings, UnderNullsAreKeptOutOfDictionariesAndZones) {
  ColumnData column = strings_column({"zz", "a", "b", "a", "zz", "b", "a", "b"});
  column.validity = {0b11101110};
  const Stored stored = encode_column(column);
  const auto read = stored.read();
  ASSERT_TRUE(read.ok()) << read.error().message();
  EXPECT_EQ(first_difference(column.view(), 0, read->view()), 8u);
  for (const ColumnBlock& block : stored.directory.blocks) {
    if (block.most != 0) {
      EXPECT_EQ(block.most >> 56, std::uint64_t{'b'});
    }
  }
}

ExactLines some_lines(std::uint32_t rows) {
  ExactLines lines;
  lines.offsets.push_back(0);
  for (std::uint32_t row = 0; row <= rows; row += 1 + row % 3) {
    const std::string line(row % 40, 'x');
    lines.rows.push_back(row);
    lines.bytes.insert(lines.bytes.end(), line.begin(), line.end());
    lines.offsets.push_back(static_cast<std::int64_t>(lines.bytes.size()));
  }
  return lines;
}

TEST(RowGroup, GivesBackExactLines) {
  for (const std::uint32_t rows : {1u, 1000u, 200000u}) {
    const ColumnData column = make_column(ColumnType::kInt32, rows, Nulls::kNone, Values::kSorted);
    TableSchema schema;
    schema.columns.push_back(column_schema(ColumnType::kInt32));
    schema.text.kind = TextKind::kDelimited;
    schema.exact = true;
    RowGroupEncoder encoder(schema, table_parameters(CompressOptions{}));
    const ColumnView view = column.view();
    for (const ExactLines& lines : {ExactLines{}, some_lines(rows)}) {
      const Stored stored =
          store_group(schema, encoder.encode({&view, 1}, {500, 20, 3, &lines, {}}));
      EXPECT_EQ(stored.directory.text_bytes, 500u);
      const MemoryRandomAccess file(stored.blocks);
      const auto read = stored.decoder(file).exact_lines();
      ASSERT_TRUE(read.ok()) << read.error().message();
      EXPECT_EQ(read->rows, lines.rows);
      EXPECT_EQ(read->offsets, lines.offsets);
      EXPECT_EQ(read->bytes, lines.bytes);
      EXPECT_TRUE(stored.check().ok());
    }
  }
}

}  // namespace
}  // namespace presso::row_groups::row_group_test
