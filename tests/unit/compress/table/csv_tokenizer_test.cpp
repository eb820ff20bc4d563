// SPDX-License-Identifier: MIT
// Every rule of csv_tokenizer.h by an example, and all of them by random texts beside a plain
// reader, on each version of the loop.
#include "compress/table/text/csv_tokenizer.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "tests/unit/compress/table/csv_reference.h"

namespace presso::csv_tokenizer_test {
namespace {

using Rows = std::vector<std::vector<std::string>>;
using namespace std::string_literals;

Bytes bytes_of(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

std::string value_of(const Field& field, std::string_view text, const Dialect& dialect = {}) {
  std::vector<Byte> value;
  append_value_text(field, bytes_of(text), dialect, value);
  return {value.begin(), value.end()};
}

RecordBatch batch_of(std::string_view text, const Dialect& dialect = {}) {
  RecordBatch batch;
  const auto end = tokenize(dialect, bytes_of(text), 0, text.size() + 1, true, batch);
  EXPECT_TRUE(end.ok());
  EXPECT_EQ(end.ok() ? *end : 0, text.size());
  return batch;
}

Rows rows_of(std::string_view text, const Dialect& dialect = {}) {
  const RecordBatch batch = batch_of(text, dialect);
  Rows rows(batch.records());
  for (std::size_t r = 0; r < rows.size(); ++r) {
    for (std::uint32_t f = batch.first_field[r]; f < batch.first_field[r + 1]; ++f) {
      rows[r].push_back(value_of(batch.fields[f], text, dialect));
    }
  }
  return rows;
}

TEST(CsvTokenizer, LineFeedsCarriageReturnsAndPairsOfThemEndLines) {
  const Rows rows = {{"a", "b"}, {"c", "d"}};
  EXPECT_EQ(rows_of("a,b\nc,d\n"), rows);
  EXPECT_EQ(rows_of("a,b\r\nc,d\r\n"), rows);
  EXPECT_EQ(rows_of("a,b\rc,d\r"), rows);
  EXPECT_EQ(rows_of("a,b\rc,d"), rows);
}

TEST(CsvTokenizer, TheLastLineNeedsNoEnd) {
  EXPECT_EQ(rows_of("a,b\nc,"), (Rows{{"a", "b"}, {"c", ""}}));
  EXPECT_EQ(rows_of("a,\"b\""), (Rows{{"a", "b"}}));
  EXPECT_EQ(rows_of(""), Rows{});
}

TEST(CsvTokenizer, EmptyFieldsAreFields) {
  EXPECT_EQ(rows_of(",,\n,\n"), (Rows{{"", "", ""}, {"", ""}}));
}

TEST(CsvTokenizer, QuotesHoldDelimitersLineEndsAndDoubledQuotes) {
  EXPECT_EQ(rows_of("\"a,b\",\"c\r\nd\",\"e\"\"f\",\"\"\"\"\n\"\"\n"),
            (Rows{{"a,b", "c\r\nd", "e\"f", "\""}, {""}}));
}

TEST(CsvTokenizer, FieldsSayHowTheyWereWritten) {
  const RecordBatch batch = batch_of("a,\"b\",\"c\"\"\",\"d\"e\n");
  ASSERT_EQ(batch.fields.size(), 4u);
  EXPECT_FALSE(batch.fields[0].quoted);
  EXPECT_TRUE(batch.fields[1].quoted && !batch.fields[1].escaped);
  EXPECT_TRUE(batch.fields[2].quoted && batch.fields[2].escaped);
  EXPECT_TRUE(batch.fields[3].irregular && !batch.fields[3].quoted);
}

TEST(CsvTokenizer, AQuoteInTheMiddleOfAnUnquotedFieldIsData) {
  EXPECT_EQ(rows_of("5\" disk,6\"\na\"b\"c,\"d\"\n"),
            (Rows{{"5\" disk", "6\""}, {"a\"b\"c", "d"}}));
}

TEST(CsvTokenizer, TextBehindAClosingQuoteStaysAsItStands) {
  EXPECT_EQ(rows_of("\"a\"b,c\n\"a,\"\"x\" ,\"d\"\n\"a\"b"),
            (Rows{{"\"a\"b", "c"}, {"\"a,\"\"x\" ", "d"}, {"\"a\"b"}}));
  EXPECT_EQ(rows_of("\"a\"b\"c,d\n"), (Rows{{"\"a\"b\"c", "d"}}));
}

TEST(CsvTokenizer, NulAndInvalidUtf8AreData) {
  EXPECT_EQ(rows_of("a\0b,\xFF\xFE\n"s), (Rows{{"a\0b"s, "\xFF\xFE"}}));
}

TEST(CsvTokenizer, BlankLinesAndCommentsAreNoRecords) {
  const Dialect dialect{',', '"', '#', false};
  const std::string text = "# \"head\n\na,b\n\r\n#x\r\nc,#d\n\n";
  EXPECT_EQ(rows_of(text, dialect), (Rows{{"a", "b"}, {"c", "#d"}}));
  const RecordBatch batch = batch_of(text, dialect);
  EXPECT_EQ(batch.begin, (std::vector<std::uint32_t>{0, 13, 24}));  // the last LF follows
}

TEST(CsvTokenizer, BlankLinesAreRecordsOfOneEmptyFieldWhereAsked) {
  const Dialect dialect{',', '"', '#', false, true};
  EXPECT_EQ(rows_of("\na\n\r\n\r#x\n\"\"\n\n", dialect),
            (Rows{{""}, {"a"}, {""}, {""}, {""}, {""}}));
  const RecordBatch batch = batch_of("\n\"\"\n", dialect);
  EXPECT_TRUE(is_null(batch.fields[0], bytes_of("\n\"\"\n"), ""));
  EXPECT_FALSE(is_null(batch.fields[1], bytes_of("\n\"\"\n"), ""));
}

TEST(CsvTokenizer, BlankLinesAreNullsInTextsOfOneColumnOnly) {
  TextForm form;
  EXPECT_TRUE(dialect_of(form, 1).blank_records);
  EXPECT_FALSE(dialect_of(form, 0).blank_records);
  EXPECT_FALSE(dialect_of(form, 2).blank_records);
  form.null_text = "NA";
  EXPECT_FALSE(dialect_of(form, 1).blank_records);
}

TEST(CsvTokenizer, ATrailingDelimiterEndsTheLastField) {
  const Dialect tbl{'|', 0, 0, true};
  EXPECT_EQ(rows_of("1|\"2|\n3||\n4|5\n|\n", tbl),
            (Rows{{"1", "\"2"}, {"3", ""}, {"4", "5"}, {""}}));
}

TEST(CsvTokenizer, WithoutAQuoteByteQuotesAndNulAreData) {
  EXPECT_EQ(rows_of("\"a\t\"\0b\"\n"s, {'\t', 0, 0, false}), (Rows{{"\"a", "\"\0b\""s}}));
}

TEST(CsvTokenizer, AnUnclosedQuoteIsAnErrorThatNamesTheLineWhereItOpened) {
  const std::string text = "a,b\r\n\"c\nd\",e\n1,\"f\ng,h\n";
  RecordBatch batch;
  const auto end = tokenize({}, bytes_of(text), 0, 100, true, batch, 10);
  ASSERT_FALSE(end.ok());
  EXPECT_EQ(end.error().code, ErrorCode::kInvalidArgument);
  EXPECT_EQ(
      end.error().what,
      "line 13: the quote that opens here is never closed; with --quote none quotes are text");
}

TEST(CsvTokenizer, BytesWithTwoMeaningsAreRefused) {
  RecordBatch batch;
  for (const Dialect& dialect : {Dialect{'"', '"', 0, false}, Dialect{',', '"', ',', false},
                                 Dialect{'\n', '"', 0, false}, Dialect{',', '\r', 0, false}}) {
    EXPECT_FALSE(tokenize(dialect, bytes_of("a"), 0, 1, true, batch).ok());
  }
}

TEST(CsvTokenizer, ATextThatGoesOnLeavesWhatMayNotBeWhole) {
  RecordBatch batch;
  const auto next = [&batch](std::string_view text) {
    return *tokenize({}, bytes_of(text), 0, 100, false, batch);
  };
  EXPECT_EQ(next("a,b\nc"), 4u);
  EXPECT_EQ(next("a,b\r"), 0u);  // a line feed may follow
  EXPECT_EQ(next("a,\"b\"\r"), 0u);
  EXPECT_EQ(next("a,b\n\"c\""), 4u);  // a quote may follow
  EXPECT_EQ(next("a,b\n\"c\n"), 4u);
  EXPECT_EQ(next("a,b\n\"c\"d"), 4u);
  EXPECT_EQ(next("a,b\n\n\n"), 4u);
  EXPECT_EQ(batch.records(), 1u);
  EXPECT_EQ(batch.fields.size(), 2u);
}

TEST(CsvTokenizer, AFieldMayBeLongerThanManyBlocks) {
  const std::string inner(50'000'000, ',');
  const std::string text = "1,\"" + inner + "\n\"\"" + inner + "\"\n2,b\n";
  const RecordBatch batch = batch_of(text);
  ASSERT_EQ(batch.records(), 2u);
  EXPECT_EQ(batch.fields[1].length, 2 * inner.size() + 3);
}

TEST(CsvTokenizer, BatchesFollowOneAnother) {
  std::string text;
  for (int i = 0; i < 1000; ++i)
    text += std::to_string(i) + ",\"x\"\r\n" + (i % 7 == 0 ? "\n" : "");
  RecordBatch batch;
  std::size_t at = 0;
  int seen = 0;
  while (at < text.size()) {
    const auto next = tokenize({}, bytes_of(text), at, 13, true, batch);
    ASSERT_TRUE(next.ok());
    for (std::size_t r = 0; r < batch.records(); ++r, ++seen) {
      ASSERT_EQ(value_of(batch.fields[batch.first_field[r]], text), std::to_string(seen));
    }
    ASSERT_GT(*next, at);
    at = *next;
  }
  EXPECT_EQ(seen, 1000);
}

/// What the tokeniser says of a whole text, in the reference's words.
std::optional<std::vector<test::ReferenceRecord>> records_of(const Dialect& dialect,
                                                             std::string_view text, CpuLevel level,
                                                             RecordBatch& batch) {
  const auto end = tokenize(dialect, bytes_of(text), 0, text.size() + 1, true, batch, 1, level);
  if (!end.ok()) return std::nullopt;
  std::vector<test::ReferenceRecord> records(batch.records());
  for (std::size_t r = 0; r < records.size(); ++r) {
    records[r].end = batch.begin[r + 1];
    for (std::uint32_t f = batch.first_field[r]; f < batch.first_field[r + 1]; ++f) {
      const Field& field = batch.fields[f];
      records[r].fields.push_back({value_of(field, text, dialect), field.quoted, field.irregular});
    }
  }
  return records;
}

/// Where the records of `text` end that stay the same whatever follows: all that are still there
/// with two different continuations.
std::size_t surely_ended(const Dialect& dialect, const std::string& text) {
  const std::size_t size = text.size();
  std::vector<std::size_t> ends;
  for (const char* more : {"\n", "\"\"", "a\n", "\"\n", "\"a\"\n"}) {
    const auto records = test::ReferenceReader(dialect, text + more).read();
    if (!records) continue;
    std::size_t end = 0;
    for (const auto& record : *records) end = record.end <= size ? record.end : end;
    ends.push_back(end);
  }
  return *std::min_element(ends.begin(), ends.end());
}

TEST(CsvTokenizer, AnEscapeMakesDataOfTheNextByteInQuotes) {
  const Dialect dialect{.escape = '\\'};
  EXPECT_EQ(rows_of("1,\"say \\\"hi\\\", \\\\\"\n2,a\\\n", dialect),
            (Rows{{"1", "say \"hi\", \\"}, {"2", "a\\"}}));
  EXPECT_EQ(rows_of("\"a\"\"b\\\nc\",d\n", dialect), (Rows{{"a\"b\nc", "d"}}));
}

TEST(CsvTokenizer, RunsOfDelimitersAreOneWhereTheyAreMerged) {
  const Dialect dialect{.delimiter = ' ', .merges_delimiters = true};
  EXPECT_EQ(rows_of("  a   b\n   \nc \"d e\"  \n", dialect), (Rows{{"a", "b"}, {"c", "d e"}}));
}

TEST(CsvTokenizer, RandomTextsReadAsByThePlainReader) {
  std::mt19937 random(22);
  const std::string_view alphabet("a,\"\r\n#\\\0", 8);
  const Dialect dialects[] = {{},
                              {',', '"', '#', false},
                              {',', '"', 0, true},
                              {',', 0, '#', true},
                              {'a', '#', 0, false},
                              {',', '"', '#', false, true},
                              {',', '"', 0, false, false, '\\'},
                              {',', 0, 0, false, false, 0, true},
                              {',', '"', '#', true, false, '\\', true}};
  RecordBatch batch;
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) {
    text.resize(random() % (i % 16 == 0 ? 200 : 20));
    for (char& byte : text) byte = alphabet[random() % alphabet.size()];
    const Dialect& dialect = dialects[static_cast<std::size_t>(i) % std::size(dialects)];
    const auto expected = test::ReferenceReader(dialect, text).read();
    for (const CpuLevel level : {CpuLevel::kPortable, cpu_level()}) {
      ASSERT_EQ(records_of(dialect, text, level, batch), expected) << testing::PrintToString(text);
    }
  }
}

TEST(CsvTokenizer, ATextIsCutBehindItsLastWholeRecord) {
  std::mt19937 random(23);
  const std::string_view alphabet("a,\"\n\r\\", 6);
  RecordBatch batch;
  for (int i = 0; i < 100'000; ++i) {
    std::string text(random() % 100, 'a');
    for (char& byte : text) byte = alphabet[random() % alphabet.size()];
    const Dialect dialect{',', '"', 0, false, i % 2 == 0, Byte(i % 3 == 0 ? '\\' : 0), i % 5 == 0};
    const auto cut = last_record_end(dialect, bytes_of(text));
    ASSERT_TRUE(cut.ok());
    ASSERT_EQ(*cut, surely_ended(dialect, text)) << testing::PrintToString(text);
    ASSERT_EQ(*cut, *tokenize(dialect, bytes_of(text), 0, 1000, false, batch));
  }
}

}  // namespace
}  // namespace presso::csv_tokenizer_test
