// SPDX-License-Identifier: MIT
// When conditions are tried on a sample of rows before they are planned: where there is something
// to choose, and where testing them takes longer than the sample.
#include "query/filter/make_plan.h"

#include <gtest/gtest.h>

#include "presso/compress_table.h"
#include "query/rows/table_facts.h"

namespace presso::query::make_plan_test {
namespace {

constexpr std::uint64_t kRows = 70'000;

std::vector<Byte> numbers() {
  std::string csv = "a,b\n";
  for (std::uint64_t row = 0; row < kRows; ++row) {
    csv += std::to_string(row * 7 % 1000) + "," + std::to_string(row * 11 % 3000) + "\n";
  }
  std::vector<Byte> bytes;
  VectorSink sink(bytes);
  MemorySource source({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
  MemorySource again({reinterpret_cast<const Byte*>(csv.data()), csv.size()});
  EXPECT_TRUE(compress_table(source, &again, sink, TableOptions()).ok());
  return bytes;
}

/// Opens one small file as any number of tables.
class MakePlan : public testing::Test {
 protected:
  std::vector<Table> copies(std::size_t count) { return std::vector<Table>(count, *table_); }

  static PlannerInput input(const std::vector<Table>& tables, const char* second,
                            const std::optional<GpuQueryRates>& rates, bool is_for_gpu) {
    QuerySpec spec;
    for (const char* const text : {"a < 500", second}) {
      spec.conditions.push_back({*parse_expression(text), text});
    }
    const Result<BoundQuery> bound =
        bind_query(spec, {{*input_columns(tables, {}), {}, rows_of(tables)}});
    return *planner_input(tables, *bound, conditions_of(*bound), {}, rates, is_for_gpu);
  }

 private:
  const std::vector<Byte> bytes_ = numbers();
  const MemoryRandomAccess access_{bytes_};
  const Result<Table> table_ = Table::open(access_);
};

TEST_F(MakePlan, SmallTablesAndSingleConditionsHaveNoSample) {
  EXPECT_EQ(input(copies(2), "b < 100", {}, false).sample.vectors, 0u);
  EXPECT_GT(input(copies(16), "b < 100", {}, false).sample.vectors, 0u);
  EXPECT_EQ(input(copies(16), "a > 100", {}, false).sample.vectors, 0u);  // one range
}

TEST_F(MakePlan, AGpuThatIsSoonDoneHasNoSample) {
  const std::vector<Table> tables = copies(16);
  GpuQueryRates slow;
  slow.compare_ns.fill(1);
  EXPECT_EQ(input(tables, "b < 100", {}, true).sample.vectors, 0u);
  EXPECT_EQ(input(tables, "b < 100", GpuQueryRates(), true).sample.vectors, 0u);
  EXPECT_GT(input(tables, "b < 100", slow, true).sample.vectors, 0u);
  // The CPU tests them, and the GPU's costs are for comparison.
  EXPECT_GT(input(tables, "b < 100", GpuQueryRates(), false).sample.vectors, 0u);
}

}  // namespace
}  // namespace presso::query::make_plan_test
