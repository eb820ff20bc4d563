// SPDX-License-Identifier: MIT
// A filter that tells which probe keys can have a match. The scan of the probe side asks it before
// it does anything else with a row, so that most rows without a partner are never decoded further.
// It never says "no" to a key of the build side. Its kind follows from the keys:
//
//   kNothing there are no keys, so nothing passes: exact, no memory
//   kRange   every word from the least to the greatest key is a key: exact, no memory
//   kBitmap  a bit for each word of that range: exact
//   kBloom   a Bloom filter in blocks of 32 bytes with 12 bits a key, and the range: a key sets
//            eight bits of one block, so that a test costs one cache line
//
// NOTES.md has what tests cost and how often the Bloom filter says "yes" wrongly. Tested by
// tests/unit/query/join/key_filter_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/group/column.h"
#include "query/join/join_table.h"
#include "query/join/kernels.h"

namespace presso::query::join {

/// Immutable after build(); any number of threads may test at once. Before build() it is kNothing.
class KeyFilter {
 public:
  enum class Kind : std::uint8_t { kNothing, kRange, kBitmap, kBloom };

  /// Builds the filter on `threads` threads; `keys` are borrowed during the call. Returns
  /// kOutOfMemory if it would take more than `memory_bytes`; the join then goes without a filter.
  static Result<KeyFilter> build(const BuildKeys& keys, unsigned threads,
                                 std::uint64_t memory_bytes = ~std::uint64_t{0});
  /// Returns what build() allocates: exactly, except that kRange is recognised only afterwards and
  /// then frees its bitmap.
  static std::uint64_t predict_bytes(const JoinKeyFacts& facts);

  /// Sets bit i of `bits` if keys[i] can have a match, clears it if not, and clears the rest of the
  /// last word.
  void test(const std::uint64_t* keys, std::uint32_t count, std::uint64_t* bits) const;

  /// Returns false if no key of [least, most] can have a match; this is how whole slices are
  /// skipped by their zones. Ranges wider than 65,536 keys are not looked at in detail and give
  /// true.
  bool may_hold(std::uint64_t least, std::uint64_t most) const;
  struct Range {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
  };
  /// Returns the keys of the build side as ascending ranges with gaps between them; nullopt if
  /// there are more than `most` ranges, or for a Bloom filter, which does not know its keys.
  std::optional<std::vector<Range>> ranges(std::size_t most) const;

  /// Whether every key that passes has a match.
  bool exact() const { return kind_ != Kind::kBloom; }
  /// Whether it is known that no two rows of the build side have the same key.
  bool unique() const { return exact() && distinct_ == facts_.keys; }
  Kind kind() const { return kind_; }
  std::uint64_t bytes() const { return bitmap_.bytes() + blocks_.bytes(); }
  const JoinKeyFacts& facts() const { return facts_; }
  /// Returns a text for --explain: "bitmap, 0.8 MB".
  std::string describe() const;

 private:
  Status fill_bitmap(const BuildKeys& keys, unsigned threads);
  Status fill_bloom(const BuildKeys& keys, unsigned threads);

  Kind kind_ = Kind::kNothing;
  JoinKeyFacts facts_;
  std::uint64_t distinct_ = 0;  ///< different keys; of a Bloom filter unknown
  grouping::Column<std::uint64_t> bitmap_;
  grouping::Column<BloomBlock> blocks_;
};

}  // namespace presso::query::join
