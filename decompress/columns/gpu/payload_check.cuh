// SPDX-License-Identifier: MIT
// The kernels around the decoders of table blocks: before them the payload's checksum (a thread
// block for each payload), and after them the one that turns faults into error codes (a thread
// for each block).
//
// XXH3 of a payload is a chain with a step for each KiB. What a KiB adds does not depend on the
// chain and is most of the work: all warps except the first compute it, kCheckRounds KiB at a
// time, and leave it in shared memory, while the first warp follows the chain. 16 us for 300
// KiB (H200), where a single warp takes 280 us. Shared memory: PayloadCheckShared, 4 KiB.
// Tested by tests/simt/*_column_suite.cpp.
#pragma once

#include "decompress/columns/gpu/column_batch.h"
#include "decompress/gpu/checksum/xxh3_warp.cuh"
#include "decompress/gpu/simt/global_memory.h"

namespace presso::gpu {

inline constexpr u32 kCheckWarps = 8;    ///< warps of a thread block
inline constexpr u32 kCheckRounds = 32;  // allow(bare-32): KiB

/// What each KiB adds, for the four pairs of accumulators: one half is written while the first
/// warp reads the other.
struct PayloadCheckShared {
  xxh3::Pair shares[2][kCheckRounds][xxh3::kQuadLanes];
};

/// Merges a fault into the status word; called by one lane, or by several that agree.
PRESSO_DEVICE void report_fault(u32* status, u32 place, ErrorCode code) {
  simt::atomic_min(status, fault_of(place, code));
}

/// Computes what the rounds [first, end) add, by all warps except the first.
template <class Source>
PRESSO_DEVICE void find_shares(const Source& source, u32 first, u32 end,
                               const xxh3::SegmentKeys& keys,
                               xxh3::Pair (*shares)[xxh3::kQuadLanes]) {
  const u32 warp = uniform_warp();
  if (warp == 0) return;
  for (u32 round = first + warp - 1; round < end; round += kCheckWarps - 1) {
    const u32 at = round * xxh3::kSegmentBytes;
    const xxh3::Pair share = xxh3::sum_over_quads(xxh3::segment_share(source, at, keys));
    if (simt::lane() < xxh3::kQuadLanes) shares[round - first][simt::lane()] = share;
  }
}

/// XXH3 of more than kLongestFolded bytes by the thread block; the result is in all lanes of
/// its first warp. `source` is asked for multiples of 16 only.
template <class Source>
PRESSO_DEVICE u64 block_hash_long(const Source& source, const Byte* from, u32 size) {
  auto* const shared = reinterpret_cast<PayloadCheckShared*>(simt::shared_memory());
  const u32 key = 8 * xxh3::lane_quad() + xxh3::kPairBytes * xxh3::lane_pair();
  const xxh3::SegmentKeys keys{xxh3::secret_pair(key), xxh3::secret_pair(key + 8 * xxh3::kQuads)};
  const u32 stripes = (size - 1) / xxh3::kStripeBytes;
  const u32 rounds = stripes / xxh3::kRoundStripes;
  xxh3::Pair sums = xxh3::start_pair(xxh3::lane_pair());
  for (u32 first = 0; first < rounds; first += kCheckRounds) {
    const u32 end = rounds - first < kCheckRounds ? rounds : first + kCheckRounds;
    auto* const shares = shared->shares[first / kCheckRounds % 2];
    find_shares(source, first, end, keys, shares);
    simt::block_sync();
    if (uniform_warp() != 0) continue;
    for (u32 round = first; round < end; ++round) {
      sums = sums + shares[round - first][xxh3::lane_pair()];
      xxh3::scramble(sums, xxh3::lane_pair());
    }
  }
  if (uniform_warp() != 0) return 0;
  const xxh3::Pair share =
      xxh3::last_share(xxh3::UnalignedSource{from, size}, rounds * xxh3::kSegmentBytes,
                       stripes % xxh3::kRoundStripes, size, keys);
  return xxh3::finish_quad(sums + xxh3::sum_over_quads(share), size);
}

/// XXH3 of a payload, in all lanes of the first warp.
PRESSO_DEVICE u64 block_hash(const ColumnPayload& payload) {
  if (payload.size <= xxh3::kLongestFolded) {
    return xxh3::hash_folded(xxh3::ByteReader{payload.bytes}, payload.size);
  }
  if (address_of(payload.bytes) % xxh3::kPairBytes == 0) {
    return block_hash_long(xxh3::ReadonlySource{payload.bytes}, payload.bytes, payload.size);
  }
  return block_hash_long(xxh3::UnalignedSource{payload.bytes, payload.size}, payload.bytes,
                         payload.size);
}

/// Grid: a thread block of kCheckWarps warps for each block. `Batch` is IntegerBatch, or another
/// one that has blocks, their count and their status.
template <class Batch>
PRESSO_DEVICE void check_payloads_body(const Batch& batch) {
  const u32 number = simt::block_index();
  const ColumnPayload payload = batch.blocks[number].payload;
  const u64 checksum = block_hash(payload);
  if (simt::thread_in_block() == 0 && checksum != payload.checksum) {
    report_fault(batch.status + number, kChecksumFault, ErrorCode::kContentChecksum);
  }
}

/// Turns the faults of `count` blocks into ErrorCodes, with a thread for each block.
PRESSO_DEVICE void settle_body(u32* status, u32 count) {
  const u32 block = simt::block_index() * simt::block_threads() + simt::thread_in_block();
  if (block < count) status[block] = settled(status[block]);
}

}  // namespace presso::gpu
