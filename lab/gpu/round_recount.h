// SPDX-License-Identifier: MIT
// A recount of the rounds of multi-round resolution (sources: S7.20) from a Byte payload, one
// sequence after another and without anything of the kernels, which it checks. The rule of rounds
// is stated in decompress/gpu/warp/resolve.cuh. Trusts the payload: decode the block first.
#pragma once

#include <algorithm>
#include <vector>

#include "decompress/payload.h"
#include "lab/gpu/round_counters.h"

namespace presso::test {

namespace detail {

/// A match of a block whose place 0 is the block's first byte; the dictionary is below it.
struct PlacedMatch {
  std::int64_t to, length, distance;

  /// Where its source ends, bytes of its own not counted.
  std::int64_t source_end() const { return std::min(to - distance + length, to); }
};

/// The matches of a payload in order, those of a group at a time.
class MatchReader {
 public:
  MatchReader(const BlockHeader& header, const PayloadView& view)
      : header_(header), layout_(header.layout), view_(view) {}

  /// Of the next `sequences`, fewer at the end.
  std::vector<PlacedMatch> next(std::uint32_t sequences) {
    std::vector<PlacedMatch> matches;
    for (; sequences > 0 && !at_end(); --sequences) read_sequence(matches);
    return matches;
  }
  bool at_end() const { return sequence_ == header_.sequences; }

 private:
  void read_sequence(std::vector<PlacedMatch>& matches) {
    const std::uint32_t token = view_.tokens[sequence_];
    std::uint32_t distance = load<std::uint16_t>(view_.offsets + 2 * std::size_t{sequence_});
    ++sequence_;
    if (layout_.far && token >= 0x80) distance += std::uint32_t{view_.far[far_++]} << 16;
    place_ += extended(token & layout_.literal_limit(), layout_.literal_limit(),
                       view_.literal_escapes, literal_escape_);
    const std::uint32_t match = extended(token >> layout_.literal_bits & layout_.match_limit(),
                                         layout_.match_limit(), view_.match_escapes, match_escape_);
    if (distance == 0) return;
    const std::int64_t length = match + layout_.min_match;
    matches.push_back({place_, length, distance});
    place_ += length;
  }

  std::uint32_t extended(std::uint32_t value, std::uint32_t limit, const Byte* escapes,
                         std::uint32_t& used) {
    if (value != limit) return value;
    const std::uint32_t escape = escapes[used++];
    if (escape < 255) return value + escape;
    return value + 255 + load<std::uint16_t>(view_.long_lengths + 2 * std::size_t{long_++});
  }

  const BlockHeader& header_;
  const TokenLayout& layout_;
  const PayloadView& view_;
  std::int64_t place_ = 0;
  std::uint32_t sequence_ = 0, far_ = 0, literal_escape_ = 0, match_escape_ = 0, long_ = 0;
};

/// One group by the rule of rounds.
inline void count_group(std::vector<PlacedMatch> waiting, gpu::lab::RoundCounters& counters) {
  ++counters.groups;
  std::uint32_t round = 0;
  for (; !waiting.empty(); ++round) {
    const std::int64_t mark = waiting.front().to;
    std::vector<PlacedMatch> later;
    for (const PlacedMatch& match : waiting) {
      if (match.source_end() <= mark) {
        counters.bytes[round] += static_cast<std::uint32_t>(match.length);
      } else {
        later.push_back(match);
      }
    }
    waiting = std::move(later);
  }
  if (round > 0) ++counters.rounds[round - 1];
}

}  // namespace detail

/// Of a well-formed Byte payload.
inline gpu::lab::RoundCounters recount_rounds(const BlockHeader& header, const PayloadView& view) {
  gpu::lab::RoundCounters counters{};
  detail::MatchReader reader(header, view);
  while (!reader.at_end()) {
    detail::count_group(reader.next(gpu::lab::RoundCounters::kMaxRounds), counters);
  }
  return counters;
}

}  // namespace presso::test
