// SPDX-License-Identifier: MIT
// Conditions as filters give what they give computed row by row, as programs: for values of every
// family and at the ends of their types, nulls, NaNs, literals of other scales, units and types.
#include "query/plan/filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "corpora/random.h"
#include "format/columns/zone_image.h"
#include "query/compute/binder.h"
#include "query/compute/written_value.h"

namespace presso::query::filter_test {
namespace {

struct TestColumn {
  std::string name;
  std::string type;
  std::vector<std::string> values;    ///< all rows; an empty text is null
  std::vector<std::string> literals;  ///< what it is compared with
};

const std::vector<TestColumn>& test_columns() {
  static const std::vector<TestColumn> columns = {
      {"tiny",
       "int8",
       {"-128", "-1", "0", "1", "127", ""},
       {"-129", "-128", "0", "0.5", "-0.5", "1.00", "127", "128", "1e3"}},
      {"i",
       "int32",
       {"-2147483648", "-3", "0", "2", "3", "2147483647", ""},
       {"-3", "2", "2.5", "-2.5", "2.0", "3", "2147483647", "2147483648", "-99999999999999999999"}},
      {"big",
       "int64",
       {"-9223372036854775808", "-1", "0", "9007199254740993", "9223372036854775807", ""},
       {"-9223372036854775808", "-9223372036854775809", "0", "9223372036854775807",
        "9223372036854775806.5", "9223372036854775808"}},
      {"u",
       "uint64",
       {"0", "1", "9223372036854775808", "18446744073709551615", ""},
       {"-1", "0", "0.5", "9223372036854775808", "18446744073709551615", "18446744073709551616"}},
      {"price",
       "decimal(9,2)",
       {"-9999999.99", "-0.01", "0.00", "1.50", "1.51", "9999999.99", ""},
       {"-0.01", "0", "1.5", "1.505", "1.500", "1.51", "9999999.99", "10000000", "2"}},
      {"long",
       "decimal(18,4)",
       {"-99999999999999.9999", "0.0000", "0.0001", "99999999999999.9999", ""},
       {"0.0001", "0.00005", "0", "99999999999999.9999", "99999999999999.99999", "-1e15"}},
      {"wide",
       "decimal(38,3)",
       {"-12345678901234567890123456789012345.678", "0.000", "0.001", "9.999",
        "12345678901234567890123456789012345.678", ""},
       {"0.001", "0.0015", "10", "12345678901234567890123456789012345.678"}},
      {"x",
       "double",
       {"-inf", "-1.5", "-0.0", "0.0", "5e-324", "0.1", "1e308", "inf", "nan", ""},
       {"-1.5", "0", "-0.0", "0.1", "0.10", "1e308", "cast('nan' as double)",
        "cast('inf' as double)", "cast('-inf' as double)"}},
      {"f",
       "float",
       {"-inf", "-0.0", "0.0", "0.1", "0.25", "16777216", "inf", "nan", ""},
       {"0.1", "0.25", "0", "16777217", "cast('nan' as double)"}},
      {"yes", "bool", {"true", "false", ""}, {"true", "false"}},
      {"day",
       "date",
       {"0001-01-01", "1969-12-31", "1970-01-01", "1994-01-01", "9999-12-31", ""},
       {"date '1970-01-01'", "'1994-01-01'", "timestamp '1994-01-01 00:00:00'",
        "timestamp '1969-12-31 00:00:01'"}},
      {"second",
       "timestamp(s)",
       {"1969-12-31 23:59:59", "1970-01-01 00:00:00", "1994-01-01 00:00:00", "1994-01-01 00:00:01",
        ""},
       {"'1994-01-01 00:00:00'", "timestamp '1994-01-01 00:00:00.5'",
        "timestamp '1969-12-31 23:59:58.999'", "date '1994-01-01'"}},
      {"micro",
       "timestamp(us)",
       {"1969-12-31 23:59:59.999999", "1970-01-01 00:00:00", "1994-01-01 00:00:00.000001",
        "1994-01-02 00:00:00", ""},
       {"'1994-01-01 00:00:00'", "timestamp '1994-01-01 00:00:00.000001'", "date '1994-01-02'",
        "date '1970-01-01'"}},
      {"word",
       "utf8",
       {"a", "ab", "abc", "b", "special requests", ""},
       {"'a'", "'ab'", "'b'", "''", "'zzz'"}},
  };
  return columns;
}

/// All values of some columns, and the graph in which conditions on them are bound.
class Conditions {
 public:
  explicit Conditions(const std::vector<TestColumn>& columns) {
    for (const TestColumn& column : columns) {
      columns_.emplace_back();
      columns_.back().name = column.name;
      columns_.back().schema = *parse_type(column.type);
      values_.push_back(values_of(column, columns_.size() - 1));
      rows_ = std::min(rows_, column.values.size());
    }
  }

  const Graph& graph() const { return graph_; }

  std::optional<NodeId> bind(const std::string& text) {
    const auto parsed = parse_expression(text);
    EXPECT_TRUE(parsed.ok()) << text;
    if (!parsed.ok()) return std::nullopt;
    Binder binder(graph_, columns_);
    const auto bound = binder.bind_condition(*parsed);
    return bound.ok() ? std::optional(*bound) : std::nullopt;
  }

  /// Compares all rows; false where the condition cannot be bound.
  bool check(const std::string& text) {
    const auto node = bind(text);
    if (!node) return false;
    const Filter filter = make_filter(graph_, *node);
    const Program program(graph_, {*node});
    for (std::size_t row = 0; row < rows_; ++row) {
      EXPECT_EQ(passes(filter, row), run(program, row) == 1) << text << ", row " << row;
    }
    return true;
  }

 private:
  struct Values {
    Physical physical = Physical::kInt64;
    std::vector<Byte> bytes;  ///< 16 a row
    std::vector<bool> nulls;
    std::vector<std::string> strings;
  };

  Values values_of(const TestColumn& column, std::size_t number) const {
    Values values;
    const Node node = column_node(number, columns_[number].schema, {}, true);
    values.physical = node.physical;
    values.bytes.resize(column.values.size() * 16);
    values.strings = column.values;
    for (std::size_t row = 0; row < column.values.size(); ++row) {
      const std::string& text = column.values[row];
      values.nulls.push_back(text.empty());
      if (text.empty() || node.physical == Physical::kString) continue;
      const bool read = read_value(node, {reinterpret_cast<const Byte*>(text.data()), text.size()},
                                   values.bytes.data() + row * 16);
      EXPECT_TRUE(read) << column.name << " " << text;
    }
    return values;
  }

  bool is_null(std::size_t column, std::size_t row) const { return values_[column].nulls[row]; }
  const Byte* at(std::size_t column, std::size_t row) const {
    return values_[column].bytes.data() + row * 16;
  }
  Bytes string_of(std::size_t column, std::size_t row) const {
    const std::string& text = values_[column].strings[row];
    return {reinterpret_cast<const Byte*>(text.data()), text.size()};
  }

  std::uint64_t image_of(std::size_t column, std::size_t row) const {
    switch (values_[column].physical) {
      case Physical::kBool:
        return *at(column, row);
      case Physical::kDouble: {
        const auto value = load<double>(at(column, row));
        return std::isnan(value) ? ~std::uint64_t{0} : double_image(value);
      }
      case Physical::kInt128:
        EXPECT_FALSE(is_signed(columns_[column].schema.type));
        return static_cast<std::uint64_t>(load<Int128>(at(column, row)));
      default:
        return is_signed(columns_[column].schema.type)
                   ? signed_image(load<std::int64_t>(at(column, row)))
                   : load<std::uint64_t>(at(column, row));
    }
  }

  /// Whether the filter lets a row pass, by what its leaves mean.
  bool passes(const Filter& filter, std::size_t row) const {
    const auto part_passes = [&](const Filter& part) { return passes(part, row); };
    switch (filter.kind) {
      case Filter::Kind::kTrue:
        return true;
      case Filter::Kind::kFalse:
        return false;
      case Filter::Kind::kIntervals: {
        if (is_null(filter.column, row)) return false;
        const std::uint64_t image = image_of(filter.column, row);
        return filter.intervals.meets(image, image);
      }
      case Filter::Kind::kText:
        return !is_null(filter.column, row) &&
               filter.test->matches(string_of(filter.column, row)) != filter.negated;
      case Filter::Kind::kNull:
        return is_null(filter.column, row) != filter.negated;
      case Filter::Kind::kExpression:
        return run(*filter.program, row) == (filter.negated ? 0 : 1);
      case Filter::Kind::kAnd:
        return std::all_of(filter.parts.begin(), filter.parts.end(), part_passes);
      default:
        return std::any_of(filter.parts.begin(), filter.parts.end(), part_passes);
    }
  }

  /// 1 true, 0 false, -1 null.
  int run(const Program& program, std::size_t row) const {
    Program::State state(program);
    static constexpr std::uint64_t kNone[kBatchWords] = {};
    std::vector<VectorView> inputs;
    std::vector<StringRef> strings(columns_.size());
    for (const std::size_t column : program.inputs()) {
      const Bytes text = string_of(column, row);
      strings[column] = {text.data(), is_null(column, row) ? 0 : text.size()};
      const bool is_text = values_[column].physical == Physical::kString;
      inputs.push_back({values_[column].physical,
                        is_text ? static_cast<const void*>(&strings[column]) : at(column, row),
                        is_null(column, row) ? kNone : nullptr});
    }
    VectorView result;
    const auto failure = program.run(state, inputs, 1, {&result, 1});
    EXPECT_FALSE(failure.has_value());
    return result.is_null(0) ? -1 : result.as<Byte>()[0];
  }

  std::vector<InputColumn> columns_;
  std::vector<Values> values_;
  Graph graph_;
  std::size_t rows_ = ~std::size_t{0};
};

constexpr const char* kOperators[] = {"=", "<>", "<", "<=", ">", ">="};

TEST(Filters, OfComparisonsOfEveryTypeGiveWhatProgramsGive) {
  for (const TestColumn& column : test_columns()) {
    Conditions conditions({column});
    int bound = 0;
    for (const std::string& literal : column.literals) {
      for (const std::string op : kOperators) {
        bound += conditions.check(column.name + " " + op + " " + literal);
        bound += conditions.check(literal + " " + op + " " + column.name);
        bound += conditions.check("not (" + column.name + " " + op + " " + literal + ")");
      }
    }
    ASSERT_FALSE(HasFailure()) << column.name;
    EXPECT_GE(bound, 36) << column.name;
  }
}

TEST(Filters, OfPairsOfLiteralsGiveWhatProgramsGive) {
  for (const TestColumn& column : test_columns()) {
    Conditions conditions({column});
    const std::string& name = column.name;
    int bound = 0;
    for (const std::string& a : column.literals) {
      for (const std::string& b : column.literals) {
        for (const std::string& text : {
                 name + " between " + a + " and " + b,
                 name + " not between " + a + " and " + b,
                 name + " in (" + a + ", " + b + ")",
                 name + " not in (" + a + ", " + b + ")",
                 name + " in (" + a + ", null, " + b + ")",
                 "not (" + name + " not in (" + b + ", " + a + "))",
                 name + " < " + a + " or " + name + " > " + b,
                 "not (" + name + " >= " + a + " and " + name + " <> " + b + ")",
                 name + " <= " + a + " and (" + name + " = " + b + " or " + name + " is null)",
             }) {
          bound += conditions.check(text);
        }
      }
    }
    ASSERT_FALSE(HasFailure()) << name;
    EXPECT_GE(bound, 30) << name;
  }
}

TEST(Filters, OfNullsGiveWhatProgramsGive) {
  for (const TestColumn& column : test_columns()) {
    Conditions conditions({column});
    const std::string& name = column.name;
    for (const std::string& text : {
             name + " is null",
             name + " is not null",
             "not (" + name + " is null)",
             name + " = null",
             "not (" + name + " = null)",
             name + " is null or " + name + " = " + column.literals[0],
         }) {
      EXPECT_TRUE(conditions.check(text)) << text;
    }
  }
}

std::vector<TestColumn> several_columns() {
  std::vector<TestColumn> columns;
  for (const TestColumn& column : test_columns()) {
    const bool chosen = column.name == "i" || column.name == "price" || column.name == "x" ||
                        column.name == "day" || column.name == "word";
    if (chosen) columns.push_back(column);
  }
  return columns;
}

template <class List>
const auto& pick(corpora::Random& random, const List& list) {
  return list[random.below(static_cast<std::uint32_t>(std::size(list)))];
}

/// A condition of columns and literals, up to `depth` operators deep.
std::string random_condition(const std::vector<TestColumn>& columns, corpora::Random& random,
                             int depth) {
  if (depth == 0 || random.one_in(5)) {
    const TestColumn& column = pick(random, columns);
    const std::string& literal = pick(random, column.literals);
    switch (random.below(7)) {
      case 0:
        return column.name + " is null";
      case 1:
        return column.name + " in (" + literal + ", " + pick(random, column.literals) + ")";
      case 2:
        return "i + 1 < 4.5";
      case 3:
        return "word like 'a%'";
      default:
        return column.name + " " + pick(random, kOperators) + " " + literal;
    }
  }
  const std::string a = random_condition(columns, random, depth - 1);
  switch (random.below(4)) {
    case 0:
      return "not (" + a + ")";
    case 1:
      return "(" + a + ") or (" + random_condition(columns, random, depth - 1) + ")";
    default:
      return "(" + a + ") and (" + random_condition(columns, random, depth - 1) + ")";
  }
}

TEST(Filters, OfNestedConditionsOfSeveralColumnsGiveWhatProgramsGive) {
  const std::vector<TestColumn> columns = several_columns();
  Conditions conditions(columns);
  corpora::Random random(11);
  int bound = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    bound += conditions.check(random_condition(columns, random, 4));
    ASSERT_FALSE(HasFailure()) << "trial " << trial;
  }
  EXPECT_GE(bound, 1500);
}

class FilterShapes : public ::testing::Test {
 protected:
  Filter filter(const std::string& text) {
    const auto node = conditions_.bind(text);
    EXPECT_TRUE(node.has_value()) << text;
    return node ? make_filter(conditions_.graph(), *node) : Filter{};
  }
  Conditions conditions_{several_columns()};
};

TEST_F(FilterShapes, OfConditionsOnOneColumnAreOneSetOfIntervals) {
  for (const std::string text :
       {"i > 1 and i < 10 and i <> 5", "i > 1 and (i < 5 or i > 7) and i < 10",
        "not (i <= 1 or i = 5) and i < 10", "i between 2 and 9 and i not in (5)",
        "i >= 1.5 and i < 9.5 and not (i = 5.0)"}) {
    const Filter made = filter(text);
    EXPECT_EQ(made.kind, Filter::Kind::kIntervals) << text;
    EXPECT_EQ(made.intervals.intervals().size(), 2u) << text;
  }
  const Filter two = filter("i > 1 and price < 2 and i < 10 and price > 1");
  ASSERT_EQ(two.kind, Filter::Kind::kAnd);
  EXPECT_EQ(two.parts.size(), 2u);
}

TEST_F(FilterShapes, OfConditionsThatNoRowFulfilsHaveNoInterval) {
  for (const std::string text : {"i = 2.5", "i > 5 and i < 5", "i < -99999999999999999999", "false",
                                 "i = null", "price in (0.001, 0.002)", "i = 1 and i = 2"}) {
    const Filter made = filter(text);
    const bool nothing = made.kind == Filter::Kind::kFalse ||
                         (made.kind == Filter::Kind::kIntervals && made.intervals.empty());
    EXPECT_TRUE(nothing) << text;
  }
}

TEST_F(FilterShapes, OfConditionsThatAllValuesFulfilAskForNullsOnly) {
  for (const std::string text : {"i <> 2.5", "i > -99999999999999999999", "i >= 3 or i < 3"}) {
    const Filter made = filter(text);
    if (made.kind == Filter::Kind::kIntervals) {
      EXPECT_TRUE(made.intervals.is_all()) << text;
    } else {
      EXPECT_EQ(made.kind, Filter::Kind::kNull) << text;
      EXPECT_TRUE(made.negated) << text;
    }
  }
}

TEST_F(FilterShapes, HaveNoNotAboveALeaf) {
  const Filter made = filter("not (i = 1 and not (word like 'a%' or x is null))");
  ASSERT_EQ(made.kind, Filter::Kind::kOr);
  ASSERT_EQ(made.parts.size(), 3u);
  EXPECT_EQ(made.parts[0].kind, Filter::Kind::kIntervals);
  EXPECT_EQ(made.parts[1].kind, Filter::Kind::kText);
  EXPECT_FALSE(made.parts[1].negated);
  EXPECT_EQ(made.parts[2].kind, Filter::Kind::kNull);
  EXPECT_FALSE(made.parts[2].negated);
}

TEST_F(FilterShapes, OfManyLiteralsAreProgramsWithTheSameRows) {
  std::string text = "i in (0";
  for (int i = 2; i < 40; i += 2) text += ", " + std::to_string(i);
  text += ")";
  EXPECT_EQ(filter(text).kind, Filter::Kind::kExpression);
  EXPECT_TRUE(conditions_.check(text));
  EXPECT_TRUE(conditions_.check("not (" + text + ")"));
}

TEST_F(FilterShapes, NameTheColumnsThatAreRead) {
  // i, price, x, day, word
  EXPECT_EQ(columns_of(filter("word = 'a' or (i < 3 and x is null) or i > 7")),
            (std::vector<std::size_t>{0, 2, 4}));
  EXPECT_EQ(columns_of(filter("i + 1 < price")), (std::vector<std::size_t>{0, 1}));
  EXPECT_TRUE(columns_of(filter("true")).empty());
}

}  // namespace
}  // namespace presso::query::filter_test
