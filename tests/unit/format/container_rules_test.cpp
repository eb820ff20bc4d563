// SPDX-License-Identifier: MIT
// Rules of the container that no encoder of ours breaks, so that only hand-made files test them:
// reserved bytes, the order of frames, what must not occur twice, sizes that wrap.
#include <gtest/gtest.h>

#include <array>

#include "presso/archive_reader.h"
#include "presso/checksum.h"

namespace presso::container_rules_test {
namespace {

using HandMade = std::vector<Byte>;

void append(HandMade& file, Bytes bytes) {
  file.insert(file.end(), bytes.begin(), bytes.end());
}

void seal(Byte* header, std::size_t size) {
  store<std::uint32_t>(header + size - 4, checksum32({header, size - 4}));
}

void add_file_header(HandMade& file) {
  std::array<Byte, kFileHeaderBytes> bytes;
  write_file_header({kFormatVersion, kMinBlockBytes}, bytes.data());
  append(file, bytes);
}

void add_section(HandMade& file, FrameKind kind, std::uint32_t parameter, Bytes payload) {
  std::array<Byte, kSectionHeaderBytes> bytes;
  const SectionHeader header{kind, false, payload.size(), checksum64(payload), parameter};
  write_section_header(header, bytes.data());
  append(file, bytes);
  append(file, payload);
  file.resize(round_up(file.size(), kFrameAlignment));
}

void add_raw_block(HandMade& file, std::uint32_t number, std::uint32_t plain_bytes) {
  const HandMade plain(plain_bytes, Byte{'x'});
  BlockHeader header;
  header.number = number;
  header.plain_bytes = plain_bytes;
  header.payload_bytes = plain_bytes;
  header.content_checksum = content_checksum(plain);
  std::array<Byte, kBlockHeaderBytes> bytes;
  write_block_header(header, bytes.data());
  append(file, bytes);
  append(file, plain);
  file.resize(round_up(file.size(), kFrameAlignment));
}

void add_index(HandMade& file, std::uint64_t plain_bytes, std::uint64_t first_block,
               const std::vector<std::uint32_t>& stored_bytes) {
  HandMade payload(24 + 4 * stored_bytes.size());
  store<std::uint64_t>(payload.data(), stored_bytes.size());
  store<std::uint64_t>(payload.data() + 8, plain_bytes);
  store<std::uint64_t>(payload.data() + 16, first_block);
  for (std::size_t i = 0; i < stored_bytes.size(); ++i) {
    store<std::uint32_t>(payload.data() + 24 + 4 * i, stored_bytes[i]);
  }
  add_section(file, FrameKind::kIndex, 0, payload);
}

void add_trailer(HandMade& file, std::uint64_t index_offset) {
  std::array<Byte, kTrailerBytes> bytes;
  write_trailer({index_offset, file.size() + kTrailerBytes}, bytes.data());
  append(file, bytes);
}

/// The error that a walk from the front meets, kOk where there is none.
ErrorCode walk(const HandMade& file) {
  MemorySource source(file);
  FrameReader reader(source);
  for (;;) {
    const auto frame = reader.next();
    if (!frame.ok()) return frame.error().code;
    if (std::holds_alternative<EndOfInput>(*frame)) return ErrorCode::kOk;
  }
}

ErrorCode open_error(const HandMade& file) {
  const MemoryRandomAccess access(file);
  const auto index = ArchiveIndex::open(access);
  return index.ok() ? ErrorCode::kOk : index.error().code;
}

TEST(ContainerRules, ReservedBytesOfAFileHeaderMustBeZero) {
  for (const std::size_t at : {10, 11, 16, 20, 27}) {
    HandMade file;
    add_file_header(file);
    file[at] = 2;  // content 1 is a table
    seal(file.data(), kFileHeaderBytes);
    EXPECT_EQ(parse_file_header(file.data()).error().code, ErrorCode::kBadHeader) << at;
  }
}

TEST(ContainerRules, ReservedBytesOfARawBlockHeaderMustBeZero) {
  for (std::size_t at = 15; at < 36; ++at) {
    HandMade file;
    add_raw_block(file, 0, 10);
    EXPECT_EQ(file[at], 0) << at;
    file[at] = 1;
    seal(file.data(), kBlockHeaderBytes);
    EXPECT_EQ(parse_block_header(file.data()).error().code, ErrorCode::kBadHeader) << at;
  }
}

TEST(ContainerRules, ReservedBytesOfAByteBlockHeaderMustBeZero) {
  BlockHeader header;
  header.coding = Coding::kByte;
  header.plain_bytes = 10;
  header.payload_bytes = 10;
  header.literals = 10;
  std::array<Byte, kBlockHeaderBytes> bytes;
  write_block_header(header, bytes.data());
  ASSERT_TRUE(parse_block_header(bytes.data()).ok());
  for (const std::size_t at : {27, 31, 35}) {
    std::array<Byte, kBlockHeaderBytes> changed = bytes;
    changed[at] = 1;
    seal(changed.data(), kBlockHeaderBytes);
    EXPECT_EQ(parse_block_header(changed.data()).error().code, ErrorCode::kBadHeader) << at;
  }
}

TEST(ContainerRules, UnknownSectionFlagsAndReservedTrailerBytesAreErrors) {
  HandMade section;
  add_section(section, FrameKind::kMetadata, 0, {});
  section[4] = 2;
  seal(section.data(), kSectionHeaderBytes);
  EXPECT_EQ(parse_section_header(section.data()).error().code, ErrorCode::kBadHeader);
  HandMade trailer;
  add_trailer(trailer, 0);
  trailer[5] = 1;
  seal(trailer.data(), kTrailerBytes);
  EXPECT_EQ(parse_trailer(trailer.data()).error().code, ErrorCode::kBadHeader);
}

TEST(ContainerRules, NoSecondMetadataSectionAndNoDictionaryIdTwice) {
  for (const auto& [kind, parameter] :
       {std::pair{FrameKind::kMetadata, 0u}, {FrameKind::kDictionary, 1u}}) {
    HandMade file;
    add_file_header(file);
    add_section(file, kind, parameter, {});
    add_section(file, kind, parameter, {});
    EXPECT_EQ(walk(file), ErrorCode::kBadHeader);
    EXPECT_EQ(open_error(file), ErrorCode::kBadHeader);
  }
}

TEST(ContainerRules, DictionaryIdsEndAtTheirLimit) {
  for (const std::uint32_t id : {0u, kMaxDictionaries, kMaxDictionaries + 1, 256u}) {
    HandMade file;
    add_file_header(file);
    add_section(file, FrameKind::kDictionary, id, {});
    EXPECT_EQ(walk(file), id == kMaxDictionaries ? ErrorCode::kTruncated : ErrorCode::kBadHeader);
  }
}

TEST(ContainerRules, NoDictionaryOrMetadataBehindABlock) {
  for (const auto& [kind, parameter] :
       {std::pair{FrameKind::kMetadata, 0u}, {FrameKind::kDictionary, 1u}}) {
    HandMade file;
    add_file_header(file);
    add_raw_block(file, 0, 10);
    add_section(file, kind, parameter, {});
    EXPECT_EQ(walk(file), ErrorCode::kBadHeader);
  }
}

TEST(ContainerRules, NoSectionBetweenBlocksButBehindTheLast) {
  HandMade file;
  add_file_header(file);
  add_raw_block(file, 0, kMinBlockBytes);
  const auto stored = static_cast<std::uint32_t>(file.size() - kFileHeaderBytes);
  add_section(file, FrameKind::kFilter, 7, HandMade(5));
  HandMade with_block = file;
  add_raw_block(with_block, 1, 10);
  EXPECT_EQ(walk(with_block), ErrorCode::kBadHeader);

  const std::uint64_t index_offset = file.size();
  add_index(file, kMinBlockBytes, kFileHeaderBytes, {stored});
  add_trailer(file, index_offset);
  EXPECT_EQ(walk(file), ErrorCode::kOk);
  const MemoryRandomAccess access(file);
  const auto index = ArchiveIndex::open(access);
  ASSERT_TRUE(index.ok()) << index.error().message();
  EXPECT_FALSE(index->rebuilt());
}

TEST(ContainerRules, NothingStandsBetweenIndexAndTrailer) {
  HandMade file;
  add_file_header(file);
  const std::uint64_t index_offset = file.size();
  add_index(file, 0, kFileHeaderBytes, {});
  add_section(file, FrameKind::kFilter, 0, HandMade(5));
  add_trailer(file, index_offset);
  EXPECT_EQ(walk(file), ErrorCode::kBadHeader);
  const MemoryRandomAccess access(file);
  const auto index = ArchiveIndex::open(access);
  ASSERT_TRUE(index.ok()) << index.error().message();
  EXPECT_TRUE(index->rebuilt());
}

TEST(ContainerRules, AnIndexWhosePlainSizeWrapsIsNotBelieved) {
  HandMade file;
  add_file_header(file);
  const std::uint64_t index_offset = file.size();
  add_index(file, ~std::uint64_t{0}, kFileHeaderBytes, {});
  add_trailer(file, index_offset);
  EXPECT_EQ(walk(file), ErrorCode::kBadIndex);
  const MemoryRandomAccess access(file);
  const auto index = ArchiveIndex::open(access);
  ASSERT_TRUE(index.ok()) << index.error().message();
  EXPECT_TRUE(index->rebuilt());
  EXPECT_EQ(index->plain_bytes(), 0u);
}

TEST(ContainerRules, AFileTooShortForAHeaderDoesNotOpen) {
  EXPECT_EQ(open_error({}), ErrorCode::kNotPresso);
  EXPECT_EQ(open_error({'h', 'i', '\n'}), ErrorCode::kNotPresso);
  HandMade file;
  add_file_header(file);
  file.resize(kFileHeaderBytes - 1);
  EXPECT_EQ(open_error(file), ErrorCode::kTruncated);
}

TEST(ContainerRules, AWalkChecksNumbersAndSizesOfBlocks) {
  for (const auto& [first_bytes, second_number] :
       {std::pair{kMinBlockBytes, 2u}, {kMinBlockBytes - 1, 1u}, {kMinBlockBytes + 1, 1u}}) {
    HandMade file;
    add_file_header(file);
    add_raw_block(file, 0, first_bytes);
    add_raw_block(file, second_number, 10);
    EXPECT_EQ(walk(file), ErrorCode::kBadHeader);
    EXPECT_EQ(open_error(file), ErrorCode::kBadHeader);
  }
}

}  // namespace
}  // namespace presso::container_rules_test
