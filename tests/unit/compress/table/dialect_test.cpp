// SPDX-License-Identifier: MIT
// What is found out from a text's begin and its name.
#include "compress/table/text/dialect.h"

#include "tests/unit/compress/table/table_text.h"

namespace presso::dialect_test {
namespace {

using test::bytes_of;
using Names = std::vector<std::string>;

SniffedText sniffed(std::string_view text, std::string_view name = "t.csv",
                    const SniffOptions& options = {}) {
  auto result = sniff(bytes_of(text), true, name, options);
  EXPECT_TRUE(result.ok());
  return result.ok() ? *result : SniffedText{};
}

TEST(Dialect, TheDelimiterIsTheOneThatAgreesWithMostRecords) {
  EXPECT_EQ(sniffed("a,b\n1,2\n").form.delimiter, ',');
  EXPECT_EQ(sniffed("a;b\n1,5;2\n2,5;3\n").form.delimiter, ';');
  EXPECT_EQ(sniffed("a\tb\n1,2\t3\n").form.delimiter, '\t');
  EXPECT_EQ(sniffed("a|b|c\nx, y|2|3\n").form.delimiter, '|');
  EXPECT_EQ(sniffed("\"a;b\",\"c;d\"\n\"e\",\"f\"\n").form.delimiter, ',');
  EXPECT_EQ(sniffed("a\nb\n").form.delimiter, ',');
  EXPECT_EQ(sniffed("").form.delimiter, ',');
}

TEST(Dialect, NamesOfFilesDecide) {
  EXPECT_EQ(sniffed("a,b\n1,2\n", "x.TSV").form.delimiter, '\t');
  EXPECT_EQ(sniffed("a,b\n1,2\n", "x.psv").form.delimiter, '|');
  const SniffedText tbl = sniffed("1|\"a|\n2|b|\n", "lineitem.tbl");
  EXPECT_EQ(tbl.form.delimiter, '|');
  EXPECT_EQ(tbl.form.quote, 0);
  EXPECT_TRUE(tbl.form.trailing_delimiter);
  EXPECT_FALSE(tbl.has_header);
  EXPECT_EQ(tbl.names, (Names{"column1", "column2"}));
}

TEST(Dialect, OptionsDecideBeforeAll) {
  SniffOptions options;
  options.delimiter = ',';
  options.quote = 0;
  options.header = true;
  const SniffedText text = sniffed("1|\"2,3\n", "x.tbl", options);
  EXPECT_EQ(text.form.delimiter, ',');
  EXPECT_EQ(text.names, (Names{"1|\"2", "3"}));
  EXPECT_EQ(text.form.head, "1|\"2,3\n");
}

TEST(Dialect, OnlyBarsTrail) {
  EXPECT_TRUE(sniffed("a|b|\n1|2|\n").form.trailing_delimiter);
  EXPECT_FALSE(sniffed("a|b|\n1|2\n").form.trailing_delimiter);
  SniffOptions options;
  options.header = true;
  EXPECT_EQ(sniffed("a,b,\n1,2,\n", "t.csv", options).names, (Names{"a", "b", "column3"}));
}

TEST(Dialect, TextsWithTabsHaveQuotesOnlyWhereTheyClose) {
  EXPECT_EQ(sniffed("a\tb\n\"x\ty\"\t1\n", "t.tsv").form.quote, '"');
  EXPECT_EQ(sniffed("a\tb\n\"x\" y\t1\n", "t.tsv").form.quote, 0);
  EXPECT_EQ(sniffed("a\tb\n\"x\t1\n", "t.tsv").form.quote, 0);
}

// miller 922, 999: byte order marks in the first name.
TEST(Dialect, HeadHoldsMarkSkippedLinesCommentsAndHeader) {
  SniffOptions options;
  options.skip_lines = 1;
  options.comment = '#';
  const SniffedText text =
      sniffed("\xEF\xBB\xBFtitle, \"x\r\n#c\r\nid,name\r\n1,x\r\n", "", options);
  EXPECT_EQ(text.form.head, "\xEF\xBB\xBFtitle, \"x\r\n#c\r\nid,name\r\n");
  EXPECT_TRUE(text.form.carriage_return);
  EXPECT_EQ(text.names, (Names{"id", "name"}));
  EXPECT_EQ(text.first_line, 4u);
  EXPECT_EQ(sniffed("\xEF\xBB\xBF"
                    "1,2\n")
                .form.head,
            "\xEF\xBB\xBF");
}

TEST(Dialect, WhatCannotBeReadIsSaid) {
  EXPECT_EQ(sniff(bytes_of("\xFF\xFE"
                           "a"),
                  true, "")
                .error()
                .code,
            ErrorCode::kUnsupported);
  EXPECT_EQ(sniff(bytes_of("a,\"b\n"), true, "").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(sniff(bytes_of("a,b"), false, "").error().code, ErrorCode::kTruncated);
  EXPECT_EQ(sniff(bytes_of("a,\"b"), false, "").error().code, ErrorCode::kTruncated);
  SniffOptions options;
  options.delimiter = '"';
  EXPECT_FALSE(sniff(bytes_of("a\n"), true, "", options).ok());
}

}  // namespace
}  // namespace presso::dialect_test
