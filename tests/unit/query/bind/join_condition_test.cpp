// SPDX-License-Identifier: MIT
// Conditions taken apart for joins. Tables are named by the first letter of a column: a is of table
// 0, b of table 1, and so on. The meaning is checked with random conditions, computed in
// three-valued logic for all values of their columns.
#include "query/bind/join_condition.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "corpora/random.h"
#include "tests/unit/query/expression/expression_dump.h"
#include "tests/unit/query/expression/tpch_texts.h"

namespace presso::query::join_condition_test {
namespace {

using corpora::Random;

Result<std::size_t> by_first_letter(const Expression& column) {
  const char letter = column.text.front();
  if (letter >= 'a' && letter <= 'h') return static_cast<std::size_t>(letter - 'a');
  Error error = make_error(ErrorCode::kInvalidArgument, "there is no column '" + column.text + "'");
  error.byte_offset = column.offset;
  return error;
}

JoinCondition split(std::string_view text, const SourceOf& source_of = by_first_letter) {
  const Result<Expression> parsed = parse_expression(text);
  EXPECT_TRUE(parsed.ok()) << text;
  Result<JoinCondition> condition = split_condition(*parsed, source_of);
  EXPECT_TRUE(condition.ok()) << text;
  return condition.ok() ? *std::move(condition) : JoinCondition();
}

/// "x == y; 0: of table 0; 1?: concluded of table 1; *: rest"
std::string dump(const JoinCondition& parts) {
  std::string result;
  const auto add = [&result](const std::string& text) {
    result += joined(result.empty() ? "" : "; ", text);
  };
  for (const JoinEquality& each : parts.equalities) {
    add(joined(presso::dump(each.left),
               each.nulls_are_equal ? " === " : " == ", presso::dump(each.right)));
  }
  for (const SourceCondition& each : parts.single) {
    add(joined(std::to_string(each.source), each.implied ? "?: " : ": ",
               presso::dump(each.condition)));
  }
  for (const RestCondition& each : parts.rest) add(joined("*: ", presso::dump(each.condition)));
  return result;
}

TEST(JoinCondition, TakesConjunctionsApart) {
  EXPECT_EQ(dump(split("a1 = b1")), "a1 == b1");
  EXPECT_EQ(dump(split("a1 = b1 and b2 + 1 = a2 * a3 and a4 > 5 and b3 like 'x%' and a5 < b5")),
            "a1 == b1; (+ b2 1) == (* a2 a3); 0: (> a4 5); 1: (like b3 'x%'); *: (< a5 b5)");
  EXPECT_EQ(dump(split("a1 = b1 and (b2 = c2 and (a3 = 1 and c3 = 2))")),
            "a1 == b1; b2 == c2; 0: (= a3 1); 2: (= c3 2)");
  EXPECT_EQ(dump(split("a1 is not distinct from b1")), "a1 === b1");
}

TEST(JoinCondition, EqualitiesHaveDifferentTablesOnTheirSides) {
  EXPECT_EQ(dump(split("a1 = a2")), "0: (= a1 a2)");
  EXPECT_EQ(dump(split("a1 + b1 = b2")), "*: (= (+ a1 b1) b2)");
  EXPECT_EQ(dump(split("a1 = 5 and 5 = b1")), "0: (= a1 5); 1: (= 5 b1)");
  EXPECT_EQ(dump(split("a1 is distinct from b1 and a2 <> b2")),
            "*: (is-distinct a1 b1); *: (<> a2 b2)");
  const JoinCondition parts = split("a1 + c1 = b1 * h1");
  ASSERT_EQ(parts.equalities.size(), 1u);
  EXPECT_EQ(parts.equalities[0].left_sources, 0b101u);
  EXPECT_EQ(parts.equalities[0].right_sources, 0b10000010u);
}

TEST(JoinCondition, ConditionsOfNoTableAreLeftAlone) {
  EXPECT_EQ(dump(split("true")), "*: true");
  EXPECT_EQ(split("1 = 2").rest[0].sources, 0u);
  EXPECT_EQ(dump(split("a1 = b1 and null")), "a1 == b1; *: null");
}

TEST(JoinCondition, TakesOutWhatAllBranchesShare) {
  EXPECT_EQ(dump(split("(a1 = b1 and a2 < b2) or (a3 < b3 and a1 = b1)")),
            "a1 == b1; *: (or (< a2 b2) (< a3 b3))");
  EXPECT_EQ(dump(split("(a1 = b1 and a2 < b2) or a1 = b1")), "a1 == b1");
  EXPECT_EQ(dump(split("(a1 = b1 and a2 = 1) or (a1 = b1 and a2 = 2)")),
            "a1 == b1; 0: (or (= a2 1) (= a2 2))");
  EXPECT_EQ(dump(split("a1 = b1 or a1 = b2")), "*: (or (= a1 b1) (= a1 b2))");
  EXPECT_EQ(dump(split("a1 = 1 or a2 = 2")), "0: (or (= a1 1) (= a2 2))");
}

TEST(JoinCondition, ConcludesWhatIsTrueOfEachTable) {
  // The nations of TPC-H's Q7.
  EXPECT_EQ(
      dump(split("(a1 = 'FRANCE' and b1 = 'GERMANY') or (a1 = 'GERMANY' and b1 = 'FRANCE')")),
      "0?: (or (= a1 'FRANCE') (= a1 'GERMANY')); 1?: (or (= b1 'GERMANY') (= b1 'FRANCE'));"
      " *: (or (and (= a1 'FRANCE') (= b1 'GERMANY')) (and (= a1 'GERMANY') (= b1 'FRANCE')))");
  EXPECT_EQ(dump(split("(a1 = 1 and a2 = 2 and b1 = 1) or (a1 = 3 and c1 = 1)")),
            "0?: (or (and (= a1 1) (= a2 2)) (= a1 3));"
            " *: (or (and (= a1 1) (= a2 2) (= b1 1)) (and (= a1 3) (= c1 1)))");
}

TEST(JoinCondition, PlacesAreKept) {
  const std::string_view text = "a1 = b1 and (a2 < b2 or a3 = 'x')";
  const JoinCondition parts = split(text);
  const auto place = [text](const Expression& tree) {
    return text.substr(tree.offset, tree.length);
  };
  EXPECT_EQ(place(parts.equalities[0].right), "b1");
  EXPECT_EQ(place(parts.rest[0].condition), "a2 < b2 or a3 = 'x'");
}

TEST(JoinCondition, ErrorsAreThoseOfTheNames) {
  for (const char* text : {"a1 = x1", "x1", "a1 = b1 or x1", "(a1 and b1) or (a1 and f(x1))"}) {
    const auto parts = split_condition(*parse_expression(text), by_first_letter);
    ASSERT_FALSE(parts.ok()) << text;
    EXPECT_EQ(parts.error().what, "there is no column 'x1'");
    EXPECT_EQ(parts.error().byte_offset, std::string_view(text).find('x'));
  }
  const SourceOf far = [](const Expression&) -> Result<std::size_t> { return kMaxSqlSources; };
  EXPECT_FALSE(split_condition(*parse_expression("a = b"), far).ok());
}

/// By the letters in front of the names of TPC-H's columns.
Result<std::size_t> of_tpch(const Expression& column) {
  const std::string tables = "colpsnr";
  return tables.find(column.text.front());
}

TEST(JoinCondition, FindsTheJoinsOfTpch) {
  EXPECT_EQ(dump(*split_condition(*parse_sql(tpch::kQ3)->where, of_tpch)),
            "c_custkey == o_custkey; l_orderkey == o_orderkey; 0: (= c_mktsegment 'BUILDING');"
            " 1: (< o_orderdate date'1995-03-15'); 2: (> l_shipdate date'1995-03-15')");
  const JoinCondition q5 = *split_condition(*parse_sql(tpch::kQ5)->where, of_tpch);
  EXPECT_EQ(q5.equalities.size(), 6u);
  EXPECT_EQ(q5.single.size(), 3u);
  EXPECT_TRUE(q5.rest.empty());
  EXPECT_EQ(dump(*split_condition(*parse_sql(tpch::kQ13)->joins[0].on, of_tpch)),
            "c_custkey == o_custkey; 1: (not-like o_comment '%special%requests%')");
}

TEST(JoinCondition, FindsTheJoinOfQ19InItsBranches) {
  const JoinCondition q19 = *split_condition(*parse_sql(tpch::kQ19)->where, of_tpch);
  ASSERT_EQ(q19.equalities.size(), 1u);
  EXPECT_EQ(presso::dump(q19.equalities[0].left), "p_partkey");
  ASSERT_EQ(q19.single.size(), 4u);
  EXPECT_EQ(presso::dump(q19.single[0].condition), "(in l_shipmode 'AIR' 'AIR REG')");
  EXPECT_FALSE(q19.single[1].implied);
  EXPECT_TRUE(q19.single[2].implied);
  EXPECT_EQ(presso::dump(q19.single[2].condition),
            "(or (and (>= l_quantity 1) (<= l_quantity (+ 1 10)))"
            " (and (>= l_quantity 10) (<= l_quantity (+ 10 10)))"
            " (and (>= l_quantity 20) (<= l_quantity (+ 20 10))))");
  EXPECT_EQ(q19.single[3].source, 3u);
  EXPECT_EQ(q19.rest.size(), 1u);
}

TEST(JoinCondition, LargeConditionsTakeLittleTime) {
  std::string text = "(a1 = b1 and a2 < b2)";
  for (int i = 0; i < 5000; ++i) text += " or (a1 = b1 and a3 < b3 and a4 = 1)";
  const JoinCondition parts = split(text);
  EXPECT_EQ(parts.equalities.size(), 1u);
  EXPECT_EQ(parts.rest[0].condition.arguments.size(), 5001u);
}

/// False, null, true.
enum class Truth { kFalse, kNull, kTrue };

Truth opposite(Truth value) {
  return static_cast<Truth>(2 - static_cast<int>(value));
}

/// The columns a0, a1, b0, b1, c0, c1 are themselves truths; = of two nulls is null.
struct Row {
  std::array<Truth, 6> values{};
  Truth of(const Expression& column) const {
    const int table = column.text[0] - 'a';
    return values[static_cast<std::size_t>(table * 2 + (column.text[1] - '0'))];
  }
};

Truth value_of(const Expression& tree, const Row& row) {
  if (tree.kind == Expression::Kind::kColumn) return row.of(tree);
  const auto operand = [&](std::size_t i) { return value_of(tree.arguments[i], row); };
  Truth result = tree.op == Expression::Op::kAnd ? Truth::kTrue : Truth::kFalse;
  switch (tree.op) {
    case Expression::Op::kAnd:
      for (std::size_t i = 0; i < tree.arguments.size(); ++i) {
        result = std::min(result, operand(i));
      }
      return result;
    case Expression::Op::kOr:
      for (std::size_t i = 0; i < tree.arguments.size(); ++i) {
        result = std::max(result, operand(i));
      }
      return result;
    case Expression::Op::kNot:
      return opposite(operand(0));
    case Expression::Op::kIsDistinct:
      return operand(0) == operand(1) ? Truth::kTrue : Truth::kFalse;  // only NOT DISTINCT is made
    default:
      if (operand(0) == Truth::kNull || operand(1) == Truth::kNull) return Truth::kNull;
      return operand(0) == operand(1) ? Truth::kTrue : Truth::kFalse;
  }
}

Expression random_condition(Random& random, int depth) {
  using Op = Expression::Op;
  const auto leaf = [&random] {
    std::string name(1, "abc"[random.below(3)]);
    return column(name + static_cast<char>('0' + random.below(2)));
  };
  if (depth == 0 || random.one_in(5)) {
    if (random.one_in(3)) return leaf();
    Expression test = operation(random.one_in(3) ? Op::kIsDistinct : Op::kEqual, {leaf(), leaf()});
    test.negated = test.op == Op::kIsDistinct;
    return test;
  }
  if (random.one_in(4)) {  // something to conclude
    std::vector<Expression> branches;
    for (std::uint32_t i = 2 + random.below(2); i > 0; --i) {
      Expression a = column(random.one_in(2) ? "a0" : "a1");
      if (random.one_in(2)) a = operation(Op::kNot, {std::move(a)});
      branches.push_back(operation(Op::kAnd, {std::move(a), random_condition(random, depth - 1)}));
    }
    return operation(Op::kOr, std::move(branches));
  }
  if (random.one_in(8)) return operation(Op::kNot, {random_condition(random, depth - 1)});
  std::vector<Expression> operands;
  for (std::uint32_t i = 2 + random.below(2); i > 0; --i) {
    operands.push_back(random_condition(random, depth - 1));
  }
  if (random.one_in(2)) {  // something to take out
    const Expression shared = leaf();
    for (Expression& each : operands) each = operation(Op::kAnd, {shared, std::move(each)});
    return operation(Op::kOr, std::move(operands));
  }
  return operation(random.one_in(2) ? Op::kAnd : Op::kOr, std::move(operands));
}

Row row_of(int number) {
  Row row;
  for (Truth& value : row.values) {
    value = static_cast<Truth>(number % 3);
    number /= 3;
  }
  return row;
}

/// Whether all parts are true; `implied` those that may be left out, which must not change it.
bool all_true(const JoinCondition& parts, const Row& row, bool implied) {
  bool result = true;
  for (const JoinEquality& each : parts.equalities) {
    const Truth left = value_of(each.left, row);
    const Truth right = value_of(each.right, row);
    result &= left == right && (each.nulls_are_equal || left != Truth::kNull);
  }
  for (const SourceCondition& each : parts.single) {
    if (each.implied && !implied) continue;
    result &= value_of(each.condition, row) == Truth::kTrue;
  }
  for (const RestCondition& each : parts.rest) {
    result &= value_of(each.condition, row) == Truth::kTrue;
  }
  return result;
}

TEST(JoinCondition, ThePartsAreTrueWhereTheWholeIs) {
  Random random(24);
  int equalities = 0;
  int implied = 0;
  for (int run = 0; run < 1500; ++run) {
    const Expression whole = random_condition(random, 1 + static_cast<int>(random.below(4)));
    const JoinCondition parts = *split_condition(whole, by_first_letter);
    equalities += static_cast<int>(parts.equalities.size());
    for (const SourceCondition& each : parts.single) {
      implied += each.implied;
      ASSERT_EQ(*sources_of(each.condition, by_first_letter), source_set(each.source));
    }
    for (int number = 0; number < 729; ++number) {
      const Row row = row_of(number);
      const bool expected = value_of(whole, row) == Truth::kTrue;
      ASSERT_EQ(all_true(parts, row, true), expected) << to_text(whole);
      ASSERT_EQ(all_true(parts, row, false), expected) << to_text(whole);
    }
  }
  EXPECT_GT(equalities, 200);
  EXPECT_GT(implied, 200);
}

using JoinKind = SqlJoin::Kind;

/// A row of each side; -1 for nulls.
using Pair = std::array<int, 2>;

/// Rows are numbers, of which those that are equal modulo 4 are partners if `on` holds.
std::vector<Pair> join(JoinKind kind, const std::vector<int>& left, const std::vector<int>& right,
                       const std::function<bool(int, int)>& on) {
  std::vector<Pair> result;
  const bool half = kind == JoinKind::kSemi || kind == JoinKind::kAnti;
  const bool keeps_left = kind == JoinKind::kLeft || kind == JoinKind::kFull;
  const bool keeps_right = kind == JoinKind::kRight || kind == JoinKind::kFull;
  const auto are_partners = [&](int a, int b) { return a % 4 == b % 4 && on(a, b); };
  for (const int a : left) {
    bool found = false;
    for (const int b : right) {
      if (!are_partners(a, b)) continue;
      found = true;
      if (!half) result.push_back({a, b});
    }
    const bool alone = half ? found == (kind == JoinKind::kSemi) : !found && keeps_left;
    if (alone) result.push_back({a, -1});
  }
  for (const int b : right) {
    const auto is_partner = [&](int a) { return are_partners(a, b); };
    if (keeps_right && std::none_of(left.begin(), left.end(), is_partner)) {
      result.push_back({-1, b});
    }
  }
  return result;
}

std::vector<int> only(std::vector<int> rows, bool (*keep)(int)) {
  std::erase_if(rows, [keep](int row) { return !keep(row); });
  return rows;
}

TEST(JoinCondition, FiltersBeforeAJoinGiveTheSameRows) {
  const std::vector<int> left = {0, 1, 3, 5, 9, 14, 20};
  const std::vector<int> right = {0, 4, 5, 6, 11, 15, 16};
  const auto is_small = [](int row) { return row >= 0 && row < 8; };
  const auto always = [](int, int) { return true; };
  for (const JoinKind kind : {JoinKind::kInner, JoinKind::kLeft, JoinKind::kRight, JoinKind::kFull,
                              JoinKind::kSemi, JoinKind::kAnti, JoinKind::kComma}) {
    for (const std::size_t side : {0u, 1u}) {
      const std::vector<Pair> filtered = join(kind, side == 0 ? only(left, is_small) : left,
                                              side == 1 ? only(right, is_small) : right, always);
      const std::vector<Pair> by_on =
          join(kind, left, right, [&](int a, int b) { return is_small(side == 0 ? a : b); });
      EXPECT_EQ(on_may_filter(kind, side == 1), filtered == by_on) << int(kind) << side;
      std::vector<Pair> by_where = join(kind, left, right, always);
      std::erase_if(by_where, [&](const Pair& pair) { return !is_small(pair[side]); });
      EXPECT_EQ(where_may_filter(kind, side == 1), filtered == by_where) << int(kind) << side;
    }
  }
}

}  // namespace
}  // namespace presso::query::join_condition_test
