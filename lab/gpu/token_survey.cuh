// SPDX-License-Identifier: MIT
// Finds what many warps must know of blocks of tokens before they can write: where each vector
// of codes begins in the text, where each row ends in the codes, and that all codes name tokens
// and all sums are right (FORMAT.md 17.4). Two kernels:
//
//  survey   a warp for each vector: the sum of its tokens' lengths, and codes without a token
//  places   a thread block for each block: sums before each vector, ends of rows from counts,
// both in place, and the rows without bytes before the first code
//
// Hence the decoder (token_decoder.cuh) checks nothing. Reading codes twice costs a fifth of what
// decoding moves. `places` sums rows in pieces of kPlacesPiece, one after another: some 2 us a
// piece, which only matters for few blocks of very many rows. 39 and 56 registers.
// Tests: lab/tests/token_column_suite.cpp.
#pragma once

#include "lab/gpu/token_share.cuh"

namespace presso::gpu {

// --- survey

inline constexpr u32 kSurveyTokenThreads = 256;

struct TokenSurveyShared {
  alignas(16) Byte lengths[kMaxTokens];
};

PRESSO_DEVICE void survey_vector(const TokenBlock& block, u32 vector, const Byte* lengths,
                                 u32* status) {
  const u32 n = codes_of_vector(block, vector);
  const u32* const lane = lane_of_vector(block, vector);
  const u32 words = lane_words_of(n);
  u32 bytes = 0;
  u32 most = 0;
  for (u32 tile = 0; tile * kTileCodes < n; ++tile) {
    const TileCodes codes = TileCodes::load(lane, words, tile);
    PRESSO_UNROLL
    for (u32 step = 0; step < kTileSteps; ++step) {
      const u32 code = codes.at(step);
      const bool is_code = tile * kTileCodes + step * kWarpSize + simt::lane() < n;
      bytes += is_code ? lengths[code] : 0;
      most = is_code && code > most ? code : most;
    }
  }
  bytes = simt::reduce_add(bytes);
  most = simt::reduce_max(most);
  if (simt::lane() != 0) return;
  block.vector_begins[vector] = bytes;
  if (most >= block.tokens.size) report_fault(status, kCodeFault, ErrorCode::kBadOffset);
}

PRESSO_DEVICE void survey_tokens_body(const TokenBatch& batch) {
  auto* const shared = reinterpret_cast<TokenSurveyShared*>(simt::shared_memory());
  const Byte* lengths = nullptr;
  for_each_in_share(batch, [&](u32 number, u32 first, u32 end) {
    const TokenBlock block = batch.blocks[number];
    if (is_checksum_fault(batch.status[number]) || !has_right_size(block)) return;
    if (block.tokens.lengths != lengths) {
      lengths = block.tokens.lengths;
      simt::block_sync();  // what was there has been used
      copy_to_shared(lengths, kMaxTokens, shared->lengths);
      simt::block_sync();
    }
    const u32 warps = simt::block_threads() / kWarpSize;
    for (u32 vector = first + uniform_warp(); vector < end; vector += warps) {
      survey_vector(block, vector, shared->lengths, batch.status + number);
    }
  });
}

// --- places

inline constexpr u32 kPlacesThreads = 512;
inline constexpr u32 kPlacesEach = 8;  ///< numbers of each thread
inline constexpr u32 kPlacesPiece = kPlacesThreads * kPlacesEach;
inline constexpr u32 kPlacesWarps = kPlacesThreads / kWarpSize;
/// Numbers, and sums of warps, above the total are reported and count as 0, so nothing exceeds
/// 32 bits.
static_assert(u64{kWarpSize} * kPlacesEach * kMaxBlockBytes <= u64{1} << 31);

struct TokenPlacesShared {
  u32 warp_sums[kPlacesWarps];
};

/// The numbers of a warp's part of a piece, and the sums up to each.
struct WarpSums {
  u32 numbers[kPlacesEach];
  u32 sums[kPlacesEach];
  u32 total = 0;
  bool too_large = false;

  PRESSO_DEVICE WarpSums(const u32* from, u32 begin, u32 count, u32 most) {
    PRESSO_UNROLL
    for (u32 i = 0; i < kPlacesEach; ++i) {
      const u32 at = begin + i * kWarpSize + simt::lane();
      numbers[i] = at < count ? from[at] : 0;
    }
    PRESSO_UNROLL
    for (u32 i = 0; i < kPlacesEach; ++i) {
      too_large = too_large || numbers[i] > most;
      sums[i] = total + simt::inclusive_sum(numbers[i] > most ? 0 : numbers[i]);
      total = simt::shuffle(sums[i], kWarpSize - 1);
    }
    too_large = too_large || total > most;
  }
};

/// The sum of the warps before this one, and of all warps together.
struct BlockSums {
  u32 before;
  u32 total;

  PRESSO_DEVICE BlockSums(u32 of_warp, u32* warp_sums) {
    simt::block_sync();  // those of the last piece have been read
    if (simt::lane() == 0) warp_sums[simt::warp_in_block()] = of_warp;
    simt::block_sync();
    const u32 sum = simt::lane() < kPlacesWarps ? warp_sums[simt::lane()] : 0;
    const u32 sums = simt::inclusive_sum(sum);
    before = simt::shuffle(sums - sum, simt::warp_in_block());
    total = simt::shuffle(sums, kWarpSize - 1);
  }
};

/// Replaces `count` numbers by their prefix sums, each including its own number if `inclusive`.
/// Returns whether they sum up to `total`, at most kMaxBlockBytes; otherwise the numbers are
/// unspecified.
PRESSO_DEVICE bool sum_in_place(u32* numbers, u32 count, u32 total, bool inclusive,
                                u32* warp_sums) {
  u32 sum = 0;
  for (u32 piece = 0; piece < count; piece += kPlacesPiece) {
    const u32 begin = piece + simt::warp_in_block() * kPlacesEach * kWarpSize;
    const WarpSums warp(numbers, begin, count, total);
    const BlockSums block(warp.total > total ? 0 : warp.total, warp_sums);
    const u32 before = sum + block.before;
    sum += block.total;
    if (simt::block_sync_or(warp.too_large || sum > total)) return false;
    PRESSO_UNROLL
    for (u32 i = 0; i < kPlacesEach; ++i) {
      const u32 at = begin + i * kWarpSize + simt::lane();
      const u32 up_to = before + warp.sums[i];
      if (at < count) numbers[at] = inclusive ? up_to : up_to - warp.numbers[i];
    }
  }
  return sum == total;
}

/// Rows that end where the text begins, which no vector of codes meets.
PRESSO_DEVICE void place_first_rows(const TokenBlock& block) {
  if (simt::thread_in_block() == 0) block.offsets[0] = block.first_offset;
  for (u32 row = simt::thread_in_block(); row < block.rows; row += simt::block_threads()) {
    if (block.row_ends[row] != 0) return;
    block.offsets[row + 1] = block.first_offset;
  }
}

PRESSO_DEVICE void place_tokens(const TokenBlock& block, u32* status) {
  auto* const shared = reinterpret_cast<TokenPlacesShared*>(simt::shared_memory());
  const bool reports = simt::thread_in_block() == 0;
  if (!has_right_size(block)) {
    if (reports) report_fault(status, kSizeFault, ErrorCode::kBadPayloadSize);
    return;
  }
  if (!sum_in_place(block.row_ends, block.rows, block.codes, true, shared->warp_sums)) {
    if (reports) report_fault(status, kCountsFault, ErrorCode::kBadLength);
    return;
  }
  const u32 vectors = token_vectors(block.codes);
  if (!sum_in_place(block.vector_begins, vectors, block.plain_bytes, false, shared->warp_sums)) {
    if (reports) report_fault(status, kLengthsFault, ErrorCode::kBadLength);
    return;
  }
  simt::block_sync();
  place_first_rows(block);
}

/// Grid: one thread block of kPlacesThreads for each block.
PRESSO_DEVICE void place_tokens_body(const TokenBatch& batch) {
  const u32 number = simt::block_index();
  if (is_checksum_fault(batch.status[number])) return;
  place_tokens(batch.blocks[number], batch.status + number);
}

}  // namespace presso::gpu
