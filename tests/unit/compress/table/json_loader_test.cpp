// SPDX-License-Identifier: MIT
// Whatever the text, what was loaded prints back to it byte for byte, or loading is an error.
#include "compress/table/text/json_loader.h"

#include <random>

#include "compress/table/text/json_inference.h"
#include "format/columns/row_text.h"
#include "tests/unit/compress/table/spelled_texts.h"
#include "tests/unit/compress/table/table_text.h"

namespace presso::json_loader_test {
namespace {

using test::bytes_of;

struct Loaded {
  TableSchema schema;
  LoadedRows rows;
};
Result<Loaded> load(const std::string& text) {
  const JsonText json = *sniff_json(bytes_of(text), true);
  const Bytes rows = bytes_of(text).subspan(json.form.head.size());
  JsonInference inference(json);
  inference.add(rows, 1);
  Loaded loaded;
  PRESSO_ASSIGN(loaded.schema, inference.finish());
  PRESSO_ASSIGN(loaded.rows, load_json_rows(rows, loaded.schema, 1, json.layout));
  return loaded;
}

std::string print(const Loaded& loaded) {
  std::vector<ColumnView> views;
  for (const ColumnData& column : loaded.rows.columns) views.push_back(column.view());
  Buffer to;
  const RowPrinter printer(loaded.schema, views, &loaded.rows.exact);
  EXPECT_TRUE(printer.print(0, loaded.rows.rows, to).ok());
  return loaded.schema.text.head + std::string(to.bytes().begin(), to.bytes().end());
}

void expect_exact(const std::string& text, std::size_t exact_rows) {
  const auto loaded = load(text);
  ASSERT_TRUE(loaded.ok()) << loaded.error().what;
  EXPECT_EQ(loaded->rows.exact.rows.size(), exact_rows) << text;
  EXPECT_EQ(print(*loaded), text);
}

TEST(JsonLoader, CommonWritingsNeedNoExactText) {
  expect_exact("{\"a\":1,\"b\":\"x\"}\n{\"a\":2,\"b\":null}\n", 0);
  expect_exact("{\"a\": 1, \"b\": \"x\"}\n{\"a\": 2}\n{\"b\": \"y\"}\n{}\n", 0);
  expect_exact("{\"a\": \"\\u00e9 \\ud83d\\ude00\"}\n{\"a\": \"\\u0000\\n\\\"\"}\n", 0);
  expect_exact("{\"u\\u00e9/\":\"http:\\/\\/x\"}\n", 1);  // keys are escaped like values
  expect_exact("{\"a\":\"\xC3\xA9\",\"b\":[1, 2],\"c\":{\"d\" :null}}\r\n", 0);
  expect_exact("\xEF\xBB\xBF{\"a\":true}\n{\"a\":false}\n", 0);
  expect_exact("{\"t\":\"2024-12-31T23:59:59Z\",\"v\":1.50}\n{\"t\":null,\"v\":2.25}\n", 0);
  expect_exact("{\"a\":1e5,\"b\":1.0}\n{\"a\":1,\"b\":\"x\"}\n", 0);
  expect_exact("{\"a\":\"123456789012345678901234567890123456789012345\"}\n", 0);
  expect_exact(
      "{\"a\":1,\"b\":2}\n{\"a\":3,\"b\":4}\n{\"b\":5}\n{\"c\":1,\"a\":2}\n{\"c\":1,\"a\":2}\n", 0);
}

TEST(JsonLoader, KindsOfRowsHaveTheirOwnOrdersAndNulls) {
  const std::string login = "{\"at\":1,\"user\":\"x\",\"from\":null}\n";
  const std::string start = "{\"from\":\"y\",\"at\":2}\n";
  const std::string stop = "{\"at\":3,\"code\":0}\n";
  expect_exact(login + start + stop + login + start + stop + stop, 0);
  expect_exact(stop + stop + login + start, 2);  // one row of a kind is not worth an order
}

TEST(JsonLoader, WhatIsWrittenInAnotherWayKeepsItsText) {
  expect_exact("{\"a\":1}\n{\"a\":2}", 1);  // no line end
  expect_exact("{\"a\":1}\n{\"a\":2}\r\n{\"a\" :3}\n{ \"a\":4}\n", 3);
  expect_exact("{\"a\":1,\"b\":2}\n{\"b\":1,\"a\":2}\n", 1);
  expect_exact("{\"a\":1}\n\n \n{\"a\":2}\n\n", 2);  // blank lines, also behind the last row
  expect_exact("{\"a\":1,\"a\":2}\n{\"a\":3}\n", 1);
  expect_exact("{\"a\":1,\"\\u0061\":2}\n{\"a\":3}\n", 1);
  expect_exact("{\"a\":\"\\u0041\"}\n{\"a\":\"\\ud83d\"}\n{\"a\":\"\\u00E9\"}\n", 3);
}

TEST(JsonLoader, ObjectsOverSeveralLinesAndOfArraysKeepTheirText) {
  expect_exact("{\n  \"a\": 1\n}\n{\"a\":2}\n", 1);
  expect_exact("{\"a\":1}\n{\"a\":2\n}\n{\"a\":3}\n", 1);
  expect_exact("{\"a\":1}{\"a\":2}\n", 1);
  expect_exact(" [\n{\"a\":[\n1],\"b\":2}\n,\n{\"b\":3}\n ]", 2);
}

TEST(JsonLoader, TheSpacingOfMostRowsNeedsNoExactText) {
  // The last element has no comma, and the array's end is kept as well.
  expect_exact("[{\"a\":1},{\"a\":2},{\"a\":3}]\n", 2);
  expect_exact("[{\"a\": 1, \"b\": 2}, {\"a\": 2, \"b\": 2}, {\"a\": 3}]", 2);
  const std::string row = "  {\r\n    \"a\": [\r\n      1\r\n    ],\r\n    \"b\": \"x\"\r\n  }";
  expect_exact("[\r\n" + row + ",\r\n" + row + ",\r\n" + row + "\r\n]\r\n", 2);
  expect_exact("{\n\"a\" : 1\n}\n{\n\"a\" : 2\n}\n{\"a\":3}\n", 1);
  expect_exact("{\"a\":1, \"b\":2}\n{\"a\":3, \"b\":4}\n", 0);
  // White space of more than 255 bytes is no rule.
  const std::string wide = "{" + std::string(256, ' ') + "\"a\":1}\n";
  expect_exact(wide + wide, 2);
}

TEST(JsonLoader, LinesThatAreNoRowsAreErrorsOrSetAside) {
  const TableSchema schema = load("{\"a\":1}\n")->schema;
  EXPECT_TRUE(load_json_rows(bytes_of("\n{\"a\":1}\n\n"), schema, 5).ok());
  const auto refused = load_json_rows(bytes_of("{\"a\":1}\n[1]\n"), schema, 5);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().what,
            "line 6: not a JSON object: at byte 1 '{' is expected, before `[1]`");
  const std::string text = "#\n\n{\"a\":1} x\n{\"a\":2}\n{\"a\":\"y\"}\n{\"a\":";
  const auto bad = find_bad_json_rows(bytes_of(text), schema);
  ASSERT_TRUE(bad.ok());
  std::string aside;
  for (const RowPlace& row : *bad) aside += text.substr(row.begin, row.end - row.begin) + "|";
  EXPECT_EQ(aside, "#\n|{\"a\":1} x\n|{\"a\":\"y\"}\n|{\"a\":|");
}

TEST(JsonLoader, ValuesAreThoseOfTheirText) {
  const auto loaded =
      load("{\"n\":7,\"s\":\"a\\n\\u00e9\"}\n\n{\"s\":\"\",\"s\":\"last\"}\n{\"n\":null}\n");
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->rows.rows, 3u);
  const ColumnView numbers = loaded->rows.columns[0].view();
  const ColumnView strings = loaded->rows.columns[1].view();
  EXPECT_EQ(presso::load<std::int64_t>(numbers.values), 7);
  EXPECT_TRUE(numbers.is_null(1) && numbers.is_null(2) && strings.is_null(2));
  const Bytes first = strings.string(0);
  EXPECT_EQ(std::string(first.begin(), first.end()), "a\n\xC3\xA9");
  EXPECT_EQ(strings.string(1).size(), 4u);
}

TEST(JsonLoader, WhatTheSchemaDoesNotHaveIsAnErrorWithItsLine) {
  const TableSchema schema = load("{\"a\":1,\"b\":\"x\",\"c\":true}\n")->schema;
  const auto what = [&](const std::string& row) {
    const auto rows = load_json_rows(bytes_of("{\"a\":1}\n" + row), schema, 1);
    return rows.ok() ? std::string("fine") : rows.error().what;
  };
  EXPECT_EQ(what("{\"d\":1}\n"), "line 2: key 'd', which is not a column");
  EXPECT_EQ(what("{\"a\":\"1\"}\n").substr(0, 7), "line 2:");
  EXPECT_EQ(what("{\"a\":1.5}\n"), "line 2: `1.5` in column 'a' is not a text of type int64");
  EXPECT_EQ(what("{\"b\":1}\n").substr(0, 7), "line 2:");
  EXPECT_EQ(what("{\"c\":0}\n").substr(0, 7), "line 2:");
  EXPECT_EQ(what("{\"c\":null}\n"), "fine");
}

std::string mutated(std::mt19937& random) {
  static const std::string kPieces[] = {
      "{\"a\":1,\"b\":\"x\"}\n",
      "{\"a\": 2, \"c\": null}\n",
      "{\"b\":\"\\u00e9\\/\",\"a\":1.5}\n",
      "{}\n",
      "\r\n",
      "{\"c\":[1,{\"d\":\"\\\"\"}],\"a\":-0}\n",
      "{\"b\":\"2024-12-31\"}\r\n",
      "{\"a\":1e400,\"a\":true}\n",
      "{\"\\u0061\":\"\\ud83d\\ude00\xC3\xA9\"}\n",
      "{\n \"a\": 1\n}\n",
      "{\"a\":NaN}\n",
      "{\"c\": 0.1, \"b\": \"a/b\", \"a\": 18446744073709551615}\n"};
  constexpr std::string_view kBytes("{}[]\":,\\ \r\n0e.-au\xC3\x01", 19);
  std::string text;
  const bool is_array = random() % 4 == 0;
  if (is_array) text = "[";
  for (auto count = random() % 6; count != 0; --count) {
    const std::string& piece = kPieces[random() % std::size(kPieces)];
    for (auto times = 1 + random() % 3; times != 0; --times) text += piece + (is_array ? "," : "");
  }
  if (is_array) text.back() = ']';
  for (auto changes = random() % 4; changes != 0 && !text.empty(); --changes) {
    const std::size_t at = random() % text.size();
    const char byte = kBytes[random() % kBytes.size()];
    if (random() % 3 == 0)
      text.erase(at, 1 + random() % 3);
    else if (random() % 2 == 0)
      text.insert(at, 1, byte);
    else
      text[at] = byte;
  }
  return text;
}

TEST(JsonLoader, AnyTextThatLoadsPrintsBack) {
  std::mt19937 random(22);
  int loads = 0;
  for (int i = 0; i < 100'000; ++i) {
    const std::string text = mutated(random);
    const auto loaded = load(text);
    if (!loaded.ok()) continue;
    ++loads;
    ASSERT_EQ(print(*loaded), text) << testing::PrintToString(text);
  }
  EXPECT_GT(loads, 20'000);
}

/// Typed columns print back by their spellings, without exact lines.
TEST(JsonLoader, ValuesInAnySpellingPrintBack) {
  test::SpelledTexts texts(4);
  test::expect_spelled_texts_back(
      texts, [&] { return texts.json(); }, [](const std::string& text) { return load(text); },
      [](const auto& loaded) { return print(loaded); });
}

}  // namespace
}  // namespace presso::json_loader_test
