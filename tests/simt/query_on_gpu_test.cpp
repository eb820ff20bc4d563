// SPDX-License-Identifier: MIT
// Queries on the emulated GPU give what they give on the CPU: the same rows in the same order.
#include <gtest/gtest.h>

#include <string>

#include "corpora/random.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/queried_table.h"

namespace presso {
namespace {

using test::Answer;
using test::answer_of;
using test::Asked;
using test::EmulatedFaults;
using test::MadeTable;
using test::query_of;

/// A column of every kind of vector, with and without nulls.
std::string make_csv(int rows, unsigned seed) {
  static const char* const kWords[] = {"AIR", "MAIL", "RAIL", "SHIP", "TRUCK", "FOB", "REG AIR"};
  corpora::Random random(seed);
  std::string csv = "id,day,price,discount,word,maybe,run,walk,wide,real\n";
  long walk = 1000;
  int run = 0;
  for (int i = 0; i < rows; ++i) {
    walk += static_cast<long>(random.below(40)) - 15;
    if (random.below(30) == 0) run = static_cast<int>(random.below(9));
    const auto cents = random.below(90'000) + 10'000;
    const auto wide = static_cast<long long>(random.below(1u << 30)) * 4'000'000'007;
    const std::string fields[] = {
        std::to_string(i * 3),
        std::to_string(1992 + random.below(7))
            .append("-0")
            .append(std::to_string(1 + random.below(9)).append("-1") +
                    std::to_string(random.below(10))),
        std::to_string(cents / 100).append(".").append(std::to_string(cents % 100 / 10)) +
            std::to_string(cents % 10),
        std::string("0.0").append(std::to_string(random.below(10))),
        kWords[random.below(7)],
        random.below(5) == 0 ? "" : std::to_string(static_cast<int>(random.below(500)) - 250),
        std::to_string(run),
        std::to_string(walk),
        std::to_string(random.below(2) == 0 ? wide : -wide),
        std::to_string(random.below(1000)).append(".").append(std::to_string(1 + random.below(9)))};
    for (const std::string& field : fields) csv.append(field).push_back(',');
    csv.back() = '\n';
  }
  return csv;
}

constexpr Asked kAsked[] = {
    {"day between 1994-01-01 and 1995-06-30"},
    {"day >= 1994-01-01 and discount between 0.02 and 0.06 and price < 500"},
    {"word = 'MAIL' or word = 'SHIP'"},
    {"word in ('AIR', 'RAIL', 'FOB')"},
    {"word like '%AIR%' and id < 2000"},
    {"maybe < 0"},
    {"maybe is null"},
    {"maybe is not null and run = 3"},
    {"(run = 2 or maybe > 100) and walk > 1100"},
    {"not (maybe > 100)"},
    {"walk between 1050 and 1200 and wide < 0"},
    {"real < 500.5"},
    {"real <> 17.3 and price in (100.50, 200.25, 300.75)"},
    {"id < maybe * 10"},
    {"walk > run * 500 and maybe <> run"},
    {"id < 100", "", "count(*), sum(price), min(day), max(day)"},
    {"", "", "sum(price * (1 - discount)), avg(price), count(maybe), sum(maybe), min(maybe)"},
    {"", "", "sum(wide), avg(wide), min(wide), max(wide), sum(walk)"},
    {"id < 0", "", "count(*), sum(price), min(day), avg(maybe)"},
    {"", "word", "count(*), sum(price), sum(price * (1 - discount)), avg(discount)"},
    {"day > 1995-01-01", "word, run", "count(*), sum(maybe), max(maybe), min(walk)"},
    {"", "maybe", "count(*), sum(id)"},
    {"run > 2", "maybe, word", "count(*), sum(price), avg(maybe)"},
    {"", "day", "count(*), min(id), max(walk)"},
    {"maybe > 0", "run + 1", "count(*), sum(maybe - run)"},
    {"", "word", "sum(-maybe), count(price), count(maybe)"},
};

class QueryOnGpu : public ::testing::TestWithParam<std::pair<int, std::uint32_t>> {};

TEST_P(QueryOnGpu, AnswersAsTheCpu) {
  const auto [rows, group_rows] = GetParam();
  const MadeTable made(make_csv(rows, static_cast<unsigned>(rows)), group_rows);
  std::uint32_t seed = 1;
  for (const Asked& asked : kAsked) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const Answer expected = answer_of(query, nullptr);
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = answer_of(query, test::make_emulated_query_device(faults, ++seed));
    EXPECT_EQ(found.text, expected.text);
    // A table of one row has no dictionary.
    if (rows > 1) {
      EXPECT_EQ(found.summary.why_cpu, "");
    }
    EXPECT_EQ(found.summary.device.empty(), !found.summary.why_cpu.empty());
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    EXPECT_EQ(faults->live_bytes, 0u);
    EXPECT_EQ(faults->live_handles, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, QueryOnGpu,
                         ::testing::Values(std::pair{1, 1000u}, std::pair{33, 1000u},
                                           std::pair{2500, 1024u}, std::pair{6000, 2500u},
                                           std::pair{9000, 1u << 20}));

}  // namespace
}  // namespace presso
