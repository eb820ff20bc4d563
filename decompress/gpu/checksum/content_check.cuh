// SPDX-License-Identifier: MIT
// Content checksums of whole blocks (FORMAT.md 8): each *segment*, 1 KiB of a block's plain bytes,
// is hashed, and then the hashes are. The warps of a thread block share the segments of one block,
// and its first warp hashes their hashes. For decoders whose thread blocks take a block each and
// have its last bytes in shared memory (hash_in_ring, finish_block), and for a later kernel that
// reads again what others have decoded (verify_decoded).
//
// Threads to data: warps take pieces of eight segments, 8 KiB, in turn, then what is left segment
// by segment, as they do with blocks at addresses that are not multiples of 16. One barrier a
// block, between the segments' hashes, which go through temporary device memory, and the hash of
// them.
//
// Test: tests/simt/raw_test.cpp.
#pragma once

#include "decompress/gpu/checksum/xxh3_warp.cuh"
#include "decompress/gpu/plan/block_plan.h"
#include "decompress/gpu/simt/simt.h"
#include "presso/error.h"

namespace presso::gpu {

static_assert(xxh3::kSegmentBytes == kHashSegmentBytes);

/// Hashes segments first, first + step, ... of the block, one at a time, by one warp. `plain` is
/// where the block's bytes are, at any address.
PRESSO_DEVICE void hash_segments(const BlockPlan& plan, const Byte* plain, std::uint32_t first,
                                 std::uint32_t step, const xxh3::SegmentKeys& keys) {
  const xxh3::UnalignedSource source{plain, plan.plain_bytes};
  const std::uint32_t end = segments_of(plan.plain_bytes);
  for (std::uint32_t segment = first; segment < end; segment += step) {
    const std::uint32_t at = segment * xxh3::kSegmentBytes;
    const std::uint32_t left = plan.plain_bytes - at;
    const std::uint64_t hash = left < xxh3::kSegmentBytes ? warp_xxh3(plain + at, left)
                                                          : warp_segment_hash(source, at, keys);
    if (simt::lane() == 0) plan.segment_hashes[segment] = hash;
  }
}

/// Hashes all segments of a block into plan.segment_hashes, by a whole thread block. Nobody may
/// write to `plain` while the kernel runs.
PRESSO_DEVICE void hash_block(const BlockPlan& plan, const Byte* plain) {
  constexpr std::uint32_t kPieceSegments = xxh3::kQuads;
  constexpr std::uint32_t kPieceBytes = kPieceSegments * xxh3::kSegmentBytes;
  const xxh3::SegmentKeys keys = xxh3::segment_keys();
  const std::uint32_t warps = simt::block_threads() / simt::kWarpSize;
  const bool aligned = xxh3::is_aligned(plain, xxh3::kPairBytes);
  const std::uint32_t pieces = aligned ? plan.plain_bytes / kPieceBytes : 0;
  for (std::uint32_t piece = simt::warp_in_block(); piece < pieces; piece += warps) {
    const std::uint64_t hash =
        warp_segment_hashes(xxh3::ReadonlySource{plain}, piece * kPieceBytes, keys);
    if (xxh3::lane_pair() == 0) {
      plan.segment_hashes[piece * kPieceSegments + xxh3::lane_quad()] = hash;
    }
  }
  hash_segments(plan, plain, pieces * kPieceSegments + simt::warp_in_block(), warps, keys);
}

/// Whether plan.segment_hashes, all of them written and visible to this warp, are those that the
/// block should have. In all lanes of the warp.
PRESSO_DEVICE bool content_matches(const BlockPlan& plan) {
  return warp_xxh3_words(plan.segment_hashes, segments_of(plan.plain_bytes)) ==
         plan.content_checksum;
}

/// Writes the final status of a block; called by all threads of the thread block that has hashed
/// its segments.
PRESSO_DEVICE void finish_content_check(const BlockPlan& plan, std::uint32_t* status) {
  simt::block_sync();
  if (simt::warp_in_block() != 0) return;
  const bool good = content_matches(plan);
  if (simt::lane() == 0) {
    *status = status_of(good ? ErrorCode::kOk : ErrorCode::kContentChecksum);
  }
}

/// Hashes bytes [at, at + kCount KiB) of a block, by a warp: from a ring of kRing bytes in shared
/// memory, at `place`, which may be past its end. Both are multiples of 1 KiB.
template <std::uint32_t kCount, std::uint32_t kRing>
PRESSO_DEVICE void hash_in_ring(const BlockPlan& plan, std::uint32_t at, const Byte* ring,
                                std::uint32_t place) {
  const std::uint32_t segment = xxh3::lane_quad() % kCount;
  place += segment * xxh3::kSegmentBytes;
  if (place >= kRing) place -= kRing;
  const std::uint64_t hash = warp_segment_hashes_apart<kCount>(ring + place);
  if (simt::lane() < kCount * xxh3::kQuadLanes && xxh3::lane_pair() == 0) {
    plan.segment_hashes[at / xxh3::kSegmentBytes + segment] = hash;
  }
}

/// By all threads of a thread block that has decoded a block and hashed its first `hashed` bytes, a
/// multiple of 1 KiB; after a barrier. Leaves the block's status, which is final where the payload
/// was sound. `decoded`: decoded_status(), kFailed or kPlanned.
PRESSO_DEVICE void finish_block(const BlockPlan& plan, std::uint32_t decoded, std::uint32_t hashed,
                                std::uint32_t* status) {
  if (decoded == kDecoded) {
    hash_segments(plan, plan.out, hashed / xxh3::kSegmentBytes + simt::warp_in_block(),
                  simt::block_threads() / simt::kWarpSize, xxh3::segment_keys());
    finish_content_check(plan, status);
  } else if (simt::thread_in_block() == 0) {
    *status = decoded;
  }
}

/// Compares a decoded block with its checksum, by a thread block of any number of warps. Leaves its
/// final status.
PRESSO_DEVICE void verify_decoded(const BlockPlan& plan, std::uint32_t* status) {
  hash_block(plan, plan.out);
  finish_content_check(plan, status);
}

}  // namespace presso::gpu
