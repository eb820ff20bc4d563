// SPDX-License-Identifier: MIT
// Directories of row groups as bytes: round trips, and everything that contradicts itself or the
// schema is kBadRowGroup.
#include "format/columns/row_group.h"

#include "format/columns/column_block.h"
#include "tests/support/largest_allocation.h"
#include "tests/unit/format/columns/table_parts.h"

namespace presso::tables::row_group_test {
namespace {

ErrorCode parse(const RowGroup& group) {
  return code_of(parse_row_group(serialise_row_group(group), small_schema()));
}

template <class Change>
void expect_bad(const char* what, Change change) {
  RowGroup group = small_group(300, 7);
  change(group);
  EXPECT_EQ(parse(group), ErrorCode::kBadRowGroup) << what;
}

/// small_schema() where the fields of its first and last column have spellings.
TableSchema spelled_schema() {
  TableSchema schema = small_schema();
  schema.columns[0].spelled = schema.columns[2].spelled = true;
  return schema;
}

/// Sound for spelled_schema(): small_group() with spellings as bytes, and none for all rows.
RowGroup spelled_group() {
  RowGroup group = small_group(300, 7);
  add_column(group, Representation::kBytes,
             {block_of(ColumnStream::kValidity, 300, 38),
              block_of(ColumnStream::kLengths, 300, 2400), block_of(ColumnStream::kBytes, 9, 70)});
  group.columns.back().nulls = 290;
  group.columns.back().value_bytes = 70;
  add_column(group, Representation::kNull, {});
  group.columns.back().nulls = 300;
  return group;
}

template <class Change>
std::string spelling_fault(Change change) {
  RowGroup group = spelled_group();
  change(group);
  const auto parsed = parse_row_group(serialise_row_group(group), spelled_schema());
  if (parsed.ok()) return "none";
  EXPECT_EQ(parsed.error().code, ErrorCode::kBadRowGroup);
  return parsed.error().what;
}

/// Blocks of small_group(), in their order.
enum { kIds, kValidity, kEntryLengths, kEntryBytes, kCodes, kLineRows, kLineLengths, kLineBytes };

TEST(RowGroupDirectory, RoundTrips) {
  for (const std::uint32_t rows : {2u, 300u, 65536u}) {
    const std::vector<Byte> payload = serialise_row_group(small_group(rows, 7));
    const auto parsed = parse_row_group(payload, small_schema());
    ASSERT_TRUE(parsed.ok()) << parsed.error().message();
    EXPECT_EQ(serialise_row_group(*parsed), payload);
    EXPECT_EQ(parsed->columns[1].first_block, 1u);
    EXPECT_EQ(parsed->columns[3].first_block, 5u);
    EXPECT_EQ(parsed->stored_bytes(), 96u + 7 * 64);
  }
}

TEST(RowGroupDirectory, OutsideItsLimitsIsBad) {
  expect_bad("no rows", [](RowGroup& g) { g.rows = 0; });
  expect_bad("rows", [](RowGroup& g) { g.rows = kMaxGroupRows + 1; });
  expect_bad("values", [](RowGroup& g) { g.rows = kMaxGroupRows; });  // 5 columns
  expect_bad("text", [](RowGroup& g) { g.text_bytes = kMaxGroupTextBytes + 1; });
  expect_bad("lines", [](RowGroup& g) { g.text_lines = g.text_bytes + 1; });
  expect_bad("columns", [](RowGroup& g) { g.columns.pop_back(); });
  expect_bad("nulls", [](RowGroup& g) { g.columns[1].nulls = 301; });
  expect_bad("values", [](RowGroup& g) { g.columns[1].value_bytes = kMaxGroupTextBytes + 1; });
  expect_bad("all values", [](RowGroup& g) {
    g.columns[1].value_bytes = g.columns[3].value_bytes = kMaxGroupTextBytes / 2 + 1;
  });
  expect_bad("entries", [](RowGroup& g) { g.columns[1].entries = 0; });
  expect_bad("entries", [](RowGroup& g) { g.columns[1].entries = kMaxDictionaryEntries + 1; });
  expect_bad("too many blocks", [](RowGroup& g) { g.columns[3].blocks = ~0u; });
  expect_bad("a block more", [](RowGroup& g) { g.blocks.push_back(g.blocks.back()); });
  expect_bad("a block less", [](RowGroup& g) { g.blocks.pop_back(); });
  for (const Byte representation : {Byte{6}, Byte{255}}) {
    expect_bad("representation", [&](RowGroup& g) {
      g.columns[0].representation = static_cast<Representation>(representation);
    });
  }
}

TEST(RowGroupDirectory, WhoseBlocksAreOutsideTheirLimitsIsBad) {
  for (std::size_t i = 0; i < 8; ++i) {
    const auto with = [&](auto change) {
      return [i, change](RowGroup& g) { change(g.blocks[i]); };
    };
    expect_bad("stream", with([](ColumnBlock& b) { b.stream = static_cast<ColumnStream>(11); }));
    expect_bad("too small", with([](ColumnBlock& b) { b.stored_bytes = 32; }));
    expect_bad("not aligned", with([](ColumnBlock& b) { b.stored_bytes = 65; }));
    expect_bad("too large", with([](ColumnBlock& b) { b.stored_bytes = (4u << 20) + 80; }));
    expect_bad("plain", with([](ColumnBlock& b) { b.plain_bytes = kMaxBlockBytes + 1; }));
  }
}

TEST(RowGroupDirectory, WhoseRowsDoNotAddUpIsBad) {
  for (const int block : {kIds, kValidity, kEntryLengths, kCodes, kLineRows, kLineLengths}) {
    const auto at = static_cast<std::size_t>(block);
    expect_bad("rows", [at](RowGroup& g) { g.blocks[at].rows += 1; });
    expect_bad("no rows", [at](RowGroup& g) { g.blocks[at].rows = 0; });
    expect_bad("plain size", [at](RowGroup& g) { g.blocks[at].plain_bytes += 1; });
  }
  expect_bad("bytes of lines", [](RowGroup& g) { g.blocks[kLineBytes].plain_bytes = 8; });
  expect_bad("bytes of entries", [](RowGroup& g) { g.blocks[kEntryBytes].plain_bytes = 3u << 20; });
  expect_bad("a block of 70,000", [](RowGroup& g) { g = small_group(70000, 1); });
}

TEST(RowGroupDirectory, WhoseStreamsAreNotThoseOfItsRepresentationIsBad) {
  expect_bad("no validity", [](RowGroup& g) { g.columns[1].nulls = 0; });
  expect_bad("all null", [](RowGroup& g) { g.columns[1].nulls = g.rows; });
  expect_bad("not all null", [](RowGroup& g) { g.columns[2].nulls = g.rows - 1; });
  expect_bad("null without nulls",
             [](RowGroup& g) { g.columns[0].representation = Representation::kNull; });
  expect_bad("numbers in a dictionary",
             [](RowGroup& g) { g.columns[0].representation = Representation::kDictionary; });
  for (const Representation other : {Representation::kPlain, Representation::kToken,
                                     Representation::kBytes, Representation::kExactLines}) {
    expect_bad("strings", [&](RowGroup& g) { g.columns[1].representation = other; });
    if (other == Representation::kExactLines) continue;
    expect_bad("exact lines", [&](RowGroup& g) { g.columns[3].representation = other; });
  }
  expect_bad("order", [](RowGroup& g) { std::swap(g.blocks[kValidity], g.blocks[kCodes]); });
  expect_bad("validity of lines", [](RowGroup& g) {
    g.blocks.insert(g.blocks.begin() + kLineRows, g.blocks[kValidity]);
    g.columns[3].blocks += 1;
  });
  expect_bad("nulls of lines", [](RowGroup& g) { g.columns[3].nulls = 1; });
  expect_bad("tokens in a dictionary",
             [](RowGroup& g) { g.blocks[kEntryBytes].stream = ColumnStream::kTokenDictionary; });
}

TEST(RowGroupDirectory, SpellingsAreStringsAfterTheExactLines) {
  EXPECT_EQ(stored_columns(spelled_schema()), 6u);
  EXPECT_EQ(parse(spelled_group()), ErrorCode::kBadRowGroup);  // small_schema() has none
  EXPECT_EQ(spelling_fault([](RowGroup&) {}), "none");
  EXPECT_EQ(spelling_fault([](RowGroup& g) { g.columns.pop_back(); }), "number of columns");
  EXPECT_EQ(spelling_fault([](RowGroup& g) { std::swap(g.columns[4], g.columns[5]); }), "none");
  EXPECT_EQ(spelling_fault([](RowGroup& g) { g.columns[4].nulls = 301; }),
            "spellings: number of nulls");
  EXPECT_EQ(spelling_fault([](RowGroup& g) { g.columns[4].value_bytes = 71; }),
            "spellings: bytes of the values");
  EXPECT_EQ(spelling_fault([](RowGroup& g) { g.blocks[9].rows = 299; }),
            "spellings: rows of a block");
  for (const Representation other : {Representation::kPlain, Representation::kExactLines}) {
    EXPECT_EQ(spelling_fault([&](RowGroup& g) { g.columns[4].representation = other; }),
              "spellings: representation");
  }
  EXPECT_EQ(spelling_fault([](RowGroup& g) { g.columns[3].nulls = 1; }),
            "exact lines: representation");
}

TEST(RowGroupDirectory, WithNullsInAColumnThatHasNoneIsBad) {
  for (const std::size_t column : {std::size_t{0}, std::size_t{1}, std::size_t{2}}) {
    TableSchema schema = small_schema();
    schema.columns[column].nullable = false;
    const auto parsed = parse_row_group(serialise_row_group(small_group(300, 7)), schema);
    EXPECT_EQ(code_of(parsed), column == 0 ? ErrorCode::kOk : ErrorCode::kBadRowGroup);
  }
}

TEST(RowGroupDirectory, OfAnotherSizeIsBad) {
  std::vector<Byte> payload = serialise_row_group(small_group(300, 7));
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_EQ(code_of(parse_row_group(Bytes(payload).first(size), small_schema())),
              ErrorCode::kBadRowGroup);
  }
  payload.push_back(0);
  EXPECT_EQ(code_of(parse_row_group(payload, small_schema())), ErrorCode::kBadRowGroup);
}

TEST(RowGroupDirectory, MutationsAreBadOrSayWhatTheyAre) {
  const std::vector<Byte> sound = serialise_row_group(small_group(300, 7));
  std::mt19937_64 random(2);
  test::reset_largest_allocation();
  for (int i = 0; i < 20000; ++i) {
    std::vector<Byte> mutated = sound;
    for (auto flips = random() % 3 + 1; flips > 0; --flips) {
      mutated[random() % mutated.size()] = static_cast<Byte>(random());
    }
    const auto parsed = parse_row_group(mutated, small_schema());
    if (parsed.ok()) {
      EXPECT_EQ(serialise_row_group(*parsed), mutated);
    } else {
      EXPECT_EQ(parsed.error().code, ErrorCode::kBadRowGroup);
    }
  }
  EXPECT_LT(test::largest_allocation(), 64u << 10);
}

TEST(RowGroupZone, CoversItsBlocksAndKnowsNothingWhereOneDoesNot) {
  RowGroup group;
  group.rows = 131072;
  ColumnBlock block = block_of(ColumnStream::kValues, 65536, 65536 * 4);
  block.zone_flags = kZoneKnown;
  block.least = 10;
  block.most = 20;
  ColumnBlock other = block;
  other.zone_flags = kZoneKnown | kZoneHasNan;
  other.least = 5;
  other.most = 7;
  add_column(group, Representation::kPlain, {block, other});
  const ColumnZone zone = zone_of(group, 0);
  EXPECT_EQ(zone.least, 5u);
  EXPECT_EQ(zone.most, 20u);
  EXPECT_EQ(zone.flags, kZoneKnown | kZoneHasNan);
  group.blocks[1].zone_flags = kZoneKnown | kZoneNoValue | kZoneHasNan;
  group.blocks[1].least = group.blocks[1].most = 0;
  EXPECT_EQ(zone_of(group, 0).least, 10u);
  group.blocks[1].zone_flags = 0;
  EXPECT_EQ(zone_of(group, 0).flags & kZoneKnown, 0);
}

}  // namespace
}  // namespace presso::tables::row_group_test
