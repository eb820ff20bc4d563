// SPDX-License-Identifier: MIT
// Whatever stood in a text, a table gives it back: random texts of the bytes that matter to a
// reader of CSV, and made-up rows with errors strewn in. A text may be refused, with a line or a
// reason, but never changed. PRESSO_TABLE_TEXTS sets how many are tried.
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "presso/compress_table.h"
#include "presso/table.h"

namespace presso {
namespace {

int texts_to_try() {
  const char* given = std::getenv("PRESSO_TABLE_TEXTS");
  return given != nullptr ? std::atoi(given) : 10000;
}

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// Whether the text became a table; then it must come back.
bool comes_back(const std::string& text, bool fill) {
  MemorySource source(bytes_of(text));
  const MemoryRandomAccess sample(bytes_of(text));
  std::vector<Byte> stored;
  VectorSink sink(stored);
  TableOptions options;
  options.text.fill = fill;
  options.text.header = text.size() % 3 == 0;
  options.group_rows = text.size() % 5 == 0 ? 3 : 0;
  options.compress.threads = 1;
  const auto made = compress_table(source, &sample, sink, options);
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

}  // namespace
}  // namespace presso
