// SPDX-License-Identifier: MIT
// Packed rows: the example of FORMAT.md 19, values that do not come back, and damaged streams.
#include "format/columns/packed_rows.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

namespace presso {
namespace {

ColumnSchema of_type(ColumnType type) {
  ColumnSchema schema;
  schema.type = type;
  return schema;
}

ColumnData strings(const std::vector<std::string>& texts) {
  ColumnData column;
  column.rows = texts.size();
  column.offsets.assign(1, 0);
  for (const std::string& text : texts) {
    column.values.append({reinterpret_cast<const Byte*>(text.data()), text.size()});
    column.offsets.push_back(static_cast<std::int64_t>(column.values.size()));
  }
  return column;
}

template <class T>
ColumnData numbers(ColumnType type, std::vector<T> values) {
  ColumnData column;
  column.type = type;
  column.rows = values.size();
  column.values.append({reinterpret_cast<const Byte*>(values.data()), values.size() * sizeof(T)});
  return column;
}

std::string as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Bytes as_bytes(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

ErrorCode code_of(const std::string& stream, std::uint32_t rows) {
  const auto parsed = PackedRows::parse(as_bytes(stream), rows);
  return parsed.ok() ? ErrorCode::kOk : parsed.error().code;
}

TEST(PackedRows, AreAsInTheFormat) {
  const ColumnData ids = numbers<std::int64_t>(ColumnType::kInt64, {1, 2, 5});
  ColumnData names = strings({"Eve", "", ""});
  names.validity.assign(9, 0);
  names.validity[0] = 0b101;
  const std::vector<PackedField> fields = {{of_type(ColumnType::kInt64), ids.view()},
                                           {of_type(ColumnType::kUtf8), names.view()}};
  const PackedMarks marks{',', 1};
  Buffer stream;
  append_packed_head(marks, fields.size(), stream);
  ASSERT_TRUE(append_packed_rows(fields, marks, 0, 3, stream));
  EXPECT_EQ(as_text(stream.bytes()),
            ",\1\2"
            "1,Eve,2,,5,\1,");
  const auto rows = PackedRows::parse(stream.bytes(), 3);
  ASSERT_TRUE(rows.ok());
  const auto read = rows->column(1, of_type(ColumnType::kUtf8), false);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(as_text(read->view().string(0)), "Eve");
  EXPECT_TRUE(read->view().is_null(1));
  EXPECT_FALSE(read->view().is_null(2));
  EXPECT_EQ(as_text(read->view().string(2)), "");
  const auto numbers_read = rows->column(0, of_type(ColumnType::kInt64), false);
  ASSERT_TRUE(numbers_read.ok());
  EXPECT_EQ(load<std::int64_t>(numbers_read->values.data() + 16), 5);
}

TEST(PackedRows, MarksStandInNoString) {
  const ColumnData texts = strings({"a,b\t;|", "\xff"});
  const std::vector<PackedField> fields = {{of_type(ColumnType::kUtf8), texts.view()}};
  const auto marks = find_marks(fields);
  ASSERT_TRUE(marks);
  EXPECT_EQ(marks->end, '\n');
  EXPECT_EQ(marks->empty, 0xfe);
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all.push_back(static_cast<char>(byte));
  const ColumnData full = strings({all});
  const std::vector<PackedField> none = {{of_type(ColumnType::kUtf8), full.view()}};
  EXPECT_FALSE(find_marks(none));
}

TEST(PackedRows, ValuesThatTextDoesNotGiveAgainAreRefused) {
  const double odd = std::copysign(std::numeric_limits<double>::quiet_NaN(), -1.0);
  const ColumnData column = numbers<double>(ColumnType::kDouble, {odd});
  const std::vector<PackedField> fields = {{of_type(ColumnType::kDouble), column.view()}};
  Buffer stream;
  EXPECT_FALSE(append_packed_rows(fields, {}, 0, 1, stream));
}

TEST(PackedRows, DamagedStreamsAreToldApart) {
  const std::string sound = std::string(",\1\2") + "1,a,2,b,";
  EXPECT_EQ(code_of(sound, 2), ErrorCode::kOk);
  EXPECT_EQ(code_of(sound + "after the last row,", 2), ErrorCode::kOk);
  EXPECT_EQ(code_of(sound + "x,y,", 2), ErrorCode::kBadRowGroup);
  EXPECT_EQ(code_of(sound.substr(0, sound.size() - 1), 2), ErrorCode::kBadRowGroup);
  EXPECT_EQ(code_of(sound.substr(0, sound.size() - 2), 2), ErrorCode::kBadRowGroup);
  EXPECT_EQ(code_of(",,\2"
                    "1,a,",
                    1),
            ErrorCode::kBadRowGroup);
  EXPECT_EQ(code_of(std::string(",\1\0", 3) + "1,", 1), ErrorCode::kBadRowGroup);
  EXPECT_EQ(code_of("", 1), ErrorCode::kBadRowGroup);
  EXPECT_EQ(code_of(",\1\xff\xff\xff\xff\x0f"
                    "1,",
                    1),
            ErrorCode::kBadRowGroup);
  const auto rows = PackedRows::parse(as_bytes(sound), 2);
  ASSERT_TRUE(rows.ok());
  const auto code = [&](std::size_t field, ColumnType type, bool follows) {
    const auto read = rows->column(field, of_type(type), follows);
    return read.ok() ? ErrorCode::kOk : read.error().code;
  };
  EXPECT_EQ(code(0, ColumnType::kInt64, false), ErrorCode::kOk);
  EXPECT_EQ(code(1, ColumnType::kInt64, false), ErrorCode::kBadRowGroup);
  EXPECT_EQ(code(2, ColumnType::kUtf8, false), ErrorCode::kBadRowGroup);
  EXPECT_EQ(code(1, ColumnType::kUtf8, true), ErrorCode::kBadRowGroup);
}

}  // namespace
}  // namespace presso
