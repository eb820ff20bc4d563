// SPDX-License-Identifier: MIT
// Rows for the elements of arrays: values, types, nulls, empty arrays, many rows, errors.
#include "query/unnest/unnest.h"

#include <gtest/gtest.h>

#include "format/columns/value_text.h"

namespace presso::query::unnest_test {
namespace {

/// A table of a number for each row and these arrays; "-" is a null.
KeptRows rows_of(const std::vector<std::string>& arrays, NestedFields fields = {}) {
  TableSchema schema;
  schema.columns = {*parse_type("int64"), *parse_type("string")};
  schema.columns[0].name = "n";
  schema.columns[1].name = "a";
  schema.columns[1].text = ValueText::kRawJson;
  schema.columns[1].fields = std::move(fields);
  std::vector<ColumnData> columns(2);
  columns[0].type = ColumnType::kInt64;
  columns[1].type = schema.columns[1].type;
  columns[1].offsets.push_back(0);
  columns[1].validity.resize((arrays.size() + 7) / 8);
  for (std::size_t row = 0; row < arrays.size(); ++row) {
    const auto number = static_cast<std::int64_t>(row);
    columns[0].values.append({reinterpret_cast<const Byte*>(&number), sizeof number});
    const bool null = arrays[row] == "-";
    if (!null) {
      columns[1].validity[row / 8] |= static_cast<Byte>(1u << (row % 8));
      columns[1].values.append(
          {reinterpret_cast<const Byte*>(arrays[row].data()), arrays[row].size()});
    }
    columns[1].offsets.push_back(static_cast<std::int64_t>(columns[1].values.size()));
  }
  columns[0].rows = columns[1].rows = arrays.size();
  const QueryOptions options;
  KeepingSink sink(options);
  EXPECT_TRUE(sink.begin(schema).ok());
  const ColumnView views[] = {columns[0].view(), columns[1].view()};
  EXPECT_TRUE(sink.add(views).ok());
  return *sink.finish();
}

std::string text_of(const ColumnSchema& type, const ColumnData& column, std::uint64_t row) {
  const ColumnView view = column.view();
  if (view.is_null(row)) return "null";
  if (is_string(type.type)) {
    const Bytes text = view.string(row);
    return {reinterpret_cast<const char*>(text.data()), text.size()};
  }
  Byte value[16] = {};
  if (type.type == ColumnType::kBool) {
    value[0] = view.values[row / 8] >> (row % 8) & 1;
  } else {
    const std::size_t bytes = value_bytes(type.type);
    std::copy_n(view.values + row * bytes, bytes, value);
  }
  char text[kMaxValueText];
  return {text, print_value(type, value, text)};
}

/// "int64: 0 1, 0 2": the type of the new column, the row's number and the element.
std::string shown(const Result<KeptRows>& rows) {
  if (!rows.ok()) return rows.error().what;
  const ColumnSchema& type = rows->table.schema().columns[2];
  const bool json = type.text == ValueText::kRawJson;
  std::string text = (json ? "json" : type_name(type)) + ":";
  for (std::uint64_t group = 0; group < rows->table.row_groups(); ++group) {
    const std::size_t columns[] = {0, 2};
    const auto count = static_cast<std::uint32_t>(rows->table.row_group(group).rows);
    const auto part = rows->table.read(group, columns, 0, count);
    for (std::uint32_t row = 0; row < count; ++row) {
      text += (text.back() == ':' ? " " : ", ") +
              text_of(rows->table.schema().columns[0], (*part)[0], row) + " " +
              text_of(type, (*part)[1], row);
    }
  }
  return text;
}

std::string unnested(const std::vector<std::string>& arrays, bool keep_empty = false) {
  return shown(with_unnested(rows_of(arrays), 1, keep_empty, "e", {}));
}

TEST(Unnest, EachElementIsARow) {
  EXPECT_EQ(unnested({"[1, -2]", "-", "[]", "null", "[3, null]"}), "int64: 0 1, 0 -2, 4 3, 4 null");
  EXPECT_EQ(unnested({"[1]", "-", "[]", "null"}, true), "int64: 0 1, 1 null, 2 null, 3 null");
  EXPECT_EQ(unnested({}), "utf8:");
  EXPECT_EQ(unnested({"-", "[]"}), "utf8:");
}

TEST(Unnest, ElementsHaveOneType) {
  EXPECT_EQ(unnested({"[1]", "[2.50]"}), "double: 0 1, 1 2.5");
  EXPECT_EQ(unnested({"[9223372036854775808]"}), "double: 0 9.223372036854776e+18");
  EXPECT_EQ(unnested({"[true,false]"}), "bool: 0 true, 0 false");
  EXPECT_EQ(unnested({R"(["2024-02-29"])"}), "date: 0 2024-02-29");
  EXPECT_EQ(unnested({R"(["2024-02-29", "2024-02-29T12:00:00.5Z"])"}),
            "timestamp(us): 0 2024-02-29 00:00:00.000000, 0 2024-02-29 12:00:00.500000");
  EXPECT_EQ(unnested({R"(["a\t\"b", "5"])"}), "utf8: 0 a\t\"b, 0 5");
  EXPECT_EQ(unnested({R"([1.50, "x", [1, 2], {"k" : null}])"}),
            "utf8: 0 1.5, 0 x, 0 [1,2], 0 {\"k\":null}");
  EXPECT_EQ(unnested({R"([[1, 2], {"k" : null}])"}), "json: 0 [1,2], 0 {\"k\":null}");
}

TEST(Unnest, FieldsTellTheTypeOfElements) {
  ColumnSchema decimal = *parse_type("decimal(18,2)");
  const NestedFields of_numbers(std::vector<NestedField>{{"[*]", decimal}});
  EXPECT_EQ(shown(with_unnested(rows_of({"[1.5, 2.25]"}, of_numbers), 1, false, "e", {})),
            "decimal(18,2): 0 1.50, 0 2.25");
  EXPECT_EQ(shown(with_unnested(rows_of({"[1.5, \"x\"]"}, of_numbers), 1, false, "e", {})),
            "row 1: an element is not of the type of the others");
  const NestedFields of_objects(std::vector<NestedField>{{".k", decimal}, {"[*].k", decimal}});
  const auto rows = with_unnested(rows_of({R"([{"k":1.5}])"}, of_objects), 1, false, "e", {});
  EXPECT_EQ(shown(rows), "json: 0 {\"k\":1.5}");
  EXPECT_EQ(rows->table.schema().columns[2].fields,
            NestedFields(std::vector<NestedField>{{".k", decimal}}));
}

TEST(Unnest, ManyRowsComeInTheirOrder) {
  std::vector<std::string> arrays;
  std::string expected = "int64:";
  for (std::size_t i = 0; i < 30'000; ++i) {
    const std::size_t elements = i % 11 == 0 ? 0 : i % 7;
    std::string array;
    for (std::size_t e = 0; e < elements; ++e) {
      const std::string element = std::to_string(i + e);
      array += (e == 0 ? "" : ",") + element;
      expected += (expected.back() == ':' ? " " : ", ") + std::to_string(i) + " " + element;
    }
    arrays.push_back(i % 11 == 0 ? "-" : "[" + array + "]");
  }
  EXPECT_EQ(unnested(arrays), expected);
}

TEST(Unnest, RefusesWhatIsNoArray) {
  EXPECT_EQ(unnested({"[1]", "{\"a\":1}"}), "row 2: unnest() takes arrays; this is `{\"a\":1}`");
  EXPECT_EQ(unnested({"[1]", "[1,"}),
            "row 2: a text is not JSON: at byte 4 a value is expected: `[1,`");
  EXPECT_EQ(shown(with_unnested(rows_of({"[1]"}), 0, false, "e", {})),
            "unnest() takes arrays; column n is int64");
  EXPECT_FALSE(with_unnested(rows_of({"[1]"}), 1, false, "n", {}).ok());
}

}  // namespace
}  // namespace presso::query::unnest_test
