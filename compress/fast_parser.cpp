// SPDX-License-Identifier: MIT
// The fast parser: one probe of a single-entry hash table of 5-byte keys at a position, greedy; the
// search steps further the longer nothing was found. Catalogue S7.13: dependency elimination on a
// matcher with one candidate. Staleness keeps table entries old enough to lie before the group.
//
// Cost: about 2 cycles a byte on text. The dictionary has a table of its own, built once and
// shared, that is probed where the block's table has no match.
#include <algorithm>

#include "compress/dependency.h"
#include "compress/match.h"
#include "compress/parser.h"

namespace presso {
namespace {

constexpr std::uint32_t kTailBytes = 12;  ///< no search this close to the end: 8-byte loads

class FastParser final : public Parser {
 public:
  explicit FastParser(const ParserParameters& parameters)
      : parameters_(parameters),
        run_limit_(literal_run_limit(parameters.rule)),
        table_(std::size_t{1} << parameters.hash_bits) {}

  void parse(Bytes plain, const DictionaryIndex* dictionary, Sequences& sequences) override {
    sequences.clear();
    if (plain.size() <= kTailBytes) return;
    std::fill(table_.begin(), table_.end(), 0);
    plain_ = plain.data();
    size_ = static_cast<std::uint32_t>(plain.size());
    dictionary_ = dictionary;
    DependencyTracker tracker(parameters_.rule, parameters_.group);
    run(tracker, sequences);
  }

 private:
  struct Match {
    std::uint32_t length = 0;
    std::uint32_t distance = 0;
  };

  // Long: the loop over positions with its step, back-extension and emission is one state machine.
  void run(DependencyTracker& tracker, Sequences& sequences) {
    const std::uint32_t last = size_ - kTailBytes;
    std::uint32_t literals_begin = 0;
    std::uint32_t at = 0;
    std::uint32_t misses = 0;
    while (at < last) {
      const std::uint32_t hash = hash5(plain_ + at, parameters_.hash_bits);
      const std::uint32_t entry = table_[hash];
      if (entry + parameters_.staleness <= at) table_[hash] = at + 1;
      Match match = entry != 0 ? extend(tracker, at, at + 1 - entry) : Match{};
      if (match.length == 0 && dictionary_ != nullptr) match = find_in_dictionary(at, hash);
      if (match.length == 0) {
        at += 1 + (misses++ >> parameters_.acceleration);
        close_long_run(at, run_limit_, literals_begin, tracker, sequences);
        continue;
      }
      misses = 0;
      at -= extend_back(tracker, at, literals_begin, match);
      append(sequences, tracker, {at - literals_begin, match.length, match.distance},
             literals_begin);
      at += match.length;
      literals_begin = at;
      if (at < last) insert(at - 2);
    }
  }

  void insert(std::uint32_t at) {
    std::uint32_t& entry = table_[hash5(plain_ + at, parameters_.hash_bits)];
    if (entry + parameters_.staleness <= at) entry = at + 1;
  }

  Match extend(const DependencyTracker& tracker, std::uint32_t at, std::uint32_t distance) const {
    const Byte* here = plain_ + at;
    if (load<std::uint32_t>(here) != load<std::uint32_t>(here - distance)) return {};
    if (distance > parameters_.window) return {};
    const std::uint32_t limit = std::min(size_ - at, parameters_.lookahead);
    std::uint32_t length = 4 + common_length(here + 4, here - distance + 4, limit - 4);
    length = tracker.legal_length(at, distance, length);
    return length >= parameters_.min_match ? Match{length, distance} : Match{};
  }

  Match find_in_dictionary(std::uint32_t at, std::uint32_t hash) const {
    const std::uint32_t entry = dictionary_->head[hash];
    if (entry == 0) return {};
    const Bytes content = dictionary_->content;
    const std::uint32_t from = entry - 1;
    const auto distance = static_cast<std::uint32_t>(content.size()) - from + at;
    if (distance > parameters_.window) return {};
    const std::uint32_t limit = std::min(
        {size_ - at, parameters_.lookahead, static_cast<std::uint32_t>(content.size()) - from});
    const std::uint32_t length = common_length(plain_ + at, content.data() + from, limit);
    const std::uint32_t needed = distance > 0xFFFF ? 6 : 5;
    return length >= needed ? Match{length, distance} : Match{};
  }

  /// Takes equal bytes before the match from the literals. Returns how many.
  std::uint32_t extend_back(const DependencyTracker& tracker, std::uint32_t at,
                            std::uint32_t literals_begin, Match& match) const {
    if (match.distance > at) return 0;
    const std::uint32_t from = at - match.distance;
    const std::uint32_t limit =
        std::min({at - literals_begin, from, parameters_.lookahead - match.length});
    std::uint32_t back = 0;
    while (back < limit && plain_[at - back - 1] == plain_[from - back - 1]) ++back;
    if (back > 0 && tracker.legal_length(at - back, match.distance, match.length + back) !=
                        match.length + back) {
      return 0;
    }
    match.length += back;
    return back;
  }

  ParserParameters parameters_;
  std::uint32_t run_limit_;
  std::vector<std::uint32_t> table_;  ///< position + 1; 0: none
  const Byte* plain_ = nullptr;
  std::uint32_t size_ = 0;
  const DictionaryIndex* dictionary_ = nullptr;
};

}  // namespace

std::unique_ptr<Parser> make_fast_parser(const ParserParameters& parameters) {
  return std::make_unique<FastParser>(parameters);
}

}  // namespace presso
