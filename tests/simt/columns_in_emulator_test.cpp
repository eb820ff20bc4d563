// SPDX-License-Identifier: MIT
// The column suites in the emulator: the kernels' bodies on payloads in heap blocks of exactly
// their size. And what other kernels do with a vector: take its values from registers.
#include <gtest/gtest.h>

#include <memory>

#include "decompress/columns/gpu/column_steps.h"
#include "decompress/columns/gpu/integer_decoder.cuh"
#include "decompress/columns/gpu/token_decoder.cuh"
#include "decompress/columns/gpu/token_survey.cuh"
#include "decompress/gpu/simt/emulator/emulator.h"
#include "tests/simt/column_backend.h"
#include "tests/support/placed_bytes.h"

namespace presso::gpu::test {
namespace {

using presso::test::PlacedBytes;

class EmulatedColumns {
 public:
  explicit EmulatedColumns(u32 seed) { options_.seed = seed; }

  Status clear(u32* status, u32 count) {
    std::fill_n(status, count, kNoFault);
    return {};
  }
  template <class Batch>
  Status check(const Batch& batch) {
    return run("check", batch.count, kCheckWarps, sizeof(PayloadCheckShared),
               [&] { check_payloads_body(batch); });
  }
  template <class Word>
  Status integers(const IntegerBatch& batch) {
    return run("integers", batch.count * kIntegerParts, kIntegerWarps, sizeof(IntegerShared<Word>),
               [&] { decode_integers_body<Word>(batch); });
  }
  Status survey(const TokenBatch& batch) {
    return run("survey", 3, 2, sizeof(TokenSurveyShared), [&] { survey_tokens_body(batch); });
  }
  Status places(const TokenBatch& batch) {
    return run("places", batch.count, kPlacesThreads / kWarpSize, sizeof(TokenPlacesShared),
               [&] { place_tokens_body(batch); });
  }
  Status tokens(const TokenBatch& batch) {
    return run("tokens", 3, kTokenWarps, sizeof(TokenDecoderShared),
               [&] { decode_tokens_body(batch); });
  }
  Status settle(u32* status, u32 count) {
    return run("settle", (count - 1) / 64 + 1, 2, 0, [&] { settle_body(status, count); });
  }

 private:
  Status run(const char* step, u32 grid, u32 warps, std::size_t shared_bytes,
             const std::function<void()>& body) {
    const simt::Launch shape{grid, warps * kWarpSize, shared_bytes};
    const simt::Report report = simt::run(shape, options_, body);
    ++options_.seed;
    if (report.ok()) return {};
    return make_error(ErrorCode::kDeviceLost, std::string(step) + ": " + report.what);
  }

  simt::Options options_;
};

using Placed = std::vector<std::unique_ptr<PlacedBytes>>;

/// At multiples of 4.
const Byte* place(Placed& placed, Bytes bytes) {
  placed.push_back(std::make_unique<PlacedBytes>(bytes, 4 * (placed.size() % 4)));
  return placed.back()->data();
}

class EmulatedBackend : public ColumnBackend {
 public:
  std::string unavailable() const override { return {}; }
  bool is_fast() const override { return false; }

  Result<std::vector<ColumnOutcome>> decode(const std::vector<IntegerCase>& cases,
                                            const ColumnRun& run) override {
    Pieces pieces;
    for (const IntegerCase& one : cases) pieces.add(output_bytes(one.parameters));
    PlacedBytes out(std::vector<Byte>(pieces.bytes(), kPoison), 0);
    Placed payloads;
    std::vector<IntegerBlock> blocks;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const Byte* const payload = place(payloads, cases[i].payload);
      blocks.push_back(block_of(cases[i], payload, out.data() + pieces.at(i)));
    }
    std::vector<u32> statuses(cases.size(), 0xDEADBEEF);
    EmulatedColumns launcher(run.seed);
    const auto count = static_cast<u32>(cases.size());
    PRESSO_TRY(enqueue_integers({blocks.data(), statuses.data(), count}, run.options, launcher));
    return outcomes_of(statuses, pieces, out.data());
  }

  Result<std::vector<ColumnOutcome>> decode(const std::vector<TokenCase>& cases,
                                            const ColumnRun& run) override {
    Pieces pieces;
    for (std::size_t i = 0; i < cases.size(); ++i) pieces.add(cases[i].plain_bytes, i % 16);
    PlacedBytes out(std::vector<Byte>(pieces.bytes(), kPoison), 0);
    std::vector<std::vector<u32>> row_ends, vector_begins;
    std::vector<std::vector<std::int64_t>> offsets;
    Placed placed;
    std::vector<TokenBlock> blocks;
    u32 vectors = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const TokenCase& one = cases[i];
      TokenBlock block = block_of(one, vectors);
      row_ends.push_back(one.counts);
      vector_begins.emplace_back(token_vectors(one.codes));
      offsets.emplace_back(one.counts.size() + 1);
      block.payload.bytes = place(placed, one.payload);
      block.tokens.slots = one.dictionary->slots();
      block.tokens.lengths = one.dictionary->lengths();
      block.row_ends = row_ends.back().data();
      block.vector_begins = vector_begins.back().data();
      block.out = out.data() + pieces.at(i);
      block.offsets = offsets.back().data();
      blocks.push_back(block);
      vectors += token_vectors(one.codes);
    }
    std::vector<u32> statuses(cases.size(), 0xDEADBEEF);
    EmulatedColumns launcher(run.seed);
    const auto count = static_cast<u32>(cases.size());
    PRESSO_TRY(
        enqueue_tokens({blocks.data(), statuses.data(), count, vectors}, run.options, launcher));
    auto outcomes = outcomes_of(statuses, pieces, out.data());
    for (std::size_t i = 0; i < cases.size(); ++i) outcomes[i].offsets = offsets[i];
    return outcomes;
  }
};

/// A fused kernel: counts the values of vector 0 in a range and adds them up, from registers.
struct CountAndSum {
  u32 count = 0;
  u64 sum = 0;
};
CountAndSum count_between(const IntegerBlock& block, u64 least, u64 most) {
  CountAndSum result;
  const simt::Launch shape{1, kWarpSize, staging_words<u64>() * sizeof(u32)};
  const simt::Report report = simt::run(shape, {}, [&] {
    IntegerVector<u64> of;
    auto* const staging = reinterpret_cast<u32*>(simt::shared_memory());
    if (open_vector(block, 0, staging, of) != ErrorCode::kOk) return;
    for_each_value(of, [&](u32 step, u64 value) {
      const bool is_row = step * kWarpSize + simt::lane() < of.n;
      const bool hit = is_row && least <= value && value <= most;
      const u32 hits = simt::ballot(hit);
      if (simt::lane() == 0) result.count += simt::popcount(hits);
      if (hit) result.sum += value;
    });
  });
  EXPECT_TRUE(report.ok()) << report.what;
  return result;
}

TEST(IntegerVectors, HandTheirValuesToOtherKernelsInRegisters) {
  // 40 values 7 * (i % 8), width 6, base 1000: by the definition of lane packing.
  std::vector<u32> words(kWarpSize);
  for (u32 i = 0; i < 40; ++i) words[i % kWarpSize] |= (7 * (i % 8)) << (6 * (i / kWarpSize));
  std::vector<Byte> payload = {0, 0, 0, 0, 0, 6, 0, 0};
  append_value(payload, u64{1000});
  for (const u32 word : words) append_value(payload, word);
  IntegerBlock block;
  const PlacedBytes placed(payload, 0);
  block.payload = {placed.data(), static_cast<u32>(payload.size()), 0};
  block.parameters = {8, true, false, 40, 1};
  const CountAndSum all = count_between(block, 0, ~u64{0});
  EXPECT_EQ(all.count, 40u);
  EXPECT_EQ(all.sum, 40 * 1000 + 7 * 28 * 5);
  const CountAndSum some = count_between(block, 1007, 1020);
  EXPECT_EQ(some.count, 10u);
  EXPECT_EQ(some.sum, 5 * (1007 + 1014));
}

}  // namespace
}  // namespace presso::gpu::test::columns_in_emulator_test

namespace presso::gpu::test {

ColumnBackend& column_backend() {
  static columns_in_emulator_test::EmulatedBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
