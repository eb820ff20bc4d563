// SPDX-License-Identifier: MIT
// The table parser. At every position it looks at one place (earlier position) that shares seven
// bytes, from one hash table; or at two places that share eight and six, from two tables, the
// longer string first; or at the last four places that share six, and takes the best one
// (place_tables.h). One table is the fastest parser of the Bit coding; the others fill the gap
// between it and the row parser. A table of long and one of short strings is the idea of zstd's
// strategy "dfast" (Collet, 2016).
//
// A match is taken at once, with two exceptions: a short one gives way to a longer one that begins
// one byte later, and any match to one at the last distance that begins one byte later.
//
// Whether the dependency rule (dependency.h) forbids a place is tested on its first bytes, before
// the match is measured: otherwise a long forbidden match would be measured again at each of its
// positions. Where a match of the second wave begins, the older entries of single places stay:
// others may not read what it wrote, but they may read its source (as in fast_parser.cpp).
//
// The dictionary lies before the block in memory (window.h). Its tables are made once and
// copied for each block, so that a probe finds the nearest places in both. Tested by
// tests/unit/compress/dependency_test.cpp.
#include <algorithm>
#include <type_traits>

#include "compress/parse/block_scratch.h"
#include "compress/parse/block_window.h"
#include "compress/parse/dependency.h"
#include "compress/parse/last_distances.h"
#include "compress/parse/match.h"
#include "compress/parse/parser.h"
#include "compress/parse/place_tables.h"

namespace presso {
namespace {

constexpr std::uint32_t kTailBytes = 16;  ///< no search this close to the end: 8-byte loads
constexpr std::uint32_t kCompared = 4;    ///< bytes that are compared at a time
// For rows of four places: how many positions ahead rows are fetched.
constexpr std::uint32_t kFetchedAhead = 2;
// All positions of matches up to kShortMatch enter the rows, and kAtEitherEnd at either end of
// longer ones.
constexpr std::uint32_t kShortMatch = 12;
constexpr std::uint32_t kAtEitherEnd = 3;
// How much more a match must gain that begins one literal later.
constexpr std::int32_t kBetterAfterOne = 4;

struct Match {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;  ///< 0: there is no match
  std::uint32_t distance = 0;
};

/// Whether the first kBytes of two words are equal.
template <unsigned kBytes>
bool begin_equally(std::uint64_t a, std::uint64_t b) {
  return (a ^ b) << (64 - 8 * kBytes) == 0;
}

/// One block's parse. Positions count from the dictionary's first byte.
template <class Tables, class Tracker>
class TableParse {
  static constexpr bool kFour = std::is_same_v<Tables, FourPlaces>;
  using Probe = typename Tables::Probe;

 public:
  TableParse(const Byte* base, std::uint32_t dictionary_bytes, std::size_t plain_bytes,
             const ParserParameters& parameters, const Tables& tables, Tracker tracker,
             Sequence* out)
      : base_(base),
        begin_(dictionary_bytes),
        end_(begin_ + static_cast<std::uint32_t>(plain_bytes)),
        search_end_(end_ - kTailBytes),
        parameters_(parameters),
        run_limit_(literal_run_limit(parameters.rule)),
        tables_(tables),
        tracker_(tracker),
        out_(out),
        literals_begin_(begin_) {}

  /// Returns the end of the sequences.
  Sequence* run() {
    std::uint32_t at = std::max(begin_, 1u);
    while (at < search_end_) {
      if constexpr (kFour) tables_.prefetch(base_ + at + kFetchedAhead);
      const Probe probed = tables_.exchange(base_, at);
      Match match = find_repeated(at + 1, last_[0]);
      if (match.length == 0) match = find(at, probed);
      if (match.length == 0) {
        close_run_if_strict(at);
        at += 1 + ((at - literals_begin_) >> parameters_.acceleration);
        continue;
      }
      const std::uint32_t from = at;
      at = emit_match(match, probed, match.begin <= from);
      if (at < search_end_) insert_inside(from, at);
    }
    close_run(end_);
    return out_;
  }

 private:
  /// The match at `at`, for which the tables had `probed`, or one a byte later. Its length is 0 if
  /// neither place has a match.
  Match find(std::uint32_t at, const Probe& probed) {
    if constexpr (kFour) {
      return find_in_rows(at, probed);
    } else {
      return find_in_tables(at, probed);
    }
  }

  /// Looks for the long key first, then for the short one, which gives way to a long key a byte
  /// later.
  Match find_in_tables(std::uint32_t at, const Probe& probed) {
    constexpr unsigned kKey = Tables::kKey;
    if (is_at<kKey>(probed.place, at, probed.word)) return extend(at, probed.place, kKey);
    if constexpr (Tables::kHasShort) {
      constexpr unsigned kShortKey = Tables::kShortKey;
      if (!is_at<kShortKey>(probed.short_place, at, probed.word)) return {};
      const auto next_word = load<std::uint64_t>(base_ + at + 1);
      const std::uint32_t later = tables_.exchange_long(next_word, at + 1);
      if (is_at<kKey>(later, at + 1, next_word)) return extend(at + 1, later, kKey);
      return extend(at, probed.short_place, kShortKey);
    }
    return {};
  }

  /// The best of four places, or of the four a byte later if that gains more.
  Match find_in_rows(std::uint32_t at, const Probe& probed) {
    const Match match = find_best(at, probed);
    if (match.length == 0 || match.length >= parameters_.nice_length) return match;
    const Match later = find_best(at + 1, tables_.exchange(base_, at + 1));
    return gain_of(later) > gain_of(match) + kBetterAfterOne ? later : match;
  }

  /// The best of up to four candidates.
  Match find_best(std::uint32_t at, const Probe& probed) const {
    constexpr unsigned kKey = Tables::kKey;
    Match best;
    std::uint32_t last = at + kKey - kCompared;  ///< bytes of it that a longer match has, too
    for (unsigned rest = probed.candidates; rest != 0 && last + kCompared <= end_;
         rest &= rest - 1) {
      const std::uint32_t place = probed.place_of(rest);
      const std::uint32_t distance = at - place;
      if (!is_at<kKey>(place, at, probed.word) || !are_equal(last, last - distance)) continue;
      const Match match{at, legal(at, distance, common(at, place, kKey)), distance};
      if (gain_of(match) <= gain_of(best)) continue;
      best = match;
      last = at + match.length + 1 - kCompared;
    }
    return best.length > 0 ? extend_back(best) : best;
  }

  /// A match's gain in quarters of a byte: about four bits of distance are worth a byte of
  /// length.
  static std::int32_t gain_of(const Match& match) {
    return static_cast<std::int32_t>(4 * match.length) - std::bit_width(match.distance);
  }

  /// Whether `place` holds the key that `word`, at `at`, begins with, and a match may read it.
  template <unsigned kKey>
  bool is_at(std::uint32_t place, std::uint32_t at, std::uint64_t word) const {
    return begin_equally<kKey>(load<std::uint64_t>(base_ + place), word) && place < at &&
           at - place <= parameters_.window && legal(at, at - place, kKey) == kKey;
  }

  /// The length that the rule allows; everything in the dictionary is allowed.
  std::uint32_t legal(std::uint32_t at, std::uint32_t distance, std::uint32_t length) const {
    const std::uint32_t to = at - begin_;
    return distance > to ? length : tracker_.legal_length(to, distance, length);
  }

  /// The number of equal bytes at `at` and `from`, of which `known` are known. A match does not
  /// go on from the dictionary into the block.
  std::uint32_t common(std::uint32_t at, std::uint32_t from, std::uint32_t known) const {
    std::uint32_t limit = std::min(end_ - at, parameters_.lookahead);
    if (from < begin_) limit = std::min(limit, begin_ - from);
    if (limit <= known) return limit;
    return known + common_length(base_ + at + known, base_ + from + known, limit - known);
  }

  /// Whether kCompared bytes are equal at both places.
  bool are_equal(std::uint32_t a, std::uint32_t b) const {
    return load<std::uint32_t>(base_ + a) == load<std::uint32_t>(base_ + b);
  }

  /// A match at this distance that begins at `at`.
  Match find_repeated(std::uint32_t at, std::uint32_t distance) const {
    if (distance > at - begin_ || !are_equal(at, at - distance)) return {};
    const std::uint32_t length = legal(at, distance, common(at, at - distance, kCompared));
    return length < parameters_.min_match ? Match{} : Match{at, length, distance};
  }

  /// Extends the match back into the literals, unless the rule forbids it.
  Match extend_back(const Match& match) const {
    const std::uint32_t back = std::min(count_back(match.begin, match.begin - match.distance),
                                        parameters_.lookahead - match.length);
    const std::uint32_t begin = match.begin - back;
    const std::uint32_t length = match.length + back;
    if (legal(begin, match.distance, length) != length) return match;
    return {begin, length, match.distance};
  }

  /// Extends forward, then back into the literals, then cuts to what the rule allows; length 0
  /// if too little is left.
  Match extend(std::uint32_t at, std::uint32_t from, std::uint32_t known) const {
    const std::uint32_t back = std::min(count_back(at, from), parameters_.lookahead - known);
    const std::uint32_t length =
        back + std::min(common(at, from, known), parameters_.lookahead - back);
    const std::uint32_t begin = at - back;
    const std::uint32_t allowed = legal(begin, at - from, length);
    if (allowed < length && (allowed < parameters_.min_match || allowed <= back)) return {};
    return {begin, allowed, at - from};
  }

  /// The number of equal literals before `at`.
  std::uint32_t count_back(std::uint32_t at, std::uint32_t from) const {
    const std::uint32_t first = from < begin_ ? 0 : begin_;
    return common_length_back(base_ + at, base_ + from,
                              std::min(at - literals_begin_, from - first), from - first);
  }

  /// Emits the match and any matches that follow it at the distance used before the last one;
  /// returns where the last of them ends.
  std::uint32_t emit_match(const Match& match, const Probe& probed, bool at_probe) {
    close_run(match.begin);
    const bool forbidden = emit({match.begin - literals_begin_, match.length, match.distance});
    if constexpr (!kFour) {
      if (forbidden && at_probe) probed.undo();
    }
    take_distance(match.distance, last_);
    while (literals_begin_ < search_end_) {
      const Match again = find_repeated(literals_begin_, last_[1]);
      if (again.length == 0) break;
      tables_.insert(base_, again.begin);
      emit({0, again.length, again.distance});
      take_distance(again.distance, last_);
    }
    return literals_begin_;
  }

  /// Enters some of the positions between `from` and `to`, which the match has covered.
  void insert_inside(std::uint32_t from, std::uint32_t to) const {
    if constexpr (!kFour) {
      for (const std::uint32_t at : {from + 1, from + 2, (from + to) / 2, to - 2, to - 1}) {
        tables_.insert(base_, at);
      }
      return;
    }
    const bool is_short = to - from <= kShortMatch;
    const std::uint32_t middle = is_short ? to : from + 1 + kAtEitherEnd;
    for (std::uint32_t at = from + 1; at < middle; ++at) tables_.insert(base_, at);
    for (std::uint32_t at = is_short ? to : to - kAtEitherEnd; at < to; ++at) {
      tables_.insert(base_, at);
    }
  }

  /// Under the strict rule a group has to end before any match is legal.
  void close_run_if_strict(std::uint32_t at) {
    if (parameters_.rule == DependencyRule::kStrict) close_run(at);
  }

  void close_run(std::uint32_t at) {
    while (at - literals_begin_ > run_limit_) emit({run_limit_, 0, 0});
  }

  bool emit(const Sequence& sequence) {
    *out_++ = sequence;
    const bool forbidden = tracker_.add(sequence, literals_begin_ - begin_);
    literals_begin_ += sequence.literals + sequence.match;
    return forbidden;
  }

  const Byte* const base_;
  const std::uint32_t begin_;  ///< of the block
  const std::uint32_t end_;
  const std::uint32_t search_end_;
  const ParserParameters parameters_;
  const std::uint32_t run_limit_;
  const Tables tables_;
  Tracker tracker_;  ///< a reference, or a NoTracker
  Sequence* out_;
  std::uint32_t literals_begin_;
  LastDistances last_ = std::to_array(bit::kFirstDistances);
};

/// Calls use<Tables>() with the table type of the parser's kind.
template <class Use>
void with_tables(ParserKind kind, Use&& use) {
  if (kind == ParserKind::kOneTable) return use.template operator()<SinglePlaces<false>>();
  if (kind == ParserKind::kTwoTables) return use.template operator()<SinglePlaces<true>>();
  use.template operator()<FourPlaces>();
}

/// The parser of one thread; the memory of its tables is kept from block to block.
class TableParser final : public Parser {
 public:
  explicit TableParser(const ParserParameters& parameters)
      : parameters_(parameters), scratch_(parameters) {}

  void parse(Bytes plain, const DictionaryIndex* dictionary, Sequences& sequences) override {
    sequences.clear();
    if (plain.size() <= kTailBytes) return;
    with_tables(parameters_.kind,
                [&]<class Tables>() { parse_with<Tables>(plain, dictionary, sequences); });
  }

 private:
  template <class Tables>
  void parse_with(Bytes plain, const DictionaryIndex* dictionary, Sequences& sequences) {
    const Byte* const base = window_.place(plain, dictionary);
    const auto before =
        static_cast<std::uint32_t>(dictionary != nullptr ? dictionary->content.size() : 0);
    if (dictionary != nullptr) {
      places_ = dictionary->head;
    } else {
      Tables::make(places_, plain.size());
    }
    scratch_.collect(plain.size(), sequences, [&]<class Tracker>(Tracker&& tracker, Sequence* out) {
      return TableParse<Tables, Tracker>(base, before, plain.size(), parameters_, Tables(places_),
                                         tracker, out)
          .run();
    });
  }

  const ParserParameters parameters_;
  BlockScratch scratch_;
  std::vector<std::uint32_t> places_;
  BlockWindow window_;
};

}  // namespace

/// Enters every position of the content.
void index_tables(const ParserParameters& parameters, DictionaryIndex& index) {
  with_tables(parameters.kind, [&]<class Tables>() {
    const Tables tables = Tables::make(index.head, index.content.size() + parameters.block_bytes);
    for (std::size_t at = 0; at + sizeof(std::uint64_t) <= index.content.size(); ++at) {
      tables.insert(index.content.data(), static_cast<std::uint32_t>(at));
    }
  });
}

std::unique_ptr<Parser> make_table_parser(const ParserParameters& parameters) {
  return std::make_unique<TableParser>(parameters);
}

}  // namespace presso
