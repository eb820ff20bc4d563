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

TEST(Dialect, BarsTrailAndOthersWhereTheHeaderHasNone) {
  EXPECT_TRUE(sniffed("a,b\n1,2,\n3,4,\n").form.trailing_delimiter);
  EXPECT_FALSE(sniffed("a,b\n1,2,\n3,4,5\n").form.trailing_delimiter);
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

TEST(Dialect, ALineMayNameTheDelimiter) {
  const SniffedText text = sniffed("sep=;\r\na;b\r\n1,5;2\r\n");
  EXPECT_EQ(text.form.delimiter, ';');
  EXPECT_EQ(text.names, (Names{"a", "b"}));
  EXPECT_EQ(text.form.head, "sep=;\r\na;b\r\n");
  EXPECT_EQ(sniffed("sep=;x,b\n1,2\n").names, (Names{"sep=;x", "b"}));
}

TEST(Dialect, SingleQuotesAreQuotesWhereDoubleOnesAreNone) {
  EXPECT_EQ(sniffed("a,b\n'x, y',2\n'z',3\n").form.quote, '\'');
  EXPECT_EQ(sniffed("a,b\n'tis,2\n'twas,3\n").form.quote, '"');
  EXPECT_EQ(sniffed("a,b\n'x',\"2\"\n'z',3\n").form.quote, '"');
}

TEST(Dialect, ABackslashEscapesWhereOtherwiseQuotationsAreIrregular) {
  EXPECT_EQ(sniffed("id,t\n1,\"say \\\"hi\\\", please\"\n2,x\n").rules.escape, '\\');
  EXPECT_EQ(sniffed("id,t\n1,\"C:\\\"\n2,x\n").rules.escape, 0);
}

TEST(Dialect, QuotesAreTextWhereAllRecordsAreAlikeThen) {
  EXPECT_EQ(sniffed("a,b\n1,\"open\n2,say \"hi\" x\n").form.quote, 0);
  EXPECT_EQ(sniffed("a,b\n1,\"x\" y\n2,\"p,q\"\n").form.quote, '"');
  std::string text = "id,t\n";
  for (int i = 0; i < 300; ++i) text += std::to_string(i) + ",x\n";
  EXPECT_EQ(sniffed(text + "300,\"open\n301,x\n302,\"closed\" y\n").form.quote, 0);
}

TEST(Dialect, CommentsAreLinesUnlikeTheRows) {
  const SniffedText first = sniffed("# made by\n#\na,b\n1,2\n");
  EXPECT_EQ(first.form.head, "# made by\n#\na,b\n");
  EXPECT_EQ(first.rules.comment, 0);
  const SniffedText later = sniffed("a,b\n1,2\n# half\n3,4\n");
  EXPECT_EQ(later.rules.comment, '#');
  EXPECT_EQ(sniffed("a,b\n1,2\n#,3\n3,4\n").rules.comment, 0);
  EXPECT_EQ(sniffed("#a,1\n#b,2\nc,3\n").form.head, "");
  EXPECT_EQ(sniffed("#happy\n#sad\ncat\n").form.head, "");
  SniffOptions none;
  none.comment = Byte{0};
  EXPECT_EQ(sniffed("# x\na\n", "t.csv", none).form.head, "");
}

TEST(Dialect, AHeaderMayStandInTheLastComment) {
  const SniffedText codes = sniffed("# code\tname\nAD\tAndorra\nAE\tEmirates\n", "c.tab");
  EXPECT_EQ(codes.names, (Names{"code", "name"}));
  EXPECT_EQ(codes.form.head, "# code\tname\n");
  EXPECT_EQ(sniffed("##x\n#chrom\tbegin\nchr1\t5\nchr1\t7\n").names, (Names{"chrom", "begin"}));
  EXPECT_EQ(sniffed("# by me, here\na,b\n1,2\n").names, (Names{"a", "b"}));
  EXPECT_EQ(sniffed("# 5,6\n1,2\n3,4\n").names, (Names{"column1", "column2"}));
}

TEST(Dialect, LinesBeforeAHeaderOfSeveralNamesAreATitle) {
  const SniffedText text = sniffed("Table 1\n\nid,name,x\n1,a,2\n2,b,3\n");
  EXPECT_EQ(text.form.head, "Table 1\n\nid,name,x\n");
  EXPECT_EQ(text.names, (Names{"id", "name", "x"}));
  EXPECT_EQ(text.notes, (Names{"the header is in line 3; what stands before it is no row"}));
  EXPECT_EQ(sniffed("1\n1,2,3\n4,5,6\n").form.head, "");
  const std::string station = "7,Oslo\nDate,Hour,T,Wind\n";
  EXPECT_EQ(sniffed(station + "2024-01-01,1,-3.5,2\n2024-01-01,2,-4,1\n").form.head, station);
  EXPECT_EQ(sniffed("a,b\nc,d,e,f\ng,h,i,j\nk,l,m,n\n").form.head, "");
  std::string rows;
  for (int i = 0; i < 10; ++i) rows += std::to_string(i) + ",1.5,2.5,3\n";
  const SniffedText counted = sniffed("10,two\n" + rows);
  EXPECT_EQ(counted.form.head, "10,two\n");
  EXPECT_FALSE(counted.has_header);
  EXPECT_EQ(counted.notes, (Names{"the rows begin in line 2; what stands before it is no row"}));
  EXPECT_EQ(sniffed("a,b,c\nx,1,2,3\ny,4,5,6\n").names.size(), 4u);
}

TEST(Dialect, RunsOfBlanksSeparateColumnsOfNumbers) {
  const SniffedText text = sniffed("  x    y\n 1.5  2\n10    -7\n", "t.txt");
  EXPECT_EQ(text.form.delimiter, ' ');
  EXPECT_TRUE(text.rules.merges_delimiters);
  EXPECT_EQ(text.names, (Names{"x", "y"}));
  EXPECT_EQ(sniffed("\"city\" \"price\"\n\"1\" \"Oslo\" 1.5\n\"2\" \"Rome\" 2\n").names.size(), 3u);
  EXPECT_EQ(sniffed("John Smith\nJane Doe\nJoe Bloggs\n").form.delimiter, ',');
  EXPECT_EQ(sniffed("2024-01-01 12:00\n2024-01-02 13:00\n").form.delimiter, ',');
}

TEST(Dialect, WhatCannotBeReadIsSaid) {
  EXPECT_EQ(sniff(bytes_of("a,\"b\n"), true, "").error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(sniff(bytes_of("a,b"), false, "").error().code, ErrorCode::kTruncated);
  EXPECT_EQ(sniff(bytes_of("a,\"b"), false, "").error().code, ErrorCode::kTruncated);
  SniffOptions options;
  options.delimiter = '"';
  EXPECT_FALSE(sniff(bytes_of("a\n"), true, "", options).ok());
}

}  // namespace
}  // namespace presso::dialect_test
