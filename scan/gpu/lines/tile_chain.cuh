// SPDX-License-Identifier: MIT
// After line_tiles_kernel: tiles whose guess was wrong are corrected. Four kernels, of which the
// last three end at once where the first found nothing, which is the rule.
//
//   find_broken     a tile is broken if its guess is not the state that the tile before it ended
//                   in, and so is what follows it up to and with the next tile that has a '\n'
//   tile_functions  a warp for each broken tile: where each state leads that may stand at its
//                   begin. One state, where the tile before is not broken. Else all those that
//                   some state leads to over the last 64 bytes, or 512, or 4,096 before it:
//                   automata forget, so these are few, and a lane takes each. Where at most 16
//                   are possible at some places in the tile, it is cut there, pieces are run side
//                   by side, and their functions composed
//   compose_groups  a warp for each 32 tiles without '\n': one function for all of them
//   follow_chains   a warp for each first broken tile of a chain looks up one function after
//                   another; a lane where the chain is one tile, as with most lines
//
// Cost where every tile is broken: a step of a warp for each byte (0.1 TB/s by count), or for each
// second to sixteenth byte where few states are possible, then a look-up for each group of tiles.
// Where the automaton's transition monoid is at hand, tile_monoid and multiply_groups take the
// places of the second and third kernel (monoid_chain.cuh): a step of a warp for 32 bytes, whatever
// the states. Else, if more than 32 states stay possible over 4,096 bytes, the tile has no
// function, and follow_chains runs the automaton over it with one lane, 30 to 60 MB/s: that takes a
// pattern that counts beyond 32 and never forgets, and a line of some hundred kilobytes. Never
// quadratic. Test: tests/simt/scan_lines_test.cpp.
#pragma once

#include "scan/gpu/lines/line_engines.cuh"
#include "scan/gpu/lines/monoid_chain.cuh"

namespace presso::gpu {

/// Whether the state that the tile was run from differs from the one that the tile before ended in.
PRESSO_DEVICE bool is_inconsistent(const LineScanArguments& scan, u64 tile) {
  return tile > 0 && tile < scan.tiles() && scan.d_tiles[tile].guess != scan.d_tiles[tile - 1].out;
}

/// The mark for an inconsistent tile and for what follows it in its line: kAbsorbed where the state
/// that comes from the left is known to stay to the line's end.
PRESSO_DEVICE std::uint16_t mark_of(const LineScanArguments& scan, u64 tile) {
  const TileSummary& left = scan.d_tiles[tile - 1];
  const bool is_absorbed = left.first != kNoStage && is_absorbing(scan.table, left.out);
  return is_absorbed ? TileSummary::kAbsorbed : TileSummary::kBroken;
}

/// Marks `tile` and the tiles after it up to the end of its line, by a warp. Ends in front of the
/// next inconsistent tile, from which another warp goes on, so that each tile is marked once.
/// Returns how many were marked.
PRESSO_DEVICE u32 mark_chain(const LineScanArguments& scan, u64 tile) {
  u32 marked = 0;
  const std::uint16_t mark = mark_of(scan, tile);
  for (;; tile += kWarpSize) {
    const u64 mine = tile + simt::lane();
    const bool exists = mine < scan.tiles();
    const bool is_first = marked == 0 && simt::lane() == 0;
    const bool ends_before = !exists || (!is_first && is_inconsistent(scan, mine));
    const bool ends_after = exists && scan.d_tiles[mine].first != kNoStage;
    const u32 before = simt::ballot(ends_before), after = simt::ballot(ends_after);
    const u32 lower = (1u << simt::lane()) - 1;
    const bool is_in = (before & (lower | 1u << simt::lane())) == 0 && (after & lower) == 0;
    if (is_in) scan.d_tiles[mine].broken = mark;
    marked += simt::popcount(simt::ballot(is_in));
    if ((before | after) != 0) return marked;
  }
}

/// Finds and marks all broken tiles, and counts them: the later kernels end at once if there are
/// none.
PRESSO_DEVICE void find_broken_body(const LineScanArguments& scan) {
  const u64 warps = u64{simt::grid_blocks()} * (simt::block_threads() / kWarpSize);
  const u64 warp = u64{simt::block_index()} * (simt::block_threads() / kWarpSize) +
                   simt::shuffle(simt::warp_in_block(), 0);
  u32 marked = 0;
  for (u64 base = warp * kWarpSize; base < scan.tiles(); base += warps * kWarpSize) {
    const u64 mine = base + simt::lane();
    const bool is_wrong = is_inconsistent(scan, mine);
    const bool is_lone = is_wrong && scan.d_tiles[mine].first != kNoStage;
    if (is_lone) scan.d_tiles[mine].broken = mark_of(scan, mine);
    marked += simt::popcount(simt::ballot(is_lone));
    u32 found = simt::ballot(is_wrong && !is_lone);
    for (; found != 0; found &= found - 1) {
      marked += mark_chain(scan, base + simt::find_first_set(found) - 1);
    }
  }
  if (simt::lane() == 0 && marked > 0) simt::atomic_add(scan.d_broken, marked);
}

// Makes and applies the functions of broken tiles, for a warp. The two sets of states in shared
// memory are the warp's own.
template <class Rows>
class TileFunctions {
 public:
  /// `sets`: shared memory for two sets of states; only make() needs it.
  PRESSO_DEVICE TileFunctions(const LineScanArguments& scan, u32* sets)
      : scan_(scan),
        walker_(scan),
        set_words_((scan.table.states + kWarpSize - 1) / kWarpSize),
        now_(sets),
        next_(sets == nullptr ? nullptr : sets + set_words_) {}
  TileFunctions(const TileFunctions&) = delete;
  TileFunctions& operator=(const TileFunctions&) = delete;

  /// Writes down the tile's function for all states that may stand at its start, or that they are
  /// too many (more than 32).
  PRESSO_DEVICE void make(u64 tile) {
    const TileSummary& before = scan_.d_tiles[tile - 1];
    u32 count = 1, in = before.out;
    if (before.broken != 0 && before.first == kNoStage) {
      count = possible_states(tile * scan_.tile_bytes(), 2, kTableStates, in);
    }
    TileFunction& function = scan_.d_functions[tile];
    if (simt::lane() == 0) {
      function.count =
          count > kTableStates ? TileFunction::kTooMany : static_cast<std::uint16_t>(count);
    }
    if (simt::lane() == 0) function.tiles = 1;
    if (count > kTableStates) return;
    const u32 state = run_states(count, in, tile * scan_.tile_bytes(), end_of_head(scan_, tile));
    if (simt::lane() >= count) return;
    function.in[simt::lane()] = static_cast<std::uint16_t>(in);
    function.result[simt::lane()] = static_cast<std::uint16_t>(result_of(tile, state));
  }

  /// Runs the automaton over the tile from `state`. Returns the state after a tile without '\n',
  /// else whether its first line matches (0 or 1).
  PRESSO_DEVICE u32 result(u64 tile, u32 state) const {
    return result_of(tile, walker_.run(state, tile * scan_.tile_bytes(), end_of_head(scan_, tile)));
  }

  /// The tile's first line as it was counted, under the guess: whether it matched, and where it
  /// ends.
  PRESSO_DEVICE auto counted_line(u64 tile) const {
    const TileSummary& summary = scan_.d_tiles[tile];
    return walker_.end_of_line(summary.before,
                               tile * scan_.tile_bytes() + u64{summary.first} * kStageBytes);
  }

 private:
  /// What result() returns, where the state after the head is known already.
  PRESSO_DEVICE u32 result_of(u64 tile, u32 state) const {
    if (scan_.d_tiles[tile].first == kNoStage) return state;
    return walker_.end_of_line(state, end_of_head(scan_, tile)).matches ? 1 : 0;
  }

  /// Runs the states of the first `count` lanes over [begin, end), which lies within a line; each
  /// lane gets where its state leads.
  PRESSO_DEVICE u32 run_states(u32 count, u32 in, u64 begin, u64 end) {
    if (simt::ballot(simt::lane() < count && !walker_.is_absorbing(in)) == 0) return in;
    u32 width = 2;
    while (width < count) width *= 2;
    u32 out = 0;
    if (end - begin >= kLeastCut) {
      for (u32 tries = 0; tries < 2 && width <= kWarpSize / 2; ++tries, width *= 2) {
        if (run_pieces(width, count, in, begin, end, out)) return out;
      }
    }
    return simt::lane() < count ? walker_.run(in, begin, end) : 0;
  }

  /// Does what run_states() does, in pieces that lie side by side, each run from up to `width`
  /// states by lanes of its own, and then composes the pieces' functions. False, with nothing done,
  /// where more states are possible somewhere.
  PRESSO_DEVICE bool run_pieces(u32 width, u32 count, u32 in, u64 begin, u64 end, u32& out) {
    const u32 pieces = kWarpSize / width;
    // Otherwise looking for the states at each cut takes longer than running one over the whole
    // range.
    if (u64{pieces} * set_words_ * 2 * kStageBytes >= end - begin) return false;
    const u32 my_piece = simt::lane() / width, my_number = simt::lane() % width;
    const u64 piece_bytes = (end - begin) / pieces / kStageBytes * kStageBytes;
    u32 my_count = count;
    u32 my_in = simt::shuffle(in, my_number);
    for (u32 piece = 1; piece < pieces; ++piece) {
      const u64 at = begin + piece * piece_bytes;
      u32 state = 0;
      const u32 possible = possible_states(at, width, width, state);
      if (possible > width) return false;
      state = simt::shuffle(state, my_number);
      if (piece != my_piece) continue;
      my_count = possible;
      my_in = state;
    }
    const u64 my_begin = begin + my_piece * piece_bytes;
    const u64 my_end = my_piece + 1 == pieces ? end : my_begin + piece_bytes;
    const u32 my_out = my_number < my_count ? walker_.run(my_in, my_begin, my_end) : 0;
    // No state of an automaton, for lanes that have none.
    const u32 from = my_number < my_count ? my_in : ~0u;
    out = my_out;  // of the first piece, for the lanes that count
    for (u32 lane = width; lane < kWarpSize; lane += width) {
      u32 next = 0;
      for (u32 i = 0; i < width; ++i) {
        const u32 is_from = simt::shuffle(from, lane + i),
                  leads_to = simt::shuffle(my_out, lane + i);
        if (is_from == out) next = leads_to;
      }
      out = next;
    }
    return true;
  }

  /// How many states may stand at `begin`, found by running all states over the bytes before it,
  /// within the line: lane i gets the i-th in `mine`. Returns most + 1 if there are more than
  /// `most`. Reads further back (64, 512, 4,096 bytes) only until at most `enough` are left.
  PRESSO_DEVICE u32 possible_states(u64 begin, u32 enough, u32 most, u32& mine) {
    const u32 longest = enough < most ? kLongestSearch : kSearchInTile;
    u32 count = most + 1;
    for (u32 bytes = 0; bytes <= longest; bytes = bytes == 0 ? kStageBytes : 8 * bytes) {
      if (u64{bytes} * scan_.table.states > kSearchSteps || bytes > scan_.tile_bytes()) break;
      take_all_states();
      for (u64 at = begin - bytes; at < begin; at += kStageBytes) step_set(at);
      count = set_size();
      if (count <= enough || (count <= most && bytes >= kSearchInTile)) break;
    }
    if (count > most) return most + 1;
    mine = member(simt::lane() < count ? simt::lane() : 0);
    return count;
  }

  PRESSO_DEVICE void take_all_states() {
    simt::warp_sync();
    for (u32 word = simt::lane(); word < set_words_; word += kWarpSize) {
      const u32 left = scan_.table.states - word * kWarpSize;
      now_[word] = left >= kWarpSize ? ~0u : (1u << left) - 1;
    }
    simt::warp_sync();
  }
  /// Replaces the set of states at `at` by the set 64 bytes further on.
  PRESSO_DEVICE void step_set(u64 at) {
    for (u32 word = simt::lane(); word < set_words_; word += kWarpSize) next_[word] = 0;
    simt::warp_sync();
    for (u32 word = 0; word < set_words_; ++word) {
      if ((now_[word] >> simt::lane() & 1) == 0) continue;
      const u32 state = walker_.run(word * kWarpSize + simt::lane(), at, at + kStageBytes);
      simt::atomic_or(&next_[state / kWarpSize], 1u << state % kWarpSize);
    }
    simt::warp_sync();
    u32* const old = now_;
    now_ = next_;
    next_ = old;
  }
  PRESSO_DEVICE u32 set_size() const {
    u32 size = 0;
    for (u32 word = simt::lane(); word < set_words_; word += kWarpSize) {
      size += simt::popcount(now_[word]);
    }
    return simt::reduce_add(size);
  }
  /// The state in the set that has `number` smaller ones before it.
  PRESSO_DEVICE u32 member(u32 number) const {
    for (u32 word = 0; word < set_words_; ++word) {
      u32 bits = now_[word];
      if (number >= simt::popcount(bits)) {
        number -= simt::popcount(bits);
        continue;
      }
      for (; number > 0; --number) bits &= bits - 1;
      return word * kWarpSize + simt::find_first_set(bits) - 1;
    }
    return 0;
  }

  static constexpr u32 kLongestSearch = 4096;
  static constexpr u32 kSearchInTile = 512;
  /// The least length that is cut into pieces, at most 16: what is searched before a piece then
  /// lies within the piece before.
  static constexpr u32 kLeastCut = 16 * kSearchInTile;
  /// The most work, in states times bytes, that a search may take: some steps of a warp for each
  /// byte of a tile.
  static constexpr u64 kSearchSteps = u64{1} << 22;

  const LineScanArguments& scan_;
  LineWalker<Rows> walker_;
  u32 set_words_;
  u32* now_;
  u32* next_;
};

/// The shared memory, after the table, for the sets of all warps of a block, in bytes.
PRESSO_HD constexpr u32 state_sets_bytes(const LineTableView& table, u32 warps) {
  return warps * 2 * 4 * ((table.states + kWarpSize - 1) / kWarpSize);
}

template <class Rows>
PRESSO_DEVICE void tile_functions_body(const LineScanArguments& scan) {
  if (*scan.d_broken == 0) return;
  copy_table(scan.table);
  simt::block_sync();
  const u32 warp = simt::shuffle(simt::warp_in_block(), 0);
  const u32 warps = simt::block_threads() / kWarpSize;
  Byte* const sets =
      simt::shared_memory() + scan.table.shared_bytes + state_sets_bytes(scan.table, 1) * warp;
  TileFunctions<Rows> functions(scan, reinterpret_cast<u32*>(sets));
  for (u64 tile = u64{simt::block_index()} * warps + warp; tile < scan.tiles();
       tile += u64{simt::grid_blocks()} * warps) {
    if (scan.d_tiles[tile].broken != 0) functions.make(tile);
    simt::warp_sync();
  }
}

/// A tile's function in the registers of a warp, one entry of it in each lane.
struct HeldFunction {
  u32 count = 0, tiles = 0;
  u32 in = 0, result = 0;  ///< the lane's entry
  u32 first = kNoStage;
  u32 number = 0;  ///< the monoid's function, if there is a monoid
};

/// Reads a tile's function; an empty one after the last tile.
PRESSO_DEVICE HeldFunction hold_function(const LineScanArguments& scan, u64 tile) {
  if (tile >= scan.tiles()) return {};
  const TileFunction& function = scan.d_functions[tile];
  const u32 first = scan.d_tiles[tile].first;
  if (scan.table.monoid.functions != 0) return {0, function.tiles, 0, 0, first, function.number};
  return {function.count,
          function.tiles,
          function.in[simt::lane()],
          function.result[simt::lane()],
          first,
          0};
}

/// Looks `state` up in the function. All lanes get the result; false where it has no entry.
PRESSO_DEVICE bool look_up(const HeldFunction& function, u32 state, u32& result) {
  const bool is_mine = function.count != TileFunction::kTooMany && simt::lane() < function.count &&
                       function.in == state;
  const u32 found = simt::ballot(is_mine);
  if (found == 0) return false;
  result = simt::shuffle(function.result, simt::find_first_set(found) - 1);
  return true;
}

/// Looks up what the monoid's function `number` makes of `state`. Returns the state after a tile
/// without '\n' (`first` is kNoStage), else whether its first line matches.
PRESSO_DEVICE u32 result_by_monoid(const LineScanArguments& scan, u32 number, u32 first,
                                   u32 state) {
  const u32 after = Monoid<MonoidRows::kGlobal>(scan).value(number, state);
  if (first == kNoStage) return after;
  return after >= scan.table.first_matching ? 1 : 0;
}

/// What a tile's function makes of the state before it, by the monoid or by its table; false where
/// the table does not know.
PRESSO_DEVICE bool value_of(const LineScanArguments& scan, const HeldFunction& function, u32 state,
                            u32& result) {
  if (scan.table.monoid.functions == 0) return look_up(function, state, result);
  result = result_by_monoid(scan, function.number, function.first, state);
  return true;
}

/// Corrects a tile's first line, if it was counted wrongly under the guess. Returns the change of
/// the count (1, 0 or -1 modulo 2^64). The lane with `writes` corrects the mark.
template <class Rows>
PRESSO_DEVICE u64 mend_head(const LineScanArguments& scan, const TileFunctions<Rows>& functions,
                            u64 tile, bool matches, bool writes) {
  const auto counted = functions.counted_line(tile);
  if (counted.matches == matches) return 0;
  if (scan.d_marks != nullptr && writes) {
    scan.marks()[counted.at / kQuadBytes] ^=
        static_cast<std::uint16_t>(1u << counted.at % kQuadBytes);
  }
  return matches ? u64{1} : ~u64{0};
}

/// Makes one function of each 32 tiles in a row that only hand a state on. Left alone where a state
/// of the first has no entry in a later one.
PRESSO_DEVICE void compose_groups_body(const LineScanArguments& scan) {
  if (*scan.d_broken == 0) return;
  constexpr u32 kGroup = TileFunction::kGroupTiles;
  const u64 warps = u64{simt::grid_blocks()} * (simt::block_threads() / kWarpSize);
  const u64 warp = u64{simt::block_index()} * (simt::block_threads() / kWarpSize) +
                   simt::shuffle(simt::warp_in_block(), 0);
  for (u64 base = warp * kGroup; base + kGroup <= scan.tiles(); base += warps * kGroup) {
    const TileSummary& mine = scan.d_tiles[base + simt::lane()];
    const bool hands_on = mine.broken != 0 && mine.first == kNoStage &&
                          scan.d_functions[base + simt::lane()].count != TileFunction::kTooMany;
    if (simt::ballot(!hands_on) != 0) continue;
    const HeldFunction first_one = hold_function(scan, base);
    u32 state = first_one.result;
    bool is_known = true;
    for (u32 i = 1; i < kGroup; ++i) {
      const HeldFunction next = hold_function(scan, base + i);
      u32 result = ~0u;
      for (u32 lane = 0; lane < next.count; ++lane) {
        const u32 in = simt::shuffle(next.in, lane), leads_to = simt::shuffle(next.result, lane);
        if (in == state) result = leads_to;
      }
      is_known = is_known && result != ~0u;
      state = result;
    }
    const bool counts = simt::lane() < first_one.count;
    if (simt::ballot(counts && !is_known) != 0) continue;
    TileFunction& function = scan.d_functions[base];
    if (counts) function.result[simt::lane()] = static_cast<std::uint16_t>(state);
    if (simt::lane() == 0) function.tiles = kGroup;
  }
}

/// Follows a chain from its first broken tile to its line's end, by a warp. Returns the change of
/// the count. Which functions are read does not depend on what was found so far, so eight are
/// brought at once: a step would take a microsecond otherwise.
template <class Rows>
PRESSO_DEVICE u64 follow_chain(const LineScanArguments& scan, const TileFunctions<Rows>& functions,
                               u64 tile) {
  constexpr u32 kAhead = 8;
  constexpr u32 kGroup = TileFunction::kGroupTiles;
  u32 state = scan.d_tiles[tile - 1].out;
  bool by_groups = true;  // until a group turns out to be none
  for (;;) {
    const u64 base = tile;
    const u32 stride = by_groups && base % kGroup == 0 ? kGroup : 1;
    HeldFunction held[kAhead];
    PRESSO_UNROLL
    for (u32 i = 0; i < kAhead; ++i) held[i] = hold_function(scan, base + u64{i} * stride);
    by_groups = true;
    PRESSO_UNROLL
    for (u32 i = 0; i < kAhead; ++i) {
      if (tile != base + u64{i} * stride) break;
      if (tile == scan.tiles()) return 0;
      if (held[i].tiles < stride) {
        by_groups = false;
        break;
      }
      u32 result = 0;
      const bool is_known = value_of(scan, held[i], state, result);
      if (!is_known) result = functions.result(tile, state);
      if (held[i].first != kNoStage) {
        return mend_head(scan, functions, tile, result != 0, simt::lane() == 0);
      }
      state = result;
      tile += is_known ? held[i].tiles : 1;
    }
  }
}

/// Corrects a chain that is a single tile with a '\n', by one lane: with most texts all chains are
/// such.
template <class Rows>
PRESSO_DEVICE u64 mend_lone_tile(const LineScanArguments& scan,
                                 const TileFunctions<Rows>& functions, u64 tile) {
  const TileFunction& function = scan.d_functions[tile];
  const u32 result = scan.table.monoid.functions == 0
                         ? function.result[0]  // of the state before it, which is known
                         : result_by_monoid(scan, function.number, scan.d_tiles[tile].first,
                                            scan.d_tiles[tile - 1].out);
  return mend_head(scan, functions, tile, result != 0, true);
}

// Finds where chains begin, and follows each. A chain begins where a tile is broken and the one
// before is not, or has a '\n'.
template <class Rows>
PRESSO_DEVICE void follow_chains_body(const LineScanArguments& scan) {
  if (*scan.d_broken == 0) return;
  copy_table(scan.table);
  simt::block_sync();
  const TileFunctions<Rows> functions(scan, nullptr);
  const u32 warps = simt::block_threads() / kWarpSize;
  const u64 warp = u64{simt::block_index()} * warps + simt::shuffle(simt::warp_in_block(), 0);
  u64 change = 0;
  for (u64 base = warp * kWarpSize; base < scan.tiles();
       base += u64{simt::grid_blocks()} * warps * kWarpSize) {
    const u64 mine = base + simt::lane();
    bool begins = mine < scan.tiles() && scan.d_tiles[mine].broken != 0;
    if (begins) {
      const TileSummary& left = scan.d_tiles[mine - 1];
      begins = left.broken == 0 || left.first != kNoStage;
    }
    const bool is_lone = begins && scan.d_tiles[mine].first != kNoStage;
    if (is_lone) change += mend_lone_tile(scan, functions, mine);
    for (u32 found = simt::ballot(begins && !is_lone); found != 0; found &= found - 1) {
      const u64 found_change =
          follow_chain(scan, functions, base + simt::find_first_set(found) - 1);
      if (simt::lane() == 0) change += found_change;
    }
  }
  add_lines(scan.d_lines, change);
}

}  // namespace presso::gpu
