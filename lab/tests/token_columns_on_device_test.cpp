// SPDX-License-Identifier: MIT
// token_column_suite.cpp on a GPU, through decode_token_blocks.
#include "lab/gpu/token_blocks.h"
#include "lab/tests/token_case.h"
#include "tests/gpu/device_columns.h"

namespace presso::gpu::test {
namespace {

class DeviceTokenBackend : public TokenBackend {
 public:
  Result<std::vector<ColumnOutcome>> decode(const std::vector<TokenCase>& cases,
                                            const ColumnRun& run) override {
    Workplace device;
    Pieces payloads;
    Pieces pieces;
    std::size_t rows = 0;
    std::uint32_t vectors = 0;
    std::vector<std::uint32_t> counts;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      payloads.add(cases[i].payload.size(), 4 * (i % 4));
      pieces.add(cases[i].plain_bytes, i % 16);
      counts.insert(counts.end(), cases[i].counts.begin(), cases[i].counts.end());
      vectors += token_vectors(cases[i].codes);
    }
    const Byte* const stored = place_payloads(device, cases, payloads);
    Byte* const out = device.poisoned(pieces.bytes(), kPoison);
    std::uint32_t* const row_ends = device.copy_of(counts.data(), counts.size());
    auto* const begins = device.allocate<std::uint32_t>(vectors);
    const std::vector<std::int64_t> unset(counts.size() + cases.size(), -1);
    std::int64_t* const offsets = device.copy_of(unset.data(), unset.size());
    std::vector<TokenBlock> blocks;
    vectors = 0;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      TokenBlock block = block_of(cases[i], vectors);
      block.payload.bytes = stored + payloads.at(i);
      place_dictionary(device, *cases[i].dictionary, block.tokens);
      block.row_ends = row_ends + rows;
      block.vector_begins = begins + vectors;
      block.out = out + pieces.at(i);
      block.offsets = offsets + rows + i;
      blocks.push_back(block);
      rows += cases[i].counts.size();
      vectors += token_vectors(cases[i].codes);
    }
    auto* const statuses = device.allocate<std::uint32_t>(cases.size());
    PRESSO_TRY(decode_token_blocks({device.copy_of(blocks.data(), blocks.size()), statuses,
                                    static_cast<std::uint32_t>(cases.size()), vectors},
                                   run.options, device.stream()));
    placed_.clear();
    PRESSO_ASSIGN(auto found, outcomes_on(device, statuses, cases.size(), pieces, out));
    const auto all = device.back(offsets, unset.size());
    auto at = all.begin();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const auto end = at + static_cast<std::ptrdiff_t>(cases[i].counts.size() + 1);
      found[i].offsets.assign(at, end);
      at = end;
    }
    return found;
  }

 private:
  /// Each dictionary once a batch.
  void place_dictionary(Workplace& device, const TokenDictionary& dictionary, DeviceTokens& to) {
    for (const auto& [known, tokens] : placed_) {
      if (known == &dictionary) to = tokens;
    }
    if (to.slots != nullptr) return;
    to.slots = device.copy_of(dictionary.slots(), kMaxTokens * kMaxTokenBytes);
    to.lengths = device.copy_of(dictionary.lengths(), kMaxTokens);
    placed_.emplace_back(&dictionary, to);
  }

  std::vector<std::pair<const TokenDictionary*, DeviceTokens>> placed_;
};

}  // namespace

ColumnBackend& column_backend() {
  static DeviceColumnBackend backend;
  return backend;
}

TokenBackend& token_backend() {
  static DeviceTokenBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
