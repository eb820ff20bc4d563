// SPDX-License-Identifier: MIT
// Blocks of tokens (coding 5, FORMAT.md 17) that are decoded to text in device memory. Queries do
// not: they test tokens as they are, or give strings numbers. Host and device.
#pragma once

#include "decompress/columns/gpu/column_batch.h"

namespace presso::gpu {

struct TokenBlock {
  ColumnPayload payload;
  DeviceTokens tokens;
  std::uint32_t codes = 0;
  std::uint32_t plain_bytes = 0;  ///< at most kMaxBlockBytes
  std::uint32_t rows = 0;
  std::uint32_t first_vector = 0;          ///< vectors of all blocks before this one
  std::uint32_t* row_ends = nullptr;       ///< before: each row's codes; after: where it ends
  std::uint32_t* vector_begins = nullptr;  ///< temporary: a word for each vector of codes
  Byte* out = nullptr;                     ///< plain_bytes of room, at any address
  std::int64_t* offsets = nullptr;  ///< rows + 1: where rows begin and end, plus first_offset
  std::int64_t first_offset = 0;
};

/// `status` has a word for each block, kNoFault before the first kernel.
struct TokenBatch {
  const TokenBlock* blocks = nullptr;
  std::uint32_t* status = nullptr;
  std::uint32_t count = 0;
  std::uint32_t vectors = 0;  ///< of all blocks
};

PRESSO_HD constexpr std::uint32_t token_vectors(std::uint32_t codes) {
  return codes / kVectorRows + (codes % kVectorRows == 0 ? 0 : 1);
}

}  // namespace presso::gpu
