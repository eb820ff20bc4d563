// SPDX-License-Identifier: MIT
// Survey and relay decoder in the emulator: what the encoder wrote comes back, and equals its
// checksum, with a small and a large history, on inputs that straddle tiles, pages, rings and
// units.
#include "decompress/gpu/relay_decoder.cuh"

#include "decompress/gpu/policies.h"
#include "decompress/gpu/survey.cuh"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <string>

#include "compress/block_encoder.h"
#include "presso/wire.h"
#include "tests/simt/emulator.h"
#include "tests/support/corpora.h"
#include "tests/support/test_data.h"

namespace presso::gpu {
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
  const bool whole = find_long_lengths(header, plan);
  EXPECT_TRUE(whole || header.coding == Coding::kRaw);
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

  template <class Tuning>
  void decode(std::uint32_t seed) {
    simt::Options options;
    options.seed = seed;
    const u32 blocks = static_cast<u32>(plans_.size());
    std::vector<std::vector<UnitRecord>> surveys;  // for their alignment
    std::vector<std::vector<u64>> hashes;
    for (BlockPlan& plan : plans_) {
      surveys.emplace_back(survey_cells_of(plan.plain_bytes) / 2);
      plan.survey = reinterpret_cast<Byte*>(surveys.back().data());
      hashes.emplace_back(segments_of(plan.plain_bytes));
      plan.segment_hashes = hashes.back().data();
    }
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
  BlockEncoder encoder(parameters);
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

void expect_round_trips(Bytes plain, const ParserParameters& parameters,
                        std::uint32_t block_bytes = 256 << 10) {
  expect_round_trip<Small>(plain, parameters, block_bytes);
  expect_round_trip<Many>(plain, parameters, block_bytes);
  expect_round_trip<FewBlocks>(plain, parameters, block_bytes);
}

ParserParameters parameters(DependencyRule rule, std::uint32_t depth, Byte min_match) {
  ParserParameters parameters;
  parameters.rule = rule;
  parameters.group = rule == DependencyRule::kTile ? kTileBytes : 32;  // allow(bare-32): sequences
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
}  // namespace presso::gpu
