// SPDX-License-Identifier: MIT
// The tile decoder: a thread block decodes a block of the file, 1 KiB of output (a tile) at a time.
// One warp parses ahead (tile_parser.cuh), the others copy. Catalogue S7.6, S7.7, S7.16, S7.17.
//
// Threads to data: each lane of the copying warps owns 4 or 8 consecutive bytes of the tile. It
// finds the segment of its first byte by counting bits of the tile's bitmap, gathers byte for byte
// from the history in shared memory, where the literals are too, and stores once. Segments of any
// length cost the same, and all lanes are busy.
// Near matches, whose source ends behind the tile's start, are left out of that pass and executed
// afterwards: in their order by one warp, or all at once where the block's rule allows it.
//
// Synchronisation: one barrier of all threads a tile (tables of tile k + 1 are ready, bytes of tile
// k are final), and one of the copying warps where a tile has near matches.
//
// Declines (leaves in state kPlanned): min_match below 4, sequences of less than 4 bytes, raw
// blocks.
#pragma once

#include "decompress/gpu/tile_parser.cuh"

namespace presso::gpu {

template <class Policy>
class TileCopier {
 public:
  PRESSO_DEVICE TileCopier(const BlockPlan& plan, TileShared<Policy>& shared)
      : plan_(plan), shared_(shared), memory_(shared.ring) {
    place_ = (simt::thread_in_block() - simt::kWarpSize) * Policy::kLaneBytes;
    out_aligned_ = (reinterpret_cast<u64>(plan.out) & 7) == 0;
  }

  /// Everything of one tile but its way to global memory.
  PRESSO_DEVICE void copy(u32 tile) {
    const TileInfo info = shared_.infos[tile % kTilesAhead];
    if (info.external == 0) {
      copy_far<false>(tile);
    } else {
      copy_far<true>(tile);
    }
    if (info.near_count != 0) {
      simt::named_barrier_sync(1, Policy::kCopiers * simt::kWarpSize);
      if (simt::warp_in_block() == 1 + tile % Policy::kCopiers) copy_near_in_order(info);
    }
  }

  /// Copies the finished tile to global memory; before copy() of the next.
  PRESSO_DEVICE void flush(u32 tile) {
    const u32 from = tile * kTileBytes + place_;
    const u32 left = plan_.plain_bytes > from ? plan_.plain_bytes - from : 0;
    const Byte* const source = memory_ + ring_ + place_;
    if (left >= Policy::kLaneBytes && out_aligned_) {
      if constexpr (Policy::kLaneBytes == 8) {
        simt::store_streaming(reinterpret_cast<u64*>(plan_.out + from),
                              *reinterpret_cast<const u64*>(source));
      } else {
        simt::store_streaming(reinterpret_cast<u32*>(plan_.out + from),
                              *reinterpret_cast<const u32*>(source));
      }
    } else {
      const u32 count = left < Policy::kLaneBytes ? left : Policy::kLaneBytes;
      for (u32 i = 0; i < count; ++i) plan_.out[from + i] = source[i];
    }
  }

  PRESSO_DEVICE void next_tile() {
    ring_ += kTileBytes;
    if (ring_ == Policy::kRing) ring_ = 0;
  }

 private:
  template <bool kWithExternal>
  PRESSO_DEVICE u32 gather(u32 place, u32 word) const {
    const u32 at = place + word;
    if constexpr (kWithExternal) {
      if (at >= kExternal) {
        const int position = static_cast<int>(at - kExternalBias);
        if (position >= static_cast<int>(plan_.plain_bytes)) return 0;  // behind the block's end
        if (position >= 0) return plan_.out[position];
        return simt::load_readonly(plan_.dictionary + plan_.dictionary_bytes + position);
      }
    }
    return memory_[at];
  }

  /// Literals and all matches that are not near.
  template <bool kWithExternal>
  PRESSO_DEVICE void copy_far(u32 tile) {
    if (tile * kTileBytes + place_ >= plan_.plain_bytes) return;
    const OwnerWord owner = shared_.owners[tile % kTilesAhead * kTileWords + place_ / 32];
    const u32 bit = place_ % 32;
    const u32* slot =
        shared_.slots + owner.slot + simt::popcount(owner.starts & (0xFFFFFFFFu >> (31 - bit)));
    const u32 starts = owner.starts >> bit;
    const u32 place = ring_ + place_;
    u32 word = *slot;
    u32 bytes[Policy::kLaneBytes];
    bytes[0] = gather<kWithExternal>(place, word);
#pragma unroll
    for (u32 i = 1; i < Policy::kLaneBytes; ++i) {
      if ((starts >> i & 1) != 0) word = *++slot;
      bytes[i] = gather<kWithExternal>(place + i, word);
    }
    const u32 low = four(bytes);
    if constexpr (Policy::kLaneBytes == 8) {
      const u64 both = low | u64{four(bytes + 4)} << 32;
      *reinterpret_cast<u64*>(memory_ + place) = both;
      if (ring_ == 0) *reinterpret_cast<u64*>(memory_ + Policy::kRing + place) = both;
    } else {
      *reinterpret_cast<u32*>(memory_ + place) = low;
      if (ring_ == 0) *reinterpret_cast<u32*>(memory_ + Policy::kRing + place) = low;
    }
  }

  static PRESSO_DEVICE u32 four(const u32* bytes) {
    return simt::byte_permute(simt::byte_permute(bytes[0], bytes[1], 0x0040),
                              simt::byte_permute(bytes[2], bytes[3], 0x0040), 0x5410);
  }

  PRESSO_DEVICE void copy_near_in_order(const TileInfo& info) {
    for (u32 i = 0; i < info.near_count; ++i) {
      const u32 entry = shared_.near[(info.near_begin + i) % kNearEntries];
      copy_near(entry, simt::lane(), simt::kWarpSize);
      simt::warp_sync();
    }
  }

  /// Bytes first, first + step, ... of a near match. One that overlaps itself repeats the bytes
  /// before it.
  PRESSO_DEVICE void copy_near(u32 entry, u32 first, u32 step) {
    const u32 to = ring_ + entry % kTileBytes;
    const u32 length = (entry >> kTileLog2) % kTileBytes + 1;
    const u32 distance = entry >> (2 * kTileLog2);
    const u32 from = to >= distance ? to - distance : to + Policy::kRing - distance;
    for (u32 i = first; i < length; i += step) {
      u32 source = from + (distance < length ? i % distance : i);
      if (source >= Policy::kRing) source -= Policy::kRing;
      const Byte value = memory_[source];
      memory_[to + i] = value;
      if (ring_ == 0) memory_[Policy::kRing + to + i] = value;
    }
  }

  const BlockPlan plan_;
  TileShared<Policy>& shared_;
  Byte* memory_;
  u32 place_;     // this lane's first byte within a tile
  u32 ring_ = 0;  // where the tile lies in the ring
  bool out_aligned_;
};

template <class Policy>
PRESSO_DEVICE void tile_decoder_parse(const BlockPlan& plan, TileShared<Policy>& shared,
                                      u32* status, u32 tiles) {
  TileParser<Policy> parser(plan, shared);
  for (u32 tile = 0; tile <= tiles; ++tile) {
    if (tile < tiles) parser.build(tile);
    const bool stop = parser.failed() || parser.unsupported();
    if (simt::lane() == 0 && stop) shared.stop = 1;
    simt::block_sync();
    if (stop) break;
  }
  if (parser.unsupported()) return;
  const bool good = !parser.failed() && parser.complete();
  if (simt::lane() == 0) *status = good ? u32{0} : u32{kFailed};
}

template <class Policy>
PRESSO_DEVICE void tile_decoder_copy(const BlockPlan& plan, TileShared<Policy>& shared, u32 tiles) {
  TileCopier<Policy> copier(plan, shared);
  for (u32 tile = 0; tile <= tiles; ++tile) {
    simt::block_sync();
    if (shared.stop != 0) return;
    if (tile > 0) {
      copier.flush(tile - 1);
      copier.next_tile();
    }
    if (tile < tiles) copier.copy(tile);
  }
}

template <class Policy>
PRESSO_DEVICE void tile_decoder_body(const BlockPlan* plans, u32* statuses) {
  const u32 block = simt::block_index();
  const BlockPlan& plan = plans[block];
  if (statuses[block] != kPlanned || plan.coding != static_cast<Byte>(Coding::kByte) ||
      plan.min_match < 4) {
    return;
  }
  auto& shared = *reinterpret_cast<TileShared<Policy>*>(simt::shared_memory());
  for (u32 i = simt::thread_in_block(); i < kTilesAhead * kTileWords; i += Policy::kThreads) {
    shared.starts[i] = 0;
  }
  if (simt::thread_in_block() < kTilesAhead) {
    shared.near_counts[simt::thread_in_block()] = 0;
    shared.externals[simt::thread_in_block()] = 0;
    simt::bulk_barrier_init(&shared.literal_barriers[simt::thread_in_block()]);
  }
  if (simt::thread_in_block() == 0) shared.stop = 0;
  simt::block_sync();
  const u32 tiles = (plan.plain_bytes + kTileBytes - 1) / kTileBytes;
  if (simt::warp_in_block() == 0) {
    tile_decoder_parse(plan, shared, &statuses[block], tiles);
  } else {
    tile_decoder_copy(plan, shared, tiles);
  }
}

}  // namespace presso::gpu
