// SPDX-License-Identifier: MIT
#include "compress/table/text/piece_guess.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "compress/table/text/json_inference.h"
#include "compress/table/text/piece_reader.h"
#include "presso/compress_table.h"

namespace presso {
namespace {

constexpr std::size_t kPieceBytes = PieceReader::kPieceBytes;

Bytes bytes_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// Appends `row` until the text has `bytes` bytes or a few more.
void append_rows(std::string& text, const std::string& row, std::size_t bytes) {
  while (text.size() < bytes) text += row;
}

std::unique_ptr<RowTextKind> csv_kind() {
  TextForm form;
  form.kind = TextKind::kDelimited;
  return make_delimited_kind(form, {"a", "b"}, {});
}

std::vector<std::size_t> sizes_by_reader(const std::string& text, const RowTextKind& kind) {
  MemorySource source(bytes_of(text));
  PieceReader reader(source, kind, 1, 0, ~std::uint32_t{0});
  std::vector<std::size_t> sizes;
  for (;;) {
    auto piece = reader.next();
    EXPECT_TRUE(piece.ok());
    if (!piece.ok() || !*piece) return sizes;
    sizes.push_back((*piece)->text.size());
  }
}

/// Of the pieces up to the first wrong guess, or to the first place where nothing is guessed.
std::vector<std::size_t> guessed_sizes(const std::string& text, const RowTextKind& kind) {
  const MemoryRandomAccess file(bytes_of(text));
  PieceGuesser guesser(file, 0, kind);
  std::vector<std::size_t> sizes;
  Buffer read;
  for (std::size_t at = 0;;) {
    const auto place = guesser.next();
    EXPECT_TRUE(place.ok());
    if (!place.ok() || !*place) return sizes;
    EXPECT_EQ((*place)->begin, at);
    const auto right = guesser.read(**place, read);
    EXPECT_TRUE(right.ok());
    if (!right.ok() || !*right) return sizes;
    EXPECT_TRUE(std::equal(read.bytes().begin(), read.bytes().end(), text.begin() + at));
    sizes.push_back(read.size());
    at += read.size();
  }
}

TEST(PieceGuess, CutsWhereTheReaderDoes) {
  const auto kind = csv_kind();
  std::string text;
  append_rows(text, "1,two and some more\n\n22,\"quoted, with \"\"more\"\"\"\r\n", 2 * kPieceBytes);
  append_rows(text, "333,three\n", 2 * kPieceBytes + kPieceBytes / 2);
  const auto sizes = guessed_sizes(text, *kind);
  EXPECT_EQ(sizes.size(), 3u);
  EXPECT_EQ(sizes, sizes_by_reader(text, *kind));
}

TEST(PieceGuess, CutsJsonLines) {
  std::string text;
  append_rows(text, "{\"a\": 1, \"b\": \"c\"}\n", kPieceBytes + kPieceBytes / 4);
  const std::string first = text.substr(0, text.find('\n') + 1);
  const auto json = sniff_json(bytes_of(first));
  ASSERT_TRUE(json.has_value());
  const auto kind = make_json_kind(*json);
  EXPECT_EQ(guessed_sizes(text, *kind).size(), 2u);
  EXPECT_EQ(guessed_sizes(text, *kind), sizes_by_reader(text, *kind));
}

TEST(PieceGuess, TakesASmallFileAsOnePiece) {
  const auto kind = csv_kind();
  EXPECT_EQ(guessed_sizes("1,2\n3,4", *kind), std::vector<std::size_t>{7});
  EXPECT_TRUE(guessed_sizes("", *kind).empty());
}

TEST(PieceGuess, SeesThatAQuotationIsOpen) {
  const auto kind = csv_kind();
  std::string text;
  append_rows(text, "1,two\n", kPieceBytes - kPieceBytes / 8);
  text += "3,\"a quotation that is long:\n";
  append_rows(text, "5,six\n", kPieceBytes + kPieceBytes / 8);
  text += "\"\n";
  append_rows(text, "7,eight\n", 2 * kPieceBytes);
  EXPECT_TRUE(guessed_sizes(text, *kind).empty());
}

TEST(PieceGuess, GuessesNothingOfLongRowsAndLongGaps) {
  const auto kind = csv_kind();
  std::string text;
  append_rows(text, "1," + std::string(1u << 20, 'x') + "\n", 2 * kPieceBytes);
  EXPECT_TRUE(guessed_sizes(text, *kind).empty());
  text.clear();
  append_rows(text, "1,two\n", kPieceBytes - 1000);
  append_rows(text, "\n", 2 * kPieceBytes);
  EXPECT_TRUE(guessed_sizes(text, *kind).empty());
}

/// What both ways of reading make of a text.
void expect_same_table(const std::string& text, TableOptions options) {
  options.quick = true;
  const MemoryRandomAccess file(bytes_of(text));
  MemorySource source(bytes_of(text));
  MemorySource again(bytes_of(text));
  std::vector<Byte> by_source;
  std::vector<Byte> by_place;
  VectorSink to_source(by_source);
  VectorSink to_place(by_place);
  options.compress.threads = 1;
  const auto one = compress_table(source, &again, to_source, options);
  options.compress.threads = 3;
  const auto other = compress_table(file, to_place, options);
  ASSERT_EQ(one.ok(), other.ok());
  EXPECT_EQ(by_source, by_place);
  if (!one.ok()) {
    EXPECT_EQ(one.error().what, other.error().what);
    return;
  }
  EXPECT_EQ(one->rows, other->rows);
  EXPECT_EQ(one->row_groups, other->row_groups);
  ASSERT_EQ(one->findings.size(), other->findings.size());
  for (std::size_t i = 0; i < one->findings.size(); ++i) {
    EXPECT_EQ(one->findings[i].why, other->findings[i].why);
    EXPECT_EQ(one->findings[i].nulls, other->findings[i].nulls);
  }
}

TEST(CompressTableFile, GivesTheSameTableAsTwoSources) {
  std::string text = "a,b\n";
  append_rows(text, "12,12345678901234567890 some text\n", kPieceBytes + kPieceBytes / 2);
  text += "one,\"two\"\n";  // the line that keeps `a` a string is not in the first piece
  append_rows(text, "12,12345678901234567890 some text\n", 2 * kPieceBytes + kPieceBytes / 4);
  expect_same_table(text, {});
  TableOptions by_rows;
  by_rows.group_rows = 300'000;
  expect_same_table(text, by_rows);
}

TEST(CompressTableFile, GoesOnAfterAWrongGuess) {
  std::string text = "a,b\n";
  append_rows(text, "12,12345678901234567890 some text\n", kPieceBytes + kPieceBytes / 2);
  append_rows(text, "12,\"12345678901234567890 some text\n,\n,\n,\n\"\n", 3 * kPieceBytes);
  text += "one,two\n";
  expect_same_table(text, {});
}

TEST(CompressTableFile, NamesTheLineOfARowThatDoesNotFit) {
  std::string text = "a,b\n";
  append_rows(text, "12,12345678901234567890 some text\n", kPieceBytes + kPieceBytes / 2);
  text += "1,2,3\n";
  append_rows(text, "12,12345678901234567890 some text\n", 2 * kPieceBytes);
  expect_same_table(text, {});
}

}  // namespace
}  // namespace presso
