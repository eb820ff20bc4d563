// SPDX-License-Identifier: MIT
// PipelineBuilder: NULLs. A register cannot hold NULL: a NULL value has arbitrary bits, and a
// separate truth value tells which rows are NULL. SQL's three-valued truths become two questions,
// whether a condition is true and whether it is false, each of which has an answer for every row.
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

bool is_null_constant(const Node& node) {
  return node.kind == Node::Kind::kConstant && node.is_null;
}

}  // namespace

std::optional<std::int64_t> null_number(const Node& node) {
  if (node.physical == Physical::kDouble) return kNullReal;
  if (!node.range.known) return std::nullopt;
  if (node.range.most < std::numeric_limits<std::int64_t>::max()) {
    return static_cast<std::int64_t>(node.range.most) + 1;
  }
  if (node.range.least <= std::numeric_limits<std::int64_t>::min()) return std::nullopt;
  return static_cast<std::int64_t>(node.range.least) - 1;
}

/// The node of a column that may be NULL; nullptr if it may not.
const Node* PipelineBuilder::nullable_node(std::size_t column) const {
  const auto found =
      std::find_if(graph_->nodes().begin(), graph_->nodes().end(), [column](const Node& node) {
        return node.kind == Node::Kind::kColumn && node.column == column && node.nullable;
      });
  return found == graph_->nodes().end() ? nullptr : &*found;
}

// --- where there is a value

/// What a node's value takes: all of it must be there.
struct PipelineBuilder::NullSources {
  std::set<std::size_t> columns;
  std::set<NodeId> steps;  ///< that may be null by more than their columns
  bool is_always = false;  ///< it is null in all rows
};

Status PipelineBuilder::collect_sources(NodeId id, NullSources& sources) {
  const Node& node = graph_->at(id);
  if (node.kind == Node::Kind::kColumn) sources.columns.insert(node.column);
  if (is_null_constant(node)) sources.is_always = true;
  if (node.kind != Node::Kind::kStep) return {};
  if (node.step == Step::kTry || (node.kernel != nullptr && node.kernel->makes_nulls)) {
    return refused("a function whose result may be null by itself");
  }
  if (!query::decides_nulls(node.step)) {
    for (const NodeId argument : node.arguments) PRESSO_TRY(collect_sources(argument, sources));
    return {};
  }
  if (!node.nullable) return {};
  const std::vector<std::size_t> columns = graph_->columns_of({id});
  if (columns.size() == 1) {
    // What is looked up is null where its column is: that is tried first.
    const auto value = value_of(id);
    if (!value.ok() && value.error().code != ErrorCode::kUnsupported) return value.error();
  }
  if (looked_up_.contains({graph_, id})) {
    sources.columns.insert(columns[0]);
  } else {
    sources.steps.insert(id);
  }
  return {};
}

/// By the columns, in the pipeline's numbers, that may be null and without which the node is null,
/// and by a truth: columns of joined tables, and strings that the device has numbered, have another
/// number in place of nulls, and steps are asked when they have a value.
Result<PipelineBuilder::Validity> PipelineBuilder::validity_of(NodeId id) {
  NullSources sources;
  PRESSO_TRY(collect_sources(id, sources));
  Validity valid;
  std::set<std::size_t> joined;
  for (const std::size_t column : sources.columns) {
    const Node* const nullable = nullable_node(column);
    if (stage_of(column) || strings_.known_strings(column_of_query(column)) != nullptr) {
      if (nullable != nullptr) joined.insert(column);
      continue;
    }
    PRESSO_ASSIGN(const Byte number, column_of(table_column(column)));
    if (nullable != nullptr)
      valid.columns = static_cast<std::uint16_t>(valid.columns | 1u << number);
  }
  PRESSO_ASSIGN(Truth all, truth_of_joined(joined));
  for (const NodeId step : sources.steps) {
    PRESSO_ASSIGN(const Truth one, is_there(step));
    PRESSO_ASSIGN(all, both(all, one));
  }
  if (sources.is_always) all = Truth{false};
  valid.is_nowhere = all.is_never();
  if (!all.is_always()) {
    PRESSO_ASSIGN(valid.truth, value_of_truth(all));
  }
  return valid;
}

/// Whether none of these columns, of joined tables or of strings that the device has numbered, is
/// null.
Result<PipelineBuilder::Truth> PipelineBuilder::truth_of_joined(
    const std::set<std::size_t>& columns) {
  Truth all{true};
  if (columns.empty()) return all;
  const auto known = truths_.find({graph_, columns});
  if (known != truths_.end()) return known->second;
  for (const std::size_t column : columns) {
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
    PRESSO_ASSIGN(all, both(all, Truth{true, truth}));
  }
  return truths_[{graph_, columns}] = all;
}

/// True where a node with that validity has a value, from what the program's own registers have.
Result<PipelineBuilder::Truth> PipelineBuilder::truth_of(const Validity& valid) {
  if (valid.is_nowhere) return Truth{false};
  const auto known = theres_.find({valid.columns, valid.truth});
  if (known != theres_.end()) return known->second;
  Truth all{true, valid.truth};
  for (std::uint32_t column = 0; column < columns_.size(); ++column) {
    if ((valid.columns >> column & 1) == 0) continue;
    const std::size_t own = columns_[column];
    const Node& node = *nullable_node(is_scan_ ? own : own + execution_.first_column);
    PRESSO_ASSIGN(RowColumn wanted, row_column(node));
    if (!wanted.null_value) wanted = with_null(node, null_number(node));
    if (!wanted.null_value) return refused("columns that may be null or anything, in a program");
    PRESSO_ASSIGN(const std::size_t value, column_value(wanted));
    PRESSO_ASSIGN(const std::size_t truth,
                  append_constant(Kind::kNotEqual, value, *wanted.null_value, false));
    PRESSO_ASSIGN(all, both(all, Truth{true, truth}));
  }
  return theres_[{valid.columns, valid.truth}] = all;
}

/// The same as a value, of a validity that is not everywhere.
Result<std::size_t> PipelineBuilder::program_truth(const Validity& valid) {
  PRESSO_ASSIGN(const Truth truth, truth_of(valid));
  return value_of_truth(truth);
}

/// The validity, and the program is told which rows the columns have.
Result<PipelineBuilder::Validity> PipelineBuilder::program_validity(NodeId id) {
  PRESSO_ASSIGN(const Validity valid, validity_of(id));
  nullable_ = static_cast<std::uint16_t>(nullable_ | valid.columns);
  return valid;
}

/// Whether any node has a value.
Result<PipelineBuilder::Truth> PipelineBuilder::is_not_null(NodeId id) {
  PRESSO_ASSIGN(const Validity valid, validity_of(id));
  return truth_of(valid);
}

/// Whether AND, OR, CASE or COALESCE, which may be null, has a value.
Result<PipelineBuilder::Truth> PipelineBuilder::is_there(NodeId id) {
  const Node& node = graph_->at(id);
  switch (node.step) {
    case Step::kAnd:
    case Step::kOr: {
      PRESSO_ASSIGN(const Truth yes, is_true(id, false));
      PRESSO_ASSIGN(const Truth no, is_true(id, true));
      return one_of(yes, no);
    }
    case Step::kCoalesce: {
      Truth any{false};
      for (const NodeId argument : node.arguments) {
        PRESSO_ASSIGN(const Truth one, is_not_null(argument));
        PRESSO_ASSIGN(any, either(any, one));
      }
      return any;
    }
    default:
      break;
  }
  PRESSO_ASSIGN(Truth there, is_not_null(node.arguments.back()));
  for (std::size_t i = node.arguments.size() - 1; i >= 2; i -= 2) {
    PRESSO_ASSIGN(const Truth chosen, is_true(node.arguments[i - 2], false));
    PRESSO_ASSIGN(const Truth then, is_not_null(node.arguments[i - 1]));
    PRESSO_ASSIGN(const Truth taken, both(chosen, then));
    PRESSO_ASSIGN(const Truth other, negation(chosen));
    PRESSO_ASSIGN(const Truth left, both(other, there));
    PRESSO_ASSIGN(there, one_of(taken, left));
  }
  return there;
}

// --- truths

Result<PipelineBuilder::Truth> PipelineBuilder::both(const Truth& a, const Truth& b) {
  if (a.is_never() || b.is_never()) return Truth{false};
  if (a.is_always() || a == b) return b;
  if (b.is_always()) return a;
  PRESSO_ASSIGN(const std::size_t value, append(Kind::kMultiply, *a.value, *b.value, false));
  return Truth{true, value};
}

Result<PipelineBuilder::Truth> PipelineBuilder::negation(const Truth& of) {
  if (!of.value) return Truth{!of.constant};
  PRESSO_ASSIGN(const std::size_t value, append(Kind::kNot, *of.value, *of.value, false));
  return Truth{true, value};
}

Result<PipelineBuilder::Truth> PipelineBuilder::either(const Truth& a, const Truth& b) {
  if (a.is_never() || b.is_always() || a == b) return b;
  if (b.is_never() || a.is_always()) return a;
  PRESSO_ASSIGN(const Truth not_a, negation(a));
  PRESSO_ASSIGN(const Truth not_b, negation(b));
  PRESSO_ASSIGN(const Truth neither, both(not_a, not_b));
  return negation(neither);
}

/// Either, of which never both are true.
Result<PipelineBuilder::Truth> PipelineBuilder::one_of(const Truth& a, const Truth& b) {
  if (!a.value || !b.value) return either(a, b);
  PRESSO_ASSIGN(const std::size_t value, append(Kind::kAdd, *a.value, *b.value, false));
  return Truth{true, value};
}

Result<std::size_t> PipelineBuilder::value_of_truth(const Truth& truth) {
  if (truth.value) return *truth.value;
  return constant_value(truth.constant ? 1 : 0, false);
}

Result<std::size_t> PipelineBuilder::constant_value(std::int64_t number, bool is_wide) {
  Value value;
  value.step.kind = Kind::kConstant;
  value.step.constant = number;
  value.is_wide = is_wide;
  return append(std::move(value));
}

bool PipelineBuilder::combines_truths(NodeId id) const {
  const Node& node = graph_->at(id);
  if (node.kind != Node::Kind::kStep) return false;
  return node.step == Step::kAnd || node.step == Step::kOr || node.step == Step::kNot;
}

/// Whether the node is true, or false if `negated`, and not null: of AND, OR and NOT that is known
/// of their arguments by the same question.
Result<PipelineBuilder::Truth> PipelineBuilder::is_true(NodeId id, bool negated) {
  const auto known = true_.find({graph_, id, negated});
  if (known != true_.end()) return known->second;
  PRESSO_ASSIGN(const Truth truth, find_truth(id, negated));
  true_[{graph_, id, negated}] = truth;
  return truth;
}

Result<PipelineBuilder::Truth> PipelineBuilder::find_truth(NodeId id, bool negated) {
  const Node& node = graph_->at(id);
  if (node.kind == Node::Kind::kConstant) {
    return Truth{!node.is_null && (node.integer != 0) != negated};
  }
  if (!combines_truths(id)) {
    PRESSO_ASSIGN(const Truth there, is_not_null(id));
    PRESSO_ASSIGN(const std::size_t value, value_of(id));
    Truth truth{true, value};
    if (negated) {
      PRESSO_ASSIGN(truth, negation(truth));
    }
    return both(truth, there);
  }
  if (node.step == Step::kNot) return is_true(node.arguments[0], !negated);
  // One of them is true where not all are not.
  const bool wants_all = (node.step == Step::kAnd) != negated;
  Truth all{true};
  for (const NodeId argument : node.arguments) {
    PRESSO_ASSIGN(Truth one, is_true(argument, negated));
    if (!wants_all) {
      PRESSO_ASSIGN(one, negation(one));
    }
    PRESSO_ASSIGN(all, both(all, one));
  }
  return wants_all ? Result<Truth>(all) : negation(all);
}

Result<std::size_t> PipelineBuilder::value_of_is_null(const Node& node) {
  // What has no result in a row fails, null or not: a value tells that there is no such row.
  if (graph_->may_fail(node.arguments[0])) PRESSO_TRY(value_of(node.arguments[0]));
  PRESSO_ASSIGN(const Truth there, is_not_null(node.arguments[0]));
  PRESSO_ASSIGN(const Truth truth, negation(there));
  return value_of_truth(truth);
}

/// Different where one of both is null, or where both are there and not equal.
Result<std::size_t> PipelineBuilder::value_of_distinct(NodeId id) {
  const Node& node = graph_->at(id);
  // As in value_of_is_null().
  for (const NodeId argument : node.arguments) {
    if (graph_->may_fail(argument)) PRESSO_TRY(value_of(argument));
  }
  PRESSO_ASSIGN(const Truth a, is_not_null(node.arguments[0]));
  PRESSO_ASSIGN(const Truth b, is_not_null(node.arguments[1]));
  PRESSO_ASSIGN(const Truth have_both, both(a, b));
  PRESSO_ASSIGN(const Truth have_any, either(a, b));
  Truth differ{false};
  if (!have_both.is_never()) {
    const bool is_real = graph_->at(node.arguments[0]).physical == Physical::kDouble;
    PRESSO_ASSIGN(const std::size_t value, is_real ? append_real(RealOperation::kNotEqual, id)
                                                   : operation(Kind::kNotEqual, node));
    PRESSO_ASSIGN(differ, both(have_both, Truth{true, value}));
  }
  PRESSO_ASSIGN(const Truth not_both, negation(have_both));
  PRESSO_ASSIGN(const Truth lone, both(have_any, not_both));
  PRESSO_ASSIGN(const Truth distinct, one_of(differ, lone));
  return value_of_truth(distinct);
}

// --- choices

/// A truth times a number, or a double's bits, or times a constant, which is no value of its own.
Result<std::size_t> PipelineBuilder::times(std::size_t truth, NodeId id, bool is_wide) {
  const std::optional<std::int64_t> constant = constant_bits(id);
  if (constant) return append_constant(Kind::kMultiply, truth, *constant, is_wide);
  PRESSO_ASSIGN(const std::size_t value, value_of(id));
  return append(Kind::kMultiply, truth, value, is_wide);
}

/// The value of a constant, of a double its bits; nullopt for NULL and for other nodes.
std::optional<std::int64_t> PipelineBuilder::constant_bits(NodeId id) const {
  const Node& node = graph_->at(id);
  const bool is_real = node.kind == Node::Kind::kConstant && node.physical == Physical::kDouble;
  if (is_real && !node.is_null) return std::bit_cast<std::int64_t>(node.real);
  return constant_of(id);
}

/// What a branch gives; nothing where it is null, which any value will do for.
Result<std::optional<std::size_t>> PipelineBuilder::branch_value(NodeId id, bool is_wide) {
  if (is_null_constant(graph_->at(id))) return std::optional<std::size_t>();
  Result<std::size_t> value = std::size_t{0};
  if (const std::optional<std::int64_t> constant = constant_bits(id)) {
    value = constant_value(*constant, is_wide);
  } else {
    value = value_of(id);
  }
  if (!value.ok()) return value.error();
  return std::optional(*value);
}

/// Without a jump: truth * what the branch gives + not truth * what is chosen else.
Result<std::optional<std::size_t>> PipelineBuilder::choose(const Truth& truth, NodeId branch,
                                                           std::optional<NodeId> last,
                                                           std::optional<std::size_t> otherwise,
                                                           bool is_wide) {
  const bool has_otherwise = otherwise || (last && !is_null_constant(graph_->at(*last)));
  const bool has_branch = !is_null_constant(graph_->at(branch));
  if (truth.is_always() || !has_otherwise) return branch_value(branch, is_wide);
  if (truth.is_never() || !has_branch) {
    return otherwise ? Result<std::optional<std::size_t>>(otherwise) : branch_value(*last, is_wide);
  }
  PRESSO_ASSIGN(const Truth other, negation(truth));
  PRESSO_ASSIGN(const std::size_t then, times(*truth.value, branch, is_wide));
  std::size_t left = 0;
  if (otherwise) {
    PRESSO_ASSIGN(left, append(Kind::kMultiply, *other.value, *otherwise, is_wide));
  } else {
    PRESSO_ASSIGN(left, times(*other.value, *last, is_wide));
  }
  PRESSO_ASSIGN(const std::size_t made, append(Kind::kAdd, then, left, is_wide));
  return std::optional(made);
}

/// The last branch first.
Result<std::size_t> PipelineBuilder::value_of_case(const Node& node) {
  const bool wide = is_wide(node);
  std::optional<std::size_t> value;
  std::optional<NodeId> last = node.arguments.back();
  for (std::size_t i = node.arguments.size() - 1; i >= 2; i -= 2) {
    PRESSO_ASSIGN(const Truth truth, is_true(node.arguments[i - 2], false));
    PRESSO_ASSIGN(value, choose(truth, node.arguments[i - 1], last, value, wide));
    last.reset();
  }
  if (value) return *value;
  return constant_value(0, wide);
}

/// The last argument first, of which the others leave what they have no value for.
Result<std::size_t> PipelineBuilder::value_of_coalesce(const Node& node) {
  const bool wide = is_wide(node);
  std::optional<std::size_t> value;
  std::optional<NodeId> last = node.arguments.back();
  if (node.arguments.size() == 1) return value_of(node.arguments[0]);
  for (std::size_t i = node.arguments.size() - 1; i-- > 0;) {
    PRESSO_ASSIGN(const Truth there, is_not_null(node.arguments[i]));
    PRESSO_ASSIGN(value, choose(there, node.arguments[i], last, value, wide));
    last.reset();
  }
  if (value) return *value;
  return constant_value(0, wide);
}

}  // namespace presso::gpu
