// SPDX-License-Identifier: MIT
// The row parser: rows of 16, 32 or 64 positions (by level) that share a hash, told apart by
// another byte of it, and lazy evaluation: a match is taken unless one of the next positions has
// one that gains more. Sources: S7.13.
//
// What a match gains is its length less the bits of its distance, in quarters of a byte, as about
// four bits of distance are worth a byte of length. The Bit coding writes one of the last three
// distances in few bits, so these are tried first at every position. A source within the group
// makes a match of the second wave, whose bytes others may not read: that costs something too.
// The dependency rule is asked for each candidate, which counts as far as it is legal.
//
// Cost: a row is one or two cache lines whatever it holds, so that its candidates are read beside
// each other, where a chain's are read one after another. Rows are fetched some positions before
// they are needed. Tested by
// tests/unit/compress/dependency_test.cpp; figures in NOTES.md.
#include <algorithm>
#include <type_traits>

#include "compress/parse/dependency.h"
#include "compress/parse/last_distances.h"
#include "compress/parse/match.h"
#include "compress/parse/parser.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace presso {
namespace {

constexpr std::uint32_t kTagsTogether = 16;
constexpr unsigned kTagBits = 8;
constexpr std::size_t kLeastEntries = 1u << 12;
constexpr std::size_t kMostEntries = 1u << 19;
constexpr std::uint32_t kTailBytes = 12;  ///< no search this close to the end: 8-byte loads
constexpr std::uint32_t kKeyBytes = 4;
constexpr std::uint32_t kGoodForDictionary = 20;  ///< after one this long it is not searched
/// Of a longer match only this number of positions at either end enters the rows; it grows with the
/// length that ends a search.
constexpr std::uint32_t kInsertedOfLong = 8;
constexpr std::uint32_t kUsualNice = 64;
constexpr std::uint32_t kFetchedAhead = 8;  ///< positions, of rows
constexpr std::size_t kCacheLine = 64;
constexpr std::uint32_t kMostInserted = 8;  ///< times kInsertedOfLong

/// Gains and costs in quarters of a byte.
constexpr std::int32_t kByteGain = 4;
constexpr std::int32_t kSecondWaveCost = 2;
constexpr std::int32_t kRepeatCost = 1;
constexpr std::int32_t kBetterAfterOne = 4;  ///< what a match one literal later must gain more,
constexpr std::int32_t kBetterAfterTwo = 7;  ///< and two literals later

struct Match {
  std::uint32_t length = 0;  ///< 0: none
  std::uint32_t distance = 0;
  std::int32_t gain = 0;
};

/// Which of kTagsTogether tags are equal to `tag`, as bits.
std::uint32_t equal_tags(const Byte* tags, Byte tag) {
#if defined(__SSE2__)
  const __m128i row = _mm_loadu_si128(reinterpret_cast<const __m128i*>(tags));
  return static_cast<std::uint32_t>(
      _mm_movemask_epi8(_mm_cmpeq_epi8(row, _mm_set1_epi8(static_cast<char>(tag)))));
#else
  std::uint32_t equal = 0;
  for (std::uint32_t i = 0; i < kTagsTogether; ++i) equal |= (tags[i] == tag ? 1u : 0u) << i;
  return equal;
#endif
}

/// The table of rows, a value that points to a parser's memory. A row is a ring, written downwards;
/// in place of its first tag stands where it was written last.
template <class Entry, std::uint32_t kRow>
class Rows {
 public:
  using Bits = std::conditional_t<kRow == 16, std::uint16_t,
                                  std::conditional_t<kRow == 32, std::uint32_t, std::uint64_t>>;
  /// `key_bytes`: how many bytes of the text a hash is of.
  Rows(Byte* tags, Entry* entries, unsigned rows_log2, unsigned key_bytes)
      : tags_(tags),
        entries_(entries),
        hash_bits_(rows_log2 + kTagBits),
        key_shift_(64 - 8 * key_bytes) {}

  std::uint32_t hash(const Byte* at) const {
    return hash_word(load<std::uint64_t>(at) << key_shift_, hash_bits_);
  }

  /// Begins to fetch the row of what stands at `at`.
  void prefetch(const Byte* at) const {
    const std::size_t row = row_of(hash(at));
    __builtin_prefetch(tags_ + row);
    for (std::size_t i = 0; i < kRow; i += kCacheLine / sizeof(Entry)) {
      __builtin_prefetch(entries_ + row + i);
    }
  }

  void insert(const Byte* plain, std::uint32_t at) {
    const std::uint32_t hash_value = hash(plain + at);
    const std::size_t row = row_of(hash_value);
    const std::uint32_t head = tags_[row] > 1 ? tags_[row] - 1u : kRow - 1;
    tags_[row] = static_cast<Byte>(head);
    tags_[row + head] = static_cast<Byte>(hash_value);
    entries_[row + head] = static_cast<Entry>(at);
  }

  /// Where the hash's tag stands in its row, as bits, the position that was written last first.
  Bits candidates(std::uint32_t hash_value) const {
    const Byte* const tags = tags_ + row_of(hash_value);
    std::uint64_t equal = 0;
    for (std::uint32_t i = 0; i < kRow; i += kTagsTogether) {
      equal |= std::uint64_t{equal_tags(tags + i, static_cast<Byte>(hash_value))} << i;
    }
    return std::rotr(static_cast<Bits>(equal & ~std::uint64_t{1}), tags[0]);
  }

  /// The position of the lowest bit of `candidates`.
  std::uint32_t first_of(std::uint64_t candidates, std::uint32_t hash_value) const {
    const std::size_t row = row_of(hash_value);
    const auto place = static_cast<std::uint32_t>(std::countr_zero(candidates));
    return entries_[row + (place + tags_[row]) % kRow];
  }

 private:
  static std::size_t row_of(std::uint32_t hash_value) {
    return std::size_t{hash_value >> kTagBits} * kRow;
  }

  Byte* tags_;
  Entry* entries_;
  unsigned hash_bits_;
  unsigned key_shift_;
};

/// One block's parse.
template <class Rows, class Tracker>
class RowParse {
  static constexpr bool kUsualRule = std::is_same_v<Tracker, TwoWaveTracker>;

 public:
  RowParse(Bytes plain, const ParserParameters& parameters, const DictionaryIndex* dictionary,
           const Rows& rows, Tracker tracker, Sequences& sequences)
      : plain_(plain.data()),
        size_(static_cast<std::uint32_t>(plain.size())),
        search_end_(size_ > kTailBytes ? size_ - kTailBytes : 0),
        parameters_(parameters),
        bit_(parameters.coding == Coding::kBit),
        sequence_cost_(static_cast<std::int32_t>(parameters.sequence_cost) * kByteGain / 8),
        inserted_of_long_(std::min(parameters.nice_length / kUsualNice, kMostInserted) *
                          kInsertedOfLong),
        run_limit_(literal_run_limit(parameters.rule)),
        dictionary_(dictionary),
        rows_(rows),
        tracker_(tracker),
        sequences_(sequences) {}

  /// One loop, so that the search is there once, and all state local.
  void run() {
    Match best;
    std::uint32_t begin = 0;  // of `best`
    std::uint32_t at = 0;
    while (at < search_end_) {
      const Match found = find(at, best.length > 0 ? floor_of(best, at - begin) : Match{});
      if (found.distance > 0) {
        best = found;
        begin = at;
      } else if (best.length == 0) {
        at += 1 + ((at - literals_begin_) >> parameters_.acceleration);
        // Under the strict rule a group has to end before anything is legal.
        close_run(std::min(at, size_));
        continue;
      }
      if (at - begin < parameters_.lazy && best.length < parameters_.nice_length) {
        ++at;
        continue;
      }
      at = emit_match(begin, best);
      best = {};
    }
    if (best.length > 0) emit_match(begin, best);
    close_run(size_);
  }

 private:
  /// What a match `after` positions further on has to gain to be taken in place of `best`.
  Match floor_of(const Match& best, std::uint32_t after) const {
    return {0, 0, best.gain + (after == 1 ? kBetterAfterOne : kBetterAfterTwo)};
  }

  /// The best match at `at`, or `best` as it is where none gains more.
  Match find(std::uint32_t at, Match best) {
    insert_up_to(at);
    if (bit_) try_last_distances(at, best);
    if (best.length >= parameters_.nice_length) return best;
    try_rows(at, best);
    if (dictionary_ != nullptr && best.length < kGoodForDictionary) try_dictionary(at, best);
    return best;
  }

  void try_last_distances(std::uint32_t at, Match& best) {
    for (const std::uint32_t distance : last_) {
      if (distance <= at) consider(at, distance, sequence_cost_ + kRepeatCost, best);
    }
  }

  /// The nearest candidate first; then those of the others that agree where a better match has to
  /// reach, which are told apart without a branch, since nothing predicts them.
  void try_rows(std::uint32_t at, Match& best) {
    const std::uint32_t hash = rows_.hash(plain_ + at);
    std::uint64_t rest = rows_.candidates(hash);
    if (rest == 0) return;
    const std::uint32_t nearest = rows_.first_of(rest, hash);
    consider_row(at, nearest, best);
    rest &= rest - 1;
    const std::uint32_t last_key = needed(best, cost_of(at - nearest)) - kKeyBytes;
    if (best.length >= parameters_.nice_length || at + last_key + kKeyBytes > size_) return;
    const auto wanted = load<std::uint32_t>(plain_ + at + last_key);
    std::uint64_t agree = 0;
    for (std::uint32_t depth = parameters_.depth; rest != 0 && depth > 1; --depth) {
      const std::uint32_t from = rows_.first_of(rest, hash);
      const std::uint64_t here = rest & (0 - rest);
      agree |= load<std::uint32_t>(plain_ + from + last_key) == wanted ? here : 0;
      rest -= here;
    }
    for (; agree != 0; agree &= agree - 1) consider_row(at, rows_.first_of(agree, hash), best);
  }

  void consider_row(std::uint32_t at, std::uint32_t from, Match& best) {
    if (at - from <= parameters_.window) consider(at, at - from, cost_of(at - from), best);
  }

  /// How long a match of this cost must be to gain more than `best`.
  std::uint32_t needed(const Match& best, std::int32_t cost) const {
    return std::max(static_cast<std::uint32_t>((best.gain + cost) / kByteGain) + 1,
                    std::uint32_t{parameters_.min_match});
  }

  void consider(std::uint32_t at, std::uint32_t distance, std::int32_t cost, Match& best) {
    const std::uint32_t limit = std::min(size_ - at, parameters_.lookahead);
    const Byte* const here = plain_ + at;
    const Byte* const from = here - distance;
    const std::uint32_t least = needed(best, cost);
    if (least > limit || load<std::uint32_t>(from + least - kKeyBytes) !=
                             load<std::uint32_t>(here + least - kKeyBytes)) {
      return;
    }
    // In a run all is equal, and the strict rule forbids most of it.
    if (!kUsualRule && tracker_.legal_length(at, distance, least) < least) return;
    const std::uint32_t length = allowed_length(here, from, limit, [&](std::uint32_t common) {
      return common < least ? common : tracker_.legal_length(at, distance, common);
    });
    if (length < least) return;
    if (!tracker_.is_first_wave(at, distance, length)) cost += kSecondWaveCost;
    const std::int32_t gain = kByteGain * static_cast<std::int32_t>(length) - cost;
    if (gain > best.gain) best = {length, distance, gain};
  }

  std::int32_t cost_of(std::uint32_t distance) const {
    if (bit_) return sequence_cost_ + std::bit_width(distance);
    return sequence_cost_ + (distance > 0xFFFF ? kByteGain : 0);
  }

  void try_dictionary(std::uint32_t at, Match& best) {
    const auto content_size = static_cast<std::uint32_t>(dictionary_->content.size());
    std::uint32_t entry = dictionary_->head[hash6(plain_ + at, dictionary_->hash_bits)];
    for (std::uint32_t depth = (parameters_.depth + 3) / 4; entry != 0 && depth > 0; --depth) {
      const std::uint32_t from = entry - 1;
      entry = dictionary_->previous[from];
      const std::uint32_t distance = at + content_size - from;
      if (distance > parameters_.window) return;
      const std::uint32_t limit =
          std::min({size_ - at, content_size - from, parameters_.lookahead});
      const std::uint32_t length =
          common_length(plain_ + at, dictionary_->content.data() + from, limit);
      const std::int32_t gain = kByteGain * static_cast<std::int32_t>(length) - cost_of(distance);
      if (length >= parameters_.min_match && gain > best.gain) best = {length, distance, gain};
    }
  }

  /// Emits a match that begins at `at`, or before where literals are equal too; returns its end.
  std::uint32_t emit_match(std::uint32_t at, const Match& match) {
    const std::uint32_t end = at + match.length;
    const std::uint32_t begin = begin_of(at, match);
    close_run(begin);
    emit({begin - literals_begin_, end - begin, match.distance});
    take_distance(match.distance, last_);
    if (end - at > 2 * inserted_of_long_) {
      insert_up_to(at + inserted_of_long_);
      inserted_ = end - inserted_of_long_;
    }
    return end;
  }

  std::uint32_t begin_of(std::uint32_t at, const Match& match) const {
    if (match.distance > at) return at;
    const std::uint32_t room =
        std::min({at - literals_begin_, at - match.distance, parameters_.lookahead - match.length});
    std::uint32_t back = 0;
    while (back < room && plain_[at - back - 1] == plain_[at - match.distance - back - 1]) ++back;
    const std::uint32_t length = match.length + back;
    return tracker_.legal_length(at - back, match.distance, length) == length ? at - back : at;
  }

  void insert_up_to(std::uint32_t end) {
    end = std::min(end, search_end_);
    for (; inserted_ < end; ++inserted_) {
      rows_.prefetch(plain_ + std::min(inserted_ + kFetchedAhead, search_end_));
      rows_.insert(plain_, inserted_);
    }
  }

  void close_run(std::uint32_t at) {
    while (at - literals_begin_ > run_limit_) emit({run_limit_, 0, 0});
  }

  void emit(const Sequence& sequence) {
    sequences_.push_back(sequence);
    tracker_.add(sequence, literals_begin_);
    literals_begin_ += sequence.literals + sequence.match;
  }

  const Byte* const plain_;
  const std::uint32_t size_;
  const std::uint32_t search_end_;
  const ParserParameters parameters_;
  const bool bit_;
  const std::int32_t sequence_cost_;
  const std::uint32_t inserted_of_long_;
  const std::uint32_t run_limit_;
  const DictionaryIndex* const dictionary_;
  Rows rows_;
  Tracker tracker_;  ///< a reference to one, or one
  Sequences& sequences_;
  LastDistances last_ = std::to_array(bit::kFirstDistances);
  std::uint32_t literals_begin_ = 0;
  std::uint32_t inserted_ = 0;  ///< positions below are in the rows, or never will be
};

class RowParser final : public Parser {
 public:
  explicit RowParser(const ParserParameters& parameters)
      : parameters_(parameters), tracker_(parameters.rule, parameters.group) {}

  void parse(Bytes plain, const DictionaryIndex* dictionary, Sequences& sequences) override {
    sequences.clear();
    if (parameters_.rule == DependencyRule::kTwoWave &&
        parameters_.group == TwoWaveTracker::kGroup) {
      bitmap_.assign(TwoWaveTracker::bitmap_bytes(plain.size()), 0);
      return parse_with<TwoWaveTracker>(TwoWaveTracker(bitmap_.data()), plain, dictionary,
                                        sequences);
    }
    tracker_.begin_block(plain.size());
    parse_with<DependencyTracker&>(tracker_, plain, dictionary, sequences);
  }

 private:
  template <class Tracker>
  void parse_with(Tracker tracker, Bytes plain, const DictionaryIndex* dictionary,
                  Sequences& sequences) {
    if (plain.size() <= std::size_t{1} << 16) {
      parse_with<Tracker>(small_entries_, tracker, plain, dictionary, sequences);
    } else {
      parse_with<Tracker>(entries_, tracker, plain, dictionary, sequences);
    }
  }

  template <class Tracker, class Entry>
  void parse_with(std::vector<Entry>& entries, Tracker tracker, Bytes plain,
                  const DictionaryIndex* dictionary, Sequences& sequences) {
    if (parameters_.depth < 16) {
      parse_in<16, Tracker>(entries, tracker, plain, dictionary, sequences);
    } else if (parameters_.depth < 32) {
      parse_in<32, Tracker>(entries, tracker, plain, dictionary, sequences);
    } else {
      parse_in<64, Tracker>(entries, tracker, plain, dictionary, sequences);
    }
  }

  /// The table has about as many entries as the block has positions.
  template <std::uint32_t kRow, class Tracker, class Entry>
  void parse_in(std::vector<Entry>& entries, Tracker tracker, Bytes plain,
                const DictionaryIndex* dictionary, Sequences& sequences) {
    const std::size_t size = std::clamp(std::bit_floor(plain.size()) << (kRow > 16 ? 1 : 0),
                                        kLeastEntries, kMostEntries);
    tags_.assign(size, 0);
    entries.assign(size, 0);
    const auto rows_log2 = static_cast<unsigned>(std::countr_zero(size / kRow));
    const Rows<Entry, kRow> rows(tags_.data(), entries.data(), rows_log2, parameters_.row_key);
    RowParse<Rows<Entry, kRow>, Tracker> parse(plain, parameters_, dictionary, rows, tracker,
                                               sequences);
    parse.run();
  }

  ParserParameters parameters_;
  DependencyTracker tracker_;
  std::vector<Byte> bitmap_;
  std::vector<Byte> tags_;
  std::vector<std::uint16_t> small_entries_;
  std::vector<std::uint32_t> entries_;
};

}  // namespace

std::unique_ptr<Parser> make_row_parser(const ParserParameters& parameters) {
  return std::make_unique<RowParser>(parameters);
}

}  // namespace presso
