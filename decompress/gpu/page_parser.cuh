// SPDX-License-Identifier: MIT
// The parsing warps of the page decoder: they fill the tables of a page (marks and slots) and
// request its literals while the copiers work on the page before.
//
// Unit u is parsed by parser u modulo their number, in any order among them, since the survey has
// found where each begins. A unit may reach into several pages; its parser keeps it until the last
// of them. Who has the unit in which a page begins works out what the others need of it.
//
// Synchronisation: parsers and copiers exchange pages by two pairs of named barriers. That for free
// tables also orders the parsers among themselves, from page to page.
//
// Faults show in the block's result only; whatever a block holds, all stays within the tables.
#pragma once

#include <cstddef>

#include "decompress/gpu/unit_parser.cuh"

namespace presso::gpu {

/// A slot is kSlotBias - back, or kSlotBias + kOverlapGap + distance of a match that overlaps itself
/// within a tile.
constexpr u32 kOverlapGap = 8;
constexpr u32 kSlotBias = 65535 - kOverlapGap - (kTileBytes - 1);

/// Named barriers of the page decoder. Those of a pair are told apart by `odd`; numbers that the
/// compiler knows make them one instruction.
struct PageBarriers {
  static constexpr u32 kCopiers = 1;
  static constexpr u32 kFull = 2;  ///< parsers arrive, copiers wait
  static constexpr u32 kFree = 4;  ///< copiers arrive, parsers wait

  template <u32 kId, u32 kThreads>
  static PRESSO_DEVICE void wait(bool odd) {
    if (odd) {
      simt::named_barrier_sync(kId + 1, kThreads);
    } else {
      simt::named_barrier_sync(kId, kThreads);
    }
  }
  template <u32 kId, u32 kThreads>
  static PRESSO_DEVICE void arrive(bool odd) {
    if (odd) {
      simt::named_barrier_arrive(kId + 1, kThreads);
    } else {
      simt::named_barrier_arrive(kId, kThreads);
    }
  }
};

template <class Policy>
class PageParser {
 public:
  PRESSO_DEVICE PageParser(const BlockPlan& plan, const UnitRecord* units,
                           PageShared<Policy>& shared)
      : plan_(plan),
        parser_(plan),
        units_(units),
        units_count_(units_of(plan.sequences)),
        shared_(shared),
        unit_(simt::warp_in_block() - Policy::kCopiers) {}

  PRESSO_DEVICE void run() {
    const u32 pages = (plan_.plain_bytes + kPageBytes - 1) / kPageBytes;
    if (unit_ < units_count_) {
      next_ = parser_.load(unit_);
      parse();
    }
    PRESSO_NO_UNROLL
    for (u32 page = 0; page < pages; ++page) {
      PageBarriers::wait<PageBarriers::kFree, Policy::kThreads>(page % 2 != 0);
      fill(page);
      PageBarriers::arrive<PageBarriers::kFull, Policy::kThreads>(page % 2 != 0);
      ring_ += kPageBytes;
      if (ring_ >= Policy::kRing) ring_ -= Policy::kRing;
    }
  }

 private:
  /// What this parser's units have to say about a page.
  PRESSO_DEVICE void fill(u32 page) {
    const u32 from = page * kPageBytes;
    const u32 left = plan_.plain_bytes - from;
    const u32 to = from + (left < kPageBytes ? left : kPageBytes);
    const PageStart start = shared_.starts[page % 2];
    while (unit_ < units_count_ && begin_ < to) {
      if (begin_ < end_) emit(page, start);
      if (end_ > to) break;
      if (end_ == plan_.plain_bytes && begin_ < end_) request_literals(page, start, plan_.literals);
      unit_ += Policy::kParsers;
      if (unit_ < units_count_) parse();
    }
    if (unit_ < units_count_ && begin_ <= to && to < end_) {
      const PageStart next = start_of(to);
      if (simt::lane() == 0) shared_.starts[(page + 1) % 2] = next;
      request_literals(page, start, next.literals);
    }
  }

  PRESSO_DEVICE void parse() {
    const UnitRecord record = units_[unit_];
    stored_ = next_;
    next_ = parser_.load(unit_ + Policy::kParsers);
    const UnitCodes codes = parser_.decode(stored_);
    if (codes.plain) {
      parser_.place_plain(codes, record, record.plain, lane_);
    } else {
      UnitRecord at = record;
      UnitParser::Lengths lengths;
      parser_.lengths(stored_, codes, at, lengths);
      if (unit_ + 1 == units_count_) parser_.add_tail(unit_, at, lengths);
      parser_.place(lengths, record, record.plain, lane_);
    }
    begin_ = record.plain;
    end_ = simt::shuffle(lane_.end, simt::kWarpSize - 1);
  }

  /// Of the page at `at`, which lies in the unit.
  PRESSO_DEVICE PageStart start_of(u32 at) const {
    u32 literals = lane_.literals;
    u32 segments = lane_.segments;
    PageStart start{0, 0};
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const u32 begin = lane_.begin[i];
      const u32 match = lane_.match[i];
      const u32 end = lane_.end_of(i);
      if (begin <= at && at < end) {
        start.literals = literals + (at < match ? at : match) - begin;
        start.segments = segments + u32{match > begin && at >= match};
      }
      literals += match - begin;
      segments += u32{match > begin} + u32{end > match};
    }
    const u32 owner = simt::ballot(lane_.begin[0] <= at && at < lane_.end);
    const u32 from = simt::find_first_set(owner) - 1;
    return {simt::shuffle(start.literals, from), simt::shuffle(start.segments, from)};
  }

  /// Literals of a page go into the ring where the next page will be.
  PRESSO_DEVICE void request_literals(u32 page, const PageStart& start, u32 to) {
    if (simt::lane() != 0) return;
    shared_.has_literals[page % 2] = u32{start.literals < to};
    if (start.literals >= to) return;
    const u64 stream = reinterpret_cast<u64>(plan_.literal_bytes());
    const u64 source = (stream + start.literals) & ~u64{15};
    const u32 bytes = static_cast<u32>(((stream + to + 15) & ~u64{15}) - source);
    u32 place = ring_ + kPageBytes;
    if (place >= Policy::kRing) place -= Policy::kRing;
    const u32 room = Policy::kRing - place;
    const u32 head = bytes < room ? bytes : room;
    const auto* const from = reinterpret_cast<const Byte*>(source);
    u64* const barrier = &shared_.literal_barriers[page % 2];
    simt::bulk_expect(barrier, bytes);
    simt::bulk_copy(barrier, shared_.ring + place, from, head);
    if (head < bytes) simt::bulk_copy(barrier, shared_.ring, from + head, bytes - head);
  }

  PRESSO_DEVICE void emit(u32 page, const PageStart& start) {
    const u32 from = page * kPageBytes;
    if (begin_ >= from && end_ <= from + kPageBytes) {
      emit<true>(page, start);
    } else {
      emit<false>(page, start);
    }
  }

  /// Marks and slots of the unit's segments, of those in the page if not kInside, which says that
  /// all of them are.
  template <bool kInside>
  PRESSO_DEVICE void emit(u32 page, const PageStart& start) {
    constexpr u32 kSlotBytes = static_cast<u32>(sizeof(Slot));
    const u32 tables = page % 2 * static_cast<u32>(sizeof(PageTables<Policy>));
    const u32 origin = page * kPageBytes;
    const u32 first_segment = lane_.segments - start.segments;
    if (static_cast<int>(first_segment) > static_cast<int>(Policy::kSlots - 8) &&
        lane_.begin[0] < origin + kPageBytes) {
      shared_.result = kPlanned;
      return;
    }
    u32 slot = tables + first_segment * kSlotBytes;
    // Literal l of a segment at page position x lies ahead of it by this plus l - x.
    const u32 alignment =
        static_cast<u32>(reinterpret_cast<u64>(plan_.literal_bytes()) + start.literals) % 16;
    u32 literal_slot = kSlotBias - Policy::kRing + kPageBytes + alignment + lane_.literals -
                       start.literals - (lane_.begin[0] - origin);
    bool bad = false;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const u32 match = lane_.match[i];
      const u32 length = lane_.end_of(i) - match;
      const u32 distance = stored_.distance(i);
      bad |= distance > match;
      slot = enter<kInside>(tables, lane_.begin[i] - origin, match - origin, slot, literal_slot);
      const bool overlaps = distance < length && distance < kTileBytes;
      slot = enter<kInside>(tables, match - origin, lane_.end_of(i) - origin, slot,
                            overlaps ? kSlotBias + kOverlapGap + distance : kSlotBias - distance);
      literal_slot -= length;
    }
    if (bad) shared_.result = kFailed;
  }

  /// A segment, if not empty, by page positions. Returns the next one's slot.
  template <bool kInside>
  static PRESSO_DEVICE u32 enter(u32 tables, u32 begin, u32 end, u32 slot, u32 value) {
    constexpr u32 kMarks = offsetof(PageShared<Policy>, pages) + offsetof(PageTables<Policy>, marks);
    constexpr u32 kSlots = offsetof(PageShared<Policy>, pages) + offsetof(PageTables<Policy>, slots);
    if (begin == end) return slot;
    const int from = static_cast<int>(begin);
    const int to = static_cast<int>(end);
    if (kInside || (to > 0 && from < static_cast<int>(kPageBytes))) {
      simt::store_shared_u8<kMarks>(tables + (kInside || from > 0 ? begin : 0), sizeof(Slot));
      simt::store_shared_u16<kSlots>(slot, value);
    }
    return slot + static_cast<u32>(sizeof(Slot));
  }

  const BlockPlan& plan_;
  UnitParser parser_;
  const UnitRecord* units_;
  u32 units_count_;
  PageShared<Policy>& shared_;
  StoredSequences next_;  // of this parser's next unit

  // The unit in hand.
  u32 unit_;
  StoredSequences stored_;
  LaneSequences lane_;
  u32 begin_ = 0, end_ = 0;
  u32 ring_ = 0;  // ring position of the page in hand
};

}  // namespace presso::gpu
