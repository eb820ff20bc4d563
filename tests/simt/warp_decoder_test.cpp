// SPDX-License-Identifier: MIT
// The warp decoder in the emulator: every strategy against the reference decoder, on blocks of the
// encoder, on sequences made by hand, on damaged payloads; its counters against a recount.
#include "decompress/gpu/warp_decoder.cuh"

#include <gtest/gtest.h>

#include "decompress/gpu/multi_kernel.cuh"
#include "tests/simt/block_case.h"
#include "tests/simt/emulator.h"
#include "tests/support/test_data.h"

namespace presso::test {
namespace {

using gpu::BlockPlan;
using gpu::kFailed;
using gpu::kPlanned;
using gpu::RoundCounters;
using gpu::WarpPolicy;
using simt::u32;

/// What a kernel left behind.
struct Outcome {
  u32 status = 0;
  std::vector<Byte> plain;
  RoundCounters counters{};
};

// --- Launching

using Launch = Outcome (*)(const BlockCase& block, u32 misalignment, u32 seed);

simt::Options options_of(u32 seed) {
  const simt::Order order = seed % 4 == 0   ? simt::Order::kReverse
                            : seed % 4 == 1 ? simt::Order::kForward
                                            : simt::Order::kRandom;
  return {.order = order, .seed = seed};
}

template <class Resolve, class Policy>
Outcome decode_with(const BlockCase& block, u32 misalignment, u32 seed) {
  const DeviceBlock device(block, misalignment);
  Outcome outcome{kPlanned, {}, {}};
  const auto report = simt::run({.shared_bytes = sizeof(gpu::SegmentTable)}, options_of(seed), [&] {
    gpu::warp_decoder_body<Resolve, Policy>(&device.plan(), &outcome.status, 1, &outcome.counters);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  EXPECT_TRUE(device.guarded());
  outcome.plain = device.plain();
  return outcome;
}

/// Lists, then rounds until every reference is done.
template <class Policy>
Outcome decode_by_kernels(const BlockCase& block, u32 misalignment, u32 seed) {
  const DeviceBlock device(block, misalignment);
  Outcome outcome{kPlanned, {}, {}};
  std::vector<simt::u64> references(gpu::references_of(block.header.plain_bytes));
  u32 begin = 77, end = 78;
  const gpu::ReferenceLists lists{references.data(), &begin, &end,
                                  static_cast<u32>(references.size())};
  auto report = simt::run({.shared_bytes = sizeof(gpu::SegmentTable)}, options_of(seed), [&] {
    gpu::list_references_body<Policy>(&device.plan(), &outcome.status, 1, lists);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  for (u32 rounds = end; rounds > 0 && outcome.status == kPlanned; --rounds) {
    report = simt::run({}, options_of(seed + rounds), [&] {
      gpu::resolve_round_body<Policy>(&device.plan(), &outcome.status, 1, lists);
    });
    EXPECT_TRUE(report.ok()) << report.what;
  }
  EXPECT_TRUE(device.guarded());
  outcome.plain = device.plain();
  return outcome;
}

struct Strategy {
  const char* name;
  Launch launch;
  bool trusts_the_rule = false;
};

const Strategy kStrategies[] = {
    {"sequential", decode_with<gpu::Sequential, WarpPolicy<1, 4, 1>>},
    {"sequential, 4 bytes a lane", decode_with<gpu::Sequential, WarpPolicy<4, 1, 4>>},
    {"in turn", decode_with<gpu::InTurn, WarpPolicy<1, 8, 1>>},
    {"in turn, 2 and 8 bytes a lane", decode_with<gpu::InTurn, WarpPolicy<2, 4, 8>>},
    {"in turn, 4 and 16 bytes a lane", decode_with<gpu::InTurn, WarpPolicy<4, 2, 16>>},
    {"multi-round", decode_with<gpu::MultiRound<false>, WarpPolicy<1, 4, 1, true>>},
    {"multi-round, 2 bytes a lane", decode_with<gpu::MultiRound<false>, WarpPolicy<8, 1, 2>>},
    {"multi-round, 16 bytes a lane", decode_with<gpu::MultiRound<false>, WarpPolicy<16, 2, 16>>},
    {"multi-round in teams", decode_with<gpu::MultiRound<true>, WarpPolicy<1, 16, 4, true>>},
    {"dependency-free", decode_with<gpu::DependencyFree, WarpPolicy<1, 4, 1>>, true},
    {"dependency-free, 4 bytes", decode_with<gpu::DependencyFree, WarpPolicy<4, 4, 4>>, true},
    {"a kernel a round", decode_by_kernels<WarpPolicy<1, 4, 1>>},
    {"a kernel a round, 8 bytes a lane", decode_by_kernels<WarpPolicy<4, 2, 8>>},
};

class Strategies : public ::testing::TestWithParam<Strategy> {
 protected:
  void expect_decodes(const BlockCase& block, const std::string& what) {
    const Expected expected = reference_decode(block, true);
    ASSERT_TRUE(expected.status.ok()) << what << ": " << expected.status.error().message();
    const u32 seed = ++launches_;
    const Outcome outcome = GetParam().launch(block, seed % 16, seed);
    EXPECT_EQ(outcome.status, 0u) << what;
    ASSERT_TRUE(outcome.plain == expected.plain) << what;
  }
  void expect_decodes(const std::vector<BlockCase>& blocks, const std::string& what) {
    for (const BlockCase& block : blocks) {
      expect_decodes(block, what);
      if (HasFatalFailure()) return;
    }
  }

  u32 launches_ = 0;
};

INSTANTIATE_TEST_SUITE_P(All, Strategies, ::testing::ValuesIn(kStrategies),
                         [](const auto& parameter) { return std::to_string(parameter.index); });

// --- Blocks of the encoder

CompressOptions options(int level, DependencyRule rule, u32 group) {
  CompressOptions options;
  options.level = level;
  options.block_bytes = 16 << 10;
  options.rule = rule;
  options.group = group;
  options.dictionary = {DictionaryChoice::Mode::kNone};
  return options;
}

constexpr DependencyRule kRules[] = {DependencyRule::kNone, DependencyRule::kStrict,
                                     DependencyRule::kLiteralAware, DependencyRule::kTwoWave};

TEST_P(Strategies, DecodeEveryRuleAndGroupSize) {
  const std::vector<Byte> lines = log_lines(20000, 1);
  const std::vector<Byte> letters = few_letters(9000, 3, 2);
  for (const DependencyRule rule : kRules) {
    for (const u32 group : {32u, 128u, 1024u}) {
      for (const int level : {1, 9}) {
        const std::string what = "rule " + std::to_string(static_cast<int>(rule)) + " group " +
                                 std::to_string(group) + " level " + std::to_string(level);
        expect_decodes(compressed_blocks(lines, options(level, rule, group)), what + " lines");
        expect_decodes(compressed_blocks(letters, options(level, rule, group)), what + " letters");
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(Strategies, DecodeSizesAroundTheEdges) {
  for (const u32 size : {1u, 2u, 31u, 32u, 33u, 63u, 64u, 65u, 1023u, 1024u, 1025u, 2047u, 2048u,
                         2049u, 4095u, 16383u, 16384u, 16385u}) {
    for (const u32 letters : {1u, 2u}) {
      const std::vector<Byte> plain = few_letters(size, letters, size);
      expect_decodes(compressed_blocks(plain, options(6, DependencyRule::kNone, 0)),
                     std::to_string(size) + " bytes of " + std::to_string(letters) + " letters");
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(Strategies, DecodeFarOffsetsAndRuns) {
  std::vector<Byte> plain = random_bytes(70000, 3);
  plain.insert(plain.end(), plain.begin(), plain.begin() + 60000);
  plain.insert(plain.end(), 70000, Byte{'='});
  for (const DependencyRule rule : {DependencyRule::kNone, DependencyRule::kTwoWave}) {
    CompressOptions with = options(6, rule, 0);
    with.block_bytes = 1 << 20;
    const std::vector<BlockCase> blocks = compressed_blocks(plain, with);
    ASSERT_EQ(blocks.size(), 1u);
    EXPECT_GT(blocks[0].header.far_offsets, 0u);
    expect_decodes(blocks, "far");
  }
}

TEST_P(Strategies, DecodeBlocksWithADictionary) {
  const std::vector<Byte> lines = log_lines(60000, 4);
  for (const DependencyRule rule : {DependencyRule::kNone, DependencyRule::kStrict}) {
    CompressOptions with = options(6, rule, 0);
    with.dictionary = {DictionaryChoice::Mode::kSize, 20001};
    const std::vector<BlockCase> blocks = compressed_blocks(lines, with);
    ASSERT_FALSE(blocks.empty());
    EXPECT_NE(blocks[0].header.dictionary_id, 0);
    expect_decodes({blocks[0], blocks.back()}, "dictionary");
  }
}

// --- Sequences by hand

TEST_P(Strategies, DecodeSequencesOfAllSorts) {
  for (u32 seed = 1; seed <= 60; ++seed) {
    const u32 room = seed % 10 == 0 ? 200000 : 30000;
    expect_decodes(random_sequences(seed, 1 + seed * 7 % 300, room), std::to_string(seed));
    if (HasFatalFailure()) return;
  }
}

TEST_P(Strategies, DecodeEmptySequencesOnly) {
  for (const u32 count : {1u, 31u, 32u, 33u, 70u}) {
    PayloadBuilder builder({});
    for (u32 i = 0; i < count; ++i) builder.add({});
    builder.add_literals(3 * count + 5);
    expect_decodes(builder.finish(), std::to_string(count));
  }
}

TEST_P(Strategies, DecodeABlockWithoutSequences) {
  PayloadBuilder builder({});
  builder.add_literals(1000);
  expect_decodes(builder.finish(), "literals");
}

/// A long length in every lane, for literals and matches both: sums pass 16 bits.
TEST_P(Strategies, DecodeAGroupOfLongLengths) {
  PayloadBuilder builder({.literal_bits = 3, .far = true, .min_match = 3});
  for (u32 i = 0; i < 34; ++i) builder.add({300 + 211 * i, 400 + 977 * i, 7 + 100 * i});
  builder.add_literals(9);
  const BlockCase block = builder.finish();
  ASSERT_GT(block.header.plain_bytes, 600000u);
  expect_decodes(block, "long");
}

/// Each match reads what the one before it wrote: as many rounds as there can be.
TEST_P(Strategies, DecodeChains) {
  PayloadBuilder builder({.literal_bits = 4, .far = false, .min_match = 3});
  builder.add({8, 5, 3});
  for (u32 i = 0; i < 100; ++i) builder.add({i % 3 == 0 ? 1u : 0u, 5 + i % 4, 3 + i % 3});
  expect_decodes(builder.finish(), "chain");
}

/// Distances 1 to 16, lengths 3 to 300, at all alignments (catalogue S7.17).
TEST_P(Strategies, DecodeEveryShortDistanceAndLength) {
  PayloadBuilder builder({.literal_bits = 2, .far = false, .min_match = 3});
  builder.add({20, 3, 20});
  for (u32 distance = 1; distance <= 16; ++distance) {
    for (u32 length = 3; length <= 300; length += length < 40 ? 1 : 13) {
      builder.add({(length + distance) % 4, length, distance});
    }
  }
  for (u32 length = 3; length <= 300; ++length) builder.add({0, length, 300 + length % 16});
  expect_decodes(builder.finish(), "distances");
}

TEST(WarpDecoder, LeavesOtherBlocksAlone) {
  const std::vector<BlockCase> blocks =
      compressed_blocks(log_lines(16384, 5), options(6, DependencyRule::kNone, 0));
  ASSERT_EQ(blocks.size(), 1u);
  const DeviceBlock device(blocks[0], 0);
  const std::vector<Byte> before = device.plain();
  for (const u32 found : {0u, 25u, u32{kFailed}}) {
    u32 status = found;
    const auto report = simt::run({.shared_bytes = sizeof(gpu::SegmentTable)}, {}, [&] {
      gpu::warp_decoder_body<gpu::InTurn, WarpPolicy<1, 4, 1>>(&device.plan(), &status, 1);
    });
    EXPECT_TRUE(report.ok()) << report.what;
    EXPECT_EQ(status, found);
    EXPECT_TRUE(device.plain() == before);
  }
}

/// Several warps in a thread block, more warps than blocks.
TEST(WarpDecoder, DecodesABatch) {
  const std::vector<Byte> plain = log_lines(100000, 6);
  const std::vector<BlockCase> blocks =
      compressed_blocks(plain, options(6, DependencyRule::kNone, 0));
  std::vector<DeviceBlock> device;
  std::vector<BlockPlan> plans;
  for (const BlockCase& block : blocks) {
    device.emplace_back(block, 0);
    plans.push_back(device.back().plan());
  }
  std::vector<u32> status(plans.size(), kPlanned);
  const auto count = static_cast<u32>(plans.size());
  const auto report = simt::run({.grid = (count + 3) / 4,
                                 .block_threads = 128,
                                 .shared_bytes = 4 * sizeof(gpu::SegmentTable)},
                                {}, [&] {
                                  gpu::warp_decoder_body<gpu::InTurn, WarpPolicy<1, 4, 1>>(
                                      plans.data(), status.data(), count);
                                });
  EXPECT_TRUE(report.ok()) << report.what;
  EXPECT_EQ(status, std::vector<u32>(plans.size(), 0));
  std::vector<Byte> decoded;
  for (const DeviceBlock& block : device) {
    const std::vector<Byte> part = block.plain();
    decoded.insert(decoded.end(), part.begin(), part.end());
  }
  EXPECT_TRUE(decoded == plain);
}

// --- Damage

/// Few bytes of the payload, or one count of the header with the streams still in the payload.
void damage(BlockCase& block, std::mt19937& random) {
  for (auto wounds = 1 + random() % 3; wounds > 0; --wounds) {
    const Byte extremes[] = {0, 1, 0x7F, 0x80, 0xFE, 0xFF, static_cast<Byte>(random())};
    block.payload[random() % block.payload.size()] = extremes[random() % 7];
  }
  if (random() % 2 != 0) return;
  BlockHeader& header = block.header;
  std::uint32_t* const counts[] = {&header.sequences, &header.literals, &header.far_offsets,
                                   &header.literal_escapes, &header.match_escapes};
  std::uint32_t& from = *counts[random() % 5];
  std::uint32_t& to = *counts[random() % 5];
  const auto step = static_cast<std::uint32_t>(1 + random() % 8);
  switch (random() % 3) {
    case 0:
      from -= std::min(from, step);
      break;
    case 1:
      if (from >= 3 * step) from -= 3 * step, to += step;
      break;
    default:
      header.plain_bytes = static_cast<std::uint32_t>(1 + random() % (2 * header.plain_bytes));
  }
  header.far_offsets = header.layout.far ? std::min(header.far_offsets, header.sequences) : 0;
  header.literal_escapes = std::min(header.literal_escapes, header.sequences);
  header.match_escapes = std::min(header.match_escapes, header.sequences);
}

/// Of the checks of a block header (FORMAT.md 5) those that damage() can violate.
bool header_is_valid(const BlockHeader& header) {
  const std::uint64_t streams = std::uint64_t{3} * header.sequences + header.far_offsets +
                                header.literal_escapes + header.match_escapes + header.literals;
  return streams <= header.payload_bytes && header.payload_bytes <= header.plain_bytes &&
         header.sequences <= header.plain_bytes && header.literals <= header.plain_bytes;
}

TEST_P(Strategies, FailWhereTheReferenceFails) {
  std::vector<BlockCase> samples;
  CompressOptions with = options(6, DependencyRule::kTwoWave, 0);
  with.dictionary = {DictionaryChoice::Mode::kSize, 3000};
  for (const BlockCase& block : compressed_blocks(log_lines(5000, 7), with)) {
    samples.push_back(block);
  }
  for (u32 seed = 100; seed < 108; ++seed) samples.push_back(random_sequences(seed, 50, 3000));
  u32 failed = 0, sound = 0;
  for (u32 round = 0; round < 500; ++round) {
    std::mt19937 random(round);
    BlockCase block = samples[round % samples.size()];
    damage(block, random);
    if (!header_is_valid(block.header) || !view_payload(block.header, block.payload.data()).ok()) {
      continue;
    }
    SCOPED_TRACE(round);
    const Expected expected = reference_decode(block);
    const Outcome outcome = GetParam().launch(block, round % 16, round);
    ++(expected.status.ok() ? sound : failed);
    ASSERT_EQ(outcome.status, expected.status.ok() ? 0 : u32{kFailed});
    const bool obeys = !GetParam().trusts_the_rule || reference_decode(block, true).status.ok();
    if (expected.status.ok() && obeys) {
      ASSERT_TRUE(outcome.plain == expected.plain);
    }
  }
  EXPECT_GT(failed, 100u);
  EXPECT_GT(sound, 50u);
}

/// A block that claims a rule which it does not obey: any bytes, but no access outside.
TEST(DependencyFree, SurvivesALie) {
  for (u32 seed = 200; seed < 230; ++seed) {
    BlockCase block = random_sequences(seed, 100, 20000);
    block.header.rule = DependencyRule::kStrict;
    const Outcome outcome =
        decode_with<gpu::DependencyFree, WarpPolicy<1, 4, 1>>(block, seed % 16, seed);
    EXPECT_EQ(outcome.status, 0u);
  }
}

TEST(MultiKernel, LeavesWhatItsListsCannotHold) {
  const BlockCase block = random_sequences(1, 100, 5000);
  const DeviceBlock device(block, 0);
  std::vector<simt::u64> references(99);
  u32 status = kPlanned, begin = 5, end = 6;
  const gpu::ReferenceLists lists{references.data(), &begin, &end, 99};
  const auto report = simt::run({.shared_bytes = sizeof(gpu::SegmentTable)}, {}, [&] {
    gpu::list_references_body<WarpPolicy<1, 4, 1>>(&device.plan(), &status, 1, lists);
  });
  EXPECT_TRUE(report.ok()) << report.what;
  EXPECT_EQ(status, u32{kPlanned});
  EXPECT_EQ(begin, end);
}

// --- Counters (catalogue S7.20)

/// The sequences of a payload, read one after another.
std::vector<HandSequence> sequences_of(const BlockCase& block) {
  const PayloadView view = *view_payload(block.header, block.payload.data());
  const TokenLayout& layout = block.header.layout;
  u32 far = 0, literal_escape = 0, match_escape = 0, longs = 0;
  const auto extended = [&](u32 value, u32 limit, const Byte* escapes, u32& used) {
    if (value != limit) return value;
    const u32 escape = escapes[used++];
    if (escape < 255) return value + escape;
    return value + 255 + load<std::uint16_t>(view.long_lengths + 2 * std::size_t{longs++});
  };
  std::vector<HandSequence> sequences;
  for (u32 i = 0; i < block.header.sequences; ++i) {
    const u32 token = view.tokens[i];
    HandSequence sequence;
    sequence.distance = load<std::uint16_t>(view.offsets + 2 * std::size_t{i});
    if (layout.far && token >= 0x80) sequence.distance += u32{view.far[far++]} << 16;
    sequence.literals = extended(token & layout.literal_limit(), layout.literal_limit(),
                                 view.literal_escapes, literal_escape);
    sequence.match = extended(token >> layout.literal_bits & layout.match_limit(),
                              layout.match_limit(), view.match_escapes, match_escape);
    sequence.match = sequence.distance == 0 ? 0 : sequence.match + layout.min_match;
    sequences.push_back(sequence);
  }
  return sequences;
}

/// One group by the rule of rounds, matches as (place, length, distance).
void count_group(const std::vector<HandSequence>& group, u32& at, RoundCounters& counters) {
  struct Waiting {
    std::int64_t to, length, distance;
  };
  std::vector<Waiting> waiting;
  for (const HandSequence& sequence : group) {
    at += sequence.literals;
    if (sequence.match > 0) waiting.push_back({at, sequence.match, sequence.distance});
    at += sequence.match;
  }
  ++counters.groups;
  u32 round = 0;
  while (!waiting.empty()) {
    const std::int64_t mark = waiting.front().to;
    std::vector<Waiting> later;
    for (const Waiting& match : waiting) {
      const std::int64_t reads_to = std::min(match.to - match.distance + match.length, match.to);
      if (reads_to <= mark) {
        counters.bytes[round] += static_cast<u32>(match.length);
      } else {
        later.push_back(match);
      }
    }
    waiting = std::move(later);
    ++round;
  }
  if (round > 0) ++counters.rounds[round - 1];
}

RoundCounters recount(const BlockCase& block) {
  const std::vector<HandSequence> sequences = sequences_of(block);
  RoundCounters counters{};
  u32 at = 0;
  for (std::size_t first = 0; first < sequences.size(); first += simt::kWarpSize) {
    const std::size_t last = std::min<std::size_t>(first + simt::kWarpSize, sequences.size());
    count_group({sequences.begin() + static_cast<std::ptrdiff_t>(first),
                 sequences.begin() + static_cast<std::ptrdiff_t>(last)},
                at, counters);
  }
  return counters;
}

void expect_counters(const BlockCase& block, u32 seed) {
  const RoundCounters expected = recount(block);
  for (const Launch launch : {&decode_with<gpu::MultiRound<false>, WarpPolicy<1, 4, 1, true>>,
                              &decode_with<gpu::MultiRound<true>, WarpPolicy<4, 1, 4, true>>}) {
    const Outcome outcome = launch(block, seed % 16, seed);
    EXPECT_EQ(outcome.status, 0u);
    EXPECT_EQ(outcome.counters.groups, expected.groups);
    for (u32 i = 0; i < RoundCounters::kMaxRounds; ++i) {
      EXPECT_EQ(outcome.counters.rounds[i], expected.rounds[i]) << "round " << i + 1;
      EXPECT_EQ(outcome.counters.bytes[i], expected.bytes[i]) << "round " << i + 1;
    }
  }
}

TEST(RoundCounters, EqualARecountOfTheSameStream) {
  for (const BlockCase& block :
       compressed_blocks(log_lines(40000, 8), options(9, DependencyRule::kNone, 0))) {
    expect_counters(block, 1);
  }
  for (u32 seed = 300; seed < 320; ++seed) {
    expect_counters(random_sequences(seed, 200, 30000), seed);
  }
}

/// Matches that read their predecessor's bytes: a round for each of them.
TEST(RoundCounters, CountThirtyTwoRoundsOfAChain) {
  PayloadBuilder builder({});
  builder.add({8, 8, 8});
  for (u32 i = 1; i < 64; ++i) builder.add({1, 7, 8});
  const BlockCase block = builder.finish();
  expect_counters(block, 2);
  const RoundCounters expected = recount(block);
  EXPECT_EQ(expected.groups, 2u);
  EXPECT_EQ(expected.rounds[31], 2u);
}

}  // namespace
}  // namespace presso::test
