// SPDX-License-Identifier: MIT
// The container of tables: what the writer wrote, TableStream and TableIndex find alike; members,
// rebuilt indexes, and damage of every kind.
#include "tests/unit/format/columns/table_parts.h"

#include <array>

#include "format/columns/table_index_layout.h"
#include "presso/checksum.h"
#include "tests/support/largest_allocation.h"

namespace presso::tables::table_file_test {
namespace {

using File = std::vector<Byte>;

struct Walk {
  std::vector<TableBegin> begins;
  std::vector<StoredRowGroup> groups;
  Error error;
};

Walk walk(const File& file, bool skip_blocks = false) {
  MemorySource source(file);
  TableStream stream(source, skip_blocks);
  Walk found;
  for (;;) {
    auto frame = stream.next();
    if (!frame.ok()) {
      found.error = frame.error();
      return found;
    }
    if (std::holds_alternative<EndOfInput>(*frame)) return found;
    if (auto* begin = std::get_if<TableBegin>(&*frame)) {
      found.begins.push_back(std::move(*begin));
    } else {
      found.groups.push_back(std::move(std::get<StoredRowGroup>(*frame)));
    }
  }
}

/// What open() finds, its directories included.
Result<std::vector<std::uint32_t>> rows_by_index(const File& file) {
  const MemoryRandomAccess access(file);
  auto index = TableIndex::open(access);
  if (!index.ok()) return std::move(index.error());
  std::vector<std::uint32_t> rows;
  for (std::uint64_t i = 0; i < index->groups().size(); ++i) {
    PRESSO_ASSIGN(const RowGroup directory, index->read_directory(i));
    rows.push_back(directory.rows);
  }
  return rows;
}

void expect_agreement(const File& file, bool rebuilt) {
  const MemoryRandomAccess access(file);
  const auto index = TableIndex::open(access);
  ASSERT_TRUE(index.ok()) << index.error().message();
  EXPECT_EQ(index->rebuilt(), rebuilt);
  const Walk found = walk(file);
  ASSERT_EQ(index->groups().size(), found.groups.size());
  ASSERT_EQ(index->members().size(), found.begins.size());
  std::uint64_t row = 0;
  for (std::size_t i = 0; i < found.groups.size(); ++i) {
    const GroupPlace& place = index->groups()[i];
    const StoredRowGroup& group = found.groups[i];
    EXPECT_EQ(place.file_offset, group.file_offset);
    EXPECT_EQ(place.directory_bytes, group.directory_bytes);
    EXPECT_EQ(place.stored_bytes, group.directory_bytes + group.directory.stored_bytes());
    EXPECT_EQ(place.rows, group.directory.rows);
    EXPECT_EQ(place.text_bytes, group.directory.text_bytes);
    EXPECT_EQ(place.text_lines, group.directory.text_lines);
    EXPECT_EQ(place.first_row, row);
    row += place.rows;
    const File blocks = blocks_of(group.directory);
    EXPECT_TRUE(std::equal(blocks.begin(), blocks.end(), group.blocks.bytes().begin(),
                           group.blocks.bytes().end()));
    for (std::size_t column = 0; column < index->schema().columns.size(); ++column) {
      const ColumnZone zone = zone_of(group.directory, column);
      EXPECT_EQ(index->zone(i, column).least, zone.least);
      EXPECT_EQ(index->zone(i, column).most, zone.most);
      EXPECT_EQ(index->zone(i, column).nulls, zone.nulls);
      EXPECT_EQ(index->zone(i, column).flags, zone.flags);
    }
    const auto directory = index->read_directory(i);
    ASSERT_TRUE(directory.ok()) << directory.error().message();
    EXPECT_EQ(serialise_row_group(*directory), serialise_row_group(group.directory));
  }
  EXPECT_EQ(index->rows(), row);
  for (std::size_t i = 0; i < found.begins.size(); ++i) {
    EXPECT_EQ(index->members()[i].schema, found.begins[i].schema);
    EXPECT_EQ(index->members()[i].metadata.entries, found.begins[i].metadata.entries);
    EXPECT_EQ(index->members()[i].file_offset, found.begins[i].file_offset);
  }
}

Metadata metadata_of(const char* key, const char* value) {
  Metadata metadata;
  metadata.entries.emplace_back(key, value);
  return metadata;
}

File append(File a, const File& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

TEST(TableFile, IsReadAlikeByStreamAndIndex) {
  expect_agreement(table_file(small_schema(), {10, 65536, 3}), false);
  expect_agreement(table_file(small_schema(), {7}, metadata_of("made by", "a test")), false);
  expect_agreement(table_file(small_schema(), {}), false);
}

TEST(TableFile, CountsRowsAndTextThroughMembersHeadsIncluded) {
  const File one = table_file(small_schema(), {10, 20});
  const File file = append(one, table_file(small_schema(), {5}));
  expect_agreement(file, false);
  const MemoryRandomAccess access(file);
  const auto index = TableIndex::open(access);
  ASSERT_TRUE(index.ok());
  const std::uint64_t head = small_schema().text.head.size();
  EXPECT_EQ(index->rows(), 35u);
  EXPECT_EQ(index->text_bytes(), 2 * head + 35 * 30);
  EXPECT_EQ(index->text_lines(), 2 * 2 + 35u);
  EXPECT_EQ(index->groups()[2].text_offset, 2 * head + 30 * 30);
  EXPECT_EQ(index->groups()[2].first_line, 2 * 2 + 30u);
  EXPECT_EQ(index->groups()[2].member, 1u);
  EXPECT_EQ(index->members()[1].file_offset, one.size());
  EXPECT_EQ(index->members()[1].first_group, 2u);
}

TEST(TableFile, MembersOfOtherColumnsAreABadSchema) {
  TableSchema other = small_schema();
  other.columns[1].name = "title";
  const File file = append(table_file(small_schema(), {10}), table_file(other, {10}));
  const Walk found = walk(file);
  EXPECT_EQ(found.error.code, ErrorCode::kBadSchema);
  EXPECT_NE(found.error.what.find("'title'"), std::string::npos);
  EXPECT_EQ(found.groups.size(), 1u);
  EXPECT_EQ(code_of(rows_by_index(file)), ErrorCode::kBadSchema);
}

File byte_file() {
  File file(kFileHeaderBytes);
  write_file_header({kByteFormatVersion, kMinBlockBytes}, file.data());
  return file;
}

TEST(TableFile, IsRefusedByReadersOfBytesAndTheOtherWayRound) {
  const File table = table_file(small_schema(), {10});
  MemorySource source(table);
  EXPECT_EQ(FrameReader(source).next().error().code, ErrorCode::kContent);
  const MemoryRandomAccess access(table);
  EXPECT_EQ(code_of(ArchiveIndex::open(access)), ErrorCode::kContent);
  EXPECT_EQ(walk(byte_file()).error.code, ErrorCode::kContent);
  EXPECT_EQ(code_of(rows_by_index(byte_file())), ErrorCode::kContent);
  const File mixed = append(table, byte_file());
  EXPECT_EQ(walk(mixed).error.code, ErrorCode::kContent);
  EXPECT_EQ(walk(mixed).error.byte_offset, table.size());
  EXPECT_EQ(code_of(rows_by_index(mixed)), ErrorCode::kContent);
}

TEST(TableFile, ThatIsEmptyOrSomethingElseIsNotPresso) {
  for (const File& file : {File{}, File{'a', ',', 'b', '\n'}, File(100)}) {
    EXPECT_EQ(walk(file).error.code, ErrorCode::kNotPresso);
    EXPECT_EQ(code_of(rows_by_index(file)), ErrorCode::kNotPresso);
  }
}

std::size_t index_offset(const File& file) {
  return load<std::uint64_t>(file.data() + file.size() - kTrailerBytes + 8);
}

TEST(TableFile, IndexThatIsDamagedIsRebuilt) {
  const File sound = table_file(small_schema(), {10, 65536, 3});
  for (std::size_t at = index_offset(sound); at < sound.size(); ++at) {
    File file = sound;
    file[at] ^= 0x10;
    const MemoryRandomAccess access(file);
    const auto index = TableIndex::open(access);
    ASSERT_TRUE(index.ok()) << at << ": " << index.error().message();
    EXPECT_EQ(index->groups().size(), 3u) << at;
    if (index->rebuilt()) {
      EXPECT_EQ(index->rows(), 65549u) << at;
    }
  }
}

TEST(TableFile, IndexOfAMemberInTheMiddleThatIsDamagedIsRebuilt) {
  const File one = table_file(small_schema(), {10, 20});
  File file = append(one, table_file(small_schema(), {5}));
  file[index_offset(one) + kSectionHeaderBytes + 50] ^= 1;
  const MemoryRandomAccess access(file);
  const auto index = TableIndex::open(access);
  ASSERT_TRUE(index.ok()) << index.error().message();
  EXPECT_TRUE(index->rebuilt());
  EXPECT_EQ(index->rows(), 35u);
  EXPECT_EQ(index->members().size(), 2u);
}

TEST(TableFile, DirectoryThatIsDamagedTooIsAnError) {
  File file = table_file(small_schema(), {10, 20});
  const Walk whole = walk(file);
  file[whole.groups[1].file_offset + kSectionHeaderBytes] ^= 1;
  file[index_offset(file) + kSectionHeaderBytes] ^= 1;
  EXPECT_EQ(code_of(rows_by_index(file)), ErrorCode::kSectionChecksum);
}

TEST(TableFile, CutOffAnywhereGivesAnErrorOrTheGroupsBeforeIt) {
  const File sound = table_file(small_schema(), {10, 300, 3});
  const Walk whole = walk(sound);
  for (std::size_t size = 0; size < sound.size(); ++size) {
    const File file(sound.begin(), sound.begin() + static_cast<std::ptrdiff_t>(size));
    std::size_t before = 0;
    while (before < 3 && whole.groups[before].file_offset + whole.groups[before].directory_bytes +
                                 whole.groups[before].blocks.size() <=
                             size) {
      ++before;
    }
    for (const bool skip : {false, true}) {
      const Walk found = walk(file, skip);
      EXPECT_EQ(found.groups.size(), before) << size;
      const bool magic = size >= sizeof kFileMagic;
      EXPECT_EQ(found.error.code, magic ? ErrorCode::kTruncated : ErrorCode::kNotPresso) << size;
    }
    const auto rows = rows_by_index(file);
    EXPECT_EQ(rows.ok(), before > 0) << size;
    if (rows.ok()) {
      EXPECT_EQ(rows->size(), before) << size;
    }
  }
}

TEST(TableFile, FlippedBitsGiveAnErrorOrTheSameDirectories) {
  const File sound = table_file(small_schema(), {10, 300}, metadata_of("k", "v"));
  const Walk whole = walk(sound);
  for (std::size_t at = 0; at < sound.size(); ++at) {
    File file = sound;
    file[at] ^= static_cast<Byte>(1u << (at % 8));
    const Walk found = walk(file);
    if (found.error.code == ErrorCode::kOk) {
      ASSERT_EQ(found.groups.size(), 2u) << at;
      EXPECT_EQ(serialise_row_group(found.groups[1].directory),
                serialise_row_group(whole.groups[1].directory));
    } else {
      EXPECT_TRUE(is_damage(found.error.code)) << at;
      EXPECT_NE(found.error.byte_offset, Error::kNone) << at;
    }
    const auto rows = rows_by_index(file);
    if (rows.ok()) {
      EXPECT_EQ(*rows, (std::vector<std::uint32_t>{10, 300})) << at;
    }
  }
}

/// Replaces the index's payload by what `change` makes of it, with the right checksums.
template <class Change>
File forge_index(File file, Change change) {
  const std::size_t at = index_offset(file);
  SectionHeader header = *parse_section_header(file.data() + at);
  const auto begin = file.begin() + static_cast<std::ptrdiff_t>(at + kSectionHeaderBytes);
  File payload(begin, begin + static_cast<std::ptrdiff_t>(header.payload_bytes));
  change(payload);
  file.resize(at + kSectionHeaderBytes);
  header.payload_bytes = payload.size();
  header.payload_checksum = checksum64(payload);
  write_section_header(header, file.data() + at);
  file = append(std::move(file), payload);
  file.resize(round_up(file.size(), kFrameAlignment) + kTrailerBytes);
  write_trailer({at, file.size()}, file.data() + file.size() - kTrailerBytes);
  return file;
}

/// Byte `at` of the index's payload: all it may lead to is the sound groups or an error.
TEST(TableFile, ForgedIndexesNeverLeadOutOfBounds) {
  const File sound = table_file(small_schema(), {10, 300, 3});
  const SectionHeader index = *parse_section_header(sound.data() + index_offset(sound));
  const std::size_t size = static_cast<std::size_t>(index.payload_bytes);
  std::mt19937_64 random(5);
  for (std::size_t i = 0; i < 20 * size; ++i) {
    const File file = forge_index(sound, [&](File& payload) {
      ASSERT_EQ(payload.size(), size);
      payload[i % size] = static_cast<Byte>(i < size ? 0xFF : random());
    });
    const auto rows = rows_by_index(file);
    if (rows.ok()) {
      EXPECT_EQ(*rows, (std::vector<std::uint32_t>{10, 300, 3})) << i;
    } else {
      EXPECT_TRUE(is_damage(rows.error().code)) << i;
    }
  }
}

TEST(TableFile, IndexOfAnotherSizeIsNotTaken) {
  const File sound = table_file(small_schema(), {10, 300, 3});
  for (const std::size_t size : {0u, 39u, 40u, 100u, 5000u}) {
    const File file = forge_index(sound, [&](File& payload) { payload.resize(size); });
    EXPECT_EQ(walk(file).error.code, ErrorCode::kBadIndex) << size;
    const auto rows = rows_by_index(file);
    ASSERT_TRUE(rows.ok()) << rows.error().message();
    EXPECT_EQ(rows->size(), 3u);
  }
}

TEST(TableFile, SectionsThatClaimMoreThanIsThereTakeNoMemory) {
  for (const FrameKind kind :
       {FrameKind::kSchema, FrameKind::kMetadata, FrameKind::kIndex, FrameKind::kRowGroup}) {
    File file = table_file(small_schema(), {10});
    const bool first = kind == FrameKind::kSchema || kind == FrameKind::kMetadata;
    const std::size_t at = first ? kFileHeaderBytes : index_offset(file);
    for (const std::uint64_t bytes :
         {std::uint64_t{900} << 10, std::uint64_t{60} << 20, std::uint64_t{250} << 20,
          std::uint64_t{2000} << 20, std::uint64_t{1} << 62}) {
      write_section_header({kind, true, bytes, 0, 1}, file.data() + at);
      test::reset_largest_allocation();
      const ErrorCode code = walk(file).error.code;
      EXPECT_TRUE(code == ErrorCode::kTruncated || code == ErrorCode::kBadHeader);
      EXPECT_FALSE(rows_by_index(file).ok() && first);
      EXPECT_LT(test::largest_allocation(), 3u << 20) << bytes;
    }
  }
}

TEST(TableFile, FramesOutOfTheirPlaceAreABadHeader) {
  const File sound = table_file(small_schema(), {10});
  const std::size_t at = index_offset(sound);
  const std::size_t schema_at = kFileHeaderBytes;
  for (const FrameKind kind : {FrameKind::kBlock, FrameKind::kTrailer, FrameKind::kSchema}) {
    File file = sound;
    file[at + 3] = static_cast<Byte>(kind);
    EXPECT_EQ(walk(file).error.code, ErrorCode::kBadHeader);
    EXPECT_EQ(walk(file).error.byte_offset, at);
  }
  for (const FrameKind kind : {FrameKind::kRowGroup, FrameKind::kIndex, FrameKind::kDictionary}) {
    File file = sound;
    write_section_header({kind, true, 16, 0, 1}, file.data() + schema_at);
    EXPECT_EQ(walk(file).error.code, kind == FrameKind::kDictionary
                                         ? ErrorCode::kUnknownMandatorySection
                                         : ErrorCode::kBadHeader);
  }
  File file = sound;
  SectionHeader header = *parse_section_header(file.data() + schema_at);
  header.parameter = 2;
  write_section_header(header, file.data() + schema_at);
  EXPECT_EQ(walk(file).error.code, ErrorCode::kBadHeader);
}

TEST(TableFileWriter, RefusesSchemasThatAreNotValid) {
  File file;
  VectorSink sink(file);
  EXPECT_EQ(code_of(TableFileWriter(sink).begin(TableSchema{}, {})), ErrorCode::kInvalidArgument);
  EXPECT_TRUE(file.empty());
}

}  // namespace
}  // namespace presso::tables::table_file_test
