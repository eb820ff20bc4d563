// SPDX-License-Identifier: MIT
// What training takes into a dictionary, in which order, and when a file gets one.
#include <gtest/gtest.h>

#include <algorithm>

#include "compress/choose/block_size_choice.h"
#include "compress/choose/dictionary_choice.h"
#include "compress/choose/dictionary_trainer.h"
#include "compress/choose/size_trial.h"
#include "presso/train.h"
#include "tests/support/test_data.h"

namespace presso::dictionary_test {
namespace {

constexpr TrainingEffort kEffort{1u << 20, 100};

using Documents = std::vector<std::vector<Byte>>;

std::vector<Bytes> views(const Documents& documents) {
  return {documents.begin(), documents.end()};
}

/// Random documents; `shared` is written into the first `holders` of them, somewhere.
Documents documents_with(const std::vector<Byte>& shared, unsigned holders, unsigned count) {
  Documents documents;
  for (unsigned i = 0; i < count; ++i) {
    documents.push_back(test::random_bytes(20000, 100 + i));
    if (i < holders) std::copy(shared.begin(), shared.end(), documents.back().begin() + 1000 * i);
  }
  return documents;
}

bool contains(const std::vector<Byte>& whole, Bytes part) {
  return std::search(whole.begin(), whole.end(), part.begin(), part.end()) != whole.end();
}

TEST(DictionaryTrainer, TakesWhatDocumentsShareAndLittleElse) {
  const std::vector<Byte> shared = test::random_bytes(3000, 1);
  const Documents documents = documents_with(shared, 5, 10);
  const auto segments = *select_segments(views(documents), 64u << 10, kEffort, 1);
  const std::vector<Byte> content = assemble_dictionary(views(documents), segments, 64u << 10);
  EXPECT_LT(content.size(), 4000u);
  std::size_t found = 0;
  for (std::size_t at = 0; at + 100 <= shared.size(); at += 100) {
    found += contains(content, Bytes(shared).subspan(at, 100));
  }
  EXPECT_GE(found, 27u);  // of 30: segments do not join where they meet
}

TEST(DictionaryTrainer, TakesNothingWhereNothingIsShared) {
  const Documents documents = documents_with({}, 0, 10);
  EXPECT_TRUE(select_segments(views(documents), 64u << 10, kEffort, 2)->empty());
  EXPECT_TRUE(select_segments({}, 64u << 10, kEffort, 1)->empty());
}

TEST(DictionaryTrainer, RepetitionsWithinOneDocumentGainNothing) {
  Documents documents = documents_with({}, 0, 4);
  for (std::size_t at = 5000; at < 20000; at += 5000) {
    std::copy_n(documents[2].begin(), 5000, documents[2].begin() + static_cast<long>(at));
  }
  EXPECT_TRUE(select_segments(views(documents), 64u << 10, kEffort, 2)->empty());
}

TEST(DictionaryTrainer, RefusesWhatIsNoDocument) {
  const std::vector<Byte> large(kMaxBlockBytes + 1);
  const Bytes documents[] = {large};
  const auto content = train_dictionary(documents, 1000);
  ASSERT_FALSE(content.ok());
  EXPECT_EQ(content.error().code, ErrorCode::kInvalidArgument);
  const Bytes fits[] = {Bytes(large).first(kMaxBlockBytes)};
  EXPECT_TRUE(train_dictionary(fits, 1000).ok());
}

TEST(ChosenBlocks, AreEvenlyFarFromEachOther) {
  EXPECT_EQ(choose_evenly(10, 2), (std::vector<std::uint64_t>{2, 7}));
  EXPECT_EQ(choose_evenly(3, 5), (std::vector<std::uint64_t>{0, 1, 2}));
  EXPECT_TRUE(choose_evenly(0, 5).empty());
  const auto of_many = choose_evenly(std::uint64_t{1} << 50, 4096);
  EXPECT_EQ(of_many.size(), 4096u);
  EXPECT_EQ(of_many.back(), (std::uint64_t{1} << 50) - (std::uint64_t{1} << 37));
}

TEST(ChosenBlocks, NumbersWithoutOthersAreAllThatIsLeft) {
  for (std::uint64_t end = 0; end < 40; ++end) {
    for (std::uint64_t count = 0; count <= end; ++count) {
      const auto without = choose_evenly(end, count);
      std::vector<std::uint64_t> all = without;
      for (std::uint64_t i = 0; i + count < end; ++i) all.push_back(number_without(without, i));
      std::inplace_merge(all.begin(), all.begin() + static_cast<long>(count), all.end());
      for (std::uint64_t i = 0; i < end; ++i) ASSERT_EQ(all[i], i);
    }
  }
}

TEST(DictionaryTrainer, PutsWhatMostDocumentsHoldAtTheEnd) {
  const std::vector<Byte> common = test::random_bytes(2048, 1);
  const std::vector<Byte> rarer = test::random_bytes(2048, 2);
  Documents documents = documents_with(common, 9, 12);
  for (unsigned i = 0; i < 4; ++i) {
    std::copy(rarer.begin(), rarer.end(), documents[i].begin() + 15000);
  }
  const auto segments = *select_segments(views(documents), 64u << 10, kEffort, 1);
  const std::vector<Byte> content = assemble_dictionary(views(documents), segments, 64u << 10);
  const auto place = [&](const std::vector<Byte>& of) {
    return std::search(content.begin(), content.end(), of.begin() + 500, of.begin() + 600);
  };
  ASSERT_NE(place(common), content.end());
  ASSERT_NE(place(rarer), content.end());
  EXPECT_LT(place(rarer), place(common));
  for (std::size_t i = 1; i < segments.size(); ++i) {
    EXPECT_GE(segments[i - 1].gain, segments[i].gain);
  }
}

TEST(DictionaryTrainer, GivesTheSameForAnyNumberOfThreads) {
  Documents documents;
  for (unsigned i = 0; i < 20; ++i) documents.push_back(test::log_lines(30000, i));
  const auto one = *select_segments(views(documents), 50000, kEffort, 1);
  const auto four = *select_segments(views(documents), 50000, kEffort, 4);
  EXPECT_FALSE(one.empty());
  EXPECT_EQ(assemble_dictionary(views(documents), one, 50000),
            assemble_dictionary(views(documents), four, 50000));
}

TEST(DictionaryTrainer, KeepsToTheSizeAndToTheDocuments) {
  Documents documents;
  for (unsigned i = 0; i < 20; ++i) documents.push_back(test::log_lines(30000, i));
  for (const std::uint32_t bytes : {100u, 5000u, 50000u}) {
    const auto segments = *select_segments(views(documents), bytes, kEffort, 3);
    std::uint32_t total = 0;
    for (const DictionarySegment& segment : segments) {
      ASSERT_LT(segment.document, documents.size());
      ASSERT_LE(segment.begin + segment.length, documents[segment.document].size());
      ASSERT_GT(segment.gain, 0u);
      total += segment.length;
    }
    EXPECT_LE(total, bytes);
    EXPECT_GE(total, bytes / 2);
    EXPECT_EQ(assemble_dictionary(views(documents), segments, bytes).size(), total);
    EXPECT_LE(assemble_dictionary(views(documents), segments, bytes / 2).size(), bytes / 2);
  }
}

/// At level 3 an even sample, at the others a trained one.
TEST(DictionaryChoice, IsMadeWhereItSavesAndOnlyThere) {
  for (const int level : {3, 6, 10}) {
    CompressOptions options;
    options.level = level;
    options.coding = Coding::kByte;
    options.block_bytes = 16u << 10;
    const std::vector<Byte> log = test::log_lines(2u << 20, 7);
    const auto chosen = choose_dictionary(MemoryRandomAccess(log), log.size(), options);
    ASSERT_TRUE(chosen.ok());
    EXPECT_GE(chosen->content.size(), 32u << 10) << "level " << level;
    const std::vector<Byte> noise = test::random_bytes(2u << 20, 8);
    const auto none = choose_dictionary(MemoryRandomAccess(noise), noise.size(), options);
    ASSERT_TRUE(none.ok());
    EXPECT_TRUE(none->content.empty()) << "level " << level;
  }
}

TEST(DictionaryChoice, IsTheSameForAnyNumberOfThreads) {
  const std::vector<Byte> log = test::log_lines(2u << 20, 9);
  CompressOptions options;
  options.level = 6;
  options.coding = Coding::kByte;
  options.block_bytes = 16u << 10;
  options.threads = 1;
  const auto one = choose_dictionary(MemoryRandomAccess(log), log.size(), options);
  options.threads = 3;
  const auto three = choose_dictionary(MemoryRandomAccess(log), log.size(), options);
  ASSERT_TRUE(one.ok() && three.ok());
  EXPECT_FALSE(one->content.empty());
  EXPECT_EQ(one->content, three->content);
}

/// A file of `size` bytes that repeats `part`.
class Repeating final : public RandomAccess {
 public:
  Repeating(std::vector<Byte> part, std::uint64_t size) : part_(std::move(part)), size_(size) {}
  std::uint64_t size() const override { return size_; }
  Status read_at(std::uint64_t offset, MutableBytes into) const override {
    for (std::size_t i = 0; i < into.size(); ++i) into[i] = part_[(offset + i) % part_.size()];
    return {};
  }

 private:
  std::vector<Byte> part_;
  std::uint64_t size_;
};

std::uint32_t chosen_size(const RandomAccess* file, const CompressOptions& options) {
  const auto choice = choose_block_size(file, options);
  EXPECT_TRUE(choice.ok());
  return choice.ok() ? choice->block_bytes : 0;
}

TEST(BlockSize, IsAsAskedForAndUsualWhereNothingIsKnown) {
  CompressOptions options;
  EXPECT_EQ(chosen_size(nullptr, options), kDefaultBlockBytes);
  const std::vector<Byte> small = test::random_bytes(1u << 20, 1);
  const MemoryRandomAccess file(small);
  EXPECT_EQ(chosen_size(&file, options), kDefaultBlockBytes);
  options.block_bytes = 32u << 10;
  EXPECT_EQ(chosen_size(&file, options), 32u << 10);
}

TEST(BlockSize, IsSmallWhereThatCostsLittleAndLargeWhereThatGainsMuch) {
  CompressOptions options;
  options.level = 4;
  options.coding = Coding::kByte;
  options.threads = 2;
  options.dictionary.mode = DictionaryChoice::Mode::kNone;
  const Repeating noise(test::random_bytes(3u << 20, 2), 20u << 20);
  EXPECT_EQ(chosen_size(&noise, options), 64u << 10);
  const Repeating log(test::log_lines(1u << 20, 3), 20u << 20);
  EXPECT_EQ(chosen_size(&log, options), kDefaultBlockBytes);
  // What is repeated after 100,000 bytes is found once in a block, however large that is.
  const Repeating far(test::random_bytes(100000, 4), 20u << 20);
  EXPECT_EQ(chosen_size(&far, options), 1u << 20);
  // With a dictionary smaller blocks have that, too.
  options.dictionary.mode = DictionaryChoice::Mode::kAuto;
  const auto choice = choose_block_size(&far, options);
  ASSERT_TRUE(choice.ok());
  EXPECT_LE(choice->block_bytes, kDefaultBlockBytes);
  ASSERT_TRUE(choice->dictionary.has_value());
  EXPECT_GE(choice->dictionary->content.size(), 90000u);
}

TEST(BlockSize, ForStorageIsLargestOnlyWhereTextRepeatsFarBackAndSizeIsAskedFor) {
  CompressOptions options;
  options.level = 9;
  options.coding = Coding::kBit;
  options.threads = 2;
  options.dictionary.mode = DictionaryChoice::Mode::kNone;
  const std::vector<Byte> part = test::log_lines(3u << 19, 5);
  const Repeating far(part, 32u << 20);
  EXPECT_EQ(chosen_size(&far, options), 4u << 20);
  const Repeating noise(test::random_bytes(5u << 20, 6), 32u << 20);
  EXPECT_EQ(chosen_size(&noise, options), 1u << 20);
  const Repeating small(part, 31u << 20);
  EXPECT_EQ(chosen_size(&small, options), 1u << 20);
  EXPECT_EQ(chosen_size(nullptr, options), 1u << 20);
  options.level = 6;
  EXPECT_EQ(chosen_size(&far, options), 1u << 20);
}

}  // namespace
}  // namespace presso::dictionary_test
