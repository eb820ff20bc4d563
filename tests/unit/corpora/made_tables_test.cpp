// SPDX-License-Identifier: MIT
// The tables of a web server and of sensors at scale factor 0.01.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

#include "tests/unit/corpora/table_text.h"

namespace presso::corpora::made_tables_test {
namespace {

/// Guards the figures published for these tables: a change of the bytes must be meant.
TEST(MadeTables, AreTheSameBytesOnEveryMachine) {
  EXPECT_EQ(hash(make_text("weblog")), 0x51837d1d38c5549fu);
  EXPECT_EQ(hash(make_text("sensor")), 0x269f3750b3b53fb1u);
}

TEST(MadeTables, PartsMadeAloneAreThoseOfTheWhole) {
  for (const char* name : {"weblog", "sensor"}) {
    const std::string whole = make_text(name);
    const std::uint64_t rows = make_table(name, 1)->rows();
    const std::string first = make_rows(name, 1, TableFormat::kTbl, 0, 20'000);
    EXPECT_EQ(first + make_rows(name, 1, TableFormat::kTbl, 20'000, rows), whole) << name;
  }
}

TEST(MadeTables, EveryRowHasTheColumnsThatAreNamedAndTimeNeverGoesBack) {
  for (const char* name : {"weblog", "sensor"}) {
    const std::vector<Fields> rows = split_rows(make_text(name));
    EXPECT_EQ(rows.size(), make_table(name, 1)->rows());
    std::string last;
    for (const Fields& row : rows) {
      ASSERT_EQ(row.size(), 9u) << name;
      ASSERT_LE(last, row[0]) << name;
      last = row[0];
    }
  }
}

TEST(WebLog, AFewPagesAndClientsMakeMostOfTheRequests) {
  std::map<std::string, std::size_t> paths;
  std::map<std::string, std::set<std::string>> agents;
  const std::vector<Fields> rows = split_rows(make_text("weblog"));
  for (const Fields& row : rows) {
    ++paths[row[3]];
    agents[row[1]].insert(row[7]);
  }
  std::vector<std::size_t> counts;
  for (const auto& [path, count] : paths) counts.push_back(count);
  std::sort(counts.rbegin(), counts.rend());
  std::size_t top = 0;
  for (std::size_t i = 0; i < 100; ++i) top += counts[i];
  EXPECT_GT(top, rows.size() * 4 / 10);
  EXPECT_GT(paths.size(), 5000u);
  EXPECT_GT(agents.size(), 300u) << "clients";
}

TEST(WebLog, AReferrerIsAPageOfTheShopOrAnEntry) {
  std::set<std::string> pages;
  std::map<std::string, std::size_t> statuses;
  const std::vector<Fields> rows = split_rows(make_text("weblog"));
  constexpr std::string_view kSite = "https://shop.example";
  for (const Fields& row : rows) pages.insert(row[3]);
  std::size_t inside = 0;
  for (const Fields& row : rows) {
    ++statuses[row[4]];
    if (!row[6].starts_with(kSite)) continue;
    ++inside;
    EXPECT_EQ(pages.count(row[6].substr(kSite.size())), 1u) << row[6];
  }
  EXPECT_GT(inside, rows.size() / 2);
  EXPECT_GT(statuses["200"], rows.size() / 2);
  EXPECT_GT(statuses["404"], 0u);
  EXPECT_GT(statuses["304"], statuses["404"]);
}

TEST(SensorReadings, AMeasurementWalksInSmallSteps) {
  std::map<std::string, std::int64_t> last;
  std::set<std::int64_t> values;
  for (const Fields& row : split_rows(make_text("sensor"))) {
    if (row[2].empty()) continue;
    const std::int64_t value = digits_of(row[2]);
    const auto [found, is_new] = last.try_emplace(row[1], value);
    EXPECT_LE(std::abs(value - found->second), 60) << row[1] << " at " << row[0];
    found->second = value;
    values.insert(value);
  }
  EXPECT_EQ(last.size(), 250u);
  EXPECT_GT(values.size(), 500u);
}

TEST(SensorReadings, SomeValuesAreMissingAndFaultsMissAll) {
  std::array<std::size_t, 6> missing{};
  std::map<std::string, std::size_t> statuses;
  for (const Fields& row : split_rows(make_text("sensor"))) {
    ++statuses[row[8]];
    for (std::size_t i = 0; i < missing.size(); ++i) missing[i] += row[2 + i].empty() ? 1 : 0;
    if (row[8] != "fault") continue;
    EXPECT_EQ(row[2] + row[3] + row[4] + row[5] + row[7], "") << "all but the battery's voltage";
  }
  for (std::size_t i = 0; i < missing.size(); ++i) EXPECT_GT(missing[i], 0u) << i;
  EXPECT_GT(missing[3], 20'000u) << "every fifth device has no such sensor";
  EXPECT_EQ(statuses.size(), 4u);
  EXPECT_GT(statuses["ok"], 80'000u);
}

}  // namespace
}  // namespace presso::corpora::made_tables_test
