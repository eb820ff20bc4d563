// SPDX-License-Identifier: MIT
// The encoder's dependency test against a model that looks at every byte on its own, over all short
// chains of sequences; then what the parsers choose, against the same model.
#include "compress/parse/dependency.h"

#include <gtest/gtest.h>

#include <random>

#include "compress/parse/parser.h"
#include "tests/support/test_data.h"

namespace presso::dependency_test {
namespace {

constexpr DependencyRule kRules[] = {DependencyRule::kNone, DependencyRule::kStrict,
                                     DependencyRule::kLiteralAware, DependencyRule::kTwoWave,
                                     DependencyRule::kTile};

/// The rules as FORMAT.md 6.3 states them, byte by byte. Tiles are shorter here than in files.
class Model {
 public:
  Model(DependencyRule rule, std::uint32_t group) : rule_(rule), group_(group) {}

  /// Whether a match at `to` may copy from `distance` before it.
  bool allows(std::uint32_t to, std::uint32_t distance, std::uint32_t length) const {
    if (rule_ == DependencyRule::kNone || distance > to) return true;
    if (rule_ == DependencyRule::kTile) return allows_in_tiles(to, distance, length);
    for (std::uint32_t from = to - distance; from < to - distance + length; ++from) {
      if (from < group_start_) continue;
      if (rule_ == DependencyRule::kStrict) return false;
      if (from >= to) continue;  // its own bytes: a pattern that repeats
      const char writer = from < writers_.size() ? writers_[from] : 'l';
      if (rule_ == DependencyRule::kLiteralAware && writer != 'l') return false;
      if (rule_ == DependencyRule::kTwoWave && writer == '2') return false;
    }
    return true;
  }

  bool allows_in_tiles(std::uint32_t to, std::uint32_t distance, std::uint32_t length) const {
    for (std::uint32_t i = 0; i < length; ++i) {
      const std::uint32_t source = to - distance + i % distance;
      const bool is_second = source < writers_.size() && writers_[source] == '2';
      if (source >= tile_start(to + i) && is_second) return false;
    }
    return true;
  }

  /// Whether any of its bytes is of the second wave.
  bool is_first_wave(std::uint32_t to, std::uint32_t distance, std::uint32_t length) const {
    for (std::uint32_t i = 0; i < length; ++i) {
      if (wave_in_tiles(to, distance, i) == '2') return false;
    }
    return true;
  }

  /// Whether a match reads nothing at or after the start of its group; so does none at all.
  bool is_first_wave_of_group(const Sequence& sequence, std::uint32_t to) const {
    return sequence.match == 0 || sequence.distance > to ||
           to - sequence.distance + sequence.match <= group_start_;
  }

  std::uint32_t longest(std::uint32_t to, std::uint32_t distance, std::uint32_t length) const {
    while (length > 0 && !allows(to, distance, length)) --length;
    return length;
  }

  void add(const Sequence& sequence) {
    writers_.insert(writers_.end(), sequence.literals, 'l');
    const auto to = static_cast<std::uint32_t>(writers_.size());
    if (rule_ == DependencyRule::kTile) {
      for (std::uint32_t i = 0; i < sequence.match; ++i) {
        writers_.push_back(wave_in_tiles(to, sequence.distance, i));
      }
      return;
    }
    const bool inside = sequence.distance <= to;
    const bool second = inside && to - sequence.distance + sequence.match > group_start_;
    writers_.insert(writers_.end(), sequence.match, second ? '2' : '1');
    if (++in_group_ % group_ == 0) group_start_ = static_cast<std::uint32_t>(writers_.size());
  }

  bool has_tiles() const { return rule_ == DependencyRule::kTile; }
  std::uint32_t at() const { return static_cast<std::uint32_t>(writers_.size()); }

 private:
  std::uint32_t tile_start(std::uint32_t at) const { return at / group_ * group_; }

  /// Of byte `i` that a match at `to` writes.
  char wave_in_tiles(std::uint32_t to, std::uint32_t distance, std::uint32_t i) const {
    return distance <= to && to - distance + i % distance >= tile_start(to + i) ? '2' : '1';
  }

  DependencyRule rule_;
  std::uint32_t group_;
  std::uint32_t in_group_ = 0;
  std::uint32_t group_start_ = 0;
  std::vector<char> writers_;  ///< of each byte: literal, first wave, second wave
};

void expect_same_answers(const Model& model, const DependencyTracker& tracker) {
  for (std::uint32_t literals = 0; literals < 2; ++literals) {
    const std::uint32_t to = model.at() + literals;
    for (std::uint32_t distance = 1; distance <= to + 3; ++distance) {
      for (const std::uint32_t length : {1u, 2u, 4u, 7u}) {
        ASSERT_EQ(tracker.legal_length(to, distance, length), model.longest(to, distance, length))
            << "at " << to << " distance " << distance << " length " << length;
        if (!model.has_tiles()) continue;
        ASSERT_EQ(tracker.is_first_wave(to, distance, length),
                  model.is_first_wave(to, distance, length))
            << "at " << to << " distance " << distance << " length " << length;
      }
    }
  }
}

/// Every chain of up to `depth` more sequences with small literals, matches and distances, each
/// match legal when it is added.
void explore(const Model& model, const DependencyTracker& tracker, int depth) {
  expect_same_answers(model, tracker);
  if (depth == 0 || ::testing::Test::HasFatalFailure()) return;
  for (const std::uint32_t literals : {0u, 2u}) {
    for (const std::uint32_t match : {0u, 1u, 3u}) {
      const std::uint32_t to = model.at() + literals;
      for (std::uint32_t distance = 1; distance <= to + 1; ++distance) {
        if (match > 0 && !model.allows(to, distance, match)) continue;
        Model next_model = model;
        DependencyTracker next_tracker = tracker;
        const Sequence sequence{literals, match, match > 0 ? distance : 0};
        next_tracker.add(sequence, model.at());
        next_model.add(sequence);
        explore(next_model, next_tracker, depth - 1);
        if (match == 0) break;
      }
    }
  }
}

TEST(DependencyTracker, AgreesWithTheModelOnAllShortChains) {
  for (const DependencyRule rule : kRules) {
    for (const std::uint32_t group : {2u, 3u, 8u}) {
      if (group == 3 && rule == DependencyRule::kTile) continue;  // a power of two
      SCOPED_TRACE("rule " + std::to_string(static_cast<int>(rule)));
      DependencyTracker tracker(rule, group);
      tracker.begin_block(64);
      explore(Model(rule, group), tracker, 3);
    }
  }
}

TEST(DependencyTracker, AgreesWithTheModelOnLongChains) {
  std::mt19937 random(1);
  for (const DependencyRule rule : kRules) {
    DependencyTracker tracker(rule, 32);
    for (int block = 0; block < 20; ++block) {  // one tracker: nothing of a block may remain
      tracker.begin_block(100000);
      Model model(rule, 32);
      for (int i = 0; i < 150; ++i) {
        const std::uint32_t at = model.at();
        const auto literals = static_cast<std::uint32_t>(random() % 90);
        const std::uint32_t to = at + literals;
        const auto distance = static_cast<std::uint32_t>(1 + random() % (to + 100));
        const auto wanted = static_cast<std::uint32_t>(1 + random() % 300);
        const std::uint32_t length = model.longest(to, distance, wanted);
        ASSERT_EQ(tracker.legal_length(to, distance, wanted), length) << "sequence " << i;
        const Sequence sequence{literals, length, length > 0 ? distance : 0};
        tracker.add(sequence, at);
        model.add(sequence);
      }
    }
  }
}

// --- What the parsers choose

enum class Kind {
  kFast,
  kOneTable,
  kTwoTables,
  kFourPlaces,
  kRowByte,
  kRowBit,
  kWideRow,
  kChain,
  kOptimalByte,
  kOptimalBit
};

class ParserProperties : public ::testing::TestWithParam<std::tuple<Kind, DependencyRule>> {
 protected:
  ParserParameters parameters() const {
    ParserParameters parameters;
    const Kind kind = std::get<0>(GetParam());
    parameters.kind = parser_of(kind);
    parameters.dense = kind == Kind::kFast;
    parameters.lazy = kLazy[static_cast<int>(kind) % 3];
    if (parameters.kind == ParserKind::kRow) {
      parameters.depth = kRowDepth[static_cast<int>(kind) % 3];
      parameters.row_key = kind == Kind::kRowBit ? 6 : 4;
    }
    const bool bit = (kind >= Kind::kOneTable && kind <= Kind::kFourPlaces) ||
                     kind == Kind::kRowBit || kind == Kind::kOptimalBit;
    parameters.coding = bit ? Coding::kBit : Coding::kByte;
    parameters.rule = std::get<1>(GetParam());
    parameters.min_match = kind == Kind::kFast ? 6 : 4;
    parameters.hash_bits = 14;
    return parameters;
  }

  static ParserKind parser_of(Kind kind) {
    if (kind == Kind::kFast) return ParserKind::kFast;
    if (kind == Kind::kOneTable) return ParserKind::kOneTable;
    if (kind == Kind::kTwoTables) return ParserKind::kTwoTables;
    if (kind == Kind::kFourPlaces) return ParserKind::kFourPlaces;
    if (kind <= Kind::kWideRow) return ParserKind::kRow;
    return kind == Kind::kChain ? ParserKind::kChain : ParserKind::kOptimal;
  }

  // By the kinds of rows: of 12, 28 and 60 places.
  static constexpr std::uint32_t kRowDepth[] = {12, 28, 60};
  static constexpr std::uint32_t kLazy[] = {0, 1, 2};

  static Sequences parse(Bytes plain, const ParserParameters& parameters,
                         const DictionaryIndex* dictionary) {
    Sequences sequences;
    make_parser(parameters)->parse(plain, dictionary, sequences);
    return sequences;
  }

  /// The sequences stand for exactly these bytes, within all limits of the parameters.
  static void expect_valid(Bytes plain, Bytes dictionary, const Sequences& sequences,
                           const ParserParameters& parameters) {
    Model model(parameters.rule, parameters.group);
    for (const Sequence& sequence : sequences) {
      const std::uint32_t to = model.at() + sequence.literals;
      ASSERT_LE(to + sequence.match, plain.size());
      ASSERT_LE(sequence.literals, kLongestLength);
      if (sequence.match > 0) {
        expect_valid_match(plain, dictionary, to, sequence, parameters);
        ASSERT_TRUE(model.allows(to, sequence.distance, sequence.match)) << "at " << to;
      }
      model.add(sequence);
    }
  }

  static void expect_valid_match(Bytes plain, Bytes dictionary, std::uint32_t to,
                                 const Sequence& sequence, const ParserParameters& parameters) {
    ASSERT_GE(sequence.match, parameters.min_match);
    ASSERT_LE(sequence.match, std::min(parameters.lookahead, kLongestLength));
    ASSERT_GE(sequence.distance, 1u);
    ASSERT_LE(sequence.distance, parameters.window);
    const bool inside = sequence.distance <= to;
    const std::uint32_t before = inside ? 0 : sequence.distance - to;
    ASSERT_LE(before, dictionary.size());
    // A source lies in the dictionary as a whole.
    ASSERT_TRUE(inside || sequence.match <= before);
    const Byte* from = inside ? plain.data() + to - sequence.distance
                              : dictionary.data() + dictionary.size() - before;
    ASSERT_TRUE(std::equal(from, from + sequence.match, plain.data() + to)) << "at " << to;
  }

  static std::vector<std::vector<Byte>> inputs() {
    std::vector<Byte> runs(30000, 'r');
    for (std::size_t i = 0; i < runs.size(); i += 1 + i / 7) runs[i] = 's';
    std::vector<Byte> mixed = test::log_lines(20000, 3);
    const std::vector<Byte> noise = test::random_bytes(30000, 4);
    mixed.insert(mixed.end(), noise.begin(), noise.end());
    mixed.insert(mixed.end(), mixed.begin(), mixed.begin() + 25000);
    return {{},
            test::few_letters(13, 2, 1),
            test::few_letters(3000, 2, 1),
            test::few_letters(50000, 4, 2),
            test::log_lines(60000, 5),
            std::vector<Byte>(80000, 'x'),
            runs,
            mixed};
  }
};

TEST_P(ParserProperties, SequencesStandForTheInputAndObeyTheRule) {
  for (const std::vector<Byte>& plain : inputs()) {
    for (const std::uint32_t group : {32u, 256u, 2048u}) {
      ParserParameters with = parameters();
      with.group = group;
      expect_valid(plain, {}, parse(plain, with, nullptr), with);
      if (HasFatalFailure()) return;
    }
  }
}

TEST_P(ParserProperties, WindowAndLookaheadAreRespected) {
  for (const std::vector<Byte>& plain : inputs()) {
    ParserParameters with = parameters();
    with.window = 1024;
    with.lookahead = 12;
    expect_valid(plain, {}, parse(plain, with, nullptr), with);
    if (HasFatalFailure()) return;
  }
}

TEST_P(ParserProperties, DictionaryMatchesLieInTheDictionary) {
  const std::vector<Byte> dictionary = test::log_lines(20000, 6);
  for (const std::vector<Byte>& plain : inputs()) {
    const ParserParameters with = parameters();
    const DictionaryIndex index = index_dictionary(dictionary, with);
    const Sequences sequences = parse(plain, with, &index);
    expect_valid(plain, dictionary, sequences, with);
    if (HasFatalFailure()) return;
  }
}

TEST_P(ParserProperties, StalenessKeepsTheSequencesValid) {
  for (const std::uint32_t staleness : {1u, 100u, 70000u}) {
    ParserParameters with = parameters();
    with.staleness = staleness;
    const std::vector<Byte> plain = test::log_lines(60000, 7);
    expect_valid(plain, {}, parse(plain, with, nullptr), with);
    if (HasFatalFailure()) return;
  }
}

TEST_P(ParserProperties, FindsWhatRepeats) {
  // Rows remember the last third of a block, or more where less of it is new.
  const std::vector<Byte> page = test::random_bytes(10000, 8);
  std::vector<Byte> plain;
  for (int i = 0; i < 4; ++i) plain.insert(plain.end(), page.begin(), page.end());
  std::uint64_t matched = 0;
  for (const Sequence& sequence : parse(plain, parameters(), nullptr)) matched += sequence.match;
  EXPECT_GT(matched, 29000u);
}

TEST(ChainParser, SequenceCostMakesSequencesFewer) {
  const std::vector<Byte> plain = test::log_lines(60000, 9);
  std::size_t before = plain.size();
  for (const std::uint32_t cost : {0u, 8u, 16u, 64u}) {
    ParserParameters with;
    with.sequence_cost = cost;
    Sequences sequences;
    make_parser(with)->parse(plain, nullptr, sequences);
    EXPECT_LT(sequences.size(), before) << "cost " << cost;
    EXPECT_GT(sequences.size(), 0u);
    before = sequences.size();
  }
}

/// Prices and tables of one block are nothing to the next.
TEST_P(ParserProperties, AUsedParserGivesWhatAFreshOneGives) {
  for (std::uint32_t seed = 0; seed < 16; ++seed) {
    const std::vector<Byte> first = test::log_lines(2000 + 997 * seed, seed);
    const std::vector<Byte> second = test::log_lines(12000, 1000 + seed);
    Sequences sequences;
    const auto used = make_parser(parameters());
    used->parse(seed % 2 == 0 ? first : std::vector<Byte>(5000 + seed), nullptr, sequences);
    used->parse(second, nullptr, sequences);
    const Sequences fresh = parse(second, parameters(), nullptr);
    ASSERT_EQ(sequences.size(), fresh.size()) << seed;
    for (std::size_t i = 0; i < fresh.size(); ++i) {
      ASSERT_EQ(sequences[i].literals, fresh[i].literals);
      ASSERT_EQ(sequences[i].match, fresh[i].match);
      ASSERT_EQ(sequences[i].distance, fresh[i].distance);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, ParserProperties,
    ::testing::Combine(::testing::Values(Kind::kFast, Kind::kOneTable, Kind::kTwoTables,
                                         Kind::kFourPlaces, Kind::kRowByte, Kind::kRowBit,
                                         Kind::kWideRow, Kind::kChain, Kind::kOptimalByte,
                                         Kind::kOptimalBit),
                       ::testing::ValuesIn(kRules)));

}  // namespace
}  // namespace presso::dependency_test
