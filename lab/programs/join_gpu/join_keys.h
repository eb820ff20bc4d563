// SPDX-License-Identifier: MIT
// Keys for joins, made on the device, with what a join of them must give.
//
// Each key has an index, of which it is a one-to-one function; build row i has the key of index
// i % distinct, probe rows draw indices. So the matches of a probe row are known without a join:
// the rows index, index + distinct, ... below the number of build rows.
#pragma once

#include <cstdint>
#include <optional>

#include "presso/device_join.h"
#include "presso/error.h"

struct CUstream_st;

namespace presso::gpu::bench {

/// random: keys are anywhere. dense: below twice their number, in a mixed order. sorted: anywhere,
/// and the rows of both sides ascend. ranged: keys of 64 bits anywhere within a range of 32.
enum class KeyShape : std::uint8_t { kRandom, kDense, kSorted, kRanged };

/// How probe rows draw: evenly, half of them index 7, or index by Zipf's law with exponent 1.5.
enum class KeyDraw : std::uint8_t { kEven, kHalfOnOne, kZipf };

struct JoinKeys {
  std::uint32_t build_rows = 0;
  std::uint32_t probe_rows = 0;
  std::uint32_t distinct = 0;     ///< of the build side
  std::uint32_t matching = 1000;  ///< of a thousand probe rows
  std::uint32_t key_bytes = 8;
  KeyShape shape = KeyShape::kRandom;
  KeyDraw draw = KeyDraw::kEven;
};

/// Sums modulo 2^64.
struct JoinSums {
  std::uint64_t pairs = 0;
  std::uint64_t checksum = 0;
};

/// Fills the columns and adds up, in d_sums, what an inner join gives.
Status make_keys(const JoinKeys& keys, void* d_build, void* d_probe, JoinSums* d_sums,
                 CUstream_st* stream);

/// Adds up in d_sums what a join gave.
Status sum_pairs(const std::uint32_t* d_probe, const std::uint32_t* d_build, std::uint64_t pairs,
                 JoinSums* d_sums, CUstream_st* stream);

/// Sets *d_faults to a number above 0 where pairs do not ascend by probe row, then build row.
Status check_order(const std::uint32_t* d_probe, const std::uint32_t* d_build, std::uint64_t pairs,
                   std::uint64_t* d_faults, CUstream_st* stream);

/// The range of dense and of ranged keys.
std::optional<JoinKeyRange> known_range(const JoinKeys& keys);

/// Bits of a key of `key_bytes` in column `column` of `columns`: the first one has the highest
/// bits, and those that are left over.
std::uint32_t column_bits(std::uint32_t column, std::uint32_t columns, std::uint32_t key_bytes);

/// Cuts `rows` keys into columns of numbers of `column_bytes`.
Status split_keys(const void* d_keys, std::uint32_t key_bytes, std::uint64_t rows,
                  void* const (&d_columns)[kMostJoinKeys], std::uint32_t columns,
                  std::uint32_t column_bytes, CUstream_st* stream);

}  // namespace presso::gpu::bench
