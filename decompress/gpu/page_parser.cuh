// SPDX-License-Identifier: MIT
// The parsing warps of the page decoder: they fill the tables of a page (marks, slots, chunks) and
// request its literals while the copiers work on the page before.
//
// Two parsers take turns, a unit of 128 sequences each. Who has the turn finds out where its unit
// ends in every stream, hands that on with the turn, and only then fills tables. A unit may reach
// into several pages; its parser keeps it until the last of them.
//
// Pages begin somewhere in a unit, whose parser works out what others need of the page: how many
// literals and segments are before it.
//
// Faults never break the exchange of barriers: the parsers stop parsing but go on handing pages to
// the copiers, who go on giving them back, without work.
#pragma once

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
  static constexpr u32 kTurn = 6;  ///< one parser arrives, the other one waits

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
  PRESSO_DEVICE PageParser(const BlockPlan& plan, PageShared<Policy>& shared)
      : plan_(plan),
        parser_(plan),
        shared_(shared),
        me_(simt::warp_in_block() - Policy::kCopiers),
        units_(plan.sequences / kUnitSequences + 1),
        unit_(me_) {}

  PRESSO_DEVICE void run() {
    const u32 pages = (plan_.plain_bytes + kPageBytes - 1) / kPageBytes;
    next_ = parser_.load(unit_);
    next_unit();
    PRESSO_NO_UNROLL
    for (u32 page = 0; page < pages; ++page) {
      if (page >= 2) PageBarriers::wait<PageBarriers::kFree, Policy::kThreads>(page % 2 != 0);
      fill(page);
      PageBarriers::arrive<PageBarriers::kFull, Policy::kThreads>(page % 2 != 0);
      ring_ += kPageBytes;
      if (ring_ >= Policy::kRing) ring_ -= Policy::kRing;
    }
  }

 private:
  static PRESSO_DEVICE int min_of(int a, int b) { return a < b ? a : b; }
  static PRESSO_DEVICE int max_of(int a, int b) { return a < b ? b : a; }

  // --- Units ------------------------------------------------------------------------------------

  PRESSO_DEVICE bool stop(u32 result) {
    stopped_ = true;
    if (simt::lane() == 0) {
      shared_.stopped = 1;
      simt::atomic_max(&shared_.result, result);
    }
    return false;
  }

  /// Waits for the turn, parses this parser's next unit, passes the turn on.
  PRESSO_DEVICE void next_unit() {
    if (stopped_ || unit_ >= units_) {
      has_unit_ = false;
      return;
    }
    if (unit_ != 0) PageBarriers::wait<PageBarriers::kTurn, 2 * kWarp>(me_ != 0);
    Cursor at = shared_.cursor;
    if (shared_.stopped != 0) stopped_ = true;
    has_unit_ = !stopped_ && parse(at);
    if (simt::lane() == 0) shared_.cursor = at;
    simt::warp_sync();
    if (unit_ + 1 < units_) {
      PageBarriers::arrive<PageBarriers::kTurn, 2 * kWarp>(me_ == 0);
    }
    unit_ += Policy::kParsers;
  }

  /// Everything of a unit that has to be known before the next one. Moves `at` behind it.
  PRESSO_DEVICE bool parse(Cursor& at) {
    begin_ = at.plain;
    page_ = at.page;
    stored_ = next_;
    if (unit_ + Policy::kParsers < units_) next_ = parser_.load(unit_ + Policy::kParsers);
    const UnitCodes codes = parser_.decode(stored_);
    if (codes.plain) {
      const u32 sums = parser_.plain_sums(codes);
      const u32 upto = simt::inclusive_sum(sums);
      const u32 all = simt::shuffle(upto, simt::kWarpSize - 1);
      parser_.place_plain(codes, sums, upto, at, begin_, lane_);
      at.plain += UnitParser::bytes_of(all);
      at.literals += UnitParser::literals_of(all);
      at.segments += UnitParser::runs_of(all) + kUnitSequences;
      if (at.plain > plan_.plain_bytes || at.literals > plan_.literals) return stop(kFailed);
    } else {
      UnitParser::Lengths lengths;
      if (!parser_.lengths(stored_, codes, at, lengths)) return stop(kFailed);
      const bool last = unit_ + 1 == units_;
      if (last && !parser_.add_tail(unit_, at, lengths)) return stop(kFailed);
      if (!parser_.place(lengths, begin_, at, lane_)) return stop(kFailed);
      if (last && !is_complete(at)) return stop(kFailed);
    }
    end_ = at.plain;
    end_literals_ = at.literals;
    return enter_pages(at);
  }

  PRESSO_DEVICE bool is_complete(const Cursor& at) const {
    return at.plain == plan_.plain_bytes && at.literals == plan_.literals &&
           at.literal_escapes == plan_.literal_escapes &&
           at.match_escapes == plan_.match_escapes && at.long_lengths == plan_.long_lengths;
  }

  /// Moves at.page to the last page that begins in the unit. False where a page has too many
  /// segments.
  PRESSO_DEVICE bool enter_pages(Cursor& at) {
    const u32 first = (begin_ + kPageBytes - 1) / kPageBytes;
    const u32 behind = (end_ + kPageBytes - 1) / kPageBytes;
    if (first < behind) {
      const PageStart start = start_of(first);
      // Between pages that both begin in this unit are fewer than 256 segments.
      if (start.segments + 1 - page_.segments > Policy::kSlots) return stop(kPlanned);
      at.page = first + 1 == behind ? start : start_of(behind - 1);
    }
    if (at.segments - at.page.segments > Policy::kSlots) return stop(kPlanned);
    return true;
  }

  /// Of a page that begins in the unit.
  PRESSO_DEVICE PageStart start_of(u32 page) const {
    const u32 at = page * kPageBytes;
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

  // --- Pages ------------------------------------------------------------------------------------

  /// What this parser's units have to say about a page.
  PRESSO_DEVICE void fill(u32 page) {
    const u32 from = page * kPageBytes;
    const u32 left = plan_.plain_bytes - from;
    const u32 to = from + (left < kPageBytes ? left : kPageBytes);
    while (has_unit_ && begin_ < to) {
      if (begin_ < end_) {
        if (begin_ <= from) page_ = start_of(page);
        emit(page);
        if (end_ >= to) {  // it has the page's last byte
          request_literals(page, end_ > to ? start_of(page + 1).literals : end_literals_);
        }
      }
      if (end_ > to) break;
      next_unit();
    }
    if (stopped_ && simt::lane() == 0) shared_.pages[page % 2].stopped = 1;
    simt::warp_sync();
  }

  /// Literals of a page go into the ring where the next page will be.
  PRESSO_DEVICE void request_literals(u32 page, u32 to) {
    if (page_.literals == to || simt::lane() != 0) return;
    PageTables<Policy>& tables = shared_.pages[page % 2];
    const u64 stream = reinterpret_cast<u64>(plan_.literal_bytes());
    const u64 source = (stream + page_.literals) & ~u64{15};
    const u32 bytes = static_cast<u32>(((stream + to + 15) & ~u64{15}) - source);
    u32 place = ring_ + kPageBytes;
    if (place >= Policy::kRing) place -= Policy::kRing;
    const u32 room = Policy::kRing - place;
    const u32 head = bytes < room ? bytes : room;
    const auto* const from = reinterpret_cast<const Byte*>(source);
    tables.has_literals = 1;
    simt::bulk_expect(&tables.literal_barrier, bytes);
    simt::bulk_copy(&tables.literal_barrier, shared_.ring + place, from, head);
    if (head < bytes) {
      simt::bulk_copy(&tables.literal_barrier, shared_.ring, from + head, bytes - head);
    }
  }

  /// Whether [begin, end) is not empty and has bytes of the page.
  static PRESSO_DEVICE bool in_page(int begin, int end) {
    return begin < end && end > 0 && begin < static_cast<int>(kPageBytes);
  }

  PRESSO_DEVICE void emit(u32 page) {
    PageTables<Policy>& tables = shared_.pages[page % 2];
    const u32 origin = page * kPageBytes;
    const u32 first_literal =
        static_cast<u32>(reinterpret_cast<u64>(plan_.literal_bytes()) + page_.literals) % 16;
    Slot* slot = tables.slots + static_cast<int>(lane_.segments - page_.segments);
    // Literal l has its place so far ahead of the page's byte x: this plus l - x.
    u32 ahead = kPageBytes + first_literal + lane_.literals - page_.literals -
                (lane_.begin[0] - origin);
    bool outside = false;
    bool distant = false;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const int begin = static_cast<int>(lane_.begin[i] - origin);
      const int match = static_cast<int>(lane_.match[i] - origin);
      const int end = static_cast<int>(lane_.end_of(i) - origin);
      const u32 distance = stored_.distance(i);
      if (in_page(begin, match)) {
        tables.marks[max_of(begin, 0)] = sizeof(Slot);
        *slot = static_cast<Slot>(kSlotBias - Policy::kRing + ahead);
      }
      slot += begin < match;
      if (in_page(match, end)) {
        outside |= distance > lane_.match[i];
        distant |= distance > Policy::kMostDistance;
        const bool overlaps = distance < static_cast<u32>(end - match) && distance < kTileBytes;
        const u32 back = distance < Policy::kMostDistance ? distance : Policy::kMostDistance;
        tables.marks[max_of(match, 0)] = sizeof(Slot);
        *slot = static_cast<Slot>(overlaps ? kSlotBias + kOverlapGap + distance : kSlotBias - back);
      }
      slot += match < end;
      ahead -= static_cast<u32>(end - match);
    }
    enter_chunks(tables, origin);
    if (outside) simt::atomic_max(&shared_.result, u32{kFailed});
    if (distant) simt::atomic_max(&shared_.result, u32{kPlanned});
  }

  /// The chunks of the page, but for its first, whose byte before is one of this lane's.
  PRESSO_DEVICE void enter_chunks(PageTables<Policy>& tables, u32 origin) {
    constexpr int kChunk = Policy::kChunkBytes;
    const int begin = static_cast<int>(lane_.begin[0] - origin);
    const int end = static_cast<int>(lane_.end - origin);
    const int last = min_of(end, static_cast<int>(kPageBytes) - 1) / kChunk;
    PRESSO_NO_UNROLL
    for (int chunk = max_of(begin, 0) / kChunk + 1; chunk <= last; ++chunk) {
      const int at = chunk * kChunk;
      u32 segments = lane_.segments - page_.segments - 1;
      int start = begin;
      PRESSO_UNROLL
      for (u32 i = 0; i < 4; ++i) {
        const int sequence = static_cast<int>(lane_.begin[i] - origin);
        const int match = static_cast<int>(lane_.match[i] - origin);
        const int next = static_cast<int>(lane_.end_of(i) - origin);
        if (sequence < match && sequence < at) {
          ++segments;
          start = sequence;
        }
        if (match < next && match < at) {
          ++segments;
          start = match;
        }
      }
      tables.chunk_slots[chunk] = segments * static_cast<u32>(sizeof(Slot));
      tables.chunk_starts[chunk] = start;
    }
  }

  const BlockPlan& plan_;
  UnitParser parser_;
  PageShared<Policy>& shared_;
  u32 me_;  // 0 or 1
  u32 units_;
  u32 unit_;              // to be parsed next
  StoredSequences next_;  // its sequences

  // The unit being emitted.
  StoredSequences stored_;
  LaneSequences lane_;
  u32 begin_ = 0, end_ = 0, end_literals_ = 0;
  PageStart page_;  // of the page that holds the byte before the unit; then of the page in hand
  bool has_unit_ = false;
  bool stopped_ = false;
  u32 ring_ = 0;  // ring position of the page in hand
};

}  // namespace presso::gpu
