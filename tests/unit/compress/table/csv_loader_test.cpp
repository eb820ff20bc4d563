// SPDX-License-Identifier: MIT
// Whatever the text, what was loaded prints back to it byte for byte, or loading is an error.
#include "compress/table/text/csv_loader.h"

#include <random>

#include "compress/table/text/dialect.h"
#include "format/columns/row_text.h"
#include "tests/unit/compress/table/spelled_texts.h"
#include "tests/unit/compress/table/table_text.h"

namespace presso::csv_loader_test {
namespace {

using test::bytes_of;
using test::inference_of;

/// Sniffs, infers and loads `text`, as the tool does.
struct Loaded {
  TableSchema schema;
  LoadedRows rows;
};
Result<Loaded> load(const std::string& text, const SniffOptions& options = {}, bool fill = false) {
  PRESSO_ASSIGN(SniffedText sniffed, sniff(bytes_of(text), true, "t.csv", options));
  const std::string rows = text.substr(sniffed.form.head.size());
  TypeInference inference(sniffed.names.size(), sniffed.form);
  RecordBatch batch;
  for (std::size_t at = 0; at < rows.size();) {
    PRESSO_ASSIGN(at, tokenize(dialect_of(sniffed.form, sniffed.names.size(), sniffed.rules),
                               bytes_of(rows), at, 100, true, batch, sniffed.first_line));
    inference.add(batch, bytes_of(rows), sniffed.first_line);
  }
  Loaded loaded;
  loaded.schema = inference.finish(sniffed.names);
  PRESSO_ASSIGN(loaded.rows, load_rows(bytes_of(rows), loaded.schema, sniffed.first_line,
                                       {.rules = sniffed.rules,
                                        .fill = fill,
                                        .doubts_quotes = !options.quote,
                                        .doubts_comments = !options.comment}));
  return loaded;
}

std::string print(const Loaded& loaded) {
  if (loaded.schema.columns.empty()) return loaded.schema.text.head;  // no record at all
  std::vector<ColumnView> views;
  for (const ColumnData& column : loaded.rows.columns) views.push_back(column.view());
  Buffer to;
  const RowPrinter printer(loaded.schema, views, &loaded.rows.exact);
  const Status status = printer.print(0, loaded.rows.rows, to);
  EXPECT_TRUE(status.ok());
  return loaded.schema.text.head + std::string(to.bytes().begin(), to.bytes().end());
}

void expect_exact(const std::string& text, std::size_t exact_rows) {
  const auto loaded = load(text);
  ASSERT_TRUE(loaded.ok()) << loaded.error().what;
  EXPECT_EQ(loaded->rows.exact.rows.size(), exact_rows) << text;
  EXPECT_EQ(print(*loaded), text);
}

TEST(CsvLoader, PlainTablesNeedNoExactText) {
  expect_exact("id,name,price\n1,Bob,1.50\n2,\"Eve, B.\",2.00\n3,,3.25\n", 0);
  expect_exact("id,name\r\n1,a\r\n2,\"b\r\nc\"\r\n", 0);
  expect_exact("\"id\",\"name\"\n\"1\",\"a\"\n\"2\",\"b\"\n", 0);
  expect_exact("\xEF\xBB\xBFid,name\n1,a\n", 0);
}

TEST(CsvLoader, WhatIsWrittenInAnotherWayKeepsItsText) {
  expect_exact("id,name\n1,a\n2,b", 1);                 // no line end
  expect_exact("id,name\n1,a\r\n2,b\r\n3,c\n", 2);      // the header ends in LF
  expect_exact("id,name\n1,a\n\"2\",b\n3,\"c\"\n", 0);  // quotes have spellings
  expect_exact("id,name\n\n1,a\n\r\n\n2,b\n", 2);
  expect_exact("id,price\n1,\"1,234.50\"\n2,950\n3,\"1,000,000\"\n4,NA\n5,1000\n", 0);
  expect_exact("id,people\n1,\"1,234\"\n2,950\n3,\"1,000,000\"\n4,1000\n", 0);
  expect_exact("id;price\n1;1,50\n2;,5\n3;10\n4;-1234567,125\n", 0);
  expect_exact("id,name\n1,a\n\n\n", 1);  // behind the last row
  expect_exact("id;name\r1;a\r2;b\r", 2);
}

TEST(CsvLoader, ABlankLineIsANullWhereThereIsOneColumn) {
  for (const char* text : {"n\n1\n\n3\n\n", "n\r\n1\r\n\r\n3\r\n\r\n"}) {
    const auto loaded = load(text);
    ASSERT_TRUE(loaded.ok());
    ASSERT_EQ(loaded->rows.rows, 4u);
    EXPECT_EQ(loaded->schema.columns[0].type, ColumnType::kInt64);
    const ColumnView column = loaded->rows.columns[0].view();
    EXPECT_TRUE(column.is_null(1) && column.is_null(3));
    EXPECT_FALSE(column.is_null(0) || column.is_null(2));
    EXPECT_TRUE(loaded->rows.exact.rows.empty());
    EXPECT_EQ(print(*loaded), text);
  }
}

TEST(CsvLoader, NullsAndEmptyStringsOfOneColumnStayApart) {
  SniffOptions options;
  options.header = false;
  const auto loaded = load("\n\"\"\nb c\n\n", options);
  ASSERT_TRUE(loaded.ok());
  ASSERT_EQ(loaded->rows.rows, 4u);
  const ColumnView column = loaded->rows.columns[0].view();
  EXPECT_TRUE(column.is_null(0) && !column.is_null(1) && !column.is_null(2) && column.is_null(3));
  EXPECT_EQ(print(*loaded), "\n\"\"\nb c\n\n");
}

// csvspectrum's cases: commas, empty fields, escaped quotes, JSON, line ends, UTF-8.
TEST(CsvLoader, CasesOfCsvSpectrumRoundTrip) {
  for (const char* text :
       {"first,last,address,city,zip\nJohn,Doe,120 any st.,\"Anytown, WW\",08123\n",
        "a,b,c\n1,\"\",\"\"\n2,3,4\n", "a,b\n1,\"ha \"\"ha\"\" ha\"\n3,4\n",
        "key,val\n1,\"{\"\"type\"\": \"\"Point\"\", \"\"coordinates\"\": [102.0, 0.5]}\"\n",
        "a,b,c\n1,2,3\n\"Once upon \na time\",5,6\n7,8,9\n", "a,b,c\r\n1,2,3\r\n4,5,\xCA\xA4\r\n",
        "a,b,c\n1,2,3\n4,5,6", "a\n1\n", "a,b\n1,\"ha\n\"\"ha\"\"\nha\"\n3,4\n"}) {
    const auto loaded = load(text);
    ASSERT_TRUE(loaded.ok()) << text;
    EXPECT_EQ(print(*loaded), text);
  }
}

// DuckDB 25827: the header and rows were dropped; a file of three lines gave no rows.
TEST(CsvLoader, ThreeLinesAreTwoRows) {
  const auto loaded = load("a,b\n1,x\n2,y\n");
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->rows.rows, 2u);
}

// miller 161, 368, 780: ragged rows; polars 14235: rows vanished without an error.
TEST(CsvLoader, ARaggedRowIsAnErrorWithLineAndText) {
  const auto loaded = load("a,b,c\n1,2,3\n\n4,5\n6,7,8\n");
  ASSERT_FALSE(loaded.ok());
  EXPECT_EQ(loaded.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(loaded.error().what,
            "line 4: 2 fields, expected 3: 4,5 (--ragged fill makes missing fields null)");
  EXPECT_FALSE(load("a,b\n1,2,3\n4,5\n", {}, true).ok());  // too many are never filled
}

TEST(CsvLoader, MissingFieldsAreNullWhereThatIsAskedFor) {
  const std::string text = "a,b,c\n1,2,3\n4,5\n6,7,8\n";
  const auto loaded = load(text, {}, true);
  ASSERT_TRUE(loaded.ok());
  EXPECT_TRUE(loaded->rows.columns[2].view().is_null(1));
  EXPECT_EQ(loaded->rows.exact.rows, std::vector<std::uint32_t>{1});
  EXPECT_EQ(print(*loaded), text);
}

TEST(CsvLoader, CommentsKeepTheirText) {
  SniffOptions options;
  options.comment = '#';
  const std::string text = "# made by\na,b\n1,2\n#, \"\n3,4\n# end";
  const auto loaded = load(text, options);
  ASSERT_TRUE(loaded.ok());
  EXPECT_EQ(loaded->rows.rows, 2u);
  EXPECT_EQ(loaded->rows.exact.rows, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(print(*loaded), text);
}

TEST(CsvLoader, WithoutExactnessNoTextIsKept) {
  TableSchema schema = inference_of("1,\"a\"\n2,b\n", 2).finish({});
  schema.exact = false;
  const auto rows = load_rows(bytes_of("1,\"a\"\n2,b\n"), schema, 1);
  ASSERT_TRUE(rows.ok());
  EXPECT_TRUE(rows->exact.rows.empty());
}

TEST(CsvLoader, AnyTextThatLoadsPrintsBack) {
  std::mt19937 random(24);
  const std::string_view alphabet("1a,\"\r\n#\0|.'\\ ;", 14);
  const std::string_view tame("12a,,,\n\n\"");
  const std::string_view quoted("1a,,\"\"\"\\\n\n#");
  const std::string_view blanks("12  \n\n' ");
  int loads = 0;
  for (int i = 0; i < 1'000'000; ++i) {
    const std::string_view from[] = {alphabet, tame, quoted, blanks};
    std::string text(random() % (i % 8 == 0 ? 60 : 16), '0');
    const std::string_view bytes = from[i % 4];
    for (char& byte : text) byte = bytes[random() % bytes.size()];
    SniffOptions options;
    if (i % 3 == 0) options.comment = '#';
    if (i % 7 == 0) options.escape = '\\';
    if (i % 5 == 0) options.header = i % 2 == 0;
    const auto loaded = load(text, options, true);
    if (!loaded.ok()) continue;
    ++loads;
    ASSERT_EQ(print(*loaded), text) << testing::PrintToString(text);
  }
  EXPECT_GT(loads, 300'000);
}

/// Typed columns print back by their spellings, without exact lines.
TEST(CsvLoader, ValuesInAnySpellingPrintBack) {
  test::SpelledTexts texts(3);
  const auto load_text = [&](const std::string& text) {
    SniffOptions options;
    if (!texts.is_whole()) options.comment = '#';
    if (texts.one_in(4)) options.header = texts.one_in(2);
    return load(text, options, !texts.is_whole());
  };
  test::expect_spelled_texts_back(
      texts, [&] { return texts.csv(); }, load_text, print);
}

}  // namespace
}  // namespace presso::csv_loader_test
