// SPDX-License-Identifier: MIT
// Lines in quotes or comments that are rows of the table are an error.
#include "compress/table/text/hidden_rows.h"

#include "tests/unit/compress/table/table_text.h"

namespace presso::hidden_rows_test {
namespace {

using test::bytes_of;

/// A row of a table of two columns, the first of which is a number unless all are texts.
RowTest row_test(bool only_texts) {
  return {2, only_texts, [only_texts](const RecordBatch& batch, Bytes text, std::size_t record) {
            const Field& first = batch.fields[batch.first_field[record]];
            return only_texts || (first.length > 0 && text[first.begin] <= '9');
          }};
}

RecordBatch batch_of(const Dialect& dialect, std::string_view text) {
  RecordBatch batch;
  EXPECT_TRUE(tokenize(dialect, bytes_of(text), 0, 1000, true, batch).ok());
  return batch;
}

std::string refused(std::string_view text, bool only_texts = false, const Dialect& dialect = {}) {
  const RecordBatch batch = batch_of(dialect, text);
  const Status quotes =
      refuse_rows_in_quotes(dialect, bytes_of(text), batch, row_test(only_texts), 10);
  if (!quotes.ok()) return quotes.error().what;
  const Status comments = refuse_rows_in_comments(dialect, bytes_of(text), batch, text.size(),
                                                  row_test(only_texts), 10);
  return comments.ok() ? "" : comments.error().what;
}

TEST(HiddenRows, InQuotesAreAnErrorWithLineAndOption) {
  EXPECT_EQ(refused("1,a\n2,\"open\n3,b\n4,closed\"\n5,c\n"),
            "line 11: a quote that opens here encloses lines that read as rows, up to line 13; "
            "with --quote none quotes are text, with --quote '\"' the lines are one value");
  EXPECT_NE(refused("1,\"open\n3,say \"hi\" there\n5,c\n"), "");
}

TEST(HiddenRows, ValuesOfSeveralLinesAreNone) {
  EXPECT_EQ(refused("1,\"two\nlines\"\n2,\"a,\nb\"\n3,x\n"), "");
  EXPECT_EQ(refused("1,\"two, or\n3, lines\"\n"), "");
  EXPECT_EQ(refused("a,\"Hello\nbye, all\"\n", true), "");
  EXPECT_NE(refused("a,\"b\nc,d\ne,f\ng,h\"\n", true), "");
}

TEST(HiddenRows, InCommentsAreAnError) {
  const Dialect dialect{.comment = '1'};
  EXPECT_EQ(refused("2,a\n1 note\n3,b\n1 end", false, dialect), "");
  EXPECT_EQ(refused("2,a\n1,x\n3,b\n", false, dialect),
            "line 11: begins with '1' as comments do, but reads as a row; with --comment none it "
            "is one, with --comment '1' it is none");
  EXPECT_NE(refused("2,a\n3,b\n1,x", false, dialect), "");
}

}  // namespace
}  // namespace presso::hidden_rows_test
