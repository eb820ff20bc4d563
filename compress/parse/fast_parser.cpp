// SPDX-License-Identifier: MIT
// The fast parser of the Byte coding: at each position one probe of a hash table of 6-byte keys
// with single entries, greedy; the step grows the longer nothing is found (as in LZ4). Sources:
// S7.13 (dependency elimination on a matcher with one candidate).
//
// Most of the time goes into mispredicted branches and into loads from the end of one match to
// the end of the next. So whatever can be is computed without branches and off that path, and
// the table fits the first-level cache: 16-bit positions for blocks of at most 64 KiB.
//
// Under a dependency rule (dependency.h), where a match of the second wave begins, the older entry
// of the table stays: other matches of the group may not read what it wrote, but they may read its
// source, which holds the same bytes. With a staleness, entries are replaced only when they are
// that old, so that more of them lie before the group.
//
// The dictionary has a table of its own, built once and shared, which is probed where the block's
// table has no match. It has no chains and no lazy matching, so it misses many matches that the
// other parsers find. Figures in NOTES.md.
#include <algorithm>
#include <type_traits>

#include "compress/parse/block_scratch.h"
#include "compress/parse/dependency.h"
#include "compress/parse/match.h"
#include "compress/parse/parser.h"

namespace presso {
namespace {

constexpr std::uint32_t kTailBytes = 12;  ///< no search this close to the end: 8-byte loads
constexpr std::uint32_t kKeyBytes = 6;
constexpr std::uint32_t kWord = sizeof(std::uint64_t);

/// The difference of two words without the bytes that are not part of the key.
std::uint64_t key_of(std::uint64_t difference) {
  return difference << (64 - 8 * kKeyBytes);
}

struct Match {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;  ///< 0: there is no match
  std::uint32_t distance = 0;
};

/// One block's parse. Everything the loop reads is const and local, so that stores to the table
/// do not force the compiler to read it again. `kLimits`: there may be a dictionary, a
/// staleness, or a window smaller than the block.
template <class Entry, class Tracker, bool kLimits>
class FastParse {
 public:
  FastParse(Bytes plain, const ParserParameters& parameters, const DictionaryIndex* dictionary,
            Entry* table, Tracker tracker, Sequence* out)
      : plain_(plain.data()),
        size_(static_cast<std::uint32_t>(plain.size())),
        parameters_(parameters),
        run_limit_(literal_run_limit(parameters.rule)),
        dictionary_(dictionary),
        table_(table),
        tracker_(tracker),
        out_(out) {}

  /// Returns the end of the sequences. The function is long because the loop over positions,
  /// with its step, back-extension and emission, is one state machine.
  template <unsigned kHashBits>
  Sequence* run() {
    const Byte* const plain = plain_;
    Entry* const table = table_;
    const std::uint32_t last = size_ - kTailBytes;
    const unsigned acceleration = parameters_.acceleration;
    const std::uint32_t window = parameters_.window;
    const std::uint32_t staleness = parameters_.staleness;
    const bool dense = parameters_.dense && staleness == 0;
    std::uint32_t at = 1;  // an empty entry is position 0, which is compared like any other
    std::uint32_t misses = 1u << acceleration;
    std::uint32_t hash = hash6(plain + at, kHashBits);
    for (;;) {
      const std::uint32_t next = at + (misses++ >> acceleration);
      if (next >= last) break;
      Entry& entry = table[hash];
      const std::uint32_t from = entry;
      hash = hash6(plain + next, kHashBits);  // early: the load of the next entry
      entry = static_cast<Entry>(kLimits && from + staleness > at ? from : at);
      const auto difference = load<std::uint64_t>(plain + at) ^ load<std::uint64_t>(plain + from);
      const bool equal = key_of(difference) == 0 && (!kLimits || at - from <= window);
      Match match;
      if (equal) match = extend(at, at - from, difference);
      if (kLimits && match.end == 0 && dictionary_ != nullptr) match = find_in_dictionary(at);
      if (match.end == 0) {
        at = next;
        continue;
      }
      misses = 1u << acceleration;
      hash = hash6(plain + std::min(match.end, last), kHashBits);
      const bool forbidden =
          emit({match.begin - literals_begin_, match.end - match.begin, match.distance});
      const bool keep = forbidden || (kLimits && from + staleness > at);
      entry = static_cast<Entry>(keep ? from : at);
      if (dense && !forbidden) {
        const std::uint32_t second = match.begin + 2;
        table[hash6(plain + second, kHashBits)] = static_cast<Entry>(second);
      }
      at = match.end;
      if (at >= last) break;
      Entry& inside = table[hash6(plain + at - 2, kHashBits)];
      inside = static_cast<Entry>(kLimits && inside + staleness > at - 2 ? inside : at - 2);
    }
    close_run(size_);
    return out_;
  }

 private:
  /// The match around `at`, whose key is equal: extended forward, then back into the literals,
  /// then cut to what the dependency rule allows. Its end is 0 if nothing of it is left.
  Match extend(std::uint32_t at, std::uint32_t distance, std::uint64_t difference) {
    std::uint32_t end = at + static_cast<std::uint32_t>(std::countr_zero(difference)) / 8;
    if (difference == 0) end = at + kWord + common_behind_word(at, distance);
    std::uint32_t begin = at - count_back(at, at - distance);
    if (end - begin > parameters_.lookahead) begin = end - parameters_.lookahead;
    if (kLongRuns && begin - literals_begin_ > run_limit_) close_run(begin);
    const std::uint32_t legal = tracker_.legal_length(begin, distance, end - begin);
    if (legal < end - begin) [[unlikely]] {
      end = begin + legal;
      if (legal < parameters_.min_match || end <= at) return {};
    }
    return {begin, end, distance};
  }

  /// The number of equal bytes after the word at `at`, which is equal. Where the rule cuts the
  /// match, it may be the number that the rule leaves.
  std::uint32_t common_behind_word(std::uint32_t at, std::uint32_t distance) {
    const Byte* const here = plain_ + at + kWord;
    const std::uint32_t limit = std::min(size_ - at, parameters_.lookahead) - kWord;
    if constexpr (kNoRule) return common_length(here, here - distance, limit);
    const std::uint32_t begin = at - count_back(at, at - distance);
    close_run(begin);
    const std::uint32_t before = at + kWord - begin;
    return allowed_length(here, here - distance, limit, [&](std::uint32_t length) {
      return std::max(tracker_.legal_length(begin, distance, before + length), before) - before;
    });
  }

  /// Equal bytes before both places, within the literals that are not emitted yet.
  std::uint32_t count_back(std::uint32_t at, std::uint32_t from) const {
    if (from < kWord) [[unlikely]]
      return 0;
    const std::uint32_t room = at - literals_begin_;
    const std::uint64_t difference =
        load<std::uint64_t>(plain_ + at - kWord) ^ load<std::uint64_t>(plain_ + from - kWord);
    std::uint32_t back = static_cast<std::uint32_t>(std::countl_zero(difference)) / 8;
    if (back == kWord && room > kWord) [[unlikely]] {
      back += common_length_back(plain_ + at - kWord, plain_ + from - kWord,
                                 std::min(room, from) - kWord, from - kWord);
    }
    return std::min(back, room);
  }

  /// The dictionary's single candidate; it is extended forward only.
  Match find_in_dictionary(std::uint32_t at) {
    const std::uint32_t entry = dictionary_->head[hash6(plain_ + at, dictionary_->hash_bits)];
    if (entry == 0) return {};
    const Bytes content = dictionary_->content;
    const std::uint32_t from = entry - 1;
    const auto distance = static_cast<std::uint32_t>(content.size()) - from + at;
    if (distance > parameters_.window) return {};
    const std::uint32_t limit = std::min(
        {size_ - at, parameters_.lookahead, static_cast<std::uint32_t>(content.size()) - from});
    const std::uint32_t length = common_length(plain_ + at, content.data() + from, limit);
    if (length < parameters_.min_match) return {};
    close_run(at);
    return {at, at + length, distance};
  }

  /// Emits sequences without a match while the literal run before `at` is too long for one
  /// sequence.
  void close_run(std::uint32_t at) {
    while (at - literals_begin_ > run_limit_) emit({run_limit_, 0, 0});
  }

  /// Writes the sequence; returns whether its match is forbidden to others.
  bool emit(const Sequence& sequence) {
    *out_++ = sequence;
    const bool forbidden = tracker_.add(sequence, literals_begin_);
    literals_begin_ += sequence.literals + sequence.match;
    return forbidden;
  }

  static constexpr bool kNoRule = std::is_same_v<Tracker, NoTracker>;
  /// Whether a literal run can be too long for one sequence.
  static constexpr bool kLongRuns = sizeof(Entry) > 2 || !kNoRule;

  const Byte* const plain_;
  const std::uint32_t size_;
  const ParserParameters parameters_;
  const std::uint32_t run_limit_;
  const DictionaryIndex* const dictionary_;
  Entry* const table_;  ///< last position of each hash
  Tracker tracker_;     ///< a reference, or a NoTracker
  Sequence* out_;
  std::uint32_t literals_begin_ = 0;
};

/// Chooses the table's width by the block's size, and the loop by what the block needs.
class FastParser final : public Parser {
 public:
  explicit FastParser(const ParserParameters& parameters)
      : parameters_(parameters), scratch_(parameters) {}

  void parse(Bytes plain, const DictionaryIndex* dictionary, Sequences& sequences) override {
    sequences.clear();
    if (plain.size() <= kTailBytes) return;
    scratch_.collect(plain.size(), sequences, [&]<class Tracker>(Tracker&& tracker, Sequence* out) {
      return plain.size() <= std::size_t{1} << 16
                 ? parse_into<Tracker>(small_table_, tracker, plain, dictionary, out)
                 : parse_into<Tracker>(table_, tracker, plain, dictionary, out);
    });
  }

 private:
  /// Dictionary, staleness and window cost tests in the loop, so there is a version without them.
  template <class Tracker, class Entry>
  Sequence* parse_into(std::vector<Entry>& table, Tracker tracker, Bytes plain,
                       const DictionaryIndex* dictionary, Sequence* out) {
    constexpr unsigned kBits = sizeof(Entry) == 2 ? kSmallHashBits : kHashBits;
    table.assign(std::size_t{1} << kBits, 0);
    const bool limits =
        dictionary != nullptr || parameters_.staleness > 0 || parameters_.window < plain.size();
    return limits ? run<true, kBits, Tracker>(table.data(), tracker, plain, dictionary, out)
                  : run<false, kBits, Tracker>(table.data(), tracker, plain, dictionary, out);
  }

  template <bool kLimits, unsigned kBits, class Tracker, class Entry>
  Sequence* run(Entry* table, Tracker tracker, Bytes plain, const DictionaryIndex* dictionary,
                Sequence* out) {
    FastParse<Entry, Tracker, kLimits> parse(plain, parameters_, dictionary, table, tracker, out);
    return parse.template run<kBits>();
  }

  static constexpr unsigned kSmallHashBits = 14;
  static constexpr unsigned kHashBits = 15;

  const ParserParameters parameters_;
  BlockScratch scratch_;
  std::vector<std::uint16_t> small_table_;
  std::vector<std::uint32_t> table_;
};

}  // namespace

std::unique_ptr<Parser> make_fast_parser(const ParserParameters& parameters) {
  return std::make_unique<FastParser>(parameters);
}

}  // namespace presso
