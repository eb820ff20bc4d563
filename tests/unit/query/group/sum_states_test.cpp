// SPDX-License-Identifier: MIT
// States of sums: what is written is read again as the same sum, whatever its size, and bytes that
// are no whole state are told.
#include "query/group/sum_states.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "corpora/random.h"
#include "query/group/aggregate_state.h"
#include "query/group/group_states.h"

namespace presso::query::grouping::sum_states_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kGreatest = std::numeric_limits<double>::max();

SumState read(const std::vector<Byte>& bytes, bool of_doubles) {
  auto state = read_state(bytes, of_doubles);
  EXPECT_TRUE(state.ok());
  return state.ok() ? *state : SumState();
}

/// The sum of `value`, `rows` times in each of `others` states and once in the one that they are
/// merged into, where all merges begin before the first is done, as several threads have it.
template <class Value>
Int128 merged_sum(Physical physical, Value value, std::uint32_t rows, int others) {
  AggregateSpec spec;
  spec.kind = AggregateKind::kSum;
  spec.argument = physical;
  if (physical == Physical::kDouble) spec.fixed_point = fixed_point_for(1e18, 1 << 20);
  const std::vector<Value> values(rows, value);
  std::vector<std::uint32_t> ids(rows);
  GroupedRows of_other;
  of_other.groups = 1;
  of_other.ids = ids.data();
  const auto state_of = [&](std::uint32_t count) {
    auto state = AggregateState::make(spec);
    state->extend(1);
    of_other.count = count;
    VectorView argument;
    argument.physical = physical;
    argument.values = reinterpret_cast<const Byte*>(values.data());
    EXPECT_TRUE(state->add(of_other, argument).ok());
    return state;
  };
  const auto all = state_of(1);
  std::vector<std::unique_ptr<AggregateState>> from;
  for (int i = 0; i < others; ++i) from.push_back(state_of(rows));
  for (const auto& one : from) {
    one->prepare_merge();
    all->begin_merge(*one);
  }
  const std::uint32_t group = 0;
  for (const auto& one : from) all->merge(*one, {&group, 1}, &group);
  Byte written[16] = {};
  std::uint64_t validity = ~std::uint64_t{0};
  const std::uint64_t row = 0;
  const std::uint64_t count = std::uint64_t{rows} * static_cast<unsigned>(others) + 1;
  EXPECT_TRUE(all->write(*all, {&group, 1}, &count, &row, {written, &validity}).ok());
  if (physical == Physical::kDouble) return static_cast<Int128>(load<double>(written));
  return load<Int128>(written);
}

TEST(SumStates, MergesOfManyThreadsKeepSumsBeyond64Bits) {
  constexpr std::uint32_t kRows = 1024;
  for (const int shift : {20, 45, 50, 52, 60}) {
    for (const std::int64_t sign : {1, -1}) {
      for (const int others : {1, 2, 3, 5, 16, 40}) {
        const std::int64_t value = sign * ((std::int64_t{1} << shift) + 7);
        const Int128 expected = Int128{value} * (Int128{kRows} * others + 1);
        EXPECT_TRUE(merged_sum(Physical::kInt64, value, kRows, others) == expected)
            << value << " in " << others;
      }
    }
  }
}

TEST(SumStates, MergesOfManyThreadsKeepSumsOfDoubles) {
  for (const int others : {1, 3, 16, 40}) {
    const double value = std::ldexp(1.0, 50);
    const Int128 expected = (Int128{1} << 50) * (Int128{1024} * others + 1);
    EXPECT_TRUE(merged_sum(Physical::kDouble, value, 1024, others) ==
                static_cast<Int128>(static_cast<double>(expected)))
        << others;
  }
}

/// Counts of 32 bits of several threads, whose sum has more.
TEST(GroupStates, MergesOfManyThreadsKeepCountsBeyond32Bits) {
  constexpr std::uint32_t kVectors = 1'200'000;  // of each thread, of one run
  const std::uint32_t group = 0;
  const std::uint32_t end = kBatchRows;
  std::vector<std::uint32_t> ids(kBatchRows);
  std::vector<GroupStates> states;
  for (int i = 0; i < 5; ++i) {
    GroupStates& state = states.emplace_back(std::span<const AggregateSpec>());
    state.extend(1);
    GroupedRows rows;
    rows.count = kBatchRows;
    rows.groups = 1;
    rows.ids = ids.data();
    rows.runs = 1;
    rows.run_ids = &group;
    rows.run_ends = &end;
    for (std::uint32_t vector = 0; vector < kVectors; ++vector) {
      ASSERT_TRUE(state.add(rows, {}, RowNumbers(), RowOrder::kAfterAll).ok());
    }
  }
  for (std::size_t i = 1; i < states.size(); ++i) {
    states[i].prepare_merge();
    states[0].begin_merge(states[i]);
  }
  for (std::size_t i = 1; i < states.size(); ++i) states[0].merge(states[i], {&group, 1}, &group);
  std::uint64_t count = 0;
  states[0].get_row_counts({&group, 1}, &count);
  EXPECT_EQ(count, states.size() * std::uint64_t{kVectors} * kBatchRows);
  EXPECT_GT(count, std::uint64_t{1} << 32);
}

TEST(SumStates, IntegersOfAnySizeComeBack) {
  const Int128 greatest = static_cast<Int128>(~Uint128{0} >> 1);
  for (const Int128 value : {Int128{0}, Int128{-5}, greatest, -greatest}) {
    for (const int times : {1, 2, 3}) {
      WideSum sum;
      for (int i = 0; i < times; ++i) sum.add(value);
      std::vector<Byte> bytes;
      append_state(sum, 300, bytes);
      const SumState state = read(bytes, false);
      EXPECT_EQ(state.values, 300u);
      WideSum again;
      for (std::uint64_t i = 0; i < state.numbers; ++i) {
        again.add(load<Int128>(state.first + 16 * i));
      }
      EXPECT_TRUE(again.high == sum.high && again.low == sum.low);
    }
  }
}

/// The numbers of the state of these doubles' sum.
std::vector<double> numbers_of(const std::vector<double>& values) {
  LongSum sum;
  for (const double value : values) sum.add(value);
  std::vector<Byte> bytes;
  append_state(sum, values.size(), bytes);
  const SumState state = read(bytes, true);
  EXPECT_EQ(state.values, values.size());
  std::vector<double> numbers;
  for (std::uint64_t i = 0; i < state.numbers; ++i) {
    numbers.push_back(load<double>(state.first + 8 * i));
  }
  return numbers;
}

TEST(SumStates, NothingOfSumsOfDoublesIsLost) {
  corpora::Random random(4);
  for (int round = 0; round < 200; ++round) {
    std::vector<double> values;
    for (std::uint64_t i = 0; i <= random.below(20); ++i) {
      const double fraction = static_cast<double>(random.below(1 << 20)) / (1 << 19) - 1;
      values.push_back(std::ldexp(fraction, static_cast<int>(random.below(2090)) - 1070));
    }
    std::vector<double> both = values;
    for (const double number : numbers_of(values)) both.push_back(-number);
    EXPECT_TRUE(numbers_of(both).empty());
  }
}

TEST(SumStates, SumsBeyondDoublesAreKept) {
  EXPECT_EQ(numbers_of({kGreatest, kGreatest, 1.0}),
            (std::vector<double>{kGreatest, kGreatest, 1.0}));
  EXPECT_EQ(numbers_of({5e-324, 5e-324}), std::vector<double>{1e-323});
  EXPECT_TRUE(numbers_of({1.5, -1.5}).empty());
}

TEST(SumStates, SpecialSumsAreOneNumber) {
  std::vector<Byte> bytes;
  append_special_state(-kInfinity, 7, bytes);
  const SumState state = read(bytes, true);
  ASSERT_EQ(state.numbers, 1u);
  EXPECT_EQ(load<double>(state.first), -kInfinity);
}

TEST(SumStates, BytesThatAreNoStateAreTold) {
  std::vector<Byte> bytes;
  WideSum sum;
  sum.add(12345);
  append_state(sum, 1 << 20, bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_FALSE(read_state({bytes.data(), size}, false).ok()) << size;
  }
  EXPECT_FALSE(read_state(bytes, true).ok());
  bytes.push_back(0);
  EXPECT_FALSE(read_state(bytes, false).ok());
  EXPECT_FALSE(read_state(std::vector<Byte>(12, 0xFF), false).ok());
}

}  // namespace
}  // namespace presso::query::grouping::sum_states_test
