// SPDX-License-Identifier: MIT
// Salvage: of a damaged file every intact block comes back at its right place, and what is lost is
// reported with its number and offsets.
#include <gtest/gtest.h>

#include "presso/compress.h"
#include "presso/decompress.h"
#include "tests/support/frame_map.h"
#include "tests/support/test_data.h"

namespace presso::test::salvage_test {
namespace {

constexpr std::uint32_t kBlock = kMinBlockBytes;

struct Loss {
  std::uint64_t block;
  std::uint64_t blocks;
  std::uint64_t plain_offset;
  std::uint64_t file_offset;
};

struct Salvaged {
  std::vector<std::uint64_t> numbers;  ///< of intact blocks
  std::vector<Loss> losses;
};

class Salvage : public ::testing::Test {
 protected:
  void SetUp() override {
    plain_ = log_lines(9 * kBlock + 777, 1);
    CompressOptions options;
    options.coding = Coding::kByte;
    options.block_bytes = kBlock;
    options.dictionary = {DictionaryChoice::Mode::kSize, 8192};
    options.metadata.entries = {{"name", "x"}};
    file_ = *compress_buffer(plain_, options);
    frames_ = map_frames(file_);
    blocks_ = frames_of_kind(frames_, 'B');
    ASSERT_EQ(blocks_.size(), 10u);
  }

  FrameSpan frame(char kind) const { return frames_of_kind(frames_, kind)[0]; }

  void destroy(std::size_t at, std::size_t bytes) {
    for (std::size_t i = 0; i < bytes; ++i) file_[at + i] = static_cast<Byte>(~file_[at + i]);
  }
  void erase(std::size_t at, std::size_t bytes) {
    const auto begin = file_.begin() + static_cast<std::ptrdiff_t>(at);
    file_.erase(begin, begin + static_cast<std::ptrdiff_t>(bytes));
  }
  void insert(std::size_t at, const std::vector<Byte>& bytes) {
    file_.insert(file_.begin() + static_cast<std::ptrdiff_t>(at), bytes.begin(), bytes.end());
  }

  /// Also checks that every intact block is where it says it is.
  Salvaged salvage() const {
    Salvaged result;
    MemorySource source(file_);
    BlockStream stream(source, {{}, true});
    for (;;) {
      auto item = stream.next();
      EXPECT_TRUE(item.ok());
      if (!item.ok() || !*item) return result;
      const DecodedBlock block = stream.decode(std::move(**item));
      if (!block.status.ok()) {
        result.losses.push_back(
            {block.number, block.lost_blocks, block.plain_offset, block.file_offset});
        continue;
      }
      result.numbers.push_back(block.number);
      EXPECT_LE(block.plain_offset + block.plain.size(), plain_.size());
      if (block.plain_offset + block.plain.size() > plain_.size()) continue;
      EXPECT_TRUE(std::equal(block.plain.bytes().begin(), block.plain.bytes().end(),
                             plain_.begin() + static_cast<std::ptrdiff_t>(block.plain_offset)))
          << "block " << block.number;
    }
  }

  static std::vector<std::uint64_t> all_but(std::vector<std::uint64_t> lost) {
    std::vector<std::uint64_t> numbers;
    for (std::uint64_t number = 0; number < 10; ++number) {
      if (std::find(lost.begin(), lost.end(), number) == lost.end()) numbers.push_back(number);
    }
    return numbers;
  }

  static void expect_loss(const Loss& loss, std::uint64_t block, std::uint64_t blocks,
                          std::uint64_t file_offset) {
    EXPECT_EQ(loss.block, block);
    EXPECT_EQ(loss.blocks, blocks);
    EXPECT_EQ(loss.plain_offset, block * kBlock);
    EXPECT_EQ(loss.file_offset, file_offset);
  }

  std::vector<Byte> plain_;
  std::vector<Byte> file_;
  std::vector<FrameSpan> frames_;
  std::vector<FrameSpan> blocks_;
};

TEST_F(Salvage, FindsNothingWrongInASoundFile) {
  const Salvaged result = salvage();
  EXPECT_EQ(result.numbers, all_but({}));
  EXPECT_TRUE(result.losses.empty());
}

TEST_F(Salvage, LosesOneBlockToABrokenPayload) {
  destroy(blocks_[4].payload() + 50, 3);
  const Salvaged result = salvage();
  EXPECT_EQ(result.numbers, all_but({4}));
  ASSERT_EQ(result.losses.size(), 1u);
  expect_loss(result.losses[0], 4, 1, blocks_[4].offset);
}

TEST_F(Salvage, LosesOneBlockToABrokenHeader) {
  for (const std::size_t byte : {0u, 3u, 4u, 8u, 40u, 47u}) {
    SCOPED_TRACE(byte);
    SetUp();
    destroy(blocks_[4].offset + byte, 1);
    const Salvaged result = salvage();
    EXPECT_EQ(result.numbers, all_but({4}));
    ASSERT_EQ(result.losses.size(), 1u);
    expect_loss(result.losses[0], 4, 1, blocks_[4].offset);
  }
}

TEST_F(Salvage, LosesTheLastBlockToABrokenHeader) {
  destroy(blocks_[9].offset + 8, 1);
  const Salvaged result = salvage();
  EXPECT_EQ(result.numbers, all_but({9}));
  ASSERT_EQ(result.losses.size(), 1u);
  expect_loss(result.losses[0], 9, 1, blocks_[9].offset);
}

TEST_F(Salvage, CountsNeighbouringBlocksLostTogether) {
  destroy(blocks_[2].offset, blocks_[5].payload() - blocks_[2].offset);
  const Salvaged result = salvage();
  EXPECT_EQ(result.numbers, all_but({2, 3, 4, 5}));
  ASSERT_EQ(result.losses.size(), 1u);
  expect_loss(result.losses[0], 2, 4, blocks_[2].offset);
}

TEST_F(Salvage, NamesEachOfSeveralLosses) {
  destroy(blocks_[1].offset + 5, 1);
  destroy(blocks_[3].payload(), 20);
  destroy(blocks_[8].offset + 5, 1);
  const Salvaged result = salvage();
  EXPECT_EQ(result.numbers, all_but({1, 3, 8}));
  ASSERT_EQ(result.losses.size(), 3u);
  expect_loss(result.losses[0], 1, 1, blocks_[1].offset);
  expect_loss(result.losses[1], 3, 1, blocks_[3].offset);
  expect_loss(result.losses[2], 8, 1, blocks_[8].offset);
}

TEST_F(Salvage, ReportsBlocksThatWereTakenOut) {
  erase(blocks_[3].offset, blocks_[6].offset - blocks_[3].offset);
  Salvaged result = salvage();
  EXPECT_EQ(result.numbers, all_but({3, 4, 5}));
  ASSERT_GE(result.losses.size(), 1u);
  expect_loss(result.losses[0], 3, 3, blocks_[3].offset);

  SetUp();  // also after other damage, and at the end, where only the index knows
  const std::uint64_t erased = blocks_[9].end - blocks_[8].offset;
  const std::uint64_t index = frames_of_kind(map_frames(file_), 'I').front().offset;
  erase(blocks_[8].offset, erased);
  destroy(blocks_[1].offset + 5, 1);
  result = salvage();
  EXPECT_EQ(result.numbers, all_but({1, 8, 9}));
  ASSERT_EQ(result.losses.size(), 2u);
  expect_loss(result.losses[0], 1, 1, blocks_[1].offset);
  expect_loss(result.losses[1], 8, 2, index - erased);
}

TEST_F(Salvage, GoesOnBehindADoubledBlock) {
  const std::vector<Byte> copy(file_.begin() + static_cast<std::ptrdiff_t>(blocks_[2].offset),
                               file_.begin() + static_cast<std::ptrdiff_t>(blocks_[2].end));
  insert(blocks_[5].offset, copy);
  const Salvaged result = salvage();
  EXPECT_EQ(result.numbers, all_but({}));
  ASSERT_GE(result.losses.size(), 1u);
  expect_loss(result.losses[0], 5, 0, blocks_[5].offset);
}

TEST_F(Salvage, GoesOnBehindInsertedBytes) {
  insert(blocks_[5].offset, random_bytes(1001, 5));
  Salvaged result = salvage();
  EXPECT_EQ(result.numbers, all_but({}));
  ASSERT_GE(result.losses.size(), 1u);
  expect_loss(result.losses[0], 5, 0, blocks_[5].offset);

  SetUp();
  insert(blocks_[5].payload() + 10, random_bytes(3, 6));
  EXPECT_EQ(salvage().numbers, all_but({5}));
}

TEST_F(Salvage, FindsTheNextBlockWhereBytesAreMissing) {
  for (const std::size_t missing : {1u, 16u, 500u}) {
    SCOPED_TRACE(missing);
    SetUp();
    erase(blocks_[5].payload() + 10, missing);
    const Salvaged result = salvage();
    EXPECT_EQ(result.numbers, all_but({5}));
    ASSERT_GE(result.losses.size(), 1u);
  }
}

TEST_F(Salvage, KeepsWhatIsBeforeACut) {
  file_.resize(blocks_[6].payload() + 100);
  const Salvaged result = salvage();
  EXPECT_EQ(result.numbers, all_but({6, 7, 8, 9}));
  ASSERT_EQ(result.losses.size(), 1u);  // nothing says how many blocks there were
  EXPECT_EQ(result.losses[0].block, 6u);
  EXPECT_EQ(result.losses[0].blocks, 1u);
}

TEST_F(Salvage, NeedsNoFileHeader) {
  destroy(0, kFileHeaderBytes);
  const Salvaged result = salvage();
  EXPECT_EQ(result.numbers, all_but({}));
  ASSERT_EQ(result.losses.size(), 1u);
  EXPECT_EQ(result.losses[0].file_offset, 0u);
}

TEST_F(Salvage, StartsInTheMiddleOfAFile) {
  erase(0, blocks_[2].offset + 11);
  const Salvaged result = salvage();
  // Without their dictionary the blocks cannot be decoded, but they are counted.
  EXPECT_TRUE(result.numbers.empty());
  ASSERT_EQ(result.losses.size(), 8u);
  EXPECT_EQ(result.losses[0].blocks, 3u);
  expect_loss(result.losses[1], 3, 1, blocks_[3].offset - blocks_[2].offset - 11);
}

TEST_F(Salvage, SaysThatBlocksLackADestroyedDictionary) {
  destroy(frame('D').payload() + 100, 1);
  const Salvaged result = salvage();
  EXPECT_TRUE(result.numbers.empty());
  ASSERT_EQ(result.losses.size(), 11u);
  EXPECT_EQ(result.losses[0].file_offset, frame('D').offset);
  expect_loss(result.losses[10], 9, 1, blocks_[9].offset);
}

TEST_F(Salvage, NeedsNeitherIndexNorTrailer) {
  for (const char kind : {'I', 'T'}) {
    for (const std::size_t byte : {0u, 3u, 9u, 31u}) {
      SCOPED_TRACE(std::string(1, kind) + std::to_string(byte));
      SetUp();
      destroy(frame(kind).offset + byte, 1);
      const Salvaged result = salvage();
      EXPECT_EQ(result.numbers, all_but({}));
      ASSERT_EQ(result.losses.size(), 1u);
      EXPECT_EQ(result.losses[0].file_offset, frame(kind).offset);
      EXPECT_EQ(result.losses[0].blocks, 0u);
    }
  }
}

/// A second file after the damaged one: it has a dictionary of its own, its numbers start again.
TEST_F(Salvage, TellsConcatenatedFilesApart) {
  const std::vector<Byte> second_plain = log_lines(3 * kBlock, 2);
  CompressOptions options;
  options.coding = Coding::kByte;
  options.block_bytes = kBlock;
  options.dictionary = {DictionaryChoice::Mode::kSize, 4096};
  const std::vector<Byte> second = *compress_buffer(second_plain, options);
  const std::size_t first_bytes = file_.size();
  plain_.insert(plain_.end(), second_plain.begin(), second_plain.end());

  insert(file_.size(), second);
  std::vector<std::uint64_t> all = all_but({});
  all.insert(all.end(), {10, 11, 12});
  destroy(first_bytes, kFileHeaderBytes);
  Salvaged result = salvage();
  EXPECT_EQ(result.numbers, all);
  EXPECT_EQ(result.losses.size(), 1u);

  SetUp();
  plain_.insert(plain_.end(), second_plain.begin(), second_plain.end());
  erase(frame('T').offset, kTrailerBytes);
  insert(file_.size(), second);
  result = salvage();
  EXPECT_EQ(result.numbers, all);
  EXPECT_EQ(result.losses.size(), 1u);
}

TEST_F(Salvage, CountsLossesInItsSummary) {
  destroy(blocks_[2].offset, blocks_[5].payload() - blocks_[2].offset);
  destroy(blocks_[7].payload(), 1);
  DecompressOptions options;
  options.salvage = true;
  options.threads = 3;
  std::uint64_t calls = 0;
  options.on_damage = [&](const DecodedBlock& block) {
    ++calls;
    EXPECT_FALSE(block.status.ok());
  };
  MemorySource source(file_);
  std::vector<Byte> out;
  VectorSink sink(out);
  const auto summary = decompress_stream(source, sink, options);
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->damaged_blocks, 2u);
  EXPECT_EQ(calls, 2u);
  EXPECT_EQ(summary->lost_blocks, 5u);
  EXPECT_EQ(out.size(), plain_.size() - 5 * kBlock);
}

}  // namespace
}  // namespace presso::test::salvage_test
