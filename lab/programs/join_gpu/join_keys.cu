// SPDX-License-Identifier: MIT
// Threads take rows or pairs in turns, over as many thread blocks as keep a device busy; no shared
// memory. As plain as can be, since it judges the joins; it is not timed.
#include "lab/programs/join_gpu/join_keys.h"

#include "decompress/gpu/runtime/cuda_error.h"
#include "decompress/gpu/simt/simt.h"

namespace presso::gpu::bench {
namespace {

using namespace simt;

constexpr u32 kThreads = 256;
constexpr u32 kBlocks = 4096;
constexpr u64 kRangedLeast = 0x7123456789ABCDEFu;

__device__ u64 mixed(u64 value) {
  value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
  value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
  return value ^ (value >> 31);
}
__device__ u32 mixed_word(u32 value) {
  value = (value ^ (value >> 16)) * 0x7FEB352Du;
  value = (value ^ (value >> 15)) * 0x846CA68Bu;
  return value ^ (value >> 16);
}

__device__ u64 checksum_of(u32 probe, u32 build) {
  return mixed(u64{probe} << 32 | build);
}

/// The smallest power of two that is at least the number of indices.
__host__ __device__ u32 dense_range(const JoinKeys& keys) {
  u32 range = 2;
  while (range < keys.distinct && range < 1u << 31) range *= 2;
  return range;
}

/// Indices from `distinct` on are of keys that no build row has.
__device__ u64 key_of(const JoinKeys& keys, u64 index) {
  switch (keys.shape) {
    case KeyShape::kDense: {
      const u32 range = dense_range(keys);
      if (index >= range) return index;
      return static_cast<u32>(index) * 0x9E3779B1u & (range - 1);
    }
    case KeyShape::kSorted: {
      // Even multiples of a step, and odd ones for those without a match.
      const u64 most = keys.key_bytes == 4 ? 0xFFFFFFFFu : ~u64{0};
      const u64 step = most / (2 * u64{keys.distinct} + 1);
      if (index >= keys.distinct) return (2 * (index - keys.distinct) + 1) * step;
      return 2 * index * step;
    }
    case KeyShape::kRanged:
      return kRangedLeast + mixed_word(static_cast<u32>(index) + 12345);
    default:
      return keys.key_bytes == 4 ? mixed_word(static_cast<u32>(index) + 12345)
                                 : mixed(index * 0x9E3779B97F4A7C15u + 1);
  }
}

__device__ void put_key(const JoinKeys& keys, void* to, u64 row, u64 key) {
  if (keys.key_bytes == 4) {
    static_cast<u32*>(to)[row] = static_cast<u32>(key);
  } else {
    static_cast<u64*>(to)[row] = key;
  }
}

/// The index of a build key.
__device__ u32 drawn_index(const JoinKeys& keys, u64 row) {
  const u64 random = mixed(row * 0xD6E8FEB86659FD93u + 99);
  if (keys.shape == KeyShape::kSorted) {
    return static_cast<u32>(row * keys.distinct / keys.probe_rows);
  }
  if (keys.draw == KeyDraw::kHalfOnOne && (random >> 63) != 0) return 7 % keys.distinct;
  if (keys.draw == KeyDraw::kZipf) {
    // The inverse of the distribution's tail.
    const double share = (static_cast<double>(random >> 11) + 1) / 9007199254740993.0;
    const double rank = 1 / (share * share);
    return rank >= keys.distinct ? static_cast<u32>(random % keys.distinct)
                                 : static_cast<u32>(rank) - 1;
  }
  return static_cast<u32>(random % keys.distinct);
}

__global__ void __launch_bounds__(kThreads) build_keys_kernel(JoinKeys keys, void* build) {
  for (u64 row = u64{block_index()} * kThreads + thread_in_block(); row < keys.build_rows;
       row += u64{grid_blocks()} * kThreads) {
    // Of sorted keys equal ones lie behind one another.
    const u64 index = keys.shape == KeyShape::kSorted ? row * keys.distinct / keys.build_rows
                                                      : row % keys.distinct;
    put_key(keys, build, row, key_of(keys, index));
  }
}

__global__ void __launch_bounds__(kThreads)
    probe_keys_kernel(JoinKeys keys, void* probe, JoinSums* sums) {
  u64 pairs = 0, checksum = 0;
  for (u64 row = u64{block_index()} * kThreads + thread_in_block(); row < keys.probe_rows;
       row += u64{grid_blocks()} * kThreads) {
    const u32 index = drawn_index(keys, row);
    // Rows of one sorted key match all or none, so that keys ascend.
    const u64 chance = keys.shape == KeyShape::kSorted ? index : row;
    const bool matches = mixed(chance + 0x1234567) % 1000 < keys.matching;
    put_key(keys, probe, row, key_of(keys, matches ? index : u64{index} + keys.distinct));
    if (!matches) continue;
    u64 first = index, end = keys.build_rows, step = keys.distinct;
    if (keys.shape == KeyShape::kSorted) {
      // The rows r with r * distinct / build_rows == index.
      first = (u64{index} * keys.build_rows + keys.distinct - 1) / keys.distinct;
      end = ((u64{index} + 1) * keys.build_rows + keys.distinct - 1) / keys.distinct;
      step = 1;
    }
    if (keys.distinct == 1) {
      pairs += keys.build_rows;  // only counted
      continue;
    }
    for (u64 match = first; match < end; match += step) {
      ++pairs;
      checksum += checksum_of(static_cast<u32>(row), static_cast<u32>(match));
    }
  }
  atomic_add(&sums->pairs, pairs);
  atomic_add(&sums->checksum, checksum);
}

__global__ void __launch_bounds__(kThreads)
    sum_pairs_kernel(const u32* probe, const u32* build, u64 pairs, JoinSums* sums) {
  u64 checksum = 0, count = 0;
  for (u64 at = u64{block_index()} * kThreads + thread_in_block(); at < pairs;
       at += u64{grid_blocks()} * kThreads) {
    ++count;
    checksum += checksum_of(probe[at], build[at]);
  }
  atomic_add(&sums->pairs, count);
  atomic_add(&sums->checksum, checksum);
}

__global__ void __launch_bounds__(kThreads)
    check_order_kernel(const u32* probe, const u32* build, u64 pairs, u64* faults) {
  u64 count = 0;
  for (u64 at = u64{block_index()} * kThreads + thread_in_block() + 1; at < pairs;
       at += u64{grid_blocks()} * kThreads) {
    const u64 before = u64{probe[at - 1]} << 32 | build[at - 1];
    if (before >= (u64{probe[at]} << 32 | build[at])) ++count;
  }
  if (count > 0) atomic_add(faults, count);
}

struct SplitColumns {
  void* columns[kMostJoinKeys];
  u32 bits[kMostJoinKeys];
  u32 count;
  u32 bytes;  ///< of a number of a column
};

__global__ void __launch_bounds__(kThreads)
    split_keys_kernel(const void* keys, u32 key_bytes, u64 rows, SplitColumns to) {
  for (u64 row = u64{block_index()} * kThreads + thread_in_block(); row < rows;
       row += u64{grid_blocks()} * kThreads) {
    u64 rest =
        key_bytes == 4 ? static_cast<const u32*>(keys)[row] : static_cast<const u64*>(keys)[row];
    for (u32 column = to.count; column-- > 0;) {
      const u64 value = rest & ((u64{1} << to.bits[column]) - 1);
      rest >>= to.bits[column];
      if (to.bytes == 4) {
        static_cast<u32*>(to.columns[column])[row] = static_cast<u32>(value);
      } else {
        static_cast<u64*>(to.columns[column])[row] = value;
      }
    }
  }
}

}  // namespace

Status make_keys(const JoinKeys& keys, void* d_build, void* d_probe, JoinSums* d_sums,
                 CUstream_st* stream) {
  PRESSO_TRY(check(cudaMemsetAsync(d_sums, 0, sizeof *d_sums, stream), "clearing sums"));
  build_keys_kernel<<<kBlocks, kThreads, 0, stream>>>(keys, d_build);
  PRESSO_TRY(check(cudaGetLastError(), "build_keys_kernel"));
  probe_keys_kernel<<<kBlocks, kThreads, 0, stream>>>(keys, d_probe, d_sums);
  return check(cudaGetLastError(), "probe_keys_kernel");
}

Status sum_pairs(const std::uint32_t* d_probe, const std::uint32_t* d_build, std::uint64_t pairs,
                 JoinSums* d_sums, CUstream_st* stream) {
  PRESSO_TRY(check(cudaMemsetAsync(d_sums, 0, sizeof *d_sums, stream), "clearing sums"));
  sum_pairs_kernel<<<kBlocks, kThreads, 0, stream>>>(d_probe, d_build, pairs, d_sums);
  return check(cudaGetLastError(), "sum_pairs_kernel");
}

Status check_order(const std::uint32_t* d_probe, const std::uint32_t* d_build, std::uint64_t pairs,
                   std::uint64_t* d_faults, CUstream_st* stream) {
  PRESSO_TRY(check(cudaMemsetAsync(d_faults, 0, sizeof *d_faults, stream), "clearing faults"));
  check_order_kernel<<<kBlocks, kThreads, 0, stream>>>(d_probe, d_build, pairs, d_faults);
  return check(cudaGetLastError(), "check_order_kernel");
}

std::optional<JoinKeyRange> known_range(const JoinKeys& keys) {
  if (keys.shape == KeyShape::kDense) return JoinKeyRange{0, dense_range(keys) - 1u};
  if (keys.shape == KeyShape::kRanged) {
    return JoinKeyRange{kRangedLeast, kRangedLeast + 0xFFFFFFFFu};
  }
  return std::nullopt;
}

std::uint32_t column_bits(std::uint32_t column, std::uint32_t columns, std::uint32_t key_bytes) {
  const std::uint32_t bits = 8 * key_bytes / columns;
  return column == 0 ? 8 * key_bytes - (columns - 1) * bits : bits;
}

Status split_keys(const void* d_keys, std::uint32_t key_bytes, std::uint64_t rows,
                  void* const (&d_columns)[kMostJoinKeys], std::uint32_t columns,
                  std::uint32_t column_bytes, CUstream_st* stream) {
  SplitColumns to{};
  to.count = columns;
  to.bytes = column_bytes;
  for (std::uint32_t i = 0; i < columns; ++i) {
    to.columns[i] = d_columns[i];
    to.bits[i] = column_bits(i, columns, key_bytes);
  }
  split_keys_kernel<<<kBlocks, kThreads, 0, stream>>>(d_keys, key_bytes, rows, to);
  return check(cudaGetLastError(), "split_keys_kernel");
}

}  // namespace presso::gpu::bench
