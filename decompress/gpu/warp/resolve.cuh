// SPDX-License-Identifier: MIT
// In which order the warp decoder copies the matches of a group of 32 sequences. Matches of the
// *first wave* read nothing that the group writes: their source ends at or before the group's
// start, or lies in the dictionary. The others are the *second wave*. Sources: S7.6, S7.7. A
// strategy is a type with
//
//   kFirstWaveInCopy      whether segment_copy.cuh takes the matches whose source ends at or before
//                         the group's start, and those in the dictionary, with the literals
//   resolve<Policy>(...)  executes the matches that are left, in all lanes; each lane has its own
//
//   MultiRound      mrr: in rounds, as below, each lane its match; <true>: teams of lanes
//   DependencyFree  de: all at once where the block's rule allows it, else MultiRound; counts
//                   rounds only there
//   InTurn          one after another, but only what the copy could not take: few on most data
//
// The laboratory has two more (lab/gpu): sc, which takes all matches in turn, and mrr with one
// kernel a round.
//
// Rounds: when all literals of the group are in place, everything below the first pending match is
// final: that is the high-water mark. A match may be copied if its source ends there, not counting
// bytes that the match itself writes: min(source end, to) <= mark. The first pending match always
// may, so there are at most 32 rounds. Matches of the first wave would be copied in the first
// round, whose mark is the first match's place, but segment_copy.cuh has copied them already. The
// rounds are the same with and without counters.
//
// Every strategy leaves all bytes of the group stored; the caller's warp_sync makes them visible.
#pragma once

#include "decompress/gpu/warp/match_copy.cuh"

namespace presso::gpu {

/// Counts nothing, so that nothing is left of it in a kernel. The laboratory's policies name a type
/// that counts (lab/gpu/counting_decoder.cuh).
struct NoRoundCounter {
  static constexpr bool kCounts = false;

  PRESSO_DEVICE void resolved(u32 /*round*/, u32 /*bytes*/) {}
  PRESSO_DEVICE void group(u32 /*rounds*/) {}
};

/// A group's matches as a strategy gets them.
struct PendingMatches {
  Match mine;   ///< length 0 where this lane has no match
  u32 matches;  ///< lanes that have one
  u32 pending;  ///< those of them that the copy has not executed

  PRESSO_DEVICE bool is_pending() const { return (pending >> simt::lane() & 1) != 0; }
};

namespace detail {

PRESSO_DEVICE u32 lowest(u32 mask) {
  return simt::find_first_set(mask) - 1;
}

PRESSO_DEVICE Match shuffle(const Match& match, u32 from) {
  return {simt::shuffle(match.to, from), simt::shuffle(match.length, from),
          simt::shuffle(match.distance, from)};
}

/// The matches of the lanes in `mask`, one after another.
template <class Policy>
PRESSO_DEVICE void copy_in_turn(const BlockMemory& memory, const Match& mine, u32 mask) {
  PRESSO_NO_UNROLL
  for (; mask != 0; mask &= mask - 1) {
    const Match match = shuffle(mine, lowest(mask));
    copy_match<Policy::kMatchBytes>(memory.place(match), simt::lane(), kWarpSize);
    simt::warp_sync();
  }
}

/// Matches longer than this are copied by the whole warp.
constexpr u32 kLongMatch = 256;

/// The matches of the lanes in `mask`, none of which reads what another writes: four at a time,
/// eight lanes each, long ones in turn.
template <class Policy>
PRESSO_DEVICE void copy_together(const BlockMemory& memory, const Match& mine, u32 mask) {
  constexpr u32 kTeam = 8;
  const u32 team = simt::lane() / kTeam;
  const u32 longs = simt::ballot(mine.length > kLongMatch) & mask;
  PRESSO_NO_UNROLL
  for (u32 left = mask & ~longs; left != 0;) {
    u32 ours = left;
    PRESSO_UNROLL
    for (u32 i = 0; i < kWarpSize / kTeam; ++i) {
      if (i < team) ours &= ours - 1;
      left &= left - 1;
    }
    const Match match = shuffle(mine, lowest(ours));
    if (ours != 0) {
      copy_match<Policy::kMatchBytes>(memory.place(match), simt::lane() % kTeam, kTeam);
    }
  }
  copy_in_turn<Policy>(memory, mine, longs);
}

/// Copies matches in parallel, each lane its own; long ones are copied by the warp afterwards.
template <class Policy>
PRESSO_DEVICE void copy_by_lanes(const BlockMemory& memory, const Match& mine, u32 mask) {
  const u32 longs = simt::ballot(mine.length > kLongMatch) & mask;
  if (((mask & ~longs) >> simt::lane() & 1) != 0) {
    copy_match<Policy::kMatchBytes>(memory.place(mine), 0, 1);
  }
  copy_in_turn<Policy>(memory, mine, longs);
}

}  // namespace detail

/// Copies the matches of the second wave one after another, each by the whole warp.
struct InTurn {
  static constexpr bool kFirstWaveInCopy = true;

  template <class Policy>
  static PRESSO_DEVICE void resolve(const BlockPlan&, const BlockMemory& memory,
                                    const PendingMatches& group, typename Policy::Counter&) {
    detail::copy_in_turn<Policy>(memory, group.mine, group.pending);
  }
};

/// Copies the matches of the second wave in rounds, as described above. kTogether: by teams of
/// eight lanes for each match instead of one lane.
template <bool kTogether>
struct MultiRound {
  static constexpr bool kFirstWaveInCopy = true;

  template <class Policy>
  static PRESSO_DEVICE void resolve(const BlockPlan&, const BlockMemory& memory,
                                    const PendingMatches& group,
                                    typename Policy::Counter& counter) {
    const Match& mine = group.mine;
    u32 pending = group.pending;
    u32 first = group.matches;  // lanes of which the lowest is where the mark stands
    u32 round = group.matches != 0 ? 1 : 0;
    counter.resolved(round, group.is_pending() ? 0 : mine.length);
    while (pending != 0) {
      const u32 mark = simt::shuffle(mine.to, detail::lowest(first));
      const u32 source_end = mine.to - mine.distance + mine.length;
      const bool may = (source_end < mine.to ? source_end : mine.to) <= mark;
      const u32 ready = simt::ballot(may) & pending;
      if constexpr (kTogether) {
        detail::copy_together<Policy>(memory, mine, ready);
      } else {
        detail::copy_by_lanes<Policy>(memory, mine, ready);
      }
      counter.resolved(round, (ready >> simt::lane() & 1) != 0 ? mine.length : 0);
      simt::warp_sync();
      pending &= ~ready;
      first = pending;
      if (pending != 0) ++round;
    }
    counter.group(round);
  }
};

/// Copies all matches of the second wave at the same time, after the first wave. The strict, the
/// literal-aware and the two-wave rule (FORMAT.md 6.3) promise that this is enough for groups of
/// the file, which consist of whole groups of 32. A match that is of the second wave in such a part
/// is so in the whole: its source ends after the part's start, so also after the whole's. The tile
/// rule promises nothing of the kind.
struct DependencyFree {
  static constexpr bool kFirstWaveInCopy = true;

  static PRESSO_DEVICE bool allowed_by(const BlockPlan& plan) {
    return plan.rule == static_cast<Byte>(DependencyRule::kStrict) ||
           plan.rule == static_cast<Byte>(DependencyRule::kLiteralAware) ||
           plan.rule == static_cast<Byte>(DependencyRule::kTwoWave);
  }

  template <class Policy>
  static PRESSO_DEVICE void resolve(const BlockPlan& plan, const BlockMemory& memory,
                                    const PendingMatches& group,
                                    typename Policy::Counter& counter) {
    if (allowed_by(plan)) {
      detail::copy_together<Policy>(memory, group.mine, group.pending);
    } else {
      MultiRound<true>::template resolve<Policy>(plan, memory, group, counter);
    }
  }
};

}  // namespace presso::gpu
