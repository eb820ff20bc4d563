// SPDX-License-Identifier: MIT
// Types, order and writing that are found in JSON lines.
#include "compress/table/text/json_inference.h"

#include "format/columns/schema.h"
#include "tests/unit/compress/table/table_text.h"

namespace presso::json_inference_test {
namespace {

using test::bytes_of;

TextForm form_of_json() {
  TextForm form;
  form.kind = TextKind::kJsonLines;
  return form;
}

JsonInference inference_of(std::string_view text) {
  JsonInference inference{JsonText{form_of_json(), JsonLayout::kLines}};
  inference.add(bytes_of(text), 1);
  return inference;
}

TableSchema schema_of(std::string_view text) {
  const auto schema = inference_of(text).finish();
  EXPECT_TRUE(schema.ok());
  return schema.ok() ? *schema : TableSchema();
}

/// "name type, name type": raw JSON is "json".
std::string columns_of(const TableSchema& schema) {
  std::string text;
  for (const ColumnSchema& column : schema.columns) {
    text += text.empty() ? "" : ", ";
    text += column.name + " " + (column.text == ValueText::kRawJson ? "json" : type_name(column));
  }
  return text;
}

/// The type of a key with these values, one a row.
std::string type_of(const std::vector<std::string>& values) {
  std::string text;
  for (const std::string& value : values) text += "{\"a\":" + value + "}\n";
  return columns_of(schema_of(text)).substr(2);
}

TEST(JsonInference, NumbersHaveTheNarrowestTypeOfTheirMeaning) {
  EXPECT_EQ(type_of({"1", "-2", "null"}), "int64");
  EXPECT_EQ(type_of({"1", "18446744073709551615"}), "uint64");
  EXPECT_EQ(type_of({"1.50", "2.25"}), "decimal(18,2)");
  EXPECT_EQ(type_of({"1", "2.5", "1e+20"}), "double");
  EXPECT_EQ(type_of({"123456789012345678901234567890"}), "decimal(38,0)");
  EXPECT_EQ(type_of({"1.0", "1"}), "double");
  EXPECT_EQ(type_of({"1e5"}), "double");
  EXPECT_EQ(type_of({"1e999"}), "json");
  EXPECT_EQ(type_of({std::string(60, '9')}), "json");
}

TEST(JsonInference, StringsAreTimesOrText) {
  EXPECT_EQ(type_of({"\"2024-12-31\"", "null", "\"2024-01-01\""}), "date");
  EXPECT_EQ(type_of({"\"2024-12-31T23:59:59.123Z\""}), "timestamp(ms)");
  EXPECT_EQ(type_of({"\"2024-12-31\"", "\"x\""}), "utf8");
  EXPECT_EQ(type_of({"\"1\"", "\"2\""}), "utf8");
  EXPECT_EQ(type_of({"\"true\""}), "utf8");
  EXPECT_EQ(type_of({"\"\""}), "utf8");
}

TEST(JsonInference, OtherValuesAreBoolsOrTheirOwnText) {
  EXPECT_EQ(type_of({"true", "null", "false"}), "bool");
  EXPECT_EQ(type_of({"[1]", "{\"b\":2}"}), "json");
  EXPECT_EQ(type_of({"1", "\"1\""}), "json");
  EXPECT_EQ(type_of({"true", "\"true\""}), "json");
  EXPECT_EQ(type_of({"null"}), "utf8");
  EXPECT_EQ(type_of({"0.5", "NaN", "-Infinity"}), "double");
}

TEST(JsonInference, ColumnsStandInTheOrderOfTheRowsKeys) {
  const TableSchema schema =
      schema_of("{\"b\":1,\"d\":1}\n{\"a\":1,\"b\":1,\"c\":1}\n{\"c\":1,\"d\":1}\n");
  EXPECT_EQ(columns_of(schema), "a int64, b int64, c int64, d int64");
  EXPECT_TRUE(schema.text.json_omits_nulls);
  EXPECT_TRUE(schema.text.json_orders.empty());
}

TEST(JsonInference, OrdersThatContradictEachOtherAreListed) {
  const std::string one = "{\"a\":1,\"b\":1,\"c\":1}\n";
  const std::string other = "{\"c\":1,\"a\":1}\n";
  const TableSchema schema = schema_of(one + one + one + other + other);
  EXPECT_EQ(columns_of(schema), "a int64, b int64, c int64");
  EXPECT_EQ(schema.text.json_orders, (std::vector<JsonOrder>{{2, 0}}));
  EXPECT_TRUE(schema_of(one + one + other).text.json_orders.empty());  // not for one row
}

TEST(JsonInference, TheWritingIsThatOfMostRows) {
  TextForm form =
      schema_of("{\"a\": \"\\u00e9\", \"b\": null}\r\n{\"a\": \"x\\/y\", \"b\": 1}\r\n").text;
  EXPECT_EQ(form.json_spacing, JsonSpacing::lines(true, true));
  EXPECT_TRUE(form.json_ascii);
  EXPECT_TRUE(form.json_slashes);
  EXPECT_FALSE(form.json_omits_nulls);
  form = schema_of("{\"a\":\"\xC3\xA9/\",\"b\":null}\n{\"a\": \"\\u001f\\\\u00e9\"}\n{}\n").text;
  EXPECT_EQ(form.json_spacing, JsonSpacing::lines(false));
  EXPECT_FALSE(form.json_ascii);
  EXPECT_FALSE(form.json_slashes);
  EXPECT_TRUE(form.json_omits_nulls);
}

TEST(JsonInference, PartsOfATextCanBeMerged) {
  const std::string first = "{\"a\":1,\"c\":\"x\"}\nbad\n";
  const std::string second = "{\"b\":1.5,\"a\":2,\"c\":3}\n[]\n{\"a\":-1}\n";
  JsonInference merged = inference_of(first);
  JsonInference later{JsonText{form_of_json(), JsonLayout::kLines}};
  later.add(bytes_of(second), 3);
  merged.merge(later);
  const JsonInference whole = inference_of(first + second);
  ASSERT_TRUE(merged.finish().ok());
  EXPECT_EQ(*merged.finish(), *whole.finish());
  EXPECT_EQ(columns_of(*merged.finish()), "b decimal(18,1), a int64, c json");
  EXPECT_EQ(merged.rows(), 3u);
  EXPECT_EQ(merged.ragged().count, 2u);
  EXPECT_EQ(merged.ragged().first_line, 2u);
  EXPECT_EQ(merged.report()[0].nulls, 2u);
}

TEST(JsonInference, TooManyKeysAreAnErrorWithAdvice) {
  std::string text;
  for (int row = 0; row < 70; ++row) {
    for (int i = 0; i < 1000; ++i) {
      text += (i == 0 ? "{\"" : ",\"") + std::to_string(row) + "." + std::to_string(i) + "\":1";
    }
    text += "}\n";
  }
  const auto schema = inference_of(text).finish();
  ASSERT_FALSE(schema.ok());
  EXPECT_NE(schema.error().what.find("65,535"), std::string::npos);
  EXPECT_FALSE(inference_of("").finish().ok());
  EXPECT_FALSE(inference_of("{}\n[1]\n").finish().ok());
}

/// One key a row, a new one in each.
std::string keys_that_are_data(int rows) {
  std::string text;
  for (int i = 0; i < rows; ++i) {
    text += "{\"k" + std::to_string(i) + "\":" + std::to_string(i) + "}\n";
  }
  return text;
}

TEST(JsonInference, KeysThatAreDataAreAnErrorBeforeAllRowsAreLookedAt) {
  const JsonInference inference = inference_of(keys_that_are_data(20000));
  EXPECT_LT(inference.rows(), 4000u);
  const auto schema = inference.finish();
  ASSERT_FALSE(schema.ok());
  EXPECT_EQ(schema.error().code, ErrorCode::kInvalidArgument);
  EXPECT_NE(schema.error().what.find(" different keys in the "), std::string::npos);
  EXPECT_NE(schema.error().what.find("without --table"), std::string::npos);
  EXPECT_TRUE(inference_of(keys_that_are_data(1500)).finish().ok());
}

TEST(JsonInference, PartsOfWhichEachIsDenseEnoughCanBeTooSparseTogether) {
  JsonInference merged = inference_of(keys_that_are_data(1500));
  ASSERT_TRUE(merged.finish().ok());
  std::string other = keys_that_are_data(2000);
  for (char& byte : other) byte = byte == 'k' ? 'n' : byte;
  const JsonInference later = inference_of(other);
  ASSERT_TRUE(later.finish().ok());
  merged.merge(later);
  const auto schema = merged.finish();
  ASSERT_FALSE(schema.ok());
  EXPECT_NE(schema.error().what.find("3,500 different keys in the 3,500 rows"), std::string::npos);
}

TEST(JsonInference, LogsWithSomeHundredKeysAreNotTooSparse) {
  std::string text;
  for (int row = 0; row < 40000; ++row) {
    text += "{\"id\":" + std::to_string(row) + ",\"k" + std::to_string(row % 400) + "\":1}\n";
  }
  const auto schema = inference_of(text).finish();
  ASSERT_TRUE(schema.ok());
  EXPECT_EQ(schema->columns.size(), 401u);
}

TEST(JsonInference, WhatIsAddedAfterASchemaWasFoundChangesTheOrderOfColumns) {
  JsonInference inference = inference_of("{\"a\":1,\"b\":1}\n");
  EXPECT_EQ(columns_of(*inference.finish()), "a int64, b int64");
  EXPECT_EQ(inference.report()[0].values, 1u);
  inference.add(bytes_of("{\"b\":1,\"a\":null}\n{\"b\":1,\"a\":null}\n"), 2);
  EXPECT_EQ(columns_of(*inference.finish()), "b int64, a int64");
  EXPECT_EQ(inference.report()[0].values, 3u);
  EXPECT_EQ(inference.report()[1].values, 1u);
}

TEST(JsonInference, ATextWithoutRowsNamesItsFirstFault) {
  const auto schema = inference_of("\n[1]\n[2]\n").finish();
  ASSERT_FALSE(schema.ok());
  EXPECT_EQ(schema.error().what.substr(0, 65),
            "line 2: not a JSON object: at byte 1 '{' is expected, before `[1]");
}

/// The layout that sniff_json() finds, "lines", "spread" or "array", and the head; or "none".
std::string sniffed(std::string_view text, bool surely = false) {
  const auto json = sniff_json(bytes_of(text), surely);
  if (!json) return "none";
  const char* const kNames[] = {"lines", "spread", "array"};
  return std::string(kNames[static_cast<int>(json->layout)]) + json->form.head;
}

TEST(JsonSniff, TheFirstObjectTellsTheLayout) {
  for (const char* text : {"{\"a\":1}\nx", "\n {\"a\": \"cut he", "{}", "{\"a\":1} x\n",
                           "{\"a\":1,\n{\"a\":2}\n", "{\"a\":tru}\n"}) {
    EXPECT_EQ(sniffed(text), "lines") << text;
  }
  EXPECT_EQ(sniffed("\xEF\xBB\xBF{\"a\":1}\n"), "lines\xEF\xBB\xBF");
  for (const char* text : {"{\n\"a\":1}\n", "{\"a\":1}{\"a\":2}\n", "{\"a\":\n[\n cut"}) {
    EXPECT_EQ(sniffed(text), "spread") << text;
  }
  EXPECT_EQ(sniffed("[{\"a\":1}]"), "array[");
  EXPECT_EQ(sniffed(" [\n  {\"a\":1}]"), "array [\n");
  for (const char* text : {"", "a,b\n", "[1]\n", "[]", "[[{}]]", "{a}\n", "{x", "\n\n"}) {
    EXPECT_EQ(sniffed(text), "none") << text;
    EXPECT_EQ(sniffed(text, true), "lines") << text;
  }
}

}  // namespace
}  // namespace presso::json_inference_test
