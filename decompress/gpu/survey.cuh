// SPDX-License-Identifier: MIT
// The survey: one pass over a block's tokens and offsets that finds where each unit of 128
// sequences begins in every stream, so that the page decoder can parse units in any order. It is
// also where the streams are checked against each other and against the header, so that the page
// decoder need not.
//
// Threads to data: thread block b surveys block b, up to 32 units a warp a step. Each unit is
// reduced to its sums, which the lane of its number keeps; prefix sums over lanes and warps then
// give all positions, and each lane adds up the escape bytes of its own unit. Units with long
// lengths are parsed one by one.
//
// For the page decoder it also finds out how pages begin, for which the units that hold their first
// bytes are parsed.
//
// Takes up blocks in the state kPlanned. Leaves kSurveyedDense or kSurveyedSparse; kFailed where
// the payload is faulty; and kPlanned where the warp decoder is to take the block: because it is
// faster, or for other codings and rules, dictionaries, far offsets, output that is not 8-aligned,
// a distance above kMostDistance, a page with more than kSlots segments.
#pragma once

#include "decompress/gpu/policies.h"
#include "decompress/gpu/segment_tables.cuh"

namespace presso::gpu {

template <u32 kWarps>
struct SurveyShared {
  u32 sums[3][kWarps];
};

/// Tuning: ManyBlocks or FewBlocks.
template <class Tuning>
class Survey {
 public:
  using Shared = SurveyShared<Tuning::kSurveyWarps>;

  PRESSO_DEVICE Survey(const BlockPlan& plan, bool dense, Shared& shared)
      : plan_(plan),
        parser_(plan),
        units_(SurveyRecords(plan).units),
        pages_(SurveyRecords(plan).pages),
        shared_(shared),
        dense_(dense) {}

  /// The block's state afterwards.
  PRESSO_DEVICE u32 run() {
    const u32 units = units_of(plan_.sequences);
    const u32 share = (units + kSurveyWarps - 1) / kSurveyWarps;
    const u32 a_warp = share < simt::kWarpSize ? share : simt::kWarpSize;
    PRESSO_NO_UNROLL
    for (u32 first = 0; first < units; first += kSurveyWarps * a_warp) {
      if (!batch(first + simt::warp_in_block() * a_warp, a_warp, units)) return kFailed;
    }
    if (!complete()) return kFailed;
    const bool declined = simt::block_sync_or(declined_);
    if (declined) return kPlanned;
    if (!dense_) return kSurveyedSparse;
    return pages_fit(units) ? kSurveyedDense : kPlanned;
  }

 private:
  using Dense = typename Tuning::Page;
  using Sparse = typename Tuning::Relay;
  static constexpr u32 kSurveyWarps = Tuning::kSurveyWarps;
  static constexpr u32 kMostUnits = kSurveyWarps * simt::kWarpSize;  ///< in a batch
  static_assert(kMostUnits < (u64{1} << 32) / kMaxBlockBytes);       // allow(bare-32): sums fit
  static constexpr u32 kAhead = 4;                                   ///< units requested ahead

  static PRESSO_DEVICE u32 max_of(u32 a, u32 b) { return a < b ? b : a; }

  /// One lane's unit.
  struct Sums {
    u32 packed = 0;   ///< UnitParser::pack_sums() of what the tokens say
    u32 escapes = 0;  ///< of literals; of matches << 16
    u32 empty = 0;    ///< sequences without a match
  };

  /// A value's sums over the lanes of all warps: before this lane, and of all.
  struct Prefix {
    u32 before, all;
  };

  /// All warps; `which`: not that of the call before.
  PRESSO_DEVICE Prefix prefix(u32 which, u32 value) {
    const u32 upto = simt::inclusive_sum(value);
    u32* const of_warps = shared_.sums[which];
    if (simt::lane() == simt::kWarpSize - 1) of_warps[simt::warp_in_block()] = upto;
    simt::block_sync();
    const u32 of_warp = simt::lane() < kSurveyWarps ? of_warps[simt::lane()] : 0;
    const u32 below = simt::lane() < simt::warp_in_block() ? of_warp : 0;
    return {simt::reduce_add(below) + upto - value, simt::reduce_add(of_warp)};
  }

  /// Units from `first` on, for this warp at most `most`. False, in all warps, where they are
  /// faulty.
  PRESSO_DEVICE bool batch(u32 first, u32 most, u32 units) {
    const u32 left = first < units ? units - first : 0;
    const u32 count = left < most ? left : most;
    Sums sums;
    bool good = sum_up(first, count, sums);
    UnitRecord mine = at_;
    // At most kMostUnits * 128 of each.
    const Prefix literal_escapes = prefix(0, sums.escapes & 0xFFFFu);
    const Prefix match_escapes = prefix(1, sums.escapes >> 16);
    if (literal_escapes.all > plan_.literal_escapes - at_.literal_escapes ||
        match_escapes.all > plan_.match_escapes - at_.match_escapes) {
      return false;
    }
    mine.literal_escapes += literal_escapes.before;
    mine.match_escapes += match_escapes.before;
    u32 longs = 0;
    const u32 more_literals = add_bytes(plan_.literal_escape_bytes() + mine.literal_escapes,
                                        sums.escapes & 0xFFFFu, longs);
    const u32 more_match =
        add_bytes(plan_.match_escape_bytes() + mine.match_escapes, sums.escapes >> 16, longs);
    const Prefix long_lengths = prefix(2, longs);
    if (long_lengths.all > plan_.long_lengths - at_.long_lengths) return false;
    mine.long_lengths += long_lengths.before;

    u32 literals = parser_.literals_of(sums.packed) + more_literals;
    u32 bytes =
        parser_.bytes_of(sums.packed) + more_literals + more_match - sums.empty * plan_.min_match;
    if (!parse_long_units(first, mine, longs, literals, bytes)) good = false;
    // Less than 2^25 bytes. Only what is less than a block can be added up over all lanes.
    if (bytes > plan_.plain_bytes - at_.plain) good = false;
    if (simt::block_sync_or(!good)) return false;
    const Prefix plain = prefix(0, bytes);
    const Prefix all_literals = prefix(1, literals);
    const u32 sequences = simt::lane() < count ? kUnitSequences : 0;
    const Prefix segments = prefix(2, UnitParser::runs_of(sums.packed) + sequences - sums.empty);
    // kMostUnits times a block's bytes at most.
    if (plain.all > plan_.plain_bytes - at_.plain ||
        all_literals.all > plan_.literals - at_.literals) {
      return false;
    }
    mine.plain += plain.before;
    mine.literals += all_literals.before;
    mine.segments += segments.before;
    if (simt::lane() < count) units_[first + simt::lane()] = mine;
    if (dense_) begin_pages(first, mine, count, bytes);
    at_.plain += plain.all;
    at_.literals += all_literals.all;
    at_.segments += segments.all;
    at_.literal_escapes += literal_escapes.all;
    at_.match_escapes += match_escapes.all;
    at_.long_lengths += long_lengths.all;
    return true;
  }

  /// Lane i gets the sums of unit first + i. False: a sequence without a match has a length of one.
  PRESSO_DEVICE bool sum_up(u32 first, u32 count, Sums& mine) {
    bool good = true;
    u32 farthest = 0;
    StoredSequences ahead[kAhead];
    PRESSO_UNROLL
    for (u32 i = 0; i < kAhead; ++i) ahead[i] = parser_.load(first + i);
    PRESSO_NO_UNROLL
    for (u32 i = 0; i < count; ++i) {
      const StoredSequences stored = ahead[0];
      PRESSO_UNROLL
      for (u32 j = 0; j + 1 < kAhead; ++j) ahead[j] = ahead[j + 1];
      ahead[kAhead - 1] = parser_.load(first + i + kAhead);
      const UnitCodes codes = parser_.decode(stored);
      const u32 packed = simt::reduce_add(parser_.plain_sums(codes));
      u32 escapes = 0;
      u32 empty = 0;
      if (!codes.plain) {
        escapes = simt::reduce_add(simt::popcount(codes.literal_escapes) |
                                   simt::popcount(codes.match_escapes) << 16);
        if (simt::any(stored.has_zero_offset())) good &= count_empty(stored, codes, empty);
      }
      farthest = max_of(farthest, max_of(max_of(stored.distance(0), stored.distance(1)),
                                         max_of(stored.distance(2), stored.distance(3))));
      if (simt::lane() == i) mine = {packed, escapes, empty};
    }
    const u32 most = dense_ ? Dense::kMostDistance : Sparse::kMostDistance;
    declined_ |= simt::any(farthest > most);
    return good;
  }

  PRESSO_DEVICE bool count_empty(const StoredSequences& stored, const UnitCodes& codes,
                                 u32& empty) const {
    u32 mine = 0;
    bool bad = false;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      if (stored.distance(i) != 0) continue;
      ++mine;
      bad |= detail::byte_of(codes.matches, i) != 0;
    }
    empty = simt::reduce_add(mine);
    return !simt::any(bad);
  }

  /// Each lane its own bytes.
  static PRESSO_DEVICE u32 add_bytes(const Byte* from, u32 count, u32& longs) {
    u32 sum = 0;
    for (u32 i = 0; i < count; ++i) {
      const u32 byte = simt::load_readonly(from + i);
      sum += byte;
      longs += byte == 255;
    }
    return sum;
  }

  /// Long lengths say by their place alone whether they are of literals or of a match.
  PRESSO_DEVICE bool parse_long_units(u32 first, const UnitRecord& mine, u32 longs, u32& literals,
                                      u32& bytes) const {
    PRESSO_NO_UNROLL
    for (u32 votes = simt::ballot(longs != 0); votes != 0; votes &= votes - 1) {
      const u32 owner = simt::find_first_set(votes) - 1;
      UnitRecord at;
      at.literal_escapes = simt::shuffle(mine.literal_escapes, owner);
      at.match_escapes = simt::shuffle(mine.match_escapes, owner);
      at.long_lengths = simt::shuffle(mine.long_lengths, owner);
      const StoredSequences stored = parser_.load(first + owner);
      UnitParser::Lengths lengths;
      if (!parser_.lengths(stored, parser_.decode(stored), at, lengths)) return false;
      u32 unit_literals = 0, unit_bytes = 0;
      PRESSO_UNROLL
      for (u32 i = 0; i < 4; ++i) {
        unit_literals += lengths.literals[i];
        unit_bytes += lengths.literals[i] + lengths.matches[i];
      }
      unit_literals = simt::reduce_add(unit_literals);
      unit_bytes = simt::reduce_add(unit_bytes);
      if (simt::lane() == owner) {
        literals = unit_literals;
        bytes = unit_bytes;
      }
    }
    return true;
  }

  /// Records the pages that begin in units from `first` on, each lane knowing its own.
  PRESSO_DEVICE void begin_pages(u32 first, const UnitRecord& mine, u32 count, u32 bytes) {
    constexpr u32 kPage = Dense::kPageBytes;
    if (count != 0 &&
        first + count == units_of(plan_.sequences)) {  // the last unit goes on to the block's end
      if (simt::lane() + 1 == count) bytes = plan_.plain_bytes - mine.plain;
    }
    const bool begins = simt::lane() < count &&
                        (mine.plain + kPage - 1) / kPage < (mine.plain + bytes + kPage - 1) / kPage;
    PRESSO_NO_UNROLL
    for (u32 votes = simt::ballot(begins); votes != 0; votes &= votes - 1) {
      const u32 owner = simt::find_first_set(votes) - 1;
      UnitRecord record;
      record.plain = simt::shuffle(mine.plain, owner);
      record.literals = simt::shuffle(mine.literals, owner);
      record.segments = simt::shuffle(mine.segments, owner);
      record.long_lengths = simt::shuffle(mine.long_lengths, owner);
      record.literal_escapes = simt::shuffle(mine.literal_escapes, owner);
      record.match_escapes = simt::shuffle(mine.match_escapes, owner);
      LaneSequences lane;
      parser_.parse(first + owner, parser_.load(first + owner), record, lane);
      const u32 end = record.plain + simt::shuffle(bytes, owner);
      for (u32 at = (record.plain + kPage - 1) / kPage * kPage; at < end; at += kPage) {
        const PageStart start = page_start(lane, at);
        if (simt::lane() == 0) pages_[at / kPage] = {start, first + owner, 0};
      }
    }
  }

  /// Records what stands behind the last page. Whether all pages have few enough segments.
  PRESSO_DEVICE bool pages_fit(u32 units) {
    const u32 pages = pages_of(plan_.plain_bytes);
    if (simt::thread_in_block() == 0) {
      const u32 tail = u32{plan_.literals != at_.literals};
      pages_[pages] = {{plan_.literals, at_.segments + tail}, units - 1, 0};
    }
    simt::block_sync();
    bool fit = true;
    for (u32 page = simt::thread_in_block(); page < pages; page += simt::block_threads()) {
      const u32 segments = pages_[page + 1].start.segments + 1 - pages_[page].start.segments;
      fit &= segments + 7 <= Dense::kSlots;  // a lane's eight are checked together
    }
    return !simt::block_sync_or(!fit);
  }

  /// Literals behind the last sequence fill the rest, and all else is used up.
  PRESSO_DEVICE bool complete() const {
    return plan_.plain_bytes - at_.plain == plan_.literals - at_.literals &&
           at_.literal_escapes == plan_.literal_escapes &&
           at_.match_escapes == plan_.match_escapes && at_.long_lengths == plan_.long_lengths;
  }

  const BlockPlan& plan_;
  UnitParser parser_;
  UnitRecord* units_;
  PageRecord* pages_;
  Shared& shared_;
  bool dense_;     // for the page decoder
  UnitRecord at_;  // where the next batch of all warps begins
  bool declined_ = false;
};

PRESSO_DEVICE bool history_fits(const BlockPlan& plan) {
  return plan.coding == static_cast<Byte>(Coding::kByte) &&
         plan.rule == static_cast<Byte>(DependencyRule::kTile) &&
         (1u << plan.group_log2) >= kTileBytes && plan.far == 0 && plan.dictionary_bytes == 0 &&
         reinterpret_cast<u64>(plan.out) % 8 == 0;
}

template <class Tuning>
PRESSO_DEVICE void survey_body(const BlockPlan* plans, u32* statuses) {
  const u32 block = simt::block_index();
  // The decoders address shared memory from its base.
  if (statuses[block] != kPlanned || !simt::shared_memory_is_at_base()) return;
  const BlockPlan plan = plans[block];
  if (plan.survey == nullptr || !history_fits(plan) || !SurveyRecords::fit(plan)) return;
  const Organisation organisation = Tuning::Selector::choose(plan.plain_bytes, plan.sequences);
  if (organisation == Organisation::kWarps) return;
  auto& shared = *reinterpret_cast<typename Survey<Tuning>::Shared*>(simt::shared_memory());
  const bool dense = organisation == Organisation::kPages;
  const u32 state = Survey<Tuning>(plan, dense, shared).run();
  simt::block_sync();  // all have seen the old state
  if (simt::thread_in_block() == 0) statuses[block] = state;
}

}  // namespace presso::gpu
