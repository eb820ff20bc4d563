// SPDX-License-Identifier: MIT
// Counts the matching lines of a text by an automaton, one strip to a lane, whatever the lengths of
// lines (sources: L6, L7).
//
// A lane does not know the state at the start of its strip. It guesses: it runs the automaton from
// the start of a line over the 64 bytes before. After the strip, lanes compare their guess with the
// state that their neighbour ended in, and who was wrong runs its head again, up to the first '\n'.
// Lanes further down that saw no '\n' since are likely wrong for the same reason ("an error was
// seen in this line"), so they guess again at once, warming up from the state that was missed. In
// every round the first wrong lane of a chain becomes right for good, so 32 rounds are the most; a
// pattern like error.*user takes one. A tile without '\n' that is not right after four rounds, as
// with a pattern that counts, is left to the kernels that mend what is wrong between tiles
// (tile_chain.cuh): nothing has been counted in it. Where the automaton's transition monoid is at
// hand, such a tile is left at once, unless an absorbing state was missed; the others make one
// round, and then each lane looks up what its head makes of the state before it.
//
// Threads to data: a warp takes every n-th tile. Text goes through shared memory, since lanes that
// read their strips from device memory themselves use a sector for 16 bytes: stages of 64 bytes of
// each strip, two in flight, rows of 80 bytes, by asynchronous copies. Shared memory: the table,
// then 5,120 bytes a warp. Synchronisation: within warps, but once for the table. The loop over a
// strip is the hot one: 4 to 6 instructions a byte, bound by them and by shared memory's bandwidth.
//
// Worst text: each look-up of a warp in another word of one bank (0.26 TB/s by count).
// Test: tests/simt/scan_lines_test.cpp.
#pragma once

#include "scan/gpu/lines/monoid.cuh"

namespace presso::gpu {

constexpr u32 kMostRounds = 4;
constexpr u32 kRoundsBeforeMonoid = 1;
constexpr u32 kStagedBytes = 2 * kWarpSize * kStagePitch;  ///< shared memory of a warp for its text

/// A lane's automaton in motion. Stages are numbered from the start of its strip.
template <class Rows, bool kMark>
struct LineRun {
  u32 state = 0;
  u32 hits = 0;
  u32 first = kNoStage;  ///< the stage with the first '\n'
  u32 before = 0;        ///< the state in front of it, which may be `hit`

  /// Takes a stage, the next 64 bytes of the strip: steps, counts hits and, in `marks`, leaves a
  /// bit for each matching line's end. `number`: the stage's, for `first`.
  PRESSO_DEVICE void take_stage(const Rows& rows, const Quad (&quads)[4], u32 number,
                                std::uint16_t* marks) {
    if (first == kNoStage && (has_newline(quads[0]) || has_newline(quads[1]) ||
                              has_newline(quads[2]) || has_newline(quads[3]))) {
      first = number;
      before = state;
    }
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const u32 bits = take(rows, quads[i]);
      if (kMark && bits != 0) marks[i] = static_cast<std::uint16_t>(bits);
    }
  }
  /// Steps only, over the bytes before the strip: neither counts nor marks.
  PRESSO_DEVICE void warm_up(const Rows& rows, const Quad (&quads)[4]) {
    PRESSO_UNROLL
    for (u32 i = 0; i < kStageBytes; ++i) state = rows.next(state, byte_of(quads[i / 16], i % 16));
  }

 private:
  static PRESSO_DEVICE u32 byte_of(const Quad& quad, u32 i) {
    return simt::byte_permute(quad.words[i / 4], 0, 0x4440 + i % 4);
  }
  PRESSO_DEVICE u32 take(const Rows& rows, const Quad& quad) {
    u32 bits = 0;
    PRESSO_UNROLL
    for (u32 i = 0; i < kQuadBytes; ++i) {
      state = rows.next(state, byte_of(quad, i));
      hits += rows.hits(state);
      if (kMark) bits |= rows.hits(state) << i;
    }
    return bits;
  }
};

// A warp at work on its tiles: guesses, runs, compares and sums up, as the file comment says. The
// members are the lane's own, for the tile at hand.
template <class Rows, bool kMark>
class LineTiles {
 public:
  PRESSO_DEVICE explicit LineTiles(const LineScanArguments& scan)
      : scan_(scan), rows_(scan.table), text_(scan.d_text, scan.bytes), walker_(scan) {}
  LineTiles(const LineTiles&) = delete;
  LineTiles& operator=(const LineTiles&) = delete;

  /// Runs all tiles of this warp. Returns the lane's share of the matching lines.
  PRESSO_DEVICE u64 run() {
    const u32 warps = simt::grid_blocks() * (simt::block_threads() / kWarpSize);
    const u32 warp = simt::block_index() * (simt::block_threads() / kWarpSize) + uniform_warp();
    u64 lines = 0;
    for (u64 tile = warp; tile < scan_.tiles(); tile += warps) {
      begin_tile(tile);
      if (tile_begin_ + scan_.tile_bytes() <= scan_.bytes) {
        run_staged();
      } else {
        run_plain();
      }
      end_text();
      summarise(tile, agree(tile));
      lines += run_.hits;
    }
    return lines;
  }

 private:
  static PRESSO_DEVICE u32 uniform_warp() { return simt::shuffle(simt::warp_in_block(), 0); }

  /// Cuts the tile into strips and resets the lane's run.
  PRESSO_DEVICE void begin_tile(u64 tile) {
    tile_begin_ = tile * scan_.tile_bytes();
    const u64 offset = u64{simt::lane()} * scan_.strip_bytes;
    begin_ = tile_begin_ + offset;
    const u64 end = begin_ + scan_.strip_bytes;
    begin_ = begin_ < scan_.bytes ? begin_ : scan_.bytes;
    end_ = end < scan_.bytes ? end : scan_.bytes;
    run_ = {};
    run_.state = scan_.table.start;
  }

  PRESSO_DEVICE std::uint16_t* marks_of(int stage) const {
    return kMark ? scan_.marks() + begin_ / kQuadBytes + stage * 4 : nullptr;
  }

  // --- the text through shared memory: full tiles only

  /// Starts the copy of 64 bytes of every strip to shared memory, four lanes to a row so that a
  /// transaction is full. Stage -1 is the 64 bytes before the strips.
  PRESSO_DEVICE void fetch(int stage) {
    const u32 row = simt::lane() / 4, column = simt::lane() % 4 * kQuadBytes;
    Byte* to = staged(stage) + row * kStagePitch + column;
    const Byte* from = scan_.d_text + tile_begin_ + u64{row} * scan_.strip_bytes + column +
                       static_cast<std::int64_t>(stage) * kStageBytes;
    PRESSO_UNROLL
    for (u32 i = 0; i < 4; ++i) {
      const bool exists = stage >= 0 || tile_begin_ > 0 || i + row > 0;
      if (exists) simt::copy_async_16(to, from);
      to += 8 * kStagePitch;
      from += u64{8} * scan_.strip_bytes;
    }
  }
  PRESSO_DEVICE Byte* staged(int stage) const {
    return simt::shared_memory() + scan_.table.shared_bytes + simt::warp_in_block() * kStagedBytes +
           (stage & 1) * (kStagedBytes / 2);
  }

  /// Runs a full tile: while a stage is worked on, the next one is on its way.
  PRESSO_DEVICE void run_staged() {
    const int stages = static_cast<int>(scan_.strip_bytes / kStageBytes);
    fetch(-1);
    simt::copy_async_commit();
    PRESSO_NO_UNROLL
    for (int stage = -1; stage < stages; ++stage) {
      if (stage + 1 < stages) fetch(stage + 1);
      simt::copy_async_commit();
      simt::copy_async_wait<1>();
      simt::warp_sync();
      Quad quads[4];
      const Byte* row = staged(stage) + simt::lane() * kStagePitch;
      PRESSO_UNROLL
      for (u32 i = 0; i < 4; ++i) {
        quads[i] = simt::load_shared_16(reinterpret_cast<const Quad*>(row) + i);
      }
      if (stage < 0) {
        run_.warm_up(rows_, quads);
        take_guess(run_.state);
      } else {
        run_.take_stage(rows_, quads, static_cast<u32>(stage), marks_of(stage));
      }
      simt::warp_sync();  // all have read what the next fetch overwrites
    }
  }
  /// Fixes the state that the lane guesses for its strip's start. The text's first strip knows it.
  PRESSO_DEVICE void take_guess(u32 state) {
    if (begin_ == 0) state = scan_.table.start;
    guess_ = walker_.plain(state);
    run_.state = guess_;
  }

  // --- the last tile, which is not full

  PRESSO_DEVICE void run_plain() {
    u32 state = scan_.table.start;
    for (u64 at = begin_ - (begin_ > 0 ? kStageBytes : 0); at < begin_ && begin_ < end_; ++at) {
      state = rows_.next(state, text_.byte(at));
    }
    take_guess(state);
    u32 before = guess_;
    for (u64 at = begin_; at < end_; ++at) {
      if (at % kStageBytes == 0) before = run_.state;
      take_byte(at, before);
    }
  }
  PRESSO_DEVICE void take_byte(u64 at, u32 before) {
    const u32 byte = text_.byte(at);
    run_.state = rows_.next(run_.state, byte);
    if (byte == '\n' && run_.first == kNoStage) {
      run_.first = static_cast<u32>((at - begin_) / kStageBytes);
      run_.before = before;
    }
    if (rows_.is_hit(run_.state)) count_line(at, true);
  }

  /// Ends an unfinished last line, in the lane that has the end of the text.
  PRESSO_DEVICE void end_text() {
    out_ = walker_.plain(run_.state);
    if (end_ < scan_.bytes || begin_ == end_ || !scan_.ends_line) return;
    if (text_.byte(end_ - 1) == '\n') return;
    if (run_.first == kNoStage) {  // a line's end where no byte is
      run_.first = static_cast<u32>((end_ - begin_) / kStageBytes);
      run_.before = walker_.run(guess_, begin_, end_ - end_ % kStageBytes);
    }
    if (walker_.matches(out_)) count_line(end_, true);
    out_ = scan_.table.start;
  }

  /// Adds a matching line that ends at `end`, or takes one away that was counted under a wrong
  /// guess.
  PRESSO_DEVICE void count_line(u64 end, bool matches) {
    run_.hits += matches ? 1u : ~0u;
    if (kMark) {
      scan_.marks()[end / kQuadBytes] ^= static_cast<std::uint16_t>(1u << end % kQuadBytes);
    }
  }

  // --- guesses put right

  /// Corrects wrong guesses within the tile, in rounds. False where the tile stays as it is, for
  /// the kernels of tile_chain.cuh.
  PRESSO_DEVICE bool agree(u64 tile) {
    const bool has_monoid = scan_.table.monoid.functions != 0;
    for (u32 round = 0;; ++round) {
      const u32 left = simt::shuffle_up(out_, 1);
      const bool is_bad = simt::lane() > 0 && begin_ < end_ && left != guess_;
      const u32 bad = simt::ballot(is_bad);
      if (bad == 0) return true;
      const u32 closed = simt::ballot(run_.first != kNoStage);
      if (has_monoid) {
        // A round costs next to nothing where the first state that was missed absorbs.
        const u32 missed = simt::shuffle(left, simt::find_first_set(bad) - 1);
        if (closed == 0 && tile > 0 && !walker_.is_absorbing(missed)) return false;
        if (round == kRoundsBeforeMonoid) {
          agree_by_monoid();
          return true;
        }
      } else if (round == kMostRounds && closed == 0 && tile > 0) {
        return false;
      }
      const u32 up_to_here = bad & (~0u >> (kWarpSize - 1 - simt::lane()));
      const u32 source =
          up_to_here == 0 ? 0 : kWarpSize - 1 - simt::count_leading_zeros(up_to_here);
      const u32 missed = simt::shuffle(left, source);
      const u32 between = (1u << simt::lane()) - (1u << source);
      if (up_to_here == 0 || (closed & between) != 0 || begin_ == end_) continue;
      u32 state = missed;
      if (source < simt::lane()) state = walker_.run(state, begin_ - kStageBytes, begin_);
      if (state != guess_) run_head_again(state);
    }
  }

  /// Corrects them by the monoid: every lane makes its head a function at once, and then the states
  /// are handed from lane to lane, a look-up each.
  PRESSO_DEVICE void agree_by_monoid() {
    const Monoid<MonoidRows::kGlobal> monoid(scan_);
    const u32 function = monoid.run(begin_, end_of_head());
    u32 in = guess_, out = out_;
    for (u32 lane = 1; lane < kWarpSize; ++lane) {
      const u32 left = simt::shuffle(out, lane - 1);
      if (simt::lane() != lane || begin_ == end_) continue;
      in = left;
      if (run_.first == kNoStage) out = monoid.value(function, in);
    }
    if (in != guess_) take_head(in, monoid.value(function, in));
  }

  /// Runs the head again from the right state.
  PRESSO_DEVICE void run_head_again(u32 state) {
    take_head(state, walker_.run(state, begin_, end_of_head()));
  }
  /// The end of the strip's head: the beginning of the stage with its first '\n', or the strip's
  /// end.
  PRESSO_DEVICE u64 end_of_head() const {
    return run_.first == kNoStage ? end_ : begin_ + u64{run_.first} * kStageBytes;
  }
  /// Replaces the guess: another state stands before the strip, and `after` it stands after its
  /// head. Where the first line matches under one guess and not under the other, the count changes.
  PRESSO_DEVICE void take_head(u32 state, u32 after) {
    guess_ = state;
    if (run_.first == kNoStage) {
      out_ = after;
      return;
    }
    const auto was = walker_.end_of_line(walker_.plain(run_.before), end_of_head());
    const auto is = walker_.end_of_line(after, end_of_head());
    run_.before = after;
    if (was.matches != is.matches) count_line(is.at, is.matches);
  }

  /// Writes down what the chain's kernels need to know of the tile; lane 0 writes.
  PRESSO_DEVICE void summarise(u64 tile, bool agreed) {
    const u32 closed = simt::ballot(run_.first != kNoStage);
    const u32 head = closed == 0 ? 0 : simt::find_first_set(closed) - 1;
    const u32 stages_before = head * (scan_.strip_bytes / kStageBytes);
    const u32 first = simt::shuffle(run_.first, head) + stages_before;
    const u32 before = walker_.plain(simt::shuffle(run_.before, head));
    const u32 last = kWarpSize - 1 - simt::count_leading_zeros(simt::ballot(begin_ < end_));
    const u32 out = simt::shuffle(out_, last);
    if (simt::lane() > 0) return;
    TileSummary summary{};
    summary.guess = agreed ? static_cast<std::uint16_t>(guess_) : TileSummary::kUnknown;
    summary.out = agreed ? static_cast<std::uint16_t>(out) : TileSummary::kUnknownOut;
    summary.before = static_cast<std::uint16_t>(before);
    summary.first = closed == 0 ? kNoStage : first;
    scan_.d_tiles[tile] = summary;
  }

  const LineScanArguments& scan_;
  Rows rows_;
  TextReader text_;
  LineWalker<Rows> walker_;
  u64 tile_begin_ = 0;
  u64 begin_ = 0, end_ = 0;  ///< the lane's strip; empty after the end of the text
  u32 guess_ = 0;            ///< the state that it was run from
  u32 out_ = 0;              ///< the state after it
  LineRun<Rows, kMark> run_;
};

template <class Rows, bool kMark>
PRESSO_DEVICE void line_tiles_body(const LineScanArguments& scan) {
  copy_table(scan.table);
  simt::block_sync();
  LineTiles<Rows, kMark> tiles(scan);
  add_lines(scan.d_lines, tiles.run());
}

}  // namespace presso::gpu
