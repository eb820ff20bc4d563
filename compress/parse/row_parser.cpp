// SPDX-License-Identifier: MIT
// The row parser: earlier positions (places) with the same hash stand in a row of 12, 28 or 60 (by
// level), each with another byte of its hash, the tag, by which most of the wrong ones are left
// out. It is greedy or lazy: a lazy match is taken only if none of the next positions has one that
// gains more. Sources: S7.13; tags in rows as in zstd 1.5.0 (Handte and Collet, 2021).
//
// A match gains its length less the bits of its distance, counted in quarters of a byte, since
// about four bits of distance are worth a byte of length. The Bit coding writes one of the last
// three distances in few bits, so these are tried first at every position; the greedy parser tries
// only the last one, one byte ahead, and takes it at once. The dependency rule (dependency.h) is
// asked for each candidate, which counts as far as it is legal. A match of the second wave, whose
// bytes others may not read, counts as a little shorter.
//
// Cost: a row of 12 is one cache line, fetched some positions before it is needed, so that its
// candidates are read together, where those of a chain are read one after another. Hashes of
// the next positions are kept until these are entered.
//
// The dictionary lies before the block in memory (window.h). Its rows are made once and copied
// for each block, so that one search finds places in both.
// Tested by tests/unit/compress/dependency_test.cpp; figures in NOTES.md.
#include <algorithm>
#include <cstring>
#include <tuple>

#include "compress/parse/block_scratch.h"
#include "compress/parse/block_window.h"
#include "compress/parse/dependency.h"
#include "compress/parse/last_distances.h"
#include "compress/parse/match.h"
#include "compress/parse/parser.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace presso {
namespace {

constexpr unsigned kTagBits = 8;
constexpr std::uint32_t kTagsTogether = 16;
constexpr std::uint32_t kTailBytes =
    16;                                 ///< no search this close to the end: hashes are read ahead
constexpr std::uint32_t kAhead = 4;     ///< positions ahead whose rows are being fetched
constexpr std::uint32_t kCompared = 4;  ///< bytes that are compared first
/// If a match has more than four times as many positions, only kInsertedOfLong at either end enter
/// the rows of the greedy parser; twice as many enter those of the lazy one. The number is
/// multiplied by nice_length / kUsualNice, at most by kMostInserted.
constexpr std::uint32_t kInsertedOfLong = 4;
constexpr std::uint32_t kUsualNice = 64;
constexpr std::uint32_t kMostInserted = 16;

/// Gains and costs in quarters of a byte.
constexpr std::int32_t kByteGain = 4;
constexpr std::int32_t kSecondWaveCost = 2;
constexpr std::int32_t kRepeatCost = 1;
// How much more a match must gain that begins one or two literals later.
constexpr std::int32_t kBetterAfterOne = 4;
constexpr std::int32_t kBetterAfterTwo = 7;

/// A match and what it gains, in quarters of a byte; one that gains nothing is not taken.
struct Match {
  std::uint32_t begin = 0;
  std::uint32_t length = 0;  ///< 0: there is no match
  std::uint32_t distance = 0;
  std::int32_t gain = 0;
};

/// The places of one hash: a ring that is written downwards, so the newest is at `newest` and older
/// ones follow.
template <std::uint32_t kWays_>
struct alignas(kWays_ == 12 ? 64 : 16) Row {
  static constexpr std::uint32_t kWays = kWays_;
  static constexpr std::uint64_t kAll = (std::uint64_t{1} << kWays) - 1;
  static constexpr std::uint32_t kBefore = 4;  ///< bytes before the tags

  Byte newest;
  Byte unused[kBefore - 1];
  Byte tags[kWays];
  std::uint32_t places[kWays];

  void insert(std::uint32_t place, Byte tag) {
    const std::uint32_t to = newest == 0 ? kWays - 1 : newest - 1u;
    newest = static_cast<Byte>(to);
    tags[to] = tag;
    places[to] = place;
  }

  /// The places that have the tag, as bits, the newest at bit 0.
  std::uint64_t candidates(Byte tag) const {
    static_assert((kBefore + kWays) % kTagsTogether == 0);
    std::uint64_t equal = 0;
    for (std::uint32_t i = 0; i < kBefore + kWays; i += kTagsTogether) {
      equal |= std::uint64_t{equal_bytes(&newest + i, tag)} << i;
    }
    equal >>= kBefore;
    return (equal >> newest | equal << (kWays - newest)) & kAll;
  }

  /// The place at the lowest bit of `candidates`.
  std::uint32_t first_of(std::uint64_t candidates) const {
    // candidates() has rotated the newest place to bit 0.
    const std::uint32_t way = static_cast<std::uint32_t>(std::countr_zero(candidates)) + newest;
    return places[way < kWays ? way : way - kWays];
  }

 private:
  /// Which of kTagsTogether bytes are equal to `byte`, as bits.
  static std::uint32_t equal_bytes(const Byte* bytes, Byte byte) {
#if defined(__SSE2__)
    const __m128i all = _mm_load_si128(reinterpret_cast<const __m128i*>(bytes));
    return static_cast<std::uint32_t>(
        _mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8(static_cast<char>(byte)))));
#else
    std::uint32_t equal = 0;
    for (std::uint32_t i = 0; i < kTagsTogether; ++i) equal |= (bytes[i] == byte ? 1u : 0u) << i;
    return equal;
#endif
  }
};

/// All rows: a view of a parser's memory.
template <class Row_>
struct Rows {
  using Row = Row_;

  Row* rows;
  unsigned hash_bits;  ///< bits of row number and tag
  unsigned key_shift;  ///< 64 less the bits of text that are hashed

  std::uint32_t hash(const Byte* at) const {
    return hash_word(load<std::uint64_t>(at) << key_shift, hash_bits);
  }
  Row& row_of(std::uint32_t hash) const { return rows[hash >> kTagBits]; }

  void insert(std::uint32_t hash, std::uint32_t place) const {
    row_of(hash).insert(place, static_cast<Byte>(hash));
  }
  void prefetch(std::uint32_t hash) const {
    const auto* const row = reinterpret_cast<const Byte*>(&row_of(hash));
    constexpr std::size_t kCacheLine = 64;
    for (std::size_t i = 0; i < sizeof(Row); i += kCacheLine) __builtin_prefetch(row + i);
  }
};

/// One block's parse. Positions count from the dictionary's first byte.
template <class Rows, class Tracker>
class RowParse {
 public:
  RowParse(const Byte* base, std::uint32_t dictionary_bytes, std::size_t plain_bytes,
           const ParserParameters& parameters, const Rows& rows, Tracker tracker, Sequence* out)
      : base_(base),
        begin_(dictionary_bytes),
        end_(begin_ + static_cast<std::uint32_t>(plain_bytes)),
        search_end_(end_ - kTailBytes),
        parameters_(parameters),
        bit_(parameters.coding == Coding::kBit),
        least_(std::max(std::uint32_t{parameters.min_match}, parameters.row_key)),
        sequence_cost_(static_cast<std::int32_t>(parameters.sequence_cost) * kByteGain / 8),
        inserted_of_long_(std::min(parameters.nice_length / kUsualNice, kMostInserted) *
                          (parameters.lazy == 0 ? 1 : 2) * kInsertedOfLong),
        run_limit_(literal_run_limit(parameters.rule)),
        rows_(rows),
        tracker_(tracker),
        out_(out),
        literals_begin_(begin_),
        inserted_(begin_) {
    fetch_rows();
  }

  /// Takes the first match that gains. Returns the end of the sequences.
  Sequence* run_greedily() {
    std::uint32_t at = std::max(begin_, 1u);
    while (at < search_end_) {
      insert_up_to(at);
      // One byte ahead: a literal and a repeated distance are cheaper than a new distance.
      Match match = bit_ ? find_repeated(at + 1, last_[0]) : Match{};
      if (match.length == 0) {
        try_rows(at, match);
        if (match.length == 0) {
          at = after_miss(at);
          continue;
        }
        extend_back(match);
      }
      at = emit_match(match);
      while (bit_ && at < search_end_) {
        const Match again = find_repeated(at, last_[1]);
        if (again.length == 0) break;
        at = emit_match(again);
      }
    }
    close_run(end_);
    return out_;
  }

  /// The lazy parser. It is one loop, so that the inlined search exists once.
  Sequence* run_lazily() {
    Match best;
    std::uint32_t at = std::max(begin_, 1u);
    while (at < search_end_) {
      Match found;
      // A match that is found later must gain more than this.
      found.gain = best.length > 0 ? floor_of(best, at - best.begin) : 0;
      find(at, found);
      if (found.length > 0) {
        best = found;
      } else if (best.length == 0) {
        at = after_miss(at);
        continue;
      }
      if (at - best.begin < parameters_.lazy && best.length < parameters_.nice_length) {
        ++at;
        continue;
      }
      extend_back(best);
      at = emit_match(best);
      best = {};
    }
    if (best.length > 0) emit_match(best);
    close_run(end_);
    return out_;
  }

 private:
  /// The next position to search after a miss at `at`: the step grows with the literal run.
  std::uint32_t after_miss(std::uint32_t at) {
    // Under the strict rule a group has to end before anything is legal.
    if (parameters_.rule == DependencyRule::kStrict) close_run(at);
    return at + 1 + ((at - literals_begin_) >> parameters_.acceleration);
  }

  /// What a match `after` positions later must gain to be taken instead of `best`.
  static std::int32_t floor_of(const Match& best, std::uint32_t after) {
    return best.gain + (after == 1 ? kBetterAfterOne : kBetterAfterTwo);
  }

  /// Updates `best` with the best match at `at`, if it gains more.
  [[gnu::always_inline]] void find(std::uint32_t at, Match& best) {
    insert_up_to(at);
    if (bit_) {
      for (const std::uint32_t distance : last_) try_repeated(at, distance, best);
      if (best.length >= parameters_.nice_length) return;
    }
    try_rows(at, best);
  }

  [[gnu::always_inline]] void try_repeated(std::uint32_t at, std::uint32_t distance, Match& best) {
    // A repeated distance costs a constant, whatever it is.
    const std::int32_t cost = sequence_cost_ + kRepeatCost;
    const std::uint32_t needed = needed_for(best, cost, parameters_.min_match);
    if (distance > at - begin_ || !may_reach(at, at - distance, needed)) return;
    consider(at, at - distance, needed, cost, best);
  }

  /// A match at this distance, whatever it gains.
  [[gnu::always_inline]] Match find_repeated(std::uint32_t at, std::uint32_t distance) const {
    if (distance > at - begin_ ||
        load<std::uint32_t>(base_ + at) != load<std::uint32_t>(base_ + at - distance)) {
      return {};
    }
    const std::uint32_t length = allowed(at, at - distance, kCompared);
    return length < parameters_.min_match ? Match{} : Match{at, length, distance, 0};
  }

  /// Tries the row's candidates, nearest first. `at` must be the next position to be inserted.
  [[gnu::always_inline]] void try_rows(std::uint32_t at, Match& best) {
    const std::uint32_t hash = hashes_[at % kAhead];
    const typename Rows::Row& row = rows_.row_of(hash);
    std::uint64_t rest = row.candidates(static_cast<Byte>(hash));
    if (rest == 0) return;
    std::uint32_t needed = needed_for(best, cost_of(at - row.first_of(rest)), least_);
    for (std::uint32_t depth = parameters_.depth; rest != 0 && depth > 0; --depth) {
      // No match here can be long enough any more.
      if (needed > end_ - at) return;
      const std::uint32_t from = row.first_of(rest);
      rest &= rest - 1;
      // Candidates are ordered by distance, so all that follow are too far.
      if (at - from > parameters_.window) return;
      if (!may_reach(at, from, needed)) continue;
      if (!consider(at, from, needed, cost_of(at - from), best)) continue;
      if (best.length >= parameters_.nice_length) return;
      needed = best.length + 1;
    }
  }

  /// The least length with which a match of this cost gains more than `best`.
  static std::uint32_t needed_for(const Match& best, std::int32_t cost, std::uint32_t least) {
    return std::max(static_cast<std::uint32_t>((best.gain + cost) / kByteGain) + 1, least);
  }

  /// A cheap test first: whether the last bytes of the needed length are equal.
  bool may_reach(std::uint32_t at, std::uint32_t from, std::uint32_t needed) const {
    return needed <= end_ - at && load<std::uint32_t>(base_ + from + needed - kCompared) ==
                                      load<std::uint32_t>(base_ + at + needed - kCompared);
  }

  /// Measures a candidate; returns whether it is the best now.
  [[gnu::always_inline]] bool consider(std::uint32_t at, std::uint32_t from, std::uint32_t needed,
                                       std::int32_t cost, Match& best) const {
    const std::uint32_t length = allowed(at, from, 0, needed);
    if (length < needed) return false;
    const bool is_second_wave =
        from >= begin_ && !tracker_.is_first_wave(at - begin_, at - from, length);
    const std::int32_t gain = kByteGain * static_cast<std::int32_t>(length) - cost -
                              (is_second_wave ? kSecondWaveCost : 0);
    if (gain <= best.gain) return false;
    best = {at, length, at - from, gain};
    return true;
  }

  /// The cost of a distance in quarters of a byte.
  std::int32_t cost_of(std::uint32_t distance) const {
    if (bit_) return sequence_cost_ + std::bit_width(distance);
    return sequence_cost_ + (distance > 0xFFFF ? kByteGain : 0);
  }

  /// The number of equal and allowed bytes at `at` and `from`, where the first `known` are
  /// equal. Any number below `needed` may be returned for one that is less.
  [[gnu::always_inline]] std::uint32_t allowed(std::uint32_t at, std::uint32_t from,
                                               std::uint32_t known,
                                               std::uint32_t needed = 0) const {
    const Byte* const here = base_ + at + known;
    const Byte* const there = base_ + from + known;
    std::uint32_t limit = std::min(end_ - at, parameters_.lookahead);
    // A match does not go on from the dictionary into the block, and all of it is allowed.
    if (from < begin_) {
      limit = std::min(limit, begin_ - from);
      return limit <= known ? limit : known + common_length(here, there, limit - known);
    }
    if (limit <= known) return limit;
    return allowed_length(
               here, there, limit - known,
               [&](std::uint32_t common) {
                 return known + common < needed
                            ? common
                            : tracker_.legal_length(at - begin_, at - from, known + common) - known;
               }) +
           known;
  }

  /// Extends the match backwards while the literals before it are equal, too.
  [[gnu::always_inline]] void extend_back(Match& match) const {
    const std::uint32_t from = match.begin - match.distance;
    const std::uint32_t first = from < begin_ ? 0 : begin_;
    // Not past the literals of this run, the first byte there is, or the longest match.
    const std::uint32_t room = std::min(
        {match.begin - literals_begin_, from - first, parameters_.lookahead - match.length});
    std::uint32_t back = 0;
    while (back < room && base_[match.begin - back - 1] == base_[from - back - 1]) ++back;
    const std::uint32_t begin = match.begin - back;
    const std::uint32_t length = match.length + back;
    if (from >= begin_ && tracker_.legal_length(begin - begin_, match.distance, length) != length) {
      return;
    }
    match.begin = begin;
    match.length = length;
  }

  /// Emits the match, enters its positions into the rows and returns its end.
  [[gnu::always_inline]] std::uint32_t emit_match(const Match& match) {
    close_run(match.begin);
    emit({match.begin - literals_begin_, match.length, match.distance});
    take_distance(match.distance, last_);
    const std::uint32_t end = literals_begin_;
    if (end - inserted_ > 4 * inserted_of_long_ && end < search_end_) {
      insert_up_to(inserted_ + inserted_of_long_);
      inserted_ = end - inserted_of_long_;
      fetch_rows();
    }
    return end;
  }

  [[gnu::always_inline]] void insert_up_to(std::uint32_t end) {
    for (; inserted_ < end; ++inserted_) {
      std::uint32_t& hash = hashes_[inserted_ % kAhead];
      rows_.insert(hash, inserted_);
      fetch_row(inserted_ + kAhead, hash);
    }
  }

  /// Begins to load the rows of the next positions.
  void fetch_rows() {
    for (std::uint32_t at = inserted_; at < inserted_ + kAhead; ++at) {
      fetch_row(at, hashes_[at % kAhead]);
    }
  }
  void fetch_row(std::uint32_t at, std::uint32_t& hash) const {
    hash = rows_.hash(base_ + at);
    rows_.prefetch(hash);
  }

  void close_run(std::uint32_t at) {
    while (at - literals_begin_ > run_limit_) emit({run_limit_, 0, 0});
  }

  [[gnu::always_inline]] void emit(const Sequence& sequence) {
    *out_++ = sequence;
    tracker_.add(sequence, literals_begin_ - begin_);
    literals_begin_ += sequence.literals + sequence.match;
  }

  const Byte* const base_;
  const std::uint32_t begin_;  ///< of the block
  const std::uint32_t end_;
  const std::uint32_t search_end_;
  const ParserParameters parameters_;
  const bool bit_;
  const std::uint32_t least_;  ///< least length of a match from the rows
  const std::int32_t sequence_cost_;
  const std::uint32_t inserted_of_long_;
  const std::uint32_t run_limit_;
  const Rows rows_;
  Tracker tracker_;  ///< a reference, or a NoTracker
  Sequence* out_;
  std::uint32_t literals_begin_;
  std::uint32_t inserted_;        ///< positions below are in the rows, or never will be
  std::uint32_t hashes_[kAhead];  ///< hashes of inserted_ and the positions after it
  LastDistances last_ = std::to_array(bit::kFirstDistances);
};

/// How many rows there are for a text of this size, as a power of two: about one for 32 or 64
/// positions, or half as many in a small text, whose table is small anyway. A table has a few MiB
/// at most.
template <class Row>
unsigned rows_log2(std::size_t text_bytes) {
  // 256 rows at least, 32,768 at most.
  constexpr unsigned kLeast = 8;
  constexpr unsigned kMost = 15;
  constexpr std::size_t kSmallText = 256u << 10;
  // Larger rows serve more positions each.
  const unsigned positions_log2 = (Row::kWays > 12 ? 6 : 5) - (text_bytes <= kSmallText ? 1 : 0);
  return index_bits(text_bytes, positions_log2 + 1, kLeast, kMost);
}

/// Calls use<Row>() with the row type that the depth asks for.
template <class Use>
void with_row(const ParserParameters& parameters, Use&& use) {
  if (parameters.depth <= 12) return use.template operator()<Row<12>>();
  if (parameters.depth <= 28) return use.template operator()<Row<28>>();
  use.template operator()<Row<60>>();
}

template <class Row>
Rows<Row> rows_in(std::vector<Row>& memory, const ParserParameters& parameters) {
  return {memory.data(), static_cast<unsigned>(std::countr_zero(memory.size())) + kTagBits,
          64 - 8 * parameters.row_key};
}

/// The parser of one thread; the memory of its rows is kept from block to block.
class RowParser final : public Parser {
 public:
  explicit RowParser(const ParserParameters& parameters)
      : parameters_(parameters), scratch_(parameters) {}

  void parse(Bytes plain, const DictionaryIndex* dictionary, Sequences& sequences) override {
    sequences.clear();
    if (plain.size() <= kTailBytes) return;
    with_row(parameters_, [&]<class Row>() {
      parse_with(std::get<std::vector<Row>>(memory_), plain, dictionary, sequences);
    });
  }

 private:
  template <class Row>
  void parse_with(std::vector<Row>& memory, Bytes plain, const DictionaryIndex* dictionary,
                  Sequences& sequences) {
    // Positions of dictionary and block in one memory.
    const Byte* const base = window_.place(plain, dictionary);
    std::uint32_t before = 0;
    if (dictionary != nullptr) {
      before = static_cast<std::uint32_t>(dictionary->content.size());
      memory.resize(dictionary->rows.size() / sizeof(Row));
      std::memcpy(static_cast<void*>(memory.data()), dictionary->rows.data(),
                  dictionary->rows.size());
    } else {
      memory.assign(std::size_t{1} << rows_log2<Row>(plain.size()), Row{});
    }
    const Rows<Row> rows = rows_in(memory, parameters_);
    scratch_.collect(plain.size(), sequences, [&]<class Tracker>(Tracker&& tracker, Sequence* out) {
      RowParse<Rows<Row>, Tracker> parse(base, before, plain.size(), parameters_, rows, tracker,
                                         out);
      return parameters_.lazy == 0 ? parse.run_greedily() : parse.run_lazily();
    });
  }

  const ParserParameters parameters_;
  BlockScratch scratch_;
  std::tuple<std::vector<Row<12>>, std::vector<Row<28>>, std::vector<Row<60>>> memory_;
  BlockWindow window_;
};

}  // namespace

/// Enters every position of the content.
void index_rows(const ParserParameters& parameters, DictionaryIndex& index) {
  constexpr std::size_t kHashed = 8;  // a hash loads eight bytes
  with_row(parameters, [&]<class Row>() {
    const std::size_t text_bytes = index.content.size() + parameters.block_bytes;
    std::vector<Row> memory(std::size_t{1} << rows_log2<Row>(text_bytes));
    const Rows<Row> rows = rows_in(memory, parameters);
    for (std::size_t at = 0; at + kHashed <= index.content.size(); ++at) {
      rows.insert(rows.hash(index.content.data() + at), static_cast<std::uint32_t>(at));
    }
    index.rows.resize(memory.size() * sizeof(Row));
    std::memcpy(index.rows.data(), memory.data(), index.rows.size());
  });
}

std::unique_ptr<Parser> make_row_parser(const ParserParameters& parameters) {
  return std::make_unique<RowParser>(parameters);
}

}  // namespace presso
