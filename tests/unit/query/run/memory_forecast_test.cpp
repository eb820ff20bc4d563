// SPDX-License-Identifier: MIT
// What --explain predicts of memory, passes and temporary files, beside what runs then take.
#include "query/run/memory_forecast.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <regex>

#include "corpora/random.h"
#include "presso/compress_table.h"
#include "presso/query.h"

namespace presso::query::memory_forecast_test {
namespace {

constexpr std::uint64_t kMegabyte = 1'000'000;

TEST(MemoryForecast, PartsArePowersOfTwoThatLeaveAReserve) {
  EXPECT_EQ(parts_for(0.1), 2u);
  EXPECT_EQ(parts_for(1.1), 4u);
  EXPECT_EQ(parts_for(2.5), 8u);
  EXPECT_EQ(parts_for(3), 64u);  // by way of a file, with less memory
  EXPECT_EQ(parts_for(20), 256u);
  EXPECT_EQ(parts_for(1e30), kMostParts);
}

TEST(MemoryForecast, RowsBeyondTheMemoryGoThroughFiles) {
  const SortSizes sizes{1'000'000, 40, 9};
  const SortForecast plenty = forecast_sort(sizes, 2, 1000 * kMegabyte);
  EXPECT_EQ(plenty.rows, 1e6);
  EXPECT_GT(plenty.memory_bytes, 49e6);
  EXPECT_EQ(plenty.file_bytes, 0);
  const SortForecast little = forecast_sort(sizes, 2, 10 * kMegabyte);
  EXPECT_EQ(little.memory_bytes, plenty.memory_bytes);
  EXPECT_EQ(little.file_bytes, 40e6);
}

TEST(MemoryForecast, ALimitKeepsFewRowsOfEachThread) {
  const SortForecast few = forecast_sort({1e6, 40, 9, 100}, 4, kMegabyte);
  EXPECT_EQ(few.rows, 800);
  EXPECT_EQ(few.file_bytes, 0);
  EXPECT_EQ(forecast_sort({50, 40, 9, 100}, 4, kMegabyte).rows, 50);
  EXPECT_EQ(forecast_sort({1e6, 40, 9, ~std::uint64_t{0} - 1}, 4, kMegabyte).rows, 1e6);
}

TEST(MemoryForecast, GroupsBeyondTheMemoryTakePassesAndManyMoreTakeFiles) {
  const GroupSizes sizes{1e6, 1e6, false, 8, 20, 40, 32};
  const GroupForecast plenty = forecast_groups(sizes, 2, 1000 * kMegabyte);
  EXPECT_EQ(plenty.parts, 1u);
  EXPECT_EQ(plenty.file_bytes, 0);
  const auto memory = static_cast<std::uint64_t>(plenty.memory_bytes / 2);
  const GroupForecast half = forecast_groups(sizes, 2, memory);
  EXPECT_EQ(half.parts, 8u);
  EXPECT_LT(half.file_bytes, 40e6);  // the groups, not the rows
  const GroupForecast tenth = forecast_groups(sizes, 2, memory / 5);
  EXPECT_GT(tenth.parts, kMostPasses);
  EXPECT_GE(tenth.file_bytes, 40e6);
}

TEST(MemoryForecast, ThereAreNoMoreGroupsThanRows) {
  EXPECT_EQ(forecast_groups({100, 1e6, false, 8, 20, 40, 32}, 2, kMegabyte).groups, 100);
}

/// 30,000 rows: numbers that are all different, of 50 values and of 3 million; texts of 5 values
/// and such that are all different, of 32 bytes.
class ForecastTest : public ::testing::Test {
 protected:
  static constexpr int kRows = 30'000;

  void SetUp() override {
    corpora::Random random(7);
    std::string csv = "id,few,many,word,text\n";
    static const char* const kWords[] = {"red", "green", "blue", "dark", "pale"};
    for (int i = 0; i < kRows; ++i) {
      std::string text = std::to_string(random.below(1'000'000'000)) + 't' + std::to_string(i);
      text.resize(32, 'x');
      csv += std::to_string(i * 7) + "," + std::to_string(random.below(50)) + "," +
             std::to_string(random.below(3'000'000)) + "," + kWords[random.below(5)] + "," + text +
             "\n";
    }
    VectorSink sink(file_);
    MemorySource source({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    MemorySource again({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
    TableOptions options;
    options.group_rows = 4000;
    ASSERT_TRUE(compress_table(source, &again, sink, options).ok());
    access_ = std::make_unique<MemoryRandomAccess>(file_);
    table_.emplace(*Table::open(*access_));
  }

  Query query() const { return Query::from(*table_); }

  static std::string explain(const Query& query, std::uint64_t memory_bytes) {
    QueryOptions options;
    options.threads = 2;
    options.memory_bytes = memory_bytes;
    options.temporary_directory = "/tmp";
    return *query.explain(options);
  }

  static QuerySummary run(const Query& query, std::uint64_t memory_bytes) {
    struct Nobody final : ResultSink {
      Result<bool> write(ResultBatch, Buffer) override { return true; }
    } sink;
    QueryOptions options;
    options.threads = 2;
    options.memory_bytes = memory_bytes;
    const auto done = query.run(options, sink);
    EXPECT_TRUE(done.ok());
    return done.ok() ? *done : QuerySummary();
  }

  /// The bytes that stand where `pattern` has its group, in units of 10^3n; -1: nowhere.
  static double bytes_in(const std::string& text, const std::string& pattern) {
    std::smatch found;
    if (!std::regex_search(text, found, std::regex(pattern + "([0-9.,]+(?:e\\+[0-9]+)?) (\\w+)"))) {
      return -1;
    }
    const std::string unit = found[2];
    const double scale = unit == "kB" ? 1e3 : unit == "MB" ? 1e6 : unit == "GB" ? 1e9 : 1;
    std::string number = found[1];
    number.erase(std::remove(number.begin(), number.end(), ','), number.end());
    return std::stod(number) * scale;
  }

  std::vector<Byte> file_;
  std::unique_ptr<MemoryRandomAccess> access_;
  std::optional<Table> table_;
};

TEST_F(ForecastTest, SortingTakesAboutWhatIsPredicted) {
  for (const char* const key : {"many", "text", "few, text desc"}) {
    const Query sorted = std::move(query().select("id, word, text").order_by(key));
    const std::string plenty = explain(sorted, 1000 * kMegabyte);
    EXPECT_NE(plenty.find("  predicted: 30,000 rows, "), plenty.npos) << plenty;
    EXPECT_EQ(plenty.find("temporary"), plenty.npos) << plenty;
    const double memory = bytes_in(plenty, "predicted: 30,000 rows, ");
    const auto taken = static_cast<double>(run(sorted, 1000 * kMegabyte).peak_bytes);
    EXPECT_GT(memory, taken / 2) << key;
    EXPECT_LT(memory, taken * 2) << key;

    const std::string little = explain(sorted, kMegabyte);
    EXPECT_NE(little.find("--memory is 1 MB: about "), little.npos) << little;
    EXPECT_NE(little.find(" through temporary files in `/tmp`\n"), little.npos) << little;
    const double written = bytes_in(little, "about ");
    const auto spilled = static_cast<double>(run(sorted, kMegabyte).spilled_bytes);
    EXPECT_GT(written, spilled / 3) << key;
    EXPECT_LT(written, spilled * 1.5) << key;
  }
}

TEST_F(ForecastTest, GroupsAreBoundedByWhatKeysCanBe) {
  const auto groups = [&](const char* keys) {
    return bytes_in(explain(query().group_by(keys).aggregate("sum(id)"), 1000 * kMegabyte),
                    "predicted: at most ");
  };
  EXPECT_EQ(groups("few"), 50);
  EXPECT_EQ(groups("word"), 5);
  EXPECT_EQ(groups("few, word"), 250);
  EXPECT_EQ(groups("few > 10, word"), 10);
  EXPECT_EQ(groups("many"), kRows);
  EXPECT_EQ(groups("text"), kRows);
  EXPECT_EQ(groups("upper(text)"), kRows);
  const std::string half =
      explain(query().where("few < 25").group_by("text").aggregate("sum(id)"), 1000 * kMegabyte);
  EXPECT_NEAR(bytes_in(half, "predicted: at most "), kRows / 2.0, kRows / 10.0);
  const std::string none = explain(query().aggregate("sum(id)"), kMegabyte);
  EXPECT_EQ(none.find("predicted"), none.npos) << none;
}

TEST_F(ForecastTest, GroupsTakeAboutWhatIsPredictedInMemoryInPassesAndInFiles) {
  const Query grouped = std::move(query().group_by("text").aggregate("max(id), count(*)"));
  const std::string plenty = explain(grouped, 1000 * kMegabyte);
  const double memory = bytes_in(plenty, "at most 30,000 groups, ");
  const QuerySummary taken = run(grouped, 1000 * kMegabyte);
  EXPECT_EQ(taken.passes, 1u);
  EXPECT_GT(memory, static_cast<double>(taken.peak_bytes) / 2);
  EXPECT_LT(memory, static_cast<double>(taken.peak_bytes) * 2);

  const auto half = static_cast<std::uint64_t>(memory / 2);
  const std::string passes = explain(grouped, half);
  EXPECT_TRUE(std::regex_search(passes, std::regex("about [0-9]+ passes over [0-9.]+ [kM]B")))
      << passes;
  EXPECT_GT(run(grouped, half).passes, 2u);

  const auto tenth = static_cast<std::uint64_t>(memory / 10);
  const std::string files = explain(grouped, tenth);
  EXPECT_EQ(files.find("passes"), files.npos) << files;
  const double written = bytes_in(files, ": about ");
  const auto spilled = static_cast<double>(run(grouped, tenth).spilled_bytes);
  EXPECT_GT(written, spilled / 3);
  EXPECT_LT(written, spilled * 2);
}

TEST_F(ForecastTest, GroupsThatAreSortedAreRowsToBeSorted) {
  const std::string text =
      explain(query().group_by("few, word").aggregate("sum(id) as s").order_by("s"), kMegabyte);
  EXPECT_NE(text.find("  predicted: 250 rows, "), text.npos) << text;
}

TEST_F(ForecastTest, GroupsOfJoinedRowsAreForetoldAndMadeInParts) {
  Query joined = Query::from({*table_}, {"a.presso"});
  joined.join({*table_}, {"b.presso"}, JoinKind::kInner, std::string_view("a.id = b.id"));
  joined.group_by("b.text").aggregate("max(b.many) as m").order_by("m");
  const std::string text = explain(joined, 1000 * kMegabyte);
  EXPECT_EQ(bytes_in(text, "predicted: at most "), kRows) << text;
  EXPECT_NE(text.find("  predicted: 30,000 rows, "), text.npos) << text;
  const QuerySummary little = run(joined, 4 * kMegabyte);
  EXPECT_EQ(little.groups, std::uint64_t{kRows});
  EXPECT_GT(little.passes, 1u);
}

}  // namespace
}  // namespace presso::query::memory_forecast_test
