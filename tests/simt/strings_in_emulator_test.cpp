// SPDX-License-Identifier: MIT
// The suite of string tests in the emulator: the kernels' bodies on payloads, counts and tables in
// heap blocks of exactly their size.
#include <gtest/gtest.h>

#include <functional>
#include <memory>

#include "decompress/gpu/simt/emulator/emulator.h"
#include "scan/gpu/strings/row_refill.cuh"
#include "scan/gpu/strings/row_sweep.cuh"
#include "scan/gpu/strings/row_walk.cuh"
#include "scan/gpu/strings/string_steps.h"
#include "tests/simt/string_backend.h"
#include "tests/support/placed_bytes.h"

namespace presso::gpu::test {
namespace {

using presso::test::PlacedBytes;

/// Two warps a thread block and few of these, so that tiles and tables change within a share.
class EmulatedStrings {
 public:
  explicit EmulatedStrings(u32 seed) { options_.seed = seed; }

  Status clear(const StringBatch& batch) {
    std::fill_n(batch.status, batch.count, kNoFault);
    std::fill_n(batch.matches, batch.count, 0);
    return {};
  }
  Status check(const StringBatch& batch) {
    return run("check", batch.count, kCheckWarps, sizeof(PayloadCheckShared),
               [&] { check_payloads_body(batch); });
  }
  Status places(const StringBatch& batch) {
    return run("places", batch.count, 3, 0, [&] { place_row_tiles_body(batch); });
  }
  Status test(const StringBatch& batch, const StringOptions& options) {
    switch (options.layout) {
      case StringLayout::kClasses:
        if (options.refill == 0) return walk<ClassWalk>(batch);
        return run("refill", kGrid, kWarps,
                   refill_shared_bytes<ClassWalk>(batch.table_bytes, kWarps),
                   [&] { refill_rows_body<ClassWalk>(batch, options.refill); });
      case StringLayout::kCodes:
        return walk<CodeWalk>(batch);
      case StringLayout::kWide:
        return walk<WideWalk>(batch);
      case StringLayout::kSweep:
        break;
    }
    return run("sweep", kGrid, kWarps, sweep_shared_bytes(batch.table_bytes, kWarps),
               [&] { sweep_rows_body(batch); });
  }
  Status settle(const StringBatch& batch) {
    return run("settle", (batch.count - 1) / 64 + 1, 2, 0,
               [&] { settle_body(batch.status, batch.count); });
  }

 private:
  static constexpr u32 kGrid = 3;
  static constexpr u32 kWarps = 2;

  template <class Table>
  Status walk(const StringBatch& batch) {
    return run("walk", kGrid, kWarps, walk_shared_bytes<Table>(batch.table_bytes, kWarps),
               [&] { walk_rows_body<Table>(batch); });
  }
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

class EmulatedBackend : public StringBackend {
 public:
  std::string unavailable() const override { return {}; }
  bool is_fast() const override { return false; }

  Result<std::vector<StringOutcome>> find(const std::vector<StringCase>& cases,
                                          const StringRun& run) override {
    const BitPieces pieces(cases);
    std::vector<u32> bits(pieces.words(), kPoisonWord);
    std::vector<u32> statuses(cases.size(), 0xDEADBEEF);
    std::vector<u32> matches(cases.size(), 0xDEADBEEF);
    std::vector<std::unique_ptr<PlacedBytes>> placed;
    const auto place = [&](Bytes bytes, std::size_t remainder) {
      placed.push_back(std::make_unique<PlacedBytes>(bytes, remainder));
      return placed.back()->data();
    };
    std::vector<StringBlock> blocks;
    StringBatch batch;
    const StringTable* last = nullptr;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const StringCase& one = cases[i];
      StringBlock block = block_of(one, batch.tiles);
      const Bytes counts{reinterpret_cast<const Byte*>(one.counts.data()),
                         one.counts.size() * sizeof(u32)};
      const std::vector<Byte> tile_begins(row_tiles(block.rows) * sizeof(u32));
      block.payload.bytes = place(one.payload, 4 * (i % 4));
      block.counts = reinterpret_cast<const u32*>(place(counts, 4 * (i % 5)));
      block.tile_begins = reinterpret_cast<u32*>(place(tile_begins, 0));
      block.bits = bits.data() + pieces.at(i);
      const bool same_table = one.table == last;
      block.table.d_image = same_table ? blocks.back().table.d_image : place(one.table->image, 0);
      last = one.table;
      blocks.push_back(block);
      add_to(batch, one);
    }
    batch.blocks = blocks.data();
    batch.status = statuses.data();
    batch.matches = matches.data();
    EmulatedStrings launcher(run.seed);
    PRESSO_TRY(enqueue_strings(batch, run.options, launcher));
    std::vector<StringOutcome> outcomes;
    for (std::size_t i = 0; i < cases.size(); ++i) {
      outcomes.push_back(pieces.outcome(i, bits.data()));
      outcomes.back().status = statuses[i];
      outcomes.back().matches = matches[i];
    }
    return outcomes;
  }
};

}  // namespace

StringBackend& string_backend() {
  static EmulatedBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
