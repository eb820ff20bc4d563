// SPDX-License-Identifier: MIT
// The filter section by itself: what the builder writes is within its budget, the same for any
// number of threads, holds every n-gram of every block, and is refused where bytes are missing.
#include "format/block_filter.h"

#include <gtest/gtest.h>

#include <random>

#include "presso/compress.h"
#include "tests/support/test_data.h"

namespace presso::block_filter_test {
namespace {

constexpr std::uint32_t kBlock = kMinBlockBytes;

std::vector<Byte> packed(Bytes plain, std::uint32_t size, unsigned threads = 1) {
  CompressOptions options;
  options.level = 1;
  options.block_bytes = kBlock;
  options.dictionary.mode = DictionaryChoice::Mode::kNone;
  options.filter_permille = size;
  options.threads = threads;
  return *compress_buffer(plain, options);
}

Result<std::optional<BlockFilter>> filter_of(const std::vector<Byte>& file) {
  const MemoryRandomAccess access(file);
  const auto index = ArchiveIndex::open(access);
  if (!index.ok()) return index.error();
  return read_filter(access, index->members().front());
}

bool may_hold(const BlockFilter& filter, std::size_t block, Bytes gram) {
  const FilterGroup& group = filter.groups[block / filter.group_blocks];
  std::uint64_t number = 0;
  for (std::size_t i = group.gram_bytes; i-- > 0;) number = number << 8 | fold_ascii(gram[i]);
  const auto row = group.row_of(gram_cell(number));
  return !row || group.bit(*row, static_cast<std::uint32_t>(block % filter.group_blocks));
}

void expect_every_gram(const BlockFilter& filter, const std::vector<Byte>& plain) {
  for (std::size_t block = 0; block < filter.blocks; ++block) {
    const std::size_t n = filter.groups[block / filter.group_blocks].gram_bytes;
    const std::size_t end = std::min(plain.size(), (block + 1) * kBlock + kFilterOverlap);
    for (std::size_t at = block * kBlock; at < end && at + n <= plain.size(); ++at) {
      const Bytes gram = Bytes(plain).subspan(at, n);
      if (std::find(gram.begin(), gram.end(), '\n') != gram.end()) continue;
      ASSERT_TRUE(may_hold(filter, block, gram)) << block << " " << at;
    }
  }
}

TEST(BlockFilter, HoldsEveryGramOfEveryBlockWithinItsBudget) {
  const std::vector<std::vector<Byte>> inputs = {
      test::log_lines(140 * kBlock + 77, 1), test::few_letters(9 * kBlock, 3, 2),
      test::random_bytes(20 * kBlock + 1, 3), test::log_lines(5, 4), test::log_lines(kBlock, 5)};
  for (const std::vector<Byte>& plain : inputs) {
    const std::size_t without = packed(plain, 0).size();
    for (const std::uint32_t size : {20u, 80u, 300u}) {
      const auto file = packed(plain, size);
      const auto filter = filter_of(file);
      ASSERT_TRUE(filter.ok());
      ASSERT_TRUE(filter->has_value());
      expect_every_gram(**filter, plain);
      if (HasFatalFailure()) return;
      if (plain.size() < kBlock) continue;
      EXPECT_LE((*filter)->payload.size(), without * size / 1000 + 64) << size;
      EXPECT_EQ(file.size() / kFrameAlignment,
                (without + kSectionHeaderBytes + (*filter)->payload.size() + kFrameAlignment - 1) /
                    kFrameAlignment);
    }
  }
}

/// Pieces of earlier text of all lengths, with a strange byte or a line feed here and there: what
/// repeats is left out when n-grams are collected, what is around it must not be.
std::vector<Byte> repetitions(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Byte> text = test::random_bytes(40, seed);
  while (text.size() < size) {
    const std::size_t length = 1 + random() % (random() % 4 == 0 ? 400 : 30);
    const std::size_t from = random() % text.size();
    for (std::size_t i = 0; i < length; ++i) text.push_back(text[from + i]);
    if (random() % 3 == 0) text.push_back(random() % 2 == 0 ? '\n' : static_cast<Byte>(random()));
  }
  text.resize(size);
  return text;
}

TEST(BlockFilter, HoldsWhatStandsBesideRepetitions) {
  for (unsigned seed = 0; seed < 12; ++seed) {
    const std::vector<Byte> plain = repetitions(3 * kBlock + seed, seed);
    const auto filter = filter_of(packed(plain, 1000));
    ASSERT_TRUE(filter.ok() && filter->has_value());
    expect_every_gram(**filter, plain);
    if (HasFatalFailure()) return;
  }
}

TEST(BlockFilter, IsTheSameForAnyNumberOfThreads) {
  const auto plain = test::log_lines(150 * kBlock, 6);
  const auto one = packed(plain, 80, 1);
  EXPECT_EQ(one, packed(plain, 80, 2));
  EXPECT_EQ(one, packed(plain, 80, 5));
}

/// The same text twice as often in a block takes hardly more in the file, so that its filter may
/// not be larger either.
TEST(BlockFilter, IsAsLargeAsItsBlocksAreWellCompressed) {
  const auto noise = filter_of(packed(test::random_bytes(32 * kBlock, 8), 80));
  const auto zeros = filter_of(packed(std::vector<Byte>(32 * kBlock, 'x'), 80));
  ASSERT_TRUE(noise.ok() && noise->has_value() && zeros.ok() && zeros->has_value());
  EXPECT_GT((*noise)->payload.size(), 32 * kBlock * 75 / 1000);
  EXPECT_LT((*zeros)->payload.size(), 1000u);
}

TEST(BlockFilter, RefusesWhatIsCutOffOrOfAnotherFile) {
  const auto plain = test::log_lines(20 * kBlock, 7);
  auto filter = filter_of(packed(plain, 80));
  ASSERT_TRUE(filter.ok() && filter->has_value());
  const std::vector<Byte> payload = (*filter)->payload;
  EXPECT_TRUE(parse_filter(payload, 20).ok());
  for (std::size_t size = 0; size < payload.size(); ++size) {
    const std::vector<Byte> cut(payload.begin(), payload.begin() + static_cast<long>(size));
    ASSERT_FALSE(parse_filter(cut, 20).ok()) << size;
  }
  EXPECT_FALSE(parse_filter(payload, 21).ok());
  EXPECT_FALSE(parse_filter(payload, 10).ok());
  std::vector<Byte> longer = payload;
  longer.push_back(0);
  EXPECT_FALSE(parse_filter(longer, 20).ok());
}

/// Read group by group it says the same as when read whole; a changed byte is found at the end.
TEST(BlockFilter, IsReadInPartsAlike) {
  const std::vector<Byte> plain = test::log_lines(140 * kBlock + 77, 1);
  std::vector<Byte> file = packed(plain, 80);
  const auto whole = filter_of(file);
  ASSERT_TRUE(whole.ok() && whole->has_value());
  ASSERT_GT((*whole)->groups.size(), 1u);
  const MemoryRandomAccess access(file);
  const auto index = ArchiveIndex::open(access);
  const ArchiveMember& member = index->members().front();
  auto reader = FilterReader::open(access, member);
  ASSERT_TRUE(reader.ok() && reader->has_value());
  EXPECT_EQ((*reader)->group_blocks(), (*whole)->group_blocks);
  for (const FilterGroup& expected : (*whole)->groups) {
    const auto group = (*reader)->next();
    ASSERT_TRUE(group.ok() && group->has_value());
    EXPECT_EQ((*group)->blocks, expected.blocks);
    EXPECT_EQ((*group)->gram_bytes, expected.gram_bytes);
    EXPECT_EQ((*group)->rows, expected.rows);
    EXPECT_EQ((*group)->common, expected.common);
    ASSERT_TRUE(std::equal((*group)->bits.begin(), (*group)->bits.end(), expected.bits.begin(),
                           expected.bits.end()));
  }
  const auto end = (*reader)->next();
  ASSERT_TRUE(end.ok());
  EXPECT_FALSE(end->has_value());

  const Bytes last = (*whole)->groups.back().bits;
  const auto place = std::search(file.begin(), file.end(), last.end() - 40, last.end());
  ASSERT_NE(place, file.end());
  *place ^= 1;
  auto damaged = FilterReader::open(access, member);
  ASSERT_TRUE(damaged.ok() && damaged->has_value());
  auto group = (*damaged)->next();
  while (group.ok() && group->has_value()) group = (*damaged)->next();
  ASSERT_FALSE(group.ok());
  EXPECT_EQ(group.error().code, ErrorCode::kSectionChecksum);
}

TEST(BlockFilter, IsNotThereWhereNobodyAskedOrNothingIs) {
  EXPECT_FALSE(filter_of(packed(test::log_lines(1000, 1), 0))->has_value());
  EXPECT_FALSE(filter_of(packed({}, 80))->has_value());
}

}  // namespace
}  // namespace presso::block_filter_test
