// SPDX-License-Identifier: MIT
// The inner loops of grouping at every CPU level, for many lengths, against the plainest loops.
#include "query/group/kernels.h"
#include "format/cpu_loops.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "corpora/random.h"
#include "query/values/hash.h"
#include "query/values/vector.h"

namespace presso::query::grouping::kernels_test {
namespace {

constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
constexpr std::uint32_t kCounts[] = {0, 1, 2, 7, 8, 9, 63, 64, 65, 100, 1000, 1023, 1024};

class GroupKernels : public testing::TestWithParam<CpuLevel> {
 protected:
  const Kernels& kernels() const { return loops_for<Kernels>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(, GroupKernels, testing::ValuesIn(supported_cpu_levels()),
                         [](const auto& level) { return std::string(name(level.param)); });

std::vector<std::uint64_t> words(std::uint32_t count, std::uint32_t limit) {
  corpora::Random random(count + limit);
  std::vector<std::uint64_t> result;
  for (std::uint32_t i = 0; i < count; ++i) {
    result.push_back(limit == 0 ? random.next() : random.below(limit));
  }
  return result;
}

std::vector<std::int64_t> values(std::uint32_t count, unsigned bits) {
  std::vector<std::int64_t> result;
  for (const std::uint64_t word : words(count, 0)) {
    result.push_back(static_cast<std::int64_t>(word) >> (64 - bits));
  }
  return result;
}

TEST_P(GroupKernels, HashAsTheHashDoes) {
  for (const std::uint32_t count : kCounts) {
    const auto in = words(count, 0);
    std::vector<std::uint64_t> out(count);
    kernels().hash_words(in.data(), count, out.data());
    for (std::uint32_t i = 0; i < count; ++i) ASSERT_EQ(out[i], hash_word(in[i]));
  }
}

TEST_P(GroupKernels, FindRunsOfEqualWords) {
  for (const std::uint32_t count : kCounts) {
    const auto in = words(count, 3);
    std::vector<std::uint32_t> expected;
    std::uint32_t changes = 0, descents = 0;
    std::uint64_t greatest = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
      if (i + 1 == count || in[i + 1] != in[i]) expected.push_back(i + 1);
      if (i != 0 && in[i] != in[i - 1]) ++changes;
      if (i != 0 && in[i] < in[i - 1]) ++descents;
      greatest = std::max(greatest, in[i]);
    }
    std::vector<std::uint32_t> ends(count);
    ends.resize(kernels().run_ends(in.data(), count, ends.data()));
    EXPECT_EQ(ends, expected);
    EXPECT_EQ(kernels().changes(in.data(), count), changes);
    EXPECT_EQ(kernels().descents(in.data(), count), descents);
    EXPECT_EQ(kernels().greatest(in.data(), count), greatest);
  }
  const std::uint64_t high[] = {1, std::uint64_t{1} << 63, 5};  // without a sign
  EXPECT_EQ(kernels().greatest(high, 3), std::uint64_t{1} << 63);
  EXPECT_EQ(kernels().descents(high, 3), 1u);
}

TEST_P(GroupKernels, BoundValuesByAtMostTwiceTheGreatest) {
  for (const std::uint32_t count : kCounts) {
    for (const unsigned bits : {1u, 2u, 20u, 63u, 64u}) {
      const auto in = values(count, bits);
      std::uint64_t greatest = 0;
      for (const std::int64_t value : in) {
        greatest =
            std::max(greatest, value < 0 ? std::uint64_t{0} - static_cast<std::uint64_t>(value)
                                         : static_cast<std::uint64_t>(value));
      }
      const std::uint64_t bound = kernels().magnitude(in.data(), count);
      EXPECT_GE(bound, greatest);
      EXPECT_LE(bound, 2 * Uint128{greatest});
    }
  }
  EXPECT_EQ(kernels().magnitude(&kLeast, 1), std::uint64_t{1} << 63);
}

TEST_P(GroupKernels, AddUpAllSomeAndRuns) {
  for (const std::uint32_t count : kCounts) {
    for (const std::uint32_t groups : {1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u, 9u, 64u}) {
      const auto in = values(count, 64);
      std::vector<std::uint32_t> ids(count);
      kernels().narrow(words(count, groups).data(), count, ids.data());
      std::vector<std::uint64_t> expected(groups, 5);
      std::vector<std::uint32_t> expected_counts(groups, 1);
      std::uint64_t total = 0;
      for (std::uint32_t i = 0; i < count; ++i) {
        expected[ids[i]] += static_cast<std::uint64_t>(in[i]);
        ++expected_counts[ids[i]];
        total += static_cast<std::uint64_t>(in[i]);
      }
      std::vector<std::int64_t> sums(groups, 5);
      std::vector<std::uint32_t> counts(groups, 1);
      kernels().sum_few(ids.data(), in.data(), count, groups, sums.data());
      kernels().count_few(ids.data(), count, groups, counts.data());
      EXPECT_EQ(std::vector<std::uint64_t>(sums.begin(), sums.end()), expected);
      EXPECT_EQ(counts, expected_counts);
      EXPECT_EQ(static_cast<std::uint64_t>(kernels().sum(in.data(), count)), total);
    }
  }
}

TEST_P(GroupKernels, AddUpRuns) {
  for (const std::uint32_t count : kCounts) {
    const auto in = values(count, 64);
    std::vector<std::uint32_t> ends(count);
    ends.resize(kernels().run_ends(words(count, 2).data(), count, ends.data()));
    std::vector<std::int64_t> sums(ends.size());
    kernels().sum_runs(in.data(), ends.data(), static_cast<std::uint32_t>(ends.size()),
                       sums.data());
    std::uint32_t row = 0;
    for (std::size_t run = 0; run < ends.size(); ++run) {
      std::uint64_t expected = 0;
      for (; row < ends[run]; ++row) expected += static_cast<std::uint64_t>(in[row]);
      EXPECT_EQ(static_cast<std::uint64_t>(sums[run]), expected);
    }
  }
}

TEST_P(GroupKernels, ClearNullsAndFindExtremes) {
  for (const std::uint32_t count : kCounts) {
    const auto in = values(count, 40);
    const auto validity = words(16, 0);
    std::vector<std::int64_t> out(count);
    kernels().zero_nulls(in.data(), validity.data(), count, out.data());
    std::int64_t least = std::numeric_limits<std::int64_t>::max(), most = kLeast;
    for (std::uint32_t i = 0; i < count; ++i) {
      ASSERT_EQ(out[i], (validity[i / 64] >> (i % 64) & 1) != 0 ? in[i] : 0);
      least = std::min(least, in[i]);
      most = std::max(most, in[i]);
    }
    EXPECT_EQ(kernels().least(in.data(), count), least);
    EXPECT_EQ(kernels().most(in.data(), count), most);
  }
}

TEST_P(GroupKernels, CountBitsBeforePlaces) {
  const auto bits = words(16, 0);
  std::vector<std::uint64_t> before, places, expected;
  std::uint64_t sum = 0;
  for (std::uint64_t place = 0; place < 1024; ++place) {
    if (place % 64 == 0) before.push_back(sum);
    places.push_back(place);
    expected.push_back(sum);
    sum += bits[place / 64] >> (place % 64) & 1;
  }
  std::vector<std::uint64_t> out(1024);
  kernels().ranks(places.data(), 1024, bits.data(), before.data(), out.data());
  EXPECT_EQ(out, expected);
}

/// x / 2^exponent as an integer, ties to even, by exact steps.
Int128 units_of(double x, int exponent) {
  if (x == 0) return 0;
  int power = 0;
  const auto significand = static_cast<std::int64_t>(std::ldexp(std::frexp(x, &power), 53));
  const int shift = power - 53 - exponent;
  if (shift >= 0) return static_cast<Int128>(static_cast<Uint128>(Int128{significand}) << shift);
  if (shift < -60) return 0;
  const std::int64_t unit = std::int64_t{1} << -shift;
  const std::int64_t floor =
      significand >= 0 ? significand / unit : -((unit - 1 - significand) / unit);
  const std::int64_t rest = significand - floor * unit;
  const bool up = 2 * rest > unit || (2 * rest == unit && floor % 2 != 0);
  return floor + (up ? 1 : 0);
}

TEST_P(GroupKernels, SplitDoublesIntoExactIntegers) {
  corpora::Random random(1);
  for (const int exponent : {-1074, -1000, -100, -61, -1, 0, 7, 500, 898}) {
    std::vector<double> in;
    for (int i = 0; i < 1024; ++i) {
      const double x =
          std::ldexp(static_cast<double>(static_cast<std::int64_t>(random.next())), -64);
      const int power = exponent - 3 + static_cast<int>(random.below(129));
      in.push_back(random.one_in(9) ? std::ldexp(random.below(9) - 4.0, exponent - 1)
                                    : std::ldexp(x, std::min(power, exponent + 126)));
    }
    const DoubleScale scale{std::ldexp(1.0, -exponent / 2),
                            std::ldexp(1.0, -exponent - (-exponent / 2))};
    std::vector<std::int64_t> limbs[3];
    for (auto& limb : limbs) limb.resize(1024);
    std::int64_t* const to[] = {limbs[0].data(), limbs[1].data(), limbs[2].data()};
    ASSERT_NE(kernels().split_doubles(in.data(), 1024, scale, to), kOutside);
    for (std::size_t i = 0; i < in.size(); ++i) {
      Uint128 units = 0;
      for (unsigned limb = 0; limb < 3; ++limb) {
        units += static_cast<Uint128>(Int128{limbs[limb][i]}) << (kLimbBits * limb);
        ASSERT_LE(std::abs(limbs[limb][i]), std::int64_t{1} << kLimbBits);
      }
      ASSERT_TRUE(static_cast<Int128>(units) == units_of(in[i], exponent)) << in[i] << exponent;
    }
  }
}

TEST_P(GroupKernels, RefuseDoublesThatAreNoSuchIntegers) {
  std::int64_t limbs[3][16];
  std::int64_t* const to[] = {limbs[0], limbs[1], limbs[2]};
  std::vector<double> in(16, 1.0);
  EXPECT_EQ(kernels().split_doubles(in.data(), 16, {}, to), kSmall);
  for (const double bad : {0x1p126, -0x1p126, std::numeric_limits<double>::infinity(),
                           -std::numeric_limits<double>::infinity(), std::nan("")}) {
    in[11] = bad;
    EXPECT_EQ(kernels().split_doubles(in.data(), 16, {}, to), kOutside);
  }
}

}  // namespace
}  // namespace presso::query::grouping::kernels_test
