// SPDX-License-Identifier: MIT
// Queries with so many groups that the emulated GPU makes them part by part give what they give on
// the CPU: the same rows in the same order.
#include <gtest/gtest.h>

#include <string>

#include "corpora/random.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/queried_table.h"
#include "tests/support/sanitized.h"

namespace presso {
namespace {

using namespace test;

constexpr int kRows = 9000;

/// Keys of all 64 bits that are far apart, one of them in so many of ten rows; values that may be
/// null, negative or of more than 32 bits; doubles.
std::string csv_of(unsigned usual_in_ten) {
  corpora::Random random(11 + usual_in_ten);
  const char* const kEnds[] = {"-9223372036854775808", "9223372036854775807", "-1", "0"};
  std::string csv = "key,near,small,maybe,wide,real\n";
  for (int i = 0; i < kRows; ++i) {
    const std::uint64_t key = std::uint64_t{random.below(4000)} * 2'148'914'691'236'517;
    if (random.below(10) < usual_in_ten) {
      csv += "77";
    } else if (random.below(50) == 0) {
      csv += kEnds[random.below(4)];
    } else {
      csv += std::to_string(static_cast<std::int64_t>(key));
    }
    const auto add = [&csv](const std::string& value) { csv.append(",").append(value); };
    // Of no more than 63 bits, so that it may be null.
    add(random.below(20) == 0 ? "" : std::to_string(std::uint64_t{random.below(5000)} << 40));
    add(std::to_string(static_cast<int>(random.below(2000)) - 1000));
    add(random.below(3) == 0 ? "" : std::to_string(random.below(1000)));
    add(std::to_string((std::int64_t{random.below(1u << 30)} << 24) - (1ll << 50)));
    add(std::to_string(random.below(100000)));
    csv.append(".").append(std::to_string(random.below(100)));
    csv += "\n";
  }
  return csv;
}

constexpr Asked kByParts[] = {
    {"", "key", "count(*)"},
    {"", "key", "sum(small)"},
    {"", "key", "count(*), sum(small), sum(wide), min(small), max(wide), avg(small)"},
    {"", "key", "count(maybe), sum(maybe), min(maybe), max(maybe), avg(maybe)"},
    {"small > -700", "key", "count(*), sum(small * 3 + wide)"},
    {"maybe > 100 and small < 900", "key", "sum(maybe), count(*)"},
    {"", "near", "count(*), sum(small)"},
    {"", "near, small", "count(*), max(maybe)"},
    {"small > wide", "near + 1, maybe", "count(small), sum(wide)"},
    {"", "key", "sum(real), avg(real), max(real)"},
};

class QueryByParts : public ::testing::TestWithParam<unsigned> {};

TEST_P(QueryByParts, AnswersAsTheCpu) {
  const MadeTable made(csv_of(GetParam()), 2500);
  std::uint32_t seed = 0;
  for (const Asked& asked : kByParts) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const auto faults = std::make_shared<EmulatedFaults>();
    faults->group_parts.most_part_rows = kRows;
    const Answer found = answer_of(query, make_emulated_query_device(faults, ++seed));
    EXPECT_EQ(found.text, answer_of(query, nullptr).text);
    EXPECT_EQ(found.summary.why_cpu, "");
    EXPECT_EQ(faults->parted, 1u);
    EXPECT_EQ(found.summary.passes, 2u);
    EXPECT_EQ(faults->live_bytes, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(UsualInTen, QueryByParts, ::testing::Values(0u, 6u));

}  // namespace
}  // namespace presso
