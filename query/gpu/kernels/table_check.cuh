// SPDX-License-Identifier: MIT
// Checks the blocks of a table once, when they reach a device: that each vector can be decoded
// without checking bounds (FORMAT.md 16.4), and that codes are below the size of their dictionary.
// One warp for each vector; thread blocks as in integer_decoder.cuh. Checksums are compared by
// payload_check.cuh. Tests: tests/queries/one_table.txt.
#pragma once

#include "decompress/columns/gpu/integer_decoder.cuh"

namespace presso::gpu {

/// `entries`: of the dictionary of each block's codes; 0: its values are no codes.
template <class Word>
PRESSO_DEVICE void check_vectors_body(const IntegerBatch& batch, const u32* entries) {
  const u32 number = simt::block_index() / kIntegerParts;
  const u32 warp = uniform_warp();
  const u32 vector = simt::block_index() % kIntegerParts * kIntegerWarps + warp;
  const IntegerBlock& block = batch.blocks[number];
  u32* const status = batch.status + number;
  if (!serves<Word>(block.parameters.width_bytes) || is_checksum_fault(*status)) return;
  const ErrorCode of_block = check_block(block);
  if (of_block != ErrorCode::kOk) {
    if (vector == 0 && simt::lane() == 0) report_fault(status, kSizeFault, of_block);
    return;
  }
  if (vector >= vectors_of(block.parameters.rows)) return;
  auto* const shared = reinterpret_cast<IntegerShared<Word>*>(simt::shared_memory());
  IntegerVector<Word> of;
  ErrorCode code = open_vector(block, vector, shared->staging[warp], of);
  if constexpr (sizeof(Word) == 4) {
    const u32 most = simt::load_readonly(entries + number);
    if (code == ErrorCode::kOk && most != 0) {
      bool is_code = true;
      for_each_value(of, [&](u32 step, u32 value) {
        is_code = is_code && (value < most || step * kWarpSize + simt::lane() >= of.n);
      });
      if (!simt::all(is_code)) code = ErrorCode::kBadRowGroup;
    }
  }
  if (code != ErrorCode::kOk && simt::lane() == 0) {
    report_fault(status, kVectorFault + vector, code);
  }
}

}  // namespace presso::gpu
