// SPDX-License-Identifier: MIT
// Kernels of a fused scan (fused_scan.h): the relay decoder, whose copiers look for literals' grams
// in the pages that they have made, and what comes behind it.
//
// Behind the barrier that ends page p, the copiers share out page p - 1 and compare each four bytes
// of it, and of what goes on in the next, with the grams: 2 to 3 instructions a byte. If a gram
// stands somewhere, the first of them runs the automaton over that page and the next
// (stretch_scan.cuh), through the L1 cache, and all wait; else there is nothing to do but to find
// the block's first '\n'.
//
// A page is written to device memory only until the first '\n' of the block has been seen: what is
// before it belongs to a line that began in another block, and tile_chain.cuh may have to look at
// it again. Blocks without '\n' are written whole.
//
//   fused_relay_kernel   blocks in state kSurveyed: statuses as relay_decoder_kernel leaves them,
//                        summaries, and lines of sound blocks added to a temporary count
//   left_blocks_kernel   behind all decoding: a warp scans each block that others have decoded
//   (tile_chain.cuh)     first lines of blocks that began under a wrong guess
//   add_lines_kernel     the count, unless a block failed
//
// Shared memory: the decoder's, then FusedShared, of which 256 bytes are the classes of bytes;
// three thread blocks leave 600 bytes each. Test: tests/simt/fused_scan_test.cpp.
#pragma once

#include "decompress/gpu/plan/policies.h"
#include "decompress/gpu/relay/relay_decoder.cuh"
#include "scan/gpu/stretch_scan.cuh"

namespace presso::gpu {

/// Behind RelayShared.
struct FusedShared {
  Byte classes[kClassMapBytes];
  u32 found[4];  ///< whether a gram stands in a page, of the pages in turn
  u32 closed;    ///< whether a '\n' has been seen
  // The settler's.
  u32 found_before;  ///< in the last page
  u32 needs_all;     ///< whether pages without grams are of interest, too
  ScanProgress progress;
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

/// A sink of pages (page_sink.h).
template <class Relay>
class GramSink {
 public:
  static constexpr u32 kShared = sizeof(RelayShared<Relay>);
  static constexpr u32 kSharedBytes = kShared + sizeof(FusedShared);

  PRESSO_DEVICE GramSink(const BlockPlan& plan, const FusedScanArguments& fused)
      : plan_(plan), fused_(fused) {}

  PRESSO_DEVICE void begin() const {
    if (simt::thread_in_block() == 0) {
      for (u32 i = 0; i < 4; ++i) shared().found[i] = 0;
      shared().closed = 0;
      shared().found_before = 0;
      shared().needs_all = 1;
      shared().progress = ScanProgress::none();
    }
    if (simt::warp_in_block() == kCopiers) Rows::copy_classes(fused_.scan.table);
  }

  /// Lanes may see a '\n' at different pages, which makes no difference. Pages that copiers do not
  /// hash from the ring are hashed from device memory.
  PRESSO_DEVICE bool wants(u32 page) const {
    return simt::load_shared<u32, kShared + offsetof(FusedShared, closed)>(0) == 0 ||
           page * Relay::kPageBytes >= RelayCopier<Relay>::hashed(plan_.plain_bytes);
  }

  PRESSO_DEVICE void copied(u32 page) const {
    if (page < kLag) return;
    share_out(page - kLag, 1, kCopiers);
    if (page > kLag && simt::warp_in_block() == 0) settle(page - kLag - 1);
  }

  PRESSO_DEVICE void finish(bool good) const {
    const u32 pages = (plan_.plain_bytes + Relay::kPageBytes - 1) / Relay::kPageBytes;
    const u32 probed = pages > kLag ? pages - kLag : 0;
    share_out(probed, pages - probed, simt::block_threads() / kWarpSize);
    simt::block_sync();
    if (simt::warp_in_block() != 0) return;
    for (u32 page = pages > kLag ? pages - kLag - 1 : 0; page < pages; ++page) settle(page);
    const u32 block = simt::block_index();
    Scan scan(fused_.table, {}, plan_.plain_bytes, guess_of(fused_, block),
              ends_text(fused_, block));
    scan.resume(shared().progress, plan_.plain_bytes);
    scan.finish();
    TileSummary summary = scan.summary();
    const u32 lines = scan.lines();
    if (simt::lane() > 0) return;
    summary.reserved = good ? kScanned : kNotScanned;
    fused_.scan.d_tiles[block] = summary;
    if (good) simt::atomic_add(fused_.scan.d_lines, u64{lines});
  }

 private:
  using Rows = FusedRows<kShared + offsetof(FusedShared, classes)>;
  using Source = RingSource<Relay::kRing>;
  using Scan = StretchScan<Rows, Source>;
  /// From a page that has been copied to one that is in the ring with its next.
  static constexpr u32 kLag = 1;
  static constexpr u32 kRowsAPart = 1;
  static constexpr u32 kRowBytes = kWarpSize * kQuadBytes;
  static constexpr u32 kParts = Relay::kPageBytes / (kRowsAPart * kRowBytes);
  static_assert(Relay::kMostDistance > (kLag + 3) * Relay::kPageBytes + kWarmBytes);

  PRESSO_DEVICE static FusedShared& shared() {
    return *reinterpret_cast<FusedShared*>(simt::shared_memory() + kShared);
  }
  /// Pages from `first` on, by the first `warps` warps.
  PRESSO_DEVICE void share_out(u32 first, u32 pages, u32 warps) const {
    PRESSO_NO_UNROLL
    for (u32 part = simt::warp_in_block(); part < pages * kParts; part += warps) {
      probe(first + part / kParts, part % kParts);
    }
  }
  /// A part of a page by a warp. What is behind the block's end may agree: it does no harm.
  PRESSO_DEVICE void probe(u32 page, u32 part) const {
    const LiteralTableView& literals = fused_.literals;
    bool found = true;
    if (literals.count == 0) {
      // Every page is for the automaton.
    } else if (literals.count > 1) {
      found = some_agree<kMostProbed, true>(page, part);
    } else if (literals.masked != 0) {
      found = some_agree<1, true>(page, part);
    } else {
      found = some_agree<1, false>(page, part);
    }
    found = simt::any(found);
    if (found && simt::lane() == 0) simt::atomic_or(&shared().found[page % 4], 1);
  }
  template <u32 kGrams, bool kMasked>
  PRESSO_DEVICE bool some_agree(u32 page, u32 part) const {
    const Source source;
    u32 place = source.at(page * Relay::kPageBytes + part * kRowsAPart * kRowBytes +
                          simt::lane() * kQuadBytes);
    Quad quads[kRowsAPart];
    u32 behind[kRowsAPart];
    PRESSO_UNROLL
    for (u32 row = 0; row < kRowsAPart; ++row) {
      quads[row] = source.quad(place);
      behind[row] = source.word(source.next(place, kQuadBytes));
      place = source.next(place, kRowBytes);
    }
    bool found = false;
    PRESSO_UNROLL
    for (u32 i = 0; i < kRowsAPart * kQuadBytes; ++i) {
      const Quad& quad = quads[i / kQuadBytes];
      const u32 word = i % kQuadBytes / 4;
      const u32 high = word < 3 ? quad.words[(word + 1) % 4] : behind[i / kQuadBytes];
      const u32 text = simt::funnel_shift_right(quad.words[word], high, i % 4 * 8);
      PRESSO_UNROLL
      for (u32 gram = 0; gram < kGrams; ++gram) {
        const LiteralGram& literal = fused_.literals.grams[gram];
        found |= (kMasked ? text & literal.mask : text) == literal.gram;
      }
    }
    return found;
  }

  /// By one warp, pages in order, when it is known where grams stand: a literal that ends
  /// in a page has its gram there or in the page before.
  PRESSO_DEVICE void settle(u32 page) const {
    const u32 found = shared().found[page % 4];
    const bool may_match = (found | shared().found_before) != 0;
    const bool is_of_interest = may_match || shared().needs_all != 0;
    simt::warp_sync();
    if (simt::lane() == 0) {
      shared().found[page % 4] = 0;
      shared().found_before = found;
    }
    if (is_of_interest) look_at(plan_.plain_bytes, fused_, page, may_match);
  }

  PRESSO_DEVICE_CALL void look_at(u32 plain_bytes, const FusedScanArguments& fused, u32 page,
                                  bool may_match) {
    const u32 block = simt::block_index();
    Scan scan(fused.table, {}, plain_bytes, guess_of(fused, block), ends_text(fused, block));
    const u32 at = page * Relay::kPageBytes;
    const u32 left = plain_bytes - at;
    scan.resume(shared().progress, at);
    scan.take(left < Relay::kPageBytes ? left : Relay::kPageBytes, may_match);
    const ScanProgress progress = scan.progress();
    const bool needs_all = scan.needs_all();
    simt::warp_sync();  // all lanes have read the old one
    if (simt::lane() == 0) {
      shared().progress = progress;
      shared().needs_all = needs_all ? 1 : 0;
      shared().closed = scan.is_closed() ? 1 : 0;
    }
    simt::warp_sync();
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
  relay_decode<Relay, kBit>(plan, batch.status + block, GramSink<Relay>(plan, fused));
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
    StretchScan<Rows, BlockSource> tile(fused.table,
                                        {scan.d_text + u64{block} * fused.block_bytes()}, bytes,
                                        guess_of(fused, block), ends_text(fused, block));
    for (u32 at = 0; at < bytes; at += kMostStretchBytes) {
      const u32 left = bytes - at;
      tile.take(left < kMostStretchBytes ? left : kMostStretchBytes, true);
    }
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
