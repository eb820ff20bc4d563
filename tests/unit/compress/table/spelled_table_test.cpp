// SPDX-License-Identifier: MIT
// Random tables with values in many spellings, compressed and decompressed: all bytes come back,
// whatever the row groups and the types that were given. More of them:
// table_writer_tests --gtest_filter='SpelledTable.*' --gtest_repeat=100 --gtest_shuffle
// (each round has other texts).
#include <gtest/gtest.h>

#include "presso/compress_table.h"
#include "presso/table.h"
#include "tests/unit/compress/table/spelled_texts.h"

namespace presso::spelled_table_test {
namespace {

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// The table's text, or nothing where the text cannot be loaded.
std::string round_trip(const std::string& text, const TableOptions& options,
                       TableSummary& summary) {
  MemorySource source(bytes_of(text));
  MemorySource again(bytes_of(text));
  std::vector<Byte> file;
  VectorSink sink(file);
  auto made = compress_table(source, &again, sink, options);
  if (!made.ok()) return {};
  summary = std::move(*made);
  MemorySource stored(file);
  std::vector<Byte> plain;
  VectorSink plain_sink(plain);
  DecompressOptions decompress;
  decompress.decode.check_zones = true;
  decompress.threads = 1;
  const auto done = decompress_table(stored, plain_sink, decompress);
  EXPECT_TRUE(done.ok()) << done.error().message() << testing::PrintToString(text);
  return {plain.begin(), plain.end()};
}

TableOptions options_for(test::SpelledTexts& random, bool json) {
  TableOptions options;
  options.text.name = json ? "t.json" : "t.csv";
  options.text.fill = random.one_in(2);
  if (!json && random.one_in(4)) options.text.comment = '#';
  if (!json && random.one_in(4)) options.text.header = random.one_in(2);
  if (!json && random.one_in(8)) options.text.null_text = "NA";
  options.group_rows = random.one_in(3) ? 3 : 0;
  options.quick = random.one_in(2);
  options.compress.threads = 1;
  return options;
}

/// Gives a column a type that it need not have, as --schema does.
void give_type(test::SpelledTexts& random, TableSummary& summary, TableOptions& options) {
  constexpr const char* kTypes[] = {"double", "int64",         "decimal(18,2)",
                                    "date",   "timestamp(ms)", "bool"};
  std::vector<ColumnSchema>& columns = summary.schema.columns;
  const ColumnSchema& column = columns[random.below(columns.size())];
  const std::string type =
      random.one_in(2) ? type_name(column) : kTypes[random.below(std::size(kTypes))];
  options.types = {*parse_type(type)};
  options.types[0].name = column.name;
}

void expect_round_trips(bool json, std::uint32_t seed) {
  test::SpelledTexts random(seed);
  std::size_t loaded = 0;
  std::size_t spelled = 0;
  for (int i = 0; i < 4000; ++i) {
    const std::string text = json ? random.json() : random.csv();
    TableOptions options = options_for(random, json);
    TableSummary summary;
    std::string back = round_trip(text, options, summary);
    if (back.empty()) continue;
    ASSERT_EQ(back, text) << testing::PrintToString(text);
    ++loaded;
    for (const ColumnSchema& column : summary.schema.columns) {
      spelled += column.spelled || !column.spelling.empty() ? 1 : 0;
    }
    if (!random.one_in(3)) continue;
    give_type(random, summary, options);
    back = round_trip(text, options, summary);
    ASSERT_TRUE(back.empty() || back == text) << testing::PrintToString(text);
  }
  EXPECT_GT(loaded, 2500u);
  EXPECT_GT(spelled, 800u);
}

TEST(SpelledTable, DelimitedTextComesBack) {
  expect_round_trips(false, 1);
}

TEST(SpelledTable, JsonLinesComeBack) {
  expect_round_trips(true, 2);
}

}  // namespace
}  // namespace presso::spelled_table_test
