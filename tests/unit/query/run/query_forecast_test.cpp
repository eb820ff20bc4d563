// SPDX-License-Identifier: MIT
// Query::forecast(): what is to be read and computed, and why a device would be of no use.
#include "query/run/query_forecast.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "presso/compress_table.h"
#include "presso/query.h"

namespace presso::query::query_forecast_test {
namespace {

constexpr int kRows = 200'000;  ///< three slices and a bit
constexpr int kTowns = 1000;

class QueryForecastTest : public ::testing::Test {
 protected:
  struct File {
    std::vector<Byte> bytes;
    std::unique_ptr<MemoryRandomAccess> access;
    std::optional<Table> table;
  };

  static void make(const std::string& csv, File& file) {
    VectorSink sink(file.bytes);
    MemorySource source({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    MemorySource again({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    ASSERT_TRUE(compress_table(source, &again, sink, {}).ok());
    file.access = std::make_unique<MemoryRandomAccess>(file.bytes);
    file.table.emplace(*Table::open(*file.access));
  }

  void SetUp() override {
    std::string sales = "id,town,price\n", towns = "number,region,name\n";
    for (int i = 0; i < kRows; ++i) {
      sales += std::to_string(i) + "," + std::to_string(i * 7 % kTowns) + "," +
               std::to_string(i % 777) + "\n";
    }
    for (int i = 0; i < kTowns; ++i) {
      towns +=
          std::to_string(i) + "," + std::to_string(i % 10) + ",n" + std::to_string(i % 10) + "\n";
    }
    make(sales, sales_);
    make(towns, towns_);
  }

  Query sales() const { return Query::from({*sales_.table}, {"sales.csv"}); }
  Query joined() const {
    Query query = sales();
    query.join({*towns_.table}, {"towns.csv"}, JoinKind::kInner, "town = number");
    return query;
  }

  static QueryForecast forecast(const Query& query, const QueryOptions& options = {}) {
    const auto prepared = query.prepare(options);
    EXPECT_TRUE(prepared.ok()) << prepared.error().what;
    if (!prepared.ok()) return {};
    const auto told = prepared->forecast();
    EXPECT_TRUE(told.ok()) << told.error().what;
    return told.ok() ? *told : QueryForecast();
  }

  /// What the query reads in truth.
  static QuerySummary summary(const Query& query) {
    class Nowhere final : public ResultSink {
     public:
      Result<bool> write(ResultBatch, Buffer) override { return true; }
    } nowhere;
    auto done = query.run({}, nowhere);
    EXPECT_TRUE(done.ok()) << done.error().what;
    return done.ok() ? *done : QuerySummary();
  }

  File sales_;
  File towns_;
};

TEST_F(QueryForecastTest, TellsRowsAndBytesOfTheColumnsThatAreRead) {
  Query query = sales();
  query.group_by("town").aggregate("sum(price)");
  const QueryForecast all = forecast(query);
  EXPECT_EQ(all.rows, kRows);
  EXPECT_EQ(all.stored_bytes, static_cast<double>(summary(query).bytes_stored));
  EXPECT_EQ(all.groups, kTowns);
  EXPECT_EQ(all.why_cpu, "");
}

TEST_F(QueryForecastTest, ShapesLeaveOutConstantsAndNothingElse) {
  const auto shape = [](const Query& query) {
    const auto prepared = query.prepare({});
    EXPECT_TRUE(prepared.ok()) << prepared.error().what;
    return prepared.ok() ? prepared->shape() : "";
  };
  const auto sums = [&](const char* where, const char* key, const char* sum) {
    return shape(sales().where(where).group_by(key).aggregate(sum));
  };
  const std::string first = sums("id < 5", "town", "sum(price)");
  EXPECT_EQ(sums("id < 77", "town", "sum(price)"), first);
  std::set<std::string> shapes = {
      first,
      sums("id <= 5", "town", "sum(price)"),
      sums("price < 5", "town", "sum(price)"),
      sums("id < 5 and id <> 3", "town", "sum(price)"),
      sums("id < 5", "price", "sum(price)"),
      sums("id < 5", "town", "max(price)"),
      sums("id < 5", "town", "sum(price + 1)"),
      sums("id < 5", "town", "sum(id)"),
      shape(joined().aggregate("count(*)")),
      shape(joined().where("region < 2").aggregate("count(*)")),
      shape(joined().where("id < 2").aggregate("count(*)")),
  };
  EXPECT_EQ(shapes.size(), 11u);
}

TEST_F(QueryForecastTest, SlicesThatZonesRuleOutDoNotCount) {
  Query query = sales();
  query.where("id < 1000").group_by("town").aggregate("sum(price)");
  const QueryForecast few = forecast(query);
  EXPECT_EQ(few.rows, 65'536);
  const auto all_bytes = static_cast<double>(summary(query).bytes_stored);
  EXPECT_DOUBLE_EQ(few.stored_bytes, all_bytes * 65'536 / kRows);
  Query every = sales();
  every.where("id >= 0").group_by("town").aggregate("sum(price)");
  EXPECT_GT(forecast(every).cpu_ns, 2 * few.cpu_ns);
}

TEST_F(QueryForecastTest, TheCpuTakesWhatTheStepsCost) {
  QueryRates rates;
  QueryOptions options;
  options.rates = rates;
  Query grouped = sales();
  grouped.group_by("town").aggregate("count(*), sum(price)");
  const QueryForecast plain = forecast(grouped, options);
  const double bytes = plain.stored_bytes * rates.read_ns;
  EXPECT_NEAR(plain.cpu_ns, bytes + kRows * (2 * rates.decode_ns + rates.group_ns), 1);
  Query more = sales();
  more.group_by("town").aggregate("count(*), sum(price), min(price), max(price)");
  EXPECT_NEAR(forecast(more, options).cpu_ns - plain.cpu_ns, kRows * 0.5 * rates.group_ns, 1);
  options.rates.group_ns *= 2;
  EXPECT_NEAR(forecast(grouped, options).cpu_ns - plain.cpu_ns, kRows * rates.group_ns, 1);
}

TEST_F(QueryForecastTest, JoinsCountLookUpsAndTheOtherTable) {
  Query query = joined();
  query.group_by("region").aggregate("count(*)");
  QueryOptions options;
  const QueryForecast told = forecast(query, options);
  EXPECT_EQ(told.rows, kRows + kTowns);
  EXPECT_EQ(told.stored_bytes, static_cast<double>(summary(query).bytes_stored));
  EXPECT_EQ(told.groups, 10);
  options.rates.join_ns += 1;
  EXPECT_NEAR(forecast(query, options).cpu_ns - told.cpu_ns, kRows + kTowns, 1);
  Query semi = sales();
  semi.join({*towns_.table}, {"towns.csv"}, JoinKind::kSemi, "town = number").aggregate("count(*)");
  const double before = forecast(semi).cpu_ns;
  EXPECT_NEAR(forecast(semi, options).cpu_ns - before, kRows / 2 + kTowns, 1);
}

TEST_F(QueryForecastTest, TheGpuTakesWhatItsStepsCost) {
  QueryOptions options;
  Query grouped = sales();
  grouped.where("id >= 10").group_by("town").aggregate("count(*), sum(price)");
  EXPECT_EQ(forecast(grouped, options).gpu_ns, 0) << "its rates are not given";
  options.gpu_rates.emplace();
  const double before = forecast(grouped, options).gpu_ns;
  const QueryForecast told = forecast(grouped, options);
  EXPECT_GT(told.gpu_ns, kRows * options.gpu_rates->group_ns);
  EXPECT_EQ(told.cpu_ns, forecast(grouped).cpu_ns);
  const auto more = [&](double GpuQueryRates::*rate, const Query& query) {
    QueryOptions dearer = options;
    const double without = forecast(query, options).gpu_ns;
    (*dearer.gpu_rates).*rate += 1;
    return forecast(query, dearer).gpu_ns - without;
  };
  const double rows = kRows * (1 - 10.0 / kRows);
  EXPECT_NEAR(more(&GpuQueryRates::group_ns, grouped), rows, 2);
  EXPECT_EQ(more(&GpuQueryRates::far_group_ns, grouped), 0);
  EXPECT_NEAR(more(&GpuQueryRates::group_back_ns, grouped), kTowns, 1e-3);
  EXPECT_NEAR(more(&GpuQueryRates::byte_ns, grouped), told.stored_bytes, 0.4 * told.stored_bytes);
  EXPECT_GE(more(&GpuQueryRates::kernel_ns, grouped), 1);
  Query far = sales();
  far.group_by("id").aggregate("count(*)");
  EXPECT_GT(more(&GpuQueryRates::far_group_ns, far), 0.2 * kRows);
  Query sum = sales();
  sum.aggregate("sum(price), sum(id + town)");
  EXPECT_NEAR(more(&GpuQueryRates::sum_ns, sum), 2.0 * kRows, 1);
  EXPECT_NEAR(more(&GpuQueryRates::step_ns, sum), 1.0 * kRows, 1);
  Query pairs = joined();
  pairs.group_by("region").aggregate("count(*)");
  EXPECT_NEAR(more(&GpuQueryRates::lookup_ns, pairs), kRows + kTowns, 1);
  EXPECT_GT(before, 0);
}

/// Each argument of count(distinct) takes a pass, in which it is a part of the key.
TEST_F(QueryForecastTest, ArgumentsOfCountDistinctTakePassesThere) {
  QueryOptions options;
  options.gpu_rates.emplace();
  const auto told = [&](const char* aggregates) {
    Query query = sales();
    query.group_by("town").aggregate(aggregates);
    return forecast(query, options);
  };
  const QueryForecast none = told("count(*)");
  const QueryForecast once = told("count(distinct price), count(*), count(distinct price)");
  const QueryForecast twice = told("count(distinct price), count(*), count(distinct id)");
  EXPECT_EQ(none.gpu_passes, 1u);
  EXPECT_EQ(once.gpu_passes, 1u);
  EXPECT_EQ(twice.gpu_passes, 2u);
  EXPECT_GT(once.gpu_ns, none.gpu_ns);
  EXPECT_GT(twice.gpu_ns, 1.8 * once.gpu_ns);
  const auto more = [&](double GpuQueryRates::*rate) {
    const double before = told("count(distinct price), count(distinct id)").gpu_ns;
    (*options.gpu_rates).*rate += 1;
    const double after = told("count(distinct price), count(distinct id)").gpu_ns;
    (*options.gpu_rates).*rate -= 1;
    return after - before;
  };
  EXPECT_NEAR(more(&GpuQueryRates::kernel_ns), 2, 1e-3);
  EXPECT_NEAR(more(&GpuQueryRates::group_back_ns), 2 * kTowns, 1e-3);
  EXPECT_GT(more(&GpuQueryRates::far_group_ns), 0.5 * kRows) << "200,000 groups of town and id";
}

TEST_F(QueryForecastTest, StringsOfJoinedTablesAreDearKeys) {
  const auto by = [&](const char* key) {
    Query query = joined();
    query.group_by(key).aggregate("count(*)");
    return forecast(query).cpu_ns;
  };
  EXPECT_GT(by("name"), by("region") + 7 * kRows * QueryRates().group_ns);
}

TEST_F(QueryForecastTest, SaysWhatNoDeviceDoes) {
  const auto why = [&](Query& query) { return forecast(query).why_cpu; };
  Query all = sales();
  EXPECT_EQ(why(all.order_by("price")), "there is no condition");
  Query few = sales();
  EXPECT_EQ(why(few.where("price > 5").limit(10)), "few rows are asked for");
  Query sorted = sales();
  EXPECT_EQ(why(sorted.where("price > 5").order_by("price")), "");
  Query different = sales();
  EXPECT_EQ(why(different.aggregate("count(distinct town)")), "");
  Query real_values = sales();
  EXPECT_EQ(why(real_values.aggregate("count(distinct price / 3)")), "");
  Query real_beside = sales();
  EXPECT_EQ(why(real_beside.group_by("town").aggregate("count(distinct price / 3)")),
            "count(distinct) of doubles where there are keys");
  Query real = sales();
  EXPECT_EQ(why(real.aggregate("sum(price / 3)")), "");
  Query text = joined();
  EXPECT_EQ(why(text.aggregate("min(name)")), "aggregates of other than numbers of 64 bits");
  Query real_key = sales();
  EXPECT_EQ(why(real_key.group_by("price / 3").aggregate("count(*)")), "");
  Query real_keys = sales();
  EXPECT_EQ(why(real_keys.group_by("price / 3, town").aggregate("count(*)")),
            "keys that are neither integers nor strings");
  constexpr const char* kTooLong = "keys that do not fit into 63 bits together";
  Query long_keys = sales();
  EXPECT_EQ(why(long_keys.group_by("id * 3000000000000, town * 5000000").aggregate("count(*)")),
            kTooLong);
  Query long_value = sales();
  long_value.group_by("id * 3000000000000");
  EXPECT_EQ(why(long_value.aggregate("count(distinct price), count(distinct town * 5000000)")),
            kTooLong);
  Query long_key = sales();
  EXPECT_EQ(why(long_key.group_by("id * 300000000").aggregate("count(distinct price)")), "");
  Query counted = sales();
  EXPECT_EQ(why(counted.aggregate("count(*)")), "no column is read");
  Query failing = joined();
  EXPECT_EQ(why(failing.select("id % (region - 3) as r").order_by("id")), "results that may fail");
}

TEST_F(QueryForecastTest, WhatIsWrongWithTheQuestionIsAnError) {
  Query query = sales();
  query.where("nothing > 5");
  const auto prepared = query.prepare({});
  ASSERT_FALSE(prepared.ok());
  EXPECT_EQ(prepared.error().code, ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace presso::query::query_forecast_test
