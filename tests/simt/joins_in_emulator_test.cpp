// SPDX-License-Identifier: MIT
// Joins in the emulator, through the same steps as device_join.cu.
#include <gtest/gtest.h>

#include <memory>

#include "query/gpu/join/join_steps.h"
#include "tests/simt/emulated_joins.h"
#include "tests/simt/emulated_launches.h"
#include "tests/simt/join_backend.h"

namespace presso::gpu::test {
namespace {

class EmulatedPlace {
 public:
  explicit EmulatedPlace(std::uint32_t seed) : launcher_(EmulatedLaunches(seed)) {}

  const std::uint32_t* copy_of(const std::vector<std::uint32_t>& words) {
    if (words.empty()) return nullptr;
    std::uint32_t* const to = allocate(words.size());
    std::copy(words.begin(), words.end(), to);
    return to;
  }
  std::uint32_t* poisoned(std::uint64_t words) {
    const auto filled = poisoned_words(words);
    std::uint32_t* const to = allocate(filled.size());
    std::copy(filled.begin(), filled.end(), to);
    return to;
  }
  std::vector<std::uint32_t> back(const std::uint32_t* from, std::uint64_t words) const {
    return {from, from + words};
  }

  Status count(const JoinPlan& plan, void* temporary) {
    return with_join_steps(plan, temporary, launcher_, [](auto& steps) { return steps.count(); });
  }
  Status write(const JoinPlan& plan, void* temporary, const JoinPairs& pairs) {
    return with_join_steps(plan, temporary, launcher_,
                           [&](auto& steps) { return steps.write(pairs); });
  }
  Status run(const JoinPlan& plan, void* temporary, const JoinPairs& pairs) {
    return with_join_steps(plan, temporary, launcher_,
                           [&](auto& steps) { return steps.join(pairs); });
  }

 private:
  struct Free {
    void operator()(std::uint32_t* memory) const {
      ::operator delete[](memory, std::align_val_t{256});
    }
  };
  /// An allocation of its own, so that sanitizers see what is read or written too far.
  std::uint32_t* allocate(std::size_t words) {
    memory_.emplace_back(static_cast<std::uint32_t*>(
        ::operator new[](words * sizeof(std::uint32_t), std::align_val_t{256})));
    return memory_.back().get();
  }

  EmulatedJoins<EmulatedLaunches> launcher_;
  std::vector<std::unique_ptr<std::uint32_t[], Free>> memory_;
};

class EmulatedBackend : public JoinBackend {
 public:
  std::string unavailable() const override { return {}; }
  bool is_fast() const override { return false; }
  Result<JoinOutcome> join(const JoinCase& asked, std::uint32_t seed) override {
    EmulatedPlace place(seed);
    return join_case(asked, place);
  }
};

TEST(TileOrder, AddsUpWhatTilesBeforePublished) {
  // Thread blocks of the emulator run one after another, so a whole join never looks back far.
  for (const std::uint64_t tile : {0, 1, 31, 32, 33, 64, 100}) {
    for (const std::uint64_t complete : {0, 1, 5, 32, 99}) {
      std::vector<u64> sums(tile + 1);
      u64 expected = 0;
      for (u64 i = 0; i < tile; ++i) {
        expected += 3 * i + 1;
        sums[i] = i <= complete ? 2 * kOneSum + expected : kOneSum + 3 * i + 1;
        if (i == 0) sums[i] = 2 * kOneSum + 1;
      }
      const simt::Report report = simt::run({}, {}, [&] {
        EXPECT_EQ(sum_before({nullptr, sums.data()}, tile, 7), expected);
      });
      EXPECT_TRUE(report.ok()) << report.what;
      EXPECT_EQ(sums[tile], 2 * kOneSum + expected + 7);
    }
  }
}

TEST(ChainedTable, HasEachRowThatTakesPartOnce) {
  constexpr u32 kRows = 3000;
  for (const u32 slots : {4 * kRows, kRows, kRows / 4, u32{1}}) {
    // Keys come three times; every fifth row is left out, but not the first one.
    std::vector<u64> keys(kRows);
    std::vector<u32> valid((kRows + 31) / 32);
    for (u32 row = 0; row < kRows; ++row) {
      keys[row] = row / 3;
      if (row % 5 != 1) valid[row / 32] |= 1u << row % 32;
    }
    std::vector<u32> heads(slots, kNoRow), links(kRows, kNoRow - 1);
    const ChainedTable<u64> table{keys.data(), heads.data(), links.data(), slots};
    const JoinRows build{keys.data(), valid.data(), nullptr, kRows};
    EmulatedJoins<EmulatedLaunches> launcher{EmulatedLaunches(slots)};
    const Status built = launcher.run<BuildChained<u64>>(tiles_of(kRows), 0, {table, build});
    ASSERT_TRUE(built.ok()) << built.error().message();
    std::vector<u32> times(kRows);
    for (u32 slot = 0; slot < slots; ++slot) {
      for (u32 row = heads[slot]; row != kNoRow; row = links[row]) {
        ASSERT_LT(row, kRows);
        ASSERT_EQ(table.slot_of(keys[row]), &heads[slot]);
        ASSERT_EQ(++times[row], 1u) << row;
      }
    }
    for (u32 row = 0; row < kRows; ++row) EXPECT_EQ(times[row], row % 5 != 1 ? 1u : 0u) << row;
  }
}

}  // namespace

JoinBackend& join_backend() {
  static EmulatedBackend backend;
  return backend;
}

}  // namespace presso::gpu::test
