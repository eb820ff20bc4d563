// SPDX-License-Identifier: MIT
// Whatever stood in a text, a table gives it back: random texts of the bytes that matter to a
// reader of CSV or JSON, and made-up rows with errors strewn in. A text may be refused, with a line
// or a reason, but never changed. PRESSO_TABLE_TEXTS sets how many are tried.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "presso/compress_table.h"
#include "presso/table.h"

namespace presso::table_round_trip_test {
namespace {

int texts_to_try() {
  const char* given = std::getenv("PRESSO_TABLE_TEXTS");
  return given != nullptr ? std::atoi(given) : 10000;
}

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// Whether the text became a table; then it must come back.
bool comes_back(const std::string& text, bool fill, TextKind kind = TextKind::kDelimited) {
  MemorySource source(bytes_of(text));
  MemorySource types_from(bytes_of(text));
  std::vector<Byte> stored;
  VectorSink sink(stored);
  TableOptions options;
  options.text.kind = kind;
  options.text.fill = fill;
  options.text.header = text.size() % 3 == 0;
  options.group_rows = text.size() % 5 == 0 ? 3 : 0;
  options.compress.threads = 1;
  const auto made = compress_table(source, &types_from, sink, options);
  if (!made.ok()) {
    const ErrorCode code = made.error().code;
    EXPECT_TRUE(code == ErrorCode::kInvalidArgument || code == ErrorCode::kUnsupported)
        << made.error().message() << " for " << testing::PrintToString(text);
    EXPECT_FALSE(made.error().what.empty());
    return false;
  }
  MemorySource table(stored);
  std::vector<Byte> again;
  VectorSink text_sink(again);
  DecompressOptions one_thread;
  one_thread.threads = 1;
  const auto read = decompress_table(table, text_sink, one_thread);
  EXPECT_TRUE(read.ok()) << read.error().message() << " for " << testing::PrintToString(text);
  EXPECT_EQ(std::string(again.begin(), again.end()), text);
  const MemoryRandomAccess file(stored);
  const auto opened = Table::open(file);
  EXPECT_TRUE(opened.ok());
  if (opened.ok()) {
    EXPECT_EQ(opened->rows(), made->rows);
    EXPECT_EQ(opened->text_bytes(), text.size());
  }
  return true;
}

TEST(TableRoundTrip, GivesBackTextsOfTheBytesThatMatter) {
  std::mt19937 random(1);
  const std::string alphabet = "aab11.-,,,\"\"\n\n\n\r#; \t|";
  int tables = 0;
  const int texts = texts_to_try();
  for (int i = 0; i < texts; ++i) {
    std::string text;
    const std::size_t size = random() % 60;
    for (std::size_t k = 0; k < size; ++k) text += alphabet[random() % alphabet.size()];
    if (random() % 8 == 0) text += '\0';
    tables += comes_back(text, random() % 2 == 0) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(tables, texts / 10);
}

/// Rows of numbers, dates and words, with mistakes strewn in.
std::string made_up_rows(std::mt19937& random) {
  const char* const fields[] = {"1",   "-20",     "007",        "1.50",  "2.25", "1e-05",
                                "",    "\"\"",    "2024-01-31", "true",  "x y",  "\"q\"",
                                "nan", "\"a,b\"", "99999",      "12:00", "\xff", " 1",
                                "+5",  "1.",      "\"x\"\"y\""};
  std::string text = "k,v,w\n";
  const std::size_t rows = 1 + random() % 40;
  std::vector<std::size_t> usual = {random() % 21, random() % 21, random() % 21};
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t column = 0; column < 3; ++column) {
      text += fields[random() % 20 == 0 ? random() % 21 : usual[column]];
      if (column < 2) text += ',';
    }
    text += random() % 50 == 0 ? "\r\n" : random() % 50 == 0 ? "\n\n" : "\n";
  }
  if (random() % 4 == 0) text.pop_back();
  return text;
}

TEST(TableRoundTrip, GivesBackRowsWithMistakes) {
  std::mt19937 random(2);
  int tables = 0;
  const int texts = texts_to_try();
  for (int i = 0; i < texts; ++i) {
    tables += comes_back(made_up_rows(random), false) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(tables, texts / 2);
}

TEST(TableRoundTrip, GivesBackTextsOfTheBytesThatMatterToJson) {
  std::mt19937 random(3);
  // Half of the texts are of the first pieces alone, as any other makes most texts invalid.
  constexpr std::size_t kSound = 10;
  const std::vector<std::string> pieces = {"{\"a\":1}\n",
                                           "{\"b\": \"x\"}\n",
                                           "{\"a\":-0}\r\n",
                                           "{\"a\":1.0,\"b\":null}\n",
                                           "{\"b\":\"\\u00e9\xc3\xa9\"}\n",
                                           "{\"b\" :[ ]}\n",
                                           "{}\n",
                                           "\n",
                                           "\r\n",
                                           " ",
                                           "{",
                                           "}",
                                           "\"",
                                           "\\",
                                           "\\u0e9",
                                           ":",
                                           ",",
                                           "[",
                                           "]",
                                           "1",
                                           "true",
                                           "\xff",
                                           "a"};
  int tables = 0;
  const int texts = texts_to_try();
  for (int i = 0; i < texts; ++i) {
    std::string text;
    const std::size_t size = random() % 20;
    const std::size_t kinds = i % 2 == 0 ? kSound : pieces.size();
    for (std::size_t k = 0; k < size; ++k) text += pieces[random() % kinds];
    tables += comes_back(text, false, TextKind::kJsonLines) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(tables, texts / 3);
}

/// Objects whose keys come in several orders and whose values are written in several ways.
std::string made_up_objects(std::mt19937& random) {
  const std::vector<std::string> values = {
      "1",     "-20",         "007",          "1.50",           "2.25",
      "1e-05", "null",        "\"\"",         "\"2024-01-31\"", "true",
      "\"x\"", "\"\\u00e9\"", "\"\xc3\xa9\"", "\"a\\/b\"",      "[1, 2]",
      "{}",    "\"\\n\""};
  const std::string keys[] = {"a", "b", "\xc3\xa9", "d e"};
  const std::size_t rows = 1 + random() % 40;
  const bool spaces = random() % 2 == 0;
  std::size_t usual[4];
  for (std::size_t& value : usual) value = random() % values.size();
  std::string text;
  for (std::size_t row = 0; row < rows; ++row) {
    text += '{';
    const std::size_t first = random() % 10 == 0 ? random() % 4 : 0;
    const std::size_t most = random() % 10 == 0 ? random() % 5 : 4;
    for (std::size_t i = 0; i < most; ++i) {
      const std::size_t key = (first + i) % 4;
      if (i > 0) text += spaces ? ", " : ",";
      text.append("\"").append(keys[key]).append(spaces ? "\": " : "\":");
      text += values[random() % 20 == 0 ? random() % values.size() : usual[key]];
    }
    text += random() % 50 == 0 ? " }\r\n" : random() % 50 == 0 ? "}\n\n" : "}\n";
  }
  if (random() % 4 == 0) text.pop_back();
  return text;
}

TEST(TableRoundTrip, GivesBackObjectsWithMistakes) {
  std::mt19937 random(4);
  int tables = 0;
  const int texts = texts_to_try();
  for (int i = 0; i < texts; ++i) {
    tables += comes_back(made_up_objects(random), false, TextKind::kJsonLines) ? 1 : 0;
    if (HasFailure()) return;
  }
  EXPECT_GT(tables, texts / 2);
}

/// Lines of a text, in order of their bytes.
std::vector<std::string> sorted_lines(const std::string& text) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    lines.push_back(text.substr(at, end - at));
    at = end;
  }
  std::sort(lines.begin(), lines.end());
  return lines;
}

TEST(TableRoundTrip, WithBadRowsSetAsideHasAllOthers) {
  std::mt19937 random(5);
  std::uint64_t bad_rows = 0;
  for (int i = 0; i < texts_to_try() / 10; ++i) {
    std::string text = "k,v,w\n";
    for (std::size_t row = random() % 30; row > 0; --row) {
      const char* const rows[] = {"1,2,3\n", "1,x,3\n", "1,2\n", "1,2,3,4\n", "y,,\n", "\n"};
      text += rows[random() % 4 == 0 ? random() % 6 : 0];
    }
    MemorySource source(bytes_of(text));
    std::vector<Byte> stored;
    VectorSink sink(stored);
    TableOptions options;
    options.text.header = true;
    ColumnSchema& column = options.types.emplace_back();
    column.name.push_back('v');  // g++ 12 warns of = "v" without cause
    column.type = ColumnType::kInt32;
    column.nullable = true;
    options.group_rows = static_cast<std::uint32_t>(random() % 9);
    options.compress.threads = 1 + random() % 2;
    std::string bad;
    options.on_bad_rows = [&](Bytes rows) {
      bad.append(rows.begin(), rows.end());
      return Status{};
    };
    const auto made = compress_table(source, nullptr, sink, options);
    ASSERT_TRUE(made.ok()) << made.error().message() << " for " << testing::PrintToString(text);
    MemorySource table(stored);
    std::vector<Byte> kept;
    VectorSink kept_sink(kept);
    ASSERT_TRUE(decompress_table(table, kept_sink).ok());
    EXPECT_EQ(sorted_lines(std::string(kept.begin(), kept.end()) + bad), sorted_lines(text));
    bad_rows += made->bad_rows;
    if (HasFailure()) return;
  }
  EXPECT_GT(bad_rows, 0u);
}

}  // namespace
}  // namespace presso::table_round_trip_test
