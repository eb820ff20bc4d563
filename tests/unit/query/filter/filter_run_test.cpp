// SPDX-License-Identifier: MIT
// Every plan of some conditions, with lists and with bitmaps, finds the rows that plain loops find:
// over columns stored in all ways, random, sorted, in runs and correlated; and slices that zones
// rule out are not read.
#include "query/filter/filter_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>

#include "corpora/random.h"
#include "query/filter/make_plan.h"
#include "query/plan/planner.h"
#include "query/rows/slices.h"
#include "query/rows/table_facts.h"
#include "tests/unit/decompress/table/slices.h"

namespace presso::query::filter_run_test {
namespace {

constexpr std::uint32_t kRows = 150'000;  // a slice, the rest of a row group, another row group
constexpr std::uint32_t kGroupRows = 100'352;

/// Columns as they are in memory, c0, c1, ... in this order. The last one, c9, is null everywhere.
struct Rows {
  std::vector<std::int32_t> number;               ///< random below 4,096
  std::vector<std::int32_t> near;                 ///< nearly `number`
  std::vector<std::int32_t> sorted;               ///< a fourth of the row
  std::vector<std::int32_t> runs;                 ///< of 3,000 rows
  std::vector<double> real;                       ///< with NaN, -0 and infinities
  std::vector<std::optional<std::int32_t>> some;  ///< with nulls
  std::vector<std::string> word;                  ///< of 7: a dictionary
  std::vector<std::string> note;                  ///< tokens; null where empty
  std::vector<std::string> bytes;                 ///< of no pieces
};

std::vector<std::string> make_pieces(corpora::Random& random) {
  std::vector<std::string> pieces(300);
  for (std::string& piece : pieces) {
    for (int i = 0; i < 6; ++i) piece.push_back(static_cast<char>('a' + random.below(26)));
  }
  pieces[200] = "special";
  pieces[100] = "requests";
  return pieces;
}

void add_strings(std::uint32_t row, const std::vector<std::string>& pieces, corpora::Random& random,
                 Rows& rows) {
  static const char* const kWords[] = {"red",    "green",   "blue", "", "special requests",
                                       "sleepy", "deposits"};
  rows.word.emplace_back(kWords[random.below(7)]);
  std::string note;
  if (row % 7 != 3) {
    for (auto left = 1 + random.below(5); left > 0; --left) note += pieces[random.below(300)];
  }
  rows.note.push_back(std::move(note));
  std::string bytes;
  for (auto left = random.below(30); left > 0; --left) {
    bytes.push_back(static_cast<char>(' ' + random.below(95)));
  }
  rows.bytes.push_back(std::move(bytes));
}

Rows make_rows() {
  corpora::Random random(1);
  const std::vector<std::string> pieces = make_pieces(random);
  Rows rows;
  for (std::uint32_t row = 0; row < kRows; ++row) {
    const auto value = static_cast<std::int32_t>(random.below(4096));
    rows.number.push_back(value);
    rows.near.push_back(value + static_cast<std::int32_t>(random.below(64)));
    rows.sorted.push_back(static_cast<std::int32_t>(row / 4));
    rows.runs.push_back(static_cast<std::int32_t>(row / 3000 * 7919 % 100));
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const double reals[] = {-kInfinity, -0.0, 0.0, std::nan(""), kInfinity};
    rows.real.push_back(random.one_in(10) ? reals[random.below(5)] : random.below(1000) / 8.0);
    rows.some.emplace_back();
    if (!random.one_in(7)) rows.some.back() = static_cast<std::int32_t>(random.below(1000));
    add_strings(row, pieces, random, rows);
  }
  return rows;
}

template <class T>
ColumnData numbers_column(ColumnType type, const std::vector<T>& values) {
  ColumnData column;
  column.type = type;
  column.rows = values.size();
  column.values.append({reinterpret_cast<const Byte*>(values.data()), values.size() * sizeof(T)});
  return column;
}

template <class IsThere>
void set_validity(ColumnData& column, const IsThere& is_there) {
  column.validity.assign((column.rows + 7) / 8, 0);
  for (std::size_t row = 0; row < column.rows; ++row) {
    if (is_there(row)) column.validity[row / 8] |= static_cast<Byte>(1u << (row % 8));
  }
}

std::vector<ColumnData> columns_of(const Rows& rows) {
  std::vector<std::int32_t> some;
  for (const auto& value : rows.some) some.push_back(value.value_or(17));
  std::vector<ColumnData> columns;
  for (const auto* numbers : {&rows.number, &rows.near, &rows.sorted, &rows.runs}) {
    columns.push_back(numbers_column(ColumnType::kInt32, *numbers));
  }
  columns.push_back(numbers_column(ColumnType::kDouble, rows.real));
  columns.push_back(numbers_column(ColumnType::kInt32, some));
  set_validity(columns.back(), [&](std::size_t row) { return rows.some[row].has_value(); });
  columns.push_back(row_groups::strings_column(rows.word));
  columns.push_back(row_groups::strings_column(rows.note));
  set_validity(columns.back(), [&](std::size_t row) { return !rows.note[row].empty(); });
  columns.push_back(row_groups::strings_column(rows.bytes));
  columns.push_back(numbers_column(ColumnType::kInt32, std::vector<std::int32_t>(kRows)));
  set_validity(columns.back(), [](std::size_t) { return false; });
  return columns;
}

/// Made once, for all tests.
struct Fixture {
  Rows rows = make_rows();
  std::vector<Byte> file = slices::table_of(columns_of(rows), kGroupRows);
  slices::Opened opened{file};
  std::vector<Table> tables{*opened.table};
};

const Fixture& fixture() {
  static const Fixture made;
  return made;
}

bool has(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

bool has_pair(const std::string& text) {
  for (const char* pair : {"qa", "qe", "qi", "qo", "qu"}) {
    if (has(text, pair)) return true;
  }
  return false;
}

bool has_in_turn(const std::string& text, const char* first, const char* second) {
  const auto at = text.find(first);
  return at != std::string::npos && text.find(second, at + 1) != std::string::npos;
}

/// Conditions and what they mean.
using Holds = std::function<bool(std::uint32_t row)>;
const std::vector<std::pair<std::string, Holds>>& all_conditions() {
  const Rows& rows = fixture().rows;
  static const std::vector<std::pair<std::string, Holds>> all = {
      {"c0 < 41", [&](auto row) { return rows.number[row] < 41; }},
      {"c0 < 2048", [&](auto row) { return rows.number[row] < 2048; }},
      {"c0 >= 0", [](auto) { return true; }},
      {"c0 > 5000", [](auto) { return false; }},
      {"c0 between 10 and 20 or c0 > 4000",
       [&](auto row) {
         return (rows.number[row] >= 10 && rows.number[row] <= 20) || rows.number[row] > 4000;
       }},
      {"c1 < 100", [&](auto row) { return rows.near[row] < 100; }},
      {"c1 > 4000", [&](auto row) { return rows.near[row] > 4000; }},
      {"c2 < 5000", [&](auto row) { return rows.sorted[row] < 5000; }},
      {"c2 = 20000", [&](auto row) { return rows.sorted[row] == 20000; }},
      {"c3 < 5", [&](auto row) { return rows.runs[row] < 5; }},
      {"c4 > 100", [&](auto row) { return std::isnan(rows.real[row]) || rows.real[row] > 100; }},
      {"c4 = 0", [&](auto row) { return rows.real[row] == 0; }},
      {"c5 < 500", [&](auto row) { return rows.some[row] && *rows.some[row] < 500; }},
      {"c5 is null", [&](auto row) { return !rows.some[row]; }},
      {"c6 = 'blue'", [&](auto row) { return rows.word[row] == "blue"; }},
      {"c6 not like '%e%'", [&](auto row) { return !has(rows.word[row], "e"); }},
      {"length(c6) > 5", [&](auto row) { return rows.word[row].size() > 5; }},
      {"c7 like '%special%'", [&](auto row) { return has(rows.note[row], "special"); }},
      {"c7 not like '%special%'",
       [&](auto row) { return !rows.note[row].empty() && !has(rows.note[row], "special"); }},
      {"c7 like '%requests%special%'",
       [&](auto row) { return has_in_turn(rows.note[row], "requests", "special"); }},
      {"c7 matches 'q[aeiou]'", [&](auto row) { return has_pair(rows.note[row]); }},
      {"c8 < 'A'", [&](auto row) { return rows.bytes[row] < "A"; }},
      {"c8 like '%b%'", [&](auto row) { return has(rows.bytes[row], "b"); }},
      {"c9 = 0", [](auto) { return false; }},
      {"c9 is null", [](auto) { return true; }},
      {"c0 + c1 < 300", [&](auto row) { return rows.number[row] + rows.near[row] < 300; }},
      {"c0 < c5", [&](auto row) { return rows.some[row] && rows.number[row] < *rows.some[row]; }},
      {"c0 < 41 or c7 like '%special%'",
       [&](auto row) { return rows.number[row] < 41 || has(rows.note[row], "special"); }},
  };
  return all;
}

const Holds& meaning_of(const std::string& text) {
  const auto& all = all_conditions();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& one) { return one.first == text; });
  EXPECT_NE(found, all.end()) << text;
  return found->second;
}

/// Some conditions, and the rows that fulfil all of them.
class Runs {
 public:
  explicit Runs(const std::vector<std::string>& texts) : holds_(kRows, true) {
    QuerySpec spec;
    for (const std::string& text : texts) {
      const Holds& holds = meaning_of(text);
      for (std::uint32_t row = 0; row < kRows; ++row) holds_[row] = holds_[row] && holds(row);
      spec.conditions.push_back({*parse_expression(text), text});
    }
    auto bound = bind_query(spec, {{*input_columns(fixture().tables, {}), {}, kRows}});
    EXPECT_TRUE(bound.ok()) << bound.error().what;
    query_ = std::move(*bound);
    plan_.conditions = conditions_of(query_);
    EXPECT_EQ(plan_.conditions.size(), texts.size()) << "some were merged";
  }

  std::size_t rows_found() const {
    return static_cast<std::size_t>(std::count(holds_.begin(), holds_.end(), true));
  }
  const std::vector<FilterRunner::Count>& counts() const { return runner_->counts(); }
  std::uint64_t blocks() const { return counters_.blocks; }

  /// Runs the plan over all slices. A slice of which no block is read has no such row, or no other.
  void check(const std::string& text, bool as_list) {
    plan_.passes = *parse_plan(text, plan_.conditions.size());
    for (FilterPass& pass : plan_.passes) pass.as_list = as_list;
    runner_.emplace();
    counters_.blocks = 0;
    SliceReader reader(physical_of(query_.columns));
    const std::vector<std::size_t> columns;
    SliceSource source(fixture().tables, columns, counters_, nullptr);
    std::vector<std::uint64_t> bits(kSliceWords, 0x5555);
    while (const auto slice = *source.next()) {
      const std::uint64_t before = counters_.blocks;
      reader.open(*slice);
      const Status done = runner_->run(plan_, reader, bits.data());
      ASSERT_TRUE(done.ok()) << done.error().what;
      const std::uint64_t hits = compare(*slice, bits, text);
      if (counters_.blocks == before) {
        EXPECT_TRUE(hits == 0 || hits == slice->rows) << text;
      }
    }
  }

 private:
  /// How many rows there should be.
  std::uint64_t compare(const Slice& slice, const std::vector<std::uint64_t>& bits,
                        const std::string& text) const {
    std::uint64_t hits = 0;
    for (std::uint32_t row = 0; row < kSliceRows; ++row) {
      const bool found = (bits[row / 64] >> (row % 64) & 1) != 0;
      const auto of_table = static_cast<std::size_t>(slice.first_row()) + row;
      const bool should = row < slice.rows && holds_[of_table];
      hits += should ? 1 : 0;
      if (found == should) continue;
      ADD_FAILURE() << text << ": row " << of_table << (found ? " found" : " missed");
      break;
    }
    return hits;
  }

  std::vector<bool> holds_;
  BoundQuery query_;
  FilterPlan plan_;
  ReadCounters counters_;
  std::optional<FilterRunner> runner_;
};

std::vector<std::string> all_texts(std::size_t conditions) {
  PlannerInput input;
  input.costs.resize(conditions);
  input.selectivities.assign(conditions, 0.5);
  std::vector<std::string> texts;
  for (const PlanShape& plan : all_plans(input)) texts.push_back(plan_text(plan.passes));
  return texts;
}

void check_all_plans(const std::vector<std::string>& conditions) {
  Runs runs(conditions);
  for (const std::string& text : all_texts(conditions.size())) {
    for (const bool as_list : {false, true}) runs.check(text, as_list);
    ASSERT_FALSE(testing::Test::HasFailure()) << conditions[0];
  }
}

TEST(FilterRunner, IsTestedOnColumnsStoredInAllWays) {
  const auto group = fixture().opened.group();
  const auto stored = [&](std::size_t column) { return group->chunk(column).representation; };
  EXPECT_EQ(stored(0), Representation::kPlain);
  EXPECT_EQ(stored(6), Representation::kDictionary);
  EXPECT_EQ(stored(7), Representation::kToken);
  EXPECT_EQ(stored(8), Representation::kBytes);
  EXPECT_EQ(stored(9), Representation::kNull);
  EXPECT_EQ(fixture().tables[0].row_groups(), 2u);
}

TEST(FilterRunner, FindsTheSameRowsByAnyPlan) {
  check_all_plans({"c0 < 2048", "c7 like '%special%'"});
  check_all_plans({"c0 < 41", "c5 < 500", "c7 not like '%special%'"});
  check_all_plans({"c0 + c1 < 300", "c8 like '%b%'", "c6 not like '%e%'"});
}

TEST(FilterRunner, FindsRowsOfEveryRepresentation) {
  for (const std::string text :
       {"c0 between 10 and 20 or c0 > 4000", "c4 > 100", "c4 = 0", "c5 < 500", "c5 is null",
        "c6 = 'blue'", "c6 not like '%e%'", "length(c6) > 5", "c7 like '%special%'",
        "c7 not like '%special%'", "c7 like '%requests%special%'", "c7 matches 'q[aeiou]'",
        "c8 < 'A'", "c8 like '%b%'", "c0 < c5", "c0 < 41 or c7 like '%special%'"}) {
    Runs alone({text});
    EXPECT_GT(alone.rows_found(), 0u) << text;
    alone.check("1", false);
    // Behind one that leaves rows of few vectors, of all, and of most.
    for (const std::string before : {"c3 < 5", "c1 < 100", "c2 < 5000"}) {
      Runs pair({before, text});
      for (const char* plan : {"1&&2", "1;2", "2&1", "2;1"}) pair.check(plan, plan[1] == ';');
    }
    ASSERT_FALSE(HasFailure()) << text;
  }
}

TEST(FilterRunner, FindsCorrelatedRows) {
  check_all_plans({"c0 < 41", "c1 < 100", "c3 < 5"});
  check_all_plans({"c0 < 41", "c1 > 4000"});
}

TEST(FilterRunner, FindsNoRowFewRowsAndAllRows) {
  Runs none({"c0 < 41", "c1 > 4000"});
  EXPECT_EQ(none.rows_found(), 0u);
  Runs few({"c2 = 20000", "c0 >= 0"});
  EXPECT_EQ(few.rows_found(), 4u);
  Runs all({"c0 >= 0", "c9 is null"});
  EXPECT_EQ(all.rows_found(), kRows);
  for (Runs* runs : {&none, &few, &all}) {
    for (const std::string& text : all_texts(2)) {
      for (const bool as_list : {false, true}) runs->check(text, as_list);
    }
  }
}

TEST(FilterRunner, ReadsNothingWhereZonesTellAll) {
  Runs none({"c0 > 5000", "c7 like '%special%'"});
  none.check("2&1", false);
  EXPECT_EQ(none.blocks(), 0u);
  Runs null({"c7 like '%special%'", "c9 = 0"});
  null.check("1;2", true);
  EXPECT_EQ(null.blocks(), 0u);
  Runs all({"c0 >= 0", "c9 is null"});
  all.check("1&&2", false);
  EXPECT_EQ(all.blocks(), 0u);
  EXPECT_EQ(all.counts()[0].asked, 0u);
}

TEST(FilterRunner, ReadsOnlySlicesThatZonesDoNotRuleOut) {
  Runs runs({"c2 < 5000", "c0 < 41"});  // in the first slice only
  for (const char* text : {"2&1", "1&&2", "2;1"}) {
    runs.check(text, false);
    EXPECT_EQ(runs.blocks(), 2u) << text;
    EXPECT_EQ(runs.counts()[text[0] == '2' ? 1 : 0].asked, 65536u) << text;
  }
}

TEST(FilterRunner, ReadsAColumnOnlyWhereRowsAreLeft) {
  Runs runs({"c2 = 20000", "c7 like '%special%'", "c0 < 41"});
  runs.check("1&&3&&2", false);
  const std::uint64_t blocks = runs.blocks();
  runs.check("1&2&3", false);
  EXPECT_GT(runs.blocks(), blocks);
}

TEST(FilterRunner, CountsTheRowsThatConditionsAreAskedForAndLeave) {
  Runs runs({"c0 < 2048", "c5 < 500", "c7 like '%special%'"});
  for (const char* text : {"1&&2&&3", "1;2;3", "1&2&3"}) {
    runs.check(text, false);
    const auto& counts = runs.counts();
    EXPECT_EQ(counts[0].asked, kRows);
    EXPECT_EQ(counts[1].asked, counts[0].left);
    EXPECT_EQ(counts[2].asked, counts[1].left);
    EXPECT_EQ(counts[2].left, runs.rows_found());
  }
}

}  // namespace
}  // namespace presso::query::filter_run_test
