// SPDX-License-Identifier: MIT
// How many words the packed codes of strings take that are stored as tokens (coding 5, FORMAT.md
// 17), and how a thread block brings a table or a dictionary into shared memory. Used by conditions
// on strings in queries on GPUs (query/gpu). Tests: tests/simt/string_suite.cpp;
// lab/tests/token_column_suite.cpp.
#pragma once

#include "decompress/columns/gpu/column_batch.h"
#include "decompress/columns/gpu/lane_values.cuh"
#include "decompress/columns/gpu/payload_check.cuh"

namespace presso::gpu {

/// Words of `codes` packed codes.
PRESSO_DEVICE u32 token_words(u32 codes) {
  return codes / kVectorRows * kTokenVectorWords + lane_words(codes % kVectorRows, kTokenBits);
}

/// Copies `bytes`, a multiple of 16, by all threads of the block.
PRESSO_DEVICE void copy_to_shared(const Byte* from, u32 bytes, Byte* to) {
  for (u32 at = 16 * simt::thread_in_block(); at < bytes; at += 16 * simt::block_threads()) {
    simt::copy_async_16(to + at, from + at);
  }
  simt::copy_async_commit();
  simt::copy_async_wait<0>();
}

}  // namespace presso::gpu
