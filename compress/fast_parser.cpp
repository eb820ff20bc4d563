// SPDX-License-Identifier: MIT
// The fast parser: one probe of a single-entry hash table of 6-byte keys at a position, greedy; the
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

constexpr std::uint32_t kKeyBytes = 6;

struct Match {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;
  std::uint32_t distance = 0;
};

/// One block's parse. Everything the loop reads is const and local to this object, so that stores
/// to the table do not force it to be read again.
class FastParse {
 public:
  FastParse(Bytes plain, const ParserParameters& parameters, const DictionaryIndex* dictionary,
            std::uint32_t* table, DependencyTracker& tracker, Sequences& sequences)
      : plain_(plain.data()),
        size_(static_cast<std::uint32_t>(plain.size())),
        parameters_(parameters),
        dictionary_(dictionary),
        table_(table),
        tracker_(tracker),
        sequences_(sequences) {}

  // Long: the loop over positions with its step, back-extension and emission is one state machine.
  template <bool kDictionary>
  void run() {
    const Byte* const plain = plain_;
    std::uint32_t* const table = table_;
    const unsigned acceleration = parameters_.acceleration;
    const std::uint32_t staleness = parameters_.staleness;
    const std::uint32_t run_limit = literal_run_limit(parameters_.rule);
    const std::uint32_t last = size_ - kTailBytes;
    std::uint32_t literals_begin = 0;
    std::uint32_t at = 1;  // an empty entry is position 0, which is compared like any other
    std::uint32_t misses = 1u << acceleration;
    std::uint32_t hash = hash6(plain + at, kFastHashBits);
    for (;;) {
      const std::uint32_t entry = table[hash];
      const std::uint32_t here_hash = hash;
      const std::uint32_t next = at + (misses++ >> acceleration);
      hash =
          hash6(plain + std::min(next, last), kFastHashBits);  // early: the load of the next entry
      if (entry + staleness <= at) table[here_hash] = at;
      Match match;
      if (shares_key(plain + at, plain + entry)) match = extend(at, at - entry, literals_begin);
      if (kDictionary && match.length == 0) match = find_in_dictionary(at, here_hash);
      if (match.length == 0) {
        at = next;
        if (at >= last) break;
        if (at - literals_begin > run_limit) [[unlikely]] {
          close_long_run(at, run_limit, literals_begin, tracker_, sequences_);
        }
        continue;
      }
      misses = 1u << acceleration;
      append(sequences_, tracker_, {match.begin - literals_begin, match.length, match.distance},
             literals_begin);
      at = match.begin + match.length;
      literals_begin = at;
      if (at >= last) break;
      std::uint32_t& inside = table[hash6(plain + at - 2, kFastHashBits)];
      if (inside + staleness <= at - 2) inside = at - 2;
      hash = hash6(plain + at, kFastHashBits);
    }
    close_long_run(size_, run_limit, literals_begin, tracker_, sequences_);
  }

 private:
  static bool shares_key(const Byte* a, const Byte* b) {
    return (load<std::uint64_t>(a) ^ load<std::uint64_t>(b)) << (64 - 8 * kKeyBytes) == 0;
  }

  /// The match around `at`, whose key is known to be equal: forward, then back into the literals,
  /// then cut to what the dependency rule allows.
  Match extend(std::uint32_t at, std::uint32_t distance, std::uint32_t literals_begin) const {
    if (distance > parameters_.window) return {};
    const Byte* here = plain_ + at;
    const std::uint32_t limit = std::min(size_ - at, parameters_.lookahead);
    const std::uint32_t forward =
        kKeyBytes + common_length(here + kKeyBytes, here + kKeyBytes - distance, limit - kKeyBytes);
    const std::uint32_t from = at - distance;
    const std::uint32_t room =
        std::min({at - literals_begin, from, parameters_.lookahead - forward});
    const std::uint32_t back = common_length_back(here, plain_ + from, room, from);
    std::uint32_t begin = at - back;
    std::uint32_t length = tracker_.legal_length(begin, distance, forward + back);
    if (length <= back) [[unlikely]] {  // nothing of it is left behind `at`
      begin = at;
      length = tracker_.legal_length(at, distance, forward);
    }
    return length >= parameters_.min_match ? Match{begin, length, distance} : Match{};
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
    return length >= parameters_.min_match ? Match{at, length, distance} : Match{};
  }

  const Byte* const plain_;
  const std::uint32_t size_;
  const ParserParameters parameters_;
  const DictionaryIndex* const dictionary_;
  std::uint32_t* const table_;  ///< last position of a hash
  DependencyTracker& tracker_;
  Sequences& sequences_;
};

class FastParser final : public Parser {
 public:
  explicit FastParser(const ParserParameters& parameters)
      : parameters_(parameters),
        tracker_(parameters.rule, parameters.group),
        table_(std::size_t{1} << kFastHashBits) {}

  void parse(Bytes plain, const DictionaryIndex* dictionary, Sequences& sequences) override {
    sequences.clear();
    if (plain.size() <= kTailBytes) return;
    std::fill(table_.begin(), table_.end(), 0);
    tracker_.begin_block(plain.size());
    FastParse parse(plain, parameters_, dictionary, table_.data(), tracker_, sequences);
    dictionary != nullptr ? parse.run<true>() : parse.run<false>();
  }

 private:
  ParserParameters parameters_;
  DependencyTracker tracker_;
  std::vector<std::uint32_t> table_;
};

}  // namespace

std::unique_ptr<Parser> make_fast_parser(const ParserParameters& parameters) {
  return std::make_unique<FastParser>(parameters);
}

}  // namespace presso
