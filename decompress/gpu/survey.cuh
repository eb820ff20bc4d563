// SPDX-License-Identifier: MIT
// The survey: one pass over a block's tokens that finds where each unit of 128 sequences and each
// page of plain bytes begins in every stream. With that the page decoder can parse units in any
// order. It is also where a block's streams are checked against each other, so that the page
// decoder need not.
//
// Threads to data: warp w of thread block b surveys block b * warps + w, a unit a step. A plain
// unit takes one reduction; positions within it are found where a page begins in it only.
//
// Takes up blocks in the state kPlanned. Leaves kSurveyed; kFailed where the payload is faulty; and
// kPlanned where the page decoder declines: other codings, dictionaries, far offsets, output that
// is not 8-aligned, a distance above kMostDistance, more than kSlots segments in a page.
#pragma once

#include "decompress/gpu/unit_parser.cuh"

namespace presso::gpu {

template <class Policy>
class Survey {
 public:
  PRESSO_DEVICE Survey(const BlockPlan& plan, UnitRecord* units, PageRecord* pages)
      : plan_(plan), parser_(plan), units_(units), pages_(pages) {}

  /// The block's state afterwards.
  PRESSO_DEVICE u32 run() {
    const u32 units = units_of(plan_.sequences);
    StoredSequences next = parser_.load(0);
    for (u32 unit = 0; unit < units; ++unit) {
      const StoredSequences stored = next;
      if (unit + 1 < units) next = parser_.load(unit + 1);
      if (simt::lane() == 0) units_[unit] = at_;
      const UnitCodes codes = parser_.decode(stored);
      const bool good = codes.plain ? plain_unit(unit, codes) : any_unit(unit, stored, codes);
      if (!good) return kFailed;
      const u32 farthest = max_of(max_of(stored.distance(0), stored.distance(1)),
                                  max_of(stored.distance(2), stored.distance(3)));
      if (simt::any(farthest > Policy::kMostDistance)) declined_ = true;
      if (declined_) return kPlanned;
    }
    if (!complete(units)) return kFailed;
    return declined_ ? kPlanned : kSurveyed;
  }

 private:
  static PRESSO_DEVICE u32 max_of(u32 a, u32 b) { return a < b ? b : a; }

  PRESSO_DEVICE bool plain_unit(u32 unit, const UnitCodes& codes) {
    const u32 sums = simt::reduce_add(parser_.plain_sums(codes));
    UnitRecord to = at_;
    to.plain += UnitParser::bytes_of(sums);
    to.literals += UnitParser::literals_of(sums);
    to.segments += UnitParser::runs_of(sums) + kUnitSequences;
    if (to.plain > plan_.plain_bytes || to.literals > plan_.literals) return false;
    if (begins_page(to.plain)) {
      LaneSequences lane;
      parser_.place_plain(codes, at_, at_.plain, lane);
      record_pages(unit, lane);
    }
    at_ = to;
    return true;
  }

  PRESSO_DEVICE bool any_unit(u32 unit, const StoredSequences& stored, const UnitCodes& codes) {
    UnitParser::Lengths lengths;
    UnitParser::Used used;
    if (!parser_.lengths(stored, codes, at_, lengths, used)) return false;
    if (unit == plan_.sequences / kUnitSequences && !parser_.add_tail(unit, at_, lengths)) {
      return false;
    }
    u32 literals = 0, bytes = 0, segments = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      literals += lengths.literals[i];
      bytes += lengths.literals[i] + lengths.matches[i];
      segments += u32{lengths.literals[i] != 0} + u32{lengths.matches[i] != 0};
    }
    bytes = simt::reduce_add(bytes);
    literals = simt::reduce_add(literals);
    if (bytes > plan_.plain_bytes - at_.plain || literals > plan_.literals - at_.literals) {
      return false;
    }
    if (begins_page(at_.plain + bytes)) {
      LaneSequences lane;
      parser_.place(lengths, at_, at_.plain, lane);
      record_pages(unit, lane);
    }
    at_.plain += bytes;
    at_.literals += literals;
    at_.segments += simt::reduce_add(segments);
    at_.long_lengths += used.long_lengths;
    at_.literal_escapes += used.literal_escapes;
    at_.match_escapes += used.match_escapes;
    return true;
  }

  /// Whether a page begins in a unit that ends at `to`.
  PRESSO_DEVICE bool begins_page(u32 to) const {
    return (at_.plain + kPageBytes - 1) / kPageBytes < (to + kPageBytes - 1) / kPageBytes;
  }

  PRESSO_DEVICE void record_pages(u32 unit, const LaneSequences& lane) {
    u32 literals = lane.literals;
    u32 segments = lane.segments;
    u32 first = ~0u, last = 0;  // of what is recorded
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const u32 begin = lane.begin[i];
      const u32 match = lane.match[i];
      const u32 end = lane.end_of(i);
      for (u32 page = (begin + kPageBytes - 1) / kPageBytes; page * kPageBytes < end; ++page) {
        const u32 at = page * kPageBytes;
        const u32 before = segments + u32{match > begin && at >= match};
        pages_[page] = {unit, literals + (at < match ? at : match) - begin, before, 0};
        first = first < before ? first : before;
        last = max_of(last, before);
      }
      literals += match - begin;
      segments += u32{match > begin} + u32{end > match};
    }
    // Of the pages that begin here all but the last lie within this unit's 256 segments.
    if (simt::reduce_min(first) + 1 - page_segments_ > Policy::kSlots) declined_ = true;
    page_segments_ = simt::reduce_max(last);
  }

  PRESSO_DEVICE bool complete(u32 units) {
    if (at_.segments - page_segments_ > Policy::kSlots) declined_ = true;
    if (simt::lane() == 0) {
      pages_[pages_of(plan_.plain_bytes)] = {units - 1, at_.literals, at_.segments, 0};
    }
    return at_.plain == plan_.plain_bytes && at_.literals == plan_.literals &&
           at_.literal_escapes == plan_.literal_escapes &&
           at_.match_escapes == plan_.match_escapes && at_.long_lengths == plan_.long_lengths;
  }

  const BlockPlan& plan_;
  UnitParser parser_;
  UnitRecord* units_;
  PageRecord* pages_;
  UnitRecord at_{};
  u32 page_segments_ = 0;  // of the page recorded last
  bool declined_ = false;
};

PRESSO_DEVICE bool page_decoder_takes(const BlockPlan& plan) {
  return plan.coding == static_cast<Byte>(Coding::kByte) && plan.far == 0 &&
         plan.dictionary_bytes == 0 && reinterpret_cast<u64>(plan.out) % 8 == 0 &&
         plan.payload_bytes <= plan.plain_bytes;
}

template <class Policy>
PRESSO_DEVICE void survey_body(const BlockPlan* plans, u32* status, u32 blocks,
                               const SurveyRecords& records) {
  const u32 warps = simt::block_threads() / simt::kWarpSize;
  const u32 block = simt::block_index() * warps + simt::warp_in_block();
  if (block >= blocks || status[block] != kPlanned) return;
  const BlockPlan& plan = plans[block];
  if (!page_decoder_takes(plan) || units_of(plan.sequences) > records.unit_stride) return;
  Survey<Policy> survey(plan, records.units + u64{block} * records.unit_stride,
                        records.pages + u64{block} * records.page_stride);
  const u32 state = survey.run();
  if (simt::lane() == 0) status[block] = state;
}

}  // namespace presso::gpu
