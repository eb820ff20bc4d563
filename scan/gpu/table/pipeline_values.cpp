// SPDX-License-Identifier: MIT
// PipelineBuilder: columns and expressions as values of a program, and where they are null.
#include <algorithm>
#include <bit>
#include <limits>

#include "scan/gpu/table/node_width.h"
#include "scan/gpu/table/pipeline_builder.h"

namespace presso::gpu {
namespace {

using query::Node;
using query::NodeId;
using query::Physical;
using query::Step;
using Kind = PipelineStep::Kind;

constexpr unsigned kFactorsOfInt64 = 18;  ///< powers of ten up to here are below 2^63

bool fits_int64(query::Int128 value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

}  // namespace

Result<std::size_t> PipelineBuilder::append(Value value) {
  if (values_.size() == kMostPipelineSteps) return refused("expressions of more than 96 steps");
  values_.push_back(std::move(value));
  return values_.size() - 1;
}

Result<std::size_t> PipelineBuilder::append(Kind kind, std::size_t a, std::size_t b, bool is_wide) {
  Value value;
  value.step.kind = kind;
  value.from = {a, b};
  value.is_wide = is_wide;
  return append(std::move(value));
}

Result<std::size_t> PipelineBuilder::append_constant(Kind kind, std::size_t a,
                                                     std::int64_t constant, bool is_wide) {
  Value value;
  value.step.kind = kind;
  value.step.b_is_constant = true;
  value.step.constant = constant;
  value.from = {a, a};
  value.is_wide = is_wide;
  return append(std::move(value));
}

Result<std::size_t> PipelineBuilder::load(std::size_t table_column, Kind kind,
                                          std::int64_t null_value, bool is_wide) {
  PRESSO_ASSIGN(const Byte column, column_of(table_column));
  const auto known = loads_.find({column, null_value});
  if (known != loads_.end() && kind == Kind::kLoad) return known->second;
  Value value;
  value.step.kind = kind;
  value.step.column = column;
  value.step.constant = null_value;
  value.is_wide = is_wide || !is_narrow(null_value);
  PRESSO_ASSIGN(const std::size_t number, append(std::move(value)));
  if (kind == Kind::kLoad) loads_[{column, null_value}] = number;
  return number;
}

std::optional<std::int64_t> null_number(const Node& node) {
  if (node.physical == Physical::kDouble) return kNullReal;
  if (!node.range.known) return std::nullopt;
  if (node.range.most < std::numeric_limits<std::int64_t>::max()) {
    return static_cast<std::int64_t>(node.range.most) + 1;
  }
  if (node.range.least <= std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  return static_cast<std::int64_t>(node.range.least) - 1;
}

const Node* PipelineBuilder::column_node(std::size_t column) const {
  const auto found =
      std::find_if(graph_->nodes().begin(), graph_->nodes().end(), [column](const Node& node) {
        return node.kind == Node::Kind::kColumn && node.column == column;
      });
  return found == graph_->nodes().end() ? nullptr : &*found;
}

/// Of a column that may be null; else nullptr.
const Node* PipelineBuilder::nullable_node(std::size_t column) const {
  const auto found =
      std::find_if(graph_->nodes().begin(), graph_->nodes().end(), [column](const Node& node) {
        return node.kind == Node::Kind::kColumn && node.column == column && node.nullable;
      });
  return found == graph_->nodes().end() ? nullptr : &*found;
}

namespace {

/// Whether a step may have a value though an argument is null, or be null though none is.
bool is_lenient(Step step) {
  return step == Step::kAnd || step == Step::kOr || step == Step::kCase ||
         step == Step::kCoalesce || step == Step::kIsDistinct || step == Step::kIsNull;
}

}  // namespace

/// Columns without which, and only without which, the node is null.
Status PipelineBuilder::collect_columns(NodeId id, std::set<std::size_t>& columns) {
  const Node& node = graph_->at(id);
  if (node.kind == Node::Kind::kColumn) columns.insert(node.column);
  if (node.kind != Node::Kind::kStep) return {};
  if (is_lenient(node.step)) {
    if (!node.nullable) return {};
    // What is looked up is null where its column is: that was tried.
    PRESSO_TRY(value_of(id));
    if (!looked_up_.contains({graph_, id})) return refused("what is null by more than its columns");
    for (const std::size_t column : graph_->columns_of({id})) columns.insert(column);
    return {};
  }
  for (const NodeId argument : node.arguments) PRESSO_TRY(collect_columns(argument, columns));
  return {};
}

/// By the columns, in the pipeline's numbers, that may be null and without which the node is null;
/// those of joined tables, and strings that the device has numbered, have another number in place
/// of nulls.
Result<PipelineBuilder::Validity> PipelineBuilder::validity_of(NodeId id) {
  std::set<std::size_t> all;
  PRESSO_TRY(collect_columns(id, all));
  Validity valid;
  std::set<std::size_t> joined;
  for (const std::size_t column : all) {
    const Node* const nullable = nullable_node(column);
    if (stage_of(column) || strings_.known_strings(column_of_query(column)) != nullptr) {
      if (nullable != nullptr) joined.insert(column);
      continue;
    }
    PRESSO_ASSIGN(const Byte number, column_of(table_column(column)));
    if (nullable != nullptr)
      valid.columns = static_cast<std::uint16_t>(valid.columns | 1u << number);
  }
  if (joined.empty()) return valid;
  const auto known = truths_.find(joined);
  if (known != truths_.end()) {
    valid.truth = known->second;
    return valid;
  }
  for (const std::size_t column : joined) {
    const Node& node = *nullable_node(column);
    RowColumn wanted;
    if (KeyStrings* const strings = strings_.known_strings(column_of_query(column))) {
      wanted = numbered(node, *strings);
    } else {
      PRESSO_ASSIGN(wanted, row_column(node));
    }
    PRESSO_ASSIGN(const std::size_t value, column_value(wanted));
    PRESSO_ASSIGN(const std::size_t truth,
                  append_constant(Kind::kNotEqual, value, *wanted.null_value, false));
    if (valid.truth) {
      PRESSO_ASSIGN(valid.truth, append(Kind::kMultiply, *valid.truth, truth, false));
    } else {
      valid.truth = truth;
    }
  }
  truths_[joined] = *valid.truth;
  return valid;
}

/// A value that is true where the node with that validity, which is not everywhere, has one.
Result<std::size_t> PipelineBuilder::program_truth(const Validity& valid) {
  std::optional<std::size_t> all = valid.truth;
  for (std::uint32_t column = 0; column < columns_.size(); ++column) {
    if ((valid.columns >> column & 1) == 0) continue;
    const std::size_t own = columns_[column];
    const Node& node = *nullable_node(is_scan_ ? own : own + execution_.first_column);
    PRESSO_ASSIGN(RowColumn wanted, row_column(node));
    if (!wanted.null_value) wanted = with_null(node, null_number(node));
    if (!wanted.null_value) return refused("columns that may be null or anything, in a program");
    PRESSO_ASSIGN(const std::size_t value, column_value(wanted));
    PRESSO_ASSIGN(std::size_t truth,
                  append_constant(Kind::kNotEqual, value, *wanted.null_value, false));
    if (all) {
      PRESSO_ASSIGN(truth, append(Kind::kMultiply, *all, truth, false));
    }
    all = truth;
  }
  return *all;
}

/// The same, and the program is told which rows the columns have.
Result<PipelineBuilder::Validity> PipelineBuilder::program_validity(NodeId id) {
  PRESSO_ASSIGN(const Validity valid, validity_of(id));
  nullable_ = static_cast<std::uint16_t>(nullable_ | valid.columns);
  return valid;
}

/// As BoundQuery::columns numbers it.
std::size_t PipelineBuilder::column_of_query(std::size_t column) const {
  return is_scan_ ? column + execution_.first_column : column;
}

/// What is wanted of a column: the numbers of strings. Of the table's own columns other bits say
/// where they are null.
Result<RowColumn> PipelineBuilder::row_column(const Node& node) {
  const Node* const nullable = stage_of(node.column) ? nullable_node(node.column) : nullptr;
  if (node.physical == Physical::kString) {
    PRESSO_ASSIGN(const query::KeyCodes* const codes, strings_.of(column_of_query(node.column)));
    if (codes == nullptr) return refused("strings that are not stored as dictionaries");
    const auto null_number = static_cast<std::int64_t>(codes->null_number());
    // Under a null of the table's own there may be any code.
    const bool has_nulls = nullable_node(node.column) != nullptr;
    return RowColumn{node.column, codes, has_nulls ? std::optional(null_number) : std::nullopt,
                     false};
  }
  if (node.physical != Physical::kInt64 && node.physical != Physical::kDouble) {
    return refused("columns that are neither numbers of 64 bits nor strings");
  }
  if (nullable == nullptr) return with_null(node, {});
  const auto null_value = null_number(*nullable);
  if (!null_value) return refused("columns of joined tables that may be null or anything");
  return with_null(node, null_value);
}

/// Of strings that the device has numbered.
RowColumn PipelineBuilder::numbered(const Node& column, KeyStrings& strings) {
  RowColumn wanted;
  wanted.column = column.column;
  wanted.strings = &strings;
  wanted.null_value = strings.null_number();
  return wanted;
}

RowColumn PipelineBuilder::with_null(const Node& column, std::optional<std::int64_t> null_value) {
  return {column.column, nullptr, null_value,
          is_wide(column) || (null_value && !is_narrow(*null_value)),
          column.physical == Physical::kDouble};
}

/// Of the table, or gathered from the rows that were joined to its own.
Result<std::size_t> PipelineBuilder::column_value(const RowColumn& column) {
  if (const auto stage = stage_of(column.column)) return gathered(stages_[*stage], column);
  if (column.codes != nullptr && column.codes->is_by_rows()) {
    return code_of_row({0, column.codes, {}}, column.codes->null_number());
  }
  if (column.strings != nullptr) {
    PRESSO_ASSIGN(const RowArray there,
                  strings_.numbers_of(column_of_query(column.column), *column.strings));
    reads_numbers_ = true;
    return code_of_row({0, nullptr, there}, *column.null_value);
  }
  const std::size_t own = table_column(column.column);
  const Kind kind = column.codes != nullptr ? Kind::kLoadCode : Kind::kLoad;
  const ColumnSchema& schema = execution_.query.columns[column_of_query(column.column)].schema;
  const bool is_float = schema.type == ColumnType::kFloat;
  const std::int64_t null_value = is_float ? kNoFloat : column.null_value.value_or(0);
  PRESSO_ASSIGN(const std::size_t value, load(own, kind, null_value, column.is_wide));
  PipelineStep& step = values_[value].step;
  if (column.codes != nullptr) codes_[step.column] = column.codes;
  if (column.null_value) nullable_ = static_cast<std::uint16_t>(nullable_ | 1u << step.column);
  if (is_float) return real_of_float(value);
  step.b_is_constant = column.is_real && column.null_value;
  return value;
}

Result<std::size_t> PipelineBuilder::value_of(NodeId id) {
  const auto known = known_.find({graph_, id});
  if (known != known_.end()) return known->second;
  const Node& node = graph_->at(id);
  if (node.physical != Physical::kInt64 && node.physical != Physical::kBool &&
      node.physical != Physical::kDouble) {
    return refused("values that are no numbers of 64 bits");
  }
  Result<std::size_t> made = refused("constants alone");
  if (node.kind == Node::Kind::kColumn) {
    if (node.physical == Physical::kBool) return refused("columns of truth values");
    PRESSO_ASSIGN(const RowColumn column, row_column(node));
    made = column_value(column);
  } else if (node.kind == Node::Kind::kStep) {
    made = value_of_step(id);
  }
  if (made.ok()) known_[{graph_, id}] = *made;
  return made;
}

std::optional<std::int64_t> PipelineBuilder::constant_of(NodeId id) const {
  const Node& of = graph_->at(id);
  const bool is_number = of.kind == Node::Kind::kConstant && !of.is_null &&
                         (of.physical == Physical::kInt64 || of.physical == Physical::kBool);
  if (!is_number || !fits_int64(of.integer)) return std::nullopt;
  return static_cast<std::int64_t>(of.integer);
}

/// What the column's values are, if they are few.
Result<ValueDomain> PipelineBuilder::domain_of(const Node& column) {
  constexpr std::uint64_t kMostValues = std::uint64_t{1} << 20;
  ValueDomain domain;
  domain.column = column.column;
  domain.nullable = nullable_node(column.column) != nullptr;
  if (column.physical == Physical::kString) {
    PRESSO_ASSIGN(domain.codes, strings_.of(column_of_query(column.column)));
    if (domain.codes == nullptr) return refused("strings that are not stored as dictionaries");
    return domain;
  }
  if (column.physical != Physical::kInt64 || !column.range.known ||
      column.range.most - column.range.least > query::Int128{kMostValues}) {
    return refused("an expression that GPUs do not compute yet");
  }
  domain.least = static_cast<std::int64_t>(column.range.least);
  domain.count = static_cast<std::uint64_t>(column.range.most - column.range.least) + 1;
  return domain;
}

/// An expression of one column, which has few values: it is looked up.
Result<std::size_t> PipelineBuilder::value_by_table(NodeId id) {
  const std::vector<std::size_t> columns = graph_->columns_of({id});
  if (columns.size() != 1) return refused("an expression that GPUs do not compute yet");
  const Node& column = *column_node(columns[0]);
  PRESSO_ASSIGN(const ValueDomain domain, domain_of(column));
  auto values = values_of_expression(*graph_, id, domain);
  if (!values) return refused("an expression that GPUs do not compute yet");
  if (arrays_ == kMostRowArrays) return refused("too many columns of joined tables");
  PRESSO_ASSIGN(const RowColumn wanted, row_column(column));
  PRESSO_ASSIGN(std::size_t index, column_value(wanted));
  if (domain.codes == nullptr && domain.least != 0) {
    PRESSO_ASSIGN(index, append_constant(Kind::kSubtract, index, domain.least, true));
  }
  ValueTable table{arrays_++, std::move(*values), is_wide(graph_->at(id))};
  Value value;
  value.step.kind = Kind::kGather;
  value.step.column = table.array;
  value.from = {index};
  value.is_wide = table.is_wide;
  value_tables_.push_back(std::move(table));
  looked_up_.insert({graph_, id});
  return append(std::move(value));
}

namespace {

/// Steps for which a program has its own, where they are of integers.
bool is_computed(Step step) {
  switch (step) {
    case Step::kAdd:
    case Step::kSubtract:
    case Step::kMultiply:
    case Step::kNegate:
    case Step::kScaleUp:
    case Step::kBoolToInteger:
    case Step::kEqual:
    case Step::kNotEqual:
    case Step::kLess:
    case Step::kLessEqual:
    case Step::kNot:
    case Step::kIsNull:
      return true;
    default:
      return false;
  }
}

}  // namespace

Result<std::size_t> PipelineBuilder::value_of_step(NodeId id) {
  const Node& node = graph_->at(id);
  const auto two = [&](Kind kind) -> Result<std::size_t> {
    const auto left = constant_of(node.arguments[0]);
    const auto right = constant_of(node.arguments[1]);
    if (right) {
      PRESSO_ASSIGN(const std::size_t a, value_of(node.arguments[0]));
      return append_constant(kind, a, *right, is_wide(node));
    }
    if (left) {
      PRESSO_ASSIGN(const std::size_t b, value_of(node.arguments[1]));
      PRESSO_ASSIGN(const std::size_t made, append_constant(kind, b, *left, is_wide(node)));
      values_[made].step.b_is_constant = false;
      values_[made].step.a_is_constant = true;
      return made;
    }
    PRESSO_ASSIGN(const std::size_t a, value_of(node.arguments[0]));
    PRESSO_ASSIGN(const std::size_t b, value_of(node.arguments[1]));
    return append(kind, a, b, is_wide(node));
  };
  if (is_of_reals(id)) {
    Result<std::size_t> computed = value_of_real_step(id);
    if (computed.ok() || computed.error().code != ErrorCode::kUnsupported) return computed;
    return value_by_table(id);
  }
  const bool of_integers =
      (node.step == Step::kIsNull && graph_->is_column(node.arguments[0])) ||
      std::all_of(node.arguments.begin(), node.arguments.end(), [this](NodeId argument) {
        return graph_->at(argument).physical == Physical::kInt64 ||
               graph_->at(argument).physical == Physical::kBool;
      });
  if (!of_integers || !is_computed(node.step) || query::step_may_fail(node)) {
    Result<std::size_t> looked_up = value_by_table(id);
    const bool is_refused = !looked_up.ok() && looked_up.error().code == ErrorCode::kUnsupported;
    if (!of_integers || !is_refused || query::step_may_fail(node)) return looked_up;
  }
  switch (node.step) {
    case Step::kAdd:
      return two(Kind::kAdd);
    case Step::kSubtract:
      return two(Kind::kSubtract);
    case Step::kMultiply:
      return two(Kind::kMultiply);
    case Step::kEqual:
      return two(Kind::kEqual);
    case Step::kNotEqual:
      return two(Kind::kNotEqual);
    case Step::kLess:
      return two(Kind::kLess);
    case Step::kLessEqual:
      return two(Kind::kLessEqual);
    case Step::kBoolToInteger:
      return value_of(node.arguments[0]);
    case Step::kNot: {
      PRESSO_ASSIGN(const std::size_t a, value_of(node.arguments[0]));
      return append(Kind::kNot, a, a, false);
    }
    case Step::kAnd:
    case Step::kOr:
      return value_of_and(node);
    case Step::kCase:
      return value_of_case(node);
    case Step::kIsNull: {
      if (!graph_->is_column(node.arguments[0])) return refused("an expression that is null");
      PRESSO_ASSIGN(const Validity valid, validity_of(node.arguments[0]));
      if (valid.is_everywhere()) return refused("a column that is never null");
      PRESSO_ASSIGN(const std::size_t truth, program_truth(valid));
      return append(Kind::kNot, truth, truth, false);
    }
    case Step::kScaleUp: {
      if (node.parameter > static_cast<std::int64_t>(kFactorsOfInt64)) break;
      PRESSO_ASSIGN(const std::size_t a, value_of(node.arguments[0]));
      const auto factor = query::power_of_ten(static_cast<unsigned>(node.parameter));
      return append_constant(Kind::kMultiply, a, static_cast<std::int64_t>(factor), is_wide(node));
    }
    case Step::kNegate: {
      PRESSO_ASSIGN(const std::size_t a, value_of(node.arguments[0]));
      PRESSO_ASSIGN(const std::size_t made, append_constant(Kind::kSubtract, a, 0, is_wide(node)));
      values_[made].step.b_is_constant = false;
      values_[made].step.a_is_constant = true;
      return made;
    }
    default:
      break;
  }
  return refused("an expression that GPUs do not compute yet");
}

bool PipelineBuilder::combines_truths(NodeId id) const {
  const Node& node = graph_->at(id);
  if (node.kind != Node::Kind::kStep) return false;
  return node.step == Step::kAnd || node.step == Step::kOr || node.step == Step::kNot;
}

/// Whether the node is true, or false if `negated`, and not null: of AND, OR and NOT that is known
/// of their arguments by the same question.
Result<std::size_t> PipelineBuilder::is_true(NodeId id, bool negated) {
  const Node& node = graph_->at(id);
  if (!combines_truths(id)) {
    PRESSO_ASSIGN(const Validity valid, validity_of(id));
    PRESSO_ASSIGN(std::size_t truth, value_of(id));
    if (negated) {
      PRESSO_ASSIGN(truth, append(Kind::kNot, truth, truth, false));
    }
    if (valid.is_everywhere()) return truth;
    PRESSO_ASSIGN(const std::size_t is_there, program_truth(valid));
    return append(Kind::kMultiply, truth, is_there, false);
  }
  if (node.step == Step::kNot) return is_true(node.arguments[0], !negated);
  // One of them is true where not all are not.
  const bool wants_all = (node.step == Step::kAnd) != negated;
  std::optional<std::size_t> all;
  for (const NodeId argument : node.arguments) {
    PRESSO_ASSIGN(std::size_t one, is_true(argument, negated));
    if (!wants_all) {
      PRESSO_ASSIGN(one, append(Kind::kNot, one, one, false));
    }
    if (all) {
      PRESSO_ASSIGN(one, append(Kind::kMultiply, *all, one, false));
    }
    all = one;
  }
  return wants_all ? *all : append(Kind::kNot, *all, *all, false);
}

/// AND and OR of what is never null, else of two truths a third may come.
Result<std::size_t> PipelineBuilder::value_of_and(const Node& node) {
  std::optional<std::size_t> all;
  const bool is_or = node.step == Step::kOr;
  for (const NodeId argument : node.arguments) {
    PRESSO_ASSIGN(const Validity valid, validity_of(argument));
    if (!valid.is_everywhere()) return refused("AND or OR of what may be null, in a program");
    PRESSO_ASSIGN(std::size_t one, value_of(argument));
    if (is_or) {
      PRESSO_ASSIGN(one, append(Kind::kNot, one, one, false));
    }
    if (all) {
      PRESSO_ASSIGN(one, append(Kind::kMultiply, *all, one, false));
    }
    all = one;
  }
  return is_or ? append(Kind::kNot, *all, *all, false) : *all;
}

/// The value where the truth is 1, else the other number: (value - otherwise) * truth + otherwise,
/// in 64 bits, whatever the value is.
Result<std::size_t> PipelineBuilder::value_or(std::size_t value, std::size_t truth,
                                              std::int64_t otherwise) {
  PRESSO_ASSIGN(value, append_constant(Kind::kSubtract, value, otherwise, true));
  PRESSO_ASSIGN(value, append(Kind::kMultiply, value, truth, true));
  return append_constant(Kind::kAdd, value, otherwise, true);
}

/// A truth times a number, or a double's bits, or times a constant, which is no value of its own.
Result<std::size_t> PipelineBuilder::times(std::size_t truth, NodeId id, bool is_wide) {
  const Node& node = graph_->at(id);
  const bool is_real = node.kind == Node::Kind::kConstant && node.physical == Physical::kDouble;
  const auto constant =
      is_real ? std::optional(std::bit_cast<std::int64_t>(node.real)) : constant_of(id);
  if (constant) return append_constant(Kind::kMultiply, truth, *constant, is_wide);
  PRESSO_ASSIGN(const std::size_t value, value_of(id));
  return append(Kind::kMultiply, truth, value, is_wide);
}

/// Without a jump, the last branch first: truth * what it gives + not truth * what came before.
Result<std::size_t> PipelineBuilder::value_of_case(const Node& node) {
  const bool wide = is_wide(node);
  for (const NodeId argument : node.arguments) {
    PRESSO_ASSIGN(const Validity valid, validity_of(argument));
    if (!valid.is_everywhere() || graph_->at(argument).is_null) {
      return refused("CASE with what may be null");
    }
  }
  std::optional<std::size_t> value;
  for (std::size_t i = node.arguments.size() - 1; i >= 2; i -= 2) {
    PRESSO_ASSIGN(const std::size_t truth, value_of(node.arguments[i - 2]));
    PRESSO_ASSIGN(const std::size_t other, append(Kind::kNot, truth, truth, false));
    PRESSO_ASSIGN(const std::size_t then, times(truth, node.arguments[i - 1], wide));
    std::size_t otherwise = 0;
    if (value) {
      PRESSO_ASSIGN(otherwise, append(Kind::kMultiply, other, *value, wide));
    } else {
      PRESSO_ASSIGN(otherwise, times(other, node.arguments.back(), wide));
    }
    PRESSO_ASSIGN(value, append(Kind::kAdd, then, otherwise, wide));
  }
  return *value;
}

}  // namespace presso::gpu
