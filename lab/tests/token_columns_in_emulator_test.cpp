// SPDX-License-Identifier: MIT
// token_column_suite.cpp in the emulator.
#include "lab/gpu/token_decoder.cuh"
#include "lab/gpu/token_steps.h"
#include "lab/gpu/token_survey.cuh"
#include "lab/tests/token_case.h"
#include "tests/simt/emulated_columns.h"

namespace presso::gpu::test {
namespace {

class EmulatedTokens : public EmulatedColumns {
 public:
  using EmulatedColumns::EmulatedColumns;

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
};

class EmulatedTokenBackend : public TokenBackend {
 public:
  Result<std::vector<ColumnOutcome>> decode(const std::vector<TokenCase>& cases,
                                            const ColumnRun& run) override {
    Pieces pieces;
    for (std::size_t i = 0; i < cases.size(); ++i) pieces.add(cases[i].plain_bytes, i % 16);
    presso::test::PlacedBytes out(std::vector<Byte>(pieces.bytes(), kPoison), 0);
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
    EmulatedTokens launcher(run.seed);
    const auto count = static_cast<u32>(cases.size());
    PRESSO_TRY(
        enqueue_tokens({blocks.data(), statuses.data(), count, vectors}, run.options, launcher));
    auto outcomes = outcomes_of(statuses, pieces, out.data());
    for (std::size_t i = 0; i < cases.size(); ++i) outcomes[i].offsets = offsets[i];
    return outcomes;
  }
};

}  // namespace

ColumnBackend& column_backend() {
  static EmulatedColumnBackend backend;
  return backend;
}

TokenBackend& token_backend() {
  static EmulatedTokenBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
