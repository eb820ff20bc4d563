// SPDX-License-Identifier: MIT
// Queries over copies of a table, in each layout, find so many times what they find in one copy as
// it is stored; and the layouts are as large as their widths say.
#include <gtest/gtest.h>

#include <string>

#include "corpora/table_generator.h"
#include "lab/programs/table_gpu/rate_device.h"
#include "presso/sql.h"
#include "tests/simt/emulated_compiler.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/keyed_tables.h"
#include "tests/simt/queried_table.h"

namespace presso::plain_columns_test {
namespace {

using namespace test;

constexpr unsigned kCopies = 3;
constexpr ColumnLayout kLayouts[] = {ColumnLayout::kStored, ColumnLayout::kNarrow,
                                     ColumnLayout::kInt32, ColumnLayout::kWords};

/// Times the query, which need not be answered: bytes, or why it was not timed.
struct Timed {
  std::uint64_t bytes = 0;
  std::string why_not;
};

Timed time_query(const Query& query, ColumnLayout layout) {
  const auto faults = std::make_shared<EmulatedFaults>();
  const auto device = make_host_device(faults);
  const auto kernels = make_emulated_table_kernels(faults);
  const auto strings = make_emulated_string_kernels(faults);
  const auto compiler = make_emulated_compiler(faults);
  RateOptions of_rate{kCopies, layout, 1};
  of_rate.compiler = compiler.get();
  const auto rate = std::make_shared<RateDevice>(*device, *kernels, *strings, of_rate);
  const Answer answer = answer_of(query, rate);
  if (rate->why_not().empty()) {
    EXPECT_GT(rate->rows_read(), 0u);
    EXPECT_EQ(rate->matched(), kCopies * answer.summary.rows_matched);
  }
  EXPECT_EQ(faults->live_bytes, 0u);
  return {rate->bytes(), rate->why_not()};
}

/// Rows in groups of 70,000 rows, so that blocks of 65,536 and of fewer rows come.
constexpr int kRows = 100'000;
constexpr std::uint32_t kGroupRows = 70'000;

/// Columns that need 8, 16, 32 and 64 bits, a negative one, words of a dictionary; constants, runs
/// and steps, which are stored in other ways than packed.
std::string make_numbers() {
  std::string csv = "tiny,small,mid,large,below,word,same,runs,steps\n";
  corpora::Random random(5);
  for (int i = 0; i < kRows; ++i) {
    const std::uint64_t large = std::uint64_t{1} << 40 | random.next() >> 30;
    csv += std::to_string(random.below(100)) + ',' + std::to_string(random.below(30'000)) + ',' +
           std::to_string(random.below(2'000'000'000)) + ',' + std::to_string(large) + ',' +
           std::to_string(static_cast<int>(random.below(60'000)) - 20'000) + ",word" +
           std::to_string(random.below(20)) + ",7," + std::to_string(i / 300) + ',' +
           std::to_string(3 * i) + '\n';
  }
  return csv;
}

TEST(PlainColumns, GiveWhatStoredOnesDo) {
  const MadeTable made(make_numbers(), kGroupRows);
  for (const Asked& asked : {
           Asked{"tiny between 20 and 70", "", "count(*)"},
           Asked{"below < -3 and small > 700", "", "count(*), sum(mid)"},
           Asked{"large > 1099511627776 and mid < 1000000000", "", "sum(large), min(below)"},
           Asked{"word in ('word3', 'word11', 'word7')", "word", "count(*), max(below), sum(tiny)"},
           Asked{"steps > 40 and same = 7", "tiny", "count(*), sum(below * small)"},
           Asked{"", "word, same", "min(runs), max(steps), sum(large)"},
       }) {
    const Query query = query_of(*made.table, asked);
    for (const ColumnLayout layout : kLayouts) {
      SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates +
                   ", layout " + std::to_string(static_cast<int>(layout)));
      EXPECT_EQ(time_query(query, layout).why_not, "");
    }
  }
}

/// Kernels of their own for conditions, over all copies: as many rows as one kernel finds, and what
/// each has read and written.
TEST(PlansThatAreTimed, FindWhatOneKernelDoes) {
  const MadeTable made(make_numbers(), kGroupRows);
  const Query query =
      query_of(*made.table, {"small > 700 and below < -3 and tiny < large - 1099511627700", "word",
                             "count(*), sum(mid)"});
  const std::uint64_t bitmap = kCopies * 99 * 128;  // 64 + 5 vectors, and 30 of the second group
  for (const auto& [plan, kernels] : {std::pair{"2;1&&3;", 3u}, std::pair{"1;2;3", 3u},
                                      std::pair{"1&2&&3", 1u}, std::pair{"3;1&2", 2u}}) {
    SCOPED_TRACE(plan);
    const auto device = make_host_device(std::make_shared<EmulatedFaults>());
    const auto table_kernels = make_emulated_table_kernels(std::make_shared<EmulatedFaults>());
    const auto strings = make_emulated_string_kernels(std::make_shared<EmulatedFaults>());
    RateOptions of_rate{kCopies, ColumnLayout::kStored, 1};
    of_rate.times_kernels = true;
    const auto compiler = make_emulated_compiler(std::make_shared<EmulatedFaults>());
    of_rate.compiler = compiler.get();
    const auto rate = std::make_shared<RateDevice>(*device, *table_kernels, *strings, of_rate);
    QueryOptions options;
    options.device = rate;
    options.plan.plan = plan;
    TextSink sink;
    const auto done = query.run(options, sink);
    ASSERT_TRUE(done.ok()) << done.error().message();
    EXPECT_EQ(rate->why_not(), "");
    EXPECT_EQ(rate->matched(), kCopies * done->rows_matched);
    const gpu::KernelCosts& costs = rate->kernels();
    ASSERT_EQ(costs.size(), kernels);
    for (std::size_t i = 0; i < costs.size(); ++i) {
      EXPECT_EQ(costs[i].launches, 1u);
      EXPECT_GT(costs[i].bytes_read, i == 0 ? 0 : bitmap);
      if (i + 1 < costs.size()) {
        EXPECT_EQ(costs[i].bytes_written, bitmap);
      }
    }
  }
}

TEST(PlainColumns, AreAsLargeAsTheirWidthsSay) {
  const MadeTable made(make_numbers(), kGroupRows);
  struct Size {
    const char* column;
    std::uint64_t narrow;
    std::uint64_t int32;
  };
  for (const Size& size : {Size{"tiny", 1, 4}, Size{"small", 2, 4}, Size{"mid", 4, 4},
                           Size{"large", 8, 8}, Size{"below", 4, 4}, Size{"runs", 2, 4}}) {
    SCOPED_TRACE(size.column);
    const std::string sum = std::string("sum(") + size.column + ")";
    const Query query = query_of(*made.table, {"", "", sum.c_str()});
    const std::uint64_t rows = kCopies * kRows;
    EXPECT_EQ(time_query(query, ColumnLayout::kNarrow).bytes, rows * size.narrow);
    EXPECT_EQ(time_query(query, ColumnLayout::kInt32).bytes, rows * size.int32);
    const std::uint64_t words = time_query(query, ColumnLayout::kWords).bytes;
    EXPECT_GE(words, rows * size.int32);
    EXPECT_LE(words, rows * size.int32 * 101 / 100);
  }
}

std::string csv_of(const char* name) {
  const auto table = corpora::make_table(name, 1);
  corpora::RowWriter rows(corpora::TableFormat::kCsv);
  for (std::uint64_t row = 0; row < table->rows(); ++row) table->append_row(row, rows);
  return std::string(table->columns()) + '\n' + std::string(rows.text());
}

TEST(PlainColumns, AreJoinedAsStoredOnesAre) {
  const MadeTable lineorder(csv_of("ssb_lineorder"), 40'000);
  const MadeTable dates(csv_of("ssb_date"), 40'000);
  const MadeTable parts(csv_of("ssb_part"), 40'000);
  const std::string text =
      "select d_year, p_category, count(*), sum(lo_revenue - lo_supplycost) from ssb_lineorder "
      "join ssb_date on lo_orderdate = d_datekey join ssb_part on lo_partkey = p_partkey "
      "where p_mfgr = 'MFGR#2' and lo_quantity < 25 group by d_year, p_category";
  const auto statement = parse_sql(text);
  ASSERT_TRUE(statement.ok()) << statement.error().message();
  const Query query = Query::from(*statement, text, {*lineorder.table, *dates.table, *parts.table});
  for (const ColumnLayout layout : kLayouts) EXPECT_EQ(time_query(query, layout).why_not, "");
}

/// Strings come as tokens and bytes, from all copies together.
TEST(CopiesOfStrings, PassConditionsAsOftenAsOne) {
  const KeyedTables tables(KeyedTables::Form::kMixed);
  for (const char* const condition :
       {"other_key like '%a%'", "fact_key not like '%b%' and x < 3",
        "fact_key like '%a%' and id in (5, 700)", "fact_key like '%a%' or other_key like '%c%'"}) {
    SCOPED_TRACE(condition);
    const Query query = tables.query_of(
        std::string("select count(*), sum(id), min(x), count(fact_key) from facts where ") +
        condition);
    EXPECT_EQ(time_query(query, ColumnLayout::kStored).why_not, "");
  }
}

TEST(PlainColumns, AreNotMadeOfWhatHasNulls) {
  const MadeTable made("a,b\n1,2\n3,\n5,6\n", 100);
  const Query query = query_of(*made.table, {"", "", "sum(a), sum(b)"});
  EXPECT_EQ(time_query(query, ColumnLayout::kStored).why_not, "");
  EXPECT_EQ(time_query(query, ColumnLayout::kInt32).why_not,
            "not supported: column b: neither whole numbers nor codes, or nulls");
}

TEST(PlainColumns, LayoutsAreToldByTheirNames) {
  EXPECT_EQ(layout_named("narrow"), ColumnLayout::kNarrow);
  EXPECT_EQ(layout_named("words"), ColumnLayout::kWords);
  EXPECT_EQ(layout_named("int8"), std::nullopt);
}

}  // namespace
}  // namespace presso::plain_columns_test
