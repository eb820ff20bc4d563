// SPDX-License-Identifier: MIT
// Numbers of wide keys: dense, the same for equal keys and for any number of threads; keys of the
// other side get them where they are there.
#include "query/join/key_numbers.h"

#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>

#include "corpora/random.h"
#include "query/join/build_rows.h"
#include "tests/unit/query/join/join_model.h"

namespace presso::query::join::test::key_numbers_test {
namespace {

using grouping::WordPair;

constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

StringRef ref_of(const std::string& text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}
std::vector<StringRef> refs_of(const std::vector<std::string>& texts) {
  std::vector<StringRef> refs;
  for (const std::string& text : texts) refs.push_back(ref_of(text));
  return refs;
}
std::string name_of(const StringRef& key) {
  return std::string(reinterpret_cast<const char*>(key.data), key.size);
}
std::pair<std::uint64_t, std::uint64_t> name_of(const WordPair& key) {
  return {key.first, key.second};
}

std::vector<std::string> some_texts(std::size_t count, std::uint32_t limit, std::uint64_t seed) {
  corpora::Random random(seed);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint32_t number = random.below(limit);
    texts.push_back(number == 0 ? "" : "a key of the customer " + std::to_string(number));
  }
  return texts;
}
std::vector<WordPair> some_pairs(std::size_t count, std::uint32_t limit, std::uint64_t seed) {
  corpora::Random random(seed);
  std::vector<WordPair> pairs(count);
  for (WordPair& pair : pairs) pair = {random.below(3), std::uint64_t{random.below(limit)} << 40};
  return pairs;
}

template <class Key>
void expect_numbers(const std::vector<Key>& build, const std::vector<Key>& probe, bool nulls) {
  const Words build_bits = some_bits(build.size(), 4, 1), probe_bits = some_bits(1024, 4, 2);
  const std::uint64_t* const validity = nulls ? build_bits.data() : nullptr;
  const std::uint64_t* const probe_validity = nulls ? probe_bits.data() : nullptr;
  Words first_answer;
  for (const unsigned threads : {1u, 2u, 7u}) {
    Words numbers(build.size(), 99);
    auto made = KeyNumbers<Key>::build(build, validity, threads, kNoLimit, numbers.data());
    ASSERT_TRUE(made.ok());
    std::map<decltype(name_of(build[0])), std::uint64_t> known;
    std::set<std::uint64_t> used;
    for (std::size_t i = 0; i < build.size(); ++i) {
      if (!has_bit(validity, i)) continue;
      ASSERT_EQ(known.emplace(name_of(build[i]), numbers[i]).first->second, numbers[i]);
      used.insert(numbers[i]);
    }
    ASSERT_EQ(used.size(), known.size());
    ASSERT_EQ((*made)->size(), known.size());
    ASSERT_TRUE(used.empty() || *used.rbegin() == known.size() - 1);
    if (first_answer.empty()) first_answer = numbers;
    ASSERT_EQ(numbers, first_answer) << threads;
    for (std::size_t first = 0; first < probe.size(); first += kBatchRows) {
      const auto count =
          static_cast<std::uint32_t>(std::min<std::size_t>(kBatchRows, probe.size() - first));
      Words found(kBatchRows), bits(kBatchWords, kNoLimit);
      (*made)->find(&probe[first], count, probe_validity, found.data(), bits.data());
      for (std::uint32_t i = 0; i < count; ++i) {
        const auto at = known.find(name_of(probe[first + i]));
        const bool is_there = at != known.end() && has_bit(probe_validity, i);
        ASSERT_EQ(has_bit(bits.data(), i), is_there);
        ASSERT_TRUE(!is_there || found[i] == at->second);
      }
    }
  }
}

TEST(KeyNumbers, AreDenseAndTheSameForEqualKeys) {
  for (const bool nulls : {false, true}) {
    for (const std::size_t rows : {0u, 1u, 3000u, 90'000u}) {
      for (const std::uint32_t limit : {1u, 500u, 60'000u}) {
        const auto texts = some_texts(rows, limit, 1), others = some_texts(2500, 2 * limit, 2);
        expect_numbers(refs_of(texts), refs_of(others), nulls);
        expect_numbers(some_pairs(rows, limit, 3), some_pairs(2500, 2 * limit, 4), nulls);
      }
    }
  }
}

TEST(KeyNumbers, KeepCopiesOfStrings) {
  std::vector<std::string> texts = some_texts(3000, 2000, 6);
  const std::vector<std::string> same = texts;
  Words numbers(texts.size()), found(kBatchRows), bits(kBatchWords);
  auto made = KeyNumbers<StringRef>::build(refs_of(texts), nullptr, 2, kNoLimit, numbers.data());
  ASSERT_TRUE(made.ok());
  for (std::string& text : texts) text.assign(text.size(), '?');
  const auto refs = refs_of(same);
  (*made)->find(refs.data(), 1000, nullptr, found.data(), bits.data());
  for (std::uint32_t i = 0; i < 1000; ++i) ASSERT_EQ(found[i], numbers[i]);
}

TEST(KeyNumbers, StopWhereMemoryEnds) {
  const auto pairs = some_pairs(90'000, 60'000, 3);
  Words numbers(pairs.size());
  auto made =
      KeyNumbers<WordPair>::build(pairs, nullptr, 2, std::uint64_t{3} << 20, numbers.data());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().code, ErrorCode::kOutOfMemory);
  EXPECT_FALSE(made.error().what.empty());
}

}  // namespace
}  // namespace presso::query::join::test::key_numbers_test
