// SPDX-License-Identifier: MIT
// The survey: one pass over a block's tokens and offsets that finds where each unit of 128
// sequences begins in every stream, so that the relay decoder can parse units in any order. It is
// also where the streams are checked against each other and against the header, so that the relay
// decoder need not.
//
// Threads to data: thread block b surveys block b, up to 32 units a warp a step. Each unit is
// reduced to its sums, which the lane of its number keeps; prefix sums over lanes and warps then
// give all positions, and each lane adds up the escape bytes of its own unit. Units with long
// lengths are parsed one by one.
//
// Takes up blocks in the state kPlanned. Leaves kSurveyed; kFailed where the payload is faulty; and
// kPlanned where the warp decoder is to take the block: because it is faster, or for other codings
// and rules, tiles of less than 2 KiB, dictionaries, far offsets, output that is not 8-aligned, a
// distance above kMostDistance.
#pragma once

#include "decompress/gpu/bit/block_prefix.cuh"
#include "decompress/gpu/plan/policies.h"
#include "decompress/gpu/relay/unit_parser.cuh"

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

  PRESSO_DEVICE Survey(const BlockPlan& plan, Shared& shared)
      : plan_(plan), parser_(plan), units_(unit_records(plan)), shared_(shared) {}

  /// Surveys the block and returns its new state.
  PRESSO_DEVICE u32 run() {
    const u32 units = units_of(plan_.sequences);
    const u32 share = (units + kSurveyWarps - 1) / kSurveyWarps;
    const u32 a_warp = share < simt::kWarpSize ? share : simt::kWarpSize;
    PRESSO_NO_UNROLL
    for (u32 first = 0; first < units; first += kSurveyWarps * a_warp) {
      if (!batch(first + simt::warp_in_block() * a_warp, a_warp, units)) return kFailed;
    }
    if (!complete()) return kFailed;
    return simt::block_sync_or(declined_) ? kPlanned : kSurveyed;
  }

 private:
  static constexpr u32 kSurveyWarps = Tuning::kSurveyWarps;
  static constexpr u32 kMostUnits = kSurveyWarps * simt::kWarpSize;  ///< in a batch
  static_assert(kMostUnits < (u64{1} << 32) / kMaxBlockBytes);       // allow(bare-32): sums fit
  static constexpr u32 kAhead = 4;                                   ///< units requested ahead

  static PRESSO_DEVICE u32 max_of(u32 a, u32 b) { return a < b ? b : a; }

  /// The sums of one unit, in the lane that keeps them.
  struct Sums {
    u32 packed = 0;   ///< UnitParser::pack_sums() of what the tokens say
    u32 escapes = 0;  ///< escape bytes: of literals, and << 16 of matches
    u32 empty = 0;    ///< sequences without a match
  };

  using Prefix = BlockPrefix;

  /// The sums of `value` before this thread's and in all, by all warps. `which` must differ from
  /// that of the call before.
  PRESSO_DEVICE Prefix prefix(u32 which, u32 value) {
    return block_prefix<kSurveyWarps>(shared_.sums[which], value);
  }

  /// Surveys the next units of all warps; this warp takes at most `most`, from number `first` on.
  /// False, in all warps, if they are faulty.
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
    declined_ |= simt::any(farthest > Tuning::Relay::kMostDistance);
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

  /// Adds up `count` bytes, a different range in each lane; `longs` becomes how many of them are
  /// 255.
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
      UnitLengths lengths;
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

  /// Literals after the last sequence fill the rest, and all else is used up.
  PRESSO_DEVICE bool complete() const {
    return plan_.plain_bytes - at_.plain == plan_.literals - at_.literals &&
           at_.literal_escapes == plan_.literal_escapes &&
           at_.match_escapes == plan_.match_escapes && at_.long_lengths == plan_.long_lengths;
  }

  const BlockPlan& plan_;
  UnitParser parser_;
  UnitRecord* units_;
  Shared& shared_;
  UnitRecord at_;  // where the next batch of all warps begins
  bool declined_ = false;
};

template <class Tuning>
PRESSO_DEVICE void survey_body(const BlockPlan* plans, u32* statuses) {
  const u32 block = simt::block_index();
  // The decoders address shared memory from its base.
  if (statuses[block] != kPlanned || !simt::shared_memory_is_at_base()) return;
  const BlockPlan plan = plans[block];
  if (!plan.is(Coding::kByte) || plan.far != 0) return;
  if (plan.survey == nullptr || !history_fits(plan) || !unit_records_fit(plan)) return;
  if (Tuning::choose(plan.plain_bytes, plan.sequences) == Organisation::kWarps) return;
  auto& shared = *reinterpret_cast<typename Survey<Tuning>::Shared*>(simt::shared_memory());
  const u32 state = Survey<Tuning>(plan, shared).run();
  simt::block_sync();  // all have seen the old state
  if (simt::thread_in_block() == 0) statuses[block] = state;
}

}  // namespace presso::gpu
