// SPDX-License-Identifier: MIT
// Chooses by predicted size, with handicaps for representations that queries read more slowly: such
// a one must save the given share to be taken instead of the one that queries prefer.
#include "compress/table/write/string_choice.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "compress/columns/token_trainer.h"
#include "format/columns/column_block.h"

namespace presso {
namespace {

/// What bytes in the Bit coding must save against tokens.
constexpr double kBitsMustSave = 0.1;
/// Queries prefer a dictionary whose entries stand for many rows each: a condition is then
/// evaluated once an entry.
constexpr double kOthersMustSave = 0.25;
/// The handicap against a dictionary of few entries, by whose codes rows can be grouped
/// directly.
constexpr double kOthersMustSaveOfFew = 0.6;
constexpr std::size_t kFewEntries = 256;
constexpr std::uint64_t kManyRows = 8;  ///< for each entry, on average
// The sample: this number of places in the column, and this many bytes of strings at each.
constexpr std::uint64_t kSamples = 2;
constexpr std::int64_t kSampleBytes = 256 << 10;
/// Columns with a longer mean string are left to the Bit coding, which finds what they repeat.
constexpr std::uint64_t kMaxMeanTokenBytes = 256;
/// If a dictionary takes less than this share of the strings, nothing else is tried.
constexpr double kSurelyDictionary = 0.06;
/// The share of its size to which a dictionary's entries are assumed to compress, unless the sample
/// compresses less well.
constexpr double kEntryRatio = 0.6;

/// Rows [first, first + rows).
struct RowRange {
  std::uint64_t first;
  std::uint64_t rows;
};

/// Rows in two places of the column, kSampleBytes of strings in each.
std::vector<RowRange> sample_ranges(const ColumnView& strings) {
  std::vector<RowRange> ranges;
  const std::int64_t* begin = strings.offsets;
  const std::int64_t* end = strings.offsets + strings.rows;
  for (std::uint64_t i = 0; i < kSamples; ++i) {
    // At a fifth and at three fifths of the rows.
    const std::uint64_t from = strings.rows * (2 * i + 1) / (2 * kSamples + 1);
    const std::uint64_t first =
        ranges.empty() ? from : std::max(from, ranges.back().first + ranges.back().rows);
    const auto* last = std::upper_bound(begin + first, end + 1, begin[first] + kSampleBytes) - 1;
    const auto rows = static_cast<std::uint64_t>(last - (begin + first));
    if (rows > 0) ranges.push_back({first, rows});
  }
  return ranges;
}

/// How many bytes `rows` packed integers from 0 to `most` take.
double bits_of_counts(std::uint64_t rows, std::uint64_t most) {
  return static_cast<double>(rows) * static_cast<double>(std::bit_width(most)) / 8;
}

/// The predicted size of a dictionary column. `entry_ratio`: the share that coding leaves of
/// the entries, which repeat less than rows do.
double dictionary_bytes(const StringDictionary& dictionary, double entry_ratio) {
  const double codes = bits_of_counts(dictionary.codes.size(), dictionary.entry_lengths.size() - 1);
  return codes + entry_ratio * static_cast<double>(dictionary.entries.size()) +
         static_cast<double>(dictionary.entry_lengths.size());
}

/// Encodes the sample to learn the size of bytes and lengths.
class SampleTrial {
 public:
  explicit SampleTrial(const ColumnView& strings)
      : strings_(strings), ranges_(sample_ranges(strings)) {
    for (const RowRange& range : ranges_) plain_ += bytes_of(range);
  }
  double plain() const { return plain_; }

  /// Bytes that text and lengths of the sample take in the coding for bytes.
  double coded_bytes(BlockEncoder& encoder) const {
    Buffer stored;
    double lengths = 0;
    for (const RowRange& range : ranges_) {
      const Bytes piece(strings_.values + strings_.offsets[range.first],
                        static_cast<std::size_t>(bytes_of(range)));
      for (std::size_t at = 0; at < piece.size(); at += kSampleBytes) {
        encoder.encode(piece.subspan(at, std::min<std::size_t>(kSampleBytes, piece.size() - at)), 0,
                       FrameKind::kBlock, {}, stored);
      }
      lengths += bits_of_counts(range.rows, spread(range));
    }
    return static_cast<double>(stored.size()) + lengths;
  }

 private:
  /// How many bytes the strings of these rows have.
  double bytes_of(const RowRange& range) const {
    return static_cast<double>(strings_.offsets[range.first + range.rows] -
                               strings_.offsets[range.first]);
  }
  /// The range of the lengths, which determines their packed size.
  std::uint64_t spread(const RowRange& range) const {
    // Lengths are packed as integers less the least one.
    std::int64_t least = kSampleBytes;
    std::int64_t most = 0;
    for (std::uint64_t row = range.first; row < range.first + range.rows; ++row) {
      const std::int64_t length = strings_.offsets[row + 1] - strings_.offsets[row];
      least = std::min(least, length);
      most = std::max(most, length);
    }
    return static_cast<std::uint64_t>(std::max<std::int64_t>(most - least, 0));
  }

  const ColumnView& strings_;
  std::vector<RowRange> ranges_;
  double plain_ = 0;
};

// Tokens need enough text to learn from, and no string longer than a block.
bool may_be_tokens(const ColumnView& strings) {
  const auto bytes = static_cast<std::uint64_t>(strings.offsets[strings.rows]);
  if (bytes < kSampleBytes / 16 || bytes > kMaxMeanTokenBytes * strings.rows) return false;
  for (std::uint64_t row = 0; row < strings.rows; ++row) {
    if (strings.offsets[row + 1] - strings.offsets[row] > kMaxTokenBlockBytes) return false;
  }
  return true;
}

}  // namespace

/// A dictionary pays if its entries stand for kManyRows rows each, on average.
StringChoice choose_strings_quickly(const ColumnView& strings) {
  StringChoice choice;
  choice.dictionary = build_dictionary(strings);
  const bool pays =
      choice.dictionary && choice.dictionary->entry_lengths.size() * kManyRows <= strings.rows;
  if (!pays) choice.dictionary.reset();
  return choice;
}

// Sizes of three representations: a dictionary, which is counted exactly except for its
// entries; bytes, by a trial on the sample; tokens, by training on the column. Preferences of
// queries enter as shares that another representation must save. Strings without any text keep
// what build_dictionary() says.
StringChoice choose_strings(const ColumnView& strings, BlockEncoder& bytes_encoder,
                            bool prefers_fast) {
  StringChoice choice;
  choice.dictionary = build_dictionary(strings);
  const auto plain = static_cast<double>(strings.offsets[strings.rows]);
  double by_dictionary =
      choice.dictionary ? dictionary_bytes(*choice.dictionary, kEntryRatio) : 2 * plain;
  // So small that no trial is worth its time.
  if (choice.dictionary && by_dictionary <= kSurelyDictionary * plain) return choice;
  const SampleTrial trial(strings);
  if (trial.plain() == 0) return choice;
  const double coded_ratio = trial.coded_bytes(bytes_encoder) / trial.plain();
  // The entries will not code better than the sample did.
  if (choice.dictionary && coded_ratio > kEntryRatio) {
    by_dictionary = dictionary_bytes(*choice.dictionary, coded_ratio);
  }
  // Bytes, then tokens if they are not a tenth worse, against the dictionary.
  double best = coded_ratio * plain;
  std::optional<TokenDictionary> tokens;
  // A row takes a code of 12 bits at least.
  const double least_of_tokens = kTokenBits / 8.0 * static_cast<double>(strings.rows);
  const bool tokens_may_win = !choice.dictionary || by_dictionary > least_of_tokens;
  if (tokens_may_win && may_be_tokens(strings)) {
    tokens = train_tokens(strings);
    const auto by_tokens = static_cast<double>(estimate_tokens(strings, *tokens).total());
    if (best < by_tokens * (1 - (prefers_fast ? kBitsMustSave : 0))) {
      tokens.reset();
    } else {
      best = by_tokens;
    }
  }
  const bool asked_once =
      choice.dictionary && choice.dictionary->entry_lengths.size() * kManyRows <= strings.rows;
  const bool few = choice.dictionary && choice.dictionary->entry_lengths.size() <= kFewEntries;
  const bool is_preferred = prefers_fast && asked_once;
  const double must_save = !is_preferred ? 0 : (few ? kOthersMustSaveOfFew : kOthersMustSave);
  if (choice.dictionary && by_dictionary * (1 - must_save) <= best) return choice;
  choice.dictionary.reset();
  choice.tokens = std::move(tokens);
  return choice;
}

}  // namespace presso
