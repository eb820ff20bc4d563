// SPDX-License-Identifier: MIT
// Values, nulls and strings of columns, over several batches.
#include "compress/table/text/column_builder.h"

#include "tests/unit/compress/table/table_text.h"

namespace presso::column_builder_test {
namespace {

using test::bytes_of;
using test::comma_form;

ColumnSchema schema_of(ColumnType type) {
  ColumnSchema column;
  column.name = "c";
  column.type = type;
  return column;
}

/// The second column of `text`, three records a batch.
Result<ColumnData> build(std::string_view text, const ColumnSchema& column,
                         const TextForm& form = comma_form()) {
  ColumnBuilder builder(column, form);
  RecordBatch batch;
  for (std::size_t at = 0; at < text.size();) {
    PRESSO_ASSIGN(at, tokenize(dialect_of(form, 0), bytes_of(text), at, 3, true, batch));
    PRESSO_TRY(builder.append(batch, bytes_of(text), 1));
  }
  return builder.finish();
}

std::string string_at(const ColumnView& view, std::uint64_t row) {
  const Bytes bytes = view.string(row);
  return {bytes.begin(), bytes.end()};
}

TEST(ColumnBuilder, NumbersStandInTheirWidth) {
  const auto data = build("x,1\nx,-2\nx,3\nx,4\n", schema_of(ColumnType::kInt32));
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->rows, 4u);
  EXPECT_EQ(data->values.size(), 16u);
  EXPECT_EQ(load<std::int32_t>(data->values.data() + 4), -2);
  EXPECT_TRUE(data->validity.empty());
}

TEST(ColumnBuilder, NullsAreZeroBelowTheirBit) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += i % 3 == 2 ? "x,\n" : "x," + std::to_string(i) + "\n";
  const auto data = build(text, schema_of(ColumnType::kInt64));
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->validity.size(), 625u);
  for (std::uint64_t i = 0; i < 5000; ++i) {
    ASSERT_EQ(data->view().is_null(i), i % 3 == 2);
    ASSERT_EQ(load<std::uint64_t>(data->values.data() + 8 * i), i % 3 == 2 ? 0 : i);
  }
}

TEST(ColumnBuilder, StringsAreUnescapedAndEmptyStringsAreNoNulls) {
  const std::string longer(100, 'y');
  const auto data = build("x,a\nx,\"b\"\"c\"\"\"\nx,\nx,\"\"\nx," + longer + "\nx,\"d\n,e\"\n",
                          schema_of(ColumnType::kUtf8));
  ASSERT_TRUE(data.ok());
  const ColumnView view = data->view();
  EXPECT_EQ(string_at(view, 0), "a");
  EXPECT_EQ(string_at(view, 1), "b\"c\"");
  EXPECT_TRUE(view.is_null(2));
  EXPECT_EQ(string_at(view, 2), "");
  EXPECT_FALSE(view.is_null(3));
  EXPECT_EQ(string_at(view, 4), longer);
  EXPECT_EQ(string_at(view, 5), "d\n,e");
  EXPECT_EQ(data->values.size(), static_cast<std::size_t>(data->offsets.back()));
}

TEST(ColumnBuilder, BoolsAreBits) {
  const auto data =
      build("x,true\nx,false\nx,true\nx,\nx,true\nx,true\nx,true\nx,true\nx,false\nx,true\n",
            schema_of(ColumnType::kBool));
  ASSERT_TRUE(data.ok());
  ASSERT_EQ(data->values.size(), 2u);
  EXPECT_EQ(data->values.data()[0], 0b11110101);
  EXPECT_EQ(data->values.data()[1], 0b10);
  EXPECT_EQ(data->validity, (std::vector<Byte>{0b11110111, 0b11}));
}

TEST(ColumnBuilder, AValueThatDoesNotParseIsAnErrorWithItsLine) {
  const auto data = build("x,1\n\nx,\"2\"\nx,3.5\n", schema_of(ColumnType::kInt64));
  ASSERT_FALSE(data.ok());
  EXPECT_EQ(data.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(data.error().what, "line 4: `3.5` in column 'c' is not a text of type int64");
}

TEST(ColumnBuilder, ANullInAColumnThatHasNoneIsAnError) {
  ColumnSchema column = schema_of(ColumnType::kUtf8);
  column.nullable = false;
  EXPECT_TRUE(build("x,\"\"\n", column).ok());
  EXPECT_EQ(build("x,a\nx,\n", column).error().what, "line 2: null in column c, which has none");
}

TEST(ColumnBuilder, StringsWithoutAByteHaveMemoryBehindThem) {
  const auto data =
      build("x,\"\"\nx,\nx,\"\"" + std::string(60, '\n'), schema_of(ColumnType::kUtf8));
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->rows, 3u);
  EXPECT_EQ(data->values.size(), 0u);
  EXPECT_NE(data->values.data(), nullptr);
}

TEST(ColumnBuilder, AnEmptyTextIsAnEmptyColumn) {
  const auto data = build("", schema_of(ColumnType::kUtf8));
  ASSERT_TRUE(data.ok());
  EXPECT_EQ(data->rows, 0u);
  EXPECT_EQ(data->offsets, std::vector<std::int64_t>{0});
}

}  // namespace
}  // namespace presso::column_builder_test
