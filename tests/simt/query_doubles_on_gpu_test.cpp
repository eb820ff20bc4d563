// SPDX-License-Identifier: MIT
// Sums, averages, minima and maxima of doubles on the emulated GPU have the bits that they have on
// the CPU.
#include <gtest/gtest.h>

#include <bit>
#include <string>

#include "tests/simt/emulated_query_device.h"
#include "tests/simt/real_cases.h"
#include "tests/support/sanitized.h"

namespace presso::query_doubles_on_gpu_test {
namespace {

using namespace test;

/// Asks both; `why_cpu`: why the CPU is to do it after all.
void expect_as_on_cpu(const Query& query, std::uint32_t seed, const char* why_cpu = "") {
  const Answer expected = bits_of(query, nullptr);
  ASSERT_NE(expected.text.substr(0, 6), "error:") << expected.text;
  const auto faults = std::make_shared<EmulatedFaults>();
  const Answer found = bits_of(query, make_emulated_query_device(faults, seed));
  EXPECT_EQ(found.text, expected.text);
  EXPECT_EQ(found.summary.why_cpu, why_cpu);
  EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
  EXPECT_EQ(faults->live_bytes, 0u);
  EXPECT_EQ(faults->live_handles, 0u);
}

class DoublesOnGpu : public ::testing::TestWithParam<std::pair<std::uint32_t, std::uint32_t>> {};

TEST_P(DoublesOnGpu, UsualOnesAreAddedUpThere) {
  const auto [rows, group_rows] = GetParam();
  const TableOfColumns made = usual_reals(rows, group_rows, rows);
  std::uint32_t seed = 1;
  for (const Asked& asked : kAskedOfReals) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    expect_as_on_cpu(query_of(*made.table, asked), ++seed);
  }
}

constexpr Asked kOfHostile[] = {
    {"", "", "min(huge), max(huge), sum(tiny), avg(tiny), min(tiny), sum(none), min(none)"},
    {"", "", "sum(pairs), avg(pairs), min(special), max(special), sum(nan_or_one)"},
    {"", "", "sum(plus), avg(minus), max(plus), min(minus), max(nan_or_one)"},
    {"", "few", "sum(pairs), sum(plus), avg(minus), sum(nan_or_one), min(nan_or_one)"},
    {"", "few", "min(special), max(special), max(floats), min(floats), avg(none)"},
    {"", "many", "sum(pairs), avg(nan_or_one), sum(plus), sum(minus)"},
    {"", "many", "min(huge), max(huge), sum(tiny), avg(tiny)"},
    {"pairs > 0", "many", "min(special), max(special), max(floats), sum(none)"},
};

TEST_P(DoublesOnGpu, ExpressionsAreComputedThere) {
  const auto [rows, group_rows] = GetParam();
  const TableOfColumns made = usual_reals(rows, group_rows, rows + 5);
  std::uint32_t seed = 100;
  for (const Asked& asked : kExpressionsOfReals) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    expect_as_on_cpu(query_of(*made.table, asked), ++seed);
  }
}

constexpr Asked kOfKeys[] = {
    {"", "cents", "count(*), sum(id)"},
    {"", "steps", "sum(cents), max(walk)"},
    {"", "zeros", "count(*), min(zeros)"},
    {"walk > 20", "maybe", "count(*), sum(maybe), count(maybe)"},
    {"", "lone", "count(*), avg(cents)"},
    {"", "single", "count(*), min(id)"},
    {"", "few / 3", "count(*), sum(usual)"},
    {"", "maybe * 0", "count(*), sum(id)"},
    {"id > 5", "case when few > 3 then walk else zeros end", "count(*), sum(many)"},
};

TEST_P(DoublesOnGpu, TellGroups) {
  const auto [rows, group_rows] = GetParam();
  const TableOfColumns made = usual_reals(rows, group_rows, rows + 2);
  std::uint32_t seed = 200;
  for (const Asked& asked : kOfKeys) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    expect_as_on_cpu(query_of(*made.table, asked), ++seed);
  }
  const TableOfColumns hostile = hostile_reals(rows, group_rows, rows + 3);
  for (const Asked& asked :
       {Asked{"", "special", "count(*), sum(tiny)"}, Asked{"", "floats", "count(*), max(huge)"},
        Asked{"", "none", "count(*), count(none)"}, Asked{"", "special - special", "count(*)"},
        Asked{"few = 2", "tiny", "count(*), sum(nan_or_one)"}}) {
    SCOPED_TRACE(asked.group_by);
    expect_as_on_cpu(query_of(*hostile.table, asked), ++seed);
  }
}

TEST_P(DoublesOnGpu, ExpressionsOfHostileOnesAreTheSame) {
  const auto [rows, group_rows] = GetParam();
  const TableOfColumns made = hostile_reals(rows, group_rows, rows + 9);
  std::uint32_t seed = 150;
  for (const Asked& asked : {
           Asked{"", "few", "min(huge * huge), max(huge / tiny), min(tiny * 0.5e0), max(tiny / 3)"},
           Asked{"", "few",
                 "max(special - special), min(special * 0), max(-special), sum(few / 3)"},
           Asked{"special = special", "few", "count(*), min(abs(special))"},
           Asked{"special < nan_or_one", "", "count(*)"},
           Asked{"special <= nan_or_one", "", "count(*)"},
           Asked{"nan_or_one < special", "few", "count(*)"},
           Asked{"nan_or_one <> special * 1", "few", "count(*), max(floats + special)"},
           Asked{"huge * 1e300 > 1e308", "few", "count(*), max(huge * 1e-300)"},
           Asked{"", "many", "min(case when special > 3 then special else tiny end)"},
           Asked{"", "",
                 "max(cast(huge as real)), min(cast(tiny as real)), max(cast(special as real))"},
       }) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    expect_as_on_cpu(query_of(*made.table, asked), ++seed);
  }
}

TEST_P(DoublesOnGpu, HostileOnesAreTheSame) {
  const auto [rows, group_rows] = GetParam();
  const TableOfColumns made = hostile_reals(rows, group_rows, rows);
  std::uint32_t seed = 50;
  for (const Asked& asked : kOfHostile) {
    SCOPED_TRACE(std::string(asked.where) + " | " + asked.group_by + " | " + asked.aggregates);
    expect_as_on_cpu(query_of(*made.table, asked), ++seed);
  }
}

/// `usual` with rows of `parts`, whose keys are every third number.
class JoinedDoublesOnGpu : public ::testing::Test {
 protected:
  Query query_of(const std::string& statement) const {
    const auto parsed = parse_sql(statement);
    EXPECT_TRUE(parsed.ok()) << parsed.error().message();
    std::vector<Table> tables;
    const auto add = [&](const std::string& path) {
      tables.push_back(path == "usual" ? *usual_.table : *parts_.table);
    };
    add(parsed->from.path);
    for (const SqlJoin& join : parsed->joins) add(join.source.path);
    return Query::from(*parsed, statement, std::move(tables));
  }

 private:
  static TableOfColumns make_parts() {
    constexpr std::uint32_t kRows = 700;
    corpora::Random random(8);
    const auto hostile = [&](std::uint32_t row) {
      // Bits that stand for nulls elsewhere.
      if (row % 50 == 7) return std::bit_cast<double>(~std::uint64_t{0});
      return row % 50 == 8 ? -0.0 : any_real(random, -3, 9);
    };
    const auto single = [&](std::uint32_t row) {
      return row % 40 == 3 ? std::numeric_limits<float>::quiet_NaN()
                           : 1.5f * static_cast<float>(row);
    };
    using D = ColumnType;
    std::vector<std::pair<std::string, ColumnData>> columns;
    columns.emplace_back("part", column_of<std::int64_t>(D::kInt64, kRows, [](std::uint32_t row) {
                           return 3 * std::int64_t{row};
                         }));
    columns.emplace_back("weight", column_of<double>(D::kDouble, kRows, hostile));
    columns.emplace_back("size",
                         with_nulls(column_of<double>(D::kDouble, kRows, hostile), random, 3));
    columns.emplace_back("thin", column_of<float>(D::kFloat, kRows, single));
    columns.emplace_back("thick",
                         with_nulls(column_of<float>(D::kFloat, kRows, single), random, 5));
    return {columns, 250};
  }

  const TableOfColumns usual_ = usual_reals(5000, 2000, 3);
  const TableOfColumns parts_ = make_parts();
};

TEST_F(JoinedDoublesOnGpu, AreAddedUpAsOnTheCpu) {
  std::uint32_t seed = 10;
  for (const char* const statement : {
           "select count(*), sum(cents), sum(weight), avg(thin), min(weight), max(thin) "
           "from usual join parts on usual.many = parts.part",
           "select few, count(size), sum(size), avg(thick), min(size), max(thick) "
           "from usual join parts on usual.many = parts.part group by few",
           "select many, sum(weight), avg(size), max(maybe) "
           "from usual left join parts on usual.many = parts.part group by many",
           "select few, sum(weight), count(weight), avg(size), sum(usual), max(maybe), sum(lone) "
           "from usual full join parts on usual.many = parts.part group by few",
           "select part, sum(weight), min(size), avg(cents) "
           "from usual right join parts on usual.many = parts.part where parts.part < 900 "
           "group by part",
           "select few, sum(usual), avg(lone) from usual semi join parts "
           "on usual.many = parts.part group by few",
           "select count(*), sum(size), sum(maybe) from usual left join parts on "
           "usual.many = parts.part where cents > 4000.5 and size is not null",
           "select size, count(*), sum(weight) from usual left join parts on "
           "usual.many = parts.part group by size",
           "select weight, count(*) from usual full join parts on usual.many = parts.part "
           "group by weight",
           "select count(*), avg(maybe) from usual left join parts on usual.many = parts.part "
           "where size is null and maybe is not null",
       }) {
    SCOPED_TRACE(statement);
    expect_as_on_cpu(query_of(statement), ++seed);
  }
}

TEST_F(JoinedDoublesOnGpu, AreRowsAsOnTheCpu) {
  std::uint32_t seed = 30;
  for (const char* const statement : {
           "select id, cents, weight, single, thin, lone, thick from usual join parts on "
           "usual.many = parts.part where few < 3",
           "select id, usual, thin, thick from usual left join parts on usual.many = parts.part",
           "select id, thin, thick, lone from usual full join parts on usual.many = parts.part",
           // With all bits that they have, nulls of either side and of what has no partner.
           "select id, weight from usual left join parts on usual.many = parts.part where few = 2",
           "select maybe, size, weight, size is null as n, maybe * 2 as twice from usual join "
           "parts "
           "on usual.many = parts.part",
           "select cents, maybe, size, weight, part from usual full join parts on "
           "usual.many = parts.part order by weight, id",
       }) {
    SCOPED_TRACE(statement);
    expect_as_on_cpu(query_of(statement), ++seed);
  }
}

/// Expressions of two columns, or one and a constant, or deeper ones.
std::string random_real(corpora::Random& random, unsigned depth) {
  static constexpr const char* kLeaves[] = {"cents", "walk",   "steps", "usual", "zeros", "maybe",
                                            "lone",  "single", "few",   "id",    "1.5e0", "same"};
  static constexpr const char* kOperations[] = {" + ", " - ", " * ", " / "};
  if (depth == 0 || random.below(4) == 0) return kLeaves[random.below(12)];
  if (random.below(9) == 0) return "-abs(" + random_real(random, depth - 1) + ")";
  return "(" + random_real(random, depth - 1) + kOperations[random.below(4)] +
         random_real(random, depth - 1) + ")";
}

TEST(RandomDoublesOnGpu, AnswerAsTheCpu) {
  const TableOfColumns made = usual_reals(2600, 1100, 21);
  corpora::Random random(5);
  constexpr std::uint32_t kStatements = kIsSanitized ? 40 : 150;
  static constexpr const char* kRelations[] = {" < ", " <= ", " = ", " <> ", " >= ", " > "};
  static constexpr const char* kAggregates[] = {"sum", "avg", "min", "max", "count"};
  static constexpr const char* kKeys[] = {"", "few", "many", "far", "zeros", "lone", "few, many"};
  std::uint32_t on_device = 0;
  for (std::uint32_t i = 0; i < kStatements; ++i) {
    std::string where;
    if (random.below(2) == 0) {
      where = random_real(random, 1) + kRelations[random.below(6)] + random_real(random, 2);
    }
    std::string aggregates = "count(*)";
    for (std::uint32_t more = random.below(3) + 1; more > 0; --more) {
      aggregates += std::string(", ") + kAggregates[random.below(5)] + "(" +
                    random_real(random, random.below(4)) + ")";
    }
    const char* const keys = kKeys[random.below(7)];
    SCOPED_TRACE(where + " | " + keys + " | " + aggregates);
    const Query query = query_of(*made.table, {where.c_str(), keys, aggregates.c_str()});
    const Answer expected = bits_of(query, nullptr);
    const Answer found = bits_of(query, make_emulated_query_device({}, i));
    ASSERT_EQ(found.text, expected.text);
    EXPECT_EQ(found.summary.rows_matched, expected.summary.rows_matched);
    on_device += found.summary.why_cpu.empty() ? 1 : 0;
  }
  EXPECT_GT(on_device, kStatements * 3 / 4);
}

/// Of more than one slice.
TEST(ManyDoublesOnGpu, AnswerAsTheCpu) {
  const TableOfColumns made = usual_reals(kIsSanitized ? 70'000 : 150'000, 1u << 20, 22);
  std::uint32_t seed = 250;
  for (const Asked& asked :
       {Asked{"", "", "sum(cents), avg(walk), min(usual), max(single), sum(maybe), sum(lone)"},
        Asked{"walk > 30000.5", "few", "sum(usual), sum(steps * cents), avg(maybe)"},
        Asked{"", "many", "sum(cents), avg(lone)"}}) {
    SCOPED_TRACE(asked.aggregates);
    expect_as_on_cpu(query_of(*made.table, asked), ++seed);
  }
}

/// Values so far from each other that it takes more cells, or more than there are.
TEST(FarDoublesOnGpu, TakeMoreCellsOrAreTheCpus) {
  const TableOfColumns made = hostile_reals(4000, 1500, 3);
  std::uint32_t seed = 90;
  for (const Asked& asked : {
           Asked{"", "", "sum(pairs), avg(pairs), min(pairs), count(*)"},
           Asked{"", "few", "sum(wide), avg(wide), sum(tiny), count(*), sum(pairs)"},
           Asked{"pairs > 0", "many", "avg(wide), max(wide), sum(few)"},
           Asked{"", "", "sum(floats), count(*)"},
       }) {
    SCOPED_TRACE(asked.aggregates);
    const Query query = query_of(*made.table, asked);
    expect_as_on_cpu(query, ++seed);
    EXPECT_GT(bits_of(query, make_emulated_query_device()).summary.passes, 1u);
  }
  for (const Asked& asked :
       {Asked{"", "", "sum(huge)"}, Asked{"", "few", "avg(special), sum(huge)"},
        Asked{"", "", "sum(floats), sum(wide), sum(pairs)"},
        Asked{"", "many", "sum(huge), avg(wide)"}}) {
    expect_as_on_cpu(query_of(*made.table, asked), ++seed,
                     "sums of doubles that are too far from each other");
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, DoublesOnGpu,
                         ::testing::Values(std::pair{1u, 1000u}, std::pair{40u, 1000u},
                                           std::pair{2500u, 1024u}, std::pair{7000u, 2500u},
                                           std::pair{9000u, 1u << 20}));

}  // namespace
}  // namespace presso::query_doubles_on_gpu_test
