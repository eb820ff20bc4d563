// SPDX-License-Identifier: MIT
#include "compress/table/text/piece_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace presso::piece_reader_test {
namespace {

TextForm csv_form() {
  TextForm form;
  form.kind = TextKind::kDelimited;
  return form;
}

struct Piece {
  std::string text;
  std::uint64_t first_line;
  friend bool operator==(const Piece&, const Piece&) = default;
};

std::vector<Piece> pieces_of(const std::string& text, std::uint32_t most_rows,
                             std::uint32_t row_limit, const RowTextKind& kind) {
  MemorySource source({reinterpret_cast<const Byte*>(text.data()), text.size()});
  PieceReader reader(source, kind, 1, most_rows, row_limit);
  std::vector<Piece> pieces;
  for (;;) {
    auto piece = reader.next();
    EXPECT_TRUE(piece.ok());
    if (!piece.ok() || !*piece) return pieces;
    const Bytes bytes = (*piece)->text.bytes();
    pieces.push_back({std::string(bytes.begin(), bytes.end()), (*piece)->first_line});
  }
}

std::vector<Piece> csv_pieces(const std::string& text, std::uint32_t most_rows,
                              std::uint32_t row_limit = 1u << 24) {
  const auto kind = make_delimited_kind(csv_form(), {"a", "b"}, {});
  return pieces_of(text, most_rows, row_limit, *kind);
}

TEST(PieceReader, CutsRowsOffWithWhatStandsBeforeThem) {
  EXPECT_EQ(csv_pieces("1,2\n3,4\n\n5,6\n", 2),
            (std::vector<Piece>{{"1,2\n3,4\n", 1}, {"\n5,6\n", 3}}));
  EXPECT_EQ(csv_pieces("1,\"2\n3\"\n4,5", 1),
            (std::vector<Piece>{{"1,\"2\n3\"\n", 1}, {"4,5", 3}}));
}

TEST(PieceReader, LeavesTextBehindTheLastRowInItsPiece) {
  EXPECT_EQ(csv_pieces("1,2\n\n\n", 1), (std::vector<Piece>{{"1,2\n\n\n", 1}}));
  EXPECT_TRUE(csv_pieces("", 1).empty());
}

TEST(PieceReader, NeverTakesMoreRowsThanTheLimit) {
  const std::string text = "1,2\n3,4\n5,6\n7,8\n9,0\n";
  EXPECT_EQ(csv_pieces(text, 0, 2).size(), 3u);
  EXPECT_EQ(csv_pieces(text, 3, 2).size(), 3u);
  EXPECT_EQ(csv_pieces(text, 0, 5).size(), 1u);
}

TEST(PieceReader, CutsLongTextsAtRowEnds) {
  std::string text;
  while (text.size() < 3 * PieceReader::kPieceBytes) text += "1234567,\"x\ny\"\n";
  const std::vector<Piece> pieces = csv_pieces(text, 0);
  EXPECT_EQ(pieces.size(), 4u);
  std::string all;
  for (const Piece& piece : pieces) {
    EXPECT_EQ(piece.text.substr(0, 8), "1234567,");
    EXPECT_EQ(piece.first_line, 1 + 2 * (all.size() / 14));
    all += piece.text;
  }
  EXPECT_TRUE(all == text);
}

TEST(PieceReader, GivesRowsLongerThanAPieceWhole) {
  const std::string row = "1,\"" + std::string(PieceReader::kPieceBytes + 10, '\n') + "\"\n";
  const std::vector<Piece> pieces = csv_pieces(row + "2,3\n", 0);
  std::string all;
  for (const Piece& piece : pieces) all += piece.text;
  EXPECT_TRUE(all == row + "2,3\n");
  EXPECT_GE(pieces.front().text.size(), row.size());
}

TEST(PieceReader, CutsJsonAtLineEnds) {
  const auto kind = make_json_kind({});
  EXPECT_EQ(pieces_of("{\"a\":1}\nno\n{\"a\":2}\n", 1, 9, *kind),
            (std::vector<Piece>{{"{\"a\":1}\n", 1}, {"no\n{\"a\":2}\n", 2}}));
}

/// The pieces of a text that is longer than a piece, which repeats `unit`, whose rows end where one
/// of its lines does.
std::vector<Piece> long_pieces(const std::string& unit, JsonLayout layout, std::string& text) {
  while (text.size() < PieceReader::kPieceBytes + PieceReader::kPieceBytes / 2) text += unit;
  JsonText json;
  json.layout = layout;
  const auto kind = make_json_kind(json);
  return pieces_of(text, 0, 1u << 24, *kind);
}

TEST(PieceReader, CutsJsonOfAnyLayoutBetweenObjects) {
  const struct {
    JsonLayout layout;
    std::string unit;
  } kCases[] = {
      {JsonLayout::kSpread, "{\n  \"a\": [\n    {},\n{\"b\": 1}\n]\n}\n"},
      {JsonLayout::kSpread, "{\"a\":{\"b\":\"}{\"}}"},
      {JsonLayout::kArray, "{\"a\":{},\"b\":[{},\n{}]},"},
      {JsonLayout::kLines, "{\"a\":1}\n{\"a\":[\n{}\n]}\n"},
  };
  for (const auto& [layout, unit] : kCases) {
    std::string text;
    const std::vector<Piece> pieces = long_pieces(unit, layout, text);
    ASSERT_EQ(pieces.size(), 2u) << unit;
    EXPECT_TRUE(pieces[0].text + pieces[1].text == text) << unit;
    const auto begins = [&](std::string_view row) {
      return pieces[1].text.substr(0, row.size()) == row;
    };
    EXPECT_TRUE(begins(unit) || (layout == JsonLayout::kLines && begins(unit.substr(8)))) << unit;
  }
}

TEST(PieceReader, CutsManyObjectsOfALineByTheirNumber) {
  JsonText json;
  json.layout = JsonLayout::kArray;
  const auto kind = make_json_kind(json);
  EXPECT_EQ(pieces_of("{},{},{}]\n", 0, 2, *kind),
            (std::vector<Piece>{{"{},{},", 1}, {"{}]\n", 1}}));
}

}  // namespace
}  // namespace presso::piece_reader_test
