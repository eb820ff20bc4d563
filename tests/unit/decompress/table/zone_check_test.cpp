// SPDX-License-Identifier: MIT
// Zones that lie: with DecodeOptions::check_zones they are a bad row group, whatever the type.
#include "decompress/table/zone_check.h"

#include "format/columns/table_index_layout.h"
#include "tests/unit/decompress/table/table_parts.h"

namespace presso::table_files::zone_check_test {
namespace {

/// A column of each type that CSV can have, of strings in every representation, with nulls and
/// NaNs.
File every_type() {
  const char* const types[] = {
      "bool",          "int8",          "int16",         "int32", "int64",  "uint8",
      "uint16",        "uint32",        "uint64",        "float", "double", "date",
      "timestamp(ms)", "decimal(18,2)", "decimal(38,2)", "utf8",  "utf8",   "utf8"};
  std::string text;
  for (std::size_t i = 0; i < std::size(types); ++i) {
    if (i > 0) text += ',';
    text.append("c").append(std::to_string(i));
  }
  text += '\n';
  std::uint32_t state = 7;
  for (int i = 0; i < 3000; ++i) {
    state = state * 1664525 + 1013904223;
    const std::string n = std::to_string(i % 100);
    text += i % 2 == 0 ? "true" : "false";
    for (int k = 0; k < 4; ++k) text.append(i % 100 == 0 ? "," : ",-").append(n);
    for (int k = 0; k < 4; ++k) text.append(",").append(n);
    for (int k = 0; k < 2; ++k) {
      if (i % 9 == 0) text += ",nan";
      if (i % 9 != 0) text.append(",-").append(n).append(".5");
    }
    text.append(",2024-01-1").append(std::to_string(i % 10));
    text.append(",2024-01-01 00:00:00.1").append(std::to_string(10 + i % 90));
    text.append(",-").append(n).append(".25,");
    if (i % 5 != 0) text.append(n).append(".75");
    text.append(",kind ").append(n, 0, 1);
    text.append(",deposits sleep quickly ").append(std::to_string(state % 1000)).append(",");
    for (int k = 0; k < 6; ++k) text += std::to_string(state >> k);
    text += '\n';
  }
  TableOptions options;
  for (std::size_t i = 0; i < std::size(types); ++i) {
    auto type = parse_type(types[i]);
    EXPECT_TRUE(type.ok()) << types[i];
    type->name = std::string("c").append(std::to_string(i));
    options.types.push_back(*type);
  }
  return table_of(text, options);
}

ErrorCode check(const Parts& parts) {
  DecodeOptions decode;
  decode.check_zones = true;
  const File file = put_together(parts);
  EXPECT_EQ(decompress(file).code, ErrorCode::kOk);  // the text is right
  return decompress(file, decode).code;
}

/// `change(block)` for each block that has a zone, alone.
template <class Change>
void expect_lies(const char* what, Change change) {
  const Parts sound = take_apart(every_type());
  for (std::size_t column = 0; column < sound.schema.columns.size(); ++column) {
    const ColumnChunk& chunk = sound.groups[0].directory.columns[column];
    for (std::uint32_t i = 0; i < chunk.blocks; ++i) {
      Parts parts = sound;
      ColumnBlock& block = parts.groups[0].directory.blocks[chunk.first_block + i];
      if (!holds_zones(block.stream) || !change(block)) continue;
      EXPECT_EQ(check(parts), ErrorCode::kBadRowGroup) << what << " of column " << column;
    }
  }
}

TEST(ZoneCheck, WhatIsWrittenHolds) {
  EXPECT_EQ(check(take_apart(every_type())), ErrorCode::kOk);
  EXPECT_EQ(check(take_apart(mixed_table())), ErrorCode::kOk);
}

TEST(ZoneCheck, LeastAboveAValueIsALie) {
  expect_lies("least", [](ColumnBlock& block) {
    ++block.least;
    return true;
  });
}

TEST(ZoneCheck, MostBelowAValueIsALie) {
  expect_lies("most", [](ColumnBlock& block) {
    --block.most;
    return true;
  });
}

TEST(ZoneCheck, NullsNansAndValuesThatAreNotToldAreLies) {
  expect_lies("no value", [](ColumnBlock& block) {
    block.zone_flags |= kZoneNoValue;
    return true;
  });
  for (const Byte flag : {kZoneHasNull, kZoneHasNan}) {
    expect_lies("flags", [flag](ColumnBlock& block) {
      const bool had = (block.zone_flags & flag) != 0;
      block.zone_flags = static_cast<Byte>(block.zone_flags & ~flag);
      return had;
    });
  }
}

TEST(ZoneCheck, PresenceWithoutAStringIsALie) {
  expect_lies("presence", [](ColumnBlock& block) {
    const bool had = block.presence != 0;
    block.presence &= block.presence - 1;
    return had;
  });
}

TEST(ZoneCheck, WiderZonesAndNoneAreTrue) {
  Parts parts = take_apart(every_type());
  for (ColumnBlock& block : parts.groups[0].directory.blocks) {
    if (!holds_zones(block.stream)) continue;
    block.least = 0;
    block.most = ~std::uint64_t{0};
    block.zone_flags = kZoneKnown | kZoneHasNan | kZoneHasNull;
    block.presence = ~std::uint64_t{0};
  }
  EXPECT_EQ(check(parts), ErrorCode::kOk);
  for (ColumnBlock& block : parts.groups[0].directory.blocks) {
    block.least = block.most = 5;
    block.zone_flags = 0;
  }
  EXPECT_EQ(check(parts), ErrorCode::kOk);
}

}  // namespace
}  // namespace presso::table_files::zone_check_test
