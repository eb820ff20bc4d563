// SPDX-License-Identifier: MIT
// The table parser: at every position one place that shares seven bytes, from one hash table, or
// two places that share eight and six, from two; the longer string is believed first. One table is
// the fastest parser of the Bit coding, two fill the gap between it and the row parser's many
// places. The idea of a table of long and one of short strings: Collet, zstd's strategy "dfast",
// 2016.
//
// Greedy: a match is taken at once, except that a short one gives way to a long one that begins one
// byte later, and any to one at the last distance that does.
//
// A place that the dependency rule forbids is told by a look at its first bytes, before the match
// is measured: else a long forbidden match would be measured again at every position of it. Where
// a match is of the second wave, its start keeps the older entries of the tables: others may not
// read what it wrote, but they may read its source (fast_parser.cpp has the same).
//
// The dictionary lies before the block in memory (window.h), and its tables are made once and
// copied for each block, so that a probe finds the nearest place of both.
#include <algorithm>
#include <utility>

#include "compress/parse/block_scratch.h"
#include "compress/parse/dependency.h"
#include "compress/parse/last_distances.h"
#include "compress/parse/match.h"
#include "compress/parse/parser.h"
#include "compress/parse/window.h"

namespace presso {
namespace {

constexpr std::uint32_t kTailBytes = 16;  ///< no search this close to the end: 8-byte loads
constexpr unsigned kOnlyKey = 7;          ///< bytes of the strings in one table,
constexpr unsigned kLongKey = 8;          ///< and in two
constexpr unsigned kShortKey = 6;
constexpr std::uint32_t kRepeatKey = 4;

struct Match {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;  ///< 0: none
  std::uint32_t distance = 0;
};

/// The last positions of long and of short strings, or of one sort of strings, by their hashes; 0
/// also stands for none.
template <bool kTwo>
struct Tables {
  static constexpr unsigned kFirstKey = kTwo ? kLongKey : kOnlyKey;

  std::uint32_t* longs;
  std::uint32_t* shorts;  ///< of two tables
  unsigned bits;          ///< of a hash into either

  std::uint32_t& long_of(std::uint64_t word) const {
    return longs[hash_bytes<kFirstKey>(word, bits)];
  }
  std::uint32_t& short_of(std::uint64_t word) const {
    return shorts[hash_bytes<kShortKey>(word, bits)];
  }
  void insert(const Byte* base, std::uint32_t at) const {
    const auto word = load<std::uint64_t>(base + at);
    long_of(word) = at;
    if constexpr (kTwo) short_of(word) = at;
  }
};

/// Whether the first kBytes of two words are equal.
template <unsigned kBytes>
bool begin_equally(std::uint64_t a, std::uint64_t b) {
  return (a ^ b) << (64 - 8 * kBytes) == 0;
}

/// One block's parse. Positions count from the dictionary's first byte.
template <bool kTwo, class Tracker>
class TableParse {
  static constexpr unsigned kFirstKey = Tables<kTwo>::kFirstKey;

 public:
  TableParse(const Byte* base, std::uint32_t dictionary_bytes, std::size_t plain_bytes,
             const ParserParameters& parameters, const Tables<kTwo>& tables, Tracker tracker,
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
      const Probe probed = probe(at);
      Match match = find_repeated(at + 1, last_[0]);
      if (match.length == 0) match = find_in_tables(at, probed);
      if (match.length == 0) {
        close_run_if_strict(at);
        at += 1 + ((at - literals_begin_) >> parameters_.acceleration);
        continue;
      }
      const std::uint32_t from = at;
      at = emit_match(match, probed, match.begin <= from);
      if (at < search_end_) {
        tables_.insert(base_, from + 2);
        tables_.insert(base_, at - 2);
      }
    }
    close_run(end_);
    return out_;
  }

 private:
  /// What a position finds in the tables, which hold the position afterwards.
  struct Probe {
    std::uint64_t word;
    std::uint32_t* long_entry;
    std::uint32_t* short_entry;
    std::uint32_t long_place;
    std::uint32_t short_place;
  };

  Probe probe(std::uint32_t at) const {
    const auto word = load<std::uint64_t>(base_ + at);
    std::uint32_t* const long_entry = &tables_.long_of(word);
    Probe found{word, long_entry, nullptr, std::exchange(*long_entry, at), 0};
    if constexpr (kTwo) {
      found.short_entry = &tables_.short_of(word);
      found.short_place = std::exchange(*found.short_entry, at);
    }
    return found;
  }

  Match find_in_tables(std::uint32_t at, const Probe& probed) {
    if (is_at<kFirstKey>(probed.long_place, at, probed.word)) {
      return extend(at, probed.long_place, kFirstKey);
    }
    if (!kTwo || !is_at<kShortKey>(probed.short_place, at, probed.word)) return {};
    const auto next_word = load<std::uint64_t>(base_ + at + 1);
    const std::uint32_t later = std::exchange(tables_.long_of(next_word), at + 1);
    if (is_at<kLongKey>(later, at + 1, next_word)) return extend(at + 1, later, kLongKey);
    return extend(at, probed.short_place, kShortKey);
  }

  /// Whether `place` holds what begins at `at` with `word`, and a match may read it.
  template <unsigned kKey>
  bool is_at(std::uint32_t place, std::uint32_t at, std::uint64_t word) const {
    return begin_equally<kKey>(load<std::uint64_t>(base_ + place), word) && place < at &&
           at - place <= parameters_.window && legal(at, at - place, kKey) == kKey;
  }

  /// What the rule allows; everything in the dictionary is allowed.
  std::uint32_t legal(std::uint32_t at, std::uint32_t distance, std::uint32_t length) const {
    const std::uint32_t to = at - begin_;
    return distance > to ? length : tracker_.legal_length(to, distance, length);
  }

  /// How many bytes are equal at `at` and `from`, of which `known` are. A match does not go on from
  /// the dictionary into the block.
  std::uint32_t common(std::uint32_t at, std::uint32_t from, std::uint32_t known) const {
    std::uint32_t limit = std::min(end_ - at, parameters_.lookahead);
    if (from < begin_) limit = std::min(limit, begin_ - from);
    if (limit <= known) return limit;
    return known + common_length(base_ + at + known, base_ + from + known, limit - known);
  }

  /// A match at this distance, from `at` on.
  Match find_repeated(std::uint32_t at, std::uint32_t distance) const {
    if (distance > at - begin_ ||
        load<std::uint32_t>(base_ + at) != load<std::uint32_t>(base_ + at - distance)) {
      return {};
    }
    const std::uint32_t length = legal(at, distance, common(at, at - distance, kRepeatKey));
    return length < parameters_.min_match ? Match{} : Match{at, length, distance};
  }

  /// Forward, then back into the literals, then cut to what the rule allows; length 0: too little
  /// is left.
  Match extend(std::uint32_t at, std::uint32_t from, std::uint32_t known) const {
    const std::uint32_t back = std::min(count_back(at, from), parameters_.lookahead - known);
    const std::uint32_t length =
        back + std::min(common(at, from, known), parameters_.lookahead - back);
    const std::uint32_t begin = at - back;
    const std::uint32_t allowed = legal(begin, at - from, length);
    if (allowed < length && (allowed < parameters_.min_match || allowed <= back)) return {};
    return {begin, allowed, at - from};
  }

  /// How many literals before `at` are equal, too.
  std::uint32_t count_back(std::uint32_t at, std::uint32_t from) const {
    const std::uint32_t first = from < begin_ ? 0 : begin_;
    return common_length_back(base_ + at, base_ + from,
                              std::min(at - literals_begin_, from - first), from - first);
  }

  /// Returns where the match ends, or one of the last distance but one that follows it.
  std::uint32_t emit_match(const Match& match, const Probe& probed, bool at_probe) {
    close_run(match.begin);
    const bool forbidden = emit({match.begin - literals_begin_, match.length, match.distance});
    if (forbidden && at_probe) {
      *probed.long_entry = probed.long_place;
      if constexpr (kTwo) *probed.short_entry = probed.short_place;
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

  /// Under the strict rule a group has to end before anything is legal.
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
  const Tables<kTwo> tables_;
  Tracker tracker_;  ///< a reference to one, or one
  Sequence* out_;
  std::uint32_t literals_begin_;
  LastDistances last_ = std::to_array(bit::kFirstDistances);
};

/// One table is small, to stay in a near cache.
unsigned hash_bits_for(ParserKind kind, std::size_t text_bytes) {
  constexpr unsigned kLeastBits = 12;
  const unsigned most = kind == ParserKind::kTwoTables ? 17 : 15;
  return std::clamp(static_cast<unsigned>(std::bit_width(text_bytes)) - 3, kLeastBits, most);
}

class TableParser final : public Parser {
 public:
  explicit TableParser(const ParserParameters& parameters)
      : parameters_(parameters), scratch_(parameters) {}

  void parse(Bytes plain, const DictionaryIndex* dictionary, Sequences& sequences) override {
    sequences.clear();
    if (plain.size() <= kTailBytes) return;
    parameters_.kind == ParserKind::kTwoTables ? parse_with<true>(plain, dictionary, sequences)
                                               : parse_with<false>(plain, dictionary, sequences);
  }

 private:
  template <bool kTwo>
  void parse_with(Bytes plain, const DictionaryIndex* dictionary, Sequences& sequences) {
    const Byte* const base = window_.place(plain, dictionary);
    const auto before =
        static_cast<std::uint32_t>(dictionary != nullptr ? dictionary->content.size() : 0);
    const Tables<kTwo> tables = tables_for<kTwo>(plain.size(), dictionary);
    scratch_.collect(plain.size(), sequences, [&]<class Tracker>(Tracker&& tracker, Sequence* out) {
      return TableParse<kTwo, Tracker>(base, before, plain.size(), parameters_, tables, tracker,
                                       out)
          .run();
    });
  }

  /// Empty, or the dictionary's.
  template <bool kTwo>
  Tables<kTwo> tables_for(std::size_t plain_bytes, const DictionaryIndex* dictionary) {
    if (dictionary != nullptr) {
      longs_ = dictionary->head;
      shorts_ = dictionary->shorts;
      return {longs_.data(), shorts_.data(), dictionary->hash_bits};
    }
    const unsigned bits = hash_bits_for(parameters_.kind, plain_bytes);
    longs_.assign(std::size_t{1} << bits, 0);
    if (kTwo) shorts_.assign(std::size_t{1} << bits, 0);
    return {longs_.data(), shorts_.data(), bits};
  }

  const ParserParameters parameters_;
  BlockScratch scratch_;
  std::vector<std::uint32_t> longs_;
  std::vector<std::uint32_t> shorts_;
  Window window_;
};

template <bool kTwo>
void index_content(DictionaryIndex& index) {
  index.head.assign(std::size_t{1} << index.hash_bits, 0);
  if (kTwo) index.shorts.assign(std::size_t{1} << index.hash_bits, 0);
  const Tables<kTwo> tables{index.head.data(), index.shorts.data(), index.hash_bits};
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= index.content.size(); ++at) {
    tables.insert(index.content.data(), static_cast<std::uint32_t>(at));
  }
}

}  // namespace

void index_tables(const ParserParameters& parameters, DictionaryIndex& index) {
  index.hash_bits = hash_bits_for(parameters.kind, index.content.size() + parameters.block_bytes);
  parameters.kind == ParserKind::kTwoTables ? index_content<true>(index)
                                            : index_content<false>(index);
}

std::unique_ptr<Parser> make_table_parser(const ParserParameters& parameters) {
  return std::make_unique<TableParser>(parameters);
}

}  // namespace presso
