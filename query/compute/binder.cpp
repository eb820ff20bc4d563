// SPDX-License-Identifier: MIT
// Implements binder.h, which turns the tree of an expression into nodes of a graph: looking up
// names, and one function for each kind of expression. Scalar functions are in
// binder_functions.cpp, conversions in builder.cpp and builder_casts.cpp. The work is proportional
// to the expression's size, apart from error messages, which compare a wrong name with all known
// ones.
#include "query/compute/binder.h"

#include <algorithm>
#include <charconv>
#include <unordered_set>

#include "format/suggest.h"
#include "query/compute/intervals.h"
#include "query/compute/lambda.h"
#include "query/compute/written_value.h"
#include "query/expression/token.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

/// How a comparison of the language maps to steps: there are no steps for > and >=, whose operands
/// are exchanged instead.
struct Comparison {
  Step step;
  bool swapped;
};
/// Returns nothing for operators that are no comparison; so do the two functions below.
std::optional<Comparison> comparison_of(Op op) {
  switch (op) {
    case Op::kEqual:
      return Comparison{Step::kEqual, false};
    case Op::kNotEqual:
      return Comparison{Step::kNotEqual, false};
    case Op::kLess:
      return Comparison{Step::kLess, false};
    case Op::kLessEqual:
      return Comparison{Step::kLessEqual, false};
    case Op::kGreater:
      return Comparison{Step::kLess, true};
    case Op::kGreaterEqual:
      return Comparison{Step::kLessEqual, true};
    case Op::kIsDistinct:
      return Comparison{Step::kIsDistinct, false};
    default:
      return std::nullopt;
  }
}

/// `/` is division of doubles and `//` that of whole numbers, as in DuckDB.
std::optional<Step> arithmetic_of(Op op) {
  switch (op) {
    case Op::kAdd:
      return Step::kAdd;
    case Op::kSubtract:
      return Step::kSubtract;
    case Op::kMultiply:
      return Step::kMultiply;
    case Op::kDivide:
      return Step::kDivideReal;
    case Op::kIntegerDivide:
      return Step::kDivideInteger;
    case Op::kModulo:
      return Step::kModulo;
    default:
      return std::nullopt;
  }
}

/// The test of a string column that is equivalent to a comparison with a string literal. Tests are
/// preferred to comparison steps because a column can answer them on its dictionary or tokens,
/// without producing the strings (query/strings).
std::optional<StringCondition::Kind> string_comparison(Step step, bool literal_first) {
  using Text = StringCondition::Kind;
  switch (step) {
    case Step::kEqual:
      return Text::kEqual;
    case Step::kLess:
      return literal_first ? Text::kGreater : Text::kLess;
    case Step::kLessEqual:
      return literal_first ? Text::kGreaterEqual : Text::kLessEqual;
    default:
      return std::nullopt;
  }
}

}  // namespace

Error at_place(Error error, const Expression& expression) {
  if (error.byte_offset == Error::kNone) error.byte_offset = expression.offset;
  return error;
}

/// Names are stored in lower case; only ASCII letters have a case here, as in the rest of the
/// grammar.
void NameIndex::add(const std::string& name, std::size_t place) {
  places_[expression_detail::lower_case(name)].push_back(place);
}

std::span<const std::size_t> NameIndex::find(const std::string& name) const {
  const auto found = places_.find(expression_detail::lower_case(name));
  if (found == places_.end()) return {};
  return found->second;
}

/// Exact spelling is preferred to another case, so that two tables whose names differ in case only
/// can both be meant. Errors list known names that are near, without the library's own names.
Result<std::size_t> find_source(const Qualifiers& qualifiers, const Expression& expression) {
  const std::string wanted = expression_detail::lower_case(expression.qualifier);
  std::vector<std::string> known;
  std::vector<std::size_t> exact;
  std::vector<std::size_t> similar;
  for (std::size_t source = 0; source < qualifiers.size(); ++source) {
    const auto& own = qualifiers[source];
    // Names with # are the library's.
    std::copy_if(own.begin(), own.end(), std::back_inserter(known),
                 [](const std::string& name) { return name[0] != '#'; });
    const auto is_similar = [&](const std::string& name) {
      return expression_detail::lower_case(name) == wanted;
    };
    if (std::any_of(own.begin(), own.end(), is_similar)) similar.push_back(source);
    if (std::find(own.begin(), own.end(), expression.qualifier) != own.end()) {
      exact.push_back(source);
    }
  }
  const std::vector<std::size_t>& found = exact.empty() ? similar : exact;
  if (found.size() == 1) return found[0];
  std::string what = "there is no table '" + expression.qualifier + "'";
  if (found.empty()) what += did_you_mean(expression.qualifier, known);
  if (exact.size() > 1) {
    what = "several tables are called '" + expression.qualifier +
           "'; give each a name of its own (FILE AS name)";
  }
  if (exact.empty() && similar.size() > 1) what += ", but several that differ in case";
  return at_place(refused(std::move(what)), expression);
}

bool is_aggregate(const Expression& expression) {
  if (expression.kind != Kind::kFunction) return false;
  const std::string& name = expression.text;
  return name == "sum" || name == "count" || name == "min" || name == "max" || name == "avg" ||
         name == "mean";
}

/// The builder holds a reference to the same graph.
Binder::Binder(Graph& graph, const std::vector<InputColumn>& columns, Qualifiers qualifiers)
    : graph_(graph), build_(graph), columns_(columns), qualifiers_(std::move(qualifiers)) {}

namespace {

std::string lower_name(const Expression& expression) {
  return expression_detail::lower_case(expression.text);
}

}  // namespace

/// By default nothing stands for a whole expression.
Result<std::optional<NodeId>> Binder::replacement(const Expression&) {
  return std::optional<NodeId>();
}

/// Reached where no groups exist, for example in WHERE, or within another aggregate.
Result<NodeId> Binder::bind_aggregate(const Expression& expression) {
  return at_place(refused(expression.text + "() is of groups: it stands among what is selected, in "
                                            "HAVING and ORDER BY, and not within another one"),
                  expression);
}

/// The error for a name that several tables have; it lists the qualified names to write instead.
Error Binder::ambiguous(const Expression& expression, const std::vector<std::size_t>& found) const {
  std::string names;
  for (const std::size_t column : found) {
    const std::size_t source = columns_[column].source;
    const bool named = source < qualifiers_.size() && !qualifiers_[source].empty();
    Expression one = presso::column(columns_[column].name);
    if (named) one.qualifier = qualifiers_[source].front();
    names += (names.empty() ? "" : " or ") + to_text(one);
  }
  return at_place(refused("several tables have a column '" + expression.text + "'; write " + names),
                  expression);
}

/// Columns of a name in any case, by an index that is made when the first name is looked up:
/// constant time for each name, also for tables of thousands of columns.
std::span<const std::size_t> Binder::columns_called(const std::string& name) const {
  if (!names_) {
    names_.emplace();
    for (std::size_t i = 0; i < columns_.size(); ++i) names_->add(columns_[i].name, i);
  }
  return names_->find(name);
}

/// Whether a name can mean the column: with a qualifier only a column of that table, otherwise any
/// column in sight.
bool Binder::is_meant(std::size_t column, std::optional<std::size_t> source) const {
  return source ? columns_[column].source == *source : !columns_[column].hidden;
}

/// The error for a name that no column has: it suggests a known name that is near, or says that
/// several differ in case only.
Error Binder::no_column(const Expression& expression, std::optional<std::size_t> source,
                        std::size_t similar) const {
  std::vector<std::string> names;
  std::unordered_set<std::string_view> known;
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    // Names with # are the library's.
    if (columns_[i].name.starts_with("##")) continue;
    if (is_meant(i, source) && known.insert(columns_[i].name).second) {
      names.push_back(columns_[i].name);
    }
  }
  std::string hint = did_you_mean(expression.text, names);
  if (similar > 1) hint = ", but several that differ in case";
  // "text" in double quotes is a name in SQL; two more bytes than the name show that it was quoted.
  const bool quoted =
      expression.qualifier.empty() && expression.length == expression.text.size() + 2;
  if (hint.empty() && quoted) hint = "; text stands in single quotes, names in double ones";
  if (hint.empty() && names.empty()) hint = ", and no FROM that could have it";
  if (hint.empty() && names.size() <= 12) {
    hint = "; there are:";
    for (const std::string& name : names) hint += " " + name;
  }
  return at_place(refused("there is no column '" + expression.text + "'" + hint), expression);
}

/// A column that has a value at this place is preferred to one of the same name that has none. If
/// only such columns are found, the reason is reported instead of "there is no column".
/// The order of preference: exact spelling with a value here, exact spelling without one (an error
/// that says why), the only column that differs in case at most.
Result<std::size_t> Binder::find_column(const Expression& expression) const {
  std::optional<std::size_t> source;
  if (!expression.qualifier.empty()) {
    PRESSO_ASSIGN(source, find_source(qualifiers_, expression));
  }
  const std::span<const std::size_t> called = columns_called(expression.text);
  std::vector<std::size_t> similar;
  std::vector<std::size_t> found;
  for (const std::size_t i : called) {
    if (!is_meant(i, source)) continue;
    similar.push_back(i);
    if (columns_[i].name == expression.text) found.push_back(i);
  }
  // A column without a value here gives way to another of its name; if all are so, one is kept for
  // its reason.
  const auto is_unusable = [this](std::size_t i) { return !columns_[i].unusable.empty(); };
  if (!std::all_of(found.begin(), found.end(), is_unusable)) std::erase_if(found, is_unusable);
  if (found.empty() && !source) {
    const auto says_why = std::find_if(called.begin(), called.end(), [&](std::size_t i) {
      return is_unusable(i) && columns_[i].name == expression.text;
    });
    if (says_why != called.end()) found.push_back(*says_why);
  }
  if (found.size() > 1) return ambiguous(expression, found);
  if (found.empty()) {
    if (similar.size() != 1) return no_column(expression, source, similar.size());
    found = similar;
  }
  const std::string& unusable = columns_[found[0]].unusable;
  const auto stands_for = columns_[found[0]].stands_for;
  if (expression.qualifier.empty() && stands_for) return *stands_for;
  if (unusable.empty()) return found[0];
  return at_place(refused("'" + expression.text + "' has no value here: " + unusable), expression);
}

/// Asking twice gives one node, as the graph stores equal nodes once.
NodeId Binder::column_value(std::size_t column) const {
  const InputColumn& about = columns_[column];
  return graph_.add(column_node(column, about.schema, about.range, about.nullable));
}

/// A column that USING merged becomes COALESCE of its sources, except where the name is qualified.
/// A name that no column has may be that of a field.
Result<NodeId> Binder::bind_column(const Expression& expression) {
  JsonPath path;
  if (const auto column = field_of(expression, path)) {
    PRESSO_ASSIGN(const NodeId value, bind(*column));
    return path_in(value, path);
  }
  PRESSO_ASSIGN(const std::size_t column, find_column(expression));
  const NodeId value = column_value(column);
  const std::vector<std::size_t>& otherwise = columns_[column].otherwise;
  if (otherwise.empty() || !expression.qualifier.empty()) return value;
  std::vector<NodeId> values = {value};
  for (const std::size_t other : otherwise) values.push_back(column_value(other));
  return build_.coalesce(std::move(values));
}

/// Errors of parts already have a place; at_place() adds this expression's place only to errors
/// without one, so that the innermost place is reported.
Result<NodeId> Binder::bind(const Expression& expression) {
  PRESSO_ASSIGN(const std::optional<NodeId> known, replacement(expression));
  if (known) return *known;
  Result<NodeId> bound = bind_parts(expression);
  if (!bound.ok()) return at_place(std::move(bound.error()), expression);
  return bound;
}

/// `where quantity` of an integer column is refused here; there is no implicit "not zero".
Result<NodeId> Binder::bind_condition(const Expression& expression) {
  PRESSO_ASSIGN(const NodeId bound, bind(expression));
  Result<NodeId> truth = build_.to_bool(bound);
  if (!truth.ok()) return at_place(std::move(truth.error()), expression);
  return truth;
}

/// Whether the expression is CURRENT_DATE or another word of SQL for the present, which needs no
/// parentheses; a column of that name goes first.
bool Binder::is_moment_word(const Expression& expression) const {
  if (!expression.qualifier.empty() || !columns_called(expression.text).empty()) return false;
  const std::string name = lower_name(expression);
  return name == "current_date" || name == "current_timestamp" || name == "localtimestamp";
}

/// Columns and aggregates go through virtual functions, so that subclasses can refuse or replace
/// them.
Result<NodeId> Binder::bind_parts(const Expression& expression) {
  switch (expression.kind) {
    case Kind::kColumn:
      if (is_moment_word(expression)) return build_function(build_, lower_name(expression), {});
      return bind_column(expression);
    case Kind::kStar:
      return refused("'*' stands for all columns, among what is selected and in count(*) only");
    case Kind::kInterval:
      return bind_interval(expression);
    case Kind::kOperator:
      return bind_operator(expression);
    case Kind::kFunction:
      if (is_step_into(expression)) return bind_path(expression);
      if (takes_lambda(expression)) return bind_lambda(*this, expression);
      return is_aggregate(expression) ? bind_aggregate(expression) : bind_function(expression);
    case Kind::kCase:
      return bind_case(expression);
    case Kind::kCast:
      return bind_cast(expression);
    case Kind::kSubquery:
      return refused("a statement in parentheses is not possible here");
    case Kind::kParameter:
      return refused("the parameter $" + expression.text + " has no value");
    default:
      return bind_literal(expression);
  }
}

/// Numbers without an exponent are integers or decimals, which are exact; others are doubles. A
/// TIMESTAMP literal gets the coarsest unit that holds all its digits, so that comparing it with a
/// column of seconds does not force that column to nanoseconds.
Result<NodeId> Binder::bind_literal(const Expression& expression) const {
  const std::string& text = expression.text;
  const Bytes bytes(reinterpret_cast<const Byte*>(text.data()), text.size());
  alignas(16) Byte value[16] = {};
  Node node;
  switch (expression.kind) {
    case Kind::kBool:
      return build_.boolean(text == "true");
    case Kind::kString:
      return build_.string(text);
    case Kind::kNumber: {
      Int128 number = 0;
      unsigned scale = 0;
      if (read_decimal(text, number, scale)) {
        return scale == 0 ? build_.integer(number) : build_.decimal(number, scale);
      }
      double real = 0;
      const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), real);
      if (problem != std::errc() || end != text.data() + text.size()) {
        return refused("the number " + text + " does not fit into a double");
      }
      return build_.real(real);
    }
    case Kind::kDate:
      node.family = Family::kDate;
      if (!read_value(node, bytes, value)) return refused("'" + text + "' is not a date");
      return build_.date(load<std::int64_t>(value));
    case Kind::kTime:
      return bind_timestamp(expression, false);
    default:
      return build_.null();
  }
}

/// A timestamp of the coarsest unit that holds all of its digits. One that does not fit into that
/// unit is a value that can only be compared with others.
Result<NodeId> Binder::bind_timestamp(const Expression& expression, bool compared) const {
  const std::string& text = expression.text;
  const std::size_t point = text.find('.');
  const std::size_t digits = point == text.npos ? 0 : text.size() - point - 1;
  Node type;
  type.family = Family::kTime;
  type.schema = schema_of(Family::kTime);
  type.schema.unit = TimeUnit::kNano;
  for (const TimeUnit unit : {TimeUnit::kMicro, TimeUnit::kMilli, TimeUnit::kSecond}) {
    if (digits <= unit_digits_of(unit)) type.schema.unit = unit;
  }
  const Bytes bytes(reinterpret_cast<const Byte*>(text.data()), text.size());
  const auto moment = read_moment(bytes);
  if (!moment) {
    return refused("'" + text + "' is not a timestamp" +
                   (read_moment(bytes, true)
                        ? " in UTC; with an offset it is timestamptz '" + text + "'"
                        : ""));
  }
  const Int128 units = floor_divide(moment->nanos, nanos_in_unit(type));
  if (!compared && units != static_cast<std::int64_t>(units)) {
    return refused("'" + text + "' does not fit into " + type_name(type.schema));
  }
  return build_.timestamp(units, type.schema.unit);
}

/// An operand of a comparison. A timestamp beyond its unit's 64 bits is allowed here, because it
/// only needs to be compared, and is refused elsewhere.
Result<NodeId> Binder::bind_compared(const Expression& expression) {
  if (expression.kind != Kind::kTime) return bind(expression);
  Result<NodeId> bound = bind_timestamp(expression, true);
  if (!bound.ok()) return at_place(std::move(bound.error()), expression);
  return bound;
}

Result<std::vector<NodeId>> Binder::bind_all(std::span<const Expression> expressions) {
  std::vector<NodeId> bound;
  for (const Expression& expression : expressions) {
    PRESSO_ASSIGN(const NodeId one, bind(expression));
    bound.push_back(one);
  }
  return bound;
}

/// Strings that are compared with literals become tests, which columns answer in their stored form.
/// `<>` is NOT of `=`, so that it profits from that, too.
Result<NodeId> Binder::bind_comparison(Step step, NodeId a, NodeId b) const {
  if (step == Step::kNotEqual) {
    PRESSO_ASSIGN(const NodeId equal, bind_comparison(Step::kEqual, a, b));
    return build_.negation_of(equal);
  }
  const auto is_text = [this](NodeId id) {
    return build_.at(id).family == Family::kString && !build_.at(id).is_null &&
           !interval_of(build_, id);
  };
  const bool literal_first = graph_.is_constant(a);
  const auto kind = string_comparison(step, literal_first);
  if (!kind || !is_text(a) || !is_text(b) || literal_first == graph_.is_constant(b)) {
    return build_.compare(step, a, b);
  }
  StringCondition condition;
  condition.kind = *kind;
  condition.text = build_.at(literal_first ? a : b).text;
  return build_.string_test(literal_first ? b : a, condition);
}

/// Error: the first operand has no common type with one of the others, which it is compared with.
Status Binder::check_alike(const Expression& expression, const std::vector<NodeId>& bound) const {
  const auto described = [&](std::size_t i) {
    return to_text(expression.arguments[i]) + " (" + build_.type_of(bound[i]) + ")";
  };
  for (std::size_t i = 1; i < bound.size(); ++i) {
    if (build_.are_alike(bound[0], bound[i])) continue;
    return refused("cannot compare " + described(0) + " with " + described(i) + "; use cast(...)");
  }
  return {};
}

/// Warns where a column of text is compared with what looks like a number or a date: '9' is
/// greater than '10' then, which is seldom meant.
void Binder::warn_of_text(const Expression& expression, const std::vector<NodeId>& bound) {
  for (std::size_t i = 0; i < bound.size(); ++i) {
    const Expression& column = expression.arguments[i];
    if (column.kind != Kind::kColumn || build_.at(bound[i]).family != Family::kString) continue;
    for (const Expression& other : expression.arguments) {
      if (other.kind != Kind::kString) continue;
      const auto type = meant_type(other.text);
      if (!type) continue;
      const std::string name = to_text(column);
      const bool is_number = *type == "double";
      std::string text = "column " + name + " is text, and is compared byte by byte with what " +
                         (is_number ? "looks like a number" : "looks like a date");
      if (!type->empty()) text += "; cast(" + name + " as " + std::string(*type) + ") makes it one";
      return graph_.warn(std::move(text));
    }
  }
}

/// Operators with several operands (a + b + c) were parsed into one list and are combined from the
/// left here. Expression::negated is the NOT of NOT IN, NOT BETWEEN, NOT LIKE and IS NOT.
Result<NodeId> Binder::bind_operator(const Expression& expression) {
  const auto& operands = expression.arguments;
  const Op op = expression.op;
  if (op == Op::kLike || op == Op::kIlike || op == Op::kMatches) {
    PRESSO_ASSIGN(const NodeId test, bind_text_test(expression));
    return expression.negated ? build_.negation_of(test) : Result<NodeId>(test);
  }
  const bool compares = comparison_of(op) || op == Op::kIn || op == Op::kBetween;
  std::vector<NodeId> bound;
  for (const Expression& operand : operands) {
    PRESSO_ASSIGN(const NodeId one, compares ? bind_compared(operand) : bind(operand));
    bound.push_back(one);
  }
  if (compares) warn_of_text(expression, bound);
  if (const auto comparison = comparison_of(op)) {
    PRESSO_TRY(check_alike(expression, bound));
    if (comparison->swapped) std::swap(bound[0], bound[1]);
    Result<NodeId> compared = bind_comparison(comparison->step, bound[0], bound[1]);
    if (!compared.ok() || !expression.negated) return compared;
    return build_.negation_of(*compared);
  }
  if (const auto step = arithmetic_of(op)) {
    NodeId sum = bound[0];
    for (std::size_t i = 1; i < bound.size(); ++i) {
      PRESSO_ASSIGN(const auto of_interval, interval_arithmetic(build_, *step, sum, bound[i]));
      if (of_interval) {
        sum = *of_interval;
        continue;
      }
      PRESSO_ASSIGN(sum, build_.arithmetic(*step, sum, bound[i]));
    }
    return sum;
  }
  Result<NodeId> result(bound.empty() ? build_.null() : bound[0]);
  switch (op) {
    case Op::kOr:
      return build_.any_of(std::move(bound));
    case Op::kAnd:
      return build_.all_of(std::move(bound));
    case Op::kNot:
      return build_.negation_of(bound[0]);
    case Op::kNegate:
      if (interval_of(build_, bound[0])) {
        PRESSO_ASSIGN(const auto negative,
                      interval_arithmetic(build_, Step::kMultiply, bound[0], build_.integer(-1)));
        return *negative;
      }
      return build_.negate(bound[0]);
    case Op::kConcat:
      if (std::all_of(bound.begin(), bound.end(), [this](NodeId part) {
            return build_.at(part).schema.text == ValueText::kRawJson;
          })) {
        return build_function(build_, "list_concat", std::move(bound));
      }
      for (NodeId& part : bound) part = build_.to_string(part);
      return build_.step(Step::kConcat, Family::kString, std::move(bound));
    case Op::kIsNull:
      result = build_.is_null(bound[0]);
      break;
    case Op::kIn:
      PRESSO_TRY(check_alike(expression, bound));
      result = build_.in(bound[0], {bound.begin() + 1, bound.end()});
      break;
    // Bound once, so the value in the middle is one node and computed once.
    case Op::kBetween: {
      PRESSO_TRY(check_alike(expression, bound));
      PRESSO_ASSIGN(const NodeId low, build_.compare(Step::kLessEqual, bound[1], bound[0]));
      PRESSO_ASSIGN(const NodeId high, build_.compare(Step::kLessEqual, bound[0], bound[2]));
      result = build_.all_of({low, high});
      break;
    }
    default:
      return refused("this operator is not known");
  }
  if (!result.ok() || !expression.negated) return result;
  return build_.negation_of(*result);
}

/// LIKE, ILIKE and MATCHES. The pattern and the ESCAPE character must be literals, because the test
/// is compiled once for the whole query. Errors within a pattern point into the literal.
Result<NodeId> Binder::bind_text_test(const Expression& expression) {
  const auto& operands = expression.arguments;
  PRESSO_ASSIGN(const NodeId text, bind(operands[0]));
  PRESSO_ASSIGN(const NodeId pattern, bind(operands[1]));
  const Node& literal = build_.at(pattern);
  if (!graph_.is_constant(pattern) ||
      (literal.family != Family::kString && literal.family != Family::kNull)) {
    return at_place(refused("the pattern must be a string in single quotes"), operands[1]);
  }
  if (literal.is_null) return build_.to_bool(build_.null());
  StringCondition condition;
  condition.kind = expression.op == Op::kLike    ? StringCondition::Kind::kLike
                   : expression.op == Op::kIlike ? StringCondition::Kind::kIlike
                                                 : StringCondition::Kind::kMatches;
  condition.text = literal.text;
  if (operands.size() > 2) {
    PRESSO_ASSIGN(const NodeId escape, bind(operands[2]));
    const Node& given = build_.at(escape);
    if (!graph_.is_constant(escape) || given.family != Family::kString || given.text.size() > 1) {
      return at_place(refused("ESCAPE takes one ASCII character in single quotes"), operands[2]);
    }
    condition.has_escape = !given.text.empty();
    condition.escape = given.text.empty() ? '\0' : given.text[0];
  }
  Result<NodeId> test = build_.string_test(text, condition);
  if (!test.ok()) {
    Error error = std::move(test.error());
    // Errors count from the pattern's first character, which follows the opening quote.
    if (error.byte_offset != Error::kNone) error.byte_offset += operands[1].offset + 1;
    return at_place(std::move(error), operands[1]);
  }
  return test;
}

/// INTERVAL '3' MONTH, or the text of several amounts.
Result<NodeId> Binder::bind_interval(const Expression& expression) const {
  const auto interval = read_interval(expression.text + ' ' + expression.type);
  constexpr std::int64_t kMost = 120'000'000'000;  // months of ten billion years
  if (!interval || interval->months > kMost || interval->months < -kMost) {
    return at_place(refused("'" + expression.text + "' is not an interval, such as '3 days'"),
                    expression);
  }
  return interval_node(build_, *interval);
}

/// Without ELSE the value is null, as in SQL. `CASE x WHEN y` was turned into `x = y` by the
/// parser.
Result<NodeId> Binder::bind_case(const Expression& expression) {
  std::vector<NodeId> whens;
  std::vector<NodeId> thens;
  const auto& parts = expression.arguments;
  for (std::size_t i = 0; i + 1 < parts.size(); i += 2) {
    PRESSO_ASSIGN(const NodeId when, bind_condition(parts[i]));
    PRESSO_ASSIGN(const NodeId then, bind(parts[i + 1]));
    whens.push_back(when);
    thens.push_back(then);
  }
  NodeId otherwise = build_.null();
  if (parts.size() % 2 == 1) {
    PRESSO_ASSIGN(otherwise, bind(parts.back()));
  }
  return build_.choose(std::move(whens), std::move(thens), otherwise);
}

/// A time of day is the interval since midnight, which prints, sorts and compares in the same way.
Result<NodeId> Binder::bind_time_of_day(NodeId value) {
  constexpr std::int64_t kMicrosPerDay = 86'400'000'000;
  const Node& node = build_.at(value);
  const auto written = read_interval(node.text);
  const bool is_clock = node.family == Family::kString && graph_.is_constant(value) && written &&
                        written->months == 0 && written->days == 0 && written->micros >= 0 &&
                        written->micros < kMicrosPerDay;
  if (is_clock) return interval_node(build_, *written);
  if (node.family != Family::kTime) {
    return refused(build_.type_of(value) +
                   " is not cast to a time; timestamps and literals such as '10:30:00' are");
  }
  const ColumnSchema type = node.schema;
  PRESSO_ASSIGN(const NodeId date, build_.cast(value, schema_of(Family::kDate)));
  PRESSO_ASSIGN(const NodeId midnight, build_.cast(date, type));
  PRESSO_ASSIGN(const auto since, interval_arithmetic(build_, Step::kSubtract, value, midnight));
  return *since;
}

/// A type whose name is unknown is an error of parse_sql_type(), which lists the types.
Result<NodeId> Binder::bind_cast(const Expression& expression) {
  PRESSO_ASSIGN(const NodeId value, bind(expression.arguments[0]));
  if (expression.type == "interval") {
    if (interval_of(build_, value)) return value;
    const auto written = read_interval(build_.at(value).text);
    if (graph_.is_constant(value) && written) return interval_node(build_, *written);
    return refused("only a literal such as '3 days' is cast to an interval");
  }
  if (expression.type == "time") return bind_time_of_day(value);
  if (expression.type == "json") {
    PRESSO_ASSIGN(const auto json, build_json_function(build_, "json", {value}));
    return *json;
  }
  PRESSO_ASSIGN(const ColumnSchema type, parse_sql_type(expression.type));
  return expression.distinct ? build_.try_cast(value, type) : build_.cast(value, type);
}

/// Arguments are bound before the name is looked up, so an error in an argument is reported first.
Result<NodeId> Binder::bind_function(const Expression& expression) {
  PRESSO_ASSIGN(std::vector<NodeId> arguments, bind_all(expression.arguments));
  const std::string& name = expression.text;
  PRESSO_ASSIGN(const auto json, build_json_function(build_, name, arguments));
  if (json) return *json;
  return build_function(build_, name, std::move(arguments));
}

}  // namespace presso::query
