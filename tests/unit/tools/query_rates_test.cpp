// SPDX-License-Identifier: MIT
// Rates of queries: kept in the user's store and found again, or the built-in ones.
#include "tools/device/query_rates.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

namespace presso::cli::query_rates_test {
namespace {

namespace fs = std::filesystem;

class Rates : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "presso_rates_XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    folder_ = pattern;
  }
  void TearDown() override {
    std::error_code problem;
    fs::remove_all(folder_, problem);
  }
  std::string path() const { return folder_ + "/measurements"; }

  std::string folder_;
};

QueryRates odd_rates() {
  QueryRates rates;
  rates.together = {1, 0.5, 0.25};
  rates.compare_ns = 0.125;
  rates.read_ns = 7;
  return rates;
}

TEST(RatesOfQueries, ComeBackFromTheirNumbers) {
  const auto again = query_rates_of(to_measurements(odd_rates()));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->together, odd_rates().together);
  EXPECT_EQ(to_measurements(*again), to_measurements(odd_rates()));
}

TEST(RatesOfQueries, AreRefusedWhereANumberIsMissingOrNotPositive) {
  for (const auto& [name, value] : to_measurements(odd_rates())) {
    Measurements numbers = to_measurements(odd_rates());
    numbers[name] = 0;
    const auto rates = query_rates_of(numbers);
    const bool is_later = name == "together_2" || name == "together_3";
    EXPECT_EQ(rates.has_value(), is_later) << name;  // a shorter list is one, too
  }
  EXPECT_FALSE(query_rates_of({}));
}

TEST_F(Rates, AreMeasuredOnceForALargeQueryAndKept) {
  const MeasurementStore store(path());
  query_rates(store, kMeasuredFromBytes - 1);
  EXPECT_FALSE(fs::exists(path()));
  const QueryRates measured = query_rates(store, kMeasuredFromBytes);
  ASSERT_TRUE(fs::exists(path()));
  const auto kept = query_rates(store, kKeptFromBytes);
  EXPECT_EQ(to_measurements(kept), to_measurements(measured));
}

TEST_F(Rates, AreTheBuiltInOnesWhereNothingCanBeKeptOrTheQueryIsSmall) {
  const Measurements built_in = to_measurements(QueryRates());
  EXPECT_EQ(to_measurements(query_rates(MeasurementStore(""), kMeasuredFromBytes)), built_in);
  const MeasurementStore store(path());
  bool kept = false;
  calibrate_queries(store, kept);
  EXPECT_TRUE(kept);
  EXPECT_EQ(to_measurements(query_rates(store, kKeptFromBytes - 1)), built_in);
}

}  // namespace
}  // namespace presso::cli::query_rates_test
