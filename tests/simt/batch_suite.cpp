// SPDX-License-Identifier: MIT
// Whole batches against the CPU: for every decoder of the backend, with and without checksums, at
// any address of the output, each block's status is the CPU's error code and its bytes, where it is
// sound, the CPU's bytes; nothing around them is touched. Linked by a test program with a backend.
#include <gtest/gtest.h>

#include "presso/checksum.h"
#include "tests/simt/batch_backend.h"
#include "tests/simt/hand_blocks.h"
#include "tests/support/test_data.h"

namespace presso::gpu::test {
namespace {

using presso::test::few_letters;
using presso::test::log_lines;
using presso::test::random_bytes;

constexpr std::uint32_t kFirstTemporaryStatus = 0x80000000u;

/// A batch with the CPU's answers, decoded once.
struct Sample {
  BatchCase batch;
  std::vector<CpuAnswer> answers;

  explicit Sample(BatchCase made) : batch(std::move(made)) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < batch.blocks.size(); ++i) {
      CpuAnswer answer = batch.cpu_answer(i);
      const bool is_faulty = answer.breaks_its_rule || answer.code != ErrorCode::kOk;
      if (batch_backend().reports_races() && is_faulty && has_tile_rule(i)) continue;
      answers.push_back(std::move(answer));
      std::swap(batch.blocks[kept++], batch.blocks[i]);
    }
    batch.blocks.resize(kept);
  }

  bool has_bit_blocks() const {
    return std::any_of(batch.blocks.begin(), batch.blocks.end(), [](const BatchItem& item) {
      const auto header = parse_block_header(item.stored.data());
      return header.ok() && header->coding == Coding::kBit;
    });
  }

 private:
  bool has_tile_rule(std::size_t block) const {
    const auto header = parse_block_header(batch.blocks[block].stored.data());
    return header.ok() && header->rule == DependencyRule::kTile;
  }
};

/// Strategies that believe a block that it obeys its rule.
bool trusts_rules(Strategy strategy) {
  return strategy == Strategy::kAuto || strategy == Strategy::kDependencyFree;
}

/// FORMAT.md 6.3: a block that breaks its rule may be an error, or decode as in sequence.
bool may_be(std::uint32_t status, const CpuAnswer& answer, const BatchOptions& options) {
  const auto is = [&](ErrorCode code) { return status == static_cast<std::uint32_t>(code); };
  if (is(answer.code_with(options.verify))) return true;
  if (!answer.breaks_its_rule || !trusts_rules(options.strategy)) return false;
  return is(ErrorCode::kDependencyRule) || is(ErrorCode::kContentChecksum);
}

void expect_answer(std::uint32_t status, const std::vector<Byte>& plain, const CpuAnswer& answer,
                   const BatchOptions& options) {
  ASSERT_LT(status, kFirstTemporaryStatus);
  ASSERT_TRUE(may_be(status, answer, options))
      << "status " << status << ", the CPU says " << describe(answer.code_with(options.verify));
  const bool sure = options.verify || !answer.breaks_its_rule || !trusts_rules(options.strategy);
  if (status != 0 || !sure) return;
  if (plain == answer.plain) return;
  std::size_t at = 0;
  while (plain[at] == answer.plain[at]) ++at;
  FAIL() << "differs from byte " << at << " of " << plain.size();
}

void expect_like_cpu(const Sample& sample, const BatchRun& run) {
  const BatchLayout layout(sample.batch, run.out_remainder);
  const auto outcome = batch_backend().decode(sample.batch, layout, run);
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  for (std::size_t block = 0; block < layout.spans.size(); ++block) {
    SCOPED_TRACE("block " + std::to_string(block) + " of " +
                 std::to_string(layout.spans[block].plain_bytes) + " bytes");
    expect_answer(outcome->statuses[block], layout.part(outcome->plain, block),
                  sample.answers[block], run.options);
  }
  EXPECT_TRUE(layout.gaps_are_intact(outcome->plain));
  EXPECT_TRUE(outcome->temporary_is_intact);
}

class Batch : public ::testing::TestWithParam<BatchDecoder> {
 protected:
  void SetUp() override {
    const std::string reason = batch_backend().unavailable();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  static bool full() { return batch_backend().scale() > 1; }

  /// All addresses modulo 16 in turn, with checksums and without.
  void expect_decodes(const Sample& sample, bool verify = true) {
    run_.variant = GetParam().variant;
    run_.options = {GetParam().strategy, verify, sample.has_bit_blocks() || run_.seed % 2 == 0};
    // Every other time, the first one included, as the relay decoder needs it.
    run_.out_remainder = run_.seed % 2 == 1 ? run_.seed / 2 % 2 * 8 : 5 * run_.seed % 16;
    ++run_.seed;
    SCOPED_TRACE((verify ? "with" : "without") + std::string(" checksums, output at 16n + ") +
                 std::to_string(run_.out_remainder));
    expect_like_cpu(sample, run_);
  }

  BatchRun run_;
};

CompressOptions options(int level, DependencyRule rule, std::uint32_t group,
                        std::uint32_t dictionary_bytes = 0) {
  CompressOptions with;
  with.coding = Coding::kByte;
  with.level = level;
  with.rule = rule;
  with.group = group;
  with.block_bytes = kMinBlockBytes;
  with.dictionary = {
      dictionary_bytes > 0 ? DictionaryChoice::Mode::kSize : DictionaryChoice::Mode::kNone,
      dictionary_bytes};
  return with;
}

struct RuleAndGroups {
  DependencyRule rule;
  std::vector<std::uint32_t> groups;
};

const std::vector<RuleAndGroups>& rules() {
  static const std::vector<RuleAndGroups> all{{DependencyRule::kNone, {0}},
                                              {DependencyRule::kStrict, {32, 1024}},
                                              {DependencyRule::kLiteralAware, {32, 256}},
                                              {DependencyRule::kTwoWave, {32, 64, 1024}},
                                              {DependencyRule::kTile, {1024, 32768}}};
  return all;
}

/// Every rule and group size, short and long distances, raw blocks between them.
BatchCase rules_batch() {
  BatchCase batch;
  const std::uint32_t size = batch_backend().scale() > 1 ? 100000 : 20000;
  for (const auto& [rule, groups] : rules()) {
    for (const std::uint32_t group : groups) {
      add_both_codings(batch, log_lines(size, group), options(6, rule, group));
      add_both_codings(batch, few_letters(size / 3, 2, group), options(2, rule, group));
    }
    add_compressed(batch, random_bytes(3000, 1), options(6, rule, 0));
  }
  return batch;
}

TEST_P(Batch, OfEveryRuleDecodes) {
  static const Sample sample(rules_batch());
  for (const bool verify : {true, false}) expect_decodes(sample, verify);
}

BatchCase sizes_batch() {
  BatchCase batch;
  for (const std::uint32_t size :
       {1u,    2u,    3u,    31u,   32u,   33u,   63u,   64u,   65u,    255u,   1023u, 1024u,
        1025u, 2047u, 2048u, 2049u, 4095u, 8191u, 8192u, 8193u, 16383u, 16384u, 16385u}) {
    const CompressOptions with = options(6, DependencyRule::kNone, 0);
    for (const std::uint32_t letters : {1u, 2u}) {
      add_both_codings(batch, few_letters(size, letters, size), with);
    }
    add_compressed(batch, random_bytes(size, size), with);
  }
  return batch;
}

TEST_P(Batch, OfSizesAroundTheEdgesDecodes) {
  static const Sample sample(sizes_batch());
  for (int remainder = 0; remainder < (full() ? 16 : 2); ++remainder) expect_decodes(sample);
}

BatchCase large_blocks_batch() {
  BatchCase batch;
  const std::uint32_t sizes[] = {64u << 10, 256u << 10, 1u << 20};
  for (const std::uint32_t block_bytes : sizes) {
    if (block_bytes > sizes[0] && batch_backend().scale() == 1) break;
    for (const auto& [rule, groups] : rules()) {
      CompressOptions with = options(6, rule, groups.back());
      with.block_bytes = block_bytes;
      add_both_codings(batch, log_lines(block_bytes + block_bytes / 3, block_bytes), with);
    }
  }
  return batch;
}

TEST_P(Batch, OfLargeBlocksDecodes) {
  static const Sample sample(large_blocks_batch());
  expect_decodes(sample);
}

/// Files for the decoders that keep the history in shared memory, with short sequences and long
/// ones.
BatchCase favoring_decode_batch() {
  BatchCase batch;
  CompressOptions with = options(6, DependencyRule::kTile, 0);
  with.favor = Favor::kDecode;
  with.block_bytes = 128 << 10;
  const std::uint32_t size = batch_backend().scale() > 1 ? 1u << 20 : 150000;
  add_both_codings(batch, few_letters(size, 20, 1), with);
  add_both_codings(batch, log_lines(size, 2), with);
  std::vector<Byte> repeated = log_lines(20000, 3);
  while (repeated.size() < size) {
    repeated.insert(repeated.end(), repeated.begin(), repeated.begin() + 20000);
    repeated.push_back(Byte{'#'});
  }
  add_both_codings(batch, repeated, with);
  return batch;
}

TEST_P(Batch, OfFilesForFastDecodingDecodes) {
  static const Sample sample(favoring_decode_batch());
  for (const bool verify : {true, false}) expect_decodes(sample, verify);
}

/// Small ones and large ones of the tile rule, again and again.
TEST_P(Batch, OfAnyNumberOfBlocksDecodes) {
  BatchCase sources;
  CompressOptions with = options(6, DependencyRule::kTile, 2048);
  with.block_bytes = 64 << 10;
  for (const std::uint32_t size : {3000u, 9000u, 45000u}) {
    add_both_codings(sources, log_lines(size, size), with);
    add_both_codings(sources, few_letters(size, 12, size), with);
  }
  const std::uint32_t few = batch_backend().few_blocks();
  for (const std::uint32_t count : {1u, 2u, few, few + 1}) {
    BatchCase batch;
    for (std::uint32_t i = 0; i < count; ++i) {
      batch.blocks.push_back(sources.blocks[(i + 4) % sources.blocks.size()]);
    }
    const Sample sample(std::move(batch));
    SCOPED_TRACE(std::to_string(count) + " blocks");
    for (const bool verify : {true, false}) expect_decodes(sample, verify);
  }
}

/// Under the tile rule, made by hand, for the relay decoder.
template <class Builder>
void add_sparse(BatchCase& batch, Builder& builder) {
  presso::test::BlockCase made = builder.finish();
  made.header.rule = DependencyRule::kTile;
  made.header.group_log2 = 11;
  batch.blocks.push_back({stored_block(made.header, made.payload), made.header.plain_bytes});
}

template <class Builder>
void add_sparse_blocks(BatchCase& batch) {
  for (const std::uint32_t pages : {1u, 2u, 3u}) {
    for (const std::uint32_t empty : {1u, 2u, 3u, 5u}) {
      Builder builder({.literal_bits = 4, .far = false, .min_match = 4});
      for (int i = 0; i < 128; ++i) builder.add({4096 * pages / 128, 0, 0});
      for (std::uint32_t i = 0; i < 128 * empty; ++i) builder.add({0, 0, 0});
      for (std::uint32_t i = 0; i < 800; ++i) builder.add({100, 40, 3000 + i});
      add_sparse(batch, builder);
    }
  }
  for (std::uint32_t alignment = 0; alignment < 16; ++alignment) {
    Builder builder({.literal_bits = 4, .far = false, .min_match = 4});
    builder.add({alignment + 1, 0, 0});
    for (std::uint32_t i = 0; i < 10; ++i) builder.add({8000, 30, 2100 + i});
    add_sparse(batch, builder);
  }
}

/// Whole units without a byte where pages of 4 KiB meet; pages of literals alone, of all
/// alignments.
TEST_P(Batch, OfEmptyUnitsAndPagesOfLiteralsDecodes) {
  BatchCase batch;
  add_sparse_blocks<presso::test::PayloadBuilder>(batch);
  add_sparse_blocks<presso::test::BitPayloadBuilder>(batch);
  const Sample sample(std::move(batch));
  for (const CpuAnswer& answer : sample.answers) ASSERT_EQ(answer.code, ErrorCode::kOk);
  expect_decodes(sample, false);  // their checksums are none
}

/// Distances above 65,535, and lengths that take long lengths.
BatchCase far_batch() {
  BatchCase batch;
  std::vector<Byte> plain = random_bytes(70000, 3);
  plain.insert(plain.end(), plain.begin(), plain.begin() + 60000);
  plain.insert(plain.end(), 70000, Byte{'='});
  for (const auto& [rule, groups] : rules()) {
    CompressOptions with = options(6, rule, groups.front());
    with.block_bytes = 1 << 20;
    add_both_codings(batch, plain, with);
    if (batch_backend().scale() == 1) break;
  }
  return batch;
}

TEST_P(Batch, OfFarOffsetsAndRunsDecodes) {
  static const Sample sample(far_batch());
  const auto header = parse_block_header(sample.batch.blocks[0].stored.data());
  ASSERT_GT(header->far_offsets, 0u);
  expect_decodes(sample);
}

BatchCase dictionaries_batch(Coding coding) {
  BatchCase batch;
  for (const std::uint32_t dictionary_bytes : {2048u, 20001u, 65536u}) {
    for (const auto& [rule, groups] : rules()) {
      CompressOptions with = options(6, rule, groups.front(), dictionary_bytes);
      with.coding = coding;
      add_compressed(batch, log_lines(40000, dictionary_bytes), with);
    }
  }
  return batch;
}

TEST_P(Batch, WithDictionariesDecodes) {
  for (const Coding coding : {Coding::kByte, Coding::kBit}) {
    const Sample sample(dictionaries_batch(coding));
    ASSERT_GT(sample.batch.dictionaries.size(), 10u);
    expect_decodes(sample);
  }
}

/// Layouts, minimum matches, escapes and overlaps of all sorts, in payloads made by hand.
TEST_P(Batch, OfPayloadsThatNoEncoderWritesDecodes) {
  const std::uint32_t batches = full() ? 40 : 6;
  for (std::uint32_t number = 0; number < batches; ++number) {
    SCOPED_TRACE("seeds from " + std::to_string(1000 * number));
    BatchCase batch;
    add_made(batch, 1000 * number, full() ? 100 : 40, full() ? 1u << 20 : 9000, true);
    add_made_bit(batch, 1000 * number, full() ? 100 : 40, full() ? 1u << 20 : 9000, true);
    ASSERT_GT(batch.blocks.size(), 10u);
    const Sample sample(std::move(batch));
    for (const CpuAnswer& answer : sample.answers) ASSERT_EQ(answer.code, ErrorCode::kOk);
    expect_decodes(sample, number % 4 != 3);
    if (HasFailure()) return;
  }
}

/// The empty payload of a Byte-coded block, one byte, one sequence.
TEST_P(Batch, OfNextToNothingHasTheCpusAnswers) {
  BatchCase batch;
  for (const std::uint32_t plain_bytes : {1u, 2u, 40u}) {
    for (std::uint32_t payload_bytes = 0; payload_bytes <= std::min(plain_bytes, 5u);
         ++payload_bytes) {
      for (std::uint32_t sequences = 0; 3 * sequences <= payload_bytes; ++sequences) {
        for (std::uint32_t literals = 0; literals + 3 * sequences <= payload_bytes; ++literals) {
          BlockHeader header;
          header.coding = Coding::kByte;
          header.plain_bytes = plain_bytes;
          header.payload_bytes = payload_bytes;
          header.sequences = sequences;
          header.literals = literals;
          const std::vector<Byte> payload(payload_bytes, Byte{1});
          header.content_checksum =
              content_checksum(std::vector<Byte>(std::min(literals, plain_bytes), Byte{1}));
          batch.blocks.push_back({stored_block(header, payload), plain_bytes});
        }
      }
    }
  }
  const Sample sample(std::move(batch));
  expect_decodes(sample);
}

/// Lengths of a whole block, and one more of them than the block has bytes for: their list is full
/// in front of the first error.
TEST_P(Batch, OfBitBlocksWithLongLengthsHasTheCpusAnswers) {
  BatchCase batch;
  for (const std::uint32_t length : {300000u, 70000u, 300u}) {
    presso::test::BitPayloadBuilder builder({.literal_bits = 0, .far = false, .min_match = 3});
    for (int i = 0; i < 100; ++i) {
      builder.add({i % 3 == 0 ? 260u : 1u, 3 + i % 5 * 100u, 1});
      builder.add({1, length, 1});
      if (length > 300) break;
    }
    builder.add_literals(5);
    const presso::test::BlockCase made = builder.finish();
    batch.blocks.push_back({stored_block(made.header, made.payload), made.header.plain_bytes});
    for (const std::uint32_t plain_bytes : {made.header.literals + 1000, 20000u}) {
      BlockHeader less = made.header;
      less.plain_bytes = plain_bytes;
      batch.blocks.push_back({stored_block(less, made.payload), plain_bytes});
    }
  }
  const Sample sample(std::move(batch));
  std::map<ErrorCode, int> seen;
  for (const CpuAnswer& answer : sample.answers) ++seen[answer.code];
  EXPECT_EQ(seen[ErrorCode::kOk], 3);
  EXPECT_EQ(seen[ErrorCode::kBadLength], 6);
  expect_decodes(sample, false);
}

/// Where there should be none there is no room for them.
TEST_P(Batch, WithoutRoomForBitBlocksRefusesThem) {
  BatchCase batch;
  add_both_codings(batch, log_lines(30000, 5), options(6, DependencyRule::kTile, 2048));
  const BatchLayout layout(batch, 0);
  const auto outcome = batch_backend().decode(
      batch, layout, {{GetParam().strategy, true, false}, GetParam().variant, 0, 1});
  ASSERT_TRUE(outcome.ok()) << outcome.error().message();
  int refused = 0;
  for (std::size_t block = 0; block < batch.blocks.size(); ++block) {
    const auto header = parse_block_header(batch.blocks[block].stored.data());
    const bool is_bit = header->coding == Coding::kBit;
    const ErrorCode code = is_bit ? ErrorCode::kInvalidArgument : ErrorCode::kOk;
    EXPECT_EQ(outcome->statuses[block], static_cast<std::uint32_t>(code));
    refused += is_bit;
  }
  EXPECT_EQ(refused, 2);
}

/// Each match reads what the one before it wrote, so that a round executes one: far more of them
/// than there are launches of the variant with a kernel a round.
TEST_P(Batch, OfLongChainsDecodes) {
  BatchCase batch;
  for (const std::uint32_t matches : {100u, 2000u}) {
    presso::test::PayloadBuilder builder({.literal_bits = 4, .far = false, .min_match = 3});
    builder.add({8, 5, 3});
    for (std::uint32_t i = 0; i < matches; ++i) {
      builder.add({i % 7 == 0 ? 1u : 0u, 5 + i % 4, 3 + i % 3});
    }
    const presso::test::BlockCase made = builder.finish();
    batch.blocks.push_back({stored_block(made.header, made.payload), made.header.plain_bytes});
  }
  const Sample sample(std::move(batch));
  for (const CpuAnswer& answer : sample.answers) ASSERT_EQ(answer.code, ErrorCode::kOk);
  expect_decodes(sample, false);  // their checksums are none
}

// --- Damage

/// Sound blocks of every sort, small ones.
BatchCase sources_of_damage() {
  BatchCase batch;
  for (const auto& [rule, groups] : rules()) {
    add_both_codings(batch, log_lines(4000, 1), options(6, rule, groups.front(), 2048));
    add_both_codings(batch, few_letters(1500, 3, 1), options(6, rule, groups.front()));
  }
  add_compressed(batch, random_bytes(1500, 1), options(6, DependencyRule::kNone, 0));
  add_made(batch, 50000, 30, 5000, true);
  add_made_bit(batch, 50000, 30, 5000, true);
  // For the relay decoder.
  for (const std::uint32_t seed : {1u, 2u, 3u, 4u}) {
    const CompressOptions with = options(6, DependencyRule::kTile, 2048);
    add_both_codings(batch, log_lines(9000, seed), with);
    add_both_codings(batch, few_letters(5000, 12, seed), with);
  }
  CompressOptions with = options(6, DependencyRule::kTile, 2048);
  with.block_bytes = 64 << 10;
  add_both_codings(batch, log_lines(45000, 5), with);
  BatchItem of_another_file = batch.blocks[0];
  of_another_file.stored[23] = kMaxDictionaries + 1;  // its dictionary
  seal_header(of_another_file.stored);
  batch.blocks.push_back(std::move(of_another_file));
  if (batch_backend().scale() > 1) {
    const BatchCase large = favoring_decode_batch();
    batch.blocks.insert(batch.blocks.end(), large.blocks.begin(), large.blocks.end());
  }
  return batch;
}

TEST_P(Batch, WithDamageHasTheCpusErrorCodes) {
  static const BatchCase sources = sources_of_damage();
  std::mt19937_64 random(static_cast<std::uint64_t>(GetParam().strategy) + 10 * GetParam().variant);
  std::map<ErrorCode, int> seen;
  const std::uint32_t largest = full() ? kMaxBlockBytes : 45000;
  const std::uint32_t many = std::max(150u, batch_backend().few_blocks() + 1);
  // Where races are reported fewer faulty blocks take part, so more are needed to see every code.
  const int small = batch_backend().reports_races() ? 32 : 16;
  for (int number = 0; number < (full() ? 60 : small); ++number) {
    BatchCase batch{{}, sources.dictionaries};
    const std::uint32_t blocks[] = {150, many, 150, 2};
    for (std::uint32_t block = 0; block < blocks[number % 4]; ++block) {
      const BatchItem& source = sources.blocks[random() % sources.blocks.size()];
      batch.blocks.push_back(block % 10 == 9 ? source : damaged(source, random, largest));
    }
    const Sample sample(std::move(batch));
    if (sample.batch.blocks.empty()) continue;  // where races are reported, all may be left out
    const bool verify = number % 3 != 2;
    for (const CpuAnswer& answer : sample.answers) ++seen[answer.code_with(verify)];
    SCOPED_TRACE("batch " + std::to_string(number));
    expect_decodes(sample, verify);
    if (HasFailure()) return;
  }
  for (const ErrorCode code :
       {ErrorCode::kOk, ErrorCode::kHeaderChecksum, ErrorCode::kBadHeader, ErrorCode::kBadIndex,
        ErrorCode::kUnknownCoding, ErrorCode::kMissingDictionary, ErrorCode::kBadPayloadSize,
        ErrorCode::kBadLength, ErrorCode::kBadOffset, ErrorCode::kBadLiterals,
        ErrorCode::kBadEscapes, ErrorCode::kBadTree, ErrorCode::kBadBits,
        ErrorCode::kContentChecksum}) {
    EXPECT_GT(seen[code], 0) << describe(code);
  }
}

TEST_P(Batch, OfDamagedPayloadsThatNoEncoderWritesHasTheCpusErrorCodes) {
  for (std::uint32_t number = 0; number < (full() ? 40u : 8u); ++number) {
    SCOPED_TRACE("seeds from " + std::to_string(100000 + 1000 * number));
    BatchCase batch;
    add_made(batch, 100000 + 1000 * number, 100, full() ? 1u << 20 : 9000, false);
    add_made_bit(batch, 100000 + 1000 * number, 100, full() ? 1u << 20 : 9000, false);
    const Sample sample(std::move(batch));
    expect_decodes(sample, number % 2 == 0);
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Strategies, Batch, ::testing::ValuesIn(batch_backend().decoders()),
                         [](const auto& test) { return test.param.name; });

}  // namespace
}  // namespace presso::gpu::test
