// SPDX-License-Identifier: MIT
// DeviceJoiner with one to three columns of keys over the emulated device: packed by their ranges,
// numbered where these take too many bits, and one column narrowed to 32 bits; compared with a map
// on the CPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "tests/simt/joined_columns.h"

namespace presso::gpu::device_joiner_keys_test {
namespace {

using namespace test;

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kLeast32 = std::numeric_limits<std::int32_t>::min();
constexpr std::int64_t kMost32 = std::numeric_limits<std::int32_t>::max();

/// What keys a column has: `most` minus `least` modulo 2^64 is how far they go.
struct KeyShape {
  JoinKeyType type = JoinKeyType::kInt64;
  std::int64_t least = 0;
  std::int64_t most = 0;
};

std::int64_t key_in(const KeyShape& shape) {
  const std::uint64_t span =
      static_cast<std::uint64_t>(shape.most) - static_cast<std::uint64_t>(shape.least);
  const std::uint64_t random = below(std::numeric_limits<std::uint64_t>::max());
  // Ends are common.
  if (random % 8 == 0) return shape.least;
  if (random % 8 == 1) return shape.most;
  const std::uint64_t place =
      span == std::numeric_limits<std::uint64_t>::max() ? random : random % (span + 1);
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(shape.least) + place);
}

std::size_t width_of(JoinKeyType type) {
  return type == JoinKeyType::kInt32 || type == JoinKeyType::kUint32 ? 4 : 8;
}

/// The number that a column of the type gives back for a key.
std::int64_t stored_key(JoinKeyType type, std::int64_t key) {
  if (type == JoinKeyType::kInt32) return static_cast<std::int32_t>(key);
  if (type == JoinKeyType::kUint32) return static_cast<std::uint32_t>(key);
  return key;
}

/// Tuples of which there are `distinct`, each with rows anywhere.
TestSide side_of(const std::vector<KeyShape>& shapes, std::size_t rows, std::size_t distinct) {
  TestSide tuples(shapes.size()), side(shapes.size());
  for (std::size_t column = 0; column < shapes.size(); ++column) {
    for (std::size_t i = 0; i < distinct; ++i)
      tuples[column].keys.push_back(key_in(shapes[column]));
    // Both ends are there.
    tuples[column].keys[0] = shapes[column].least;
    tuples[column].keys.back() = shapes[column].most;
  }
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t tuple = row < distinct ? row : below(distinct);
    for (std::size_t column = 0; column < shapes.size(); ++column) {
      side[column].keys.push_back(tuples[column].keys[tuple]);
    }
  }
  return side;
}

/// Rows of which most have the keys of a build row; of others one key differs, by one, by 2^32, or
/// so that it is outside of the range.
TestSide probe_of(const TestSide& build, const std::vector<KeyShape>& shapes, std::size_t rows) {
  TestSide probe(shapes.size());
  for (std::size_t row = 0; row < rows; ++row) {
    const std::size_t match = below(build[0].keys.size());
    const std::size_t changed = below(4) == 0 ? below(shapes.size()) : shapes.size();
    for (std::size_t column = 0; column < shapes.size(); ++column) {
      const KeyShape& shape = shapes[column];
      auto key = static_cast<std::uint64_t>(build[column].keys[match]);
      if (column == changed) {
        const std::uint64_t changes[] = {key + 1, key - 1, key + (std::uint64_t{1} << 32),
                                         static_cast<std::uint64_t>(shape.least) - 1,
                                         static_cast<std::uint64_t>(shape.most) + 1};
        key = changes[below(std::size(changes))];
      }
      probe[column].keys.push_back(stored_key(shape.type, static_cast<std::int64_t>(key)));
    }
  }
  return probe;
}

void add_bits(TestSide& side) {
  const std::size_t rows = side[0].keys.size();
  for (TestColumn& column : side) {
    if (below(4) != 0) column.valid = random_bits(rows, 9);
  }
  side[0].selected = random_bits(rows, 7);
}

/// Rows ascend by the first key, then the second, each as its type does.
void sort_rows(TestSide& side, const std::vector<KeyShape>& shapes) {
  std::vector<std::vector<std::int64_t>> rows(side[0].keys.size());
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (const TestColumn& column : side) rows[row].push_back(column.keys[row]);
  }
  std::sort(rows.begin(), rows.end(), [&](const auto& a, const auto& b) {
    for (std::size_t column = 0; column < shapes.size(); ++column) {
      if (a[column] == b[column]) continue;
      const bool is_less = a[column] < b[column];
      const bool turns = !is_signed(shapes[column].type) && (a[column] < 0) != (b[column] < 0);
      return turns ? !is_less : is_less;
    }
    return false;
  });
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t column = 0; column < shapes.size(); ++column) {
      side[column].keys[row] = rows[row][column];
    }
  }
}

/// A side in memory, its columns at different addresses.
class PlacedSide {
 public:
  PlacedSide(const TestSide& from, const std::vector<KeyShape>& shapes) {
    for (std::size_t column = 0; column < from.size(); ++column) {
      columns_.push_back(std::make_unique<Placed>(from[column], shapes[column].type, below(40)));
      side.keys.push_back(columns_.back()->column);
    }
    side.d_selected = columns_[0]->side().d_selected;
  }

  JoinSide side;

 private:
  std::vector<std::unique_ptr<Placed>> columns_;
};

struct SeveralKeys {
  std::vector<KeyShape> shapes;
  TestSide build;
  TestSide probe;
};

SeveralKeys keys_of_shapes(const std::vector<KeyShape>& shapes, std::size_t build_rows = 600,
                           std::size_t probe_rows = 900, std::size_t distinct = 300) {
  SeveralKeys keys{shapes, side_of(shapes, build_rows, distinct), {}};
  keys.probe = probe_of(keys.build, shapes, probe_rows);
  return keys;
}

/// Joins them in any order and in the order of rows.
void expect_right(const Joiner& at, const SeveralKeys& keys, JoinRequest request) {
  const PlacedSide build(keys.build, keys.shapes), probe(keys.probe, keys.shapes);
  request.build = build.side;
  request.probe = probe.side;
  for (const bool ordered : {false, true}) {
    SCOPED_TRACE("strategy " + std::to_string(static_cast<int>(request.strategy)) + ", kind " +
                 std::to_string(static_cast<int>(request.kind)) + (ordered ? ", ordered" : ""));
    request.ordered = ordered;
    const auto found = at.joiner.join(request, nullptr);
    ASSERT_TRUE(found.ok()) << found.error().message();
    expect_pairs(*found, expected_pairs(keys.build, keys.probe, request.kind), ordered);
    EXPECT_EQ(at.faults->live_bytes, found->device_bytes());
  }
  EXPECT_EQ(at.faults->live_bytes, 0u);
}

const std::vector<KeyShape> kSmallPair = {{JoinKeyType::kInt32, -20, 19},
                                          {JoinKeyType::kUint64, kMost - 10, kLeast + 9}};
const std::vector<KeyShape> kSmallTriple = {{JoinKeyType::kInt64, kLeast, kLeast + 12},
                                            {JoinKeyType::kUint32, 0xFFFFFFF0, 0xFFFFFFFF},
                                            {JoinKeyType::kInt64, kMost - 6, kMost}};
const std::vector<KeyShape> kWideTriple = {{JoinKeyType::kInt64, kLeast, kMost},
                                           {JoinKeyType::kUint64, 0, -1},
                                           {JoinKeyType::kInt32, kLeast32, kMost32}};

TEST(DeviceJoinerKeys, GiveWhatAMapGives) {
  const Joiner at;
  for (const std::vector<KeyShape>& shapes : {kSmallPair, kSmallTriple}) {
    for (const DeviceJoinAlgorithm strategy : kStrategies) {
      for (const JoinKind kind : kKinds) {
        SeveralKeys keys = keys_of_shapes(shapes);
        JoinRequest request;
        request.kind = kind;
        request.strategy = strategy;
        request.ascends = strategy == DeviceJoinAlgorithm::kMerge;
        if (request.ascends) {
          sort_rows(keys.build, shapes);
          sort_rows(keys.probe, shapes);
        }
        if (below(3) != 0) {
          add_bits(keys.build);
          add_bits(keys.probe);
        }
        expect_right(at, keys, request);
        EXPECT_EQ(at.kernels->key_bytes, 4u);
        EXPECT_EQ(at.kernels->numbered, 0);
      }
    }
  }
}

TEST(DeviceJoinerKeys, MayTakeAnyRange) {
  struct Ranges {
    std::vector<KeyShape> shapes;
    std::uint32_t key_bytes;
    int numbered;  ///< columns, or columns before them together
  };
  const Ranges kRanges[] = {
      // 64 bits and no more.
      {{{JoinKeyType::kInt32, kLeast32, kMost32}, {JoinKeyType::kUint32, 0, 0xFFFFFFFF}}, 8, 0},
      {{{JoinKeyType::kInt64, kLeast, kMost}, {JoinKeyType::kInt64, 7, 7}}, 8, 0},
      {{{JoinKeyType::kInt64, 7, 7}, {JoinKeyType::kUint64, 0, -1}, {JoinKeyType::kInt32, -3, -3}},
       8,
       0},
      // A place more.
      {{{JoinKeyType::kInt64, kLeast, kMost}, {JoinKeyType::kInt64, 7, 8}}, 4, 1},
      {{{JoinKeyType::kInt32, 0, 1}, {JoinKeyType::kUint64, 0, -1}}, 4, 1},
      {{{JoinKeyType::kInt32, kLeast32, kMost32},
        {JoinKeyType::kUint32, 0, 0xFFFFFFFF},
        {JoinKeyType::kInt32, 0, 1}},
       4,
       1},
      // All of them wide.
      {{{JoinKeyType::kInt64, kLeast, kMost}, {JoinKeyType::kUint64, 0, -1}}, 4, 2},
      {kWideTriple, 8, 2},
      {{{JoinKeyType::kInt64, kLeast, kMost},
        {JoinKeyType::kInt64, kLeast, kMost},
        {JoinKeyType::kUint64, 0, -1}},
       4,
       3},
      // 32 bits and a place more.
      {{{JoinKeyType::kInt64, kLeast, kLeast + 0xFFFF}, {JoinKeyType::kInt32, -5, 0xFFFF - 5}},
       4,
       0},
      {{{JoinKeyType::kInt64, kMost - 0x10000, kMost}, {JoinKeyType::kInt32, -5, 0xFFFF - 5}},
       8,
       0},
      // Across the end of the numbers, which of unsigned ones is the middle.
      {{{JoinKeyType::kInt64, -70'000, 70'000}, {JoinKeyType::kUint64, kMost - 9, kLeast + 9}},
       4,
       0},
      {{{JoinKeyType::kUint64, -9, -1}, {JoinKeyType::kUint32, 0x7FFFFFF0, 0x80000010}}, 4, 0},
  };
  for (const Ranges& ranges : kRanges) {
    for (const DeviceJoinAlgorithm strategy :
         {DeviceJoinAlgorithm::kAuto, DeviceJoinAlgorithm::kTable, DeviceJoinAlgorithm::kRadix}) {
      const Joiner at;
      SCOPED_TRACE("ranges " + std::to_string(&ranges - kRanges));
      SeveralKeys keys = keys_of_shapes(ranges.shapes);
      JoinRequest request;
      request.kind = kKinds[below(std::size(kKinds))];
      request.strategy = strategy;
      expect_right(at, keys, request);
      EXPECT_EQ(at.kernels->key_bytes, ranges.key_bytes);
      EXPECT_EQ(at.kernels->numbered, 2 * ranges.numbered);
      EXPECT_EQ(at.kernels->packed_sides, 2 * (2 + 2 * ranges.numbered));
    }
  }
}

TEST(DeviceJoinerKeys, OfAllKindsWithNumbers) {
  const Joiner at;
  for (const JoinKind kind : kKinds) {
    for (const bool unique : {false, true}) {
      SeveralKeys keys =
          unique ? keys_of_shapes(kWideTriple, 500, 900, 500) : keys_of_shapes(kWideTriple);
      if (unique) {
        // The first key tells rows apart.
        for (std::size_t row = 0; row < 500; ++row) {
          keys.build[0].keys[row] = row == 0 ? kLeast : kMost - static_cast<std::int64_t>(row);
        }
        keys.probe = probe_of(keys.build, kWideTriple, 900);
      }
      add_bits(keys.build);
      add_bits(keys.probe);
      JoinRequest request;
      request.kind = kind;
      request.unique = unique;
      expect_right(at, keys, request);
    }
  }
  EXPECT_GT(at.kernels->numbered, 0);
}

TEST(DeviceJoinerKeys, OfMoreTilesThanBlocks) {
  // The emulator runs three thread blocks of 1,024 rows.
  const Joiner at;
  for (const std::vector<KeyShape>& shapes : {kSmallPair, kWideTriple}) {
    SeveralKeys keys = keys_of_shapes(shapes, 4000, 7000, 2000);
    add_bits(keys.build);
    add_bits(keys.probe);
    JoinRequest request;
    request.kind = JoinKind::kFull;
    request.strategy = DeviceJoinAlgorithm::kTable;
    expect_right(at, keys, request);
  }
}

TEST(DeviceJoinerKeys, OfSidesWithoutRowsOrWithoutOneThatTakesPart) {
  const Joiner at;
  for (const DeviceJoinAlgorithm strategy : kStrategies) {
    for (const JoinKind kind : kKinds) {
      JoinRequest request;
      request.kind = kind;
      request.strategy = strategy;
      request.ascends = true;
      SeveralKeys some = keys_of_shapes(kSmallPair, 40, 50, 10);
      sort_rows(some.build, kSmallPair);
      sort_rows(some.probe, kSmallPair);
      const TestSide none(kSmallPair.size());
      expect_right(at, {kSmallPair, none, some.probe}, request);
      expect_right(at, {kSmallPair, some.build, none}, request);
      expect_right(at, {kSmallPair, none, none}, request);
      some.build[1].valid.assign(40, false);
      expect_right(at, some, request);
    }
  }
}

TEST(DeviceJoinerKeys, MergesOnlyWhatFits) {
  const Joiner at;
  SeveralKeys keys = keys_of_shapes(kWideTriple);
  sort_rows(keys.build, kWideTriple);
  sort_rows(keys.probe, kWideTriple);
  JoinRequest request;
  request.ascends = true;
  // Numbers do not ascend, so another strategy is taken.
  expect_right(at, keys, request);
  const PlacedSide build(keys.build, kWideTriple), probe(keys.probe, kWideTriple);
  request.build = build.side;
  request.probe = probe.side;
  request.strategy = DeviceJoinAlgorithm::kMerge;
  const auto refused = at.joiner.join(request, nullptr);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_EQ(refused.error().what,
            "the ranges of the build side's keys take more than 64 bits together, and numbers in "
            "their place do not ascend");
  EXPECT_EQ(at.faults->live_bytes, 0u);
  // As wide as can be merged, with signs.
  const std::vector<KeyShape> shapes = {{JoinKeyType::kInt32, kLeast32, kMost32},
                                        {JoinKeyType::kInt32, kLeast32, kMost32}};
  keys = keys_of_shapes(shapes);
  sort_rows(keys.build, shapes);
  sort_rows(keys.probe, shapes);
  for (const JoinKind kind : kKinds) {
    request.kind = kind;
    expect_right(at, keys, request);
  }
}

TEST(DeviceJoinerKeys, ChooseAnArrayWhereTheyAreDense) {
  const Joiner at;
  // Each pair of a grid of 20 times 30 once.
  const std::vector<KeyShape> shapes = {{JoinKeyType::kInt64, -10, 9},
                                        {JoinKeyType::kInt32, 1000, 1029}};
  TestSide build(2);
  for (std::int64_t i = 0; i < 600; ++i) {
    build[0].keys.push_back(-10 + i % 20);
    build[1].keys.push_back(1000 + i / 20);
  }
  const PlacedSide placed(build, shapes);
  const auto found = at.joiner.join({.build = placed.side, .probe = placed.side}, nullptr);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(found->strategy(), DeviceJoinAlgorithm::kDirect);
  EXPECT_EQ(found->size(), 600u);
}

TEST(DeviceJoinerKeys, OfRangesThatAreKnown) {
  const Joiner at;
  SeveralKeys keys = keys_of_shapes(kSmallPair);
  const PlacedSide probe(keys.probe, kSmallPair);
  PlacedSide build(keys.build, kSmallPair);
  const auto expected = expected_pairs(keys.build, keys.probe, JoinKind::kFull);
  const auto range_of = [](const KeyShape& shape) {
    return JoinKeyRange{static_cast<std::uint64_t>(shape.least),
                        static_cast<std::uint64_t>(shape.most)};
  };
  for (int known = 0; known < 4; ++known) {
    at.kernels->found_ranges = 0;
    for (std::size_t i = 0; i < 2; ++i) {
      build.side.keys[i].range.reset();
      if ((known >> i & 1) != 0) build.side.keys[i].range = range_of(kSmallPair[i]);
    }
    JoinRequest request{.build = build.side, .probe = probe.side};
    request.kind = JoinKind::kFull;
    request.ordered = true;
    const auto found = at.joiner.join(request, nullptr);
    ASSERT_TRUE(found.ok()) << found.error().message();
    EXPECT_EQ(pairs_of(*found), expected);
    EXPECT_EQ(at.kernels->found_ranges, known == 0 ? 2 : known == 3 ? 0 : 1);
  }
  // Build rows with other keys have no match, and come out as such.
  build.side.keys[0].range = JoinKeyRange{static_cast<std::uint64_t>(-20), 0};
  for (std::size_t row = 0; row < keys.build[0].keys.size(); ++row) {
    keys.build[0].valid.push_back(keys.build[0].keys[row] <= 0);
  }
  JoinRequest request{.build = build.side, .probe = probe.side};
  request.kind = JoinKind::kFull;
  request.ordered = true;
  const auto found = at.joiner.join(request, nullptr);
  ASSERT_TRUE(found.ok());
  EXPECT_EQ(pairs_of(*found), expected_pairs(keys.build, keys.probe, JoinKind::kFull));
}

TEST(DeviceJoinerKeys, OneIsNarrowedWhereItsRangeAllows) {
  struct Narrowing {
    KeyShape shape;
    std::uint32_t key_bytes;
  };
  for (const Narrowing& narrowing :
       {Narrowing{{JoinKeyType::kInt64, kLeast, kLeast + 0xFFFFFFFF}, 4},
        Narrowing{{JoinKeyType::kInt64, kMost - 0xFFFFFFFF, kMost}, 4},
        Narrowing{{JoinKeyType::kInt64, kLeast32, kMost32}, 4},
        Narrowing{{JoinKeyType::kUint64, kMost - 1000, kLeast + 1000}, 4},
        Narrowing{{JoinKeyType::kUint64, -1 - 0xFFFFFFFFLL, -1}, 4},
        Narrowing{{JoinKeyType::kDate64, 5, 5}, 4},
        Narrowing{{JoinKeyType::kTimestampNanos, -5, 0xFFFFFFFF}, 8},
        Narrowing{{JoinKeyType::kInt64, kLeast, kMost}, 8},
        Narrowing{{JoinKeyType::kUint64, 0, -1}, 8},
        Narrowing{{JoinKeyType::kUint32, 0, 0xFFFFFFFF}, 4}}) {
    for (const DeviceJoinAlgorithm strategy :
         {DeviceJoinAlgorithm::kTable, DeviceJoinAlgorithm::kRadix}) {
      const Joiner at;
      SCOPED_TRACE("least " + std::to_string(narrowing.shape.least));
      SeveralKeys keys = keys_of_shapes({narrowing.shape});
      if (below(2) == 0) {
        add_bits(keys.build);
        // The ends take part.
        keys.build[0].selected[0] = keys.build[0].selected[299] = true;
        if (!keys.build[0].valid.empty()) {
          keys.build[0].valid[0] = keys.build[0].valid[299] = true;
        }
        add_bits(keys.probe);
      }
      for (const JoinKind kind : kKinds) {
        JoinRequest request;
        request.kind = kind;
        request.strategy = strategy;
        expect_right(at, keys, request);
        EXPECT_EQ(at.kernels->key_bytes, narrowing.key_bytes);
        EXPECT_EQ(at.kernels->packed_sides, 0);
      }
      EXPECT_EQ(at.kernels->found_ranges > 0, width_of(narrowing.shape.type) == 8);
    }
  }
}

TEST(DeviceJoinerKeys, SayWhatIsWrong) {
  const Joiner at;
  const SeveralKeys keys = keys_of_shapes(kSmallPair, 50, 60, 20);
  const PlacedSide build(keys.build, kSmallPair), probe(keys.probe, kSmallPair);
  const JoinRequest right{.build = build.side, .probe = probe.side};
  const auto refused = [&](const JoinRequest& request) {
    const auto found = at.joiner.join(request, nullptr);
    EXPECT_FALSE(found.ok());
    EXPECT_EQ(found.error().code, ErrorCode::kInvalidArgument);
    return found.ok() ? std::string() : found.error().what;
  };
  JoinRequest wrong = right;
  wrong.build.keys.clear();
  EXPECT_EQ(refused(wrong), "the build side has 0 columns of keys, not 1 to 3");
  wrong = right;
  wrong.probe.keys.resize(4, wrong.probe.keys[0]);
  EXPECT_EQ(refused(wrong), "the probe side has 4 columns of keys, not 1 to 3");
  wrong = right;
  wrong.probe.keys.pop_back();
  EXPECT_EQ(refused(wrong), "the build side has 2 columns of keys, the probe side 1");
  wrong = right;
  wrong.probe.keys[1].type = JoinKeyType::kInt64;
  EXPECT_EQ(refused(wrong), "the keys of the build side are uint64, those of the probe side int64");
  wrong = right;
  wrong.build.keys[1].rows = 49;
  EXPECT_EQ(refused(wrong), "the build side has columns of 50 and of 49 rows");
}

TEST(DeviceJoinerKeys, EveryStepMayFail) {
  for (const std::vector<KeyShape>& shapes : {kSmallPair, kWideTriple}) {
    SeveralKeys keys = keys_of_shapes(shapes, 200, 300, 100);
    add_bits(keys.build);
    add_bits(keys.probe);
    const PlacedSide build(keys.build, shapes), probe(keys.probe, shapes);
    expect_faults_told([&](const Joiner& at) -> Status {
      JoinRequest request{.build = build.side, .probe = probe.side};
      request.kind = JoinKind::kFull;
      PRESSO_ASSIGN(const JoinedPairs pairs, at.joiner.join(request, nullptr));
      EXPECT_EQ(pairs.size(), expected_pairs(keys.build, keys.probe, JoinKind::kFull).size());
      return {};
    });
  }
}

TEST(DeviceJoinerKeys, SayHowMuchMemoryTheyWanted) {
  const auto faults = std::make_shared<EmulatedFaults>();
  const SeveralKeys keys = keys_of_shapes(kWideTriple, 1000, 1000, 900);
  const PlacedSide build(keys.build, kWideTriple), probe(keys.probe, kWideTriple);
  const auto wanted = [&](std::uint64_t limit) {
    const DeviceJoiner joiner(presso::test::make_host_device(faults),
                              std::make_shared<EmulatedJoinKernels>(faults),
                              MemoryLimits{limit, ~std::uint64_t{0}}, MemoryLimits{0, 0});
    const auto found = joiner.join({.build = build.side, .probe = probe.side}, nullptr);
    EXPECT_FALSE(found.ok());
    EXPECT_EQ(found.error().code, ErrorCode::kDeviceMemory);
    return found.ok() ? std::string() : found.error().what;
  };
  EXPECT_TRUE(wanted(5000).starts_with("8,000 bytes for packed keys: ")) << wanted(5000);
  EXPECT_TRUE(wanted(20'000).starts_with("32,016 bytes for a table of keys that get numbers: "))
      << wanted(20'000);
  EXPECT_EQ(faults->live_bytes, 0u);
}

constexpr const char* kTripleFormats[] = {"l", "I", "l"};
/// A struct of kSmallTriple whose children begin before its first row.
struct ArrowSide {
  explicit ArrowSide(const TestSide& from) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      placed.push_back(std::make_unique<Placed>(from[i], kSmallTriple[i].type, 3 + i));
      columns.push_back(std::make_unique<ArrowColumn>(*placed[i], kTripleFormats[i],
                                                      static_cast<std::int64_t>(i)));
      arrays.push_back(&columns[i]->device.array);
      schemas.push_back(&columns[i]->schema);
    }
    device.array.length = static_cast<std::int64_t>(from[0].keys.size());
    device.array.offset = 3;
    device.array.n_children = schema.n_children = static_cast<std::int64_t>(from.size());
    device.array.children = arrays.data();
    device.array.release = no_release;
    device.device_type = ARROW_DEVICE_CUDA;
    schema.format = "+s";
    schema.children = schemas.data();
    schema.release = no_schema_release;
  }
  std::vector<std::unique_ptr<Placed>> placed;
  std::vector<std::unique_ptr<ArrowColumn>> columns;
  std::vector<ArrowArray*> arrays;
  std::vector<ArrowSchema*> schemas;
  ArrowDeviceArray device = {};
  ArrowSchema schema = {};
};

TEST(DeviceJoinerKeys, ComeFromAStructOfArrow) {
  SeveralKeys keys = keys_of_shapes(kSmallTriple, 300, 500, 100);
  for (TestColumn& column : keys.build) column.valid = random_bits(300, 8);
  ArrowSide build(keys.build), probe(keys.probe);
  int event = 0;
  probe.device.sync_event = &event;
  JoinRequest request;
  auto side = JoinSide::from_arrow(build.device, build.schema);
  ASSERT_TRUE(side.ok()) << side.error().message();
  ASSERT_EQ(side->keys.size(), 3u);
  request.build = *side;
  side = JoinSide::from_arrow(probe.device, probe.schema);
  ASSERT_TRUE(side.ok()) << side.error().message();
  for (JoinColumn& column : side->keys) {
    EXPECT_EQ(column.ready, &event);
    column.ready = nullptr;
  }
  request.probe = *side;
  request.kind = JoinKind::kFull;
  request.ordered = true;
  const Joiner at;
  const auto found = at.joiner.join(request, nullptr);
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_EQ(pairs_of(*found), expected_pairs(keys.build, keys.probe, JoinKind::kFull));
  // One column is not three.
  EXPECT_EQ(JoinColumn::from_arrow(build.device, build.schema).error().code,
            ErrorCode::kUnsupported);
  build.schema.n_children = build.device.array.n_children = 4;
  EXPECT_EQ(JoinSide::from_arrow(build.device, build.schema).error().code, ErrorCode::kUnsupported);
}

TEST(KeyFactors, GiveEachRowOfKeysAnotherSum) {
  const auto factors = choose_factors({3, 0, 6});
  ASSERT_TRUE(factors.has_value());
  EXPECT_EQ(factors->factors, (std::vector<std::uint64_t>{7, 0, 1}));
  EXPECT_EQ(factors->last, 27u);
  constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(choose_factors({kAll})->last, kAll);
  EXPECT_EQ(choose_factors({0, kAll, 0})->last, kAll);
  EXPECT_EQ(choose_factors({0xFFFFFFFF, 0xFFFFFFFF})->last, kAll);
  EXPECT_FALSE(choose_factors({1, kAll}).has_value());
  EXPECT_FALSE(choose_factors({kAll, 1}).has_value());
  EXPECT_FALSE(choose_factors({0xFFFFFFFF, 0x100000000}).has_value());
  EXPECT_FALSE(choose_factors({1, 0xFFFFFFFF, 0xFFFFFFFF}).has_value());
  // 3 * 5 * 17 * 257 * 65537 * 6700417 places for each of 641, which is 2^64 - 1 of them.
  EXPECT_EQ(choose_factors({640, kAll / 641 - 1})->last, kAll - 1);
  EXPECT_FALSE(choose_factors({641, kAll / 641 - 1}).has_value());
}

}  // namespace
}  // namespace presso::gpu::device_joiner_keys_test
