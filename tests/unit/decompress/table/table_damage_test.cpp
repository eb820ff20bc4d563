// SPDX-License-Identifier: MIT
// Table files with something wrong in them and every checksum right: each is refused with the code
// that FORMAT.md gives it, in a pipe and at random, at every level of CPU, and takes no memory that
// the file's limits do not allow.
#include "format/columns/column_block.h"
#include "presso/checksum.h"
#include "tests/support/largest_allocation.h"
#include "tests/unit/decompress/table/table_parts.h"

namespace presso::table_files::table_damage_test {
namespace {

template <class Change>
File changed(Change change) {
  Parts parts = take_apart(mixed_table());
  change(parts);
  return put_together(parts);
}

template <class Change>
void expect_bad_group(const char* what, Change change) {
  const File file = changed([&](Parts& parts) { change(parts.groups[1].directory); });
  EXPECT_EQ(decompress_everywhere(file), ErrorCode::kBadRowGroup) << what;
}

TEST(TableDamage, ATableTakenApartAndPutTogetherIsTheSame) {
  const File file = changed([](Parts&) {});
  EXPECT_EQ(decompress(file).text, mixed_text());
  EXPECT_EQ(decompress_everywhere(file), ErrorCode::kOk);
  EXPECT_EQ(read_at_random(file), ErrorCode::kOk);
}

TEST(TableDamage, EveryFieldOfADirectoryThatIsWrongIsABadRowGroup) {
  expect_bad_group("text bytes", [](RowGroup& g) { g.text_bytes += 1; });
  expect_bad_group("fewer text bytes", [](RowGroup& g) { g.text_bytes -= 1; });
  expect_bad_group("text lines", [](RowGroup& g) { g.text_lines -= 1; });
  expect_bad_group("rows", [](RowGroup& g) { g.rows += 1; });
  for (std::size_t i = 0; i < 7; ++i) {
    expect_bad_group("nulls", [i](RowGroup& g) { g.columns[i].nulls += 1; });
    expect_bad_group("representation", [i](RowGroup& g) {
      g.columns[i].representation =
          static_cast<Representation>((static_cast<int>(g.columns[i].representation) + 1) % 6);
    });
  }
  const std::size_t blocks = take_apart(mixed_table()).groups[1].directory.blocks.size();
  for (std::size_t i = 0; i < blocks; ++i) {
    expect_bad_group("stream", [i](RowGroup& g) {
      g.blocks[i].stream = static_cast<ColumnStream>(static_cast<int>(g.blocks[i].stream) ^ 1);
    });
    expect_bad_group("plain bytes", [i](RowGroup& g) { g.blocks[i].plain_bytes += 1; });
  }
}

TEST(TableDamage, BlocksOfAnotherSizeThanTheDirectorySaysAreRefused) {
  const RowGroup group = take_apart(mixed_table()).groups[0].directory;
  for (std::size_t i = 0; i + 1 < group.blocks.size(); ++i) {
    const File file = changed([i](Parts& parts) {
      auto& of = parts.groups[0].directory.blocks;
      of[i].stored_bytes += 16;
      of[i + 1].stored_bytes -= 16;
    });
    EXPECT_TRUE(is_damage(decompress_everywhere(file))) << i;
    const bool of_columns = i < group.columns.back().first_block;  // not of exact lines
    EXPECT_EQ(is_damage(read_at_random(file)), of_columns) << i;
  }
}

TEST(TableDamage, TextOfAnotherChecksumIsAContentChecksum) {
  const File file = changed([](Parts& parts) { parts.groups[0].directory.text_checksum ^= 1; });
  EXPECT_EQ(decompress_everywhere(file), ErrorCode::kContentChecksum);
  EXPECT_EQ(read_at_random(file), ErrorCode::kOk);
}

TEST(TableDamage, ASchemaThatContradictsItsColumnsIsABadRowGroup) {
  const Parts sound = take_apart(mixed_table());
  for (std::size_t column = 0; column < sound.schema.columns.size(); ++column) {
    const ColumnType own = sound.schema.columns[column].type;
    for (int number = 1; number <= 17; ++number) {
      const auto type = static_cast<ColumnType>(number);
      if (is_string(type) == is_string(own) && value_bytes(type) == value_bytes(own)) continue;
      Parts parts = sound;
      ColumnSchema& schema = parts.schema.columns[column];
      schema.type = type;
      schema.scale = 0;
      schema.precision = type == ColumnType::kDecimal64 ? 18 : 0;
      if (type == ColumnType::kDecimal128) schema.precision = 38;
      const File file = put_together(parts);
      EXPECT_EQ(decompress_everywhere(file), ErrorCode::kBadRowGroup) << column << " " << number;
      EXPECT_EQ(read_at_random(file), ErrorCode::kBadRowGroup) << column << " " << number;
    }
  }
  EXPECT_EQ(decompress_everywhere(changed([](Parts& p) { p.schema.columns.pop_back(); })),
            ErrorCode::kBadRowGroup);
  const File inexact = changed([](Parts& p) {
    p.schema.exact = false;
    for (ColumnSchema& column : p.schema.columns) column.spelled = false;
  });
  EXPECT_EQ(decompress_everywhere(inexact), ErrorCode::kBadRowGroup);
}

TEST(TableDamage, NullsInAColumnThatHasNoneAreABadRowGroup) {
  const File none = changed([](Parts& parts) { parts.schema.columns[1].nullable = false; });
  EXPECT_EQ(decompress_everywhere(none), ErrorCode::kOk);
  const File some = changed([](Parts& parts) { parts.schema.columns[0].nullable = false; });
  EXPECT_EQ(decompress_everywhere(some), ErrorCode::kBadRowGroup);
  EXPECT_EQ(read_at_random(some), ErrorCode::kBadRowGroup);
}

TEST(TableDamage, MembersOfOtherColumnsAreABadSchema) {
  const File sound = mixed_table();
  const auto with = [&](auto change) {
    const File other = changed([&](Parts& parts) { change(parts.schema.columns[1]); });
    File both = sound;
    both.insert(both.end(), other.begin(), other.end());
    EXPECT_EQ(decompress(both).text, mixed_text());
    EXPECT_EQ(read_at_random(both), ErrorCode::kBadSchema);
    return decompress_everywhere(both);
  };
  EXPECT_EQ(with([](ColumnSchema& c) { c.name = "other"; }), ErrorCode::kBadSchema);
  EXPECT_EQ(with([](ColumnSchema& c) { c.type = ColumnType::kBinary; }), ErrorCode::kBadSchema);
  EXPECT_EQ(with([](ColumnSchema& c) { c.zone = "UTC"; }), ErrorCode::kBadSchema);
}

/// `change(payload)` of the index, with right checksums.
template <class Change>
File with_index(Change change) {
  File file = mixed_table();
  const auto at =
      static_cast<std::size_t>(load<std::uint64_t>(file.data() + file.size() - kTrailerBytes + 8));
  SectionHeader header = *parse_section_header(file.data() + at);
  const MutableBytes payload(file.data() + at + kSectionHeaderBytes,
                             static_cast<std::size_t>(header.payload_bytes));
  change(payload);
  header.payload_checksum = checksum64(payload);
  write_section_header(header, file.data() + at);
  return file;
}

TEST(TableDamage, AnIndexThatIsNotWhatTheDirectoriesGiveIsABadIndexInAPipe) {
  std::size_t size = 0;
  with_index([&](MutableBytes payload) { size = payload.size(); });
  ASSERT_GT(size, 2 * 6 * 3u);  // more than flags, nulls and an image for each zone
  for (std::size_t at = 0; at < size; ++at) {
    const File file = with_index([&](MutableBytes payload) { payload[at] ^= 4; });
    const Decoded decoded = decompress(file);
    EXPECT_EQ(decoded.code, ErrorCode::kBadIndex) << at;
    EXPECT_EQ(decoded.text, mixed_text()) << at;
    const ErrorCode code = read_at_random(file);
    EXPECT_TRUE(code == ErrorCode::kOk || code == ErrorCode::kBadIndex) << at;
  }
}

TEST(TableDamage, RowGroupsThatAreMissingOrTwiceOrSwappedAreABadIndex) {
  const File sound = mixed_table();
  const MemoryRandomAccess access(sound);
  const auto table = Table::open(access);
  ASSERT_TRUE(table.ok());
  const std::size_t second = table->row_group(1).stored_bytes;
  const std::size_t index = load<std::uint64_t>(sound.data() + sound.size() - kTrailerBytes + 8);
  const auto at = [](File& file, std::size_t place) {
    return file.begin() + static_cast<std::ptrdiff_t>(place);
  };
  File missing = sound;
  missing.erase(at(missing, index - second), at(missing, index));
  EXPECT_EQ(decompress_everywhere(missing), ErrorCode::kBadIndex);
  File twice = sound;
  twice.insert(at(twice, index), sound.begin() + static_cast<std::ptrdiff_t>(index - second),
               sound.begin() + static_cast<std::ptrdiff_t>(index));
  EXPECT_EQ(decompress_everywhere(twice), ErrorCode::kBadIndex);
  File swapped = sound;
  const std::size_t first = table->row_group(0).stored_bytes;
  std::rotate(at(swapped, index - second - first), at(swapped, index - second), at(swapped, index));
  EXPECT_EQ(decompress_everywhere(swapped), ErrorCode::kBadIndex);
}

/// Each byte of each block's header, changed in several ways, its checksum made right.
TEST(TableDamage, FieldsOfBlockHeadersOutOfRangeGetTheSameCodeAtEveryLevel) {
  const Parts sound = take_apart(mixed_table());
  std::size_t offset = 0;
  for (const ColumnBlock& block : sound.groups[0].directory.blocks) {
    const bool column_coding = is_column_coding(sound.groups[0].blocks.data() + offset);
    for (std::size_t byte = 0; byte < 44; ++byte) {
      for (const Byte bits : {Byte{1}, Byte{0x80}, Byte{0xFF}}) {
        Parts parts = sound;
        Byte* const header = parts.groups[0].blocks.data() + offset;
        header[byte] ^= bits;
        store<std::uint32_t>(header + 44, checksum32({header, 44}));
        const ErrorCode code = decompress_everywhere(put_together(parts));
        const bool of_no_effect = byte == 19 || (byte >= 20 && byte < 28) || !column_coding;
        EXPECT_TRUE(is_damage(code) || (code == ErrorCode::kOk && of_no_effect))
            << "byte " << byte << " of a block of stream " << static_cast<int>(block.stream);
        if (byte < 4) {
          EXPECT_EQ(code, ErrorCode::kLostSync);
        }
        if (byte < 8 && byte >= 4) {
          EXPECT_EQ(code, ErrorCode::kBadRowGroup);
        }
        if (column_coding && byte >= 28 && byte < 36) {
          EXPECT_EQ(code, ErrorCode::kBadHeader);
        }
        if (byte >= 36) {
          EXPECT_EQ(code, ErrorCode::kContentChecksum);
        }
      }
    }
    offset += block.stored_bytes;
  }
}

TEST(TableDamage, CutOffAnywhereGivesAnErrorAndNeverAnotherText) {
  const File sound = mixed_table();
  const std::string text = mixed_text();
  for (std::size_t size = 0; size < sound.size(); ++size) {
    const File file(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(size));
    const Decoded decoded = decompress(file);
    EXPECT_EQ(decoded.code, size < 8 ? ErrorCode::kNotPresso : ErrorCode::kTruncated) << size;
    EXPECT_EQ(decoded.text, text.substr(0, decoded.text.size())) << size;
    const MemoryRandomAccess access(file);
    const auto table = Table::open(access);
    if (!table.ok()) continue;
    EXPECT_TRUE(table->rebuilt() && table->cut_off()) << size;
    EXPECT_TRUE(table->rows() == 50 || table->rows() == 90) << size;
    EXPECT_EQ(read_at_random(file), ErrorCode::kOk) << size;
  }
}

/// A table of null columns: 2^24 rows in a few hundred bytes.
Parts nulls(std::size_t columns, ColumnType type, TextKind kind) {
  Parts parts;
  parts.schema.text.kind = kind;
  parts.schema.exact = true;
  RowGroup group;
  group.rows = kMaxGroupRows;
  group.text_bytes = group.text_lines = 100;
  for (std::size_t i = 0; i < columns; ++i) {
    ColumnSchema& column = parts.schema.columns.emplace_back();
    column.name = std::to_string(i);
    column.type = type;
    ColumnChunk& chunk = group.columns.emplace_back();
    chunk.nulls = group.rows;
  }
  group.columns.emplace_back().representation = Representation::kExactLines;
  parts.groups.push_back({group, {}});
  return parts;
}

TEST(TableDamage, AFewRowsOfMillionsTakeLittleMemory) {
  const File file = put_together(nulls(3, ColumnType::kInt64, TextKind::kDelimited));
  EXPECT_LT(file.size(), 1000u);
  test::reset_largest_allocation();
  const MemoryRandomAccess access(file);
  const auto table = Table::open(access);
  ASSERT_TRUE(table.ok()) << table.error().message();
  const std::size_t columns[] = {0, 2};
  ASSERT_TRUE(table->read(0, columns, kMaxGroupRows - 10, 10).ok());
  EXPECT_LT(test::largest_allocation(), 2u << 20);  // what is read at once
}

TEST(TableDamage, TextBeyondWhatTheDirectorySaysIsNotPrinted) {
  Parts parts = nulls(2, ColumnType::kBool, TextKind::kJsonLines);
  for (ColumnSchema& column : parts.schema.columns) column.name += std::string(60000, '\n');
  parts.schema.text.null_text.assign(255, 'n');
  const File file = put_together(parts);
  test::reset_largest_allocation();
  EXPECT_EQ(decompress(file).code, ErrorCode::kBadRowGroup);
  EXPECT_LT(test::largest_allocation(), 8u << 20);  // a bit a row, and 2 MiB of text
}

TEST(TableDamage, RowsOfLongNamesAreWrittenInParts) {
  Parts parts = nulls(1, ColumnType::kBool, TextKind::kJsonLines);
  parts.schema.columns[0].name.assign(10000, '\n');
  const File file = put_together(parts);
  const MemoryRandomAccess access(file);
  const auto table = Table::open(access);
  ASSERT_TRUE(table.ok());
  class Counter final : public ByteSink {
   public:
    Status write(Bytes bytes) override {
      count += bytes.size();
      return {};
    }
    std::uint64_t count = 0;
  } sink;
  RowsOptions options;
  options.form = table->schema().text;
  options.rows = 20000;
  options.threads = 1;
  test::reset_largest_allocation();
  ASSERT_TRUE(write_rows(*table, options, sink).ok());
  EXPECT_EQ(sink.count, 20000u * 20010);  // {"\n...":null}
  EXPECT_LT(test::largest_allocation(), 200u << 20);
}

}  // namespace
}  // namespace presso::table_files::table_damage_test
