// SPDX-License-Identifier: MIT
// Decodes blocks of coding 4 (integers) into device memory, in Arrow's layout. Each warp takes
// a vector: it checks the vector, and the values go through the sinks defined here to the
// output, 32 consecutive rows a store. kIntegerParts thread blocks share a block and never wait
// for each other. Vectors before a faulty one are written; the contents in other vectors'
// places are unspecified.
//
// Cost on an H200, 197 M rows in device memory, without checksums: int32 of 4, 12, 20 and 32 bits
// 780, 670, 560 and 460 G rows/s, which is 3.5 to 3.7 TB/s read and written; with 1 % exceptions
// 520, delta-1 and delta-32 550, runs 680; int64 of 17 bits 370, delta-1 270; doubles of two digits
// (ALP) 320. 32 registers and 4 KiB of shared memory a warp for u32, 40 and 8 KiB for u64.
//
// integers_kernel<u32> decodes values of up to 4 bytes and bools, <u64> those of 8 and 16; each
// leaves the other's blocks alone, so a batch of both has both enqueued.
// Tests: tests/simt/integer_column_suite.cpp.
#pragma once

#include "decompress/columns/gpu/column_batch.h"
#include "decompress/columns/gpu/integer_check.cuh"
#include "decompress/columns/gpu/integer_vector.cuh"
#include "decompress/columns/gpu/payload_check.cuh"

namespace presso::gpu {

inline constexpr u32 kIntegerWarps = 8;  ///< warps of a thread block
inline constexpr u32 kIntegerParts = kMaxIntegerRows / kVectorRows / kIntegerWarps;

/// The shared memory of a thread block: a staging area for each warp.
template <class Word>
struct IntegerShared {
  u32 staging[kIntegerWarps][staging_words<Word>()];
};

template <class Value>
struct StoreValues {
  Byte* out;  ///< where the vector's values go
  u32 n;

  template <class Word>
  PRESSO_DEVICE void operator()(u32 step, Word value) const {
    const u32 row = step * kWarpSize + simt::lane();
    if (row < n)
      simt::store_streaming(reinterpret_cast<Value*>(out) + row, static_cast<Value>(value));
  }
};

struct StorePairs {
  Byte* out;
  u32 n;

  PRESSO_DEVICE void operator()(u32 step, u64 low, u64 high) const {
    struct alignas(16) Pair {
      u64 low, high;
    };
    const u32 row = step * kWarpSize + simt::lane();
    if (row < n) simt::store_streaming(reinterpret_cast<Pair*>(out) + row, Pair{low, high});
  }
};

/// Stores 4 bytes a lane, the last ones byte by byte, as the output has no more room.
PRESSO_DEVICE void store_bools(const IntegerVector<u32>& of, Byte* out) {
  const u32 bits = bool_bits(of);
  const u32 bytes = (of.n + 7) / 8;
  const u32 at = 4 * simt::lane();
  if (at + 4 <= bytes) {
    *reinterpret_cast<u32*>(out + at) = bits;
  } else {
    for (u32 i = at; i < bytes; ++i) out[i] = static_cast<Byte>(bits >> (8 * (i - at)));
  }
}

/// Writes the vector's values to `out`. `width_bytes`: the bytes of a value; 0: bools, of one bit.
PRESSO_DEVICE void store_vector(const IntegerVector<u32>& of, Byte width_bytes, Byte* out) {
  if (width_bytes == 0) return store_bools(of, out);
  if (width_bytes == 1) return for_each_value(of, StoreValues<Byte>{out, of.n});
  if (width_bytes == 2) return for_each_value(of, StoreValues<std::uint16_t>{out, of.n});
  for_each_value(of, StoreValues<u32>{out, of.n});
}
PRESSO_DEVICE void store_vector(const IntegerVector<u64>& of, Byte width_bytes, Byte* out) {
  if (width_bytes == 16) return for_each_pair(of, StorePairs{out, of.n});
  for_each_value(of, StoreValues<u64>{out, of.n});
}

/// Whether the kernel of this Word decodes the block, or reports why it cannot.
template <class Word>
PRESSO_DEVICE bool serves(Byte width_bytes) {
  return (width_bytes == 8 || width_bytes == 16) == (sizeof(Word) == 8);
}

/// Checks the parts of a block that every warp needs before it looks at its vector.
PRESSO_DEVICE ErrorCode check_block(const IntegerBlock& block) {
  if (!is_valid(block.parameters)) return ErrorCode::kBadHeader;
  const u32 directory = vectors_of(block.parameters.rows) * kVectorEntryBytes;
  const bool fits = block.payload.size % 4 == 0 && block.payload.size >= directory;
  return fits ? ErrorCode::kOk : ErrorCode::kBadPayloadSize;
}

PRESSO_DEVICE VectorEntry load_entry(const Byte* payload, u32 vector) {
  const u32* const from = reinterpret_cast<const u32*>(payload) + 4 * vector;
  const u32 fields = simt::load_readonly(from + 1);
  VectorEntry entry;
  entry.word_offset = simt::load_readonly(from);
  entry.kind = static_cast<Byte>(fields);
  entry.width = static_cast<Byte>(fields >> 8);
  entry.width2 = static_cast<Byte>(fields >> 16);
  entry.exceptions = static_cast<Byte>(fields >> 24);
  entry.base = two_words(from + 2);
  return entry;
}

/// Opens vector `vector` of a block that check_block() has passed. Returns the check's code;
/// with kOk the vector is in `to`.
template <class Word>
PRESSO_DEVICE ErrorCode open_vector(const IntegerBlock& block, u32 vector, u32* staging,
                                    IntegerVector<Word>& to) {
  const IntegerParameters& parameters = block.parameters;
  const u32 directory_words = vectors_of(parameters.rows) * (kVectorEntryBytes / 4);
  const u32 payload_words = block.payload.size / 4 - directory_words;
  const VectorEntry entry = load_entry(block.payload.bytes, vector);
  const u32 begin = entry.word_offset < payload_words ? entry.word_offset : payload_words;
  const u32* const words =
      reinterpret_cast<const u32*>(block.payload.bytes) + directory_words + begin;
  const u32 n = vector_rows(parameters.rows, vector);
  const VectorCheck check = warp_check_vector(parameters, entry, n, words, payload_words - begin);
  to = {words, staging, entry, static_cast<Word>(parameters.divisor), n, check.runs};
  return check.code;
}

/// Grid: kIntegerParts thread blocks of kIntegerWarps warps for each block.
template <class Word>
PRESSO_DEVICE void decode_integers_body(const IntegerBatch& batch) {
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
  const ErrorCode code = open_vector(block, vector, shared->staging[warp], of);
  if (code != ErrorCode::kOk) {
    if (simt::lane() == 0) report_fault(status, kVectorFault + vector, code);
    return;
  }
  const Byte width_bytes = block.parameters.width_bytes;
  store_vector(of, width_bytes, block.out + values_bytes(vector * kVectorRows, width_bytes));
}

}  // namespace presso::gpu
