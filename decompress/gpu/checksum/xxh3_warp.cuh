// SPDX-License-Identifier: MIT
// XXH3 by whole warps (FORMAT.md 8), on the pieces of gpu/xxh3.h.
//
// Four neighbouring lanes, a quad, hold the eight accumulators of one input, a pair a lane, so that
// each lane loads 16 bytes of a stripe and needs nothing of its neighbours. The warp's eight quads
// take eight consecutive stripes at once: one load of all lanes is 512 consecutive bytes.
//
//   one input       a lane's share of 16 stripes is summed over the quads: three shuffles of a pair
//   eight segments  quad g ends up with the sums of segment g: a tree in which lanes give away the
//                   half that they do not keep, 14 words a lane instead of 48. All lanes take part
//                   in the finish, and each quad holds the hash of its segment
//   apart           quad g reads segment g alone: nothing to exchange, but 64 bytes here and there,
//                   which suits shared memory
//
// Cost of eight segments, counted in machine code (sm_90): 45 instructions of a warp for 1 KiB; of
// one segment at a time, 95.
//
// Everything here is collective: all lanes of a warp call it with the same arguments. Words come
// from a source, `Pair operator()(u32 at)`: the 16 bytes from offset `at` of shared or global
// memory. Segments ask for multiples of 16 only. Test: tests/simt/xxh3_warp_test.cpp.
#pragma once

#include "decompress/gpu/checksum/xxh3.h"
#include "decompress/gpu/simt/simt.h"

namespace presso::gpu {

namespace xxh3 {

using simt::kWarpSize;
using simt::lane;
using simt::shuffle_xor;

constexpr u32 kSegmentBytes = 1024;
constexpr u32 kQuadLanes = 4;
constexpr u32 kQuads = kWarpSize / kQuadLanes;
static_assert(kQuads * 2 == kRoundStripes);
static_assert(kRoundStripes * kStripeBytes == kSegmentBytes);

/// Which pair of accumulators the lane holds.
PRESSO_DEVICE u32 lane_pair() {
  return lane() % kQuadLanes;
}
/// Which quad the lane is in, and so which stripes, or which of eight inputs, it takes.
PRESSO_DEVICE u32 lane_quad() {
  return lane() / kQuadLanes;
}

// --- sources

PRESSO_DEVICE u64 joined(u32 low, u32 high) {
  return low | u64{high} << 32;  // allow(bare-32): bits
}

/// Device memory that begins at a multiple of 16 and that nobody writes while the kernel runs.
struct ReadonlySource {
  const Byte* from;

  PRESSO_DEVICE Pair operator()(u32 at) const {
    return simt::load_readonly(reinterpret_cast<const Pair*>(from + at));
  }
};

/// Memory at any address. Words are put together from the aligned ones around them, at the ends of
/// the memory from single bytes, since nothing outside of it is read.
struct UnalignedSource {
  const Byte* from;
  u32 size;

  PRESSO_DEVICE Pair operator()(u32 at) const {
    const auto behind = static_cast<u32>(reinterpret_cast<std::uintptr_t>(from + at) % 4);
    if (at < behind || at + kPairBytes + 4 - behind > size) {
      const ByteReader bytes{from};
      return {bytes.word64(at), bytes.word64(at + 8)};
    }
    const Byte* aligned = from + at - behind;
    u32 words[5];
    for (u32 i = 0; i < 5; ++i) words[i] = load_aligned<u32>(aligned + 4 * i);
    for (u32 i = 0; i < 4; ++i) {
      words[i] = simt::funnel_shift_right(words[i], words[i + 1], 8 * behind);
    }
    return {joined(words[0], words[1]), joined(words[2], words[3])};
  }
};

// --- pairs across lanes

PRESSO_DEVICE Pair exchange(Pair value, u32 mask) {
  return {shuffle_xor(value.even, mask), shuffle_xor(value.odd, mask)};
}

/// The sum of the eight quads' pairs, in all of them.
PRESSO_DEVICE Pair sum_over_quads(Pair share) {
  for (u32 mask = kQuadLanes; mask < kWarpSize; mask *= 2) share = share + exchange(share, mask);
  return share;
}

/// Two sums at once, each halfway: lanes without `mask` keep `low`, those with it `high`, and each
/// adds what its partner had of it.
PRESSO_DEVICE Pair keep_and_add(Pair low, Pair high, u32 mask) {
  const bool upper = (lane() & mask) != 0;
  return (upper ? high : low) + exchange(upper ? low : high, mask);
}

/// The hash of an input of `bytes`, whose eight accumulators are those of the lane's quad, in its
/// four lanes.
PRESSO_DEVICE u64 finish_quad(Pair sums, u32 bytes) {
  u64 fold = fold_pair(sums, lane_pair());
  for (u32 mask = 1; mask < kQuadLanes; mask *= 2) fold += shuffle_xor(fold, mask);
  return avalanche(bytes * kPrime1 + fold);
}

// --- segments of 1 KiB

/// The lane's part of the secret for its two stripes of a segment, `quad` and `quad + 8`: loaded
/// once, used for many segments.
struct SegmentKeys {
  Pair near;
  Pair far;
};

PRESSO_DEVICE SegmentKeys segment_keys() {
  const u32 pair = kPairBytes * lane_pair();
  const u32 far_key = lane_quad() + 1 == kQuads ? kLastStripeKey : 8 * (kQuads + lane_quad());
  return {secret_pair(8 * lane_quad() + pair), secret_pair(far_key + pair)};
}

/// What the lane's two stripes of the segment at offset `at` add to its pair of accumulators.
template <class Source>
PRESSO_DEVICE Pair segment_share(const Source& source, u32 at, const SegmentKeys& keys) {
  Pair share{0, 0};
  accumulate(share, source(at + kPairBytes * lane()), keys.near);
  accumulate(share, source(at + kSegmentBytes / 2 + kPairBytes * lane()), keys.far);
  return share;
}

/// The accumulators of one segment, in every quad.
template <class Source>
PRESSO_DEVICE Pair segment_sums(const Source& source, u32 at, const SegmentKeys& keys) {
  return start_pair(lane_pair()) + sum_over_quads(segment_share(source, at, keys));
}

/// For 2 * mask / 4 segments that stand one after another. Each lane gets the sum of the shares of
/// one of them, the one that the lane's bits up to `mask` name, over the lanes that differ in these
/// bits.
template <u32 mask, class Source>
PRESSO_DEVICE Pair gather_shares(const Source& source, u32 at, const SegmentKeys& keys) {
  if constexpr (mask < kQuadLanes) {
    return segment_share(source, at, keys);
  } else {
    const Pair low = gather_shares<mask / 2>(source, at, keys);
    const u32 half = mask / kQuadLanes * kSegmentBytes;
    return keep_and_add(low, gather_shares<mask / 2>(source, at + half, keys), mask);
  }
}

// --- other lengths

/// Eight-byte words; for offsets that are multiples of 8.
struct WordSource {
  const u64* from;

  PRESSO_DEVICE Pair operator()(u32 at) const { return {from[at / 8], from[at / 8 + 1]}; }
};

/// The stripes after the last full round, `stripes` of them, and the one that ends the input.
template <class Source>
PRESSO_DEVICE Pair last_share(const Source& source, u32 at, u32 stripes, u32 size,
                              const SegmentKeys& keys) {
  Pair share{0, 0};
  const u32 word = kPairBytes * lane();
  if (lane_quad() < stripes) accumulate(share, source(at + word), keys.near);
  if (lane_quad() + kQuads < stripes) {
    accumulate(share, source(at + kSegmentBytes / 2 + word), keys.far);
  }
  if (lane_quad() == 0) {
    const u32 pair = kPairBytes * lane_pair();
    accumulate(share, source(size - kStripeBytes + pair), secret_pair(kLastStripeKey + pair));
  }
  return share;
}

/// Hashes more than kLongestFolded bytes. The scrambling makes one round wait for the other.
template <class Source>
PRESSO_DEVICE u64 warp_hash_long(const Source& source, u32 size) {
  const u32 key = 8 * lane_quad() + kPairBytes * lane_pair();
  const SegmentKeys keys{secret_pair(key), secret_pair(key + 8 * kQuads)};
  const u32 stripes = (size - 1) / kStripeBytes;
  const u32 rounds_end = stripes / kRoundStripes * kSegmentBytes;
  Pair sums = start_pair(lane_pair());
  for (u32 at = 0; at < rounds_end; at += kSegmentBytes) {
    sums = sums + sum_over_quads(segment_share(source, at, keys));
    scramble(sums, lane_pair());
  }
  const Pair share = last_share(source, rounds_end, stripes % kRoundStripes, size, keys);
  return finish_quad(sums + sum_over_quads(share), size);
}

}  // namespace xxh3

/// XXH3-64 of `size` bytes at any address, in all lanes.
PRESSO_DEVICE std::uint64_t warp_xxh3(const Byte* from, std::uint32_t size) {
  if (size <= xxh3::kLongestFolded) return xxh3::hash_folded(xxh3::ByteReader{from}, size);
  return xxh3::warp_hash_long(xxh3::UnalignedSource{from, size}, size);
}

/// XXH3 of `count` words. Applied to a block's segment hashes it gives the content checksum.
PRESSO_DEVICE std::uint64_t warp_xxh3_words(const std::uint64_t* words, std::uint32_t count) {
  const auto size = static_cast<std::uint32_t>(count * sizeof *words);
  if (size <= xxh3::kLongestFolded) {
    return xxh3::hash_folded(xxh3::ByteReader{reinterpret_cast<const Byte*>(words)}, size);
  }
  return xxh3::warp_hash_long(xxh3::WordSource{words}, size);
}

/// The hash of one segment, in all lanes.
template <class Source>
PRESSO_DEVICE std::uint64_t warp_segment_hash(const Source& source, std::uint32_t at,
                                              const xxh3::SegmentKeys& keys) {
  return xxh3::finish_quad(xxh3::segment_sums(source, at, keys), xxh3::kSegmentBytes);
}

/// The hashes of the eight segments from offset `at` on: of segment g in the four lanes of quad g.
template <class Source>
PRESSO_DEVICE std::uint64_t warp_segment_hashes(const Source& source, std::uint32_t at,
                                                const xxh3::SegmentKeys& keys) {
  const xxh3::Pair shares = xxh3::gather_shares<xxh3::kWarpSize / 2>(source, at, keys);
  return xxh3::finish_quad(xxh3::start_pair(xxh3::lane_pair()) + shares, xxh3::kSegmentBytes);
}

/// The hashes of kCount segments, 4 or 8, whose bytes are in shared memory, at a multiple of 64:
/// quad q takes segment q % kCount, which begins at `segment`, and holds its hash in the end.
/// Neighbouring quads take their stripes in different order, so that they read different banks.
template <xxh3::u32 kCount>
PRESSO_DEVICE std::uint64_t warp_segment_hashes_apart(const Byte* segment) {
  using xxh3::Pair;
  using xxh3::u32;
  constexpr u32 kShare = xxh3::kSegmentBytes * kCount / xxh3::kQuads;
  constexpr u32 kTwoStripes = 2 * xxh3::kStripeBytes;
  const u32 begin = xxh3::lane_quad() / kCount * kShare + xxh3::kPairBytes * xxh3::lane_pair();
  const u32 skew = xxh3::lane_quad() % 2 * xxh3::kStripeBytes;
  Pair sums{0, 0};
  PRESSO_UNROLL
  for (u32 at = begin; at < begin + kShare; at += kTwoStripes) {
    for (const u32 word : {at + skew, at + xxh3::kStripeBytes - skew}) {
      xxh3::accumulate(sums, xxh3::load_pair(segment + word), xxh3::segment_key(word));
    }
  }
  for (u32 mask = kCount * xxh3::kQuadLanes; mask < xxh3::kWarpSize; mask *= 2) {
    sums = sums + xxh3::exchange(sums, mask);
  }
  return xxh3::finish_quad(xxh3::start_pair(xxh3::lane_pair()) + sums, xxh3::kSegmentBytes);
}

}  // namespace presso::gpu
