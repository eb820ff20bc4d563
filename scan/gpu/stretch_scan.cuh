// SPDX-License-Identifier: MIT
// The line automaton over one block of a file by one warp, a stretch at a time, wherever its bytes
// are: in the ring of a decoder that is still at work, or in device memory.
//
// A stretch is cut into 128 chunks, four a lane, which are run beside each other: a look-up takes
// 30 to 40 cycles and nothing else hides them in a warp that is alone. Chunk k * 32 + i is lane i's
// k-th. As in line_tiles.cuh each lane guesses the state at the begin of a chunk, here by the 32
// bytes before, lanes compare with what their neighbours ended in, and who was wrong runs its head
// again, up to the first '\n' or to where both runs agree. Stretches come in order, so the state at
// a stretch's begin is known, but for what stands before the block: that is the block's own guess,
// as for any tile.
//
// Of literals' automata most stretches may be skipped, where somebody knows that no literal ends in
// them: then only the last 32 bytes are run, when the state is wanted again.
//
// Source: how to read the block. Place at(position), for multiples of 16; Quad quad(place);
// next(place, bytes), multiples of 16 on; u32 byte(position). Positions are those in
// the block; nothing behind the block is read.
//
// Threads to data: a warp a block. Rows: as in line_engines.cuh. Test:
// tests/simt/fused_scan_test.cpp.
#pragma once

#include "scan/gpu/fused_scan_args.h"
#include "scan/gpu/lines/line_engines.cuh"

namespace presso::gpu {

constexpr u32 kChains = 4;
constexpr u32 kChunksAStretch = kChains * kWarpSize;
/// The largest stretch; all but a block's last one are of a size that is a multiple of 2 KiB.
constexpr u32 kMostStretchBytes = kChunksAStretch * 160;

/// The rows of a FusedTable, through the L1 cache; the classes in shared memory, at kClassesAt.
/// What is called a state here is where its row is.
template <u32 kClassesAt>
class FusedRows {
 public:
  PRESSO_DEVICE explicit FusedRows(const FusedTableView& table)
      : rows_(reinterpret_cast<const std::uint16_t*>(table.lines.d_image + table.rows_offset)) {}

  PRESSO_DEVICE u32 next(u32 state, u32 byte) const {
    const u32 at = state + simt::load_shared<Byte, kClassesAt>(byte);
    return simt::load_readonly(rows_ + at);
  }
  PRESSO_DEVICE u32 hits(u32 state) const { return state >> kHitRowShift; }

  /// By one warp; a barrier must follow.
  static PRESSO_DEVICE void copy_classes(const LineTableView& table) {
    const u32* const from = reinterpret_cast<const u32*>(table.d_image);
    for (u32 i = simt::lane(); i < kClassMapBytes / 4; i += kWarpSize) {
      simt::store_shared_u32<kClassesAt>(4 * i, simt::load_readonly(from + i));
    }
  }

 private:
  const std::uint16_t* rows_;
};

/// What is known between two stretches, for who cannot keep all of a StretchScan.
struct ScanProgress {
  u32 end, state, first, before, lines;

  static PRESSO_DEVICE ScanProgress none() { return {0, 0, kNoStage, 0, 0}; }
};

template <class Rows, class Source>
class StretchScan {
 public:
  /// `ends_text`: the text ends with the block, which then ends a line.
  /// `guess`: the LineDfa's state at the block's begin.
  PRESSO_DEVICE StretchScan(const FusedTableView& table, const Source& source, u32 plain_bytes,
                            u32 guess, bool ends_text)
      : table_(table.lines),
        rows_(table),
        source_(source),
        plain_bytes_(plain_bytes),
        guess_(guess),
        state_(guess * table_.classes),
        ends_text_(ends_text) {}
  StretchScan(const StretchScan&) = delete;
  StretchScan& operator=(const StretchScan&) = delete;

  PRESSO_DEVICE ScanProgress progress() const {
    return {is_skipped_ ? kNoStage : end_, state_, first_, before_, lines()};
  }
  /// At `at`; what is between progress.end and there has been skipped.
  PRESSO_DEVICE void resume(const ScanProgress& progress, u32 at) {
    end_ = at;
    is_skipped_ = progress.end != at;
    if (at > 0) state_ = progress.state;
    first_ = progress.first;
    before_ = progress.before;
    if (simt::lane() == 0) hits_ = progress.lines;
  }

  /// The next `bytes`, kMostStretchBytes or a multiple of 2 KiB or those up to the block's end;
  /// from 0 on, in order. `may_match`: false where it is known of an automaton of literals of up to
  /// kWarmBytes that none of them ends in these bytes.
  PRESSO_DEVICE void take(u32 bytes, bool may_match) {
    base_ = end_;
    end_ += bytes;
    if (!may_match && may_skip()) {
      is_skipped_ = true;
      if (first_ == kNoStage) find_skipped_head();
      return;
    }
    if (is_skipped_) catch_up(base_);
    chunk_ = (bytes + kChunksAStretch * kQuadBytes - 1) / (kChunksAStretch * kQuadBytes);
    chunk_ *= kQuadBytes;
    if (chunk_ * kChunksAStretch == bytes) {
      run_full();
    } else {
      run_partial();
    }
    PRESSO_NO_UNROLL
    for (u32 chain = 0; chain < kChains; ++chain) settle(chain);
  }

  /// Behind the last stretch, in front of what follows.
  PRESSO_DEVICE void finish() {
    if (is_skipped_) catch_up(end_);
  }

  /// Whether take() must be called even for bytes that do not match.
  PRESSO_DEVICE bool needs_all() const {
    return first_ == kNoStage || (!is_skipped_ && matches(state_));
  }
  /// Whether a '\n' has been seen; in all lanes.
  PRESSO_DEVICE bool is_closed() const { return first_ != kNoStage; }
  /// In all lanes: matching lines that end in the block, under its guess.
  PRESSO_DEVICE u32 lines() const { return simt::reduce_add(hits_); }
  PRESSO_DEVICE TileSummary summary() const {
    TileSummary summary{};
    summary.guess = static_cast<std::uint16_t>(guess_);
    summary.out = static_cast<std::uint16_t>(state_ / table_.classes);
    summary.before = static_cast<std::uint16_t>(before_ / table_.classes);
    summary.first = first_;
    return summary;
  }

 private:
  PRESSO_DEVICE u32 begin_of(u32 chain) const {
    return base_ + (chain * kWarpSize + simt::lane()) * chunk_;
  }
  /// The block's first chunks have less before them; their guesses may be any.
  static PRESSO_DEVICE u32 warm_begin(u32 begin) {
    return begin >= kWarmBytes ? begin - kWarmBytes : 0;
  }
  PRESSO_DEVICE u32 start() const { return table_.start * table_.classes; }
  PRESSO_DEVICE u32 plain(u32 state) const { return rows_.hits(state) != 0 ? start() : state; }
  PRESSO_DEVICE bool matches(u32 state) const {
    return state >= table_.first_matching * table_.classes;
  }
  static PRESSO_DEVICE u32 byte_of(const Quad& quad, u32 i) {
    return simt::byte_permute(quad.words[i / 4], 0, 0x4440 + i % 4);
  }

  /// All chains beside each other, from their places on.
  template <bool kCount>
  PRESSO_DEVICE void step_quads(typename Source::Place (&places)[kChains], u32 count) {
    PRESSO_NO_UNROLL
    for (; count > 0; --count) {
      Quad quads[kChains];
      PRESSO_UNROLL
      for (u32 k = 0; k < kChains; ++k) {
        quads[k] = source_.quad(places[k]);
        places[k] = source_.next(places[k], kQuadBytes);
      }
      PRESSO_UNROLL
      for (u32 i = 0; i < kQuadBytes; ++i) {
        PRESSO_UNROLL
        for (u32 k = 0; k < kChains; ++k) {
          outs_[k] = rows_.next(outs_[k], byte_of(quads[k], i));
          if (kCount) hits_ += rows_.hits(outs_[k]);
        }
      }
    }
  }

  PRESSO_DEVICE void take_guesses() {
    PRESSO_UNROLL
    for (u32 k = 0; k < kChains; ++k) outs_[k] = guesses_[k] = plain(outs_[k]);
    if (simt::lane() == 0) outs_[0] = guesses_[0] = state_;
  }

  /// Each chunk is of chunk_ bytes.
  PRESSO_DEVICE void run_full() {
    typename Source::Place places[kChains];
    PRESSO_UNROLL
    for (u32 k = 0; k < kChains; ++k) {
      const u32 begin = begin_of(k);
      places[k] = source_.at(warm_begin(begin));
      outs_[k] = start();
    }
    step_quads<false>(places, kWarmBytes / kQuadBytes);
    take_guesses();
    PRESSO_UNROLL
    for (u32 k = 0; k < kChains; ++k) places[k] = source_.at(begin_of(k));
    step_quads<true>(places, chunk_ / kQuadBytes);
  }

  /// Chunks are cut off at the block's end.
  PRESSO_DEVICE void run_partial() {
    PRESSO_UNROLL
    for (u32 k = 0; k < kChains; ++k) {
      const u32 begin = begin_of(k), end = end_of(begin);
      outs_[k] = start();
      if (begin >= end) continue;
      PRESSO_NO_UNROLL
      for (u32 at = warm_begin(begin); at < begin; ++at) {
        outs_[k] = rows_.next(outs_[k], source_.byte(at));
      }
    }
    take_guesses();
    PRESSO_UNROLL
    for (u32 k = 0; k < kChains; ++k) {
      const u32 begin = begin_of(k), end = end_of(begin);
      PRESSO_NO_UNROLL
      for (u32 at = begin; at < end; ++at) {
        outs_[k] = rows_.next(outs_[k], source_.byte(at));
        hits_ += rows_.hits(outs_[k]);
      }
    }
  }
  PRESSO_DEVICE u32 end_of(u32 begin) const {
    const u32 end = begin + chunk_;
    return end < end_ ? end : end_;
  }

  // --- stretches without a literal

  /// Whether it is known that no line matches where no literal ends. A text's last line is counted
  /// with its stretch.
  PRESSO_DEVICE bool may_skip() const {
    return (is_skipped_ || !matches(state_)) && (base_ > 0 || guess_ == table_.start) &&
           !(ends_text_ && end_ == plain_bytes_);
  }

  /// The state at `at`, behind bytes in which no literal ended: what came more than a literal's
  /// length before makes no difference.
  PRESSO_DEVICE u32 state_behind(u32 at) const {
    u32 state = start();
    PRESSO_NO_UNROLL
    for (u32 i = warm_begin(at); i < at; ++i) state = rows_.next(state, source_.byte(i));
    return plain(state);
  }
  PRESSO_DEVICE void catch_up(u32 at) {
    state_ = state_behind(at);
    is_skipped_ = false;
  }

  PRESSO_DEVICE void find_skipped_head() {
    u32 at = base_ + simt::lane() * kQuadBytes;
    u32 found = 0;
    PRESSO_NO_UNROLL
    for (; found == 0 && at - simt::lane() * kQuadBytes < end_; at += kWarpSize * kQuadBytes) {
      const bool is_whole = at + kQuadBytes <= end_;
      found = simt::ballot(is_whole ? has_newline(source_.quad(source_.at(at)))
                                    : newline_in({at, end_, 0, 0}) != kNoStage);
      if (found != 0) break;
    }
    if (found == 0) return;
    const u32 lane = simt::find_first_set(found) - 1;
    first_ = simt::shuffle(at, lane) / kStageBytes;
    before_ = state_behind(first_ * kStageBytes);
  }

  // --- guesses put right

  /// A chunk in hand, its lane's of one chain; empty where the stretch is at its end.
  struct Chunk {
    u32 begin, end;
    u32 guess, out;
  };

  /// The chunks of one chain, the one whose turn it is: the states of others move up behind it.
  PRESSO_DEVICE void settle(u32 chain) {
    Chunk chunk{begin_of(chain), 0, guesses_[0], plain(outs_[0])};
    PRESSO_UNROLL
    for (u32 k = 0; k + 1 < kChains; ++k) {
      guesses_[k] = guesses_[k + 1];
      outs_[k] = outs_[k + 1];
    }
    chunk.end = end_of(chunk.begin);
    const u32 present = simt::ballot(chunk.begin < chunk.end);
    if (present == 0) return;
    agree(chunk);
    state_ = simt::shuffle(chunk.out, kWarpSize - 1 - simt::count_leading_zeros(present));
    if (first_ == kNoStage) find_head(chunk);
    if (end_ == plain_bytes_ && (chain + 1) * kWarpSize * chunk_ >= end_ - base_) end_text();
  }

  PRESSO_DEVICE void agree(Chunk& chunk) {
    const bool is_there = chunk.begin < chunk.end;
    u32 closed = 0;
    bool knows_closed = false;
    for (;;) {
      u32 left = simt::shuffle_up(chunk.out, 1);
      if (simt::lane() == 0) left = state_;
      const u32 bad = simt::ballot(is_there && left != chunk.guess);
      if (bad == 0) return;
      if (!knows_closed) closed = simt::ballot(is_there && newline_in(chunk) != kNoStage);
      knows_closed = true;
      const u32 up_to_here = bad & (~0u >> (kWarpSize - 1 - simt::lane()));
      const u32 source =
          up_to_here == 0 ? 0 : kWarpSize - 1 - simt::count_leading_zeros(up_to_here);
      const u32 missed = simt::shuffle(left, source);
      const u32 between = (1u << simt::lane()) - (1u << source);
      // Lanes further down that saw no '\n' since are likely wrong for the same reason.
      if (up_to_here != 0 && (closed & between) == 0 && is_there) {
        u32 state = missed;
        if (source < simt::lane()) {
          for (u32 at = warm_begin(chunk.begin); at < chunk.begin; ++at) {
            state = rows_.next(state, source_.byte(at));
          }
          state = plain(state);
        }
        if (state != chunk.guess) run_head_again(chunk, state);
      }
      simt::warp_sync();
    }
  }

  /// From another state, up to the first '\n', or to where that makes no difference any more.
  PRESSO_DEVICE void run_head_again(Chunk& chunk, u32 state) {
    u32 was = chunk.guess, is = state;
    chunk.guess = state;
    PRESSO_NO_UNROLL
    for (u32 at = chunk.begin; at < chunk.end; ++at) {
      const u32 byte = source_.byte(at);
      if (byte == '\n') {
        hits_ += (matches(is) ? 1u : 0u) - (matches(was) ? 1u : 0u);
        return;
      }
      was = plain(rows_.next(was, byte));
      is = plain(rows_.next(is, byte));
      if (was == is) return;
    }
    chunk.out = is;
  }

  // --- the block's first line end, and its last

  /// Position of the chunk's first '\n', or kNoStage.
  PRESSO_DEVICE u32 newline_in(const Chunk& chunk) const {
    u32 at = chunk.begin;
    PRESSO_NO_UNROLL
    for (; at + kQuadBytes <= chunk.end; at += kQuadBytes) {
      if (has_newline(source_.quad(source_.at(at)))) break;
    }
    PRESSO_NO_UNROLL
    for (; at < chunk.end; ++at) {
      if (source_.byte(at) == '\n') return at;
    }
    return kNoStage;
  }

  PRESSO_DEVICE bool is_unfinished() const {
    return ends_text_ && end_ == plain_bytes_ && source_.byte(plain_bytes_ - 1) != '\n';
  }

  /// The first line end, if it is in a chain's chunks, which have been settled.
  PRESSO_DEVICE void find_head(const Chunk& chunk) {
    u32 at = simt::reduce_min(chunk.begin < chunk.end ? newline_in(chunk) : kNoStage);
    const u32 last = simt::reduce_max(chunk.begin < chunk.end ? chunk.end : 0);
    if (at == kNoStage && last == plain_bytes_ && is_unfinished()) at = plain_bytes_;
    if (at == kNoStage) return;
    first_ = at / kStageBytes;
    const u32 stage = first_ * kStageBytes;
    u32 state = chunk.guess;
    const bool is_mine = chunk.begin <= stage && stage < chunk.end;
    for (u32 i = chunk.begin; is_mine && i < stage; ++i) {
      state = plain(rows_.next(state, source_.byte(i)));
    }
    const u32 owner = simt::ballot(is_mine);
    // Where the text ends with a stage, the stage behind it is nobody's.
    before_ = state_;
    if (owner != 0) before_ = simt::shuffle(state, simt::find_first_set(owner) - 1);
  }

  /// A text that is complete ends an unfinished line.
  PRESSO_DEVICE void end_text() {
    if (!is_unfinished()) return;
    if (matches(state_) && simt::lane() == 0) ++hits_;
    state_ = start();
  }

  const LineTableView& table_;
  Rows rows_;
  Source source_;
  u32 plain_bytes_;
  u32 guess_;  ///< at the block's begin, of the LineDfa
  u32 state_;  ///< at the end of what has been settled, right under the guess
  bool ends_text_;
  bool is_skipped_ = false;  ///< the last stretch: then state_ is not known, but does not match
  u32 base_ = 0, end_ = 0;   ///< of the stretch
  u32 chunk_ = 0;
  u32 hits_ = 0;  ///< the lane's
  u32 first_ = kNoStage, before_ = 0;
  u32 guesses_[kChains] = {}, outs_[kChains] = {};
};

}  // namespace presso::gpu
