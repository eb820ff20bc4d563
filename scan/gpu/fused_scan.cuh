// SPDX-License-Identifier: MIT
// Kernels of a fused scan (fused_scan.h): the relay decoder with a warp that scans what the copiers
// have made, and what comes behind it.
//
// The scanning warp takes five pages of 4 KiB at a time out of the decoder's ring, while copiers
// and parsers are up to six pages ahead. Copiers tell it by two mbarriers that a stretch is there,
// it tells parsers by two others that it has been scanned: they wait before they request literals
// for a place that it may still be reading. A page is written to device memory only until the first
// '\n' of the block has been seen: what is before it belongs to a line that began in another block,
// and tile_chain.cuh may have to look at it again. Blocks without '\n' are written whole.
//
//   fused_relay_kernel   blocks in state kSurveyed: statuses as relay_decoder_kernel leaves them,
//                        summaries, and lines of sound blocks added to a temporary count
//   left_blocks_kernel   behind all decoding: a warp scans each block that others have decoded
//   (tile_chain.cuh)     first lines of blocks that began under a wrong guess
//   add_lines_kernel     the count, unless a block failed
//
// Shared memory: the decoder's, then FusedShared, of which 256 bytes are the classes of bytes; the
// automaton's rows come through the L1 cache, since three blocks of the decoder leave 600 bytes.
// Test: tests/simt/fused_scan_test.cpp.
#pragma once

#include "decompress/gpu/policies.h"
#include "decompress/gpu/relay_decoder.cuh"
#include "scan/gpu/stretch_scan.cuh"

namespace presso::gpu {

/// Behind RelayShared.
struct FusedShared {
  Byte classes[kClassMapBytes];
  u64 made[2];     ///< mbarriers, of stretches in turn: copiers arrive, the scanner waits
  u64 scanned[2];  ///< the scanner arrives, parsers wait
  u32 closed;      ///< a '\n' has been seen
  u32 lines;
  TileSummary summary;
};

/// A block's bytes while they are in the decoder's ring.
template <u32 kRing>
struct RingSource {
  using Place = u32;

  PRESSO_DEVICE Place at(u32 position) const { return position % kRing; }
  PRESSO_DEVICE Quad quad(Place place) const {
    return simt::load_shared_16(reinterpret_cast<const Quad*>(simt::shared_memory() + place));
  }
  PRESSO_DEVICE u32 word(Place place) const { return simt::load_shared<u32, 0>(place); }
  PRESSO_DEVICE Place next(Place place, u32 bytes) const {
    const u32 to = place + bytes;
    return to < kRing ? to : to - kRing;
  }
  PRESSO_DEVICE u32 byte(u32 position) const {
    return simt::load_shared<Byte, 0>(position % kRing);
  }
};

/// In device memory, at a multiple of 16.
struct BlockSource {
  using Place = u32;
  const Byte* block;

  PRESSO_DEVICE Place at(u32 position) const { return position; }
  PRESSO_DEVICE Quad quad(Place place) const {
    return simt::load_readonly(reinterpret_cast<const Quad*>(block + place));
  }
  PRESSO_DEVICE u32 word(Place place) const {
    return simt::load_readonly(reinterpret_cast<const u32*>(block + place));
  }
  PRESSO_DEVICE Place next(Place place, u32 bytes) const { return place + bytes; }
  PRESSO_DEVICE u32 byte(u32 position) const { return simt::load_readonly(block + position); }
};

/// The state that a block is begun in.
PRESSO_DEVICE u32 guess_of(const FusedScanArguments& fused, u32 block) {
  const LineScanArguments& scan = fused.scan;
  return block == 0 && scan.d_state_in != nullptr ? *scan.d_state_in : scan.table.start;
}
PRESSO_DEVICE bool ends_text(const FusedScanArguments& fused, u32 block) {
  return block + 1 == fused.blocks && fused.scan.d_state_out == nullptr;
}

/// A PageSink (page_sink.h).
template <class Relay>
class LineSink {
 public:
  static constexpr u32 kWarps = 1;
  static constexpr u32 kShared = sizeof(RelayShared<Relay>);
  static constexpr u32 kSharedBytes = kShared + sizeof(FusedShared);

  PRESSO_DEVICE LineSink(const BlockPlan& plan, const FusedScanArguments& fused)
      : plan_(plan), fused_(fused) {}

  PRESSO_DEVICE void begin() const {
    if (simt::thread_in_block() == 0) {
      for (u32 i = 0; i < 2; ++i) {
        simt::mbarrier_init(&shared().made[i], kCopierThreads);
        simt::mbarrier_init(&shared().scanned[i], kWarpSize);
      }
      shared().closed = 0;
    }
    if (simt::thread_in_block() >= Relay::kThreads) Rows::copy_classes(fused_.scan.table);
  }

  /// Lanes may see a '\n' at different pages, which makes no difference. Pages that copiers do not
  /// hash from the ring are hashed from device memory.
  PRESSO_DEVICE bool wants(u32 page) const {
    return simt::load_shared<u32, kShared + offsetof(FusedShared, closed)>(0) == 0 ||
           page * Relay::kPageBytes >= RelayCopier<Relay>::hashed(plan_.plain_bytes);
  }

  PRESSO_DEVICE void made(u32 page, u32 pages) const {
    if ((page + 1) % kStretchPages != 0 && page + 1 < pages) return;
    simt::mbarrier_arrive(&shared().made[page / kStretchPages % 2]);
  }

  PRESSO_DEVICE void await_room(u32 page) const {
    if (page < kFirstWait || (page - kFirstWait) % kStretchPages != 0) return;
    const u32 stretch = (page - kFirstWait) / kStretchPages;
    simt::mbarrier_wait(&shared().scanned[stretch % 2], stretch / 2 % 2);
  }

  PRESSO_DEVICE void run() const {
    StretchScan<Rows, Source> scan(fused_.table, fused_.literals, {}, plan_.plain_bytes,
                                   guess_of(fused_, simt::block_index()),
                                   ends_text(fused_, simt::block_index()));
    u32 left = plan_.plain_bytes;
    PRESSO_NO_UNROLL
    for (u32 stretch = 0; left > 0; ++stretch) {
      simt::mbarrier_wait(&shared().made[stretch % 2], stretch / 2 % 2);
      const u32 bytes = left < kMostStretchBytes ? left : kMostStretchBytes;
      scan.take(bytes);
      if (simt::lane() == 0 && scan.is_closed()) shared().closed = 1;
      simt::mbarrier_arrive(&shared().scanned[stretch % 2]);
      left -= bytes;
    }
    scan.finish();
    const u32 lines = scan.lines();
    if (simt::lane() > 0) return;
    shared().summary = scan.summary();
    shared().lines = lines;
  }

  PRESSO_DEVICE void finish(bool good) const {
    if (simt::thread_in_block() != 0) return;
    TileSummary summary = shared().summary;
    summary.reserved = good ? kScanned : kNotScanned;
    fused_.scan.d_tiles[simt::block_index()] = summary;
    if (good) simt::atomic_add(fused_.scan.d_lines, u64{shared().lines});
  }

 private:
  using Rows = FusedRows<kShared + offsetof(FusedShared, classes)>;
  using Source = RingSource<Relay::kRing>;
  static constexpr u32 kStretchPages = kMostStretchBytes / Relay::kPageBytes;
  static_assert(kMostStretchBytes % Relay::kPageBytes == 0);
  /// The first page in front of which a stretch must have been scanned, the first one: filling page
  /// p overwrites what lies kRing bytes below the end of page p + 1 and two quads more; a stretch
  /// reads the bytes before it, too.
  static constexpr u32 kFirstWait =
      (Relay::kRing - kWarmBytes - 2 * kQuadBytes) / Relay::kPageBytes - 1;
  static_assert(kFirstWait >= kStretchPages, "else all would wait for each other");

  PRESSO_DEVICE static FusedShared& shared() {
    return *reinterpret_cast<FusedShared*>(simt::shared_memory() + kShared);
  }

  const BlockPlan& plan_;
  const FusedScanArguments& fused_;
};

template <class Relay, bool kBit>
PRESSO_DEVICE void fused_relay_body(const BlockBatch& batch, const FusedScanArguments& fused) {
  const u32 block = simt::block_index();
  if (batch.status[block] != kSurveyed) {
    if (simt::thread_in_block() == 0) fused.scan.d_tiles[block].reserved = kNotScanned;
    return;
  }
  const BlockPlan plan = batch.plans[block];
  relay_decode<Relay, kBit>(plan, batch.status + block, LineSink<Relay>(plan, fused));
}

/// Whether a block is sound and lies where the text has it.
PRESSO_DEVICE bool is_in_place(const FusedScanArguments& fused, u32 block) {
  const BlockSpan& span = fused.d_spans[block];
  return fused.d_status[block] == status_of(ErrorCode::kOk) &&
         span.plain_offset == u64{block} * fused.block_bytes() &&
         span.plain_bytes == fused.bytes_of(block);
}

/// Shared memory: the classes of bytes.
PRESSO_DEVICE void left_blocks_body(const FusedScanArguments& fused) {
  using Rows = FusedRows<0>;
  const LineScanArguments& scan = fused.scan;
  const u32 warps = simt::block_threads() / kWarpSize;
  const u32 warp = simt::shuffle(simt::warp_in_block(), 0);
  if (warp == 0) Rows::copy_classes(scan.table);
  simt::block_sync();
  for (u32 block = simt::block_index() * warps + warp; block < fused.blocks;
       block += simt::grid_blocks() * warps) {
    const bool is_sound = is_in_place(fused, block);
    if (is_sound && scan.d_tiles[block].reserved == kScanned) continue;
    const u32 bytes = is_sound ? fused.bytes_of(block) : 0;
    StretchScan<Rows, BlockSource> tile(fused.table, fused.literals,
                                        {scan.d_text + u64{block} * fused.block_bytes()}, bytes,
                                        guess_of(fused, block), ends_text(fused, block));
    for (u32 at = 0; at < bytes; at += kMostStretchBytes) {
      const u32 left = bytes - at;
      tile.take(left < kMostStretchBytes ? left : kMostStretchBytes);
    }
    if (is_sound) tile.finish();
    const u32 lines = tile.lines();
    if (simt::lane() > 0) continue;
    scan.d_tiles[block] = tile.summary();
    if (is_sound) {
      simt::atomic_add(scan.d_lines, u64{lines});
    } else {
      simt::atomic_add(fused.d_failed, 1);
    }
  }
}

/// One thread.
PRESSO_DEVICE void add_lines_body(const FusedScanArguments& fused) {
  if (simt::thread_in_block() != 0) return;
  if (*fused.d_failed == 0) {
    *fused.d_lines += *fused.scan.d_lines;
  } else if (fused.d_failed_blocks != nullptr) {
    *fused.d_failed_blocks += *fused.d_failed;
  }
}

}  // namespace presso::gpu
