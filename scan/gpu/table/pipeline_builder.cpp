// SPDX-License-Identifier: MIT
#include "scan/gpu/table/pipeline_builder.h"

#include <algorithm>
#include <limits>

#include "scan/query/coded_strings.h"

namespace presso::gpu {
namespace {

using query::Filter;
using query::Graph;
using query::Node;
using query::NodeId;
using query::Physical;
using query::Step;
using Kind = PipelineStep::Kind;

constexpr unsigned kFactorsOfInt64 = 18;  ///< powers of ten up to here are below 2^63

bool is_narrow(std::int64_t value) {
  return value == static_cast<std::int32_t>(value);
}
/// Whether its values may need more than 32 bits.
bool is_wide(const Node& node) {
  if (node.physical == Physical::kBool) return false;
  return !node.range.known || node.range.least < std::numeric_limits<std::int32_t>::min() ||
         node.range.most > std::numeric_limits<std::int32_t>::max();
}

bool fits_int64(query::Int128 value) {
  return value >= std::numeric_limits<std::int64_t>::min() &&
         value <= std::numeric_limits<std::int64_t>::max();
}

}  // namespace

Result<Byte> PipelineBuilder::column_of(std::size_t table_column) {
  const auto known = std::find(columns_.begin(), columns_.end(), table_column);
  if (known != columns_.end()) return static_cast<Byte>(known - columns_.begin());
  if (columns_.size() == kMostPipelineColumns) return refused("more than 16 columns");
  columns_.push_back(table_column);
  return static_cast<Byte>(columns_.size() - 1);
}

// --- conditions

Status PipelineBuilder::push(ConditionStep step) {
  if (conditions_.size() == kMostConditionSteps) return refused("too many conditions");
  conditions_.push_back(step);
  return {};
}

Status PipelineBuilder::add_conditions() {
  std::vector<std::size_t> order;
  for (const query::FilterPass& pass : execution_.plan.passes) {
    for (const auto& group : pass.groups) order.insert(order.end(), group.begin(), group.end());
  }
  for (const std::size_t number : order) {
    const query::Condition& condition = execution_.plan.conditions[number];
    if (!condition.is_optional) PRESSO_TRY(add_filter(condition.filter));
  }
  return {};
}

Status PipelineBuilder::add_filter(const Filter& filter) {
  if (filter.kind == Filter::Kind::kAnd) {
    for (const Filter& part : filter.parts) PRESSO_TRY(add_filter(part));
    return {};
  }
  if (filter.kind == Filter::Kind::kExpression) return add_truth(filter.node, filter.negated);
  PRESSO_TRY(add_tree(filter, 0));
  return push({ConditionStep::Kind::kKeep, 0, 0});
}

/// Rows for which the node is true, or false, are left.
Status PipelineBuilder::add_truth(NodeId id, bool negated) {
  PRESSO_TRY(drop_nulls(id));
  PRESSO_ASSIGN(std::size_t truth, value_of(id));
  if (negated) {
    PRESSO_ASSIGN(truth, append(Kind::kNot, truth, truth, false));
  }
  return filter_by(truth);
}

/// Rows for which the node is null are dropped.
Status PipelineBuilder::drop_nulls(NodeId id) {
  PRESSO_ASSIGN(const Validity valid, validity_of(id));
  for (std::uint32_t column = 0; column < columns_.size(); ++column) {
    if ((valid.columns >> column & 1) == 0) continue;
    PRESSO_TRY(push({ConditionStep::Kind::kNotNull, static_cast<Byte>(column), 0}));
    PRESSO_TRY(push({ConditionStep::Kind::kKeep, 0, 0}));
  }
  return valid.truth ? filter_by(*valid.truth) : Status();
}

Status PipelineBuilder::filter_by(std::size_t truth) {
  Value value;
  value.step.kind = Kind::kFilter;
  value.from = {truth};
  PRESSO_ASSIGN([[maybe_unused]] const std::size_t filter, append(std::move(value)));
  return {};
}

Status PipelineBuilder::add_tree(const Filter& filter, unsigned depth) {
  if (filter.is_leaf()) return add_leaf(filter);
  if (depth + 1 >= kMostConditionDepth) return refused("conditions that are nested too deep");
  const bool is_and = filter.kind == Filter::Kind::kAnd;
  for (std::size_t i = 0; i < filter.parts.size(); ++i) {
    PRESSO_TRY(add_tree(filter.parts[i], depth + (i == 0 ? 0 : 1)));
    if (i > 0) {
      PRESSO_TRY(push({is_and ? ConditionStep::Kind::kAnd : ConditionStep::Kind::kOr, 0, 0}));
    }
  }
  return {};
}

Status PipelineBuilder::add_leaf(const Filter& filter) {
  switch (filter.kind) {
    case Filter::Kind::kTrue:
      return push({ConditionStep::Kind::kTrue, 0, 0});
    case Filter::Kind::kNull: {
      PRESSO_ASSIGN(const Byte column, column_of(filter.column));
      return push(
          {filter.negated ? ConditionStep::Kind::kNotNull : ConditionStep::Kind::kNull, column, 0});
    }
    case Filter::Kind::kIntervals:
    case Filter::Kind::kText: {
      PRESSO_ASSIGN(const Byte column, column_of(filter.column));
      leaves_.push_back(&filter);
      return push({ConditionStep::Kind::kValues, column, static_cast<Byte>(leaves_.size() - 1)});
    }
    case Filter::Kind::kFalse:
      return push({ConditionStep::Kind::kFalse, 0, 0});
    case Filter::Kind::kExpression:
      return refused("an expression under OR");
    default:
      return refused("keys of a join");
  }
}

namespace {

/// How the row groups of a loaded table store a column of strings.
struct StringForms {
  bool tokens = false;
  bool tokens_with_nulls = false;
  bool dictionary = false;
};

StringForms forms_of(const DeviceTable& table, std::size_t column) {
  StringForms forms;
  for (const LoadedGroup& group : table.groups()) {
    const ColumnChunk& chunk = group.reader->chunk(column);
    const bool has_tokens = chunk.representation == Representation::kToken;
    forms.tokens = forms.tokens || has_tokens;
    forms.tokens_with_nulls = forms.tokens_with_nulls || (has_tokens && chunk.nulls != 0);
    forms.dictionary = forms.dictionary || chunk.representation == Representation::kDictionary;
  }
  return forms;
}

/// The range of a leaf for a slice, as zones or the leaf itself tell; what both leave open is
/// appended to `tables`.
class RangeMaker {
 public:
  RangeMaker(LeafTables& tables, const Filter& filter) : tables_(tables), filter_(filter) {
    if (filter.kind != Filter::Kind::kIntervals) return;
    intervals_.first = static_cast<std::uint32_t>(tables.intervals.size());
    for (const query::Interval& one : filter.intervals.intervals()) {
      tables.intervals.push_back({one.least, one.most});
    }
    intervals_.count = static_cast<std::uint32_t>(tables.intervals.size()) - intervals_.first;
  }

  Result<LeafRange> of(const LoadedGroup& group, const LoadedSlice& slice,
                       query::SliceReader& reader) {
    if (filter_.kind == Filter::Kind::kText &&
        group.reader->chunk(filter_.column).representation == Representation::kToken) {
      return LeafRange{0, 0};  // its rows have bits
    }
    const query::Answer answer =
        query::answer_by_zones(filter_, *group.reader, slice.first, slice.rows);
    if (answer == query::Answer::kNone) return LeafRange{0, 0};
    if (answer == query::Answer::kAll) return LeafRange{0, LeafRange::kAll};
    if (filter_.kind == Filter::Kind::kIntervals) return intervals_;
    if (last_ != group.reader.get()) {
      PRESSO_ASSIGN(codes_, of_dictionary(reader, group));
      last_ = group.reader.get();
    }
    return codes_;
  }

 private:
  /// The wanted codes: as intervals of codes, where few suffice, else as bits.
  Result<LeafRange> of_dictionary(query::SliceReader& reader, const LoadedGroup& group) {
    const ColumnChunk& chunk = group.reader->chunk(filter_.column);
    if (chunk.representation == Representation::kNull) return LeafRange{0, 0};
    PRESSO_ASSIGN(const query::CodeSet* const wanted, query::matching_entries(filter_, reader));
    std::vector<ImageInterval> runs;
    for (std::uint32_t code = 0; code < chunk.entries; ++code) {
      if (!query::has_bit(wanted->data(), code)) continue;
      if (!runs.empty() && runs.back().most + 1 == code) {
        runs.back().most = code;
      } else {
        runs.push_back({code, code});
      }
      if (runs.size() > kMostRuns) break;
    }
    if (runs.size() <= kMostRuns) {
      const LeafRange range{static_cast<std::uint32_t>(tables_.intervals.size()),
                            static_cast<std::uint32_t>(runs.size())};
      tables_.intervals.insert(tables_.intervals.end(), runs.begin(), runs.end());
      return range;
    }
    const LeafRange range{static_cast<std::uint32_t>(tables_.code_bits.size()), LeafRange::kBits};
    for (std::uint32_t word = 0; word <= chunk.entries / kLanes; ++word) {
      tables_.code_bits.push_back(
          static_cast<std::uint32_t>((*wanted)[word / 2] >> (kLanes * (word % 2))));
    }
    return range;
  }

  static constexpr std::size_t kMostRuns = 2;
  LeafTables& tables_;
  const Filter& filter_;
  LeafRange intervals_;
  LeafRange codes_;
  const GroupReader* last_ = nullptr;
};

}  // namespace

std::uint32_t PipelineBuilder::string_columns() const {
  std::uint32_t columns = 0;
  for (const ConditionStep& step : conditions_) {
    if (step.kind != ConditionStep::Kind::kValues) continue;
    if (leaves_[step.leaf]->kind == Filter::Kind::kText) columns |= 1u << step.column;
  }
  return columns;
}

Result<TableConditions> PipelineBuilder::conditions_over(const DeviceTable& table) const {
  using Condition = ConditionStep::Kind;
  TableConditions made;
  for (const ConditionStep& step : conditions_) {
    const bool is_text =
        step.kind == Condition::kValues && leaves_[step.leaf]->kind == Filter::Kind::kText;
    const StringForms forms = is_text ? forms_of(table, leaves_[step.leaf]->column) : StringForms{};
    if (!forms.tokens) {
      made.steps.push_back(step);
      continue;
    }
    // One value more than the leaf alone, for which the stack has room: kMostConditionDepth.
    made.steps.push_back({Condition::kRows, 0, static_cast<Byte>(made.strings.size())});
    made.strings.push_back({leaves_[step.leaf], step.column});
    if (forms.tokens_with_nulls) {
      made.steps.push_back({Condition::kNotNull, step.column, 0});
      made.steps.push_back({Condition::kAnd, 0, 0});
    }
    if (forms.dictionary) {
      made.steps.push_back(step);
      made.steps.push_back({Condition::kOr, 0, 0});
    }
  }
  if (made.steps.size() > kMostConditionSteps) return refused("too many conditions");
  if (made.strings.size() > std::size(Pipeline{}.row_bits)) {
    return refused("more than four conditions on strings that are no dictionary's");
  }
  return made;
}

Result<LeafTables> PipelineBuilder::leaf_tables(
    const DeviceTable& table, const std::vector<query::Physical>& physical) const {
  LeafTables tables;
  query::SliceReader reader(physical);
  for (const Filter* const leaf : leaves_) {
    RangeMaker maker(tables, *leaf);
    std::uint32_t opened = ~std::uint32_t{0};
    query::Slice slice;
    for (const LoadedSlice& one : table.slices()) {
      const LoadedGroup& group = table.groups()[one.group];
      if (opened != one.group) {
        slice.group = std::make_shared<query::GroupContext>();
        slice.group->reader = group.reader;
        slice.group->first_row = group.first_row;
        slice.group->table = group.table;
        slice.rows = std::min(group.reader->rows(), kSliceRows);
        reader.open(slice);
        opened = one.group;
      }
      PRESSO_ASSIGN(const LeafRange range, maker.of(group, one, reader));
      tables.ranges.push_back(range);
    }
  }
  return tables;
}

// --- values

Result<std::size_t> PipelineBuilder::append(Value value) {
  if (values_.size() == kMostPipelineSteps) return refused("expressions of more than 64 steps");
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

/// Columns without which the node is null.
void PipelineBuilder::collect_columns(NodeId id, std::set<std::size_t>& columns) const {
  const Node& node = graph_->at(id);
  if (node.kind == Node::Kind::kColumn) columns.insert(node.column);
  if (node.kind != Node::Kind::kStep || node.step == Step::kIsNull) return;
  for (const NodeId argument : node.arguments) collect_columns(argument, columns);
}

/// By the columns, in the pipeline's numbers, that may be null and without which the node is null;
/// those of joined tables have another number in place of nulls.
Result<PipelineBuilder::Validity> PipelineBuilder::validity_of(NodeId id) {
  std::set<std::size_t> all;
  collect_columns(id, all);
  Validity valid;
  std::set<std::size_t> joined;
  for (const std::size_t column : all) {
    const Node* const nullable = nullable_node(column);
    if (stage_of(column)) {
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
    PRESSO_ASSIGN(const RowColumn wanted, row_column(node));
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
  if (node.physical != Physical::kInt64) return refused("columns that are no integers");
  if (nullable == nullptr) return with_null(node, {});
  const auto null_value = null_number(*nullable);
  if (!null_value) return refused("columns of joined tables that may be null or anything");
  return with_null(node, null_value);
}

RowColumn PipelineBuilder::with_null(const Node& column, std::optional<std::int64_t> null_value) {
  return {column.column, nullptr, null_value,
          is_wide(column) || (null_value && !is_narrow(*null_value))};
}

/// Of the table, or gathered from the rows that were joined to its own.
Result<std::size_t> PipelineBuilder::column_value(const RowColumn& column) {
  if (const auto stage = stage_of(column.column)) return gathered(stages_[*stage], column);
  if (column.codes != nullptr && column.codes->is_by_rows()) return code_of_row(*column.codes);
  const std::size_t own = table_column(column.column);
  const Kind kind = column.codes != nullptr ? Kind::kLoadCode : Kind::kLoad;
  PRESSO_ASSIGN(const std::size_t value,
                load(own, kind, column.null_value.value_or(0), column.is_wide));
  const Byte number = values_[value].step.column;
  if (column.codes != nullptr) codes_[number] = column.codes;
  if (column.null_value) nullable_ = static_cast<std::uint16_t>(nullable_ | 1u << number);
  return value;
}

Result<std::size_t> PipelineBuilder::value_of(NodeId id) {
  const auto known = known_.find({graph_, id});
  if (known != known_.end()) return known->second;
  const Node& node = graph_->at(id);
  if (node.physical != Physical::kInt64 && node.physical != Physical::kBool) {
    return refused("values that are no integers of 64 bits");
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
  const bool of_integers =
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
      PRESSO_ASSIGN(const Validity valid, validity_of(node.arguments[0]));
      if (valid.columns != 0 || !valid.truth) return refused("a column that is null, in a program");
      return append(Kind::kNot, *valid.truth, *valid.truth, false);
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

/// A truth times a number, or times a constant, which is no value of its own.
Result<std::size_t> PipelineBuilder::times(std::size_t truth, NodeId id, bool is_wide) {
  if (const auto constant = constant_of(id)) {
    return append_constant(Kind::kMultiply, truth, *constant, is_wide);
  }
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

// --- groups

Status PipelineBuilder::add_key(const query::KeySpec& spec, NodeId node,
                                const query::KeyCodes* codes, bool own_codes) {
  Key key;
  key.nullable = spec.nullable;
  std::uint64_t span = 0;
  std::size_t value = 0;
  if (codes != nullptr) {
    if (own_codes) key.codes = codes;
    span = codes->null_number() - 1;
  } else if (spec.physical == Physical::kString) {
    return refused("keys that are strings which are not stored as dictionaries");
  } else if (spec.physical != Physical::kInt64) {
    return refused("keys that are neither integers nor strings");
  } else if (has_whole_words_) {
    if (spec.nullable) return refused("keys of 64 bits that may be null");
  } else {
    key.least = spec.least;
    span = static_cast<std::uint64_t>(spec.most) - static_cast<std::uint64_t>(spec.least);
  }
  key.values = has_whole_words_ ? 0 : span + 1 + (spec.nullable ? 1 : 0);
  std::optional<std::int64_t> null_value;
  if (codes != nullptr) {
    if (spec.nullable) null_value = static_cast<std::int64_t>(span + 1);
    PRESSO_ASSIGN(value, column_value({graph_->at(node).column, codes, null_value, false}));
  } else if (graph_->is_column(node)) {
    if (spec.nullable && spec.most == std::numeric_limits<std::int64_t>::max()) {
      return refused("keys up to the end of 64 bits");
    }
    if (spec.nullable) null_value = spec.most + 1;
    PRESSO_ASSIGN(value, column_value({graph_->at(node).column, nullptr, null_value,
                                       is_wide(graph_->at(node))}));
  } else {
    if (spec.nullable) return refused("computed keys that may be null");
    PRESSO_ASSIGN(value, value_of(node));
  }
  if (key.least != 0) {
    PRESSO_ASSIGN(value, append_constant(Kind::kSubtract, value, key.least, most_keys_ != 0));
  }
  return add_to_group(value, key);
}

/// `value`: below key.values. Sets the key's stride.
Status PipelineBuilder::add_to_group(std::size_t value, Key key) {
  key.stride = groups_;
  groups_ *= key.values;
  // The number of a group has 32 bits, whatever the key had.
  if (most_keys_ == 0 && key.stride == 1 && values_[value].is_wide) {
    PRESSO_ASSIGN(value, append_constant(Kind::kAdd, value, 0, false));
  }
  PRESSO_TRY(add_to_group(value, key.stride));
  keys_.push_back(key);
  return {};
}

Status PipelineBuilder::add_to_group(std::size_t value, std::uint64_t stride) {
  const bool is_wide = most_keys_ != 0;
  if (stride != 1) {
    PRESSO_ASSIGN(
        value, append_constant(Kind::kMultiply, value, static_cast<std::int64_t>(stride), is_wide));
  }
  if (group_) {
    PRESSO_ASSIGN(value, append(Kind::kAdd, *group_, value, is_wide));
  }
  group_ = value;
  return {};
}

Result<std::size_t> PipelineBuilder::add_cell(Cell cell) {
  const auto known = std::find(cells_.begin(), cells_.end(), cell);
  if (known != cells_.end()) return static_cast<std::size_t>(known - cells_.begin());
  if (cells_.size() == kMostPipelineCells) return refused("too many aggregates");
  cells_.push_back(cell);
  return cells_.size() - 1;
}

Status PipelineBuilder::add_aggregate(const query::AggregateCall& call,
                                      const query::AggregateSpec& spec, std::uint64_t rows) {
  using AggregateKind = query::AggregateKind;
  CellsOfAggregate cells;
  if (call.kind == AggregateKind::kCountRows) {
    aggregates_.push_back(cells);
    return count_rows();
  }
  if (call.kind == AggregateKind::kCountDistinct) return refused("count(distinct)");
  const NodeId argument = *call.argument;
  PRESSO_ASSIGN(const Validity valid, program_validity(argument));
  const bool divides = call.kind == AggregateKind::kCount || call.kind == AggregateKind::kAverage;
  if (valid.is_everywhere() && divides) PRESSO_TRY(count_rows());
  if (call.kind == AggregateKind::kCount) {
    if (graph_->may_fail(argument)) return refused("an argument that may have no result");
    if (graph_->is_column(argument)) {
      if (!valid.is_everywhere()) {
        PRESSO_ASSIGN(cells.count, add_cell({PipelineCell::Kind::kCount, 0, valid, {}}));
      }
      aggregates_.push_back(cells);
      return {};
    }
    if (graph_->at(argument).kind == Node::Kind::kConstant) return refused("constants alone");
  }
  if (spec.argument != Physical::kInt64) return refused("aggregates of other than integers");
  if (!valid.is_everywhere()) {
    PRESSO_ASSIGN(cells.count, add_cell({PipelineCell::Kind::kCount, 0, valid, {}}));
  }
  const bool is_sum = call.kind == AggregateKind::kSum || call.kind == AggregateKind::kAverage;
  if (is_sum) {
    PRESSO_TRY(add_sum(argument, spec, valid, rows, cells));
  } else if (call.kind != AggregateKind::kCount) {
    PRESSO_ASSIGN(const std::size_t value, value_of(argument));
    const auto kind =
        call.kind == AggregateKind::kMin ? PipelineCell::Kind::kMin : PipelineCell::Kind::kMax;
    PRESSO_ASSIGN(cells.low, add_cell({kind, value, valid, {}}));
  }
  aggregates_.push_back(cells);
  return {};
}

/// Without groups the rows that match are counted anyway.
Status PipelineBuilder::count_rows() {
  if (!has_groups_) return {};
  PRESSO_ASSIGN(row_count_, add_cell({PipelineCell::Kind::kCount, 0, {}, {}}));
  return {};
}

/// In one cell where 64 bits hold it, else in two.
Status PipelineBuilder::add_sum(NodeId argument, const query::AggregateSpec& spec,
                                const Validity& valid, std::uint64_t rows,
                                CellsOfAggregate& cells) {
  const bool is_known = spec.least <= spec.most;
  const query::Int128 most =
      std::max<query::Int128>(query::Int128{spec.most}, -query::Int128{spec.least});
  const query::Int128 limit = std::numeric_limits<std::int64_t>::max();
  if (is_known && most * std::max<query::Int128>(rows, 1) <= limit) {
    const Node& node = graph_->at(argument);
    if (!has_groups_ && is_scan_ && node.kind == Node::Kind::kColumn) {
      PRESSO_TRY(column_of(node.column));
      PRESSO_ASSIGN(cells.low, add_cell({PipelineCell::Kind::kSum, 0, valid, argument}));
    } else {
      PRESSO_ASSIGN(const std::size_t value, value_of(argument));
      PRESSO_ASSIGN(cells.low, add_cell({PipelineCell::Kind::kSum, value, valid, {}}));
    }
    return {};
  }
  if (rows >> 31 != 0) return refused("sums of wide numbers of more than 2^31 rows");
  PRESSO_ASSIGN(const std::size_t value, value_of(argument));
  PRESSO_ASSIGN(cells.low, add_cell({PipelineCell::Kind::kSumLow, value, valid, {}}));
  PRESSO_ASSIGN(cells.high, add_cell({PipelineCell::Kind::kSumHigh, value, valid, {}}));
  return {};
}

Status PipelineBuilder::add_groups(const query::GroupInput& input,
                                   const std::vector<const query::KeyCodes*>& codes,
                                   std::uint64_t rows, bool by_rows) {
  enter_joins();
  const query::BoundQuery& bound = execution_.query;
  has_groups_ = !bound.keys.empty();
  rows_ = rows;
  const double possible = possible_groups(input, codes);
  if (possible > static_cast<double>(most_numbered())) {
    if (by_rows) row_stage_ = choose_row_stage();
    if (!row_stage_) PRESSO_TRY(choose_table(possible));
  }
  for (std::size_t i = 0; i < bound.keys.size(); ++i) {
    const query::KeySpec& spec = input.plan().keys[i];
    const auto column = row_stage_ ? column_of_row(*stages_[*row_stage_].stage, bound.keys[i])
                                   : std::optional<std::size_t>();
    if (column) {
      PRESSO_TRY(add_key_of_row(*column, spec, codes[i]));
    } else {
      const query::KeyCodes* const known = input.codes()[i].get();
      PRESSO_TRY(
          add_key(spec, bound.keys[i], known != nullptr ? known : codes[i], known == nullptr));
    }
  }
  if (row_stage_) {
    row_stride_ = groups_;
    PRESSO_TRY(add_to_group(stages_[*row_stage_].step, row_stride_));
  }
  if (!is_scan_) {
    const std::vector<std::size_t> columns = graph_->columns_of(bound.keys);
    const bool by_pairs = std::any_of(columns.begin(), columns.end(),
                                      [this](std::size_t column) { return stage_of(column); });
    if (by_pairs) PRESSO_TRY(want_order());
  }
  for (std::size_t i = 0; i < bound.aggregates.size(); ++i) {
    PRESSO_TRY(add_aggregate(bound.aggregates[i], input.plan().aggregates[i], rows));
  }
  return {};
}

/// By what is known of the keys. Without keys there is one.
double PipelineBuilder::possible_groups(const query::GroupInput& input,
                                        const std::vector<const query::KeyCodes*>& codes) const {
  double groups = 1;
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const query::KeySpec& spec = input.plan().keys[i];
    const query::KeyCodes* const known =
        input.codes()[i] != nullptr ? input.codes()[i].get() : codes[i];
    if (known != nullptr) {
      groups *= known->count() + 1.0;
    } else if (spec.physical == Physical::kInt64 && spec.least <= spec.most) {
      groups *= static_cast<double>(spec.most) - static_cast<double>(spec.least) + 2.0;
    } else {
      groups = std::numeric_limits<double>::infinity();
    }
  }
  return groups;
}

/// How many groups may have numbers, whether or not there are rows of them.
std::uint64_t PipelineBuilder::most_numbered() const {
  return std::clamp(std::min(rows_, kMostNumberedGroups) * kGroupsForRow, kFewGroups,
                    kMostNumberedGroups);
}

Status PipelineBuilder::choose_table(double possible_groups) {
  constexpr double kMostKeys = 9e18;  // numbers below 2^63
  has_whole_words_ = possible_groups > kMostKeys;
  if (has_whole_words_ && execution_.query.keys.size() > 1) {
    return refused("keys that do not fit into 63 bits together");
  }
  most_keys_ = possible_groups < static_cast<double>(rows_)
                   ? static_cast<std::uint64_t>(possible_groups)
                   : std::max<std::uint64_t>(rows_, 1);
  return {};
}

/// As many places, or as many as are enough.
void PipelineBuilder::set_table(Pipeline& pipeline, std::uint64_t places) const {
  constexpr std::uint64_t kForKey = 4;
  constexpr std::uint64_t kLeast = 128;
  constexpr std::uint64_t kMost = std::uint64_t{1} << 31;
  // A warp waits for the longest search of its keys: with 16 places for the longest one of 10^6
  // keys a table is full from 0.2 on. The largest one has to do, however long that takes.
  constexpr std::uint32_t kProbes = 16;
  constexpr std::uint32_t kMostProbes = 1024;
  const std::uint64_t enough = std::max(most_keys_ * kForKey, kLeast);
  places = std::min(std::clamp(places, kLeast, kMost), enough);
  pipeline.table_probes = places == enough ? kMostProbes : kProbes;
  pipeline.table_places = static_cast<std::uint32_t>(places);
  pipeline.groups = places + 1;
}

bool PipelineBuilder::enlarge_table(Pipeline& pipeline) const {
  constexpr std::uint64_t kTimes = 2;
  const std::uint64_t before = pipeline.table_places;
  set_table(pipeline, before * kTimes);
  return pipeline.table_places > before;
}

CodeTables PipelineBuilder::code_tables(const DeviceTable& table) const {
  CodeTables tables;
  tables.begins.resize(columns_.size() * table.groups().size());
  for (const auto& [column, codes] : codes_) {
    for (std::size_t group = 0; group < table.groups().size(); ++group) {
      const LoadedGroup& loaded = table.groups()[group];
      tables.begins[column * table.groups().size() + group] =
          static_cast<std::uint32_t>(tables.numbers.size());
      const auto numbers = codes->numbers(loaded.table, loaded.reader->group());
      tables.numbers.insert(tables.numbers.end(), numbers.begin(), numbers.end());
    }
  }
  return tables;
}

// --- registers

namespace {

/// Registers that are free again are taken by values of the same width only: lanes do not wait for
/// each other between steps, and in a register of another width they would write what others read.
class Registers {
 public:
  RegisterPlace take(bool is_wide) {
    std::vector<RegisterPlace>& free = free_[is_wide ? 1 : 0];
    if (free.empty()) {
      const std::size_t unit = units_;
      units_ += is_wide ? 2 : 1;
      return {static_cast<Byte>(unit | (is_wide ? RegisterPlace::kWide : 0))};
    }
    const RegisterPlace place = free.back();
    free.pop_back();
    return place;
  }
  void give_back(RegisterPlace place) { free_[place.is_wide() ? 1 : 0].push_back(place); }
  std::size_t units() const { return units_; }  ///< of narrow ones

 private:
  std::size_t units_ = 0;
  std::vector<RegisterPlace> free_[2];  ///< narrow, wide
};

bool has_result(Kind kind) {
  return kind != Kind::kFilter && kind != Kind::kFindAny && kind != Kind::kFindNone;
}

}  // namespace

/// A value's register is free again after its last reader; what cells and groups read stays.
Status PipelineBuilder::deal_registers(Pipeline& pipeline) const {
  constexpr std::size_t kForever = ~std::size_t{0};
  std::vector<std::size_t> last(values_.size(), 0);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    for (const std::size_t from : values_[i].from) last[from] = std::max(last[from], i);
  }
  const auto reads_value = [](const Cell& cell) {
    return cell.kind != PipelineCell::Kind::kCount && !cell.column_node;
  };
  for (const Cell& cell : cells_) {
    if (reads_value(cell)) last[cell.value] = kForever;
    if (cell.valid.truth) last[*cell.valid.truth] = kForever;
  }
  if (group_) last[*group_] = kForever;
  if (order_) last[*order_] = kForever;
  for (const auto& [value, wide] : outputs_) last[value] = kForever;
  for (const StageUse& use : stages_) {
    if (!use.has_chains()) continue;
    // Steps behind it run again for each build row, and find what came before as it was.
    for (std::size_t i = 0; i <= use.step; ++i) {
      if (i == use.step || last[i] > use.step) last[i] = kForever;
    }
  }
  std::vector<RegisterPlace> register_of(values_.size());
  Registers registers;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Value& value = values_[i];
    PipelineStep step = value.step;
    RegisterPlace* const places[] = {&step.a, &step.b};
    for (std::size_t k = 0; k < value.from.size(); ++k) *places[k] = register_of[value.from[k]];
    for (const std::size_t from : std::set<std::size_t>(value.from.begin(), value.from.end())) {
      if (last[from] == i) registers.give_back(register_of[from]);
    }
    if (has_result(step.kind)) {
      register_of[i] = registers.take(value.is_wide);
      if (registers.units() > kMostRegisterUnits) return refused("expressions that are too large");
      step.to = register_of[i];
    }
    pipeline.program[i] = step;
  }
  pipeline.steps = static_cast<Byte>(values_.size());
  pipeline.register_units = static_cast<Byte>(registers.units());
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Cell& cell = cells_[i];
    PipelineCell& to = pipeline.cell[i];
    to.kind = cell.kind;
    to.valid_columns = cell.valid.columns;
    to.has_valid = cell.valid.truth.has_value();
    if (to.has_valid) to.valid = register_of[*cell.valid.truth];
    if (cell.column_node) {
      const auto place =
          std::find(columns_.begin(), columns_.end(), graph_->at(*cell.column_node).column);
      to.column = static_cast<Byte>(place - columns_.begin());
    } else if (reads_value(cell)) {
      to.from = register_of[cell.value];
    }
  }
  pipeline.cells = static_cast<Byte>(cells_.size());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    pipeline.output[i].from = register_of[outputs_[i].first];
    pipeline.output[i].to.is_wide = outputs_[i].second;
  }
  pipeline.outputs = static_cast<Byte>(outputs_.size());
  if (group_) pipeline.group_register = register_of[*group_];
  if (order_) pipeline.order_register = register_of[*order_];
  return {};
}

/// From here on a vector of 1,024 rows has probably one that fulfils the conditions, and columns
/// of the program are worth being read ahead.
constexpr double kEarlySelectivity = 1e-3;

/// From here on hardly any vector has few rows left.
constexpr double kListedSelectivity = 0.5;

void PipelineBuilder::mark_columns(Pipeline& pipeline) const {
  std::uint32_t of_program = nullable_;
  std::uint32_t of_conditions = 0;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const PipelineStep& step = values_[i].step;
    if (step.kind != Kind::kLoad && step.kind != Kind::kLoadCode) continue;
    of_program |= 1u << step.column;
    if (i < pipeline.first_steps) of_conditions |= 1u << step.column;
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].column_node) of_program |= 1u << pipeline.cell[i].column;
  }
  for (const ConditionStep& step : conditions_) {
    if (step.kind == ConditionStep::Kind::kValues) of_conditions |= 1u << step.column;
  }
  pipeline.nullable_columns = nullable_;
  pipeline.program_columns = static_cast<std::uint16_t>(of_program);
  const bool early = pipeline.first_steps == 0 && execution_.plan.selectivity >= kEarlySelectivity;
  pipeline.early_columns = static_cast<std::uint16_t>(of_conditions | (early ? of_program : 0));
  pipeline.lists_rows =
      pipeline.first_steps != 0 || execution_.plan.selectivity < kListedSelectivity;
}

bool PipelineBuilder::sums_only() const {
  return !has_groups_ && values_.empty() &&
         std::all_of(cells_.begin(), cells_.end(),
                     [](const Cell& cell) { return cell.column_node.has_value(); });
}

Result<Pipeline> PipelineBuilder::finish(std::uint64_t table_bytes) {
  Pipeline pipeline;
  if (columns_.empty()) return refused("no column is read");
  if (!outputs_.empty()) {
    pipeline.place = GroupPlace::kRows;
  } else if (counts_only()) {
    pipeline.place = GroupPlace::kNone;
  } else if (sums_only()) {
    pipeline.place = GroupPlace::kColumns;
  } else {
    pipeline.place = most_keys_ != 0 ? GroupPlace::kTable : GroupPlace::kDevice;
    for (Cell& cell : cells_) {
      if (!cell.column_node) continue;
      PRESSO_ASSIGN(cell.value, value_of(*cell.column_node));
      cell.column_node.reset();
    }
  }
  PRESSO_TRY(add_order(pipeline));
  if (most_keys_ != 0) {
    // The last step, since it makes groups, and lowers their first rows.
    Value group;
    group.step.kind = Kind::kGroup;
    group.from = {*group_};
    PRESSO_ASSIGN(group_, append(std::move(group)));
  }
  PRESSO_TRY(deal_registers(pipeline));
  pipeline.first_steps = static_cast<Byte>(first_steps());
  mark_columns(pipeline);
  pipeline.columns = static_cast<Byte>(columns_.size());
  pipeline.condition_steps = static_cast<Byte>(conditions_.size());
  std::copy(conditions_.begin(), conditions_.end(), pipeline.conditions);
  pipeline.has_groups = has_groups_;
  pipeline.repeats = std::any_of(stages_.begin(), stages_.end(),
                                 [](const StageUse& use) { return use.has_chains(); });
  pipeline.groups = groups_;
  const std::uint32_t words = kGroupCells + pipeline.cells + (most_keys_ != 0 ? 1u : 0u);
  // Two and four words lie in one sector of memory; a first row and a key are read together.
  pipeline.group_words = words == 3 || most_keys_ != 0 ? (words + 1) / 2 * 2 : words;
  const std::uint64_t group_bytes = pipeline.group_words * sizeof(std::uint64_t);
  if (most_keys_ != 0) set_table(pipeline, table_bytes / group_bytes);
  return pipeline;
}

}  // namespace presso::gpu
