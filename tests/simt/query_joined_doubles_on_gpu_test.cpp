// SPDX-License-Identifier: MIT
// Random statements over two tables with doubles and floats that are joined, with and without
// limits of memory that have build sides made in parts: answers of the emulated GPU have the bits
// of the CPU's.
#include <gtest/gtest.h>

#include <bit>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "tests/simt/emulated_query_device.h"
#include "tests/simt/real_cases.h"
#include "tests/support/sanitized.h"

namespace presso::query_joined_doubles_on_gpu_test {
namespace {

using namespace test;
using D = ColumnType;

/// `prefix` before each name. id; key and other (with nulls); kind (few values); near (doubles of
/// alike size), far (such that are far from each other, and special ones), maybe (with nulls, and
/// bits that stand for nulls elsewhere), thin (floats with nulls).
TableOfColumns table_of(const std::string& prefix, std::uint32_t rows, std::uint32_t keys,
                        unsigned seed) {
  corpora::Random random(seed);
  std::vector<std::pair<std::string, ColumnData>> columns;
  const auto integers = [&](std::uint32_t values) {
    return column_of<std::int64_t>(D::kInt64, rows, [&random, values](std::uint32_t) {
      return std::int64_t{random.below(values)};
    });
  };
  const auto any = [&](std::uint32_t row) {
    if (row % 61 == 7) return std::bit_cast<double>(~std::uint64_t{0});
    return row % 61 == 8 ? -0.0 : any_real(random, -3, 9);
  };
  const auto add = [&](const char* name, ColumnData column) {
    columns.emplace_back(prefix + name, std::move(column));
  };
  add("id", column_of<std::int64_t>(D::kInt64, rows,
                                    [](std::uint32_t row) { return std::int64_t{row}; }));
  add("key", with_nulls(integers(keys), random, 12));
  add("other", with_nulls(integers(40), random, 15));
  add("kind", integers(6));
  add("near", column_of<double>(D::kDouble, rows,
                                [&](std::uint32_t) { return any_real(random, -10, 20); }));
  add("far", column_of<double>(D::kDouble, rows, [&](std::uint32_t row) {
        if (row % 900 == 5) return std::numeric_limits<double>::infinity();
        return any_real(random, -70, 40);
      }));
  add("maybe", with_nulls(column_of<double>(D::kDouble, rows, any), random, 4));
  add("thin",
      with_nulls(column_of<float>(D::kFloat, rows,
                                  [&](std::uint32_t row) {
                                    return row % 50 == 3
                                               ? std::numeric_limits<float>::quiet_NaN()
                                               : static_cast<float>(any_real(random, -9, 9));
                                  }),
                 random, 5));
  return {columns, 2048};
}

class RandomJoinsOfDoubles : public ::testing::Test {
 protected:
  Query query_of(const std::string& statement) const {
    const auto parsed = parse_sql(statement);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    const auto table = [&](const std::string& path) {
      return path == "l" ? *left_.table : *right_.table;
    };
    std::vector<Table> tables{table(parsed->from.path)};
    for (const SqlJoin& join : parsed->joins) tables.push_back(table(join.source.path));
    return Query::from(*parsed, statement, std::move(tables));
  }

  std::string pick(std::span<const char* const> from) {
    return from[random_.below(static_cast<std::uint32_t>(from.size()))];
  }

  std::string statement() {
    static constexpr const char* kKinds[] = {"join",      "left join", "right join",
                                             "full join", "semi join", "anti join"};
    static constexpr const char* kOn[] = {"l_key = r_key", "l_key = r_key and l_other = r_other"};
    static constexpr const char* kPairs[] = {"", "", " and l_near < r_near",
                                             " and r_maybe > l_thin", " and r_kind > 1"};
    static constexpr const char* kOfLeft[] = {"l_near", "l_far",        "l_maybe",
                                              "l_thin", "l_near * 2e0", "l_kind",
                                              "l_id",   "-l_maybe",     "l_thin + l_near"};
    static constexpr const char* kOfBoth[] = {"r_near", "r_far",           "r_maybe",
                                              "r_thin", "l_near * r_near", "r_maybe + l_maybe",
                                              "r_kind", "r_thin - l_near", "r_near * l_kind",
                                              "r_far",  "l_far",           "l_maybe"};
    static constexpr const char* kKeysOfLeft[] = {"l_kind", "l_maybe", "l_thin", "l_other",
                                                  "l_key"};
    static constexpr const char* kKeysOfBoth[] = {"r_kind",  "l_kind", "r_maybe",        "r_thin",
                                                  "l_maybe", "r_key",  "l_kind, r_kind", "r_other"};
    static constexpr const char* kAggregates[] = {"sum", "sum", "avg", "min", "max", "count"};
    static constexpr const char* kWhereLeft[] = {"l_near > 0", "l_maybe < 3e0", "l_kind < 4",
                                                 "l_thin is null", "l_far * 2 < l_near"};
    static constexpr const char* kWhereBoth[] = {"r_near > 0", "r_maybe is not null",
                                                 "r_maybe is null", "r_near < l_near",
                                                 "l_thin < r_maybe"};
    const std::uint32_t kind = random_.below(6);
    const bool both = kind < 4;
    std::string columns;
    std::string by;
    const bool rows = random_.below(5) == 0;
    if (rows) {
      columns = both ? "l_id, r_id, r_kind" : "l_id, l_near";
      if (random_.below(2) == 0) columns += both ? ", l_thin, r_thin" : ", l_thin";
    } else {
      if (random_.below(4) != 0) by = both ? pick(kKeysOfBoth) : pick(kKeysOfLeft);
      columns = by + (by.empty() ? "" : ", ") + "count(*)";
      for (std::uint32_t more = random_.below(4); more > 0; --more) {
        const std::string of = both && random_.below(3) != 0 ? pick(kOfBoth) : pick(kOfLeft);
        columns.append(", ").append(pick(kAggregates)).append("(").append(of).append(")");
      }
    }
    std::string text =
        "select " + columns + " from l " + kKinds[kind] + " r on " + pick(kOn) + pick(kPairs);
    if (random_.below(3) == 0)
      text += " where " + (both && random_.below(2) == 0 ? pick(kWhereBoth) : pick(kWhereLeft));
    if (!by.empty()) text += " group by " + by;
    return text;
  }

  corpora::Random random_{7};
  const TableOfColumns left_ = table_of("l_", 5000, 6000, 31);
  const TableOfColumns right_ = table_of("r_", 7000, 5500, 32);
};

TEST_F(RandomJoinsOfDoubles, AnswerAsTheCpu) {
  constexpr std::uint32_t kStatements = kIsSanitized ? 30 : 100;
  std::uint32_t on_device = 0;
  std::uint32_t in_passes = 0;
  for (std::uint32_t i = 0; i < kStatements; ++i) {
    const std::string text = statement();
    SCOPED_TRACE(text);
    const Query query = query_of(text);
    const Answer expected = bits_of(query, nullptr);
    for (const std::uint32_t kibi : {300 + random_.below(600), 8000u}) {
      gpu::MemoryLimits limits;
      limits.device_bytes = std::uint64_t{kibi} << 10;
      const auto faults = std::make_shared<EmulatedFaults>();
      const Answer found = bits_of(query, make_emulated_query_device(faults, i, limits));
      EXPECT_EQ(faults->live_bytes, 0u);
      EXPECT_EQ(faults->live_handles, 0u);
      if (found.text.starts_with("error: out of device memory")) continue;
      EXPECT_TRUE(found.text == expected.text) << kibi << " KiB\n"
                                               << found.text.substr(0, 300) << "\n"
                                               << expected.text.substr(0, 300);
      EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
      on_device += found.summary.why_cpu.empty() ? 1 : 0;
      in_passes += found.summary.why_cpu.empty() && found.summary.passes > 1 ? 1 : 0;
    }
  }
  EXPECT_GT(on_device, kStatements / 2);
  EXPECT_GT(in_passes, kStatements / 10);
}

/// Zeros of both signs are one key, and so are NaNs with whatever bits; nulls are none.
TEST(JoinsByDoubles, AnswerAsTheCpu) {
  const auto keyed = [](const std::string& prefix, std::uint32_t rows, unsigned seed) {
    corpora::Random random(seed);
    const auto any = [&](std::uint32_t row) {
      if (row % 19 == 3) return row % 2 == 0 ? 0.0 : -0.0;
      if (row % 23 == 4) return std::numeric_limits<double>::quiet_NaN();
      if (row % 23 == 5) return std::bit_cast<double>(~std::uint64_t{0});
      if (row % 29 == 6) return std::numeric_limits<double>::infinity();
      return static_cast<double>(random.below(200)) / 4;
    };
    const auto single = [&](std::uint32_t row) { return static_cast<float>(any(row)); };
    std::vector<std::pair<std::string, ColumnData>> columns;
    columns.emplace_back(prefix + "id",
                         column_of<std::int64_t>(
                             D::kInt64, rows, [](std::uint32_t row) { return std::int64_t{row}; }));
    columns.emplace_back(prefix + "real", column_of<double>(D::kDouble, rows, any));
    columns.emplace_back(prefix + "maybe",
                         with_nulls(column_of<double>(D::kDouble, rows, any), random, 5));
    columns.emplace_back(prefix + "thin",
                         with_nulls(column_of<float>(D::kFloat, rows, single), random, 5));
    return TableOfColumns(columns, 512);
  };
  const TableOfColumns left = keyed("l_", 900, 3);
  const TableOfColumns right = keyed("r_", 300, 4);
  std::uint32_t seed = 0;
  for (const char* const kind :
       {"join", "left join", "right join", "full join", "semi join", "anti join"}) {
    for (const char* const on :
         {"l_real = r_real", "l_maybe = r_maybe", "l_thin = r_maybe", "l_real * 2 = r_thin"}) {
      const bool gives_left = std::string(kind).find("i join") != std::string::npos;
      const std::string what =
          gives_left ? "count(*), sum(l_id)" : "count(*), sum(l_id), sum(r_id)";
      std::string statement = "select " + what + " from l " + kind + " r on " + on;
      for (const bool of_rows : {false, true}) {
        if (of_rows) {
          statement = std::string("select l_id, l_maybe") + (gives_left ? "" : ", r_id, r_maybe") +
                      " from l " + kind + " r on " + on;
        }
        SCOPED_TRACE(statement);
        const auto parsed = parse_sql(statement);
        ASSERT_TRUE(parsed.ok()) << parsed.error().message();
        const Query query = Query::from(*parsed, statement, {*left.table, *right.table});
        const Answer expected = bits_of(query, nullptr);
        ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
        const Answer found = bits_of(query, make_emulated_query_device({}, ++seed));
        EXPECT_EQ(found.text, expected.text);
        EXPECT_EQ(found.summary.why_cpu, "");
      }
    }
  }
}

}  // namespace
}  // namespace presso::query_joined_doubles_on_gpu_test
