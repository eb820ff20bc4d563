// SPDX-License-Identifier: MIT
// The parser of the highest levels: of all ways to write a block as literals and matches it takes
// the one of the fewest bits, as far as prices are known. Prices depend on the codes (in the Byte
// coding on the token layout), and these on the way that is chosen. So some passes run only to
// count how often each symbol occurs, and the way of the last one is emitted.
//
// A pass goes over spans of 2048 positions. In a span every position knows its cheapest way
// from the span's beginning: literal by literal, by every length of each match, and in the Bit
// coding by the lane's last three distances, which depend on the way. Ways that are not the
// cheapest so far are forgotten, though their distances might have paid later: that makes it
// fast, and not quite optimal. This is the forward dynamic programme of LZMA and of zstd's
// btopt.
//
// Under a dependency rule (dependency.h) spans are shorter, because what a span itself forbids
// shows only when its way is emitted: a match may be as long as the rule allows at the span's
// beginning, and what is cut off later gets other matches or literals. The bytes of a match of the
// second wave may not be read by others, so a match from further back is worth looking for.
//
// Cost: for each position the sum of its matches' lengths, in every pass. Tested by
// tests/unit/compress/dependency_test.cpp with the other parsers, and by every decoder on every
// round trip.
#include <algorithm>
#include <array>
#include <vector>

#include "compress/parse/bit_prices.h"
#include "compress/parse/byte_prices.h"
#include "compress/parse/dependency.h"
#include "compress/parse/last_distances.h"
#include "compress/parse/match.h"
#include "compress/parse/match_tree.h"
#include "compress/parse/parser.h"

namespace presso {
namespace {

/// How many positions' matches are held at a time: the window here. (ParserParameters::window is
/// the furthest distance, BlockWindow the memory of dictionary and block.)
constexpr std::uint32_t kWindow = 256u << 10;
constexpr std::uint32_t kSpan = 2048;  ///< positions of one dynamic programme
constexpr std::uint32_t kNever = ~std::uint32_t{0};
/// The cost with which ways begin, instead of 0, because costs can fall: a longer literal run may
/// be cheaper than a shorter one, by less than this.
constexpr std::uint32_t kFirstCost = 1u << 20;
/// Added to the price of a second-wave match, because no other match may read it.
constexpr double kSecondWaveBits = 2.5;
/// A long match at a repeated distance is taken if it is at most this many bytes shorter than
/// another.
constexpr std::uint32_t kRepeatGain = 8;
constexpr unsigned kOlderHashBits = 16;
constexpr std::uint32_t kOlderKeyBytes = 4;

/// The cheapest known way to a position, by its last step.
struct Node {
  std::uint32_t cost;
  std::uint32_t length;    ///< length of the match that ends here; 0: a literal
  std::uint32_t distance;  ///< of that match
  std::uint32_t value;     ///< its offset value
  std::uint32_t run;       ///< literals since the last match
  LastDistances last;
};

/// `Prices` is BitPrices or BytePrices.
template <class Prices>
class OptimalParser final : public Parser {
 public:
  explicit OptimalParser(const ParserParameters& parameters)
      : parameters_(parameters),
        run_limit_(literal_run_limit(parameters.rule)),
        tracker_(parameters.rule, parameters.group),
        tree_(parameters),
        span_(has_rule() ? Prices::kRuledSpan : kSpan),
        nodes_(span_ + 1) {}

  void parse(Bytes plain, const DictionaryIndex* dictionary, Sequences& sequences) override {
    sequences.clear();
    plain_ = plain.data();
    size_ = static_cast<std::uint32_t>(plain.size());
    tree_.begin(plain, dictionary);
    tracker_.begin_block(plain.size());
    if (has_rule()) link_older();
    // The first pass needs prices before anything was counted.
    prices_.guess(plain, parameters_.min_match);
    literals_begin_ = 0;
    for (std::uint32_t at = 0; at < size_;) {
      window_end_ = std::min(size_, at + kWindow);
      // Matches are found once a window and used by every pass.
      tree_.find(at, window_end_);
      for (std::uint32_t pass = 0; pass < parameters_.passes; ++pass) learn(at);
      at = choose(at, sequences);
    }
    close_long_run(size_, run_limit_, literals_begin_, tracker_, sequences);
  }

 private:
  /// Whether a dependency rule limits matches.
  bool has_rule() const { return parameters_.rule != DependencyRule::kNone; }

  /// A pass over the window from `begin` on, only to learn its counts.
  void learn(std::uint32_t begin) {
    // Nothing is emitted: the way only says how often each symbol would occur.
    typename Prices::Counts counts{};
    last_ = std::to_array(bit::kFirstDistances);
    std::uint32_t run = 0;
    for (std::uint32_t at = begin; at < window_end_;) {
      const Way way = find_way(at, run, false);
      for (const Node* node : steps(way)) {
        if (node->length == 0) {
          Prices::count_literal(counts, plain_[at++]);
          ++run;
          continue;
        }
        count_match(counts, run, node->length, node->value);
        last_ = moved(last_, node->value, node->distance);
        at += node->length;
        run = 0;
      }
      // After the span's way comes a long match, which was not priced.
      if (way.nice.length == 0) continue;
      const std::uint32_t value = value_of(way.nice.distance);
      count_match(counts, run, way.nice.length, value);
      last_ = moved(last_, value, way.nice.distance);
      at += way.nice.length;
      run = 0;
    }
    prices_.learn(counts);
  }

  /// The offset value: in a coding without repeated distances, each counts as new.
  std::uint32_t value_of(std::uint32_t distance) const {
    return Prices::kHasRepeats ? offset_value(distance, last_) : distance + bit::kRepeats;
  }

  /// Counts are of lengths less the minimum, as they are coded.
  void count_match(typename Prices::Counts& counts, std::uint32_t run, std::uint32_t length,
                   std::uint32_t value) const {
    Prices::count_match(counts, run, length - parameters_.min_match, value);
  }

  /// The last pass: emits sequences. Returns where it ended, which may be after the window.
  std::uint32_t choose(std::uint32_t at, Sequences& sequences) {
    last_ = std::to_array(bit::kFirstDistances);
    while (at < window_end_) {
      close_long_run(at, run_limit_, literals_begin_, tracker_, sequences);
      const Way way = find_way(at, at - literals_begin_, true);
      for (const Node* node : steps(way)) {
        if (node->length > 0) emit_match(at, node->length, node->distance, sequences);
        at += std::max(node->length, 1u);
      }
      if (way.nice.length == 0) continue;
      emit_match(at, way.nice.length, way.nice.distance, sequences);
      at += way.nice.length;
    }
    return at;
  }

  /// The result of a span: the cheapest way over `positions`, and a match after them so long
  /// that it is taken without pricing.
  struct Way {
    std::uint32_t positions;
    FoundMatch nice;
  };

  Way find_way(std::uint32_t begin, std::uint32_t run, bool legal);
  const std::vector<const Node*>& steps(const Way& way);
  void relax_literal(std::uint32_t i);
  void relax_match(std::uint32_t i, std::uint32_t from, std::uint32_t to, std::uint32_t distance,
                   std::uint32_t value);
  std::uint32_t relax_repeats(std::uint32_t i, std::uint32_t limit);
  void arrive(std::uint32_t i);
  std::uint32_t legal_length(std::uint32_t at, FoundMatch match) const {
    return way_is_legal_ ? tracker_.legal_length(at, match.distance, match.length) : match.length;
  }
  void emit_match(std::uint32_t at, std::uint32_t length, std::uint32_t distance,
                  Sequences& sequences);
  void link_older();
  template <class Measure, class Accept>
  void walk_older(std::uint32_t at, std::uint32_t limit, std::uint32_t longest, std::uint32_t depth,
                  Measure measure, Accept&& accept) const;
  /// How many places walk_older() looks at: for each position, and for a match that is about to be
  /// emitted.
  std::uint32_t usual_depth() const { return std::max(parameters_.depth / 4, 8u); }
  std::uint32_t last_depth() const { return 2 * parameters_.depth; }
  /// Measures how much of a match the rule allows.
  auto legal_measure(std::uint32_t at) const {
    return [this, at](std::uint32_t distance, std::uint32_t length) {
      return tracker_.legal_length(at, distance, length);
    };
  }
  /// Measures all of a match of the first wave and nothing of others.
  auto clean_measure(std::uint32_t at) const {
    return [this, at](std::uint32_t distance, std::uint32_t length) {
      return tracker_.is_first_wave(at, distance, length) ? length : 0;
    };
  }
  /// Whether a match is of the second wave; never in passes that only learn.
  bool is_second_wave(std::uint32_t at, FoundMatch match) const {
    return way_is_legal_ && !tracker_.is_first_wave(at, match.distance, match.length);
  }
  void relax_matches(std::uint32_t i, std::uint32_t from, std::uint32_t room);
  FoundMatch find_nice(std::uint32_t i) const;
  FoundMatch find_nice_legal(std::uint32_t at, FoundMatch nearest) const;
  FoundMatch find_legal(std::uint32_t at, std::uint32_t limit) const;

  ParserParameters parameters_;
  std::uint32_t run_limit_;
  DependencyTracker tracker_;
  MatchTree tree_;
  Prices prices_;
  const Byte* plain_ = nullptr;
  std::uint32_t size_ = 0;
  std::uint32_t window_end_ = 0;
  std::uint32_t literals_begin_ = 0;
  LastDistances last_{};  ///< the last distances where the next span begins
  const std::uint32_t span_;
  std::vector<Node> nodes_;
  std::uint32_t way_begin_ = 0;  ///< position of the first node
  bool way_is_legal_ = false;    ///< whether ways obey the rule: in the last pass
  std::vector<const Node*> steps_;
  // For each position, the one before with the same hash of four bytes, plus 1; 0: none.
  std::vector<std::uint32_t> older_;
};

/// A literal changes the price of the literal run that it lengthens.
template <class Prices>
void OptimalParser<Prices>::relax_literal(std::uint32_t i) {
  const Node& here = nodes_[i];
  const Byte literal = plain_[way_begin_ + i];
  const std::uint32_t cost = here.cost + prices_.literal(literal) +
                             prices_.literal_length(here.run + 1) -
                             prices_.literal_length(here.run);
  if (cost < nodes_[i + 1].cost) nodes_[i + 1] = {cost, 0, 0, 0, here.run + 1, here.last};
}

/// Tries all lengths from `from` to `to` of a match.
template <class Prices>
void OptimalParser<Prices>::relax_match(std::uint32_t i, std::uint32_t from, std::uint32_t to,
                                        std::uint32_t distance, std::uint32_t value) {
  if (to < from) return;
  constexpr auto kSecondWaveCost = static_cast<std::uint32_t>(kSecondWaveBits * Prices::kBit);
  const bool second_wave = is_second_wave(way_begin_ + i, {to, distance});
  const std::uint32_t base = nodes_[i].cost + prices_.offset(value) + prices_.literal_length(0) +
                             parameters_.sequence_cost * Prices::kBit +
                             (second_wave ? kSecondWaveCost : 0);
  const auto match_values = prices_.match_values(nodes_[i].run, value);
  for (std::uint32_t length = from; length <= to; ++length) {
    const std::uint32_t cost = base + match_values(length - parameters_.min_match);
    Node& to_node = nodes_[i + length];
    if (cost >= to_node.cost) continue;
    to_node.cost = cost;
    to_node.length = length;
    to_node.distance = distance;
    to_node.value = value;
  }
}

/// Tries the repeated distances. Returns the least length that other distances, which cost
/// more, need.
template <class Prices>
std::uint32_t OptimalParser<Prices>::relax_repeats(std::uint32_t i, std::uint32_t limit) {
  const std::uint32_t at = way_begin_ + i;
  const LastDistances last = nodes_[i].last;
  std::uint32_t from = parameters_.min_match;
  for (std::uint32_t repeat = 0; repeat < bit::kRepeats; ++repeat) {
    const std::uint32_t distance = last[repeat];
    if (distance > at) continue;  // those in the dictionary are found as such
    const std::uint32_t length =
        legal_length(at, {common_length(plain_ + at - distance, plain_ + at, limit), distance});
    relax_match(i, from, length, distance, repeat + 1);
    from = std::max(from, length + 1);
  }
  return from;
}

/// Completes a node whose cheapest way is final: follows the last distances along it.
template <class Prices>
void OptimalParser<Prices>::arrive(std::uint32_t i) {
  Node& node = nodes_[i];
  if (node.length == 0) return;
  node.run = 0;
  node.last = moved(nodes_[i - node.length].last, node.value, node.distance);
}

/// Tries the matches of the tree and then, under a rule, further places that the rule allows.
template <class Prices>
void OptimalParser<Prices>::relax_matches(std::uint32_t i, std::uint32_t from, std::uint32_t room) {
  const std::uint32_t at = way_begin_ + i;
  const auto relax = [&](std::uint32_t length, std::uint32_t distance) {
    relax_match(i, from, std::min(length, room), distance, distance + bit::kRepeats);
    from = std::max(from, length + 1);
  };
  bool cut = false, clean = true;
  std::uint32_t longest = 0, longest_clean = parameters_.min_match - 1u;
  for (const FoundMatch& match : tree_.at(at)) {
    const std::uint32_t length = legal_length(at, match);
    cut = cut || length < match.length;
    clean = clean && !is_second_wave(at, match);
    longest = match.length;
    if (clean) longest_clean = longest;
    relax(length, match.distance);
  }
  const std::uint32_t most = std::min(longest, room);
  if (cut && from <= room) walk_older(at, most, from - 1, usual_depth(), legal_measure(at), relax);
  if (!clean) {
    from = longest_clean + 1;
    walk_older(at, most, longest_clean, usual_depth(), clean_measure(at), relax);
  }
}

/// A match at node `i` so long that it is taken at once; length 0: there is none.
template <class Prices>
FoundMatch OptimalParser<Prices>::find_nice(std::uint32_t i) const {
  const std::uint32_t at = way_begin_ + i;
  const std::span<const FoundMatch> matches = tree_.at(at);
  if (matches.empty() || matches.back().length < parameters_.nice_length) return {0, 0};
  const FoundMatch nice = find_nice_legal(at, matches.back());
  if (!Prices::kHasRepeats || nice.length == 0) return nice;
  const std::uint32_t limit = std::min(size_ - at, parameters_.lookahead);
  for (const std::uint32_t distance : nodes_[i].last) {
    if (distance > at) continue;
    const std::uint32_t length = common_length(plain_ + at - distance, plain_ + at, limit);
    const std::uint32_t legal = legal_length(at, {length, distance});
    if (legal >= parameters_.nice_length && legal + kRepeatGain >= nice.length) {
      return {legal, distance};
    }
  }
  return nice;
}

/// Among long matches at `at`, one that the rule allows: `nearest` if it does.
template <class Prices>
FoundMatch OptimalParser<Prices>::find_nice_legal(std::uint32_t at, FoundMatch nearest) const {
  const bool legal = legal_length(at, nearest) == nearest.length;
  if (legal && !is_second_wave(at, nearest)) return nearest;
  FoundMatch best = legal ? nearest : FoundMatch{0, 0};
  const auto accept = [&](std::uint32_t length, std::uint32_t distance) {
    best = {length, distance};
  };
  if (!legal) {
    walk_older(at, nearest.length, parameters_.nice_length - 1, last_depth(), legal_measure(at),
               accept);
  } else {
    walk_older(at, nearest.length, nearest.length - 1, last_depth(), clean_measure(at), accept);
  }
  return best;
}

/// Links each position to the one before with an equal hash of four bytes, for walk_older().
template <class Prices>
void OptimalParser<Prices>::link_older() {
  older_.assign(size_, 0);
  std::vector<std::uint32_t> last(std::size_t{1} << kOlderHashBits, 0);
  for (std::uint32_t at = 0; at + kOlderKeyBytes <= size_; ++at) {
    std::uint32_t& entry = last[hash4(plain_ + at, kOlderHashBits)];
    older_[at] = entry;
    entry = at + 1;
  }
}

/// Calls accept(length, distance) for earlier places, at most the nearest `depth`, where
/// measure(distance, length) leaves more than `longest` and more than at all places before, up
/// to `limit` bytes. It complements the tree, which knows only the nearest place of each
/// length, and those are the first that a rule forbids.
template <class Prices>
template <class Measure, class Accept>
void OptimalParser<Prices>::walk_older(std::uint32_t at, std::uint32_t limit, std::uint32_t longest,
                                       std::uint32_t depth, Measure measure,
                                       Accept&& accept) const {
  std::uint32_t entry = older_[at];
  for (; entry != 0 && depth > 0; --depth) {
    const std::uint32_t from = entry - 1;
    if (at - from > parameters_.window || longest >= limit) return;
    entry = older_[from];
    if (plain_[from + longest] != plain_[at + longest]) continue;
    if (measure(at - from, longest + 1) <= longest) continue;
    const std::uint32_t measured =
        allowed_length(plain_ + from, plain_ + at, limit,
                       [&](std::uint32_t length) { return measure(at - from, length); });
    if (measured <= longest) continue;
    longest = measured;
    accept(measured, at - from);
  }
}

// Nodes are taken in order: when one is reached, all ways to it were tried.
template <class Prices>
typename OptimalParser<Prices>::Way OptimalParser<Prices>::find_way(std::uint32_t begin,
                                                                    std::uint32_t run, bool legal) {
  const std::uint32_t limit = std::min(span_, window_end_ - begin);
  way_begin_ = begin;
  way_is_legal_ = legal;
  nodes_[0] = {kFirstCost, 0, 0, 0, run, last_};
  for (std::uint32_t i = 1; i <= limit; ++i) nodes_[i].cost = kNever;
  for (std::uint32_t i = 0; i < limit; ++i) {
    if (i > 0) arrive(i);
    const FoundMatch nice = find_nice(i);
    if (nice.length > 0) return {i, nice};
    relax_literal(i);
    const std::uint32_t room = std::min(limit - i, parameters_.lookahead);
    std::uint32_t from = parameters_.min_match;
    if constexpr (Prices::kHasRepeats) from = relax_repeats(i, room);
    relax_matches(i, from, room);
  }
  arrive(limit);
  return {limit, {0, 0}};
}

/// The way's steps from its beginning on. If the span's end cut the way, its last match may be
/// incomplete and is left to the next span. In the last pass under a rule, the whole second half is
/// left to it, as it was chosen with too little in view.
template <class Prices>
const std::vector<const Node*>& OptimalParser<Prices>::steps(const Way& way) {
  steps_.clear();
  for (std::uint32_t i = way.positions; i > 0;) {
    steps_.push_back(&nodes_[i]);
    i -= std::max(nodes_[i].length, 1u);
  }
  std::reverse(steps_.begin(), steps_.end());
  if (way.positions < span_) return steps_;
  if (steps_.size() > 1 && steps_.back()->length > 0) steps_.pop_back();
  if (!way_is_legal_ || !has_rule()) return steps_;
  const Node* const middle = &nodes_[span_ / 2];
  while (steps_.size() > 1 && steps_.back() > middle) steps_.pop_back();
  return steps_;
}

/// The longest match at `at` that the rule allows, of at most `limit` bytes.
template <class Prices>
FoundMatch OptimalParser<Prices>::find_legal(std::uint32_t at, std::uint32_t limit) const {
  FoundMatch best{0, 0};
  if (at >= window_end_) return best;
  for (const FoundMatch& match : tree_.at(at)) {
    const std::uint32_t length =
        tracker_.legal_length(at, match.distance, std::min(match.length, limit));
    if (length > best.length && length >= parameters_.min_match) best = {length, match.distance};
  }
  walk_older(at, limit, std::max<std::uint32_t>(best.length, parameters_.min_match - 1u),
             last_depth(), legal_measure(at), [&](std::uint32_t length, std::uint32_t distance) {
               best = {length, distance};
             });
  return best;
}

/// Emits a chosen match or, where the rule forbids it, legal matches and literals in its place.
template <class Prices>
void OptimalParser<Prices>::emit_match(std::uint32_t at, std::uint32_t length,
                                       std::uint32_t distance, Sequences& sequences) {
  const std::uint32_t end = at + length;
  while (end - at >= parameters_.min_match) {
    close_long_run(at, run_limit_, literals_begin_, tracker_, sequences);
    FoundMatch match{end - at, distance};
    const std::uint32_t legal = tracker_.legal_length(at, distance, match.length);
    if (legal < match.length) {
      match = find_legal(at, match.length);
      if (legal >= parameters_.min_match && legal >= match.length) match = {legal, distance};
      if (match.length == 0) {
        ++at;
        continue;
      }
    }
    append(sequences, tracker_, {at - literals_begin_, match.length, match.distance},
           literals_begin_);
    last_ = moved(last_, offset_value(match.distance, last_), match.distance);
    at += match.length;
    literals_begin_ = at;
  }
}

}  // namespace

std::unique_ptr<Parser> make_optimal_parser(const ParserParameters& parameters) {
  if (parameters.coding == Coding::kBit) {
    return std::make_unique<OptimalParser<BitPrices>>(parameters);
  }
  return std::make_unique<OptimalParser<BytePrices>>(parameters);
}

}  // namespace presso
