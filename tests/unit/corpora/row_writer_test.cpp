// SPDX-License-Identifier: MIT
#include "corpora/row_writer.h"

#include <gtest/gtest.h>

#include <string>

namespace presso::corpora::row_writer_test {
namespace {

TEST(RowWriter, TblEndsEveryFieldWithABarAndCsvSeparatesThem) {
  for (const auto& [format, expected] : {std::pair{TableFormat::kTbl, "7|-0.05|x|\n"},
                                         std::pair{TableFormat::kCsv, "7,-0.05,x\n"}}) {
    RowWriter to(format);
    to.begin_row();
    to.number(7);
    to.money(-5);
    to.word("x");
    to.end_row();
    EXPECT_EQ(to.text(), expected);
  }
}

TEST(RowWriter, CsvQuotesTextOnlyWhereItMust) {
  RowWriter to(TableFormat::kCsv);
  to.begin_row();
  to.text_field("plain; text");
  to.text_field("even, bold");
  to.text_field("a \"quote\"");
  to.text_field("");
  to.end_row();
  EXPECT_EQ(to.text(), "plain; text,\"even, bold\",\"a \"\"quote\"\"\",\n");
}

TEST(RowWriter, NumbersOfAnySizeAndWidth) {
  RowWriter to(TableFormat::kCsv);
  to.begin_row();
  to.number(0);
  to.number(UINT64_MAX);
  to.name("Clerk#", 42);
  to.decimal(123456, 4);
  to.decimal(7, 1);
  to.empty();
  to.date(0);
  to.date(11016);
  to.end_row();
  EXPECT_EQ(to.text(),
            "0,18446744073709551615,Clerk#000000042,12.3456,0.7,,1970-01-01,2000-02-29\n");
}

TEST(RowWriter, GrowsWithItsRows) {
  RowWriter to(TableFormat::kCsv);
  std::string expected;
  const std::string text(4000, 'x');
  for (int i = 0; i < 300; ++i) {
    to.begin_row();
    to.word(text);
    to.end_row();
    expected += text + '\n';
  }
  EXPECT_EQ(to.text(), expected);
  to.clear();
  EXPECT_EQ(to.text(), "");
}

}  // namespace
}  // namespace presso::corpora::row_writer_test
