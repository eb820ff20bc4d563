// SPDX-License-Identifier: MIT
// The backend of the column suites in the emulator: the kernels' bodies on payloads in heap blocks
// of exactly their size.
#pragma once

#include <functional>
#include <memory>

#include "decompress/columns/gpu/column_steps.h"
#include "decompress/columns/gpu/integer_decoder.cuh"
#include "decompress/gpu/simt/emulator/emulator.h"
#include "tests/simt/column_backend.h"
#include "tests/support/placed_bytes.h"

namespace presso::gpu::test {

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
  Status settle(u32* status, u32 count) {
    return run("settle", (count - 1) / 64 + 1, 2, 0, [&] { settle_body(status, count); });
  }

 protected:
  Status run(const char* step, u32 grid, u32 warps, std::size_t shared_bytes,
             const std::function<void()>& body) {
    const simt::Launch shape{grid, warps * kWarpSize, shared_bytes};
    const simt::Report report = simt::run(shape, options_, body);
    ++options_.seed;
    if (report.ok()) return {};
    return make_error(ErrorCode::kDeviceLost, std::string(step) + ": " + report.what);
  }

 private:
  simt::Options options_;
};

using Placed = std::vector<std::unique_ptr<presso::test::PlacedBytes>>;

/// At multiples of 4.
inline const Byte* place(Placed& placed, Bytes bytes) {
  placed.push_back(std::make_unique<presso::test::PlacedBytes>(bytes, 4 * (placed.size() % 4)));
  return placed.back()->data();
}

class EmulatedColumnBackend : public ColumnBackend {
 public:
  std::string unavailable() const override { return {}; }
  bool is_fast() const override { return false; }

  Result<std::vector<ColumnOutcome>> decode(const std::vector<IntegerCase>& cases,
                                            const ColumnRun& run) override {
    Pieces pieces;
    for (const IntegerCase& one : cases) pieces.add(output_bytes(one.parameters));
    presso::test::PlacedBytes out(std::vector<Byte>(pieces.bytes(), kPoison), 0);
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
};

}  // namespace presso::gpu::test
