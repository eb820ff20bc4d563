// SPDX-License-Identifier: MIT
// Tuples dealt out to parts: all of them, in the part of their hash, in the order of their rows.
#include "query/join/key_partition.h"

#include <gtest/gtest.h>

#include "query/values/hash.h"
#include "tests/unit/query/join/join_model.h"

namespace presso::query::join::test::key_partition_test {
namespace {

void expect_parts(const JoinCase& which, const std::vector<Tuple>& tuples,
                  const std::vector<std::uint64_t>& begins, unsigned bits) {
  ASSERT_EQ(begins.size(), (std::size_t{1} << bits) + 1);
  ASSERT_EQ(begins.front(), 0u);
  std::vector<std::vector<std::uint32_t>> rows(begins.size() - 1);
  for_each_key(which.build_keys(), 0, which.build.size(),
               [&](std::uint64_t key, std::uint32_t row) {
                 rows[partition_of(hash_word(key), bits)].push_back(row);
               });
  for (std::size_t part = 0; part < rows.size(); ++part) {
    std::vector<std::uint32_t> actual;
    for (std::uint64_t i = begins[part]; i < begins[part + 1]; ++i) {
      actual.push_back(tuples[i].row);
      ASSERT_EQ(key_of(tuples[i]), which.build[tuples[i].row]);
    }
    ASSERT_EQ(actual, rows[part]) << which.name;
  }
}

TEST(KeyPartition, KeepsTheOrderOfRowsWithinAPart) {
  for (const JoinCase& which : join_cases(40'000, 1)) {
    std::vector<Tuple> tuples(which.build.size() + 1);
    for (const unsigned threads : {1u, 3u}) {
      for (const unsigned bits : {0u, 3u, kMostPartitionBits}) {
        auto begins = partition_keys(which.build_keys(), threads, bits, tuples.data());
        ASSERT_TRUE(begins.ok());
        expect_parts(which, tuples, *begins, bits);
      }
    }
  }
}

}  // namespace
}  // namespace presso::query::join::test::key_partition_test
