// SPDX-License-Identifier: MIT
// The chain parser: hash chains of 4-byte keys through block and dictionary, and a dynamic
// programme that picks the cheapest way through their matches.
//
// A sequence costs the same whatever its distance (up to 64 KiB), so a position needs only its
// longest near match and a longer far one. The cost of what is left hardly ever grows with the
// position, so of all lengths of a match only the longest, and the longest without an escape byte,
// are worth trying: the programme takes constant time a position. It runs over spans of at most
// kSpan bytes, from the back to the front, once all matches of the span are known. A match of
// nice_length ends the span and is taken.
//
// The way is emitted under the dependency rule. Groups are known only once their sequences are, so
// a chosen match that the rule forbids is searched again among the legal candidates.
//
// Cost: the chains, depth x about 10 cycles a position; within a match of good_length the depth is
// a quarter. Tested by the round-trip and rule tests; figures in NOTES.md.
#include <algorithm>
#include <array>

#include "compress/dependency.h"
#include "compress/match.h"
#include "compress/parser.h"

namespace presso {
namespace {

constexpr std::uint32_t kSpan = 4096;
constexpr std::uint32_t kTailBytes = 8;  ///< no search this close to the end
constexpr std::uint32_t kNearDistance = 0xFFFF;
constexpr std::uint32_t kLargestStep = 0xFFFF;  ///< chain links are 16 bits wide
constexpr std::uint32_t kGoodLength = 24;

/// Costs in bytes. The layout is chosen after parsing; these are those of the usual one.
constexpr std::uint32_t kSequenceCost = 3;
constexpr std::uint32_t kFarCost = 1;
constexpr std::uint32_t kMatchEscapeAt = 15;

struct Match {
  std::uint32_t length = 0;
  std::uint32_t distance = 0;
};

class ChainParser final : public Parser {
 public:
  explicit ChainParser(const ParserParameters& parameters)
      : parameters_(parameters),
        run_limit_(literal_run_limit(parameters.rule)),
        tracker_(parameters.rule, parameters.group),
        head_(std::size_t{1} << parameters.hash_bits) {}

  void parse(Bytes plain, const DictionaryIndex* dictionary, Sequences& sequences) override {
    sequences.clear();
    plain_ = plain.data();
    size_ = static_cast<std::uint32_t>(plain.size());
    dictionary_ = dictionary;
    std::fill(head_.begin(), head_.end(), 0);
    steps_.resize(plain.size());
    inserted_ = 0;
    search_end_ = size_ > kTailBytes ? size_ - kTailBytes : 0;
    tracker_.begin_block(plain.size());
    literals_begin_ = 0;
    std::uint32_t at = 0;
    while (at < search_end_) at = parse_span(at, sequences);
    close_long_run(size_, run_limit_, literals_begin_, tracker_, sequences);
  }

 private:
  /// What a position offers, and after choose() what is best from it on to the span's end.
  struct Position {
    Match near;    ///< longest within 64 KiB
    Match far;     ///< longer than near, or of length 0
    Match chosen;  ///< length 0: a literal
    std::uint32_t cost;
  };

  std::uint32_t parse_span(std::uint32_t begin, Sequences& sequences);
  void find(std::uint32_t at, const Position* before, Position& here);
  void choose(std::uint32_t count);
  void consider(std::uint32_t at, std::uint32_t count, const Match& match);
  void emit_way(std::uint32_t begin, std::uint32_t count, Sequences& sequences);
  void emit_match(std::uint32_t at, const Match& chosen, Sequences& sequences);
  Match find_legal(std::uint32_t at, std::uint32_t limit) const;
  void insert_up_to(std::uint32_t end);
  template <class Accept>
  bool walk_block(std::uint32_t at, std::uint32_t depth, Accept&& accept) const;
  template <class Accept>
  void walk_dictionary(std::uint32_t at, std::uint32_t depth, Accept&& accept) const;

  ParserParameters parameters_;
  std::uint32_t run_limit_;
  DependencyTracker tracker_;
  std::vector<std::uint32_t> head_;   ///< position + 1 of the last occurrence; 0: none
  std::vector<std::uint16_t> steps_;  ///< distance to the occurrence before; 0: none; by position
  std::array<Position, kSpan + 1> positions_;
  const Byte* plain_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t search_end_ = 0;
  std::uint32_t inserted_ = 0;  ///< positions below are in the chains
  std::uint32_t literals_begin_ = 0;
  const DictionaryIndex* dictionary_ = nullptr;
};

void ChainParser::insert_up_to(std::uint32_t end) {
  end = std::min(end, search_end_);
  for (; inserted_ < end; ++inserted_) {
    std::uint32_t& head = head_[hash4(plain_ + inserted_, parameters_.hash_bits)];
    const std::uint32_t step = inserted_ + 1 - head;
    steps_[inserted_] = head != 0 && step <= kLargestStep ? static_cast<std::uint16_t>(step) : 0;
    head = inserted_ + 1;
  }
}

/// Calls accept(candidate, distance, room) for earlier places with the same hash, nearest first,
/// until it returns false; returns whether it never did. All positions before `at` are inserted.
template <class Accept>
bool ChainParser::walk_block(std::uint32_t at, std::uint32_t depth, Accept&& accept) const {
  const std::uint32_t head = head_[hash4(plain_ + at, parameters_.hash_bits)];
  if (head == 0) return true;
  std::uint32_t from = head - 1;
  for (;;) {
    if (from < at) {
      const std::uint32_t distance = at - from;
      if (distance > parameters_.window) return true;
      if (!accept(plain_ + from, distance, size_ - at)) return false;
      if (--depth == 0) return true;
    }
    const std::uint32_t step = steps_[from];
    if (step == 0) return true;
    from -= step;
  }
}

template <class Accept>
void ChainParser::walk_dictionary(std::uint32_t at, std::uint32_t depth, Accept&& accept) const {
  if (dictionary_ == nullptr) return;
  const auto content_size = static_cast<std::uint32_t>(dictionary_->content.size());
  std::uint32_t entry = dictionary_->head[hash4(plain_ + at, dictionary_->hash_bits)];
  for (; entry != 0 && depth > 0; --depth) {
    const std::uint32_t from = entry - 1;
    entry = dictionary_->previous[from];
    const std::uint32_t distance = at + content_size - from;
    const std::uint32_t room = std::min(size_ - at, content_size - from);
    if (distance > parameters_.window ||
        !accept(dictionary_->content.data() + from, distance, room)) {
      return;
    }
  }
}

/// The matches at `at`. What the position before found, less its first byte, is a match here too.
void ChainParser::find(std::uint32_t at, const Position* before, Position& here) {
  insert_up_to(at);
  here = Position{};
  std::uint32_t longest = parameters_.min_match - 1u;
  if (before != nullptr) {
    if (before->near.length > longest + 1) {
      here.near = {before->near.length - 1, before->near.distance};
      longest = here.near.length;
    }
    if (before->far.length > longest + 1) {
      here.far = {before->far.length - 1, before->far.distance};
      longest = here.far.length;
    }
  }
  const auto accept = [&](const Byte* from, std::uint32_t distance, std::uint32_t room) {
    room = std::min(room, parameters_.lookahead);
    if (room <= longest) return true;
    const Byte* const here_bytes = plain_ + at;
    if (load<std::uint32_t>(from + longest - 3) != load<std::uint32_t>(here_bytes + longest - 3) ||
        load<std::uint32_t>(from) != load<std::uint32_t>(here_bytes)) {
      return true;
    }
    const std::uint32_t length = common_length(from, here_bytes, room);
    if (length <= longest) return true;
    longest = length;
    (distance <= kNearDistance ? here.near : here.far) = {length, distance};
    return length < parameters_.nice_length;
  };
  const std::uint32_t depth =
      longest >= kGoodLength ? (parameters_.depth + 3) / 4 : parameters_.depth;
  if (walk_block(at, depth, accept)) walk_dictionary(at, depth, accept);
  if (here.far.length <= here.near.length) here.far = {};
}

/// The longest match at `at` that the rule allows, at most `limit` bytes.
Match ChainParser::find_legal(std::uint32_t at, std::uint32_t limit) const {
  Match best;
  if (at >= search_end_) return best;
  const auto accept = [&](const Byte* from, std::uint32_t distance, std::uint32_t room) {
    if (load<std::uint32_t>(from) != load<std::uint32_t>(plain_ + at)) return true;
    std::uint32_t length = common_length(from, plain_ + at, std::min(room, limit));
    length = tracker_.legal_length(at, distance, length);
    if (length > best.length && length >= parameters_.min_match) best = {length, distance};
    return best.length < limit;
  };
  if (walk_block(at, 4 * parameters_.depth, accept)) {
    walk_dictionary(at, parameters_.depth, accept);
  }
  return best;
}

/// One candidate for the way from `at`: the match, cut at the span's end.
void ChainParser::consider(std::uint32_t at, std::uint32_t count, const Match& match) {
  Position& here = positions_[at];
  const std::uint32_t escape_at = kMatchEscapeAt + parameters_.min_match;
  const std::uint32_t longest = std::min(match.length, count - at);
  for (const std::uint32_t length : {longest, std::min(longest, escape_at - 1)}) {
    if (length < parameters_.min_match) continue;
    const std::uint32_t cost = kSequenceCost + (match.distance > kNearDistance ? kFarCost : 0) +
                               (length >= escape_at ? 1 : 0) + positions_[at + length].cost;
    if (cost < here.cost) {
      here.cost = cost;
      here.chosen = {length, match.distance};
    }
  }
}

/// From the back: the cheapest way from each position to the span's end.
void ChainParser::choose(std::uint32_t count) {
  positions_[count].cost = 0;
  for (std::uint32_t at = count; at-- > 0;) {
    Position& here = positions_[at];
    here.cost = positions_[at + 1].cost + 1;
    here.chosen = {};
    if (here.near.length > 0) consider(at, count, here.near);
    if (here.far.length > 0) consider(at, count, here.far);
  }
}

/// Finds and emits the best way over one span; returns where it ends.
std::uint32_t ChainParser::parse_span(std::uint32_t begin, Sequences& sequences) {
  const std::uint32_t limit = std::min(kSpan, search_end_ - begin);
  std::uint32_t count = 0;
  Match nice;
  while (count < limit) {
    Position& here = positions_[count];
    find(begin + count, count > 0 ? &positions_[count - 1] : nullptr, here);
    const Match& longest = here.far.length > 0 ? here.far : here.near;
    if (longest.length >= parameters_.nice_length) {
      nice = longest;
      break;
    }
    ++count;
  }
  choose(count);
  emit_way(begin, count, sequences);
  if (nice.length == 0) return begin + count;
  insert_up_to(begin + count);
  emit_match(begin + count, nice, sequences);
  return begin + count + nice.length;
}

void ChainParser::emit_way(std::uint32_t begin, std::uint32_t count, Sequences& sequences) {
  for (std::uint32_t at = 0; at < count;) {
    const Match& match = positions_[at].chosen;
    if (match.length > 0) emit_match(begin + at, match, sequences);
    at += std::max(match.length, 1u);
  }
}

/// Emits a chosen match, or the legal matches and literals that take its place.
void ChainParser::emit_match(std::uint32_t at, const Match& chosen, Sequences& sequences) {
  const std::uint32_t end = at + chosen.length;
  while (end - at >= parameters_.min_match) {
    close_long_run(at, run_limit_, literals_begin_, tracker_, sequences);
    Match match{end - at, chosen.distance};
    if (tracker_.legal_length(at, match.distance, match.length) < match.length) {
      match = find_legal(at, match.length);
      if (match.length == 0) {
        ++at;
        continue;
      }
    }
    append(sequences, tracker_, {at - literals_begin_, match.length, match.distance},
           literals_begin_);
    at += match.length;
    literals_begin_ = at;
  }
}

}  // namespace

std::unique_ptr<Parser> make_chain_parser(const ParserParameters& parameters) {
  return std::make_unique<ChainParser>(parameters);
}

}  // namespace presso
