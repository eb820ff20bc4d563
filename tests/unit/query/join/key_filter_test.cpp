// SPDX-License-Identifier: MIT
// Filters of keys never lose a key of the build side, whatever its shape, are exact where they say
// so, and else wrong rarely; all CPU levels agree.
#include "query/join/key_filter.h"
#include "format/cpu_loops.h"

#include <gtest/gtest.h>

#include <unordered_set>

#include "corpora/random.h"
#include "query/join/build_rows.h"
#include "tests/unit/query/join/join_model.h"

namespace presso::query::join::test::key_filter_test {
namespace {

using Kind = KeyFilter::Kind;

Words bits_for_keys(const KeyFilter& filter, const Words& keys) {
  Words bits(keys.size() / 64 + 1, ~std::uint64_t{0});
  filter.test(keys.data(), static_cast<std::uint32_t>(keys.size()), bits.data());
  return bits;
}

std::unordered_set<std::uint64_t> set_of(const JoinCase& which) {
  std::unordered_set<std::uint64_t> keys;
  for_each_key(which.build_keys(), 0, which.build.size(),
               [&](std::uint64_t key, std::uint32_t) { keys.insert(key); });
  return keys;
}

TEST(KeyFilter, NeverLosesAKey) {
  for (const std::size_t rows : {1u, 100u, 50'000u}) {
    for (const JoinCase& which : join_cases(rows, 3'000)) {
      const auto keys = set_of(which);
      for (const unsigned threads : {1u, 3u}) {
        auto filter = KeyFilter::build(which.build_keys(), threads);
        ASSERT_TRUE(filter.ok());
        const Words bits = bits_for_keys(*filter, which.probe);
        for (std::size_t i = 0; i < which.probe.size(); ++i) {
          const bool is_key = keys.contains(which.probe[i]);
          ASSERT_TRUE(has_bit(bits.data(), i) || !is_key) << which.name << filter->describe();
          if (filter->kind() == Kind::kBloom) continue;
          ASSERT_EQ(has_bit(bits.data(), i), is_key) << which.name << filter->describe();
        }
      }
    }
  }
}

TEST(KeyFilter, ClearsTheRestOfTheLastWord) {
  for (const JoinCase& which : join_cases(1'000, 0)) {
    auto filter = KeyFilter::build(which.build_keys(), 1);
    ASSERT_TRUE(filter.ok());
    Words keys(which.build);
    keys.resize(std::min<std::size_t>(keys.size(), 70));
    if (keys.size() != 70) continue;
    const Words bits = bits_for_keys(*filter, keys);
    EXPECT_EQ(bits[1] >> 6, 0u) << which.name;
  }
}

KeyFilter made_of(const Words& keys, unsigned threads = 1) {
  auto filter = KeyFilter::build({keys, nullptr}, threads);
  EXPECT_TRUE(filter.ok());
  return std::move(*filter);
}

Words keys_with_steps(std::size_t count, std::uint64_t step) {
  Words keys(count);
  for (std::size_t i = 0; i < count; ++i) keys[i] = 7 + i * step;
  return keys;
}

TEST(KeyFilter, KnowsWhetherKeysAreUnique) {
  for (const std::uint64_t step : {1u, 2u}) {
    Words keys = keys_with_steps(1000, step);
    for (const unsigned threads : {1u, 3u}) {
      EXPECT_TRUE(made_of(keys, threads).unique());
    }
    keys.push_back(keys[10]);
    EXPECT_FALSE(made_of(keys).unique());
  }
  EXPECT_FALSE(made_of(keys_with_steps(1000, std::uint64_t{1} << 40)).unique());
}

TEST(KeyFilter, TakesTheFormThatSuitsTheKeys) {
  EXPECT_EQ(made_of({}).kind(), Kind::kNothing);
  EXPECT_EQ(made_of(keys_with_steps(1000, 1)).kind(), Kind::kRange);
  EXPECT_EQ(made_of(keys_with_steps(1000, 1)).bytes(), 0u);
  EXPECT_EQ(made_of(keys_with_steps(1000, 2)).kind(), Kind::kBitmap);
  EXPECT_EQ(made_of(keys_with_steps(100'000, 4)).kind(), Kind::kBitmap);
  EXPECT_EQ(made_of(keys_with_steps(100'000, 1000)).kind(), Kind::kBloom);
  EXPECT_EQ(made_of({0, ~std::uint64_t{0}}).kind(), Kind::kBloom);
}

TEST(KeyFilter, AllocatesWhatItSays) {
  for (const JoinCase& which : join_cases(40'000, 0)) {
    auto filter = KeyFilter::build(which.build_keys(), 2);
    ASSERT_TRUE(filter.ok());
    const std::uint64_t bytes = KeyFilter::predict_bytes(filter->facts());
    EXPECT_EQ(filter->bytes(), filter->kind() == Kind::kRange ? 0 : bytes) << which.name;
    if (bytes == 0) continue;
    auto none = KeyFilter::build(which.build_keys(), 2, bytes - 1);
    ASSERT_FALSE(none.ok());
    EXPECT_EQ(none.error().code, ErrorCode::kOutOfMemory);
  }
}

TEST(KeyFilter, IsRarelyWrong) {
  corpora::Random random(5);
  Words build(50'000), probe(200'000);
  for (std::uint64_t& key : build) key = random.next() | 1;
  for (std::uint64_t& key : probe) key = random.next() & ~std::uint64_t{1};
  const KeyFilter filter = made_of(build, 3);
  ASSERT_EQ(filter.kind(), Kind::kBloom);
  const Words bits = bits_for_keys(filter, probe);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < probe.size(); ++i) wrong += has_bit(bits.data(), i) ? 1 : 0;
  EXPECT_LT(wrong, probe.size() / 100);
}

TEST(KeyFilterKernels, AgreeAtEveryLevel) {
  corpora::Random random(9);
  Words keys(1000), bitmap(20), probe(1000);
  for (std::uint64_t& key : keys) key = random.below(1200);
  for (std::uint64_t& word : bitmap) word = random.next();
  bitmap[1200 / 64] &= ~(std::uint64_t{1} << (1200 % 64));
  for (std::uint64_t& key : probe) key = 90 + random.below(1500);
  std::vector<Words> answers;
  for (const CpuLevel level : {CpuLevel::kPortable, CpuLevel::kAvx2, CpuLevel::kAvx512Vbmi2}) {
    if (level > cpu_level()) continue;
    const Kernels& kernels = loops_for<Kernels>(level);
    std::vector<BloomBlock> blocks(37);
    kernels.fill_bloom(keys.data(), 1000, blocks.data(), 37, 0, 20);
    kernels.fill_bloom(keys.data(), 1000, blocks.data(), 37, 20, 37);
    Words bits(16 * 3);
    for (const std::uint32_t count : {0u, 1u, 63u, 64u, 1000u}) {
      kernels.test_range(probe.data(), count, 100, 1199, bits.data());
      kernels.test_bitmap(probe.data(), count, 100, 1199, bitmap.data(), bits.data() + 16);
      kernels.test_bloom(probe.data(), count, 0, 1400, blocks.data(), 37, bits.data() + 32);
      answers.push_back(bits);
    }
  }
  for (std::size_t i = 5; i < answers.size(); ++i) EXPECT_EQ(answers[i], answers[i % 5]);
}

}  // namespace
}  // namespace presso::query::join::test::key_filter_test
