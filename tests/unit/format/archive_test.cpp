// SPDX-License-Identifier: MIT
// The container without any coding: what the writer writes, the reader and the index find again.
#include <gtest/gtest.h>

#include <array>
#include <string>

#include "presso/archive_reader.h"
#include "presso/archive_writer.h"
#include "presso/checksum.h"
#include "tests/support/test_data.h"

namespace presso::archive_test {
namespace {

constexpr std::uint32_t kBlock = kMinBlockBytes;

/// Header, payload and padding of a raw block.
std::vector<Byte> raw_block(std::uint32_t number, const std::vector<Byte>& plain) {
  BlockHeader header;
  header.number = number;
  header.plain_bytes = static_cast<std::uint32_t>(plain.size());
  header.payload_bytes = header.plain_bytes;
  header.content_checksum = content_checksum(plain);
  std::vector<Byte> stored(static_cast<std::size_t>(header.stored_bytes()));
  write_block_header(header, stored.data());
  std::copy(plain.begin(), plain.end(), stored.begin() + kBlockHeaderBytes);
  return stored;
}

std::vector<Byte> archive(const std::vector<std::size_t>& sizes, const Metadata& metadata = {},
                          std::uint32_t block_bytes = kBlock) {
  std::vector<Byte> file;
  VectorSink sink(file);
  ArchiveWriter writer(sink);
  EXPECT_TRUE(writer.begin({kFormatVersion, block_bytes}, metadata).ok());
  std::uint32_t number = 0;
  for (const std::size_t size : sizes) {
    const std::vector<Byte> plain = test::random_bytes(size, number);
    EXPECT_TRUE(writer.add_block(raw_block(number, plain), static_cast<std::uint32_t>(size)).ok());
    ++number;
  }
  EXPECT_TRUE(writer.finish().ok());
  EXPECT_EQ(writer.bytes_written(), file.size());
  EXPECT_EQ(writer.block_count(), sizes.size());
  return file;
}

/// What a section of `kind` looks like in a file.
std::vector<Byte> section(char kind, bool mandatory, const std::vector<Byte>& payload) {
  SectionHeader header;
  header.kind = static_cast<FrameKind>(kind);
  header.mandatory = mandatory;
  header.payload_bytes = payload.size();
  header.payload_checksum = checksum64(payload);
  std::vector<Byte> stored(static_cast<std::size_t>(header.stored_bytes()));
  write_section_header(header, stored.data());
  std::copy(payload.begin(), payload.end(), stored.begin() + kSectionHeaderBytes);
  return stored;
}

/// The frames' kinds in order, 'H' for a file header; the error's code in digits at the end.
std::string walk(const std::vector<Byte>& file) {
  MemorySource source(file);
  FrameReader reader(source);
  std::string kinds;
  for (;;) {
    const auto frame = reader.next();
    if (!frame.ok()) return kinds + std::to_string(static_cast<int>(frame.error().code));
    if (std::holds_alternative<EndOfInput>(*frame)) return kinds;
    if (std::holds_alternative<FileHeader>(*frame)) kinds += 'H';
    if (const auto* found = std::get_if<StoredSection>(&*frame)) {
      kinds += static_cast<char>(found->header.kind);
    }
    if (std::holds_alternative<StoredBlock>(*frame)) kinds += 'B';
  }
}

std::vector<Byte> joined(std::vector<Byte> first, const std::vector<Byte>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

TEST(FrameReader, FindsAllFramesInOrder) {
  Metadata metadata;
  metadata.entries = {{"name", "a"}};
  EXPECT_EQ(walk(archive({})), "HI");
  EXPECT_EQ(walk(archive({kBlock, kBlock, 5}, metadata)), "HMBBBI");
  EXPECT_EQ(walk(joined(archive({kBlock, 1}), archive({7}, metadata))), "HBBIHMBI");
}

TEST(FrameReader, CountsThroughAllMembers) {
  const std::vector<Byte> first = archive({kBlock, 100});
  const std::vector<Byte> file = joined(first, archive({3 * kBlock, 50}, {}, 3 * kBlock));
  MemorySource source(file);
  FrameReader reader(source);
  std::vector<StoredBlock> blocks;
  for (;;) {
    auto frame = reader.next();
    ASSERT_TRUE(frame.ok()) << frame.error().message();
    if (std::holds_alternative<EndOfInput>(*frame)) break;
    if (auto* block = std::get_if<StoredBlock>(&*frame)) blocks.push_back(std::move(*block));
  }
  ASSERT_EQ(blocks.size(), 4u);
  EXPECT_EQ(reader.offset(), file.size());
  const std::uint64_t plain_offsets[] = {0, kBlock, kBlock + 100, 4 * kBlock + 100};
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].number, i);
    EXPECT_EQ(blocks[i].plain_offset, plain_offsets[i]);
    EXPECT_EQ(blocks[i].member, i / 2);
  }
  EXPECT_EQ(blocks[2].file_offset, first.size() + kFileHeaderBytes);
}

TEST(FrameReader, SkipsUnknownOptionalSectionsAndNamesMandatoryOnes) {
  const std::vector<Byte> plain = archive({});
  for (const bool mandatory : {false, true}) {
    std::vector<Byte> file(plain.begin(), plain.begin() + kFileHeaderBytes);
    file = joined(file, section('Q', mandatory, test::random_bytes(100, 1)));
    MemorySource source(file);
    FrameReader reader(source);
    ASSERT_TRUE(reader.next().ok());
    const auto frame = reader.next();
    EXPECT_EQ(frame.ok(), !mandatory);
    if (!mandatory) continue;
    EXPECT_EQ(frame.error().code, ErrorCode::kUnknownMandatorySection);
    EXPECT_EQ(frame.error().what, "'Q'");
    EXPECT_EQ(frame.error().byte_offset, kFileHeaderBytes);
  }
}

TEST(FrameReader, RefusesBlocksThatDoNotFollowOneAnother) {
  std::vector<Byte> file = archive({});
  file.resize(kFileHeaderBytes);
  const std::vector<Byte> full = test::random_bytes(kBlock, 1);
  EXPECT_EQ(walk(joined(file, raw_block(1, full))), "H5");  // not number 0
  EXPECT_EQ(walk(joined(file, raw_block(0, test::random_bytes(kBlock + 1, 2)))), "H5");
  const std::vector<Byte> short_first = joined(file, raw_block(0, test::random_bytes(9, 3)));
  EXPECT_EQ(walk(joined(short_first, raw_block(1, full))), "HB5");
  EXPECT_EQ(walk(joined(file, raw_block(0, full))), "HB3");  // ends there
}

TEST(FrameReader, SaysWhatIsNotAPressoFile) {
  EXPECT_EQ(walk({}), "1");
  EXPECT_EQ(walk(test::to_bytes("hello, world: this is only text")), "1");
  EXPECT_EQ(walk(joined(archive({3}), test::to_bytes("trailing"))), "HBI12");
}

TEST(ArchiveIndex, FindsEveryBlock) {
  const std::vector<Byte> file =
      joined(archive({kBlock, kBlock, 77}), archive({2 * kBlock, 5}, {}, 2 * kBlock));
  for (const bool cut : {false, true}) {
    std::vector<Byte> bytes = file;
    if (cut) bytes.resize(bytes.size() - 1);
    const MemoryRandomAccess access(bytes);
    const auto index = ArchiveIndex::open(access);
    ASSERT_TRUE(index.ok()) << index.error().message();
    EXPECT_EQ(index->rebuilt(), cut);
    EXPECT_EQ(index->block_count(), 5u);
    EXPECT_EQ(index->plain_bytes(), 4u * kBlock + 82);
    ASSERT_EQ(index->members().size(), 2u);
    EXPECT_EQ(index->members()[1].first_block, 3u);
    for (std::uint64_t number = 0; number < 5; ++number) {
      EXPECT_EQ(index->block_at(index->block_plain_offset(number)), number);
      const auto block = index->read_block(number);
      ASSERT_TRUE(block.ok()) << block.error().message();
      EXPECT_EQ(block->file_offset, index->block_offset(number));
      EXPECT_EQ(content_checksum(block->payload.bytes()), block->header.content_checksum);
    }
    EXPECT_EQ(index->block_at(2 * kBlock + 76), 2u);
    EXPECT_EQ(index->block_at(2 * kBlock + 77), 3u);
  }
}

/// Whose last bytes cannot be read for now.
class FailingEnd final : public RandomAccess {
 public:
  explicit FailingEnd(Bytes bytes) : bytes_(bytes) {}
  std::uint64_t size() const override { return bytes_.size(); }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    if (offset + into.size() == size()) return make_error(ErrorCode::kIo, "no answer");
    return bytes_.read_at(offset, into);
  }

 private:
  MemoryRandomAccess bytes_;
};

TEST(ArchiveIndex, DoesNotTakeWhatCannotBeReadForDamage) {
  const std::vector<Byte> file = archive({kBlock, kBlock, 100});
  const auto index = ArchiveIndex::open(FailingEnd(file));
  ASSERT_FALSE(index.ok());
  EXPECT_EQ(index.error().code, ErrorCode::kIo);
}

TEST(ArchiveIndex, OpensFilesCutAnywhereBehindTheirBlocks) {
  const std::vector<Byte> file = archive({kBlock, kBlock, 100});
  const std::size_t blocks_end = file.size() - kTrailerBytes - kSectionHeaderBytes - 48;
  for (std::size_t size = blocks_end; size < file.size(); ++size) {
    const std::vector<Byte> bytes(file.begin(), file.begin() + static_cast<std::ptrdiff_t>(size));
    const MemoryRandomAccess access(bytes);
    const auto index = ArchiveIndex::open(access);
    ASSERT_TRUE(index.ok()) << size << ": " << index.error().message();
    EXPECT_TRUE(index->rebuilt());
    EXPECT_EQ(index->plain_bytes(), 2u * kBlock + 100);
  }
}

TEST(ArchiveIndex, OpensFilesWhoseIndexOrTrailerIsDamaged) {
  const std::vector<Byte> one = archive({kBlock, kBlock, 100});
  for (std::size_t back = 1; back <= kTrailerBytes + kSectionHeaderBytes + 48; ++back) {
    for (const bool followed : {false, true}) {
      std::vector<Byte> bytes = one;
      Byte& damaged = bytes[one.size() - back];
      damaged = static_cast<Byte>(damaged ^ 0x55);
      if (followed) bytes = joined(bytes, archive({8}));
      const MemoryRandomAccess access(bytes);
      const auto index = ArchiveIndex::open(access);
      ASSERT_TRUE(index.ok()) << back << ": " << index.error().message();
      EXPECT_EQ(index->plain_bytes(), 2u * kBlock + (followed ? 108 : 100)) << back;
    }
  }
}

TEST(ArchiveIndex, RefusesWhatIsNotAPressoFile) {
  for (const std::string& text : {std::string(), std::string("hello"), std::string(500, 'x')}) {
    const std::vector<Byte> bytes = test::to_bytes(text);
    const MemoryRandomAccess access(bytes);
    const auto index = ArchiveIndex::open(access);
    ASSERT_FALSE(index.ok());
    EXPECT_EQ(index.error().code, ErrorCode::kNotPresso);
  }
}

TEST(ArchiveIndex, SaysWhereABlockIsDamagedIfItMustWalk) {
  std::vector<Byte> bytes = archive({kBlock, kBlock, 100});
  const std::size_t second = kFileHeaderBytes + kBlockHeaderBytes + kBlock;
  for (const std::size_t byte : {0u, 8u}) {  // the sync bytes, a field
    std::vector<Byte> damaged = bytes;
    damaged[second + byte] = static_cast<Byte>(damaged[second + byte] ^ 1);
    damaged.pop_back();
    const MemoryRandomAccess access(damaged);
    const auto index = ArchiveIndex::open(access);
    ASSERT_FALSE(index.ok());
    EXPECT_EQ(index.error().code, byte == 0 ? ErrorCode::kLostSync : ErrorCode::kHeaderChecksum);
    EXPECT_EQ(index.error().byte_offset, second);
  }
}

TEST(Metadata, SurvivesARoundTrip) {
  Metadata metadata;
  metadata.entries = {{"name", "log.txt"}, {"", ""}, {"user.x", std::string(100000, '\0')}};
  const auto parsed = parse_metadata(serialise_metadata(metadata));
  ASSERT_TRUE(parsed.ok());
  EXPECT_EQ(parsed->entries, metadata.entries);
  ASSERT_NE(parsed->find("name"), nullptr);
  EXPECT_EQ(*parsed->find("name"), "log.txt");
  EXPECT_EQ(parsed->find("mode"), nullptr);
}

TEST(Metadata, CutAnywhereIsAnError) {
  Metadata metadata;
  metadata.entries = {{"name", "log.txt"}, {"mode", "644"}};
  const std::vector<Byte> whole = serialise_metadata(metadata);
  for (std::size_t size = 1; size < whole.size(); ++size) {
    const bool between_entries = size == 6 + 4 + 7;
    EXPECT_EQ(parse_metadata(Bytes(whole).first(size)).ok(), between_entries) << size;
  }
}

TEST(ArchiveWriter, RefusesMetadataThatTheFormatCannotHold) {
  for (const auto& [key, value] :
       {std::pair<std::size_t, std::size_t>{65536, 1}, {1, kMaxMetadataBytes}}) {
    Metadata metadata;
    metadata.entries = {{std::string(key, 'k'), std::string(value, 'v')}};
    std::vector<Byte> file;
    VectorSink sink(file);
    ArchiveWriter writer(sink);
    const Status status = writer.begin({}, metadata);
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, ErrorCode::kInvalidArgument);
    EXPECT_TRUE(file.empty());
  }
}

TEST(ArchiveWriter, PassesTheSinksErrorsOn) {
  class FullSink final : public ByteSink {
   public:
    Status write(Bytes) override { return make_error(ErrorCode::kNoSpace); }
  };
  FullSink sink;
  ArchiveWriter writer(sink);
  EXPECT_EQ(writer.begin({}, {}).error().code, ErrorCode::kNoSpace);
  EXPECT_EQ(writer.add_block(raw_block(0, {1, 2, 3}), 3).error().code, ErrorCode::kNoSpace);
  EXPECT_EQ(writer.finish().error().code, ErrorCode::kNoSpace);
}

}  // namespace
}  // namespace presso::archive_test
