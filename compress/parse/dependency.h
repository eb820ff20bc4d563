// SPDX-License-Identifier: MIT
// Dependency elimination on the encoder's side (sources: S7.4, FORMAT.md 6.3): while sequences are
// chosen, it tells how much of a match the block's rule allows. A group is a fixed number of
// consecutive sequences, whose matches GPU decoders copy at once, or in two steps (waves): so
// matches must not read what the same step writes. The idea is Gompresso's (Sitaridi, Mueller,
// Kaldewey, Lohman and Ross, 2016), whose decoder otherwise needs several rounds (Multi-Round
// Resolution). It costs ratio, because matches are forbidden, and time for each candidate.
//
// The test is for bytes that really are read: at or after the group's start, a match may read
// whatever is not forbidden. The rules differ only in which bytes are forbidden:
//   strict         everything at or after the group's start
//   literal-aware  bytes that any match of the group writes
//   two-wave       bytes that matches of the second wave write: those whose source ends after
//                  the group's start
// The tile rule has tiles, 2^n bytes of the block, in place of groups and tells the waves apart
// byte by byte: a byte whose source lies in its own tile is of the second wave, and forbidden. The
// source of a byte lies before its match (overlap repeats), so only the tile where a match begins
// can hold forbidden bytes.
//
// An illegal match is cut at its first forbidden byte instead of being refused. Forbidden bytes
// are bits of a bitmap over the block. Bits of earlier groups or tiles are never looked at
// again, so nothing is cleared before the next block.
// Tested by tests/unit/compress/dependency_test.cpp and by every decode through the reference
// decoder.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "compress/parse/sequence.h"
#include "presso/bytes.h"
#include "presso/wire.h"

namespace presso {

/// Follows the rule through one block's parse; not for several threads.
class DependencyTracker {
 public:
  /// `group`: sequences in a group; under the tile rule the bytes of a tile, a power of two.
  DependencyTracker(DependencyRule rule, std::uint32_t group) : rule_(rule), group_(group) {}

  /// Starts a block of `plain_bytes`.
  void begin_block(std::size_t plain_bytes) {
    in_group_ = 0;
    group_start_ = 0;
    if (marks_writes()) forbidden_.assign(plain_bytes / 8 + 2 * sizeof(std::uint64_t), 0);
  }

  /// The number of bytes, at most `length`, that a match at block position `to` may copy from
  /// `distance` before it: what comes before its first forbidden byte. Matches in the dictionary
  /// are always legal.
  std::uint32_t legal_length(std::uint32_t to, std::uint32_t distance, std::uint32_t length) const {
    if (rule_ == DependencyRule::kNone || distance > to) return length;  // dictionary: always
    const std::uint32_t from = to - distance;
    if (rule_ == DependencyRule::kTile) return legal_in_tile(to, from, length);
    if (from + length <= group_start_) return length;
    if (rule_ == DependencyRule::kStrict) return from < group_start_ ? group_start_ - from : 0;
    return std::min(
        length, first_forbidden(std::max(from, group_start_), std::min(from + length, to)) - from);
  }

  /// Whether a match would read nothing at or after the start of the current group; under the
  /// tile rule, whether none of its bytes would be of the second wave.
  bool is_first_wave(std::uint32_t to, std::uint32_t distance, std::uint32_t length) const {
    if (rule_ == DependencyRule::kNone || distance > to) return true;
    if (rule_ == DependencyRule::kTile) {
      return std::min(to - distance + in_tile(to, length), to) <= tile_start(to);
    }
    return to - distance + length <= group_start_;
  }

  /// Records a chosen sequence whose literals begin at block position `at`. Returns whether the
  /// first byte that its match writes is forbidden to other matches now.
  bool add(const Sequence& sequence, std::uint32_t at) {
    const std::uint32_t to = at + sequence.literals;
    if (rule_ == DependencyRule::kTile) return forbid_in_tile(sequence, to);
    const bool forbidden = marks_writes() && forbids(sequence, to);
    if (forbidden) forbid(to, sequence.match);
    if (++in_group_ == group_) {
      in_group_ = 0;
      group_start_ = to + sequence.match;
    }
    return forbidden;
  }

 private:
  bool marks_writes() const { return rule_ >= DependencyRule::kLiteralAware; }

  bool forbids(const Sequence& sequence, std::uint32_t to) const {
    if (rule_ == DependencyRule::kLiteralAware) return true;
    return sequence.distance <= to && to - sequence.distance + sequence.match > group_start_;
  }

  std::uint32_t tile_start(std::uint32_t at) const { return at & ~(group_ - 1); }

  /// The bytes of a match at `to` that lie in the tile where it begins.
  std::uint32_t in_tile(std::uint32_t to, std::uint32_t length) const {
    return std::min(length, group_ - (to & (group_ - 1)));
  }

  std::uint32_t legal_in_tile(std::uint32_t to, std::uint32_t from, std::uint32_t length) const {
    const std::uint32_t start = tile_start(to);
    const std::uint32_t end = std::min(from + in_tile(to, length), to);
    return std::min(length, first_forbidden(std::max(from, start), end) - from);
  }

  /// Forbids the bytes that the match writes from sources in the tile: all, or a part of each
  /// repetition.
  bool forbid_in_tile(const Sequence& sequence, std::uint32_t to) {
    if (sequence.distance > to) return false;
    const std::uint32_t start = tile_start(to);
    const std::uint32_t end = to + in_tile(to, sequence.match);
    if (sequence.distance <= to - start) {
      forbid(to, end - to);
      return true;
    }
    for (std::uint32_t at = start + sequence.distance; to > start && at < end;
         at += sequence.distance) {
      forbid(at, std::min(to - start, end - at));
    }
    return false;
  }

  /// The first forbidden position in [from, to); if there is none, a position further than any
  /// match at `to` can need, because overlap repeats only what stands before `to`.
  std::uint32_t first_forbidden(std::uint32_t from, std::uint32_t to) const {
    constexpr std::uint32_t kStep = 56;  // bits that are there however `from` is aligned
    for (std::uint32_t at = from; at < to; at += kStep) {
      const auto window = load<std::uint64_t>(forbidden_.data() + at / 8) >> (at % 8);
      const auto clear = static_cast<std::uint32_t>(std::countr_zero(window));
      if (clear < std::min(kStep, to - at)) return at + clear;
    }
    return kNowhere;
  }

  /// Sets bits, 56 at a time, at any alignment.
  void forbid(std::uint32_t at, std::uint32_t count) {
    constexpr std::uint32_t kStep = 56;
    for (; count > 0;) {
      const std::uint32_t step = std::min(count, kStep);
      Byte* const word = forbidden_.data() + at / 8;
      const std::uint64_t bits = ((std::uint64_t{1} << step) - 1) << (at % 8);
      store(word, load<std::uint64_t>(word) | bits);
      at += step;
      count -= step;
    }
  }

  static constexpr std::uint32_t kNowhere = std::uint32_t{1} << 30;

  DependencyRule rule_;
  std::uint32_t group_;
  std::uint32_t in_group_ = 0;
  std::uint32_t group_start_ = 0;
  std::vector<Byte> forbidden_;
};

/// Stands in for DependencyTracker where a block has no rule: the compiler removes all calls.
class NoTracker {
 public:
  std::uint32_t legal_length(std::uint32_t, std::uint32_t, std::uint32_t length) const {
    return length;
  }
  bool is_first_wave(std::uint32_t, std::uint32_t, std::uint32_t) const { return true; }
  bool add(const Sequence&, std::uint32_t) { return false; }
};

/// A literal run this long is closed by a sequence without a match. Under the strict rule
/// nothing is legal before a group ends, so runs must count as sequences early; otherwise the
/// limit is what one sequence can hold.
constexpr std::uint32_t literal_run_limit(DependencyRule rule) {
  return rule == DependencyRule::kStrict ? 32 : kLongestLength;
}

/// Appends a sequence whose literals begin at block position `at`.
inline void append(Sequences& sequences, DependencyTracker& tracker, const Sequence& sequence,
                   std::uint32_t at) {
  sequences.push_back(sequence);
  tracker.add(sequence, at);
}

/// Closes the literal run [literals_begin, at) while it is longer than `limit`.
inline void close_long_run(std::uint32_t at, std::uint32_t limit, std::uint32_t& literals_begin,
                           DependencyTracker& tracker, Sequences& sequences) {
  while (at - literals_begin > limit) {
    append(sequences, tracker, {limit, 0, 0}, literals_begin);
    literals_begin += limit;
  }
}

}  // namespace presso
