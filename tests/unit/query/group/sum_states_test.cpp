// SPDX-License-Identifier: MIT
// States of sums: what is written is read again as the same sum, whatever its size, and bytes that
// are no whole state are told.
#include "query/group/sum_states.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "corpora/random.h"

namespace presso::query::grouping::sum_states_test {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kGreatest = std::numeric_limits<double>::max();

SumState read(const std::vector<Byte>& bytes, bool of_doubles) {
  auto state = read_state(bytes, of_doubles);
  EXPECT_TRUE(state.ok());
  return state.ok() ? *state : SumState();
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
