// SPDX-License-Identifier: MIT
// How often the lanes of a warp meet in a bank, in two layouts of one automaton. A look-up of a
// warp takes a cycle for each different word of the bank that has most of them. Some places of the
// text are run as line_tiles would run them, a lane each in neighbouring chunks, with the table in
// device memory, and cycles are counted.
//
// A warp for each place: the 64 bytes before chunks, by which line_tiles guesses states, then 16
// that count. About 10,000 instructions, 15 to 20 microseconds by count. Test:
// tests/simt/line_choice_test.cpp.
#pragma once

#include "scan/gpu/line_choice.h"
#include "scan/gpu/lines/line_engines.cuh"

namespace presso::gpu {

struct BankSampleArguments {
  const Byte* d_text = nullptr;
  u64 bytes = 0;
  u32 chunk_bytes = 1024;
  LineTableView rows;      ///< kBytes
  LineTableView classes;   ///< kShared
  u32* d_votes = nullptr;  ///< places where classes are faster are added

  PRESSO_HD constexpr u64 tile_bytes() const { return u64{chunk_bytes} * kWarpSize; }
};

/// Of a look-up of the whole warp.
PRESSO_DEVICE u32 bank_cycles(u32 word) {
  bool is_first = true;
  PRESSO_NO_UNROLL
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    const u32 other = simt::shuffle(word, lane);
    if (lane < simt::lane() && other == word) is_first = false;
  }
  const u32 firsts = simt::ballot(is_first);
  u32 words = 0;
  PRESSO_NO_UNROLL
  for (u32 lane = 0; lane < kWarpSize; ++lane) {
    const u32 other = simt::shuffle(word, lane);
    if ((firsts >> lane & 1) != 0 && (other - word) % kWarpSize == 0) ++words;
  }
  return simt::reduce_max(words);
}

class BankSample {
 public:
  PRESSO_DEVICE explicit BankSample(const BankSampleArguments& sample) : sample_(sample) {}

  /// The lane's chunk begins at `at`, which is not the text's begin.
  PRESSO_DEVICE bool classes_win(u64 at) const {
    constexpr u32 kBytes = 16;
    at -= kStageBytes;
    u32 state = sample_.rows.start, by_rows = 0, by_classes = 0;
    PRESSO_NO_UNROLL
    for (u32 i = 0; i < kStageBytes + kBytes; ++i) {
      const u32 byte = simt::load_readonly(sample_.d_text + at + i);
      const u32 cell = state * kBytePitch + byte;
      if (i >= kStageBytes) {
        by_rows += bank_cycles(cell / 4);
        by_classes += bank_cycles(byte / 4) + bank_cycles(class_cell(state, byte) / 4);
      }
      state = simt::load_readonly(sample_.rows.d_image + cell);
    }
    // Below three cycles instructions are what takes time, a tenth more with classes (NOTES.md).
    constexpr u32 kLeastRows = 29 * kBytes / 10,
                  kLeastClasses = 32 * kBytes / 10;  // allow(bare-32)
    return (by_rows > kLeastRows ? by_rows : kLeastRows) >
           (by_classes > kLeastClasses ? by_classes : kLeastClasses);
  }

 private:
  PRESSO_DEVICE u32 class_cell(u32 state, u32 byte) const {
    const LineTableView& table = sample_.classes;
    const u32 row = state == sample_.rows.hit ? table.hit : state;
    return kClassMapBytes + 2 * (row * table.classes + simt::load_readonly(table.d_image + byte));
  }

  const BankSampleArguments& sample_;
};

PRESSO_DEVICE void sample_banks_body(const BankSampleArguments& sample) {
  const u32 warps = simt::block_threads() / kWarpSize;
  const u64 tiles = sample.bytes / sample.tile_bytes();
  if (tiles <= kBankSamples) return;
  const BankSample banks(sample);
  u32 number = simt::block_index() * warps + simt::shuffle(simt::warp_in_block(), 0);
  for (; number < kBankSamples; number += simt::grid_blocks() * warps) {
    const u64 tile = (tiles - 1) * (number + 1) / kBankSamples;  // never the first one
    const u64 at = tile * sample.tile_bytes() + u64{simt::lane()} * sample.chunk_bytes;
    if (banks.classes_win(at) && simt::lane() == 0) simt::atomic_add(sample.d_votes, 1);
  }
}

}  // namespace presso::gpu
