// SPDX-License-Identifier: MIT
// The chain parser: hash chains of 4-byte keys through block and dictionary, and a dynamic
// programme that picks the cheapest way through the longest matches. LZ77 (Ziv and Lempel,
// 1977) with the chains of zlib.
//
// A sequence costs the same at any distance up to 64 KiB and a byte more beyond, so a position
// needs only its longest match. The cost of the rest of the block hardly ever grows with the
// position, so of all lengths of a match only two are worth trying: the longest, and the
// longest without an escape byte. The programme therefore takes constant time a position. It
// runs over spans of at most kSpan bytes, from the back to the front, once all matches of the
// span are known. A match of nice_length ends the span and is taken. Spans are short because
// the legality of a match is known only up to the last one that was emitted.
//
// The chosen way is emitted under the block's dependency rule, which forbids matches that would
// read bytes of their own group of sequences (or tile) that the GPU does not have yet
// (dependency.h). A group ends after a fixed number of sequences, so where it ends is known only
// once they are chosen. A match that turns out to be forbidden is therefore searched for again,
// among the places that the rule allows (find_legal()).
//
// Cost: the chains, depth x about 10 cycles a searched position, and about 30 cycles a position for
// the rest; within a match of more than kGoodLength bytes every fourth position is searched. Tested
// by the round-trip and rule tests; figures in NOTES.md.
#include <algorithm>
#include <array>

#include "compress/parse/dependency.h"
#include "compress/parse/match.h"
#include "compress/parse/parser.h"

namespace presso {
namespace {

constexpr std::uint32_t kSpan = 1024;
constexpr std::uint32_t kTailBytes = 8;  ///< no search this close to the end
constexpr std::uint32_t kNearDistance = 0xFFFF;
constexpr std::uint16_t kNotInserted = 0xFFFF;  ///< in place of a chain link
constexpr std::uint32_t kLargestStep = 0xFFFE;
/// Only every kLongStride-th position of a match of nice_length enters the chains, except for about
/// kNotInsertedAfter positions at either end, all of which do.
constexpr std::uint32_t kLongStride = 4;
constexpr std::uint32_t kNotInsertedAfter = 16;
constexpr std::uint32_t kTextSequence = 8;  ///< about how many bytes a sequence of text has
constexpr std::uint32_t kDeepest = 4;  ///< the deepest search, in multiples of the level's depth
/// Within a match longer than kGoodLength, only one in kGoodStride positions is searched.
constexpr std::uint32_t kGoodLength = 11;
constexpr std::uint32_t kGoodStride = 4;
/// With a match of at least this length in the block, the dictionary is not searched.
constexpr std::uint32_t kGoodForDictionary = 20;

/// Costs in bits, those of the usual token layout: the real one is chosen after parsing. The
/// parameter sequence_cost comes on top of them: it makes sequences fewer and longer, for
/// decoders whose time depends on their number.
constexpr std::uint32_t kLiteralCost = 8;
constexpr std::uint32_t kSequenceCost = 24;
constexpr std::uint32_t kFarCost = 8;
constexpr std::uint32_t kEscapeCost = 8;
constexpr std::uint32_t kMatchEscapeAt = 15;

constexpr std::uint32_t kKeyBytes = 4;

/// Whether four bytes are equal.
bool equal_keys(const Byte* a, const Byte* b) {
  return load<std::uint32_t>(a) == load<std::uint32_t>(b);
}

struct Match {
  std::uint32_t length = 0;
  std::uint32_t distance = 0;
};

// Positions count from the block's first byte; a distance beyond it reaches into the
// dictionary.
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
  /// What a position offers, and after choose() the best choice from it on.
  struct Position {
    Match match;           ///< length 0: nothing matches here
    std::uint32_t chosen;  ///< the length to take; 0: the byte becomes a literal
    std::uint32_t cost;    ///< of the way from here to the span's end
  };

  std::uint32_t parse_span(std::uint32_t begin, Sequences& sequences);
  Match find(std::uint32_t at, const Match& inherited);
  std::uint32_t depth_at(std::uint32_t at, std::size_t sequences) const;
  void choose(std::uint32_t count);
  std::uint32_t emit_way(std::uint32_t begin, std::uint32_t count, bool whole,
                         Sequences& sequences);
  void emit_match(std::uint32_t at, const Match& chosen, Sequences& sequences);
  Match find_legal(std::uint32_t at, std::uint32_t limit) const;
  void insert_up_to(std::uint32_t end);
  void insert(std::uint32_t at);
  void insert_long_match(std::uint32_t end);
  std::uint32_t rarest_key(std::uint32_t from, std::uint32_t length) const;
  template <class Accept>
  void walk_block(std::uint32_t at, std::uint32_t depth, std::uint32_t longest,
                  Accept&& accept) const;
  template <class Accept>
  void walk_dictionary(std::uint32_t at, std::uint32_t depth, Accept&& accept) const;

  ParserParameters parameters_;
  std::uint32_t run_limit_;
  DependencyTracker tracker_;
  std::vector<std::uint32_t> head_;   ///< position + 1 of each hash's last occurrence; 0: none yet
  std::vector<std::uint16_t> steps_;  ///< by position: distance to the occurrence before; 0: none
  std::array<Position, kSpan + 1> positions_;
  const Byte* plain_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t search_end_ = 0;
  std::uint32_t inserted_ = 0;  ///< positions below are in the chains
  std::uint32_t literals_begin_ = 0;
  std::uint32_t depth_ = 0;  ///< candidates tried a position, in this span
  const DictionaryIndex* dictionary_ = nullptr;
};

void ChainParser::insert_up_to(std::uint32_t end) {
  end = std::min(end, search_end_);
  for (; inserted_ < end; ++inserted_) insert(inserted_);
}

/// Links are 16-bit steps back; one that is too long ends the chain.
void ChainParser::insert(std::uint32_t at) {
  std::uint32_t& head = head_[hash4(plain_ + at, parameters_.hash_bits)];
  const std::uint32_t step = at + 1 - head;
  steps_[at] = head != 0 && step <= kLargestStep ? static_cast<std::uint16_t>(step) : 0;
  head = at + 1;
}

/// For a match of nice_length: only every kLongStride-th position enters the chains, because the
/// positions that it repeats are there already.
void ChainParser::insert_long_match(std::uint32_t end) {
  end = std::min(end, search_end_);
  for (; inserted_ < end; ++inserted_) {
    if (inserted_ % kLongStride == 0) {
      insert(inserted_);
    } else {
      steps_[inserted_] = kNotInserted;
    }
  }
}

/// Which of the 4-byte keys inside a match of `length` bytes at `from` has its last occurrence
/// furthest back. A longer match further back must hold all these keys, so following this one's
/// chain skips most candidates. A chain that ends at the best key ends the search.
std::uint32_t ChainParser::rarest_key(std::uint32_t from, std::uint32_t length) const {
  constexpr std::uint32_t kKeys = 32;
  const std::uint32_t keys = std::min(length - kKeyBytes + 1, std::min(kKeys, inserted_ - from));
  std::uint32_t best = 0;
  std::uint32_t longest_step = 0;
  for (std::uint32_t key = 0; key < keys; ++key) {
    const std::uint32_t step = steps_[from + key] - 1u;  // 0, the end of a chain, becomes longest
    if (step >= longest_step && step != kNotInserted - 1u) {
      longest_step = step;
      best = key;
    }
  }
  return best;
}

/// Calls accept(candidate, distance, room) for earlier places that may hold a match longer than
/// `longest`, nearest first, until it returns a length of nice_length or the depth is used up.
/// accept returns the longest length so far. Positions at or after `at`, which may be in the
/// chains already, are passed over.
template <class Accept>
void ChainParser::walk_block(std::uint32_t at, std::uint32_t depth, std::uint32_t longest,
                             Accept&& accept) const {
  // A longer match holds the key that ends in its last byte, and so does the candidate.
  std::uint32_t key = longest >= kKeyBytes ? longest + 1 - kKeyBytes : 0;
  if (at + key >= search_end_) return;
  const std::uint32_t head = head_[hash4(plain_ + at + key, parameters_.hash_bits)];
  if (head <= key) return;
  std::uint32_t from = head - 1 - key;
  for (;; --depth) {
    if (from < at && at - from > parameters_.window) return;
    const std::uint32_t length = from < at ? accept(plain_ + from, at - from, size_ - at) : longest;
    if (length >= parameters_.nice_length || depth <= 1) return;
    if (length > longest) {
      longest = length;
      key = rarest_key(from, length);
    }
    const std::uint32_t step = steps_[from + key];
    if (step == 0 || step == kNotInserted || step > from) return;
    from -= step;
  }
}

/// Walks the dictionary's chains in the same way; their keys are longer, since its matches cost
/// a byte more.
template <class Accept>
void ChainParser::walk_dictionary(std::uint32_t at, std::uint32_t depth, Accept&& accept) const {
  if (dictionary_ == nullptr) return;
  const auto content_size = static_cast<std::uint32_t>(dictionary_->content.size());
  std::uint32_t entry = dictionary_->head[hash6(plain_ + at, dictionary_->hash_bits)];
  for (; entry != 0 && depth > 0; --depth) {
    const std::uint32_t from = entry - 1;
    entry = dictionary_->previous[from];
    const std::uint32_t distance = at + content_size - from;
    const std::uint32_t room = std::min(size_ - at, content_size - from);
    if (distance > parameters_.window ||
        accept(dictionary_->content.data() + from, distance, room) >= parameters_.nice_length) {
      return;
    }
  }
}

/// The match to consider at `at`: the longest one, where a far match must be a byte longer.
/// `inherited` is the rest of the match of the position before.
Match ChainParser::find(std::uint32_t at, const Match& inherited) {
  insert_up_to(at);
  Match best = inherited;
  std::uint32_t longest = std::max<std::uint32_t>(inherited.length, parameters_.min_match - 1u);
  // A match is clean if its source ends before its group (or tile) begins. GPUs copy the others in
  // a second step, the second wave, and no other match of that may read what they write. So at
  // equal length a clean match is better.
  bool clean =
      inherited.length == 0 || tracker_.is_first_wave(at, inherited.distance, inherited.length);
  const auto accept = [&](const Byte* from, std::uint32_t distance, std::uint32_t room) {
    room = std::min(room, parameters_.lookahead);
    const Byte* const bytes = plain_ + at;
    const bool first_far = distance > kNearDistance && best.distance <= kNearDistance;
    const std::uint32_t needed = longest + (first_far ? 2 : clean ? 1 : 0);
    if (room < needed || !equal_keys(from + needed - kKeyBytes, bytes + needed - kKeyBytes) ||
        !equal_keys(from, bytes)) {
      return longest;
    }
    const std::uint32_t length = common_length(from, bytes, room);
    if (length < needed) return longest;
    const bool is_clean = tracker_.is_first_wave(at, distance, length);
    if (length == longest && !is_clean) return longest;
    longest = length;
    clean = is_clean;
    best = {length, distance};
    return clean ? longest : std::min(longest, parameters_.nice_length - 1);
  };
  walk_block(at, depth_, longest, accept);
  if (longest < kGoodForDictionary) walk_dictionary(at, (depth_ + 3) / 4, accept);
  return best;
}

/// The longest match at `at` that the rule allows, of at most `limit` bytes.
Match ChainParser::find_legal(std::uint32_t at, std::uint32_t limit) const {
  Match best;
  if (at >= search_end_) return best;
  const auto accept = [&](const Byte* from, std::uint32_t distance, std::uint32_t room) {
    if (equal_keys(from, plain_ + at)) {
      const std::uint32_t legal = tracker_.legal_length(at, distance, std::min(room, limit));
      const std::uint32_t length =
          legal > best.length ? common_length(from, plain_ + at, legal) : 0;
      if (length > best.length && length >= parameters_.min_match) best = {length, distance};
    }
    return best.length < limit ? 0 : parameters_.nice_length;
  };
  walk_block(at, 4 * parameters_.depth, 0, accept);
  if (best.length < limit) walk_dictionary(at, parameters_.depth, accept);
  return best;
}

/// Computes, from the back, the cheapest way from each position to the span's end.
void ChainParser::choose(std::uint32_t count) {
  const std::uint32_t escape_at = kMatchEscapeAt + parameters_.min_match;
  positions_[count].cost = 0;
  for (std::uint32_t at = count; at-- > 0;) {
    Position& here = positions_[at];
    here.cost = positions_[at + 1].cost + kLiteralCost;
    here.chosen = 0;
    const std::uint32_t length = std::min(here.match.length, count - at);
    if (length < parameters_.min_match) continue;
    const std::uint32_t sequence_cost = kSequenceCost + parameters_.sequence_cost +
                                        (here.match.distance > kNearDistance ? kFarCost : 0);
    const std::uint32_t unescaped = std::min(length, escape_at - 1);
    const std::uint32_t whole_cost =
        sequence_cost + (length >= escape_at ? kEscapeCost : 0) + positions_[at + length].cost;
    const std::uint32_t unescaped_cost = sequence_cost + positions_[at + unescaped].cost;
    const std::uint32_t cost = std::min(whole_cost, unescaped_cost);
    if (cost < here.cost) {
      here.cost = cost;
      here.chosen = whole_cost <= unescaped_cost ? length : unescaped;
    }
  }
}

/// How many candidates are tried at a position. The longer sequences are, the more time there is
/// for each, and structured data, which has long ones, gains more than text by a deeper search: so
/// the depth grows with the mean length of the block's sequences so far.
std::uint32_t ChainParser::depth_at(std::uint32_t at, std::size_t sequences) const {
  const std::uint32_t mean = at / static_cast<std::uint32_t>(sequences + 1);
  return parameters_.depth * std::clamp(mean / kTextSequence, 1u, kDeepest);
}

/// Finds and emits the best way over one span; returns the position after it.
std::uint32_t ChainParser::parse_span(std::uint32_t begin, Sequences& sequences) {
  depth_ = depth_at(begin, sequences.size());
  const std::uint32_t limit = std::min(kSpan, search_end_ - begin);
  std::uint32_t count = 0;
  Match match;
  for (; count < limit; ++count) {
    const std::uint32_t at = begin + count;
    if (match.length <= kGoodLength || at % kGoodStride == 0) match = find(at, match);
    if (match.length >= parameters_.nice_length) break;
    positions_[count].match = match;
    if (match.length > 0) --match.length;
    if (match.length < parameters_.min_match) match = {};
  }
  const Match nice = count < limit ? match : Match{};
  choose(count);
  const bool whole = nice.length > 0 || begin + count == search_end_;
  const std::uint32_t done = emit_way(begin, count, whole, sequences);
  if (nice.length == 0) return begin + done;
  insert_up_to(begin + count + kNotInsertedAfter);
  insert_long_match(begin + count + nice.length - kNotInsertedAfter);
  emit_match(begin + count, nice, sequences);
  return begin + count + nice.length;
}

/// Emits the way and returns where it ends. Unless `whole`, that is before a last match that
/// reaches the span's end, which may have cut it.
std::uint32_t ChainParser::emit_way(std::uint32_t begin, std::uint32_t count, bool whole,
                                    Sequences& sequences) {
  std::uint32_t at = 0;
  while (at < count) {
    const Position& here = positions_[at];
    const std::uint32_t next = at + std::max(here.chosen, 1u);
    if (next == count && at > 0 && !whole) break;
    if (here.chosen > 0) emit_match(begin + at, {here.chosen, here.match.distance}, sequences);
    at = next;
  }
  return at;
}

/// Emits a chosen match or, where the rule forbids it, legal matches and literals in its place.
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
