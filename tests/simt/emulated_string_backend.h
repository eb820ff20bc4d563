// SPDX-License-Identifier: MIT
// The backend of string_suite.cpp in the emulator: the kernels' bodies on payloads, counts and
// tables in heap blocks of exactly their size. A class derived from it tests strings by another
// kernel.
#pragma once

#include <memory>

#include "tests/simt/emulated_launches.h"
#include "tests/simt/emulated_strings.h"
#include "tests/simt/string_backend.h"
#include "tests/support/placed_bytes.h"

namespace presso::gpu::test {

class EmulatedStringBackend : public StringBackend {
 public:
  std::string unavailable() const override { return {}; }
  bool is_fast() const override { return false; }

  Result<std::vector<StringOutcome>> find(const std::vector<StringCase>& cases,
                                          const StringRun& run) override {
    const BitPieces pieces(cases);
    std::vector<u32> bits(pieces.words(), kPoisonWord);
    std::vector<u32> statuses(cases.size(), 0xDEADBEEF);
    std::vector<u32> matches(cases.size(), 0xDEADBEEF);
    std::vector<std::unique_ptr<presso::test::PlacedBytes>> placed;
    const auto place = [&](Bytes bytes, std::size_t remainder) {
      placed.push_back(std::make_unique<presso::test::PlacedBytes>(bytes, remainder));
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
    PRESSO_TRY(enqueue(batch, run));
    return pieces.outcomes(bits, statuses, matches);
  }

 protected:
  virtual Status enqueue(const StringBatch& batch, const StringRun& run) {
    EmulatedStrings launcher{EmulatedLaunches(run.seed)};
    return enqueue_strings(batch, run.options, launcher);
  }
};

}  // namespace presso::gpu::test
