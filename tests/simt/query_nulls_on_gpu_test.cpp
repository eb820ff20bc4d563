// SPDX-License-Identifier: MIT
// Expressions over values that may be null: what the emulated GPU makes of CASE, COALESCE, NULLIF,
// IS NULL, IS DISTINCT FROM, AND and OR is what the CPU makes of them.
#include <gtest/gtest.h>

#include <limits>
#include <span>
#include <string>

#include "corpora/random.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/faulty_queries.h"
#include "tests/simt/real_cases.h"
#include "tests/support/sanitized.h"

namespace presso::query_nulls_on_gpu_test {
namespace {

using namespace test;

ColumnSchema column_of_type(const char* name, ColumnType type) {
  ColumnSchema schema;
  schema.name = name;
  schema.type = type;
  return schema;
}

/// Each name begins with `prefix`. id and few are never null, the others are in one of four rows.
MadeTable table_of(const std::string& prefix, int rows, std::uint32_t group_rows, unsigned seed) {
  static const char* const kWords[] = {"air", "mail", "rail", "ship"};
  corpora::Random random(seed);
  std::string csv;
  for (const char* const name : {"id", "few", "a", "b", "wide", "price", "day", "word", "real"}) {
    csv += (csv.empty() ? "" : ",") + prefix + name;
  }
  csv += "\n";
  const auto add = [&](const std::string& value) {
    csv.append(",").append(random.below(4) == 0 ? "" : value);
  };
  for (int i = 0; i < rows; ++i) {
    csv.append(std::to_string(i)).append(",").append(std::to_string(random.below(5)));
    add(std::to_string(random.below(40)));
    add(std::to_string(static_cast<int>(random.below(200)) - 100));
    add(std::to_string((std::int64_t{random.below(1u << 30)} << 20) - (1ll << 49)));
    add(std::to_string(random.below(500)).append(random.below(2) == 0 ? ".25" : ".50"));
    add("2024-0" + std::to_string(1 + random.below(9)) + "-1" + std::to_string(random.below(10)));
    add(kWords[random.below(4)]);
    add(std::to_string(random.below(30)).append(".5"));
    csv += "\n";
  }
  return {csv, group_rows, {column_of_type((prefix + "real").c_str(), ColumnType::kDouble)}};
}

constexpr Asked kOfNulls[] = {
    {"", "", "sum(case when a > 20 then b end), count(case when a > b then 1 end)"},
    {"", "few", "sum(coalesce(a, b, 7)), count(coalesce(a, b)), max(coalesce(wide, a))"},
    {"", "few", "sum(nullif(a, b)), count(nullif(a, few)), min(if(a > 20, b, id))"},
    {"", "", "count(case when a is null or b is null then id end), count(nullif(word, 'air'))"},
    {"", "word", "sum(case when a > b and wide > 0 then price when a is null then b end)"},
    {"", "few", "avg(case when a > 5 or b > 5 then real end), max(coalesce(real, 2.5e0))"},
    {"", "few", "min(case when real > 3 then real when a > 3 then null else 1.5e0 end)"},
    {"", "coalesce(a, few)", "count(*), sum(id)"},
    {"", "case when a > 20 then b end", "count(*), min(id)"},
    {"", "nullif(few, 3), a", "count(*), sum(coalesce(b, 0))"},
    {"", "coalesce(real, a / 4)", "count(*)"},
    {"", "nullif(real, 4.5e0)", "count(*), sum(few)"},
    {"a = 3 or id < b * 20", "", "count(*), sum(id)"},
    {"not (a > 3 and id < b * 20)", "few", "count(*)"},
    {"(a > b or few = 2) and (wide < 0 or a < few * 9)", "", "count(*), sum(b)"},
    {"coalesce(a > b, few > 2)", "", "count(*)"},
    {"case when a > b then few > 2 when b > a then wide > 0 end", "", "count(*), sum(id)"},
    {"(a > b) is null", "", "count(*), count(a), count(b)"},
    {"a is distinct from b", "", "count(*), sum(a)"},
    {"a is not distinct from few", "few", "count(*)"},
    {"real is distinct from a", "", "count(*)"},
    {"a is distinct from null", "", "count(*)"},
    {"(a + b) is not null and (case when few > 2 then price end) is null", "", "count(*)"},
    {"nullif(a, b) > 10", "", "count(*), sum(nullif(a, b))"},
    {"", "", "sum(100 / nullif(a, 0)), count(100 / nullif(a, 0))"},
    {"", "few", "count(coalesce(word, 'none')), count(case when a > 3 then word end)"},
    {"", "", "sum(a + null), count(nullif(a, null)), count(case when a = null then 1 else b end)"},
    {"", "few", "sum(case when word = 'air' then a when word like 'r%' then b end)"},
    {"", "", "sum(case when month(day) = 3 then null else month(day) end), count(greatest(a, b))"},
    {"", "", "max(greatest(a, b)), min(least(b, a))"},
    {"", "few", "sum(greatest(real, a))"},
    {"word = 'air' or a > few * 4", "word", "count(*)"},
    // Truths as keys, and counted.
    {"", "a > b", "count(*), sum(id)"},
    {"", "few > 2, a is null", "count(*), min(b)"},
    {"", "word = 'air' or a > b, few", "count(*), count(distinct b > 0)"},
    {"", "", "count(distinct a > b), count(distinct coalesce(a, b))"},
    // What nobody reads of choices takes no registers.
    {"", "few",
     "count(case when a > b then 1 end), count(case when a > 1 then 1 end), count(case when a > 2 "
     "then 1 end), count(case when b > 1 then 1 end), count(case when b > 2 then 1 end), "
     "count(case when b > 3 then 1 end), count(case when wide > 1 then 1 end), count(case when "
     "wide > 2 then 1 end)"},
    // Computed only to know that no row fails.
    {"", "", "count(100 / (few + 1))"},
    {"", "few", "count(100 / (few + 1))"},
};

class NullsOnGpu : public ::testing::TestWithParam<std::pair<int, std::uint32_t>> {};

TEST_P(NullsOnGpu, AreAsOnTheCpu) {
  const auto [rows, group_rows] = GetParam();
  const MadeTable made = table_of("", rows, group_rows, static_cast<unsigned>(rows));
  std::uint32_t seed = 1;
  for (const Asked& asked : kOfNulls) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    const Query query = query_of(*made.table, asked);
    const Answer expected = bits_of(query, nullptr);
    ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
    const auto faults = std::make_shared<EmulatedFaults>();
    const Answer found = bits_of(query, make_emulated_query_device(faults, ++seed));
    EXPECT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    if (rows > 1) {
      EXPECT_EQ(found.summary.why_cpu, "");
    }
    EXPECT_EQ(faults->live_bytes, 0u);
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, NullsOnGpu,
                         ::testing::Values(std::pair{1, 1000u}, std::pair{40, 1000u},
                                           std::pair{2600, 1024u}, std::pair{5000, 1u << 20}));

/// Where a step may fail the CPU says for which row.
TEST(NullsOnGpuOfSteps, ThatFailAreTheCpus) {
  const MadeTable made = table_of("", 300, 1000, 3);
  for (const Asked& asked :
       {Asked{"", "", "sum(100 / a)"}, Asked{"", "", "count(100 / a)"},
        Asked{"(100 / a) is null", "", "count(*)"}, Asked{"", "", "count(100 / a + null)"},
        Asked{"(100 / a) is distinct from null", "", "count(*)"}}) {
    SCOPED_TRACE(asked.aggregates);
    const Query query = query_of(*made.table, asked);
    EXPECT_EQ(bits_of(query, make_emulated_query_device()).text, bits_of(query, nullptr).text);
  }
}

/// Strings that are numbers are looked up as such, in columns with nulls, too: what an expression
/// would make of an empty string in their place is no matter.
TEST(NullsOnGpuOfSteps, AreNotComputedForNulls) {
  for (const std::uint32_t nulls_of_ten : {0u, 3u, 10u}) {
    corpora::Random random(nulls_of_ten);
    std::string csv = "id,code\n";
    for (int i = 0; i < 3000; ++i) {
      csv += std::to_string(i) + ",";
      if (random.below(10) >= nulls_of_ten) csv += std::to_string(random.below(40));
      csv += "\n";
    }
    const MadeTable made(csv, 1024, {column_of_type("code", ColumnType::kUtf8)});
    for (const Asked& asked :
         {Asked{"", "", "sum(cast(code as bigint)), count(cast(code as bigint))"},
          Asked{"cast(code as bigint) > 20", "", "count(*), sum(id)"},
          Asked{"", "cast(code as bigint) > 7", "count(*)"}}) {
      SCOPED_TRACE(std::to_string(nulls_of_ten) + asked.where + asked.aggregates);
      const Query query = query_of(*made.table, asked);
      const Answer found = bits_of(query, make_emulated_query_device());
      EXPECT_EQ(found.text, bits_of(query, nullptr).text);
      EXPECT_EQ(found.summary.why_cpu, "");
    }
  }
}

/// Random expressions over the columns of a table, or of two that are joined.
class RandomNulls {
 public:
  RandomNulls(unsigned seed, std::vector<std::string> prefixes)
      : random_(seed), prefixes_(std::move(prefixes)) {}

  std::uint32_t below(std::uint32_t limit) { return random_.below(limit); }
  std::string pick(std::span<const char* const> from) {
    return from[below(static_cast<std::uint32_t>(from.size()))];
  }
  std::string column(std::span<const char* const> names) {
    return prefixes_[below(static_cast<std::uint32_t>(prefixes_.size()))] + pick(names);
  }

  std::string number(unsigned depth) {
    static constexpr const char* kNames[] = {"id", "few", "a", "b", "wide", "a", "b"};
    if (depth == 0) return below(8) == 0 ? std::to_string(below(40)) : column(kNames);
    switch (below(6)) {
      case 0:
        return "coalesce(" + number(depth - 1) + ", " + number(depth - 1) + ")";
      case 1:
        return "nullif(" + number(depth - 1) + ", " + number(0) + ")";
      case 2:
        return "case when " + truth(depth - 1) + " then " + number(depth - 1) +
               (below(2) == 0 ? " end" : " else " + number(depth - 1) + " end");
      case 3:
        return "if(" + truth(depth - 1) + ", " + number(0) + ", null)";
      case 4:
        return "(" + number(0) + " + " + number(0) + ")";
      default:
        return number(0);
    }
  }

  std::string real(unsigned depth) {
    static constexpr const char* kNames[] = {"real"};
    if (depth == 0) return column(kNames);
    return below(2) == 0 ? "coalesce(" + real(depth - 1) + ", 0.5e0)"
                         : "case when " + truth(depth - 1) + " then " + real(depth - 1) + " end";
  }

  std::string truth(unsigned depth) {
    static constexpr const char* kRelations[] = {
        " < ", " <= ", " = ", " <> ", " is distinct from ", " is not distinct from "};
    if (depth == 0) return number(0) + pick(kRelations) + number(0);
    switch (below(6)) {
      case 0:
        return "(" + truth(depth - 1) + " and " + truth(depth - 1) + ")";
      case 1:
        return "(" + truth(depth - 1) + " or " + truth(depth - 1) + ")";
      case 2:
        return "not (" + truth(depth - 1) + ")";
      case 3:
        return "(" + number(depth - 1) + (below(2) == 0 ? " is null)" : " is not null)");
      case 4:
        return "(" + truth(depth - 1) + ") is null";
      default:
        return "(" + number(depth - 1) + pick(kRelations) + number(0) + ")";
    }
  }

  std::string aggregates() {
    static constexpr const char* kAggregates[] = {"sum(", "min(", "max(", "count(", "avg("};
    std::string all = "count(*)";
    for (std::uint32_t more = 1 + below(2); more > 0; --more) {
      const std::string argument = below(4) == 0 ? real(below(3)) : number(1 + below(2));
      all += ", " + pick(kAggregates) + argument + ")";
    }
    return all;
  }

 private:
  corpora::Random random_;
  std::vector<std::string> prefixes_;
};

TEST(RandomNullsOnGpu, AnswerAsTheCpu) {
  const MadeTable made = table_of("", 1500, 1024, 77);
  RandomNulls random(7, {""});
  constexpr std::uint32_t kStatements = kIsSanitized ? 60 : 300;
  std::uint32_t on_device = 0;
  for (std::uint32_t i = 0; i < kStatements; ++i) {
    const std::string where = random.below(2) == 0 ? random.truth(1 + random.below(2)) : "";
    const std::string keys = random.below(3) == 0   ? ""
                             : random.below(2) == 0 ? "few"
                                                    : random.number(1);
    const std::string aggregates = random.aggregates();
    SCOPED_TRACE(where + " | " + keys + " | " + aggregates);
    const Query query = query_of(*made.table, {where.c_str(), keys.c_str(), aggregates.c_str()});
    const Answer expected = bits_of(query, nullptr);
    const Answer found = bits_of(query, make_emulated_query_device({}, i));
    ASSERT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    on_device += found.summary.why_cpu.empty() ? 1 : 0;
  }
  EXPECT_GT(on_device, kStatements * 3 / 4);
}

TEST(RandomNullsOnGpu, OfJoinedTablesAnswerAsTheCpu) {
  const MadeTable left = table_of("l_", 600, 256, 5);
  const MadeTable right = table_of("r_", 150, 1024, 6);
  RandomNulls random(8, {"l_", "r_"});
  static constexpr const char* kKinds[] = {"join", "left join", "right join", "full join"};
  static constexpr const char* kOn[] = {"l_a = r_a", "l_few = r_a", "l_id = r_id"};
  constexpr std::uint32_t kStatements = kIsSanitized ? 40 : 200;
  std::uint32_t on_device = 0;
  for (std::uint32_t i = 0; i < kStatements; ++i) {
    const std::string keys = random.below(2) == 0 ? "l_few" : random.number(1);
    const std::string pairs = random.below(3) == 0 ? " and " + random.truth(1) : "";
    const std::string where = random.below(2) == 0 ? " where " + random.truth(1) : "";
    const std::string statement = "select " + keys + " as k, " + random.aggregates() + " from l " +
                                  random.pick(kKinds) + " r on " + random.pick(kOn) + pairs +
                                  where + " group by " + keys;
    SCOPED_TRACE(statement);
    const auto parsed = parse_sql(statement);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message();
    const Query query = Query::from(*parsed, statement, {*left.table, *right.table});
    const Answer expected = bits_of(query, nullptr);
    const Answer found = bits_of(query, make_emulated_query_device({}, i));
    ASSERT_EQ(found.text, expected.text);
    on_device += found.summary.why_cpu.empty() ? 1 : 0;
  }
  EXPECT_GT(on_device, kStatements / 2);
}

/// What is computed of all 64 bits has no number behind it for nulls.
TEST(NullsOnGpuOfWideKeys, AreAsOnTheCpu) {
  std::string rows = "id,few,w\n";
  std::string joined = "gid,gfew,gw\n";
  corpora::Random random(9);
  for (int i = 0; i < 600; ++i) {
    const int few = static_cast<int>(random.below(7));
    const auto upper = static_cast<std::int64_t>(random.below(1000)) - 500;
    std::int64_t wide = upper * (std::int64_t{1} << 32);
    if (few == 5) wide = std::numeric_limits<std::int64_t>::min() + i;
    if (few == 6) wide = std::numeric_limits<std::int64_t>::max() - i;
    const std::string id = std::to_string(std::int64_t{i} * 1'000'003);
    rows += id + "," + std::to_string(few) + "," + std::to_string(wide) + "\n";
    if (i % 2 == 0) joined += id + "," + std::to_string(i % 3) + "," + std::to_string(wide) + "\n";
  }
  const MadeTable t(rows, 256);
  const MadeTable u(joined, 1000);
  for (const char* const text :
       {"select gid, gfew, nullif(w, 3) as n, count(*) from t join u on id = gid "
        "where few < 5 group by gid, gfew, nullif(w, 3)",
        "select gid, gfew, count(distinct nullif(w, 3)) from t join u on id = gid "
        "where few < 5 group by gid, gfew",
        "select gfew, count(*) from t join u on id = gid and w = gw group by gfew"}) {
    SCOPED_TRACE(text);
    const auto parsed = parse_sql(text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message();
    const Query query = Query::from(*parsed, text, {*t.table, *u.table});
    EXPECT_EQ(bits_of(query, make_emulated_query_device()).text, bits_of(query, nullptr).text);
  }
}

}  // namespace
}  // namespace presso::query_nulls_on_gpu_test
