// SPDX-License-Identifier: MIT
// Survey and relay decoder in the emulator: what the encoder wrote comes back, and equals its
// checksum, with a small and a large history, on inputs that straddle tiles, pages, rings and
// units.
#include "decompress/gpu/relay/relay_decoder.cuh"

#include "decompress/gpu/bit/bit_unpack.cuh"
#include "decompress/gpu/plan/policies.h"
#include "decompress/gpu/relay/survey.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "compress/encode/block_encoder.h"
#include "decompress/gpu/simt/emulator/emulator.h"
#include "presso/wire.h"
#include "tests/simt/hand_blocks.h"
#include "tests/support/corpora.h"
#include "tests/support/test_data.h"

namespace presso::gpu::relay_decoder_test {
namespace {

struct Small : FewBlocks {
  using Relay = RelayPolicy<9, 1600, 3, 3>;
  static constexpr u32 kSurveyWarps = 3;
};

struct Many : ManyBlocks {
  static Organisation choose(u32, u32) { return Organisation::kRelay; }
};

BlockPlan plan_of(const BlockHeader& header, const Byte* payload, Byte* out) {
  BlockPlan plan{};
  plan.payload = payload;
  plan.out = out;
  fill_plan(header, plan);
  const bool whole = header.coding != Coding::kByte || find_long_lengths(header, plan);
  EXPECT_TRUE(whole);
  return plan;
}

/// A compressed file without sections in front of its blocks, where kernels want it: aligned.
class LoadedFile {
 public:
  LoadedFile(const Buffer& file, std::size_t plain_bytes)
      : out_(plain_bytes, 0xA5), memory_(file.size() + kFrameAlignment) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    Byte* const base = memory_.data() + round_up(address, kFrameAlignment) - address;
    std::memcpy(base, file.data(), file.size());
    std::size_t at = 0;
    for (std::size_t plain_at = 0; plain_at < plain_bytes;) {
      const auto header = parse_block_header(base + at);
      EXPECT_TRUE(header.ok());
      if (!header.ok()) return;
      plans_.push_back(plan_of(*header, base + at + kBlockHeaderBytes, out_.data() + plain_at));
      at += header->stored_bytes();
      plain_at += header->plain_bytes;
    }
    statuses_.assign(plans_.size(), kPlanned);
  }

  template <class Tuning, Unpacking kWhich>
  void unpack(const simt::Options& options) {
    const simt::Report report =
        simt::run({.grid = static_cast<u32>(plans_.size()),
                   .block_threads = Unpacker<Tuning, kWhich>::kThreads,
                   .shared_bytes = sizeof(typename Unpacker<Tuning, kWhich>::Shared)},
                  options, [&] { unpack_body<Tuning, kWhich>(plans_.data(), statuses_.data()); });
    ASSERT_TRUE(report.ok()) << report.what;
  }

  template <class Tuning>
  void decode(std::uint32_t seed) {
    simt::Options options;
    options.seed = seed;
    const u32 blocks = static_cast<u32>(plans_.size());
    std::vector<std::vector<UnitRecord>> surveys;  // for their alignment
    std::vector<std::vector<WideSequence>> unpacked;
    std::vector<std::vector<u64>> hashes;
    for (BlockPlan& plan : plans_) {
      unpacked.emplace_back(unpacked_bytes_of(plan.plain_bytes) / sizeof(WideSequence));
      plan.unpacked = reinterpret_cast<Byte*>(unpacked.back().data());
      surveys.emplace_back(survey_cells_of(plan.plain_bytes) / 2);
      plan.survey = reinterpret_cast<Byte*>(surveys.back().data());
      hashes.emplace_back(segments_of(plan.plain_bytes));
      plan.segment_hashes = hashes.back().data();
    }
    if constexpr (Tuning::kTellsLanesApart) unpack<Tuning, Unpacking::kFewLanes>(options);
    unpack<Tuning, Unpacking::kManyLanes>(options);
    const simt::Report survey =
        simt::run({.grid = blocks,
                   .block_threads = Tuning::kSurveyWarps * kWarp,
                   .shared_bytes = sizeof(typename Survey<Tuning>::Shared)},
                  options, [&] { survey_body<Tuning>(plans_.data(), statuses_.data()); });
    ASSERT_TRUE(survey.ok()) << survey.what;
    const simt::Report relay = simt::run(
        {.grid = blocks,
         .block_threads = Tuning::Relay::kThreads,
         .shared_bytes = sizeof(RelayShared<typename Tuning::Relay>)},
        options,
        [&] { relay_decoder_body<typename Tuning::Relay>(plans_.data(), statuses_.data()); });
    ASSERT_TRUE(relay.ok()) << relay.what;
  }

  /// Raw blocks and those of other rules are left alone; all others must be right.
  void expect_plain(Bytes plain) const {
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (plans_[i].coding == static_cast<Byte>(Coding::kRaw) ||
          plans_[i].rule != static_cast<Byte>(DependencyRule::kTile)) {
        EXPECT_EQ(statuses_[i], kPlanned) << i;
        continue;
      }
      EXPECT_EQ(statuses_[i], 0u) << i;
      const auto at = static_cast<std::size_t>(plans_[i].out - out_.data());
      EXPECT_EQ(0, std::memcmp(plans_[i].out, plain.data() + at, plans_[i].plain_bytes)) << i;
    }
  }

 private:
  std::vector<Byte> out_;
  std::vector<Byte> memory_;
  std::vector<BlockPlan> plans_;
  std::vector<u32> statuses_;
};

template <class Tuning>
void expect_round_trip(Bytes plain, ParserParameters parameters, std::uint32_t block_bytes) {
  parameters.window = std::min(parameters.window, Tuning::Relay::kMostDistance);
  BlockEncoder encoder({parameters});
  Buffer file;
  for (std::size_t at = 0; at < plain.size(); at += block_bytes) {
    const std::size_t bytes = std::min<std::size_t>(block_bytes, plain.size() - at);
    encoder.encode(plain.subspan(at, bytes), static_cast<std::uint32_t>(at / block_bytes),
                   FrameKind::kBlock, {}, file);
  }
  LoadedFile loaded(file, plain.size());
  loaded.decode<Tuning>(1);
  loaded.expect_plain(plain);
}

void expect_round_trips(Bytes plain, ParserParameters parameters,
                        std::uint32_t block_bytes = 256 << 10) {
  for (const Coding coding : {Coding::kByte, Coding::kBit}) {
    parameters.coding = coding;
    SCOPED_TRACE(coding == Coding::kBit ? "Bit" : "Byte");
    expect_round_trip<Small>(plain, parameters, block_bytes);
    expect_round_trip<Many>(plain, parameters, block_bytes);
    expect_round_trip<FewBlocks>(plain, parameters, block_bytes);
  }
}

ParserParameters parameters(DependencyRule rule, std::uint32_t depth, Byte min_match) {
  ParserParameters parameters;
  parameters.rule = rule;
  parameters.group =
      rule == DependencyRule::kTile ? kHalfPageBytes : 32;  // allow(bare-32): sequences
  parameters.depth = depth;
  parameters.nice_length = 256;
  parameters.min_match = min_match;
  return parameters;
}

TEST(RelayDecoder, DecodesLogsOfTheTileRuleAndLeavesOthers) {
  const auto log = test::log_lines(100000, 1);
  for (const std::uint32_t depth : {2, 64}) {
    for (const auto rule :
         {DependencyRule::kNone, DependencyRule::kTwoWave, DependencyRule::kTile}) {
      SCOPED_TRACE(static_cast<int>(rule));
      expect_round_trips(log, parameters(rule, depth, 5), 64 << 10);
    }
  }
}

std::vector<Byte> repeated_with_drift(std::size_t size) {
  std::vector<Byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) {
    bytes[i] = static_cast<Byte>("abcdefg"[i % 7] + static_cast<int>(i / 5000 % 64));
  }
  return bytes;
}

TEST(RelayDecoder, DecodesSizesAroundTilesAndRunsOverThem) {
  for (const std::size_t size : {5, 100, 2047, 2048, 2049, 20000, 70001, 300000}) {
    SCOPED_TRACE(size);
    const std::vector<std::vector<Byte>> inputs = {
        test::few_letters(size, 2, 7), test::few_letters(size, 20, 7),
        std::vector<Byte>(size, Byte{'z'}), repeated_with_drift(size)};
    for (const auto& input : inputs) {
      expect_round_trips(input, parameters(DependencyRule::kTile, 64, 4));
    }
  }
}

// --- single blocks

struct Outcome {
  u32 status;
  std::vector<Byte> plain;
};

template <class Tuning>
Outcome decode_alone(const presso::test::BlockCase& block, bool verify,
                     const simt::Options& options) {
  const presso::test::DeviceBlock device(block, 0);
  BlockPlan plan = device.plan();
  std::vector<UnitRecord> records(survey_cells_of(plan.plain_bytes) / 2);
  std::vector<u64> hashes(segments_of(plan.plain_bytes));
  plan.survey = reinterpret_cast<Byte*>(records.data());
  if (verify) plan.segment_hashes = hashes.data();
  u32 status = kPlanned;
  const simt::Report survey = simt::run({.block_threads = Tuning::kSurveyWarps * kWarp,
                                         .shared_bytes = sizeof(typename Survey<Tuning>::Shared)},
                                        options, [&] { survey_body<Tuning>(&plan, &status); });
  EXPECT_TRUE(survey.ok()) << survey.what;
  using Relay = typename Tuning::Relay;
  const simt::Report relay =
      simt::run({.block_threads = Relay::kThreads, .shared_bytes = sizeof(RelayShared<Relay>)},
                options, [&] { relay_decoder_body<Relay>(&plan, &status); });
  EXPECT_TRUE(relay.ok()) << relay.what;
  return {status, device.plain()};
}

std::vector<simt::Options> every_order() {
  return {{.order = simt::Order::kForward},
          {.order = simt::Order::kReverse},
          {.order = simt::Order::kRandom, .seed = 3}};
}

/// Pages are hashed by the ring's content, what is left over from memory.
template <class Tuning>
void expect_checksums_compared(std::size_t size) {
  const std::vector<Byte> plain = test::few_letters(size, 4, static_cast<unsigned>(size));
  ParserParameters with = parameters(DependencyRule::kTile, 16, 4);
  with.window = Tuning::Relay::kMostDistance;
  BlockEncoder encoder({with});
  Buffer file;
  encoder.encode(plain, 0, FrameKind::kBlock, {}, file);
  presso::test::BlockCase block{*parse_block_header(file.data()), {}, {}};
  const Byte* const payload = file.data() + kBlockHeaderBytes;
  block.payload.assign(payload, payload + block.header.payload_bytes);
  ASSERT_EQ(block.header.coding, Coding::kByte);
  presso::test::BlockCase wrong = block;
  wrong.header.content_checksum ^= 1;
  for (const simt::Options& options : every_order()) {
    SCOPED_TRACE(std::to_string(size) + " bytes, order " +
                 std::to_string(static_cast<int>(options.order)));
    const Outcome verified = decode_alone<Tuning>(block, true, options);
    EXPECT_EQ(verified.status, status_of(ErrorCode::kOk));
    EXPECT_TRUE(verified.plain == plain);
    EXPECT_EQ(decode_alone<Tuning>(block, false, options).status, status_of(ErrorCode::kOk));
    EXPECT_EQ(decode_alone<Tuning>(wrong, true, options).status,
              status_of(ErrorCode::kContentChecksum));
  }
}

TEST(RelayDecoder, ComparesChecksumsOfBlocksOfAnyNumberOfPages) {
  for (const std::size_t size : {200, 4096, 4097, 8193, 28673, 32767, 32768, 36865, 65537}) {
    expect_checksums_compared<Small>(size);
    expect_checksums_compared<Many>(size);
    expect_checksums_compared<FewBlocks>(size);
  }
}

presso::test::BlockCase of_tiles(const presso::test::PayloadBuilder& builder) {
  presso::test::BlockCase block = builder.finish();
  block.header.rule = DependencyRule::kTile;
  block.header.group_log2 = 11;
  return block;
}

/// Matches of which the first byte is as far back as may be, at the beginning of pages, with pages
/// of literals between them, which take all the room in the ring that literals have.
template <class Tuning>
void expect_reaches_back(u32 shift) {
  constexpr u32 kMost = Tuning::Relay::kMostDistance;
  presso::test::PayloadBuilder builder({.literal_bits = 4, .far = false, .min_match = 3});
  builder.add({1 + shift, 0, 0});
  builder.add({2048 - 1 - shift, 0, 0});
  for (u32 i = 1; i < 30; ++i) builder.add({2048, 0, 0});
  for (u32 page = 0; page < 16; ++page) {
    for (u32 i = 0; i < 8; ++i) builder.add({0, 8, kMost});
    builder.add({4096 - 64, 0, 0});
    builder.add({4096, 0, 0});
  }
  const presso::test::BlockCase block = of_tiles(builder);
  const presso::test::Expected expected = presso::test::reference_decode(block);
  ASSERT_TRUE(expected.status.ok());
  for (const simt::Options& options : every_order()) {
    const Outcome outcome = decode_alone<Tuning>(block, false, options);
    EXPECT_EQ(outcome.status, status_of(ErrorCode::kOk));
    EXPECT_TRUE(outcome.plain == expected.plain) << shift;
  }
}

TEST(RelayDecoder, ReachesBackAsFarAsItSays) {
  for (const u32 shift : {0u, 5u, 15u}) {
    expect_reaches_back<Many>(shift);
    expect_reaches_back<FewBlocks>(shift);
  }
}

/// Only literals in runs of one byte are that many segments.
TEST(RelayDecoder, LeavesBlocksWithMoreSegmentsThanAPageHasRoomFor) {
  presso::test::PayloadBuilder builder({.literal_bits = 4, .far = false, .min_match = 3});
  for (int i = 0; i < 12000; ++i) builder.add({1, 0, 0});
  const presso::test::BlockCase block = of_tiles(builder);
  for (const simt::Options& options : every_order()) {
    EXPECT_EQ(decode_alone<Small>(block, true, options).status, kPlanned);
    EXPECT_EQ(decode_alone<Many>(block, true, options).status, kPlanned);
    EXPECT_EQ(decode_alone<FewBlocks>(block, true, options).status, kPlanned);
  }
}

TEST(RelayDecoder, DecodesRealData) {
  for (const char* const name : {"silesia/dickens", "silesia/xml", "silesia/nci"}) {
    const auto path = tests::corpus_file(name);
    if (!path) GTEST_SKIP() << tests::kNoCorpora;
    SCOPED_TRACE(name);
    std::ifstream file(*path, std::ios::binary);
    file.seekg(1000000);
    std::vector<Byte> bytes(600000);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    expect_round_trips(bytes, parameters(DependencyRule::kTile, 64, 5));
  }
}

}  // namespace
}  // namespace presso::gpu::relay_decoder_test
