// SPDX-License-Identifier: MIT
// Whatever goes in comes out: every decoder of this machine, the reference decoder included, over
// levels, block sizes, dependency rules and inputs whose sizes straddle the edges.
#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include "presso/compress.h"
#include "presso/decompress.h"

namespace presso::round_trip_test {
namespace {

std::vector<Byte> random_words(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<std::string> words;
  for (int i = 0; i < 200; ++i) {
    std::string word(1 + random() % 12, ' ');
    for (char& letter : word) letter = static_cast<char>('a' + random() % 26);
    words.push_back(word);
  }
  std::vector<Byte> text;
  while (text.size() < size) {
    const std::string& word = words[std::min(random() % words.size(), random() % words.size())];
    text.insert(text.end(), word.begin(), word.end());
    text.push_back(random() % 9 == 0 ? '\n' : ' ');
  }
  text.resize(size);
  return text;
}

std::vector<Byte> random_bytes(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Byte> bytes(size);
  for (Byte& byte : bytes) byte = static_cast<Byte>(random());
  return bytes;
}

std::vector<Byte> runs(std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<Byte> bytes;
  while (bytes.size() < size) {
    const std::size_t period = 1 + random() % 40;
    const std::size_t length = random() % 5 == 0 ? 200000 : 1 + random() % 500;
    const std::vector<Byte> pattern = random_bytes(period, static_cast<unsigned>(random()));
    for (std::size_t i = 0; i < length; ++i) bytes.push_back(pattern[i % period]);
  }
  bytes.resize(size);
  return bytes;
}

/// Decodes every block by the reference decoder, which also checks the dependency rule.
void expect_reference_agrees(const std::vector<Byte>& compressed, const std::vector<Byte>& plain) {
  MemorySource source(compressed);
  BlockStream stream(source, {});
  std::size_t done = 0;
  for (;;) {
    auto item = stream.next();
    ASSERT_TRUE(item.ok()) << item.error().message();
    if (!*item) break;
    const StoredBlock& block = (*item)->block;
    std::vector<Byte> out(block.header.plain_bytes);
    const Status status = reference_decode_block(block.header, block.payload.data(),
                                                 (*item)->dictionary.get(), true, out.data());
    ASSERT_TRUE(status.ok()) << "block " << block.number << ": " << status.error().message();
    ASSERT_LE(done + out.size(), plain.size());
    ASSERT_TRUE(std::equal(out.begin(), out.end(), plain.begin() + done));
    done += out.size();
  }
  EXPECT_EQ(done, plain.size());
}

void expect_round_trip(const std::vector<Byte>& plain, const CompressOptions& options) {
  const auto compressed = compress_buffer(plain, options);
  ASSERT_TRUE(compressed.ok()) << compressed.error().message();
  for (const CpuLevel level : supported_cpu_levels()) {
    DecompressOptions decode;
    decode.decode.level = level;
    decode.threads = 2;
    const auto decoded = decompress_buffer(*compressed, decode);
    ASSERT_TRUE(decoded.ok()) << name(level) << ": " << decoded.error().message();
    ASSERT_TRUE(*decoded == plain) << name(level);
  }
  expect_reference_agrees(*compressed, plain);
}

using Parameters = std::tuple<int, std::uint32_t, DependencyRule, Coding>;

class RoundTrip : public ::testing::TestWithParam<Parameters> {
 protected:
  CompressOptions options() const {
    CompressOptions options;
    options.level = std::get<0>(GetParam());
    options.block_bytes = std::get<1>(GetParam());
    options.rule = std::get<2>(GetParam());
    options.coding = std::get<3>(GetParam());
    options.threads = 2;
    return options;
  }
};

TEST_P(RoundTrip, KeepsWords) {
  expect_round_trip(random_words(400000, 1), options());
}
TEST_P(RoundTrip, KeepsRandomBytes) {
  expect_round_trip(random_bytes(300000, 2), options());
}
TEST_P(RoundTrip, KeepsRunsOfEveryPeriod) {
  expect_round_trip(runs(500000, 3), options());
}

TEST_P(RoundTrip, KeepsSizesAroundTheEdges) {
  const std::uint32_t block = options().block_bytes;
  for (const std::size_t size : {0u, 1u, 2u, 7u, 8u, 12u, 13u, 31u, 32u, 33u, 100u, block - 1,
                                 block, block + 1, 2 * block, 2 * block + 13}) {
    expect_round_trip(random_words(size, 4), options());
  }
}

TEST_P(RoundTrip, KeepsWordsWithADictionary) {
  CompressOptions with = options();
  with.dictionary = {DictionaryChoice::Mode::kSize, 100000};
  expect_round_trip(random_words(400000, 5), with);
}

INSTANTIATE_TEST_SUITE_P(
    All, RoundTrip,
    ::testing::Combine(::testing::Values(1, 2, 3, 6, 9), ::testing::Values(16u << 10, 256u << 10),
                       ::testing::Values(DependencyRule::kNone, DependencyRule::kStrict,
                                         DependencyRule::kLiteralAware, DependencyRule::kTwoWave,
                                         DependencyRule::kTile),
                       ::testing::Values(Coding::kByte, Coding::kBit)));

/// The fast search takes long steps through the noise; the last one ends after the block.
TEST(RoundTrip, KeepsRepetitionsThatEndInNoise) {
  CompressOptions options;
  options.level = 1;
  options.rule = DependencyRule::kStrict;
  for (unsigned seed = 0; seed < 40; ++seed) {
    const std::vector<Byte> page = random_bytes(8192, seed);
    std::vector<Byte> plain;
    for (int i = 0; i < 6; ++i) plain.insert(plain.end(), page.begin(), page.end());
    const std::vector<Byte> noise = random_bytes(40000 + 13 * seed, seed + 100);
    plain.insert(plain.end(), noise.begin(), noise.end());
    expect_round_trip(plain, options);
  }
}

TEST(RoundTrip, KeepsWordsInTilesOfEverySize) {
  const std::vector<Byte> plain = random_words(300000, 8);
  CompressOptions options;
  options.rule = DependencyRule::kTile;
  for (options.group = 1024; options.group <= 32768; options.group *= 2) {
    expect_round_trip(plain, options);
  }
}

TEST(RoundTrip, KeepsEverythingAtTheLevelsThatCountBits) {
  CompressOptions options;
  options.coding = Coding::kBit;
  options.block_bytes = 64 << 10;
  for (options.level = 10; options.level <= kMaxLevel; ++options.level) {
    for (const DependencyRule rule : {DependencyRule::kNone, DependencyRule::kStrict,
                                      DependencyRule::kTwoWave, DependencyRule::kTile}) {
      options.rule = rule;
      options.dictionary = {DictionaryChoice::Mode::kNone, 0};
      expect_round_trip(random_words(200000, 9), options);
      expect_round_trip(runs(300000, 10), options);
      options.dictionary = {DictionaryChoice::Mode::kSize, 50000};
      expect_round_trip(random_words(200000, 11), options);
    }
  }
}

TEST(RoundTrip, KeepsEverythingInSubBlocksOfEverySize) {
  CompressOptions options;
  options.coding = Coding::kBit;
  for (options.sub_block_sequences = 4; options.sub_block_sequences <= 256;
       options.sub_block_sequences *= 2) {
    for (const std::size_t size : {0, 1, 2, 40, 1000, 100000}) {
      expect_round_trip(random_words(size, 14), options);
    }
    expect_round_trip(runs(200000, 15), options);
    expect_round_trip(random_bytes(30000, 16), options);
  }
  options.sub_block_sequences = 24;
  EXPECT_FALSE(validate(options).ok());
}

BlockHeader only_block(const std::vector<Byte>& plain, const CompressOptions& options) {
  const auto compressed = compress_buffer(plain, options);
  EXPECT_TRUE(compressed.ok());
  MemorySource source(*compressed);
  BlockStream stream(source, {});
  const auto item = stream.next();
  EXPECT_TRUE(item.ok() && *item);
  return (*item)->block.header;
}

TEST(RoundTrip, BlocksAreCodedAsIsSmallest) {
  CompressOptions options;
  options.coding = Coding::kBit;
  const std::vector<Byte> words = random_words(50000, 17);
  const std::vector<Byte> few(words.begin(), words.begin() + 30);
  std::vector<Byte> twice = few;
  twice.insert(twice.end(), few.begin(), few.end());
  for (const auto& [plain, coding] : {std::pair{words, Coding::kBit},
                                      {twice, Coding::kByte},
                                      {random_bytes(5000, 18), Coding::kRaw}}) {
    EXPECT_EQ(only_block(plain, options).coding, coding);
    expect_round_trip(plain, options);
  }
}

TEST(RoundTrip, BlocksAreBitCodedWhereThatSavesEnough) {
  const std::vector<Byte> words = random_words(50000, 17);
  CompressOptions options;
  options.coding = Coding::kBit;
  const std::uint64_t bit = only_block(words, options).payload_bytes;
  options.bit_gain_percent = 99;  // the sequences are still those chosen for the Bit coding
  const std::uint64_t byte = only_block(words, options).payload_bytes;
  const auto saved = static_cast<std::uint32_t>(100 - (100 * bit + byte - 1) / byte);
  ASSERT_GT(saved, 3u);
  for (options.bit_gain_percent = 0; options.bit_gain_percent <= 99;
       options.bit_gain_percent += saved) {
    const BlockHeader header = only_block(words, options);
    EXPECT_EQ(header.coding, options.bit_gain_percent <= saved ? Coding::kBit : Coding::kByte);
    EXPECT_EQ(header.payload_bytes, options.bit_gain_percent <= saved ? bit : byte);
    expect_round_trip(words, options);
  }
  options.bit_gain_percent = saved + 1;
  EXPECT_EQ(only_block(words, options).coding, Coding::kByte);
  options.bit_gain_percent = 100;
  EXPECT_FALSE(validate(options).ok());
  options.bit_gain_percent = 99;  // what the Byte coding does not make smaller is raw
  EXPECT_EQ(only_block(random_bytes(5000, 18), options).coding, Coding::kRaw);
}

TEST(RoundTrip, KeepsBlocksLargerThanTheWindowOfMatchesHeld) {
  CompressOptions options;
  options.coding = Coding::kBit;
  options.level = 10;
  options.block_bytes = 1 << 20;
  expect_round_trip(random_words(1100000, 12), options);
  expect_round_trip(runs(1100000, 13), options);
}

TEST(RoundTrip, GroupSizesAreThoseOfTheRule) {
  CompressOptions options;
  for (options.group = 1; options.group < 1u << 20; options.group *= 2) {
    options.rule = DependencyRule::kTile;
    EXPECT_EQ(validate(options).ok(), options.group >= 1024 && options.group <= 32768);
    options.rule = DependencyRule::kTwoWave;
    EXPECT_EQ(validate(options).ok(), options.group >= 32 && options.group <= 1024);
    options.rule.reset();
    EXPECT_EQ(validate(options).ok(), options.group >= 32 && options.group <= 1024);
  }
  options.rule = DependencyRule::kTile;
  options.group = 3000;
  EXPECT_FALSE(validate(options).ok());
}

TEST(RoundTrip, OptionsOutsideTheirLimitsAreRefused) {
  CompressOptions good;
  good.staleness = kMaxBlockBytes;
  good.threads = kMaxThreads;
  good.rule = DependencyRule::kTile;
  EXPECT_TRUE(validate(good).ok());
  CompressOptions bad = good;
  bad.staleness = kMaxBlockBytes + 1;
  EXPECT_FALSE(validate(bad).ok());
  bad = good;
  bad.threads = kMaxThreads + 1;
  EXPECT_FALSE(validate(bad).ok());
  bad = good;
  bad.rule = static_cast<DependencyRule>(5);
  EXPECT_FALSE(validate(bad).ok());
  bad = good;
  bad.favor = static_cast<Favor>(3);
  EXPECT_FALSE(validate(bad).ok());
}

TEST(RoundTrip, SubBlocksLargerThanTheHeaderCanSayAreNotMade) {
  CompressOptions options;
  options.coding = Coding::kBit;
  options.level = 1;
  options.sub_block_sequences = 256;
  options.block_bytes = kMaxBlockBytes;
  options.dictionary.mode = DictionaryChoice::Mode::kNone;
  std::vector<Byte> letters = random_bytes(kMaxBlockBytes, 23);
  for (Byte& letter : letters) letter &= 63;
  EXPECT_NE(only_block(letters, options).coding, Coding::kBit);  // 2^22 literals, 2^24 bits
  expect_round_trip(letters, options);
  letters.resize(kMaxBlockBytes - 1);  // a literal fewer, but as many bits
  expect_round_trip(letters, options);
  for (Byte& letter : letters) letter &= 1;  // few enough bits
  EXPECT_EQ(only_block(letters, options).coding, Coding::kBit);
  expect_round_trip(letters, options);
}

/// Has ended for now, each time that it has given all of a part.
class GrowingSource final : public ByteSource {
 public:
  explicit GrowingSource(std::vector<Bytes> parts) : parts_(std::move(parts)) {}

  Result<std::size_t> read(MutableBytes into) override {
    if (next_ == parts_.size()) return std::size_t{0};
    const std::size_t got = *MemorySource(parts_[next_]).read(into);
    parts_[next_] = parts_[next_].subspan(got);
    next_ += got == 0 ? 1 : 0;
    return got;
  }

 private:
  std::vector<Bytes> parts_;
  std::size_t next_ = 0;
};

TEST(RoundTrip, WhatIsAppendedBehindTheEndIsLeftOut) {
  const std::vector<Byte> plain = random_words(100000, 24);
  for (const bool ahead : {false, true}) {  // read ahead for the dictionary
    for (const std::size_t size : {0u, 100u, 16384u, 40000u}) {
      CompressOptions options;
      options.block_bytes = 16384;
      if (!ahead) options.dictionary.mode = DictionaryChoice::Mode::kNone;
      const Bytes first = Bytes(plain).first(size);
      GrowingSource source({first, first, plain});
      std::vector<Byte> compressed;
      VectorSink sink(compressed);
      ASSERT_TRUE(compress_stream(source, sink, options).ok());
      const auto decoded = decompress_buffer(compressed);
      ASSERT_TRUE(decoded.ok()) << decoded.error().message();
      EXPECT_TRUE(std::equal(decoded->begin(), decoded->end(), first.begin(), first.end()));
    }
  }
}

TEST(RoundTrip, ConcatenatedFilesDecodeToTheConcatenation) {
  const std::vector<Byte> first = random_words(100000, 7);
  const std::vector<Byte> second = random_words(50001, 8);
  CompressOptions options;
  options.block_bytes = 16 << 10;
  auto both = compress_buffer(first, options);
  options.block_bytes = 32 << 10;
  const auto more = compress_buffer(second, options);
  ASSERT_TRUE(both.ok() && more.ok());
  both->insert(both->end(), more->begin(), more->end());
  std::vector<Byte> plain = first;
  plain.insert(plain.end(), second.begin(), second.end());

  const auto decoded = decompress_buffer(*both);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message();
  EXPECT_TRUE(*decoded == plain);

  const MemoryRandomAccess file(*both);
  const auto opened = CompressedFile::open(file);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  EXPECT_FALSE(opened->index().rebuilt());
  EXPECT_EQ(opened->plain_bytes(), plain.size());
  std::vector<Byte> part(30000);
  ASSERT_TRUE(opened->read(85000, part).ok());
  EXPECT_TRUE(std::equal(part.begin(), part.end(), plain.begin() + 85000));
}

/// Blocks of pieces that others share, but which hardly repeat within one.
std::vector<Byte> shared_pieces(std::size_t size, unsigned seed) {
  constexpr std::size_t kPiece = 200;
  std::mt19937 random(seed);
  const std::vector<Byte> pool = random_bytes(600 * kPiece, seed);
  std::vector<Byte> bytes;
  while (bytes.size() < size) {
    const auto piece = pool.begin() + static_cast<long>(random() % 600 * kPiece);
    bytes.insert(bytes.end(), piece, piece + kPiece);
  }
  bytes.resize(size);
  return bytes;
}

std::vector<Byte> compress_with_sample(const std::vector<Byte>& plain, Bytes sample,
                                       CompressOptions options, CompressSummary& summary) {
  const MemoryRandomAccess sampled(sample);
  options.sample = &sampled;
  options.block_bytes = 16u << 10;
  MemorySource source(plain);
  std::vector<Byte> compressed;
  VectorSink sink(compressed);
  const auto done = compress_stream(source, sink, options);
  EXPECT_TRUE(done.ok());
  summary = *done;
  return compressed;
}

TEST(RoundTrip, DictionaryIsRenewedWhereWhatRepeatsChanges) {
  constexpr std::size_t kPart = 3u << 20;
  std::vector<Byte> plain = shared_pieces(kPart, 21);
  const Bytes sample(plain.data(), kPart);
  CompressOptions options;
  options.level = 6;
  options.coding = Coding::kByte;
  options.dictionary.renew_bytes = 1u << 20;
  CompressSummary summary;
  const auto same = compress_with_sample(plain, sample, options, summary);
  const std::uint64_t one_dictionary = summary.dictionary_bytes;
  EXPECT_GT(one_dictionary, 0u);
  options.dictionary.renew_bytes = 0;
  EXPECT_TRUE(compress_with_sample(plain, sample, options, summary) == same);

  const std::vector<Byte> first = plain;
  const std::vector<Byte> other = shared_pieces(kPart, 22);
  plain.insert(plain.end(), other.begin(), other.end());
  const auto without = compress_with_sample(plain, first, options, summary);
  EXPECT_EQ(summary.dictionary_bytes, one_dictionary);
  options.dictionary.renew_bytes = 1u << 20;
  options.threads = 1;
  const auto renewed = compress_with_sample(plain, first, options, summary);
  EXPECT_GT(summary.dictionary_bytes, one_dictionary);
  EXPECT_EQ(summary.plain_bytes, plain.size());
  EXPECT_EQ(summary.compressed_bytes, renewed.size());
  EXPECT_EQ(summary.blocks, plain.size() >> 14);
  EXPECT_LT(renewed.size(), without.size() * 2 / 3);
  options.threads = 3;
  EXPECT_TRUE(compress_with_sample(plain, first, options, summary) == renewed);
  const auto decoded = decompress_buffer(renewed);
  ASSERT_TRUE(decoded.ok()) << decoded.error().message();
  EXPECT_TRUE(*decoded == plain);
  expect_reference_agrees(renewed, plain);
}

TEST(RoundTrip, DictionaryThatIsGivenIsStoredOrNamed) {
  const std::vector<Byte> plain = random_words(100000, 11);
  const std::vector<Byte> words = random_words(30000, 11);
  CompressOptions options;
  options.block_bytes = 16u << 10;
  options.dictionary.mode = DictionaryChoice::Mode::kGiven;
  options.dictionary.content = std::make_shared<const std::vector<Byte>>(words);
  const auto stored = compress_buffer(plain, options);
  options.dictionary.by_name = true;
  const auto named = compress_buffer(plain, options);
  ASSERT_TRUE(stored.ok() && named.ok());
  EXPECT_LT(named->size() + 1000, stored->size());
  const auto decoded = decompress_buffer(*stored);
  ASSERT_TRUE(decoded.ok());
  EXPECT_TRUE(*decoded == plain);

  const auto missing = decompress_buffer(*named);
  ASSERT_FALSE(missing.ok());
  EXPECT_EQ(missing.error().code, ErrorCode::kMissingDictionary);
  std::vector<Byte> wrong = words;
  ++wrong[0];
  std::vector<std::shared_ptr<const Dictionary>> known{Dictionary::from_plain(wrong)};
  DecompressOptions with;
  with.decode.dictionaries = known;
  EXPECT_EQ(decompress_buffer(*named, with).error().code, ErrorCode::kMissingDictionary);
  known.push_back(Dictionary::from_plain(words));
  with.decode.dictionaries = known;
  const auto found = decompress_buffer(*named, with);
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_TRUE(*found == plain);

  const MemoryRandomAccess file(*named);
  EXPECT_EQ(CompressedFile::open(file).error().code, ErrorCode::kMissingDictionary);
  const auto opened = CompressedFile::open(file, with.decode);
  ASSERT_TRUE(opened.ok()) << opened.error().message();
  std::vector<Byte> part(40000);
  ASSERT_TRUE(opened->read(33333, part).ok());
  EXPECT_TRUE(std::equal(part.begin(), part.end(), plain.begin() + 33333));
}

TEST(RoundTrip, DictionariesThatCannotBeAreRefused) {
  CompressOptions options;
  options.dictionary.by_name = true;
  EXPECT_EQ(validate(options).error().code, ErrorCode::kInvalidArgument);
  options.dictionary.mode = DictionaryChoice::Mode::kGiven;
  EXPECT_EQ(validate(options).error().code, ErrorCode::kInvalidArgument);
  options.dictionary.content = std::make_shared<const std::vector<Byte>>();
  EXPECT_EQ(validate(options).error().code, ErrorCode::kInvalidArgument);
  options.dictionary.content =
      std::make_shared<const std::vector<Byte>>(std::size_t{kMaxDictionaryBytes} + 1);
  EXPECT_EQ(validate(options).error().code, ErrorCode::kInvalidArgument);
}

TEST(RoundTrip, IncompressibleInputGrowsByAtMostOnePerMille) {
  const std::vector<Byte> plain = random_bytes(2000000, 9);
  for (const Coding coding : {Coding::kByte, Coding::kBit}) {
    for (const std::uint32_t block : {64u << 10, 256u << 10}) {  // 52 bytes a block
      CompressOptions options;
      options.coding = coding;
      options.block_bytes = block;
      const auto compressed = compress_buffer(plain, options);
      ASSERT_TRUE(compressed.ok());
      EXPECT_LE(compressed->size(), plain.size() + plain.size() / 1000 + 4096);
    }
  }
}

TEST(CompressedFile, ReadsRangesAndOpensWithoutItsIndex) {
  const std::vector<Byte> plain = random_words(500000, 10);
  CompressOptions options;
  options.block_bytes = 16 << 10;
  options.dictionary = {DictionaryChoice::Mode::kSize, 65536};
  auto compressed = compress_buffer(plain, options);
  ASSERT_TRUE(compressed.ok());
  for (const bool cut : {false, true}) {
    if (cut) compressed->resize(compressed->size() - 40);  // the trailer and the index's end
    const MemoryRandomAccess file(*compressed);
    const auto opened = CompressedFile::open(file);
    ASSERT_TRUE(opened.ok()) << opened.error().message();
    EXPECT_EQ(opened->index().rebuilt(), cut);
    ASSERT_EQ(opened->plain_bytes(), plain.size());
    for (const auto& [offset, size] : {std::pair{0, 1}, {16383, 2}, {100000, 70000}, {499999, 1}}) {
      std::vector<Byte> part(size);
      ASSERT_TRUE(opened->read(offset, part).ok());
      EXPECT_TRUE(std::equal(part.begin(), part.end(), plain.begin() + offset));
    }
    std::vector<Byte> beyond(2);
    EXPECT_EQ(opened->read(499999, beyond).error().code, ErrorCode::kInvalidArgument);
  }
}

}  // namespace
}  // namespace presso::round_trip_test
