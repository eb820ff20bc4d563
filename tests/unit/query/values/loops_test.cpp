// SPDX-License-Identifier: MIT
// The loops over values at every CPU level, for many lengths, against single operations.
#include "query/values/loops.h"
#include "format/cpu_loops.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "corpora/random.h"

namespace presso::query::loops_test {
namespace {

using Words = std::vector<std::uint64_t>;

constexpr std::uint32_t kCounts[] = {0, 1, 2, 7, 8, 9, 15, 16, 17, 100, 1000, 1023, 1024};
constexpr std::uint64_t kUntouched = 0xA5A5A5A5A5A5A5A5u;

class Loops : public testing::TestWithParam<CpuLevel> {
 protected:
  const ValueLoops& loops() const { return loops_for<ValueLoops>(GetParam()); }
};

INSTANTIATE_TEST_SUITE_P(, Loops, testing::ValuesIn(supported_cpu_levels()),
                         [](const auto& level) { return std::string(name(level.param)); });

Words random_words(std::uint32_t count, std::uint64_t seed) {
  corpora::Random random(seed);
  Words words;
  for (std::uint32_t i = 0; i < count; ++i) words.push_back(random.next());
  return words;
}

/// One word more than is written.
Words room(std::uint32_t count) {
  return Words(count + 1, kUntouched);
}

template <class Apply>
Words expected(std::uint32_t count, Apply apply) {
  Words words = room(count);
  for (std::uint32_t i = 0; i < count; ++i) words[i] = apply(i);
  return words;
}

TEST_P(Loops, ComputeModulo2To64) {
  for (const std::uint32_t count : kCounts) {
    const Words a = random_words(count, 1), b = random_words(count, 2);
    Words to = room(count);
    loops().add(a.data(), b.data(), count, to.data());
    EXPECT_EQ(to, expected(count, [&](std::uint32_t i) { return a[i] + b[i]; }));
    loops().subtract(a.data(), b.data(), count, to.data());
    EXPECT_EQ(to, expected(count, [&](std::uint32_t i) { return a[i] - b[i]; }));
    loops().multiply(a.data(), b.data(), count, to.data());
    EXPECT_EQ(to, expected(count, [&](std::uint32_t i) { return a[i] * b[i]; }));
  }
}

TEST_P(Loops, ComputeInPlace) {
  Words a = random_words(1000, 3);
  const Words b = a;
  loops().multiply(a.data(), a.data(), 1000, a.data());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_EQ(a[i], b[i] * b[i]);
}

TEST_P(Loops, CodesBecomeWords) {
  for (const std::uint32_t count : kCounts) {
    corpora::Random random(count);
    std::vector<std::uint32_t> codes;
    for (std::uint32_t i = 0; i < count; ++i) {
      codes.push_back(static_cast<std::uint32_t>(random.next()));
    }
    Words to = room(count);
    loops().widen(codes.data(), count, to.data());
    EXPECT_EQ(to, expected(count, [&](std::uint32_t i) { return codes[i]; }));
  }
}

TEST_P(Loops, CodesBecomeNumbers) {
  for (const std::uint32_t entries : {1u, 3u, 16u, 17u, 1000u}) {
    corpora::Random random(entries);
    std::vector<std::uint32_t> table(std::max(entries, 16u));
    for (std::uint32_t& entry : table) entry = static_cast<std::uint32_t>(random.next());
    for (const std::uint32_t count : kCounts) {
      std::vector<std::uint32_t> codes;
      for (std::uint32_t i = 0; i < count; ++i) codes.push_back(random.below(entries));
      Words to = room(count);
      loops().look_up(table.data(), entries, codes.data(), count, to.data());
      EXPECT_EQ(to, expected(count, [&](std::uint32_t i) { return table[codes[i]]; }));
    }
  }
}

TEST_P(Loops, KeysBecomeDigits) {
  for (const std::uint32_t count : kCounts) {
    const Words values = random_words(count, 4);
    const std::uint64_t least = ~std::uint64_t{0} - 5;
    Words to = room(count);
    loops().offsets(values.data(), least, count, to.data());
    EXPECT_EQ(to, expected(count, [&](std::uint32_t i) { return values[i] - least; }));
    const Words before = to;
    loops().add_digits(values.data(), least, 12345, count, to.data());
    EXPECT_EQ(to, expected(count, [&](std::uint32_t i) {
                return before[i] + (values[i] - least) * 12345;
              }));
  }
}

}  // namespace
}  // namespace presso::query::loops_test
