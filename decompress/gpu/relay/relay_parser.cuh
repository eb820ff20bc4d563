// SPDX-License-Identifier: MIT
// The parsing warps of the relay decoder: they fill the tables of a page (4 KiB of plain bytes) and
// request its literals while the copying warps work on the page before. A *unit* is 128 sequences.
//
// Unit u is parsed by parser u modulo their number, in any order among them, since the survey has
// found where each begins. A unit may reach into several pages; its parser keeps it until the last
// of them. The parser whose unit reaches beyond a page's end requests the page's literals and tells
// the others where the next page begins in the streams.
//
// Synchronisation: parsers and copiers exchange pages by two pairs of mbarriers; a named barrier
// orders the parsers among themselves, from page to page.
#pragma once

#include "decompress/gpu/relay/record_unit_parser.cuh"
#include "decompress/gpu/relay/segment_tables.cuh"
#include "decompress/gpu/relay/unit_parser.cuh"

namespace presso::gpu {

/// Named barriers of the relay decoder.
enum : u32 { kCopierBarrier = 1, kParserBarrier = 2 };

/// Parser: UnitParser or RecordUnitParser.
template <class Policy, class Parser>
class RelayParser {
 public:
  PRESSO_DEVICE RelayParser(const BlockPlan& plan, const UnitRecord* units,
                            RelayShared<Policy>& shared)
      : plan_(plan),
        parser_(plan),
        units_(units),
        units_count_(units_of(plan.sequences)),
        shared_(shared),
        unit_(simt::warp_in_block() - kCopiers) {}

  PRESSO_DEVICE void run() {
    const u32 pages = (plan_.plain_bytes + Policy::kPageBytes - 1) / Policy::kPageBytes;
    next_ = parser_.load(unit_);
    if (unit_ < units_count_) parse();
    PRESSO_NO_UNROLL
    for (u32 page = 0; page < pages; ++page) {
      if (page >= 2) simt::mbarrier_wait(&shared_.free[page % 2], (page / 2 + 1) % 2);
      simt::named_barrier_sync(kParserBarrier, Policy::kParsers * simt::kWarpSize);
      fill(page);
      simt::mbarrier_arrive(&shared_.full[page % 2]);
      ring_ += Policy::kPageBytes;
      if (ring_ >= Policy::kRing) ring_ -= Policy::kRing;
    }
  }

 private:
  /// Enters those segments of this parser's units that lie in the page.
  PRESSO_DEVICE void fill(u32 page) {
    const u32 from = page * Policy::kPageBytes;
    const u32 left = plan_.plain_bytes - from;
    const u32 to = from + (left < Policy::kPageBytes ? left : Policy::kPageBytes);
    const PageStart start = shared_.starts[page % 2];
    // Empty units at the page's end go with it: after them may be the unit that begins the next.
    while (unit_ < units_count_ && (begin_ < to || end_ == to)) {
      if (begin_ < end_) emit(page, start);
      if (end_ > to) break;
      if (end_ == plan_.plain_bytes && begin_ < end_) {
        request_literals(page, start, plan_.literals);
      }
      unit_ += Policy::kParsers;
      if (unit_ < units_count_) parse();
    }
    if (unit_ < units_count_ && begin_ <= to && to < end_) {
      const PageStart next = page_start(lane_, to);
      request_literals(page, start, next.literals);
      if (simt::lane() == 0) shared_.starts[(page + 1) % 2] = next;
    }
  }

  PRESSO_DEVICE void parse() {
    const UnitRecord record = units_[unit_];
    stored_ = next_;
    next_ = parser_.load(unit_ + Policy::kParsers);
    parser_.parse(unit_, stored_, record, lane_);
    begin_ = record.plain;
    end_ = simt::shuffle(lane_.end, simt::kWarpSize - 1);
  }

  /// Literals of a page go into the ring where the next page will be. Where those of the page
  /// before end in the first 16 bytes of that place, they are the same bytes: not copied again,
  /// since the copiers may be reading them.
  PRESSO_DEVICE void request_literals(u32 page, const PageStart& start, u32 to) {
    if (simt::lane() != 0) return;
    const PageStart before = shared_.starts[(page + 1) % 2];
    const u64 stream = reinterpret_cast<u64>(Parser::literals_of(plan_));
    const u32 before_end =
        static_cast<u32>((stream + before.literals) % 16) + start.literals - before.literals;
    const u32 there = page > 0 && before_end > Policy::kPageBytes ? 16 : 0;
    const u64 source = ((stream + start.literals) & ~u64{15}) + there;
    const u64 end = (stream + to + 15) & ~u64{15};
    const u32 bytes = start.literals < to && source < end ? static_cast<u32>(end - source) : 0;
    if (bytes == 0) return;
    copy_to_ring<Policy>(shared_, shared_.full[page % 2], ring_ + Policy::kPageBytes + there,
                         source, bytes);
  }

  PRESSO_DEVICE void emit(u32 page, const PageStart& start) {
    const u32 from = page * Policy::kPageBytes;
    const u32 alignment =
        static_cast<u32>(reinterpret_cast<u64>(Parser::literals_of(plan_)) + start.literals) % 16;
    SegmentTables<Policy, RelayShared<Policy>> tables(
        shared_, page % 2 * TableOffsets<RelayShared<Policy>>::kBytes, from, start,
        Policy::kPageBytes + alignment);
    const bool is_inside = begin_ >= from && end_ <= from + Policy::kPageBytes;
    const u32 slot = is_inside ? tables.template emit<true>(stored_, lane_)
                               : tables.template emit<false>(stored_, lane_);
    if (end_ == plan_.plain_bytes) tables.emit_end(end_ - from, slot);
  }

  const BlockPlan& plan_;
  Parser parser_;
  const UnitRecord* units_;
  u32 units_count_;
  RelayShared<Policy>& shared_;
  typename Parser::Stored next_;  // of this parser's next unit

  // The unit in hand.
  u32 unit_;
  typename Parser::Stored stored_;
  LaneSequences lane_;
  u32 begin_ = 0, end_ = 0;
  u32 ring_ = 0;  // ring position of the page in hand
};

}  // namespace presso::gpu
