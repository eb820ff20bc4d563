// SPDX-License-Identifier: MIT
// The tile decoder in the emulator: what the encoder wrote comes back, with a small and a large
// history, on inputs that straddle tiles, rings and units.
#include "decompress/gpu/tile_decoder.cuh"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <string>

#include "presso/compress.h"
#include "presso/wire.h"
#include "tests/simt/emulator.h"
#include "tests/support/corpora.h"
#include "tests/support/test_data.h"

namespace presso::gpu {
namespace {

using Small = TilePolicy<8 * 1024, 4, 3>;
using Large = TilePolicy<53 * 1024, 8, 3>;

BlockPlan plan_of(const BlockHeader& header, const Byte* payload, Byte* out) {
  BlockPlan plan{};
  plan.payload = payload;
  plan.out = out;
  plan.content_checksum = header.content_checksum;
  plan.plain_bytes = header.plain_bytes;
  plan.payload_bytes = header.payload_bytes;
  plan.sequences = header.sequences;
  plan.literals = header.literals;
  plan.far_offsets = header.far_offsets;
  plan.literal_escapes = header.literal_escapes;
  plan.match_escapes = header.match_escapes;
  plan.coding = static_cast<Byte>(header.coding);
  plan.rule = static_cast<Byte>(header.rule);
  plan.group_log2 = header.group_log2;
  plan.literal_bits = header.layout.literal_bits;
  plan.far = header.layout.far ? 1 : 0;
  plan.min_match = header.layout.min_match;
  plan.long_lengths = static_cast<u32>(plan.literal_bytes() - plan.long_length_bytes()) / 2;
  return plan;
}

/// A compressed file without sections in front of its blocks, where kernels want it: aligned.
class LoadedFile {
 public:
  LoadedFile(const std::vector<Byte>& file, std::size_t plain_bytes)
      : out_(plain_bytes, 0xA5), memory_(file.size() + kFrameAlignment) {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    Byte* const base = memory_.data() + round_up(address, kFrameAlignment) - address;
    std::memcpy(base, file.data(), file.size());
    std::size_t at = kFileHeaderBytes;
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

  template <class Policy>
  simt::Report decode(std::uint32_t seed) {
    simt::Options options;
    options.seed = seed;
    options.allow_split_block_sync = true;
    return simt::run({.grid = static_cast<u32>(plans_.size()),
                      .block_threads = Policy::kThreads,
                      .shared_bytes = sizeof(TileShared<Policy>)},
                     options, [&] { tile_decoder_body<Policy>(plans_.data(), statuses_.data()); });
  }

  /// Raw blocks are left alone; all others must be right.
  void expect_plain(Bytes plain) const {
    for (std::size_t i = 0; i < plans_.size(); ++i) {
      if (plans_[i].coding == static_cast<Byte>(Coding::kRaw)) {
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

template <class Policy>
void expect_round_trip(const std::vector<Byte>& file, Bytes plain, std::uint32_t seed) {
  LoadedFile loaded(file, plain.size());
  const simt::Report report = loaded.decode<Policy>(seed);
  ASSERT_TRUE(report.ok()) << report.what;
  loaded.expect_plain(plain);
}

void expect_round_trips(Bytes plain, CompressOptions options) {
  options.dictionary.mode = DictionaryChoice::Mode::kNone;
  const auto file = compress_buffer(plain, options);
  ASSERT_TRUE(file.ok()) << file.error().message();
  expect_round_trip<Small>(*file, plain, 1);
  expect_round_trip<Large>(*file, plain, 2);
}

TEST(TileDecoder, DecodesLogsOfEveryRule) {
  const auto log = test::log_lines(100000, 1);
  for (const int level : {1, 6}) {
    for (const auto rule : {DependencyRule::kNone, DependencyRule::kStrict,
                            DependencyRule::kLiteralAware, DependencyRule::kTwoWave}) {
      SCOPED_TRACE(static_cast<int>(rule));
      CompressOptions options;
      options.level = level;
      options.rule = rule;
      options.block_bytes = 64 << 10;
      expect_round_trips(log, options);
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

TEST(TileDecoder, DecodesSizesAroundTilesAndRunsOverThem) {
  for (const std::size_t size : {5, 100, 1023, 1024, 1025, 20000, 70001, 300000}) {
    SCOPED_TRACE(size);
    const std::vector<std::vector<Byte>> inputs = {
        test::few_letters(size, 2, 7), test::few_letters(size, 20, 7),
        std::vector<Byte>(size, Byte{'z'}), repeated_with_drift(size)};
    for (const auto& input : inputs) {
      for (const int level : {1, 9}) {
        CompressOptions options;
        options.level = level;
        options.rule = DependencyRule::kNone;
        expect_round_trips(input, options);
      }
    }
  }
}

TEST(TileDecoder, DecodesRealData) {
  for (const char* const name : {"silesia/dickens", "silesia/xml", "silesia/nci"}) {
    const auto path = tests::corpus_file(name);
    if (!path) GTEST_SKIP() << tests::kNoCorpora;
    SCOPED_TRACE(name);
    std::ifstream file(*path, std::ios::binary);
    file.seekg(1000000);
    std::vector<Byte> bytes(600000);
    file.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    for (const int level : {1, 9}) {
      CompressOptions options;
      options.level = level;
      expect_round_trips(bytes, options);
    }
  }
}

}  // namespace
}  // namespace presso::gpu
