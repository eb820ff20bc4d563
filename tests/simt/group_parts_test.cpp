// SPDX-License-Identifier: MIT
// Groups of rows that have been written are made part by part in the emulator, however many parts
// there are, and whether or not a part's groups fit.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "decompress/gpu/simt/emulator/emulator.h"
#include "query/gpu/kernels/group_part_steps.h"
#include "tests/simt/emulated_joins.h"

namespace presso::gpu::group_parts_test {
namespace {

using Kind = PipelineCell::Kind;

struct SmallThreads {
  static constexpr u32 kCount = 64;
  static constexpr u32 kPlace = 32;
  static constexpr u32 kMove = 64;
  static constexpr u32 kMoveItems = 2;
  static constexpr u32 kSum = 64;
};

/// What rows have: keys, orders, a narrow sum, a wide least and a wide greatest value; all are
/// counted, too.
struct Rows {
  std::vector<u64> keys;
  std::vector<u32> orders;
  std::vector<u32> addends;
  std::vector<u64> least;
  std::vector<u64> most;
};
/// First row, count, sum, least, most.
using Group = std::array<u64, 5>;
using Groups = std::map<u64, Group>;

Rows rows_with(std::vector<u64> keys) {
  corpora::Random random(static_cast<u32>(keys.size()));
  Rows rows;
  for (u32 i = 0; i < keys.size(); ++i) {
    rows.orders.push_back(i * 7 % static_cast<u32>(keys.size()));
    rows.addends.push_back(random.below(1000) - 500);
    rows.least.push_back(u64{random.below(1u << 30)} << 31);
    rows.most.push_back(u64{random.below(1u << 30)} << 31);
  }
  rows.keys = std::move(keys);
  return rows;
}

Groups groups_of(const Rows& rows) {
  Groups groups;
  for (std::size_t i = 0; i < rows.keys.size(); ++i) {
    Group& group = groups.try_emplace(rows.keys[i], Group{~u64{0}, 0, 0, ~u64{0}, 0}).first->second;
    group[0] = std::min(group[0], u64{rows.orders[i]});
    ++group[1];
    group[2] += static_cast<u64>(std::int64_t{static_cast<std::int32_t>(rows.addends[i])});
    group[3] = std::min(group[3], rows.least[i]);
    group[4] = std::max(group[4], rows.most[i]);
  }
  return groups;
}

struct Divided {
  u32 first_bits = 1;
  u32 second_bits = 1;
  u32 table_places = 50;
  u32 most_part_rows = ~u32{0};
};

struct Made {
  Groups groups;
  u64 records = 0;
  u64 fault = 0;
};

Made made_of(Rows rows, const Divided& how, u32 seed) {
  PartedRows parts;
  parts.rows = static_cast<u32>(rows.keys.size());
  parts.arrays = 5;
  parts.wide_arrays = 0b11001;
  parts.cells = 4;
  const PartCell cells[] = {{Kind::kCount, 0}, {Kind::kSum, 2}, {Kind::kMin, 3}, {Kind::kMax, 4}};
  std::copy(std::begin(cells), std::end(cells), parts.cell);
  parts.first_bits = how.first_bits;
  parts.second_bits = how.second_bits;
  parts.table_places = how.table_places;
  parts.most_part_rows = how.most_part_rows;
  Rows bundles = rows;
  void* const rows_of[] = {rows.keys.data(), rows.orders.data(), rows.addends.data(),
                           rows.least.data(), rows.most.data()};
  void* const bundles_of[] = {bundles.keys.data(), bundles.orders.data(), bundles.addends.data(),
                              bundles.least.data(), bundles.most.data()};
  std::copy(std::begin(rows_of), std::end(rows_of), parts.rows_of);
  std::copy(std::begin(bundles_of), std::end(bundles_of), parts.bundles_of);
  std::vector<u32> begins(parts.parts() + 1), part_cursors(parts.parts(), 99);
  std::vector<u32> bundle_cursors(parts.bundles()), bundle_tiles(parts.bundles() + 1);
  constexpr u32 kRecordWords = 6;
  std::vector<u64> records(rows.keys.size() * kRecordWords);
  Made made;
  made.records = 77;
  parts.begins = begins.data();
  parts.part_cursors = part_cursors.data();
  parts.bundle_cursors = bundle_cursors.data();
  parts.bundle_tiles = bundle_tiles.data();
  parts.records = records.data();
  parts.record_count = &made.records;
  parts.fault = &made.fault;
  simt::Options options;
  options.seed = seed;
  options.order = seed % 2 == 0 ? simt::Order::kReverse : simt::Order::kRandom;
  const auto run = [&](const char* name, u32 grid, u32 warps, std::size_t shared_bytes,
                       const std::function<void()>& body) -> Status {
    const simt::Report report =
        simt::run({grid, warps * simt::kWarpSize, shared_bytes}, options, body);
    EXPECT_TRUE(report.ok()) << name << ": " << report.what;
    return {};
  };
  test::EmulatedJoins<decltype(run)&> launcher(run);
  EXPECT_TRUE(enqueue_group_parts<SmallThreads>(parts, launcher).ok());
  for (u64 i = 0; i < made.records && i * kRecordWords < records.size(); ++i) {
    const u64* const from = records.data() + i * kRecordWords;
    Group group;
    std::copy(from, from + group.size(), group.begin());
    EXPECT_TRUE(made.groups.emplace(from[group.size()], group).second) << "twice";
  }
  return made;
}

std::vector<u64> random_keys(u32 rows, u32 different) {
  corpora::Random random(rows + different);
  std::vector<u64> keys;
  while (keys.size() < rows) keys.push_back(u64{random.below(different)} * 2'148'914'691'236'517u);
  return keys;
}

constexpr Divided kWays[] = {
    {1, 1, 50}, {2, 1, 700}, {5, 4, 40}, {4, 4, 3}, {8, 7, 33}, {3, 1, 1},
};

TEST(GroupParts, AreThoseOfTheRows) {
  std::vector<u64> with_none = random_keys(700, 300);
  for (std::size_t i = 0; i < with_none.size(); i += 9) with_none[i] = kNoKey;
  const std::vector<u64> cases[] = {
      {5},
      {kNoKey, kNoKey},
      std::vector<u64>(600, 12345),  // one part has them all, others are empty
      random_keys(3000, 1u << 30),   // a group each
      random_keys(2000, 7),
      random_keys(2500, 1000),
      with_none,
  };
  u32 seed = 0;
  for (const Divided& how : kWays) {
    for (const std::vector<u64>& keys : cases) {
      SCOPED_TRACE(std::to_string(how.first_bits) + " bits, " + std::to_string(how.table_places) +
                   " places, " + std::to_string(keys.size()) + " rows");
      const Rows rows = rows_with(keys);
      const Groups expected = groups_of(rows);
      const Made made = made_of(rows, how, ++seed);
      EXPECT_EQ(made.records, expected.size());
      EXPECT_EQ(made.groups, expected);
      EXPECT_EQ(made.fault, 0u);
    }
  }
}

TEST(GroupParts, GiveUpWhereOnePartHasTooManyRows) {
  std::vector<u64> keys = random_keys(1000, 1u << 30);
  std::fill(keys.begin(), keys.begin() + 300, 17);
  Divided how{3, 3, 100, 300};
  EXPECT_EQ(made_of(rows_with(keys), how, 1).fault, kTableIsFull);
  EXPECT_EQ(made_of(rows_with(keys), how, 2).records, 0u);
  how.most_part_rows = 400;
  EXPECT_EQ(made_of(rows_with(keys), how, 3).fault, 0u);
}

}  // namespace
}  // namespace presso::gpu::group_parts_test
