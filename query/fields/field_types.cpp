// SPDX-License-Identifier: MIT
// FieldTyper goes through the tree once. What it cannot know by the kind of a node, such as the
// type of a function's result or which types a function takes, it asks the binder, on a graph that
// is thrown away. So it has no list of functions, and knows those that will be added.
#include "query/fields/field_types.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "query/compute/intervals.h"
#include "query/compute/written_value.h"
#include "query/expression/parser.h"

namespace presso::query {
namespace {

using Kind = Expression::Kind;
using Op = Expression::Op;

/// How an expression is used; kTime is a text that is cast. kAny: nothing is known.
enum class Use : Byte { kAny, kText, kNumber, kWhole, kTruth, kTime, kNested };

/// Functions of which each argument may be the result, so that a word in double quotes is a field.
constexpr std::array<std::string_view, 7> kChoosing = {"coalesce", "ifnull", "nullif", "greatest",
                                                       "least",    "if",     "concat"};
/// Functions that count elements of a list, and characters of a text.
constexpr std::array<std::string_view, 3> kMeasures = {"len", "length", "array_length"};
/// Beyond it a double does not hold every whole number.
constexpr Int128 kMostExact = Int128{1} << 53;
/// Types of a function's arguments are tried one by one up to this number of fields, otherwise
/// together.
constexpr std::size_t kMostTried = 3;

bool is_moment_word(const Expression& e) {
  if (e.kind != Kind::kColumn || !e.qualifier.empty()) return false;
  const std::string name = expression_detail::lower_case(e.text);
  return name == "current_date" || name == "current_timestamp" || name == "localtimestamp";
}

bool is_order(Op op) {
  return op == Op::kLess || op == Op::kLessEqual || op == Op::kGreater || op == Op::kGreaterEqual ||
         op == Op::kBetween;
}

bool is_comparison(Op op) {
  return is_order(op) || op == Op::kEqual || op == Op::kNotEqual || op == Op::kIn ||
         op == Op::kIsDistinct;
}

bool is_arithmetic(Op op) {
  return op == Op::kAdd || op == Op::kSubtract || op == Op::kMultiply || op == Op::kDivide ||
         op == Op::kIntegerDivide || op == Op::kModulo || op == Op::kNegate;
}

/// `e` with the place of `like`.
Expression placed(Expression e, const Expression& like) {
  e.offset = like.offset;
  e.length = like.length;
  return e;
}

/// The value of a literal without a fraction, with its sign.
std::optional<Int128> whole_literal(const Expression& e) {
  if (e.kind == Kind::kOperator && e.op == Op::kNegate) {
    const auto value = whole_literal(e.arguments[0]);
    return value ? std::optional(-*value) : std::nullopt;
  }
  Int128 number = 0;
  unsigned scale = 0;
  const bool is_whole =
      e.kind == Kind::kNumber && read_decimal(e.text, number, scale) && scale == 0;
  return is_whole ? std::optional(number) : std::nullopt;
}

class FieldTyper {
 public:
  explicit FieldTyper(std::string_view text) : text_(text) {}

  Result<Expression> typed(const Expression& e, Use use);
  std::vector<TypedField> take_fields() { return std::move(fields_); }
  std::vector<std::string> take_warnings() { return std::move(warnings_); }

 private:
  bool is_field(const Expression& e) const;
  bool names_fields(const Expression& e) const;
  bool is_quoted_word(const Expression& e) const;
  Expression as_text(const Expression& e) const;
  Result<FieldPath> path_of(const Expression& e) const;
  Result<Expression> field(const Expression& e, Use use);
  Result<Expression> parts(const Expression& e, Use use);
  Result<Expression> operation(const Expression& e, Use use);
  Result<Expression> comparison(Expression e);
  Result<Expression> compared_fields(const Expression& e);
  Result<Use> type_others(Expression& e);
  Status type_fields(Expression& e, Use use);
  void warn_of_order(const Expression& e);
  void warn_of_words(const Expression& e);
  Result<Expression> arithmetic(Expression e);
  Result<Expression> function(Expression e, Use use);
  Result<Expression> measure(const Expression& e);
  Result<NodeId> bind(const Expression& e, Graph& graph) const;
  Result<Use> use_of(const Expression& typed) const;

  std::string_view text_;
  std::vector<TypedField> fields_;
  std::vector<std::string> warnings_;
};

bool FieldTyper::is_field(const Expression& e) const {
  const Expression* base = &e;
  while (is_step_into(*base)) base = &base->arguments[0];
  return base->kind == Kind::kColumn && !is_moment_word(*base);
}

bool FieldTyper::names_fields(const Expression& e) const {
  return is_field(e) || std::any_of(e.arguments.begin(), e.arguments.end(),
                                    [this](const Expression& part) { return names_fields(part); });
}

/// Whether it is a name in double quotes; one in backquotes is always a field's.
bool FieldTyper::is_quoted_word(const Expression& e) const {
  return e.kind == Kind::kColumn && e.qualifier.empty() && e.offset < text_.size() &&
         text_[e.offset] == '"';
}

Expression FieldTyper::as_text(const Expression& e) const {
  return is_quoted_word(e) ? placed(string(e.text), e) : e;
}

/// The keys and places that lead to a field. Keys that are all written with points are also meant
/// as one key.
Result<FieldPath> FieldTyper::path_of(const Expression& e) const {
  FieldPath path;
  const Expression* base = &e;
  bool has_brackets = false;
  for (; is_step_into(*base); base = &base->arguments[0]) {
    PRESSO_ASSIGN(JsonStep step, step_of(base->arguments[1]));
    has_brackets = has_brackets || base->text == kElementCall;
    path.steps.push_back(std::move(step));
  }
  path.steps.push_back({JsonStep::Kind::kKey, base->text, 0});
  if (!base->qualifier.empty()) path.steps.push_back({JsonStep::Kind::kKey, base->qualifier, 0});
  std::reverse(path.steps.begin(), path.steps.end());
  if (path.steps.size() == 1 || has_brackets) return path;
  for (const JsonStep& step : path.steps) {
    path.joined += (path.joined.empty() ? "" : ".") + step.key;
  }
  return path;
}

/// The column that stands for a field.
Result<Expression> FieldTyper::field(const Expression& e, Use use) {
  TypedField wanted;
  PRESSO_ASSIGN(wanted.path, path_of(e));
  wanted.type = use == Use::kNumber   ? FieldType::kNumber
                : use == Use::kWhole  ? FieldType::kWhole
                : use == Use::kTruth  ? FieldType::kTruth
                : use == Use::kNested ? FieldType::kNested
                                      : FieldType::kText;
  wanted.written = text_.substr(e.offset, e.length);
  const auto known = std::find_if(fields_.begin(), fields_.end(), [&](const TypedField& each) {
    return each.type == wanted.type && each.path == wanted.path;
  });
  const auto number = static_cast<std::size_t>(known - fields_.begin());
  if (known == fields_.end()) fields_.push_back(std::move(wanted));
  Expression column = placed(presso::column("##" + std::to_string(number)), e);
  if (use != Use::kTime) return column;
  Expression cast = placed({}, e);
  cast.kind = Kind::kCast;
  cast.type = "timestamptz";
  cast.distinct = true;
  cast.arguments.push_back(std::move(column));
  return cast;
}

Result<NodeId> FieldTyper::bind(const Expression& e, Graph& graph) const {
  const std::vector<InputColumn> columns = columns_of(fields_);
  Binder binder(graph, columns);
  return binder.bind(e);
}

/// How a field would have to be used to be like this expression.
Result<Use> FieldTyper::use_of(const Expression& typed) const {
  Graph graph;
  PRESSO_ASSIGN(const NodeId bound, bind(typed, graph));
  if (interval_of(Builder(graph), bound)) return Use::kTime;
  switch (graph.at(bound).family) {
    case Family::kBool:
      return Use::kTruth;
    case Family::kInteger:
    case Family::kDecimal:
    case Family::kDouble:
      return Use::kNumber;
    case Family::kDate:
    case Family::kTime:
      return Use::kTime;
    case Family::kString:
      return Use::kText;
    default:
      return Use::kAny;
  }
}

Result<Expression> FieldTyper::typed(const Expression& e, Use use) {
  if (is_field(e)) return field(e, use);
  switch (e.kind) {
    case Kind::kOperator:
      return operation(e, use);
    case Kind::kFunction:
      return function(e, use);
    case Kind::kCast:
      return parts(e, Use::kText);
    case Kind::kCase: {
      Expression result = e;
      for (std::size_t i = 0; i < e.arguments.size(); ++i) {
        const bool is_when = i % 2 == 0 && i + 1 < e.arguments.size();
        PRESSO_ASSIGN(result.arguments[i], typed(e.arguments[i], is_when ? Use::kTruth : use));
      }
      return result;
    }
    default:
      return e;
  }
}

/// The expression with each of its parts typed for the same use.
Result<Expression> FieldTyper::parts(const Expression& e, Use use) {
  Expression result = e;
  for (Expression& part : result.arguments) {
    PRESSO_ASSIGN(part, typed(part, use));
  }
  return result;
}

Result<Expression> FieldTyper::operation(const Expression& e, Use use) {
  if (is_comparison(e.op)) return comparison(e);
  if (is_arithmetic(e.op)) return arithmetic(e);
  switch (e.op) {
    case Op::kAnd:
    case Op::kOr:
    case Op::kNot:
      return parts(e, Use::kTruth);
    case Op::kIsNull:
    case Op::kLike:
    case Op::kIlike:
    case Op::kMatches:
    case Op::kConcat:
      return parts(e, Use::kText);
    default:
      return parts(e, use);
  }
}

/// Types the operands that are no fields, and says which use they ask for. Literals go before
/// functions, whose result may depend on the types of fields.
Result<Use> FieldTyper::type_others(Expression& e) {
  Use use = Use::kAny;
  bool all_whole = true;
  bool is_large = false;
  for (const bool with_fields : {false, true}) {
    for (Expression& operand : e.arguments) {
      if (is_field(operand) || names_fields(operand) != with_fields) continue;
      const auto whole = whole_literal(operand);
      all_whole = all_whole && whole;
      is_large = is_large || (whole && (*whole >= kMostExact || *whole <= -kMostExact));
      PRESSO_ASSIGN(operand, typed(operand, use));
      if (use != Use::kAny) continue;
      PRESSO_ASSIGN(use, use_of(operand));
    }
  }
  return use == Use::kNumber && all_whole && is_large ? Use::kWhole : use;
}

/// Replaces operands that are fields by their columns.
Status FieldTyper::type_fields(Expression& e, Use use) {
  for (Expression& operand : e.arguments) {
    if (!is_field(operand)) continue;
    PRESSO_ASSIGN(operand, field(operand, use));
  }
  return {};
}

/// Warns where text is put in order with what looks like a number, as '9' is greater than '10'.
void FieldTyper::warn_of_order(const Expression& e) {
  for (const Expression& operand : e.arguments) {
    if (operand.kind != Kind::kString || meant_type(operand.text) != "double") continue;
    warnings_.push_back("'" + operand.text +
                        "' is text, so values are compared byte by byte; without quotes it is a "
                        "number");
    return;
  }
}

/// Warns where a field is compared with a bare word, since shells take quotes away, and people
/// leave them out.
void FieldTyper::warn_of_words(const Expression& e) {
  for (std::size_t i = 1; i < e.arguments.size(); ++i) {
    const Expression& word = e.arguments[i];
    const bool is_bare = word.kind == Kind::kColumn && word.qualifier.empty() && is_field(word) &&
                         text_.substr(word.offset, word.length) == word.text;
    if (!is_bare || !is_field(e.arguments[0])) continue;
    warnings_.push_back(word.text + " is a field here; text stands in quotes: '" + word.text + "'");
  }
}

/// Fields among the operands are used as the others ask for.
Result<Expression> FieldTyper::comparison(Expression e) {
  if (names_fields(e.arguments[0])) {
    for (std::size_t i = 1; i < e.arguments.size(); ++i) e.arguments[i] = as_text(e.arguments[i]);
  }
  warn_of_words(e);
  const bool only_fields = std::all_of(e.arguments.begin(), e.arguments.end(),
                                       [this](const Expression& one) { return is_field(one); });
  if (only_fields) return compared_fields(e);
  PRESSO_ASSIGN(const Use use, type_others(e));
  if (use == Use::kText && is_order(e.op)) warn_of_order(e);
  PRESSO_TRY(type_fields(e, use));
  return e;
}

/// Fields alone: as numbers where both of a pair are, otherwise as text.
Result<Expression> FieldTyper::compared_fields(const Expression& e) {
  const auto pair = [&](Op op, std::size_t other) {
    Expression one = presso::operation(op, {e.arguments[0], e.arguments[other]});
    return placed(std::move(one), e);
  };
  if (e.op == Op::kBetween || e.op == Op::kIn) {
    std::vector<Expression> pairs;
    for (std::size_t i = 1; i < e.arguments.size(); ++i) {
      pairs.push_back(pair(e.op == Op::kIn ? Op::kEqual
                           : i == 1        ? Op::kGreaterEqual
                                           : Op::kLessEqual,
                           i));
    }
    Expression all = std::move(pairs[0]);
    if (pairs.size() > 1) {
      pairs[0] = std::move(all);
      all = presso::operation(e.op == Op::kIn ? Op::kOr : Op::kAnd, std::move(pairs));
    }
    if (e.negated) all = presso::operation(Op::kNot, {std::move(all)});
    return typed(placed(std::move(all), e), Use::kTruth);
  }
  PRESSO_ASSIGN(Expression texts, parts(e, Use::kText));
  if (e.op == Op::kIsDistinct) return texts;
  PRESSO_ASSIGN(Expression numbers, parts(e, Use::kNumber));
  std::vector<Expression> are_numbers;
  for (const Expression& number : numbers.arguments) {
    are_numbers.push_back(presso::operation(Op::kIsNull, {number}));
    are_numbers.back().negated = true;
  }
  Expression choice = placed({}, e);
  choice.kind = Kind::kCase;
  choice.arguments = {presso::operation(Op::kAnd, std::move(are_numbers)), std::move(numbers),
                      std::move(texts)};
  return choice;
}

/// Numbers, unless another operand is a moment or an interval.
Result<Expression> FieldTyper::arithmetic(Expression e) {
  PRESSO_ASSIGN(const Use beside, type_others(e));
  PRESSO_TRY(type_fields(e, beside == Use::kTime ? Use::kTime : Use::kNumber));
  return e;
}

/// len(x) is the number of elements where x is a list, and of characters where it is text.
Result<Expression> FieldTyper::measure(const Expression& e) {
  PRESSO_ASSIGN(Expression list, parts(e, Use::kNested));
  PRESSO_ASSIGN(Expression text, parts(e, Use::kText));
  text.text = "length";
  Expression choice = placed({}, e);
  choice.kind = Kind::kCase;
  Expression is_list = presso::operation(Op::kIsNull, {list.arguments[0]});
  is_list.negated = true;
  choice.arguments = {std::move(is_list), std::move(list), std::move(text)};
  return choice;
}

/// Fields among the arguments get the first types that the function takes.
Result<Expression> FieldTyper::function(Expression e, Use use) {
  const auto is_among = [&](const auto& names) {
    return std::find(names.begin(), names.end(), e.text) != names.end();
  };
  if (e.text == kParameterCall || e.text == kLambdaCall) return e;
  if (is_aggregate(e)) return e;
  if (is_among(kMeasures) && e.arguments.size() == 1 && is_field(e.arguments[0])) return measure(e);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < e.arguments.size(); ++i) {
    if (i > 0 && !is_among(kChoosing)) e.arguments[i] = as_text(e.arguments[i]);
    if (is_field(e.arguments[i])) {
      places.push_back(i);
    } else {
      PRESSO_ASSIGN(e.arguments[i], typed(e.arguments[i], Use::kAny));
    }
  }
  if (places.empty()) return e;
  std::vector<Use> uses = {Use::kText, Use::kNumber, Use::kTime, Use::kNested, Use::kTruth};
  if (const auto first = std::find(uses.begin(), uses.end(), use); first != uses.end()) {
    std::rotate(uses.begin(), first, first + 1);
  }
  const std::size_t digits = places.size() <= kMostTried ? places.size() : 1;
  std::size_t choices = 1;
  for (std::size_t i = 0; i < digits; ++i) choices *= uses.size();
  std::optional<Error> first_error;
  for (std::size_t choice = 0; choice < choices; ++choice) {
    const std::size_t known_fields = fields_.size();
    Expression attempt = e;
    std::size_t rest = choice;
    for (const std::size_t place : places) {
      const Use chosen = uses[digits == 1 ? choice : rest % uses.size()];
      rest /= uses.size();
      PRESSO_ASSIGN(attempt.arguments[place], field(e.arguments[place], chosen));
    }
    Graph graph;
    const Result<NodeId> bound = bind(attempt, graph);
    if (bound.ok()) return attempt;
    if (!first_error) {
      first_error = bound.error();
      first_error->what = with_field_names(first_error->what, fields_);
    }
    fields_.resize(known_fields);
  }
  return *first_error;
}

ColumnSchema schema_for(FieldType type) {
  switch (type) {
    case FieldType::kNumber:
      return schema_of(Family::kDouble);
    case FieldType::kWhole:
      return schema_of(Family::kDecimal, 0);
    case FieldType::kTruth:
      return schema_of(Family::kBool);
    default: {
      ColumnSchema text = schema_of(Family::kString);
      if (type == FieldType::kNested) text.text = ValueText::kRawJson;
      return text;
    }
  }
}

}  // namespace

std::vector<InputColumn> columns_of(const std::vector<TypedField>& fields) {
  std::vector<InputColumn> columns;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    InputColumn& column = columns.emplace_back();
    column.name = "##" + std::to_string(i);
    column.schema = schema_for(fields[i].type);
  }
  return columns;
}

std::size_t field_number(const Expression& column) {
  return std::stoul(column.text.substr(2));
}

std::string with_field_names(std::string text, const std::vector<TypedField>& fields) {
  for (std::size_t i = fields.size(); i-- > 0;) {
    const std::string plain = "##" + std::to_string(i);
    for (const std::string& name : {"\"" + plain + "\"", plain}) {
      for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at)) {
        text.replace(at, name.size(), fields[i].written);
        at += fields[i].written.size();
      }
    }
  }
  return text;
}

Result<TypedCondition> typed_condition(std::string_view text) {
  expression_detail::Parser parser(text);
  parser.allow_quoted_patterns();
  PRESSO_ASSIGN(const expression_detail::Node parsed, parser.expression());
  if (!parser.done()) return parser.no_operator("an operator or the end");
  FieldTyper typer(text);
  PRESSO_ASSIGN(Expression expression, typer.typed(parsed->tree, Use::kTruth));
  return TypedCondition{std::move(expression), typer.take_fields(), typer.take_warnings()};
}

}  // namespace presso::query
