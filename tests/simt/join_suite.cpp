// SPDX-License-Identifier: MIT
// Joins compared with a map on the CPU: every strategy, kind and order, keys of both widths,
// bitmaps, repeated and skewed keys, and parts that are too large for their tables.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <unordered_map>

#include "tests/simt/join_backend.h"
#include "tests/support/sanitized.h"

namespace presso::gpu::test {
namespace {

using Pair = std::pair<std::uint32_t, std::uint32_t>;

constexpr DeviceJoinAlgorithm kStrategies[] = {
    DeviceJoinAlgorithm::kDirect,      DeviceJoinAlgorithm::kTable,
    DeviceJoinAlgorithm::kRadix,       DeviceJoinAlgorithm::kMerge,
    DeviceJoinAlgorithm::kChained,     DeviceJoinAlgorithm::kChainedShared,
    DeviceJoinAlgorithm::kChainedSplit};
constexpr DeviceJoinAlgorithm kChains[] = {DeviceJoinAlgorithm::kChained,
                                           DeviceJoinAlgorithm::kChainedShared,
                                           DeviceJoinAlgorithm::kChainedSplit};
constexpr JoinKind kKinds[] = {JoinKind::kInner, JoinKind::kLeft,  JoinKind::kSemi,
                               JoinKind::kAnti,  JoinKind::kRight, JoinKind::kFull};

/// The key whose hash is all ones, which has a place of its own in tables.
constexpr std::uint64_t kKeyOfOnes = 0x9734AC60F75DA85Bu;

bool has_bit(const std::vector<std::uint32_t>& bits, std::size_t row) {
  return bits.empty() || (bits[row / 32] >> (row % 32) & 1) != 0;
}
bool is_selected(const JoinColumn& column, std::size_t row) {
  return has_bit(column.selected, row);
}
bool takes_part(const JoinColumn& column, std::size_t row) {
  return is_selected(column, row) && has_bit(column.valid, row);
}

struct Expected {
  std::vector<Pair> pairs;  ///< by probe row, then build row; behind them what has no probe row
  std::uint64_t unmatched = 0;
  std::vector<std::uint32_t> marks;
};

Expected expected_of(const JoinCase& asked) {
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> rows;
  rows.reserve(asked.build.keys.size());
  const std::uint64_t mask = asked.key_bytes == 4 ? 0xFFFFFFFFu : ~std::uint64_t{0};
  for (std::uint32_t row = 0; row < asked.build.keys.size(); ++row) {
    if (takes_part(asked.build, row)) rows[asked.build.keys[row] & mask].push_back(row);
  }
  Expected expected;
  expected.marks.resize((asked.build.keys.size() + 31) / 32);
  for (std::uint32_t row = 0; row < asked.probe.keys.size(); ++row) {
    auto found = rows.end();
    if (takes_part(asked.probe, row)) found = rows.find(asked.probe.keys[row] & mask);
    if (found == rows.end()) {
      const bool comes = asked.kind == JoinKind::kLeft || asked.kind == JoinKind::kAnti ||
                         asked.kind == JoinKind::kFull;
      if (comes && is_selected(asked.probe, row)) expected.pairs.emplace_back(row, kNoRow);
      continue;
    }
    for (const std::uint32_t build : found->second) expected.marks[build / 32] |= 1u << build % 32;
    if (asked.kind == JoinKind::kSemi) expected.pairs.emplace_back(row, kNoRow);
    if (asked.kind == JoinKind::kSemi || asked.kind == JoinKind::kAnti) continue;
    for (const std::uint32_t build : found->second) expected.pairs.emplace_back(row, build);
  }
  if (asked.kind != JoinKind::kRight && asked.kind != JoinKind::kFull) return expected;
  for (std::uint32_t row = 0; row < asked.build.keys.size(); ++row) {
    const bool has_match = (expected.marks[row / 32] >> row % 32 & 1) != 0;
    if (has_match || !is_selected(asked.build, row)) continue;
    expected.pairs.emplace_back(kNoRow, row);
    ++expected.unmatched;
  }
  return expected;
}

const char* name_of(DeviceJoinAlgorithm strategy) {
  constexpr const char* kNames[] = {"direct",  "table",          "radix",        "merge",
                                    "chained", "chained-shared", "chained-split"};
  return kNames[static_cast<std::size_t>(strategy)];
}
const char* name_of(JoinKind kind) {
  constexpr const char* kNames[] = {"inner", "left", "semi", "anti", "right", "full"};
  return kNames[static_cast<std::size_t>(kind)];
}

std::string text_of(const JoinCase& asked) {
  return std::string(name_of(asked.strategy)) + " " + name_of(asked.kind) + ", " +
         std::to_string(asked.build.keys.size()) + " x " + std::to_string(asked.probe.keys.size()) +
         " rows of " + std::to_string(8 * asked.key_bytes) + " bits" +
         (asked.ordered ? ", ordered" : "") + (asked.unique ? ", unique" : "") +
         (asked.marks ? ", marks" : "") + (asked.in_one_run ? ", in one run" : "") +
         (asked.says_range ? ", range" : "") + (asked.build.valid.empty() ? "" : ", bitmaps");
}

/// Keys of this list in the order that the strategy wants.
JoinColumn column_of(std::vector<std::uint64_t> keys, const JoinCase& asked) {
  if (asked.key_bytes == 4) {
    for (std::uint64_t& key : keys) key &= 0xFFFFFFFFu;
  }
  if (asked.strategy == DeviceJoinAlgorithm::kMerge) {
    std::sort(keys.begin(), keys.end(), key_order(asked));
  }
  return {std::move(keys), {}, {}};
}

class Joins : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string why = join_backend().unavailable();
    if (!why.empty()) GTEST_SKIP() << why;
  }

  void expect_right(const JoinCase& asked) { expect_right(asked, expected_of(asked)); }

  void expect_right(const JoinCase& asked, const Expected& expected) {
    SCOPED_TRACE(text_of(asked));
    auto outcome = join_backend().join(asked, ++seed_);
    ASSERT_TRUE(outcome.ok()) << outcome.error().message();
    EXPECT_EQ(outcome->totals.rows(), expected.pairs.size());
    EXPECT_EQ(outcome->totals.unmatched, expected.unmatched);
    EXPECT_TRUE(outcome->is_intact);
    if (asked.marks) {
      EXPECT_EQ(outcome->marks, expected.marks);
    }
    std::vector<Pair> pairs;
    const bool has_build = !outcome->build.empty();
    for (std::size_t i = 0; i < outcome->probe.size(); ++i) {
      pairs.emplace_back(outcome->probe[i], has_build ? outcome->build[i] : kNoRow);
    }
    // What has no probe row is ordered in any case, and comes last where there is room for it.
    if (!asked.ordered && pairs.size() == expected.pairs.size()) {
      std::sort(pairs.begin(), pairs.end() - static_cast<std::ptrdiff_t>(expected.unmatched));
    } else if (!asked.ordered) {
      std::sort(pairs.begin(), pairs.end());
    }
    if (!asked.in_one_run || asked.capacity >= expected.pairs.size()) {
      ASSERT_EQ(pairs.size(), expected.pairs.size());
      EXPECT_TRUE(pairs == expected.pairs) << first_difference(pairs, expected.pairs);
    } else {
      ASSERT_EQ(pairs.size(), asked.capacity);
      EXPECT_TRUE(std::adjacent_find(pairs.begin(), pairs.end()) == pairs.end());
      EXPECT_TRUE(
          std::includes(expected.pairs.begin(), expected.pairs.end(), pairs.begin(), pairs.end()));
    }
  }

  /// Counted first and in one run, in any order and in the order of rows.
  void expect_right_all_ways(JoinCase asked) {
    const std::uint64_t only = below(4);
    const Expected expected = expected_of(asked);
    for (std::uint64_t way = 0; way < 4; ++way) {
      if (presso::test::kIsSanitized && way != only) continue;
      asked.ordered = way >= 2;
      asked.in_one_run = way % 2 != 0;
      asked.capacity = expected.pairs.size() + 5;
      expect_right(asked, expected);
    }
  }

  static std::string first_difference(const std::vector<Pair>& a, const std::vector<Pair>& b) {
    std::size_t i = 0;
    while (i < a.size() && a[i] == b[i]) ++i;
    if (i == a.size()) return {};
    return "pair " + std::to_string(i) + ": " + std::to_string(a[i].first) + ", " +
           std::to_string(a[i].second) + " for " + std::to_string(b[i].first) + ", " +
           std::to_string(b[i].second);
  }

  std::uint64_t random() { return random_(); }
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  /// Different keys: spread over all 64 bits, or, for arrays, near one another.
  std::vector<std::uint64_t> distinct_keys(std::size_t count, const JoinCase& asked) {
    std::vector<std::uint64_t> keys(count);
    const std::uint64_t first = random() >> 1 & ~std::uint64_t{0xFFFFFF};
    for (std::size_t i = 0; i < count; ++i) {
      // Odd multiples differ in the lower half, too.
      keys[i] = asked.strategy == DeviceJoinAlgorithm::kDirect ? first + 3 * i
                                                               : (i + 1) * 0x9E3779B97F4A7C15u;
    }
    if (asked.strategy != DeviceJoinAlgorithm::kDirect && count > 3) keys[1] = kKeyOfOnes;
    std::shuffle(keys.begin(), keys.end(), random_);
    return keys;
  }

  /// Keys of which `match` in a thousand are build keys.
  std::vector<std::uint64_t> probe_keys(const std::vector<std::uint64_t>& build, std::size_t count,
                                        std::uint64_t match) {
    std::vector<std::uint64_t> keys(count);
    for (std::uint64_t& key : keys) {
      const std::uint64_t other = build.empty() ? random() : build[below(build.size())] + 1;
      key = !build.empty() && below(1000) < match ? build[below(build.size())] : other;
    }
    return keys;
  }

  std::vector<std::uint32_t> bits_of(std::size_t rows, std::uint64_t set) {
    std::vector<std::uint32_t> words((rows + 31) / 32);
    for (std::uint32_t& word : words) {
      for (std::uint32_t bit = 0; bit < 32; ++bit) word |= (below(1000) < set ? 1u : 0u) << bit;
    }
    return words;
  }

  void add_bitmaps(JoinCase& asked) {
    asked.build.valid = bits_of(asked.build.keys.size(), 900);
    asked.build.selected = bits_of(asked.build.keys.size(), 600);
    asked.probe.valid = bits_of(asked.probe.keys.size(), 800);
    asked.probe.selected = bits_of(asked.probe.keys.size(), 500);
  }

  static JoinTuning small_parts() {
    JoinTuning tuning;
    tuning.part_rows = 100;
    tuning.one_level_bits = 2;
    tuning.item_rows = 700;
    tuning.split_blocks = 4;
    return tuning;
  }

  std::mt19937_64 random_{20260};
  std::uint32_t seed_ = 0;
};

/// So few parts of the build side that the emulator has not too much to do.
constexpr std::uint32_t kSplitBlocks = 3;

JoinCase case_of(DeviceJoinAlgorithm strategy, std::uint32_t key_bytes) {
  JoinCase asked;
  asked.strategy = strategy;
  asked.key_bytes = key_bytes;
  asked.tuning.split_blocks = kSplitBlocks;
  return asked;
}

TEST_F(Joins, FindsEachKeyOfAUniqueSide) {
  for (const DeviceJoinAlgorithm strategy : kStrategies) {
    for (const std::uint32_t key_bytes : {4u, 8u}) {
      JoinCase asked = case_of(strategy, key_bytes);
      asked.unique = true;
      asked.tuning = small_parts();
      const auto build = distinct_keys(1025, asked);
      asked.build = column_of(build, asked);
      for (const std::uint64_t match : {1000, 100, 0}) {
        asked.probe = column_of(probe_keys(asked.build.keys, 1500, match), asked);
        expect_right_all_ways(asked);
      }
    }
  }
}

TEST_F(Joins, OfAllSizesAtTheEdges) {
  for (const DeviceJoinAlgorithm strategy : kStrategies) {
    JoinCase asked = case_of(strategy, 8);
    for (const std::size_t build : {0, 1, 31, 33, 1024}) {
      for (const std::size_t probe : {0, 1, 32, 1023, 1025}) {
        asked.unique = below(2) == 0;
        asked.ordered = below(2) == 0;
        asked.in_one_run = false;
        asked.key_bytes = below(2) == 0 ? 4 : 8;
        asked.kind = kKinds[below(std::size(kKinds))];
        asked.build = column_of(distinct_keys(build, asked), asked);
        asked.probe = column_of(probe_keys(asked.build.keys, probe, 700), asked);
        expect_right(asked);
      }
    }
  }
}

TEST_F(Joins, OfAllKindsWithBitmaps) {
  for (const DeviceJoinAlgorithm strategy : kStrategies) {
    for (const JoinKind kind : kKinds) {
      for (const bool unique : {false, true}) {
        JoinCase asked = case_of(strategy, 8);
        asked.kind = kind;
        asked.unique = unique;
        asked.tuning = small_parts();
        auto build = distinct_keys(unique ? 1100 : 300, asked);
        if (!unique) build = probe_keys(build, 1100, 1000);
        asked.build = column_of(build, asked);
        asked.probe = column_of(probe_keys(asked.build.keys, 1400, 600), asked);
        asked.marks = below(2) == 0;
        expect_right_all_ways(asked);
        add_bitmaps(asked);
        asked.marks = true;
        expect_right_all_ways(asked);
      }
    }
  }
}

TEST_F(Joins, OfKeysThatRepeat) {
  for (const DeviceJoinAlgorithm strategy : kStrategies) {
    for (const std::uint32_t key_bytes : {4u, 8u}) {
      JoinCase asked = case_of(strategy, key_bytes);
      asked.tuning = small_parts();
      // Groups of about 2, of about 20, and one of all rows.
      for (const std::size_t keys : {700, 70, 1}) {
        const auto distinct = distinct_keys(keys, asked);
        asked.build = column_of(probe_keys(distinct, 1300, 1000), asked);
        asked.probe = column_of(probe_keys(distinct, keys == 1 ? 40 : 1100, 800), asked);
        expect_right_all_ways(asked);
      }
    }
  }
}

TEST_F(Joins, OfNoRepeatedKeysWhereNobodyKnows) {
  for (const DeviceJoinAlgorithm strategy : kStrategies) {
    JoinCase asked = case_of(strategy, 8);
    asked.tuning = small_parts();
    asked.build = column_of(distinct_keys(1030, asked), asked);
    asked.probe = column_of(probe_keys(asked.build.keys, 1100, 500), asked);
    asked.marks = true;
    expect_right_all_ways(asked);
  }
}

TEST_F(Joins, OfSkewedKeys) {
  // Zipf with exponent 1.5, and one key of half of all probe rows.
  for (const DeviceJoinAlgorithm strategy : kStrategies) {
    JoinCase asked = case_of(strategy, 8);
    asked.tuning = small_parts();
    const auto distinct = distinct_keys(500, asked);
    std::vector<double> weights;
    for (std::size_t i = 0; i < distinct.size(); ++i) {
      weights.push_back(std::pow(static_cast<double>(i + 1), -1.5));
    }
    std::discrete_distribution<std::size_t> zipf(weights.begin(), weights.end());
    std::vector<std::uint64_t> build(600), probe(1500);
    for (std::uint64_t& key : build) key = distinct[zipf(random_)];
    for (std::uint64_t& key : probe) key = distinct[below(2) == 0 ? 7 : below(500)];
    asked.build = column_of(build, asked);
    asked.probe = column_of(probe, asked);
    expect_right_all_ways(asked);
  }
}

TEST_F(Joins, OfExtremeKeys) {
  // Among them the keys whose hashes are all ones and all zeros.
  const std::vector<std::uint64_t> extreme = {0,
                                              1,
                                              0x7FFFFFFFFFFFFFFFu,
                                              0x8000000000000000u,
                                              ~std::uint64_t{0},
                                              0xFFFFFFFFu,
                                              0x7FFFFFFFu,
                                              0x80000000u,
                                              kKeyOfOnes,
                                              0x1CD2C4C6u,
                                              0xFFFFFFFF00000000u};
  for (const DeviceJoinAlgorithm strategy : kStrategies) {
    if (strategy == DeviceJoinAlgorithm::kDirect) continue;
    for (const bool repeats : {false, true}) {
      JoinCase asked = case_of(strategy, 8);
      auto build = extreme;
      if (repeats) build.insert(build.end(), extreme.begin(), extreme.end());
      asked.build = column_of(build, asked);
      asked.probe = column_of(probe_keys(extreme, 100, 900), asked);
      expect_right_all_ways(asked);
    }
  }
  JoinCase direct = case_of(DeviceJoinAlgorithm::kDirect, 8);
  direct.build = column_of({~std::uint64_t{0}, ~std::uint64_t{0} - 7}, direct);
  direct.probe = column_of({0, ~std::uint64_t{0}, ~std::uint64_t{0} - 7, 5, 1}, direct);
  expect_right_all_ways(direct);
}

TEST_F(Joins, OfSignedKeysAroundZero) {
  for (const DeviceJoinAlgorithm strategy :
       {DeviceJoinAlgorithm::kDirect, DeviceJoinAlgorithm::kMerge}) {
    for (const std::uint32_t key_bytes : {4u, 8u}) {
      JoinCase asked = case_of(strategy, key_bytes);
      asked.is_signed = true;
      std::vector<std::uint64_t> build(1100), probe(1400);
      // Far more probe rows below than in the range of the build side, so that windows differ.
      for (std::uint64_t& key : build) key = below(900) - 450;
      for (std::uint64_t& key : probe) key = below(3000) - 2000;
      asked.build = column_of(build, asked);
      asked.probe = column_of(probe, asked);
      expect_right_all_ways(asked);
      // Few probe rows and a wide range: a tile's build keys do not fit into the window.
      build.resize(5000);
      for (std::uint64_t& key : build) key = below(9000) - 4500;
      asked.build = column_of(build, asked);
      probe.resize(100);
      asked.probe = column_of(probe, asked);
      asked.kind = JoinKind::kFull;
      expect_right_all_ways(asked);
    }
  }
}

/// A range of 64-bit keys that takes no more than 32 bits.
struct NarrowRange {
  std::uint64_t least;
  std::uint64_t last;  ///< the greatest key minus the least one
  bool is_signed;
};

/// At both ends of the numbers, across their end and across zero, as wide as 32 bits allow, and of
/// one key.
constexpr NarrowRange kNarrowRanges[] = {
    {0, 0xFFFFFFFFu, false},
    {~std::uint64_t{0} - 0xFFFFFFFFu, 0xFFFFFFFFu, false},
    {0x8000000000000000u, 0xFFFFFFFFu, true},
    {0x7FFFFFFF00000000u, 0xFFFFFFFFu, true},
    {~std::uint64_t{0} - 1000, 2500, true},
    {0xFFFFFFFF80000000u, 0xFFFFFFFFu, true},
    {0x123456789ABCDEF0u, 70'000, false},
    {0x123456789ABCDEF0u, 0, false},
};

TEST_F(Joins, OfKeysThatAreNarrowed) {
  for (const DeviceJoinAlgorithm strategy :
       {DeviceJoinAlgorithm::kTable, DeviceJoinAlgorithm::kRadix}) {
    for (const NarrowRange& range : kNarrowRanges) {
      JoinCase asked = case_of(strategy, 8);
      asked.says_range = true;
      asked.is_signed = range.is_signed;
      asked.tuning = small_parts();
      asked.kind = kKinds[below(std::size(kKinds))];
      asked.marks = below(2) == 0;
      std::vector<std::uint64_t> build(700), probe(1300);
      for (std::uint64_t& key : build) key = range.least + below(range.last + 1);
      build[5] = range.least;
      build[300] = range.least + range.last;
      for (std::uint64_t& key : probe) key = build[below(build.size())];
      // Keys outside of the range, among them those whose lower halves are those of build keys.
      for (std::size_t row = 0; row < probe.size(); row += 5) {
        const std::uint64_t outside[] = {range.least - 1,
                                         range.least + range.last + 1,
                                         probe[row] + (std::uint64_t{1} << 32),
                                         probe[row] - (std::uint64_t{1} << 32),
                                         ~std::uint64_t{0},
                                         0};
        probe[row] = outside[below(std::size(outside))];
      }
      asked.build = column_of(build, asked);
      asked.probe = column_of(probe, asked);
      expect_right_all_ways(asked);
      add_bitmaps(asked);
      asked.kind = kKinds[below(std::size(kKinds))];
      expect_right_all_ways(asked);
    }
  }
}

TEST_F(Joins, OfUniqueKeysThatAreNarrowed) {
  for (const DeviceJoinAlgorithm strategy :
       {DeviceJoinAlgorithm::kTable, DeviceJoinAlgorithm::kRadix}) {
    for (const JoinKind kind : kKinds) {
      JoinCase asked = case_of(strategy, 8);
      asked.says_range = true;
      asked.unique = true;
      asked.kind = kind;
      asked.tuning = small_parts();
      const std::uint64_t first = random();
      std::vector<std::uint64_t> build(1100);
      for (std::size_t i = 0; i < build.size(); ++i) build[i] = 3'900'000 * i;
      std::shuffle(build.begin(), build.end(), random_);
      // More than one tile for each of the blocks that the emulator runs.
      auto probe = probe_keys(build, strategy == DeviceJoinAlgorithm::kRadix ? 14'000 : 1500, 600);
      for (std::size_t row = 0; row < probe.size(); row += 9) probe[row] += std::uint64_t{7} << 32;
      for (std::uint64_t& key : build) key += first;
      for (std::uint64_t& key : probe) key += first;
      // The range is told as of unsigned numbers, which may end within.
      asked.is_signed = first > ~std::uint64_t{0} - 3'900'000u * 1100u;
      asked.build = column_of(build, asked);
      asked.probe = column_of(probe, asked);
      expect_right_all_ways(asked);
    }
  }
}

TEST_F(Joins, OfSidesWithoutRowsThatAreNarrowed) {
  for (const DeviceJoinAlgorithm strategy :
       {DeviceJoinAlgorithm::kTable, DeviceJoinAlgorithm::kRadix}) {
    for (const JoinKind kind : kKinds) {
      JoinCase asked = case_of(strategy, 8);
      asked.says_range = true;
      asked.kind = kind;
      asked.probe = column_of({0, 1, std::uint64_t{1} << 32}, asked);
      expect_right_all_ways(asked);
      std::swap(asked.build, asked.probe);
      asked.build.keys.pop_back();
      expect_right_all_ways(asked);
    }
  }
}

TEST_F(Joins, MergeWhereRowsThatTakeNoPartHaveAnyKeys) {
  JoinCase asked = case_of(DeviceJoinAlgorithm::kMerge, 8);
  const auto distinct = distinct_keys(2000, asked);
  for (const std::uint64_t valid : {0, 2, 600, 990}) {
    asked.kind = kKinds[below(std::size(kKinds))];
    asked.build = column_of(probe_keys(distinct, 2500, 1000), asked);
    asked.probe = column_of(probe_keys(distinct, 5000, 700), asked);
    for (JoinColumn* side : {&asked.build, &asked.probe}) {
      side->valid = bits_of(side->keys.size(), valid);
      // Two whole tiles of nulls, as well as single ones.
      for (std::size_t row = 0; row < side->keys.size(); ++row) {
        if (row / 1024 == 1 || row / 1024 == 2) side->valid[row / 32] &= ~(1u << row % 32);
        if (!has_bit(side->valid, row)) side->keys[row] = below(2) == 0 ? 0 : random();
      }
    }
    expect_right_all_ways(asked);
  }
}

TEST_F(Joins, OfPartsThatAreLargerThanTheirTables) {
  for (const JoinKind kind : kKinds) {
    for (const bool unique : {false, true}) {
      JoinCase asked = case_of(DeviceJoinAlgorithm::kRadix, 8);
      asked.kind = kind;
      asked.unique = unique;
      asked.marks = true;
      asked.tuning.most_bits = unique ? 1 : 2;
      asked.tuning.one_level_bits = 1;
      asked.tuning.most_slots = 160;
      asked.tuning.least_slots = 160;
      asked.tuning.item_rows = 900;
      auto build = distinct_keys(1200, asked);
      if (!unique) build = probe_keys(build, 1500, 1000);
      asked.build = column_of(build, asked);
      asked.probe = column_of(probe_keys(build, 1300, 700), asked);
      expect_right_all_ways(asked);
    }
  }
}

TEST_F(Joins, OfPartsThatAreWrittenInRunsOfAnyLength) {
  for (const std::uint32_t run_rows : {2u, 8u, 16u}) {
    for (const bool unique : {false, true}) {
      JoinCase asked = case_of(DeviceJoinAlgorithm::kRadix, 8);
      asked.unique = unique;
      asked.tuning = small_parts();
      asked.tuning.run_rows = run_rows;
      asked.build = column_of(distinct_keys(1200, asked), asked);
      // More than one tile for each of the blocks that the emulator runs.
      asked.probe = column_of(probe_keys(asked.build.keys, 14000, 500), asked);
      expect_right(asked);
    }
  }
}

TEST_F(Joins, OfChainsOfAnyLoad) {
  for (const DeviceJoinAlgorithm strategy : kChains) {
    // A slot for all rows at last, so that the chain has every row, row 0 and the last one too.
    for (const std::uint32_t load : {25u, 100u, 400u, 10000u}) {
      for (const std::uint32_t key_bytes : {4u, 8u}) {
        JoinCase asked = case_of(strategy, key_bytes);
        asked.tuning.chain_load = load;
        asked.kind = kKinds[below(std::size(kKinds))];
        asked.unique = below(2) == 0;
        const auto distinct = distinct_keys(load == 10000 ? 100 : 700, asked);
        asked.build =
            column_of(asked.unique ? distinct : probe_keys(distinct, distinct.size(), 1000), asked);
        auto probe = probe_keys(asked.build.keys, 900, 800);
        probe[0] = asked.build.keys[0];
        probe[1] = asked.build.keys.back();
        asked.probe = column_of(probe, asked);
        expect_right_all_ways(asked);
      }
    }
  }
}

TEST_F(Joins, OfAsManyChainedRowsAsFit) {
  // At 16 bytes a row of 64-bit keys, and 12 of 32.
  for (const std::uint32_t key_bytes : {4u, 8u}) {
    for (const std::size_t rows : {100, 101}) {
      JoinCase asked = case_of(DeviceJoinAlgorithm::kChainedShared, key_bytes);
      asked.tuning.slice_bytes = 100 * (key_bytes == 8 ? 16 : 12);
      asked.build = column_of(distinct_keys(rows, asked), asked);
      asked.probe = column_of(probe_keys(asked.build.keys, 5000, 700), asked);
      if (rows == 100) {
        expect_right_all_ways(asked);
        continue;
      }
      const auto outcome = join_backend().join(asked, 1);
      ASSERT_FALSE(outcome.ok());
      EXPECT_EQ(outcome.error().code, ErrorCode::kInvalidArgument);
      // In parts there may be any number of rows: more parts than were asked for.
      asked.strategy = DeviceJoinAlgorithm::kChainedSplit;
      asked.tuning.split_blocks = 1;
      expect_right_all_ways(asked);
    }
  }
  JoinCase asked = case_of(DeviceJoinAlgorithm::kChainedSplit, 8);
  asked.tuning.slice_bytes = 15;  // not one row
  asked.build = column_of(distinct_keys(10, asked), asked);
  const auto outcome = join_backend().join(asked, 1);
  ASSERT_FALSE(outcome.ok());
  EXPECT_EQ(outcome.error().code, ErrorCode::kInvalidArgument);
}

TEST_F(Joins, OfOneKeyInAllPartsOfAChainedSide) {
  // Parts of 70 rows, more of them than thread blocks that the emulator runs at once.
  for (const JoinKind kind : kKinds) {
    JoinCase asked = case_of(DeviceJoinAlgorithm::kChainedSplit, 8);
    asked.kind = kind;
    asked.marks = true;
    asked.tuning.split_blocks = 8;
    auto build = distinct_keys(560, asked);
    for (std::size_t row = 0; row < build.size(); row += 7) build[row] = build[3];
    asked.build = column_of(build, asked);
    auto probe = probe_keys(build, 4200, 500);
    for (std::size_t row = 0; row < probe.size(); row += 100) probe[row] = build[3];
    asked.probe = column_of(probe, asked);
    expect_right_all_ways(asked);
    add_bitmaps(asked);
    expect_right_all_ways(asked);
  }
}

TEST_F(Joins, WithoutRoomForAllPairs) {
  for (const DeviceJoinAlgorithm strategy : kStrategies) {
    for (const bool unique : {false, true}) {
      JoinCase asked = case_of(strategy, 4);
      asked.unique = unique;
      asked.in_one_run = true;
      asked.capacity = 333;
      const auto distinct = distinct_keys(400, asked);
      asked.build = column_of(unique ? distinct : probe_keys(distinct, 900, 1000), asked);
      asked.probe = column_of(probe_keys(distinct, 1200, 900), asked);
      expect_right(asked);
      asked.capacity = 0;
      expect_right(asked);
    }
  }
}

TEST_F(Joins, WithLongGroupsInOrder) {
  // Sorted by one thread, in shared memory, and by digits.
  for (const std::size_t rows : {std::size_t{9}, std::size_t{600}, std::size_t{9000}}) {
    for (const DeviceJoinAlgorithm strategy :
         {DeviceJoinAlgorithm::kTable, DeviceJoinAlgorithm::kRadix}) {
      JoinCase asked = case_of(strategy, 4);
      asked.ordered = true;
      asked.tuning = small_parts();
      std::vector<std::uint64_t> build = distinct_keys(100, asked);
      build.resize(100 + rows, build[5]);
      std::shuffle(build.begin(), build.end(), random_);
      asked.build = column_of(build, asked);
      asked.probe = column_of({build[5], build[0], build[1], build[2], build[3]}, asked);
      asked.probe.keys.push_back(asked.build.keys[50]);
      expect_right(asked);
    }
  }
}

TEST_F(Joins, OfManyRowsOnADevice) {
  if (!join_backend().is_fast()) GTEST_SKIP() << "too slow in the emulator";
  for (const DeviceJoinAlgorithm strategy : kStrategies) {
    for (const std::uint32_t key_bytes : {4u, 8u}) {
      for (const bool repeats : {false, true}) {
        JoinCase asked = case_of(strategy, key_bytes);
        // As many as fit where all have to fit into shared memory.
        const bool is_small = strategy == DeviceJoinAlgorithm::kChainedShared;
        const auto distinct = distinct_keys(is_small ? 10'000 : 300'000, asked);
        const std::size_t rows = is_small ? 12'000 : 500'000;
        asked.build = column_of(repeats ? probe_keys(distinct, rows, 1000) : distinct, asked);
        asked.probe = column_of(probe_keys(distinct, 1'500'000, 600), asked);
        asked.marks = repeats;
        expect_right_all_ways(asked);
        asked.tuning.one_level_bits = 4;
        add_bitmaps(asked);
        asked.kind = kKinds[below(std::size(kKinds))];
        expect_right_all_ways(asked);
      }
    }
  }
}

TEST(JoinPlans, RefuseWhatContradictsItself) {
  JoinInput input;
  EXPECT_TRUE(JoinPlan::make(input).ok());
  input.key_bytes = 2;
  EXPECT_EQ(JoinPlan::make(input).error().code, ErrorCode::kInvalidArgument);
  input.key_bytes = 4;
  input.build.count = 5;
  EXPECT_EQ(JoinPlan::make(input).error().code, ErrorCode::kInvalidArgument);
  alignas(16) const std::uint32_t keys[5] = {};
  input.build.d_keys = keys + 1;
  EXPECT_EQ(JoinPlan::make(input).error().code, ErrorCode::kInvalidArgument);
  input.build.d_keys = keys;
  EXPECT_TRUE(JoinPlan::make(input).ok());
  input.strategy = DeviceJoinAlgorithm::kDirect;
  EXPECT_EQ(JoinPlan::make(input).error().code, ErrorCode::kInvalidArgument);
  input.range = {1, 0};
  EXPECT_EQ(JoinPlan::make(input).error().code, ErrorCode::kInvalidArgument);
  input.key_bytes = 8;
  input.range = {0, std::uint64_t{1} << 33};
  EXPECT_EQ(JoinPlan::make(input).error().code, ErrorCode::kInvalidArgument);
  input.range = {0, 1u << 20};
  EXPECT_TRUE(JoinPlan::make(input).ok());
}

TEST(JoinPlans, OfChains) {
  alignas(16) const std::uint64_t keys[1000] = {};
  JoinInput input;
  input.build = {keys, nullptr, nullptr, 1000};
  input.probe = {keys, nullptr, nullptr, 1000};
  input.unique = true;
  JoinTuning tuning;
  for (const std::uint32_t load : {0u, 10'001u}) {
    tuning.chain_load = load;
    for (const DeviceJoinAlgorithm strategy : kChains) {
      input.strategy = strategy;
      EXPECT_EQ(JoinPlan::make(input, tuning).error().code, ErrorCode::kInvalidArgument);
    }
  }
  // In device memory a word a slot and one a row, in shared memory nothing.
  tuning.chain_load = 200;
  input.strategy = DeviceJoinAlgorithm::kChained;
  const auto chained = JoinPlan::make(input, tuning);
  ASSERT_TRUE(chained.ok());
  EXPECT_EQ(chained->chain_slots(), 500u);
  EXPECT_EQ(chained->temporary_bytes(), 256u + (4 * 1500 + 255) / 256 * 256);
  EXPECT_FALSE(chained->keeps_found());
  input.strategy = DeviceJoinAlgorithm::kChainedShared;
  const auto shared = JoinPlan::make(input, tuning);
  ASSERT_TRUE(shared.ok());
  EXPECT_EQ(shared->slices(), 1u);
  EXPECT_EQ(shared->temporary_bytes(), 256u);
  EXPECT_FALSE(shared->keeps_found());
  input.strategy = DeviceJoinAlgorithm::kChainedSplit;
  const auto split = JoinPlan::make(input, tuning);
  ASSERT_TRUE(split.ok());
  EXPECT_EQ(split->slice_rows(), 8u);  // of 128 thread blocks
  EXPECT_EQ(split->slices(), 125u);
  EXPECT_FALSE(split->keeps_found());
  // Which rows have no match is known behind the last part.
  input.kind = JoinKind::kLeft;
  EXPECT_TRUE(JoinPlan::make(input, tuning)->keeps_found());
  input.kind = JoinKind::kSemi;
  input.unique = false;
  EXPECT_TRUE(JoinPlan::make(input, tuning)->keeps_found());
}

TEST(JoinPlans, ChooseWhereNoStrategyIsNamed) {
  alignas(16) const std::uint64_t keys[4] = {};
  JoinInput input;
  input.strategy = DeviceJoinAlgorithm::kAuto;
  input.build = {keys, nullptr, nullptr, 4};
  input.probe = {keys, nullptr, nullptr, 4};
  EXPECT_EQ(JoinPlan::make(input)->input().strategy, DeviceJoinAlgorithm::kTable);
  // From -3 to 4: eight places.
  input.range = {~std::uint64_t{2}, 4};
  EXPECT_EQ(JoinPlan::make(input)->input().strategy, DeviceJoinAlgorithm::kDirect);
  EXPECT_EQ(JoinPlan::make(input)->places(), 8u);
  input.range = {0, std::uint64_t{1} << 40};
  EXPECT_EQ(JoinPlan::make(input)->input().strategy, DeviceJoinAlgorithm::kTable);
  input.ascends = true;
  EXPECT_EQ(JoinPlan::make(input)->input().strategy, DeviceJoinAlgorithm::kMerge);
}

TEST(JoinPlans, NarrowKeysWhoseRangeIsKnown) {
  alignas(16) const std::uint64_t keys[4] = {};
  JoinInput input;
  input.build = {keys, nullptr, nullptr, 4};
  input.probe = {keys, nullptr, nullptr, 4};
  const auto bytes_of = [&](DeviceJoinAlgorithm strategy) {
    input.strategy = strategy;
    return JoinPlan::make(input)->key_bytes();
  };
  EXPECT_EQ(bytes_of(DeviceJoinAlgorithm::kTable), 8u);
  // From -3 on, 2^32 keys.
  input.range = {~std::uint64_t{2}, 0xFFFFFFFCu};
  EXPECT_EQ(bytes_of(DeviceJoinAlgorithm::kTable), 4u);
  EXPECT_EQ(bytes_of(DeviceJoinAlgorithm::kRadix), 4u);
  EXPECT_TRUE(JoinPlan::make(input)->narrows());
  EXPECT_EQ(bytes_of(DeviceJoinAlgorithm::kMerge), 8u);
  EXPECT_EQ(bytes_of(DeviceJoinAlgorithm::kChained), 8u);
  input.range->most += 1;
  EXPECT_EQ(bytes_of(DeviceJoinAlgorithm::kTable), 8u);
  EXPECT_EQ(bytes_of(DeviceJoinAlgorithm::kRadix), 8u);
  input.range = {0, ~std::uint64_t{0}};
  EXPECT_EQ(bytes_of(DeviceJoinAlgorithm::kTable), 8u);
  input.key_bytes = 4;
  EXPECT_EQ(bytes_of(DeviceJoinAlgorithm::kTable), 4u);
  EXPECT_FALSE(JoinPlan::make(input)->narrows());
}

TEST(JoinPlans, KnowHowManyPairsThereMayBe) {
  alignas(16) const std::uint64_t keys[4] = {};
  JoinInput input;
  input.build = {keys, nullptr, nullptr, 3};
  input.probe = {keys, nullptr, nullptr, 4};
  EXPECT_EQ(JoinPlan::make(input)->most_pairs(), ~std::uint64_t{0});
  input.unique = true;
  EXPECT_EQ(JoinPlan::make(input)->most_pairs(), 4u);
  input.kind = JoinKind::kFull;
  EXPECT_EQ(JoinPlan::make(input)->most_pairs(), 7u);
}

TEST(JoinPlans, ChooseByWhatWasMeasured) {
  JoinFacts facts;
  facts.build_rows = 100'000'000;
  facts.probe_rows = 400'000'000;
  EXPECT_EQ(choose_strategy(facts), DeviceJoinAlgorithm::kRadix);
  facts.range = 150'000'000;
  EXPECT_EQ(choose_strategy(facts), DeviceJoinAlgorithm::kDirect);
  facts.range = 0;
  facts.ascend = true;
  EXPECT_EQ(choose_strategy(facts), DeviceJoinAlgorithm::kMerge);
  facts.ascend = false;
  facts.build_rows = 1'000'000;
  EXPECT_EQ(choose_strategy(facts), DeviceJoinAlgorithm::kTable);
  facts.build_rows = 2'000'000;
  EXPECT_EQ(choose_strategy(facts), DeviceJoinAlgorithm::kRadix);
  facts.key_bytes = 4;
  EXPECT_EQ(choose_strategy(facts), DeviceJoinAlgorithm::kTable);
  // 64-bit keys of a range that takes 32 are as good, where it is too large for an array.
  alignas(16) const std::uint64_t keys[4] = {};
  JoinInput input;
  input.strategy = DeviceJoinAlgorithm::kAuto;
  input.build = {keys, nullptr, nullptr, 2'000'000};
  input.probe = {keys, nullptr, nullptr, 400'000'000};
  EXPECT_EQ(JoinPlan::make(input)->input().strategy, DeviceJoinAlgorithm::kRadix);
  input.range = {0, std::uint64_t{1} << 31};
  EXPECT_EQ(JoinPlan::make(input)->input().strategy, DeviceJoinAlgorithm::kTable);
  EXPECT_EQ(JoinPlan::make(input)->key_bytes(), 4u);
}

}  // namespace
}  // namespace presso::gpu::test
