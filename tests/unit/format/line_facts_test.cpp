// SPDX-License-Identifier: MIT
// Line facts: counted like byte by byte, written into every file with blocks, refused where they
// contradict the file; and the table made of them agrees with the text's lines, through blocks and
// members, so that readers who divide a file among themselves miss no line and read none twice.
#include "format/line_facts.h"

#include <gtest/gtest.h>

#include <random>

#include "presso/archive_writer.h"
#include "presso/checksum.h"
#include "presso/compress.h"
#include "tests/support/test_data.h"

namespace presso::line_facts_test {
namespace {

constexpr std::uint32_t kBlock = kMinBlockBytes;

std::vector<Byte> packed(Bytes plain) {
  CompressOptions options;
  options.level = 1;
  options.block_bytes = kBlock;
  options.dictionary.mode = DictionaryChoice::Mode::kNone;
  options.threads = 1;
  return *compress_buffer(plain, options);
}

LineFacts counted_byte_by_byte(Bytes plain) {
  LineFacts facts;
  for (std::uint32_t at = 0; at < plain.size(); ++at) {
    facts.holds_nul |= plain[at] == 0;
    if (plain[at] != '\n') continue;
    if (facts.newlines++ == 0) facts.first_newline = at;
    facts.last_newline = at;
  }
  const Byte mark[] = {0xEF, 0xBB, 0xBF};
  facts.begins_with_mark = plain.size() >= 3 && std::equal(mark, mark + 3, plain.begin());
  return facts;
}

/// Of many sizes around those of the vectors, at every alignment.
TEST(LineFacts, AreCountedLikeByteByByte) {
  std::mt19937 random(1);
  std::vector<Byte> text(3 * 255 * 64 + 200);
  for (const unsigned kinds : {2u, 3u, 40u, 256u}) {
    for (Byte& byte : text) byte = static_cast<Byte>(random() % kinds + (kinds < 256 ? 9 : 0));
    for (int i = 0; i < 600; ++i) {
      const std::size_t at = random() % 65;
      const std::size_t most = i % 2 == 0 ? 200 : text.size() - at;
      const Bytes part = Bytes(text).subspan(at, random() % (most + 1));
      const LineFacts counted = counted_byte_by_byte(part);
      ASSERT_EQ(line_facts(part), counted) << kinds << " " << part.size();
      ASSERT_EQ(line_feeds_in(part), counted.newlines);
    }
  }
  const std::vector<Byte> newlines(kMaxBlockBytes, '\n');
  EXPECT_EQ(line_facts(newlines), (LineFacts{kMaxBlockBytes, 0, kMaxBlockBytes - 1}));
  std::vector<Byte> zeros(100000, 'x');
  EXPECT_FALSE(line_facts(zeros).holds_nul);
  for (const std::size_t at : {0u, 63u, 99999u}) {
    zeros[at] = 0;
    EXPECT_TRUE(line_facts(zeros).holds_nul) << at;
    zeros[at] = 0xFF;
  }
}

TEST(LineFacts, AreInEveryFileThatHasABlock) {
  std::vector<Byte> plain(2 * kBlock, 'x');
  plain[0] = 0xEF;
  plain[1] = 0xBB;
  plain[2] = 0xBF;
  plain[100] = plain[200] = plain[300] = '\n';
  plain[kBlock + 5] = 0;
  const auto file = packed(plain);
  const MemoryRandomAccess access(file);
  const auto facts = read_line_facts(access, ArchiveIndex::open(access)->members().front());
  ASSERT_TRUE(facts.ok() && facts->has_value());
  ASSERT_EQ((*facts)->size(), 2u);
  EXPECT_EQ((*facts)->at(0), (LineFacts{3, 100, 300, false, true}));
  EXPECT_EQ((*facts)->at(1), (LineFacts{0, 0, 0, true, false}));

  const auto empty = packed({});
  EXPECT_EQ(empty.size(), 128u) << "file header, index, trailer";
}

TEST(LineFacts, OfAnotherFileOrCutOffAreRefused) {
  const std::vector<Byte> plain = test::log_lines(3 * kBlock + 10, 1);
  std::vector<LineFacts> facts;
  for (std::size_t at = 0; at < plain.size(); at += kBlock) {
    facts.push_back(
        line_facts(Bytes(plain).subspan(at, std::min<std::size_t>(kBlock, plain.size() - at))));
  }
  const std::vector<Byte> payload = serialise_line_facts(facts);
  const auto read = parse_line_facts(payload, plain.size(), kBlock);
  ASSERT_TRUE(read.ok());
  EXPECT_EQ(*read, facts);
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(parse_line_facts(Bytes(payload).first(size), plain.size(), kBlock).ok()) << size;
  }
  EXPECT_FALSE(parse_line_facts(payload, plain.size() + kBlock, kBlock).ok());
  EXPECT_FALSE(parse_line_facts(payload, plain.size(), 2 * kBlock).ok());
}

TEST(LineFacts, ThatContradictThemselvesAreRefused) {
  const auto accepts = [](const LineFacts& facts) {
    return parse_line_facts(serialise_line_facts({facts}), 1000, kBlock).ok();
  };
  EXPECT_TRUE(accepts({0, 0, 0}));
  EXPECT_TRUE(accepts({1, 999, 999}));
  EXPECT_TRUE(accepts({3, 5, 7}));
  EXPECT_FALSE(accepts({0, 0, 1}));
  EXPECT_FALSE(accepts({0, 1, 1}));
  EXPECT_FALSE(accepts({1, 5, 6}));
  EXPECT_FALSE(accepts({2, 5, 5}));
  EXPECT_FALSE(accepts({2, 6, 5}));
  EXPECT_FALSE(accepts({4, 5, 7}));
  EXPECT_FALSE(accepts({1, 1000, 1000})) << "behind the block's end";
  std::vector<Byte> flags = serialise_line_facts({{1, 5, 5}});
  flags[3] = 4;
  EXPECT_FALSE(parse_line_facts(flags, 1000, kBlock).ok());
}

// --- The table
// ------------------------------------------------------------------------------------

/// Short lines, or lines longer than blocks; with or without a line feed at the end.
std::vector<Byte> some_text(std::size_t bytes, unsigned seed) {
  std::mt19937 random(seed);
  const unsigned mean = seed % 3 == 0 ? 40000 : 30;
  std::vector<Byte> text(bytes);
  for (Byte& byte : text) byte = random() % mean == 0 ? '\n' : 'x';
  for (std::size_t at = kBlock; at <= bytes; at += kBlock) {
    if (random() % 2 == 0) text[at - 1] = '\n';
  }
  return text;
}

std::vector<std::uint64_t> line_begins(const std::vector<Byte>& text) {
  std::vector<std::uint64_t> begins;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (at == 0 || text[at - 1] == '\n') begins.push_back(at);
  }
  return begins;
}

void expect_lines(const std::vector<Byte>& file, const std::vector<Byte>& text) {
  const MemoryRandomAccess access(file);
  const auto index = ArchiveIndex::open(access);
  ASSERT_TRUE(index.ok());
  const auto table = LineTable::read(access, *index);
  ASSERT_TRUE(table.ok()) << table.error().message();
  ASSERT_TRUE(table->has_value());
  const std::vector<std::uint64_t> begins = line_begins(text);
  EXPECT_EQ((*table)->lines(), begins.size());
  ASSERT_EQ((*table)->block_count(), index->block_count());
  for (std::uint64_t block = 0; block <= index->block_count(); ++block) {
    const bool is_end = block == index->block_count();
    const std::uint64_t offset = is_end ? text.size() : index->block_plain_offset(block);
    const auto first = std::lower_bound(begins.begin(), begins.end(), offset);
    ASSERT_EQ((*table)->lines_before(block), static_cast<std::uint64_t>(first - begins.begin()));
    ASSERT_EQ((*table)->line_start(block), first == begins.end() ? text.size() : *first) << block;
  }
}

TEST(LineTable, KnowsWhereLinesBegin) {
  std::mt19937 random(2);
  for (unsigned seed = 0; seed < 30; ++seed) {
    const std::size_t bytes = seed < 4 ? seed : (1 + random() % 9) * kBlock + random() % 3;
    const std::vector<Byte> text = some_text(bytes, seed);
    expect_lines(packed(text), text);
    if (HasFatalFailure()) return;
  }
}

TEST(LineTable, CountsThroughAllMembers) {
  std::vector<Byte> file;
  std::vector<Byte> text;
  for (const unsigned seed : {1u, 3u, 0u, 4u, 6u}) {
    const std::vector<Byte> part = some_text(seed * kBlock + seed * 777, seed);
    const std::vector<Byte> member = packed(part);
    file.insert(file.end(), member.begin(), member.end());
    text.insert(text.end(), part.begin(), part.end());
  }
  expect_lines(file, text);
}

/// The blocks of `file` in a file without line facts.
std::vector<Byte> without_facts(const std::vector<Byte>& file) {
  const MemoryRandomAccess access(file);
  const auto index = ArchiveIndex::open(access);
  std::vector<Byte> copy;
  VectorSink sink(copy);
  ArchiveWriter writer(sink);
  EXPECT_TRUE(writer.begin(index->members().front().header, {}).ok());
  for (std::uint64_t block = 0; block < index->block_count(); ++block) {
    const Bytes stored =
        Bytes(file).subspan(index->block_offset(block), index->block_stored_bytes(block));
    const auto header = index->read_block_header(block);
    EXPECT_TRUE(writer.add_block(stored, header->plain_bytes).ok());
  }
  EXPECT_TRUE(writer.finish().ok());
  return copy;
}

bool has_table(const std::vector<Byte>& file) {
  const MemoryRandomAccess access(file);
  const auto index = ArchiveIndex::open(access);
  EXPECT_TRUE(index.ok());
  const auto table = LineTable::read(access, *index);
  EXPECT_TRUE(table.ok());
  return table.ok() && table->has_value();
}

TEST(LineTable, IsNotThereWhereAMemberHasNoFactsOrTheIndexWasRebuilt) {
  const std::vector<Byte> good = packed(test::log_lines(3 * kBlock, 1));
  EXPECT_TRUE(has_table(good));
  std::vector<Byte> mixed = good;
  const std::vector<Byte> plain = without_facts(good);
  EXPECT_FALSE(has_table(plain));
  mixed.insert(mixed.end(), plain.begin(), plain.end());
  EXPECT_FALSE(has_table(mixed));
  EXPECT_FALSE(has_table({good.begin(), good.end() - 10}));
}

TEST(LineTable, NamesDamage) {
  std::vector<Byte> file = packed(test::log_lines(3 * kBlock, 1));
  const MemoryRandomAccess access(file);
  const auto index = ArchiveIndex::open(access);
  const std::size_t at = static_cast<std::size_t>(index->members().front().blocks_end);
  file[at + kSectionHeaderBytes + 4] ^= 1;
  EXPECT_EQ(LineTable::read(access, *index).error().code, ErrorCode::kSectionChecksum);
  file[at + 10] ^= 1;
  EXPECT_EQ(LineTable::read(access, *index).error().code, ErrorCode::kHeaderChecksum);
  file[at + 10] ^= 1;
  SectionHeader header = *parse_section_header(file.data() + at);
  header.payload_bytes -= 4;
  header.payload_checksum =
      checksum64(Bytes(file).subspan(at + kSectionHeaderBytes, header.payload_bytes));
  write_section_header(header, file.data() + at);
  EXPECT_EQ(LineTable::read(access, *index).error().code, ErrorCode::kBadHeader);
}

}  // namespace
}  // namespace presso::line_facts_test
