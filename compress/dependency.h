// SPDX-License-Identifier: MIT
// Dependency elimination on the encoder's side (catalogue S7.4, seed-details-S 0b, FORMAT.md 6.3):
// while the sequences of a group are chosen, tells how much of a match the block's rule allows.
//
// The test is of true byte dependence, not a high-water mark: of the bytes at or behind the group's
// start a match may read whatever no forbidden interval covers. Which matches make forbidden
// intervals is the whole difference between the rules:
//   strict         everything at or behind the group's start is forbidden
//   literal-aware  what any match of the group writes
//   two-wave       what matches of the second wave write: those that end their source behind the
//                  group's start
// An illegal match is cut at its first forbidden byte rather than refused.
// Tested by tests/unit/dependency_test.cpp and by every decode through the reference decoder.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compress/sequence.h"
#include "presso/wire.h"

namespace presso {

class DependencyTracker {
 public:
  DependencyTracker(DependencyRule rule, std::uint32_t group) : rule_(rule), group_(group) {
    forbidden_.reserve(group);
  }

  /// How many of `length` bytes a match at block position `to` may copy from `distance` before it.
  std::uint32_t legal_length(std::uint32_t to, std::uint32_t distance, std::uint32_t length) const {
    if (rule_ == DependencyRule::kNone || distance > to) return length;  // dictionary: always
    const std::uint32_t from = to - distance;
    if (from + length <= group_start_) return length;
    return legal_length_within_group(from, to, length);
  }

  /// Appends a chosen sequence whose literals begin at block position `at`.
  void add(const Sequence& sequence, std::uint32_t at) {
    if (rule_ == DependencyRule::kNone) return;
    const std::uint32_t to = at + sequence.literals;
    if (sequence.match > 0 && makes_forbidden(sequence, to)) {
      forbidden_.push_back({to, to + sequence.match});
    }
    if (++in_group_ == group_) {
      in_group_ = 0;
      group_start_ = to + sequence.match;
      forbidden_.clear();
    }
  }

 private:
  struct Interval {
    std::uint32_t begin, end;
  };

  bool makes_forbidden(const Sequence& sequence, std::uint32_t to) const {
    if (rule_ != DependencyRule::kTwoWave) return rule_ == DependencyRule::kLiteralAware;
    return sequence.distance <= to && to - sequence.distance + sequence.match > group_start_;
  }

  std::uint32_t legal_length_within_group(std::uint32_t from, std::uint32_t to,
                                          std::uint32_t length) const {
    if (rule_ == DependencyRule::kStrict) return from < group_start_ ? group_start_ - from : 0;
    const std::uint32_t source_end = std::min(from + length, to);
    for (const Interval& interval : forbidden_) {
      if (interval.end <= from) continue;
      if (interval.begin >= source_end) break;
      return interval.begin > from ? interval.begin - from : 0;
    }
    return length;
  }

  DependencyRule rule_;
  std::uint32_t group_;
  std::uint32_t in_group_ = 0;
  std::uint32_t group_start_ = 0;
  std::vector<Interval> forbidden_;  ///< of the current group, in order
};

/// A literal run this long is closed by a sequence without a match. Under the strict rule nothing
/// is legal before a group ends, so that runs must count as sequences early (seed-details-S 0b, A);
/// else the limit is what one sequence can hold.
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
