// SPDX-License-Identifier: MIT
// The parsing part of the page decoder: fills a page's marks, slots and chunk table, and requests
// its literals. All warps take part, each with every kWarps-th unit.
#pragma once

#include "decompress/gpu/unit_parser.cuh"

namespace presso::gpu {

/// A slot is kSlotBias - back, or kSlotBias + kOverlapGap + distance of a match that overlaps itself
/// within a tile.
constexpr u32 kOverlapGap = 8;
constexpr u32 kSlotBias = 65535 - kOverlapGap - (kTileBytes - 1);

template <class Policy>
class PageParser {
 public:
  PRESSO_DEVICE PageParser(const BlockPlan& plan, const UnitRecord* units,
                           PageShared<Policy>& shared)
      : plan_(plan), parser_(plan), units_(units), shared_(shared) {}

  /// `ring`: ring position of the page's first byte. The caller synchronises before and after.
  PRESSO_DEVICE void parse(u32 page, const PageRecord& from, const PageRecord& to, u32 ring) {
    begin_ = page * kPageBytes;
    first_segment_ = from.segments;
    request_literals(from.literals, to.literals, ring);
    PRESSO_NO_UNROLL
    for (u32 unit = from.unit + simt::warp_in_block(); unit <= to.unit; unit += Policy::kWarps) {
      parse_unit(unit);
    }
  }

  PRESSO_DEVICE void await_literals() {
    if (!requested_) return;
    simt::bulk_copy_wait(&shared_.literal_barrier, parity_);
    parity_ ^= 1;
  }

 private:
  static PRESSO_DEVICE int min_of(int a, int b) { return a < b ? a : b; }
  static PRESSO_DEVICE int max_of(int a, int b) { return a < b ? b : a; }

  /// Literals [first, to) go into the ring so that each lies at least a tile above its byte's place
  /// and the last one just above page and tile. 16-aligned, so some bytes around them come too.
  PRESSO_DEVICE void request_literals(u32 first, u32 to, u32 ring) {
    const u64 stream = reinterpret_cast<u64>(plan_.literal_bytes());
    const u32 over = static_cast<u32>(stream + to) % 16;
    // Behind the last literal, from the page's first byte; plus how many there are to come.
    literal_ahead_ = kPageBytes + kTileBytes + over - to;
    requested_ = first < to;
    if (!requested_ || simt::thread_in_block() != 0) return;
    const u64 source = (stream + first) & ~u64{15};
    const u32 bytes = static_cast<u32>(((stream + to + 15) & ~u64{15}) - source);
    u32 place = ring + kPageBytes + kTileBytes + (over != 0 ? 16 : 0) - bytes;
    if (place >= Policy::kRing) place -= Policy::kRing;
    const u32 room = Policy::kRing - place;
    const u32 head = bytes < room ? bytes : room;
    const auto* const from = reinterpret_cast<const Byte*>(source);
    simt::bulk_expect(&shared_.literal_barrier, bytes);
    simt::bulk_copy(&shared_.literal_barrier, shared_.ring + place, from, head);
    if (head < bytes) {
      simt::bulk_copy(&shared_.literal_barrier, shared_.ring, from + head, bytes - head);
    }
  }

  PRESSO_DEVICE void parse_unit(u32 unit) {
    const UnitRecord record = units_[unit];
    const StoredSequences stored = parser_.load(unit);
    const UnitCodes codes = parser_.decode(stored);
    LaneSequences lane;
    if (codes.plain) {
      parser_.place_plain(codes, record, record.plain - begin_, lane);
    } else {
      UnitParser::Lengths lengths;
      UnitParser::Used used;
      parser_.lengths(stored, codes, record, lengths, used);
      if (unit == plan_.sequences / kUnitSequences) parser_.add_tail(unit, record, lengths);
      parser_.place(lengths, record, record.plain - begin_, lane);
    }
    emit(stored, lane);
  }

  /// Whether [begin, end) is not empty and has bytes of the page.
  static PRESSO_DEVICE bool in_page(int begin, int end) {
    return begin < end && end > 0 && begin < static_cast<int>(kPageBytes);
  }

  PRESSO_DEVICE void emit(const StoredSequences& stored, const LaneSequences& lane) {
    Slot* slot = shared_.slots + static_cast<int>(lane.segments - first_segment_);
    // Literal l of a segment at page position x lies ahead of it by literal_ahead_ + l - x.
    u32 ahead = literal_ahead_ + lane.literals - lane.begin[0];
    bool bad = false;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const int begin = static_cast<int>(lane.begin[i]);
      const int match = static_cast<int>(lane.match[i]);
      const int end = static_cast<int>(lane.end_of(i));
      const u32 distance = stored.distance(i);
      bad |= distance > begin_ + lane.match[i];
      if (in_page(begin, match)) {
        shared_.marks[max_of(begin, 0)] = sizeof(Slot);
        *slot = static_cast<Slot>(kSlotBias - Policy::kRing + ahead);
      }
      slot += begin < match;
      if (in_page(match, end)) {
        const bool overlaps = distance < static_cast<u32>(end - match) && distance < kTileBytes;
        shared_.marks[max_of(match, 0)] = sizeof(Slot);
        *slot = static_cast<Slot>(overlaps ? kSlotBias + kOverlapGap + distance
                                           : kSlotBias - distance);
      }
      slot += match < end;
      ahead -= static_cast<u32>(end - match);
    }
    enter_chunks(lane);
    if (bad) shared_.bad = 1;
  }

  /// The chunks of the page, but for its first, whose byte before is one of this lane's.
  PRESSO_DEVICE void enter_chunks(const LaneSequences& lane) {
    constexpr int kChunk = Policy::kChunkBytes;
    const int begin = static_cast<int>(lane.begin[0]);
    const int last = min_of(static_cast<int>(lane.end), static_cast<int>(kPageBytes) - 1) / kChunk;
    const int first = max_of(begin, 0) / kChunk + 1;
    PRESSO_NO_UNROLL
    for (int chunk = first; chunk <= last; ++chunk) {
      const int at = chunk * kChunk;
      u32 segments = lane.segments - first_segment_ - 1;
      int start = begin;
      PRESSO_UNROLL
      for (u32 i = 0; i < 4; ++i) {
        const int sequence = static_cast<int>(lane.begin[i]);
        const int match = static_cast<int>(lane.match[i]);
        const int end = static_cast<int>(lane.end_of(i));
        if (sequence < match && sequence < at) {
          ++segments;
          start = sequence;
        }
        if (match < end && match < at) {
          ++segments;
          start = match;
        }
      }
      shared_.chunk_slots[chunk] = segments * static_cast<u32>(sizeof(Slot));
      shared_.chunk_starts[chunk] = start;
    }
  }

  const BlockPlan& plan_;
  UnitParser parser_;
  const UnitRecord* units_;
  PageShared<Policy>& shared_;
  u32 begin_ = 0;          // the page's, in the block
  u32 first_segment_ = 0;  // the one that holds the page's first byte
  u32 literal_ahead_ = 0;
  bool requested_ = false;
  u32 parity_ = 0;
};

}  // namespace presso::gpu
