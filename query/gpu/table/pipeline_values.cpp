// SPDX-License-Identifier: MIT
// PipelineBuilder: columns and expressions become values of a program, with the conditions under
// which they are NULL.
#include <algorithm>
#include <bit>
#include <limits>

#include "query/gpu/kernels/node_width.h"
#include "query/gpu/table/pipeline_builder.h"

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

const Node* PipelineBuilder::column_node(std::size_t column) const {
  const auto found =
      std::find_if(graph_->nodes().begin(), graph_->nodes().end(), [column](const Node& node) {
        return node.kind == Node::Kind::kColumn && node.column == column;
      });
  return found == graph_->nodes().end() ? nullptr : &*found;
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

/// Makes a column of the numbers that the device has given to strings.
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

/// The value of a column of the table, or of one that is gathered from the rows joined to its own.
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
    return refused("values that are not numbers of 64 bits");
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
  ValueTable table{arrays_++, std::move(values->values), is_wide(graph_->at(id))};
  Value value;
  value.step.kind = Kind::kGather;
  value.step.column = table.array;
  value.from = {index};
  value.is_wide = table.is_wide;
  value_tables_.push_back(std::move(table));
  if (!values->has_nulls) looked_up_.insert({graph_, id});
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

/// The value of an operation on two numbers, at most one of which is a constant.
Result<std::size_t> PipelineBuilder::operation(Kind kind, const Node& node) {
  if (const auto left = constant_of(node.arguments[0])) {
    PRESSO_ASSIGN(const std::size_t b, value_of(node.arguments[1]));
    PRESSO_ASSIGN(const std::size_t made, append_constant(kind, b, *left, is_wide(node)));
    std::swap(values_[made].step.a_is_constant, values_[made].step.b_is_constant);
    return made;
  }
  PRESSO_ASSIGN(const std::size_t a, value_of(node.arguments[0]));
  if (const auto right = constant_of(node.arguments[1])) {
    return append_constant(kind, a, *right, is_wide(node));
  }
  PRESSO_ASSIGN(const std::size_t b, value_of(node.arguments[1]));
  return append(kind, a, b, is_wide(node));
}

Result<std::size_t> PipelineBuilder::value_of_step(NodeId id) {
  const Node& node = graph_->at(id);
  const bool has_null = std::any_of(node.arguments.begin(), node.arguments.end(),
                                    [this](NodeId one) { return graph_->at(one).is_null; });
  if (has_null && !query::decides_nulls(node.step)) {
    // Null in all rows, unless an argument fails: any value does.
    const bool may_fail = std::any_of(node.arguments.begin(), node.arguments.end(),
                                      [this](NodeId one) { return graph_->may_fail(one); });
    if (may_fail) return refused("an argument that may have no result");
    return constant_value(0, is_wide(node));
  }
  if (is_of_reals(id)) {
    Result<std::size_t> computed = value_of_real_step(id);
    if (computed.ok() || computed.error().code != ErrorCode::kUnsupported) return computed;
    return value_by_table(id);
  }
  const bool of_integers =
      node.step == Step::kIsNull ||
      std::all_of(node.arguments.begin(), node.arguments.end(), [this](NodeId argument) {
        const Node& of = graph_->at(argument);
        return of.is_null || of.physical == Physical::kInt64 || of.physical == Physical::kBool;
      });
  if (!of_integers || !is_computed(node.step) || query::step_may_fail(node)) {
    Result<std::size_t> looked_up = value_by_table(id);
    const bool is_refused = !looked_up.ok() && looked_up.error().code == ErrorCode::kUnsupported;
    if (!of_integers || !is_refused || query::step_may_fail(node)) return looked_up;
  }
  switch (node.step) {
    case Step::kAdd:
      return operation(Kind::kAdd, node);
    case Step::kSubtract:
      return operation(Kind::kSubtract, node);
    case Step::kMultiply:
      return operation(Kind::kMultiply, node);
    case Step::kEqual:
      return operation(Kind::kEqual, node);
    case Step::kNotEqual:
      return operation(Kind::kNotEqual, node);
    case Step::kLess:
      return operation(Kind::kLess, node);
    case Step::kLessEqual:
      return operation(Kind::kLessEqual, node);
    case Step::kBoolToInteger:
      return value_of(node.arguments[0]);
    case Step::kNot: {
      PRESSO_ASSIGN(const std::size_t a, value_of(node.arguments[0]));
      return append(Kind::kNot, a, a, false);
    }
    case Step::kAnd:
    case Step::kOr: {
      PRESSO_ASSIGN(const Truth truth, is_true(id, false));
      return value_of_truth(truth);
    }
    case Step::kCase:
      return value_of_case(node);
    case Step::kCoalesce:
      return value_of_coalesce(node);
    case Step::kIsNull:
      return value_of_is_null(node);
    case Step::kIsDistinct:
      return value_of_distinct(id);
    case Step::kScaleUp: {
      if (node.parameter > static_cast<std::int64_t>(kFactorsOfInt64)) break;
      PRESSO_ASSIGN(const std::size_t a, value_of(node.arguments[0]));
      const auto factor = query::power_of_ten(static_cast<unsigned>(node.parameter));
      return append_constant(Kind::kMultiply, a, static_cast<std::int64_t>(factor), is_wide(node));
    }
    case Step::kNegate: {
      PRESSO_ASSIGN(const std::size_t a, value_of(node.arguments[0]));
      PRESSO_ASSIGN(const std::size_t made, append_constant(Kind::kSubtract, a, 0, is_wide(node)));
      std::swap(values_[made].step.a_is_constant, values_[made].step.b_is_constant);
      return made;
    }
    default:
      break;
  }
  return refused("an expression that GPUs do not compute yet");
}

/// The value where the truth is 1, else the other number: (value - otherwise) * truth + otherwise,
/// in 64 bits, whatever the value is.
Result<std::size_t> PipelineBuilder::value_or(std::size_t value, std::size_t truth,
                                              std::int64_t otherwise) {
  PRESSO_ASSIGN(value, append_constant(Kind::kSubtract, value, otherwise, true));
  PRESSO_ASSIGN(value, append(Kind::kMultiply, value, truth, true));
  return append_constant(Kind::kAdd, value, otherwise, true);
}

}  // namespace presso::gpu
