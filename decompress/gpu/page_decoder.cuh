// SPDX-License-Identifier: MIT
// The page decoder: a thread block of eight warps decodes a block of the file, a page of 8 KiB of
// plain bytes at a time, with the history in shared memory. Catalogue S7.6, S7.7, S7.16, S7.17.
//
// For each page all warps parse, each its units of 128 sequences, as the survey has found where
// those begin (segment_tables.cuh); meanwhile the page's literals are copied into the ring, behind
// what the page's own bytes will take before they are used. Then all warps copy, tile by tile
// (tile_copier.cuh).
//
// For data with short sequences. Takes up blocks in state kSurveyedDense; leaves a final status or
// kFailed.
// Test: tests/simt/page_decoder_test.cpp. Benchmark: bench/decode_rate.cpp.
#pragma once

#include "decompress/gpu/content_check.cuh"
#include "decompress/gpu/segment_tables.cuh"

namespace presso::gpu {

template <class Policy>
class PageDecoder {
 public:
  PRESSO_DEVICE PageDecoder(const BlockPlan& plan, PageShared<Policy>& shared)
      : plan_(plan),
        parser_(plan),
        units_(SurveyRecords(plan).units),
        pages_(SurveyRecords(plan).pages),
        units_count_(units_of(plan.sequences)),
        shared_(shared),
        tiles_(shared) {}

  PRESSO_DEVICE void decode() {
    const u32 pages = pages_of(plan_.plain_bytes);
    PageRecord from = simt::load_readonly(pages_);
    PageRecord to = simt::load_readonly(pages_ + 1);
    request_literals(from.start.literals, to.start.literals, tiles_.ring());
    prefetch(from.unit + simt::warp_in_block());
    PRESSO_NO_UNROLL
    for (u32 page = 0; page < pages; ++page) {
      const PageRecord behind =
          page + 2 <= pages ? simt::load_readonly(pages_ + page + 2) : PageRecord{to.start, 0, 0};
      parse(page * Policy::kPageBytes, from, to);
      if (page > 0) hash(page - 1);
      Sync::sync();
      tiles_.prepare(0, 0);
      if (from.start.literals < to.start.literals) {
        simt::bulk_copy_wait(&shared_.literal_barrier, parity_);
        parity_ ^= 1;
      }
      Sync::sync();
      copy(page * Policy::kPageBytes, to.start.literals, behind.start.literals);
      from = to;
      to = behind;
    }
  }

 private:
  using Shared = PageShared<Policy>;

  static constexpr u32 kLiteralAlignment = 16;

  struct Sync {
    static PRESSO_DEVICE void sync() { simt::block_sync(); }
  };

  PRESSO_DEVICE void prefetch(u32 unit) {
    if (unit < units_count_) {
      next_record_ = units_[unit];
      next_ = parser_.load(unit);
    }
  }

  /// The page at `origin`.
  PRESSO_DEVICE void parse(u32 origin, const PageRecord& from, const PageRecord& to) {
    SegmentTables<Policy, Shared> tables(
        shared_, 0, origin, from.start,
        literals_end(to.start.literals) - (to.start.literals - from.start.literals));
    PRESSO_NO_UNROLL
    for (u32 unit = from.unit + simt::warp_in_block(); unit <= to.unit; unit += kCopiers) {
      const UnitRecord record = next_record_;
      const StoredSequences stored = next_;
      LaneSequences lane;
      parser_.parse(unit, stored, record, lane);
      if (unit + kCopiers <= to.unit) prefetch(unit + kCopiers);
      if (record.plain >= origin && simt::all(lane.end <= origin + Policy::kPageBytes)) {
        tables.template emit<true>(stored, lane);
      } else {
        tables.template emit<false>(stored, lane);
      }
    }
    prefetch(to.unit + simt::warp_in_block());
  }

  /// The page before the one being parsed: by the warp that parses least, and often nothing.
  PRESSO_DEVICE void hash(u32 page) {
    if (plan_.segment_hashes == nullptr || simt::warp_in_block() != kCopiers - 1) return;
    const u32 place = tiles_.ring() + Policy::kRing - Policy::kPageBytes;
    hash_in_ring<Policy::kPageBytes / kHashedSegmentBytes, Policy::kRing>(
        plan_, page * Policy::kPageBytes, shared_.ring,
        place < Policy::kRing ? place : place - Policy::kRing);
  }

  /// Behind the last literal of a page that ends before literal `to`, from the page's first byte
  /// on.
  PRESSO_DEVICE u32 literals_end(u32 to) const {
    const u64 stream = reinterpret_cast<u64>(plan_.literal_bytes());
    return Policy::kPageBytes + kTileBytes + static_cast<u32>(stream + to) % 16;
  }

  /// Literals [first, to) of the page at ring position `ring` go into the ring so that each lies at
  /// least a tile above its byte's place and the last one just above page and tile. 16-aligned, so
  /// some bytes around them come too.
  PRESSO_DEVICE void request_literals(u32 first, u32 to, u32 ring) {
    if (first >= to || simt::thread_in_block() != 0) return;
    const u64 stream = reinterpret_cast<u64>(plan_.literal_bytes());
    const u64 source = (stream + first) & ~u64{15};
    const u32 bytes = static_cast<u32>(((stream + to + 15) & ~u64{15}) - source);
    const u32 place = ring + ((literals_end(to) + 15) & ~15u) - bytes;
    copy_to_ring<Policy>(shared_, shared_.literal_barrier, place, source, bytes);
  }

  /// The page at `origin`. Requests literals [first, to), which are the next one's: before the last
  /// tile, unless there are so many that they would take the place of this page's.
  PRESSO_DEVICE void copy(u32 origin, u32 first, u32 to) {
    u32 base = 0u - static_cast<u32>(sizeof(Slot));
    Byte* out = plan_.out + origin;
    u32 left = plan_.plain_bytes - origin;
    PRESSO_NO_UNROLL
    for (u32 in_page = kTileBytes; in_page < Policy::kPageBytes; in_page += kTileBytes) {
      tiles_.copy(base, out, left);
      tiles_.prepare(0, in_page);
      if (in_page + kTileBytes == Policy::kPageBytes) simt::bulk_fence();
      Sync::sync();
      out += kTileBytes;
      left -= kTileBytes;
    }
    const bool early = to - first <= Policy::kPageBytes - 4 * kLiteralAlignment;
    if (early) request_literals(first, to, tiles_.ring() + kTileBytes);
    tiles_.copy(base, out, left);
    if (!early) simt::bulk_fence();
    Sync::sync();
    if (!early) request_literals(first, to, tiles_.ring());
  }

  const BlockPlan& plan_;
  UnitParser parser_;
  const UnitRecord* units_;
  const PageRecord* pages_;
  u32 units_count_;
  Shared& shared_;
  TileSteps<Policy, Shared, Sync> tiles_;
  UnitRecord next_record_;  // of this warp's next unit
  StoredSequences next_;
  u32 parity_ = 0;
};

template <class Policy>
PRESSO_DEVICE void page_decoder_body(const BlockPlan* plans, u32* statuses) {
  const u32 block = simt::block_index();
  if (statuses[block] != kSurveyedDense) return;
  const BlockPlan plan = plans[block];
  auto& shared = *reinterpret_cast<PageShared<Policy>*>(simt::shared_memory());
  clear_tables(shared);
  if (simt::thread_in_block() == 0) {
    simt::bulk_barrier_init(&shared.literal_barrier);
    shared.result = decoded_status(plan);
  }
  simt::block_sync();
  PageDecoder<Policy>(plan, shared).decode();
  const u32 hashed = (pages_of(plan.plain_bytes) - 1) * Policy::kPageBytes;  // all but the last
  finish_block(plan, shared.result, hashed, statuses + block);
}

}  // namespace presso::gpu
