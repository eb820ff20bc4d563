// SPDX-License-Identifier: MIT
// The rounds of parsing and choosing that token_trainer.h describes. Everything is counted in
// integers, and ties are broken by the tokens' order, so the result does not depend on the machine.
#include "compress/columns/token_trainer.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "compress/columns/string_sample.h"
#include "compress/columns/token_matcher.h"

namespace presso {
namespace {

/// The sample is a quarter of the column within these limits. To train on all of a column of 2.5 MB
/// would take twice as long and save 1 %.
constexpr std::size_t kMostSampleBytes = 1u << 20;
constexpr std::size_t kLeastSampleBytes = 512u << 10;
constexpr std::size_t kEstimateBytes = 128u << 10;  ///< the sample for estimate_tokens()
/// For each round, which one in how many strings of the sample it parses. The last round adds no
/// tokens; it only drops those that are used too rarely. More rounds, or more of the sample in the
/// first ones, gain less than 1 %.
constexpr std::size_t kRounds[] = {8, 8, 8, 8, 8, 8, 2, 1};
/// The least part of the sample that a round looks at; less says too little.
constexpr std::size_t kRoundBytes = 128u << 10;
constexpr std::uint32_t kMinPairs = 3;  ///< how often a pair must occur to become a candidate

/// Counts how often each pair of codes stands side by side, in a hash table with open
/// addressing. Once it is three quarters full, new pairs are not counted: text with that
/// many different pairs has no tokens worth learning.
class PairCounts {
 public:
  struct Pair {
    std::uint32_t codes = kNone;
    std::uint32_t count = 0;
  };

  void add(std::uint32_t first, std::uint32_t second) {
    const std::uint32_t codes = first << kTokenBits | second;
    std::size_t at = codes * 0x9E3779B1u >> (32 - kSlotBits);
    while (pairs_[at].codes != codes) {
      if (pairs_[at].codes == kNone) {
        if (used_ == kSlots / 4 * 3) return;
        pairs_[at].codes = codes;
        ++used_;
        break;
      }
      at = (at + 1) % kSlots;
    }
    ++pairs_[at].count;
  }
  const std::vector<Pair>& pairs() const { return pairs_; }

 private:
  static constexpr std::uint32_t kNone = ~0u;  // codes have 24 bits
  static constexpr unsigned kSlotBits = 18;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

  std::vector<Pair> pairs_ = std::vector<Pair>(kSlots);
  std::size_t used_ = 0;
};

/// A possible token and how often it would be used.
struct Candidate {
  Token token;
  std::uint64_t count = 0;
};

/// Ties are broken by the token, so that results are the same everywhere.
bool is_better(const Candidate& a, const Candidate& b) {
  return a.count != b.count ? a.count > b.count : a.token < b.token;
}

/// Calls `use` with each code and the code before it in the same string (kMaxTokens: none), for
/// every `step`th string. Returns the bytes of those strings.
template <class Use>
std::size_t parse_sample(const StringSample& sample, std::size_t step, const TokenMatcher& matcher,
                         Use&& use) {
  std::size_t bytes = 0;
  for (std::size_t row = 0; row < sample.ends.size(); row += step) {
    std::size_t at = row == 0 ? 0 : sample.ends[row - 1];
    const std::size_t end = sample.ends[row];
    bytes += end - at;
    for (std::uint32_t before = kMaxTokens; at < end;) {
      const auto match = matcher.longest(load_token_key(sample.text.data() + at), end - at);
      use(before, match.code);
      before = match.code;
      at += match.length;
    }
  }
  return bytes;
}

/// The token of a code, as key and length.
Token token_of(const TokenDictionary& dictionary, std::uint32_t code) {
  return {load_token_key(dictionary.slot(code)), dictionary.length(code)};
}

/// Both tokens, one after the other; length 0 where that is too long for a token.
Token joined(const Token& a, const Token& b) {
  const std::uint32_t length = a.length + b.length;
  if (length > kMaxTokenBytes) return {};
  return {a.key | b.key >> (8 * a.length), length};
}

/// Keeps the best `limit` candidates, in no particular order.
void keep_best(std::vector<Candidate>& candidates, std::size_t limit) {
  if (candidates.size() <= limit) return;
  std::nth_element(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(limit),
                   candidates.end(), is_better);
  candidates.resize(limit);
}

/// Merges candidates of equal text: several pairs may give the same string, which may be a
/// token already.
void join_equal(std::vector<Candidate>& candidates) {
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.token < b.token; });
  std::size_t kept = 0;
  for (const Candidate& candidate : candidates) {
    if (kept > 0 && candidates[kept - 1].token == candidate.token) {
      candidates[kept - 1].count += candidate.count;
    } else {
      candidates[kept++] = candidate;
    }
  }
  candidates.resize(kept);
}

/// Candidates must be distinct and at most kMaxLongTokens.
TokenDictionary dictionary_of(const std::vector<Candidate>& candidates) {
  std::vector<Token> tokens;
  tokens.reserve(candidates.size());
  for (const Candidate& candidate : candidates) tokens.push_back(candidate.token);
  return TokenDictionary(std::move(tokens));
}

/// Long tokens that were used at least twice; single bytes are always kept.
std::vector<Candidate> used_tokens(const TokenDictionary& dictionary,
                                   const std::vector<std::uint32_t>& counts) {
  std::vector<Candidate> candidates;
  for (std::uint32_t code = 0; code < dictionary.size(); ++code) {
    if (dictionary.length(code) == 1 || counts[code] < 2) continue;
    candidates.push_back({token_of(dictionary, code), counts[code]});
  }
  return candidates;
}

/// The dictionary that one round makes of `dictionary`.
TokenDictionary improve(const TokenDictionary& dictionary, const StringSample& sample,
                        std::size_t step) {
  const TokenMatcher matcher(dictionary);
  std::vector<std::uint32_t> counts(kMaxTokens);
  PairCounts pairs;
  parse_sample(sample, step, matcher, [&](std::uint32_t before, std::uint32_t code) {
    ++counts[code];
    if (before != kMaxTokens) pairs.add(before, code);
  });
  std::vector<Candidate> candidates = used_tokens(dictionary, counts);
  for (const PairCounts::Pair& pair : pairs.pairs()) {
    if (pair.count < kMinPairs) continue;
    const Token token = joined(token_of(dictionary, pair.codes >> kTokenBits),
                               token_of(dictionary, pair.codes % kMaxTokens));
    if (token.length > 0) candidates.push_back({token, pair.count});
  }
  keep_best(candidates, 2 * kMaxLongTokens);
  join_equal(candidates);
  keep_best(candidates, kMaxLongTokens);
  return dictionary_of(candidates);
}

/// Drops tokens that the whole column, `total` bytes, uses too rarely. A use saves at least one
/// code, 12 bits; a token takes about two thirds of its bytes and one to describe it.
TokenDictionary prune(const TokenDictionary& dictionary, const StringSample& sample,
                      std::size_t step, std::uint64_t total) {
  const TokenMatcher matcher(dictionary);
  std::vector<std::uint32_t> counts(kMaxTokens);
  const std::uint64_t parsed = parse_sample(
      sample, step, matcher, [&](std::uint32_t, std::uint32_t code) { ++counts[code]; });
  std::vector<Candidate> candidates = used_tokens(dictionary, counts);
  std::erase_if(candidates, [&](const Candidate& candidate) {
    const std::uint64_t uses = candidate.count * total / parsed;
    return uses * kTokenBits < (candidate.token.length * 2 / 3 + 1) * 8;
  });
  return dictionary_of(candidates);
}

/// How many bytes the column has.
std::uint64_t bytes_of(const ColumnView& strings) {
  return strings.rows == 0 ? 0 : static_cast<std::uint64_t>(strings.offsets[strings.rows]);
}

}  // namespace

/// Seven rounds of growth and a last one that prunes.
TokenDictionary train_tokens(const ColumnView& strings) {
  const std::size_t share = bytes_of(strings) / 4;
  const StringSample sample =
      sample_strings(strings, std::clamp(share, kLeastSampleBytes, kMostSampleBytes));
  TokenDictionary dictionary;
  if (sample.bytes() == 0) return dictionary;
  const std::size_t largest_step = std::max<std::size_t>(1, sample.bytes() / kRoundBytes);
  const std::size_t last = std::size(kRounds) - 1;
  for (std::size_t round = 0; round < last; ++round) {
    dictionary = improve(dictionary, sample, std::min(kRounds[round], largest_step));
  }
  return prune(dictionary, sample, std::min(kRounds[last], largest_step), bytes_of(strings));
}

/// Scales the codes of a sample up to the column.
TokenEstimate estimate_tokens(const ColumnView& strings, const TokenDictionary& dictionary) {
  TokenEstimate estimate;
  std::vector<Byte> stored;
  dictionary.append_to(stored);
  estimate.dictionary_bytes = stored.size();
  const StringSample sample = sample_strings(strings, kEstimateBytes);
  if (sample.bytes() == 0) return estimate;

  std::uint64_t codes = 0;
  std::uint64_t in_row = 0;
  std::uint64_t longest_row = 0;
  parse_sample(sample, 1, TokenMatcher(dictionary), [&](std::uint32_t before, std::uint32_t) {
    in_row = before == kMaxTokens ? 1 : in_row + 1;
    longest_row = std::max(longest_row, in_row);
    ++codes;
  });
  // Doubles: bytes of a column times codes of a sample need more than 64 bits.
  const double scale = static_cast<double>(bytes_of(strings)) / static_cast<double>(sample.bytes());
  estimate.code_bytes =
      static_cast<std::uint64_t>(static_cast<double>(codes) * scale * kTokenBits / 8);
  // A directory entry of 16 bytes for 1,024 rows.
  const auto count_bits = static_cast<std::uint64_t>(std::bit_width(longest_row));
  estimate.count_bytes = strings.rows * count_bits / 8 + strings.rows / 64;
  return estimate;
}

}  // namespace presso
