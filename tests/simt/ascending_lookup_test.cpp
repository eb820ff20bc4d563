// SPDX-License-Identifier: MIT
// Lookups of keys that ascend, which are searched: each key is found, whatever lies between them,
// and what does not ascend is seen.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "query/gpu/join/lookup_steps.h"
#include "tests/simt/emulated_query_device.h"

namespace presso::ascending_lookup_test {
namespace {

using namespace test;

/// A lookup of ascending keys that are written in the order of `numbers`.
class AscendingLookup {
 public:
  AscendingLookup(const std::vector<std::int64_t>& keys, std::uint64_t spread, std::uint32_t seed) {
    const std::uint64_t rows = keys.size();
    std::vector<std::uint64_t> numbers(rows);
    images_.resize(rows);
    for (std::uint64_t i = 0; i < rows; ++i) {
      const std::uint64_t place = (i * 7919 + 5) % std::max<std::uint64_t>(rows, 1);
      numbers[i] = place * spread;
      images_[i] = static_cast<std::uint64_t>(keys[place]);
    }
    const gpu::LookupPlan plan(rows, std::nullopt, gpu::LookupForm::kAscending);
    memory_.resize(plan.bytes() / 8 + 1);
    next.resize(rows + 1);
    lookup_ = plan.at(memory_.data());
    lookup_.next = next.data();
    gpu::AscendingBuild build;
    build.keys = images_.data();
    build.numbers = numbers.data();
    build.most_numbers = rows * spread;
    build.count = static_cast<std::uint32_t>(rows);
    std::vector<std::uint64_t> ordering(gpu::ordering_bytes(build.most_numbers) / 8 + 1);
    build.memory = ordering.data();
    build.facts = &facts;
    kernels_ = make_emulated_table_kernels(std::make_shared<EmulatedFaults>(), seed);
    EXPECT_TRUE(kernels_->build_ascending(lookup_, build, nullptr).ok());
  }

  /// How often the keys of each row are found; of those that repeat at one of their rows.
  std::vector<std::uint32_t> find(const std::vector<std::int64_t>& keys) {
    std::vector<std::uint32_t> counts(std::max(keys.size(), images_.size()) + 1);
    gpu::JoinRows probe;
    probe.d_keys = keys.data();
    probe.count = static_cast<std::uint32_t>(keys.size());
    EXPECT_TRUE(kernels_->count_rows_of_keys(lookup_, probe, counts.data(), nullptr).ok());
    return counts;
  }
  std::int64_t key_of(std::size_t row) const { return static_cast<std::int64_t>(images_[row]); }

  gpu::AscendingFacts facts;
  std::vector<std::uint32_t> next;

 private:
  std::vector<std::uint64_t> images_;
  std::vector<std::uint64_t> memory_;
  gpu::Lookup lookup_;
  std::shared_ptr<gpu::TableKernels> kernels_;
};

TEST(AscendingLookups, FindsWhatThereIs) {
  constexpr auto kLeast = std::numeric_limits<std::int64_t>::min();
  constexpr auto kMost = std::numeric_limits<std::int64_t>::max();
  std::uint32_t seed = 0;
  for (const std::uint64_t rows : {1u, 2u, 3u, 31u, 32u, 33u, 34u, 35u, 64u, 1023u, 1090u, 5000u}) {
    for (const std::uint64_t repeated : {1u, 3u}) {
      SCOPED_TRACE(std::to_string(rows) + " rows");
      std::vector<std::int64_t> keys;
      for (std::uint64_t i = 0; i < rows; ++i) {
        keys.push_back(static_cast<std::int64_t>(i / repeated * 4) - static_cast<int>(rows));
      }
      keys.front() = kLeast;
      keys.back() = rows == 1 ? kLeast : kMost;
      ++seed;
      AscendingLookup lookup(keys, 1 + seed % 3 * 40, seed);
      EXPECT_EQ(lookup.facts.descends, 0u);
      EXPECT_EQ(lookup.facts.repeats != 0,
                std::adjacent_find(keys.begin(), keys.end()) != keys.end());
      // Ascending ones, and what lies between them; then in an order that is none.
      std::vector<std::int64_t> wanted;
      for (const std::int64_t key : keys) {
        wanted.push_back(key);
        wanted.push_back(key == kMost ? key - 1 : key + 1);
      }
      for (const bool shuffled : {false, true}) {
        if (shuffled) std::shuffle(wanted.begin(), wanted.end(), std::mt19937(seed));
        const std::vector<std::uint32_t> counts = lookup.find(wanted);
        std::map<std::int64_t, std::uint32_t> found;
        for (std::size_t row = 0; row < rows; ++row) {
          found[lookup.key_of(row)] += counts[row];
          if (lookup.next[row] != gpu::kNoRow) {
            ASSERT_EQ(lookup.key_of(lookup.next[row]), lookup.key_of(row));
          }
        }
        for (const auto& [key, count] : found) {
          ASSERT_EQ(count, std::count(wanted.begin(), wanted.end(), key)) << key;
        }
      }
    }
  }
}

TEST(AscendingLookups, TellsOfKeysThatDescendBySigns) {
  EXPECT_EQ(AscendingLookup({-5, -1, 0, 7}, 1, 1).facts.descends, 0u);
  EXPECT_EQ(AscendingLookup({0, 7, -5, -1}, 1, 1).facts.descends, 1u);
  EXPECT_EQ(AscendingLookup({}, 1, 1).facts.descends, 0u);
}

}  // namespace
}  // namespace presso::ascending_lookup_test
