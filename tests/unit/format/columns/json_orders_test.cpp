// SPDX-License-Identifier: MIT
// Orders of keys: which one a row gets, and which are refused.
#include "format/columns/json_orders.h"

#include <gtest/gtest.h>

#include "format/columns/row_text.h"
#include "format/columns/schema.h"

namespace presso::json_orders_test {
namespace {

JsonOrders::Presence presence_of(const JsonOrders& orders, const std::vector<std::size_t>& set) {
  JsonOrders::Presence presence = orders.no_values();
  for (const std::size_t column : set) JsonOrders::set(presence, column);
  return presence;
}

TEST(JsonOrders, TheOrderFollowsFromTheColumnsThatHaveValues) {
  const std::vector<JsonOrder> listed = {{2, 0}, {70, 1}, {0, 2}, {3, 4 | kJsonNull}};
  const JsonOrders orders(listed, 71);
  EXPECT_EQ(orders.find(presence_of(orders, {0, 2})), &listed[0]);
  EXPECT_EQ(orders.find(presence_of(orders, {1, 70})), &listed[1]);
  EXPECT_EQ(orders.find(presence_of(orders, {3})), &listed[3]);
  EXPECT_EQ(orders.find(presence_of(orders, {3, 4})), nullptr);
  EXPECT_EQ(orders.find(presence_of(orders, {})), nullptr);
}

TEST(JsonOrders, ColumnsThatAreNotThereOrTwiceAreRefused) {
  for (const JsonOrder& order :
       {JsonOrder{3}, JsonOrder{0, 1, 0}, JsonOrder{0, 0 | kJsonNull}, JsonOrder{1u << 17}}) {
    EXPECT_FALSE(check_json_orders({order}, 3).ok());
    EXPECT_TRUE(JsonOrders({order}, 3).empty());
  }
  EXPECT_TRUE(check_json_orders({{0, 1}, {1, 0}}, 2).ok());
  const std::vector<JsonOrder> many(2000);  // of no key, but each with a bit for every column
  EXPECT_TRUE(check_json_orders(many, 1000).ok());
  EXPECT_FALSE(check_json_orders(many, 65535).ok());
}

TEST(JsonOrders, AreKeptInTheSchemaSection) {
  TableSchema schema;
  schema.columns.resize(3);
  schema.columns[1].name = "b";
  schema.columns[2].name = "c";
  schema.columns[2].text = ValueText::kRawJson;
  schema.text.kind = TextKind::kJsonLines;
  schema.text.json_spacing = JsonSpacing::lines(true);
  schema.text.json_omits_nulls = true;
  schema.text.json_ascii = true;
  schema.text.json_slashes = true;
  schema.text.json_orders = {{2, 0 | kJsonNull, 1}, {}};
  const std::vector<Byte> payload = serialise_schema(schema);
  const auto parsed = parse_schema(payload);
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(*parsed, schema);
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(parse_schema(Bytes(payload).first(size)).ok());
  }
  schema.text.json_orders = {{3}};
  EXPECT_EQ(parse_schema(serialise_schema(schema)).error().code, ErrorCode::kBadSchema);
}

/// Two rows of a utf8 column s and a nullable int8 column n, null in the second.
std::string print(const TextForm& form, const std::string& text, ValueText value = {}) {
  TableSchema schema;
  schema.text = form;
  schema.text.kind = TextKind::kJsonLines;
  schema.columns.resize(2);
  schema.columns[0].name = "s";
  schema.columns[0].text = value;
  schema.columns[1].name = "n";
  schema.columns[1].type = ColumnType::kInt8;
  const std::string values = text + text;
  const auto size = static_cast<std::int64_t>(text.size());
  const std::int64_t offsets[] = {0, size, 2 * size};
  const Byte numbers[] = {7, 0};
  const Byte validity = 1;
  const std::vector<ColumnView> columns = {
      {ColumnType::kUtf8, 2, reinterpret_cast<const Byte*>(values.data()), offsets, nullptr},
      {ColumnType::kInt8, 2, numbers, nullptr, &validity}};
  Buffer to;
  EXPECT_TRUE(RowPrinter(schema, columns).print(0, 2, to).ok());
  return {to.bytes().begin(), to.bytes().end()};
}

TEST(JsonRowText, IsWrittenAsTheFormSays) {
  TextForm form;
  EXPECT_EQ(print(form, "a/"), "{\"s\":\"a/\",\"n\":7}\n{\"s\":\"a/\",\"n\":null}\n");
  form.json_spacing = JsonSpacing::lines(true);
  form.json_slashes = true;
  EXPECT_EQ(print(form, "a/"), "{\"s\": \"a\\/\", \"n\": 7}\n{\"s\": \"a\\/\", \"n\": null}\n");
  form.json_omits_nulls = true;
  EXPECT_EQ(print(form, "[1]", ValueText::kRawJson), "{\"s\": [1], \"n\": 7}\n{\"s\": [1]}\n");
  form.json_orders = {{1, 0}, {1 | kJsonNull, 0}};
  EXPECT_EQ(print(form, "x"), "{\"n\": 7, \"s\": \"x\"}\n{\"n\": null, \"s\": \"x\"}\n");
}

TEST(JsonRowText, EscapesWhatIsNotAsciiWhereTheFormSaysSo) {
  TextForm form;
  form.json_ascii = true;
  form.json_omits_nulls = true;
  const std::string text = "\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \xFF \xED\xA0\x80 \xC3";
  const std::string escaped =
      "\\u00e9 \\u20ac \\ud83d\\ude00 \xFF \xED\xA0\x80 \xC3";  // what is no UTF-8 stays
  EXPECT_EQ(print(form, text),
            "{\"s\":\"" + escaped + "\",\"n\":7}\n{\"s\":\"" + escaped + "\"}\n");
}

}  // namespace
}  // namespace presso::json_orders_test
