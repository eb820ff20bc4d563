// SPDX-License-Identifier: MIT
// JSON text of columns as nested arrays of Arrow: which texts are values of a type, and batches
// that are cut where codes, offsets or ends of runs are too narrow for all rows.
#include <gtest/gtest.h>

#include <random>

#include "decompress/arrow/arrow_export.h"
#include "format/columns/arrow_type.h"
#include "format/columns/schema.h"
#include "tests/unit/decompress/table/row_groups.h"

namespace presso::nested_export_test {
namespace {

using row_groups::strings_column;

/// A type from its format; a child's format follows in the order of Arrow's interface.
ArrowType type_of(std::string format, std::vector<ArrowType> children = {}) {
  return {std::move(format), "", ARROW_FLAG_NULLABLE, std::move(children), {}, {}};
}
ArrowType named(std::string name, ArrowType type) {
  type.name = std::move(name);
  return type;
}

TableSchema schema_of(const ArrowType& type) {
  TableSchema schema;
  schema.columns.push_back(column_of(type));
  schema.columns[0].name = "c";
  schema.columns[0].arrow_type = serialise_arrow_type(type);
  return schema;
}

Result<ArrowBatches> exported(const ArrowType& type, const std::vector<std::string>& texts) {
  std::vector<ColumnData> columns;
  columns.push_back(strings_column(texts));
  return arrow_batches(schema_of(type), std::move(columns));
}

void expect_bad(const ArrowType& type, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) {
    const auto batches = exported(type, {text});
    ASSERT_FALSE(batches.ok()) << text;
    EXPECT_EQ(batches.error().code, ErrorCode::kBadRowGroup) << text;
    EXPECT_NE(batches.error().what.find("'c', row 1"), std::string::npos) << text;
  }
}

template <class T>
T value_of(const ArrowArray& array, std::size_t row) {
  return load<T>(static_cast<const Byte*>(array.buffers[1]) + row * sizeof(T));
}

TEST(NestedExport, TextsBecomeValuesOfTheType) {
  const ArrowType lists = type_of("+l", {type_of("l")});
  const auto batches = exported(lists, {"[1,null,-3]", "[]"});
  ASSERT_TRUE(batches.ok()) << batches.error().message();
  ASSERT_EQ(batches->size(), 1u);
  const ArrowArray& column = *(*batches)[0]->children[0];
  EXPECT_EQ(column.length, 2);
  EXPECT_EQ(value_of<std::int32_t>(column, 1), 3);
  EXPECT_EQ(value_of<std::int32_t>(column, 2), 3);
  const ArrowArray& values = *column.children[0];
  EXPECT_EQ(values.null_count, 1);
  EXPECT_EQ(value_of<std::int64_t>(values, 0), 1);
  EXPECT_EQ(value_of<std::int64_t>(values, 2), -3);
}

TEST(NestedExport, OtherTextsAreDamage) {
  const ArrowType lists = type_of("+l", {type_of("c")});
  expect_bad(lists, {"", "1", "[", "[1", "[1,]", "[1 ]", "[128]", "[1]x", "{}", "[[1]]", "[\"a\"]",
                     "nul", "[1.0]", "[\"1]", "[\"1\\\"]"});
  const ArrowType pair =
      type_of("+s", {named("a", type_of("l")), named("b", type_of("+w:2", {type_of("u")}))});
  EXPECT_TRUE(exported(pair, {R"({"a":1,"b":["x","\u00e9"]})", R"({"a":null,"b":null})"}).ok());
  expect_bad(pair, {"{}", R"({"a":1})", R"({"b":["x","y"],"a":1})", R"({"a":1,"b":["x"]})",
                    R"({"a":1,"b":["x","y","z"]})", R"({"a":1,"b":["x",2]})",
                    R"({"a":1,"b":["x","\q"]})", R"({"a":1,"b":["x","y"],"c":1})"});
  const ArrowType entries =
      type_of("+s", {named("key", type_of("tdD")), named("value", type_of("z"))});
  const ArrowType map = type_of("+m", {named("entries", entries)});
  EXPECT_TRUE(exported(map, {R"({"2024-01-31":"0aff"})", "{}"}).ok());
  expect_bad(map, {R"({"2024-02-31":"0aff"})", R"({"2024-01-31":"0af"})", R"({"2024-01-31":"0g"})",
                   R"({2024:"0a"})", R"({"2024-01-31"})", R"({"2024-01-31":"0a")"});
  expect_bad(type_of("n"), {"1"});
}

TEST(NestedExport, ChangedTextsAreReadOrDamage) {
  ArrowType codes = named("c", type_of("c"));
  codes.dictionary.push_back(type_of("vu"));
  const ArrowType runs = type_of("+r", {type_of("s"), type_of("f")});
  const ArrowType entries = type_of("+s", {named("key", type_of("l")), named("value", runs)});
  const ArrowType type = type_of(
      "+s", {codes, named("d", type_of("+w:2", {type_of("tsn:UTC")})),
             named("m", type_of("+m", {entries})), named("l", type_of("+vl", {type_of("d:5,2")}))});
  const std::string sound = R"({"c":"a\"\u00e9","d":["2024-01-31T23:59:59.123456789Z",5],)"
                            R"("m":{"1":NaN,"2":null},"l":[1.50]})";
  ASSERT_TRUE(exported(type, {sound}).ok());
  std::mt19937 random(5);
  for (int round = 0; round < 4000; ++round) {
    std::string text = sound;
    for (auto changes = 1 + random() % 3; changes > 0; --changes) {
      const char letters[] = {'"', '\\', '[', '}', ',', ':', '0', 'n', static_cast<char>(random())};
      text[random() % text.size()] = letters[random() % sizeof letters];
    }
    if (random() % 4 == 0) text.resize(random() % text.size());
    const auto batches = exported(type, {text});
    if (batches.ok()) continue;
    EXPECT_EQ(batches.error().code, ErrorCode::kBadRowGroup) << text;
  }
}

TEST(NestedExport, BatchesAreCutWhereCodesWouldNotSuffice) {
  ArrowType codes = type_of("c");
  codes.dictionary.push_back(type_of("u"));
  std::vector<std::string> texts;
  for (int row = 0; row < 300; ++row) texts.push_back(std::to_string(row));
  const auto batches = exported(codes, texts);
  ASSERT_TRUE(batches.ok()) << batches.error().message();
  std::int64_t rows = 0;
  for (const auto& batch : *batches) {
    const ArrowArray& column = *batch->children[0];
    ASSERT_LE(column.dictionary->length, 128);
    const auto begin = value_of<std::int32_t>(*column.dictionary, 0);
    const auto size = value_of<std::int32_t>(*column.dictionary, 1) - begin;
    const auto* const letters = static_cast<const char*>(column.dictionary->buffers[2]);
    EXPECT_EQ(std::string(letters + begin, static_cast<std::size_t>(size)), std::to_string(rows));
    EXPECT_EQ(value_of<std::int8_t>(column, 0), 0);
    rows += batch->length;
  }
  EXPECT_EQ(rows, 300);
  EXPECT_EQ(batches->size(), 4u);
}

TEST(NestedExport, NullsOfFixedListsAreLimited) {
  const ArrowType large = type_of("+w:2000000000", {type_of("c")});
  expect_bad(type_of("+l", {large}), {"[null]"});
}

TEST(ArrowTypes, AreReadAsTheyWereWritten) {
  ArrowType codes = named("item", type_of("s"));
  codes.dictionary.push_back(type_of("vu"));
  const ArrowType type = type_of("+L", {codes});
  const std::string bytes = serialise_arrow_type(type);
  const auto again = parse_arrow_type(bytes);
  ASSERT_TRUE(again.has_value());
  EXPECT_EQ(*again, type);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(parse_arrow_type(bytes.substr(0, size))) << size;
  }
  EXPECT_FALSE(parse_arrow_type(bytes + '\0'));
  for (const ArrowType& wrong :
       {type_of("+l"), type_of("+x", {codes}), type_of("+w:-1", {codes}), type_of("+m", {codes}),
        type_of("+r", {codes, codes}), type_of("l", {codes}), type_of("d:39,1"), type_of("ttm"),
        named("a", type_of("l"))}) {
    EXPECT_FALSE(parse_arrow_type(serialise_arrow_type(wrong))) << wrong.format;
  }
  ArrowType deep = type_of("l");
  for (int i = 0; i < 65; ++i) deep = type_of("+l", {deep});
  EXPECT_FALSE(parse_arrow_type(serialise_arrow_type(deep)));
}

TEST(ArrowTypes, ColumnsHaveTheTypesOfTheirFields) {
  const ArrowType inner = named("b c", type_of("+l", {type_of("tdm")}));
  const ArrowType type = type_of("+s", {named("a", type_of("g")), inner, named("t", type_of("u"))});
  const ColumnSchema column = column_of(type);
  EXPECT_EQ(column.text, ValueText::kRawJson);
  ASSERT_EQ(column.fields.all().size(), 3u);
  EXPECT_EQ(column.fields.all()[0].path, ".\"b c\"");
  EXPECT_EQ(column.fields.all()[0].type, json_field_type());
  EXPECT_EQ(column.fields.all()[1].path, ".\"b c\"[*]");
  EXPECT_EQ(column.fields.all()[1].type.type, ColumnType::kDate32);
  EXPECT_EQ(column.fields.all()[2].path, ".a");
  EXPECT_EQ(column.fields.all()[2].type.type, ColumnType::kDouble);
}

}  // namespace
}  // namespace presso::nested_export_test
