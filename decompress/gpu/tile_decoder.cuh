// SPDX-License-Identifier: MIT
// The tile decoder: a thread block decodes a block of the file, 1 KiB of output (a tile) at a time.
// One warp parses ahead (tile_parser.cuh), the others copy. Catalogue S7.6, S7.7, S7.16, S7.17.
//
// Threads to data: each lane of the copying warps owns 4 or 8 consecutive bytes of the tile. It
// finds the segment of its first byte by a prefix sum over the tile's marks, gathers byte for byte
// from the history in shared memory, where the literals are too, and stores once. Segments of any
// length cost the same, and all lanes are busy.
// Near matches, whose source ends behind the tile's start, are left out of that pass and executed
// afterwards, in their order by one warp, so that no dependency rule is asked for.
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
    Byte* const marks = shared_.steps + tile % kTilesAhead * kTileBytes + place_;
    const PartStart part =
        shared_.parts[tile % kTilesAhead * Policy::kCopiers + simt::warp_in_block() - 1];
    constexpr u32 kWords = Policy::kLaneBytes / 4;
    u32 steps[kWords];
    if constexpr (kWords == 2) {
      const u64 both = *reinterpret_cast<const u64*>(marks);
      *reinterpret_cast<u64*>(marks) = 0;
      steps[0] = static_cast<u32>(both);
      steps[1] = static_cast<u32>(both >> 32);  // allow(bare-32): bits
    } else {
      steps[0] = *reinterpret_cast<const u32*>(marks);
      *reinterpret_cast<u32*>(marks) = 0;
    }
    u32 sum = simt::dot4(steps[0], kEachByte, 0);
    if constexpr (kWords == 2) sum = simt::dot4(steps[1], kEachByte, sum);
    const u32 first = part.slot + simt::inclusive_sum(sum) - sum + (steps[0] & 255);
    if (tile * kTileBytes + place_ >= plan_.plain_bytes) return;
    const Byte* slot =
        reinterpret_cast<const Byte*>(shared_.records) + first % (sizeof(SourceWords) * kRecords);
    const u32 place = ring_ + place_;
    u32 word = first == part.slot ? part.word : *reinterpret_cast<const u32*>(slot);
    u32 bytes[Policy::kLaneBytes];
    bytes[0] = gather<kWithExternal>(place, word);
    PRESSO_UNROLL
    for (u32 i = 1; i < Policy::kLaneBytes; ++i) {
      const u32 step = steps[i / 4] >> (8 * (i % 4)) & 255;
      if (step != 0) {
        slot += step;
        word = *reinterpret_cast<const u32*>(slot);
      }
      bytes[i] = gather<kWithExternal>(place + i, word);
    }
    const u32 low = four(bytes);
    if constexpr (Policy::kLaneBytes == 8) {
      const u64 both = low | u64{four(bytes + 4)} << 32;  // allow(bare-32): bits
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
    for (u32 first = 0; first < info.near_count; first += simt::kWarpSize) {
      const u32 entries = shared_.near[(info.near_begin + first + simt::lane()) % kNearEntries];
      const u32 left = info.near_count - first;
      const u32 count = left < simt::kWarpSize ? left : simt::kWarpSize;
      for (u32 i = 0; i < count; ++i) {
        copy_near(simt::shuffle(entries, static_cast<int>(i)), simt::lane(), simt::kWarpSize);
        simt::warp_sync();
      }
    }
  }

  /// Bytes first, first + step, ... of a near match. One that overlaps itself repeats the bytes
  /// before it.
  PRESSO_DEVICE void copy_near(u32 entry, u32 first, u32 step) {
    const u32 to = ring_ + entry % kTileBytes;
    const u32 length = (entry >> kTileLog2) % kTileBytes + 1;
    const u32 distance = entry >> (2 * kTileLog2);
    const u32 from = to >= distance ? to - distance : to + Policy::kRing - distance;
    if (distance >= length && from + length <= Policy::kRing) {
      for (u32 i = first; i < length; i += step) put(to + i, memory_[from + i]);
    } else {
      for (u32 i = first; i < length; i += step) {
        const u32 source = from + (distance < length ? i % distance : i);
        put(to + i, memory_[source < Policy::kRing ? source : source - Policy::kRing]);
      }
    }
  }

  PRESSO_DEVICE void put(u32 place, Byte value) {
    memory_[place] = value;
    if (ring_ == 0) memory_[Policy::kRing + place] = value;
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
  for (u32 i = 4 * simt::thread_in_block(); i < sizeof shared.steps; i += 4 * Policy::kThreads) {
    *reinterpret_cast<u32*>(shared.steps + i) = 0;
  }
  if (simt::thread_in_block() < kTilesAhead) {
    shared.near_counts[simt::thread_in_block()] = 0;
    shared.externals[simt::thread_in_block()] = 0;
  }
  if (simt::thread_in_block() < kLiteralRing / kLiteralChunk) {
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
