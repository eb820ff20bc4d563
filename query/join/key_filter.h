// SPDX-License-Identifier: MIT
// Which keys can have a match: a filter that the scan of the probe side asks before it does
// anything else with a row. Never says no to a key of the build side. By what its keys are like:
//
//   kRange   every word from the least to the greatest key is one
//   kBitmap  a bit for each of them; exact
//   kBloom   a Bloom filter in blocks of 32 bytes: a key sets eight bits of one block, so that
//            asking costs one cache line; and the range
//
// NOTES.md has what it costs and how often it says yes wrongly.
// Tested by tests/unit/query/join/key_filter_test.cpp.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/group/column.h"
#include "query/join/join_table.h"
#include "query/join/kernels.h"

namespace presso::query::join {

class KeyFilter {
 public:
  enum class Kind : std::uint8_t { kNothing, kRange, kBitmap, kBloom };

  /// kOutOfMemory where it would take more than `memory_bytes`: then go without one.
  static Result<KeyFilter> build(const BuildKeys& keys, unsigned threads,
                                 std::uint64_t memory_bytes = ~std::uint64_t{0});
  /// What build() allocates at most; exactly that, but for kRange, which is found out by then.
  static std::uint64_t predict_bytes(const JoinKeyFacts& facts);

  /// Sets bit i of `bits` where keys[i] can have a match, clears it where it has none, and clears
  /// the rest of the last word.
  void test(const std::uint64_t* keys, std::uint32_t count, std::uint64_t* bits) const;

  /// False where no key of [least, most] can have a match. Of wide ranges that is not found out.
  bool may_hold(std::uint64_t least, std::uint64_t most) const;
  struct Range {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
  };
  /// The keys that have a match, as ascending ranges that do not touch; nullopt where these are
  /// more than `most`, or not known.
  std::optional<std::vector<Range>> ranges(std::size_t most) const;

  /// Whether a key that it lets pass has a match.
  bool exact() const { return kind_ != Kind::kBloom; }
  Kind kind() const { return kind_; }
  std::uint64_t bytes() const { return bitmap_.bytes() + blocks_.bytes(); }
  const JoinKeyFacts& facts() const { return facts_; }
  /// "bitmap, 0.8 MB", for --explain.
  std::string describe() const;

 private:
  Status fill_bitmap(const BuildKeys& keys, unsigned threads);
  Status fill_bloom(const BuildKeys& keys, unsigned threads);

  Kind kind_ = Kind::kNothing;
  JoinKeyFacts facts_;
  grouping::Column<std::uint64_t> bitmap_;
  grouping::Column<BloomBlock> blocks_;
};

}  // namespace presso::query::join
