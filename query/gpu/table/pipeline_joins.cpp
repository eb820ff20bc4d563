// SPDX-License-Identifier: MIT
// PipelineBuilder: stages of joins become steps that look keys up and gather columns of the rows
// that were found.
#include <algorithm>
#include <bit>
#include <limits>

#include "query/gpu/kernels/node_width.h"
#include "query/gpu/table/pipeline_builder.h"
#include "query/rows/table_facts.h"
#include "query/run/key_order.h"

namespace presso::gpu {
namespace {

using query::BoundStage;
using query::KeySpec;
using query::Node;
using query::NodeId;
using query::Physical;
using query::StageKind;
using Kind = PipelineStep::Kind;

/// Of a number that orders rows; signed ones of 64 bits hold it.
constexpr unsigned kMostOrderBits = 62;

}  // namespace

void PipelineBuilder::enter_scan() {
  graph_ = execution_.scan.input.get();
  is_scan_ = true;
}

void PipelineBuilder::enter_joins() {
  graph_ = execution_.query.input.get();
  is_scan_ = execution_.tree == nullptr;
}

/// The stage whose build side has the column; nothing: it is the table's own.
std::optional<std::size_t> PipelineBuilder::stage_of(std::size_t column) const {
  if (is_scan_) return std::nullopt;
  const std::size_t source = execution_.query.joins->source_of(column);
  const auto& stages = execution_.tree->stages;
  for (std::size_t stage = 0; stage < stages.size(); ++stage) {
    if (stages[stage].build.has(source)) return stage;
  }
  return std::nullopt;
}

// --- stages

Status PipelineBuilder::add_joins() {
  if (execution_.tree == nullptr) return {};
  enter_joins();
  for (const BoundStage& stage : execution_.tree->stages) PRESSO_TRY(add_stage(stage));
  if (!execution_.is_whole) return {};
  for (const NodeId condition : execution_.query.conditions) {
    PRESSO_TRY(add_truth(condition, false));
  }
  return {};
}

namespace {

/// The step that looks up. Where pairs are checked rows are left for that.
Kind kind_of_find(const BoundStage& stage) {
  const bool checks = !stage.residual.empty();
  switch (stage.kind) {
    case StageKind::kProbeSemi:
      return checks ? Kind::kFind : Kind::kFindAny;
    case StageKind::kProbeAnti:
      return checks ? Kind::kFindOrNone : Kind::kFindNone;
    case StageKind::kProbeOuter:
    case StageKind::kFullOuter:
      return Kind::kFindOrNone;
    default:
      return Kind::kFind;
  }
}

/// What a strategy is on a GPU; nothing: that is to be found out.
std::optional<LookupForm> form_of(JoinStrategy strategy) {
  switch (strategy) {
    case JoinStrategy::kMerge:
      return LookupForm::kAscending;
    case JoinStrategy::kDirect:
      return LookupForm::kArray;
    case JoinStrategy::kUnchained:
      return LookupForm::kTable;
    default:
      return std::nullopt;
  }
}

}  // namespace

/// Whether keys of both sides probably ascend, where that matters: an array is as good.
bool PipelineBuilder::both_ascend(const StageUse& use) const {
  const BoundStage& stage = *use.stage;
  if (stage.build_keys.size() != 1) return false;
  const std::uint64_t rows = query::rows_of(execution_.sources[stage.build.root]);
  if (rows > kMostLookupRows || !stage.build.stages.empty()) return false;
  if (LookupPlan(rows, key_range(use)).form() == LookupForm::kArray) return false;
  return query::keys_ascend(execution_, stage.build.root, stage.build_keys) &&
         query::keys_ascend(execution_, execution_.tree->root, stage.probe_keys);
}

Status PipelineBuilder::add_stage(const BoundStage& stage) {
  if (stages_.size() == kMostLookups) return refused("more than eight joins");
  StageUse use;
  use.stage = &stage;
  use.form = form_of(execution_.options.join_strategy);
  PRESSO_TRY(number_key_strings(use));
  use.ascends = !use.form && both_ascend(use);
  Value find;
  PRESSO_ASSIGN(const std::size_t key, key_value(use, true));
  // Others find no row of another part's key, and are dropped anyway.
  if (stage_in_parts_ == stages_.size() && leaves_lone_rows(stage.kind)) {
    PRESSO_ASSIGN(use.part_step, filter_part(key, {}));
  }
  find.step.kind = kind_of_find(stage);
  find.step.column = static_cast<Byte>(stages_.size());
  find.from = {key};
  PRESSO_ASSIGN(use.find, append(std::move(find)));
  use.row = use.end = use.find;
  stages_.push_back(std::move(use));
  if (leaves_lone_rows(stage.kind) || stage.kind == StageKind::kProbeSemi) {
    PRESSO_TRY(check_pairs(stages_.back()));
  } else {
    for (const NodeId condition : stage.residual) PRESSO_TRY(add_truth(condition, false));
  }
  if (stages_.back().gives_build_rows()) PRESSO_TRY(mark_rows(stages_.back()));
  return {};
}

/// Conditions on pairs where rows without one, or one pair only, matter.
Status PipelineBuilder::check_pairs(StageUse& use) {
  if (use.stage->residual.empty()) return {};
  Truth all{true};
  for (const NodeId condition : use.stage->residual) {
    PRESSO_ASSIGN(const Truth one, is_true(condition, false));
    PRESSO_ASSIGN(all, both(all, one));
  }
  PRESSO_ASSIGN(const std::size_t belong, value_of_truth(all));
  Value check;
  check.step.kind = use.stage->kind == StageKind::kProbeSemi   ? Kind::kCheckAny
                    : use.stage->kind == StageKind::kProbeAnti ? Kind::kCheckNone
                                                               : Kind::kCheckOrNone;
  check.step.column = values_[use.find].step.column;
  check.from = {use.find, belong};
  PRESSO_ASSIGN(use.end, append(std::move(check)));
  if (values_[use.end].step.kind == Kind::kCheckOrNone) use.row = use.end;
  // What was gathered is of rows that do not belong together.
  known_.clear();
  truths_.clear();
  theres_.clear();
  true_.clear();
  return {};
}

/// Build rows that have found a partner.
Status PipelineBuilder::mark_rows(StageUse& use) {
  Value mark;
  mark.step.kind = query::gives_pairs(use.stage->kind) ? Kind::kMark : Kind::kMarkOnly;
  mark.step.column = values_[use.find].step.column;
  mark.from = {use.row};
  PRESSO_ASSIGN(use.end, append(std::move(mark)));
  return {};
}

/// Whether rows that are dropped from here on may have marked build rows before.
bool PipelineBuilder::marks_rows() const {
  return std::any_of(stages_.begin(), stages_.end(),
                     [](const StageUse& use) { return use.gives_build_rows(); });
}

Result<Byte> PipelineBuilder::array_of(StageUse& use, const RowColumn& column) {
  const auto known = std::find(use.columns.begin(), use.columns.end(), column);
  if (known != use.columns.end()) {
    return use.arrays[static_cast<std::size_t>(known - use.columns.begin())];
  }
  if (arrays_ == kMostRowArrays || use.columns.size() + 1 == kMostRowArrays) {
    return refused("too many columns of joined tables");
  }
  use.columns.push_back(column);
  use.arrays.push_back(arrays_++);
  return use.arrays.back();
}

/// Of the table's own row. A column that is a key of several things is gathered once.
Result<std::size_t> PipelineBuilder::code_of_row(const RowCodes& codes, std::int64_t null_number) {
  const auto known = std::find_if(row_codes_.begin(), row_codes_.end(), [&](const RowCodes& one) {
    return one.codes == codes.codes && one.there.values == codes.there.values;
  });
  if (known != row_codes_.end()) {
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const PipelineStep& step = values_[i].step;
      const bool is_same =
          step.kind == Kind::kGather && step.column == known->array && step.constant == null_number;
      if (is_same) return i;
    }
  }
  if (arrays_ == kMostRowArrays) return refused("too many columns of joined tables");
  Value row;
  row.step.kind = Kind::kRow;
  row.is_wide = true;
  PRESSO_ASSIGN(const std::size_t number, append(std::move(row)));
  Value value;
  value.step.kind = Kind::kGather;
  value.step.column = arrays_;
  value.step.constant = null_number;
  value.from = {number};
  row_codes_.push_back(codes);
  row_codes_.back().array = arrays_++;
  return append(std::move(value));
}

Result<std::size_t> PipelineBuilder::gathered(StageUse& use, const RowColumn& column) {
  PRESSO_ASSIGN(const Byte array, array_of(use, column));
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const bool is_same = values_[i].step.kind == Kind::kGather && values_[i].step.column == array &&
                         values_[i].from[0] == use.row;
    if (is_same) return i;
  }
  Value value;
  value.step.kind = Kind::kGather;
  value.step.column = array;
  value.step.constant = column.null_value.value_or(0);
  value.from = {use.row};
  value.is_wide = column.is_wide;
  return append(std::move(value));
}

// --- rows that are written

Status PipelineBuilder::add_rows(const StageUse& use, const KeyInterval& part, bool numbers) {
  enter_joins();
  if (marks_rows()) return refused("a build side that has build rows itself");
  PRESSO_ASSIGN(const std::size_t key, key_value(use, false));
  if (!part.is_all()) {
    PRESSO_ASSIGN([[maybe_unused]] const std::size_t step, filter_part(key, part));
  }
  outputs_.emplace_back(key, true);
  for (const RowColumn& column : use.columns) {
    if (column.column == RowColumn::kOrder) {
      order_output_ = outputs_.size();
      outputs_.emplace_back(key, true);  // until it is known
      PRESSO_TRY(want_order());
      continue;
    }
    PRESSO_ASSIGN(const std::size_t value, column_value(column));
    outputs_.emplace_back(value, column.is_wide);
  }
  if (!numbers || order_output_) return {};
  if (outputs_.size() == kMostRowArrays) return refused("too many columns of joined tables");
  order_output_ = outputs_.size();
  outputs_.emplace_back(key, true);
  return want_order();
}

Status PipelineBuilder::add_result(const std::vector<std::size_t>& columns) {
  enter_joins();
  order_output_ = 0;
  outputs_.emplace_back(0, true);  // until it is known
  PRESSO_TRY(want_order());
  for (const std::size_t column : columns) {
    const Node& node = *column_node(column);
    PRESSO_ASSIGN(RowColumn wanted, row_column(node));
    if (node.physical != Physical::kString && nullable_node(column) != nullptr) {
      const auto null_value = null_number(node);
      if (!null_value) return refused("columns that may be null or anything");
      wanted = with_null(node, null_value);
    }
    // Of floats no NaN has the bits that stand for nulls.
    if (wanted.is_real && wanted.null_value && node.schema.type != ColumnType::kFloat) {
      PRESSO_TRY(add_real_result(node));
      continue;
    }
    PRESSO_ASSIGN(const std::size_t value, column_value(wanted));
    PRESSO_TRY(add_output(value, wanted.is_wide));
    result_columns_.push_back(wanted);
  }
  return {};
}

Status PipelineBuilder::add_output(std::size_t value, bool is_wide) {
  if (outputs_.size() == kMostRowArrays) return refused("more than 15 columns of joined rows");
  outputs_.emplace_back(value, is_wide);
  return {};
}

/// A double that may be null, with all bits that it has, and whether it is there: no bits are left
/// that could stand for nulls.
Status PipelineBuilder::add_real_result(const Node& node) {
  RowColumn bits = with_null(node, {});
  PRESSO_ASSIGN(const std::size_t value, column_value(bits));
  PRESSO_TRY(add_output(value, true));
  PRESSO_ASSIGN(const std::size_t or_null, column_value(with_null(node, kNullReal)));
  PRESSO_ASSIGN(const std::size_t truth,
                append_constant(Kind::kNotEqual, or_null, kNullReal, false));
  PRESSO_TRY(add_output(truth, false));
  bits.has_truth = true;
  result_columns_.push_back(bits);
  return {};
}

/// The steps up to the last one of the first stages that leave few rows each, where a row of the
/// table has as many partners as one of the build side's table; 0: too many rows are left, or
/// nothing is to be done with them. Columns of later steps are read where a row is left.
std::size_t PipelineBuilder::steps_of_selective_joins() const {
  constexpr double kFewRows = 0.5;
  constexpr double kFewTogether = 0.2;
  double share = 1;
  std::size_t end = 0;
  for (const StageUse& use : stages_) {
    if (leaves_lone_rows(use.stage->kind) || use.share >= kFewRows) break;
    share *= use.share;
    end = use.find + 1;
    if (use.has_chains()) break;  // what follows depends on which build row it is
  }
  return share < kFewTogether && end < values_.size() ? end : 0;
}

// --- the order of pairs

/// Asks for the order of build rows, wherever a row may have several.
Status PipelineBuilder::want_order() {
  is_ordered_ = true;
  RowColumn order;
  order.column = RowColumn::kOrder;
  order.is_wide = true;
  for (StageUse& use : stages_) {
    const bool may_order = query::gives_pairs(use.stage->kind) || use.gives_build_rows();
    if (may_order) PRESSO_TRY(array_of(use, order));
  }
  return {};
}

unsigned PipelineBuilder::bits_of_repeats() const {
  unsigned bits = 0;
  for (const StageUse& use : stages_) {
    if (use.multiplies()) bits += use.order_bits;
  }
  return bits;
}

unsigned PipelineBuilder::order_bits() const {
  return static_cast<unsigned>(std::bit_width(first_build_row(stages_.size()))) + bits_of_repeats();
}

std::uint64_t PipelineBuilder::order_limit() const {
  return first_build_row(stages_.size()) << (order_ ? bits_of_repeats() : 0);
}

std::uint64_t PipelineBuilder::first_build_row(std::size_t stage) const {
  std::uint64_t first = query::rows_of(execution_.tables);
  for (std::size_t i = 0; i < stage; ++i) {
    if (stages_[i].gives_build_rows()) first += build_row_limit(i);
  }
  return first;
}

std::uint64_t PipelineBuilder::build_row_limit(std::size_t stage) const {
  return std::uint64_t{1} << stages_[stage].order_bits;
}

/// Pairs of a row are in the order of the first stage's build rows, then of the second one's, and
/// so on; of those that have several.
Status PipelineBuilder::add_order(Pipeline& pipeline) {
  if (!is_ordered_ || (bits_of_repeats() == 0 && !order_output_)) return {};
  if (order_bits() > kMostOrderBits) return refused("joins of too many rows to be put in order");
  std::optional<std::size_t> order;
  if (order_output_) {
    Value row;
    row.step.kind = Kind::kRow;
    row.is_wide = true;
    PRESSO_ASSIGN(order, append(std::move(row)));
    order_row_ = order;
  }
  RowColumn column;
  column.column = RowColumn::kOrder;
  column.is_wide = true;
  for (StageUse& use : stages_) {
    if (!use.multiplies()) continue;
    PRESSO_ASSIGN(const std::size_t own, gathered(use, column));
    if (order) {
      PRESSO_ASSIGN(
          order, append_constant(Kind::kMultiply, *order, std::int64_t{1} << use.order_bits, true));
      PRESSO_ASSIGN(order, append(Kind::kAdd, *order, own, true));
    } else {
      order = own;
    }
  }
  if (order_output_) {
    outputs_[*order_output_].first = *order;
  } else {
    order_ = order;
    pipeline.order_bits = static_cast<Byte>(bits_of_repeats());
  }
  return {};
}

// --- groups by build rows

/// The column of the build side that has the key's value.
std::optional<std::size_t> PipelineBuilder::column_of_row(const BoundStage& stage,
                                                          NodeId key) const {
  if (!graph_->is_column(key)) return std::nullopt;
  const std::size_t column = graph_->at(key).column;
  if (stage.build.has(execution_.query.joins->source_of(column))) return column;
  for (std::size_t i = 0; i < stage.probe_keys.size(); ++i) {
    if (stage.probe_keys[i] == key && graph_->is_column(stage.build_keys[i])) {
      return graph_->at(stage.build_keys[i]).column;
    }
  }
  return std::nullopt;
}

/// Whether the keys of groups have the stage's key among them, so that rows of one group have one
/// build row.
bool PipelineBuilder::tells_row(const BoundStage& stage) const {
  if (stage.kind != StageKind::kInner) return false;
  const std::vector<NodeId>& keys = execution_.query.keys;
  for (std::size_t i = 0; i < stage.probe_keys.size(); ++i) {
    const bool is_told = std::any_of(keys.begin(), keys.end(), [&](NodeId key) {
      return graph_->is_column(key) &&
             (key == stage.build_keys[i] ||
              (key == stage.probe_keys[i] && graph_->is_column(stage.build_keys[i])));
    });
    if (!is_told) return false;
  }
  return true;
}

/// Where groups are too many to be told by their keys' ranges: the stage whose build rows they are.
std::optional<std::size_t> PipelineBuilder::choose_row_stage() const {
  if (marks_rows()) return std::nullopt;  // rows of other build sides come out, too
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    if (tells_row(*stages_[stage].stage)) return stage;
  }
  return std::nullopt;
}

Status PipelineBuilder::add_key_of_row(std::size_t column, const KeySpec& spec,
                                       const StringKeyNumbers& numbers) {
  RowColumn wanted;
  wanted.column = column;
  wanted.codes = numbers.codes;
  wanted.strings = numbers.strings;
  if (numbers.strings != nullptr) {
    wanted.null_value = numbers.strings->null_number();
  } else if (numbers.codes != nullptr) {
    if (spec.nullable) wanted.null_value = numbers.codes->null_number();
  } else if (spec.physical == Physical::kInt64) {
    const bool is_known = spec.least <= spec.most;
    if (spec.nullable) {
      if (!is_known || spec.most == std::numeric_limits<std::int64_t>::max()) {
        return refused("keys up to the end of 64 bits");
      }
      wanted.null_value = spec.most + 1;
    }
    wanted.is_wide = !is_known || spec.least < std::numeric_limits<std::int32_t>::min() ||
                     spec.most >= std::numeric_limits<std::int32_t>::max();
  } else {
    return refused("keys of groups that are neither integers nor strings that have numbers");
  }
  StageUse& use = stages_[*row_stage_];
  PRESSO_TRY(array_of(use, wanted));
  Key key;
  key.codes = numbers.codes;
  key.strings = numbers.strings;
  key.of_row = static_cast<std::size_t>(std::find(use.columns.begin(), use.columns.end(), wanted) -
                                        use.columns.begin());
  keys_.push_back(key);
  return {};
}

Status PipelineBuilder::set_side(std::size_t stage, std::uint64_t rows, bool repeats,
                                 unsigned order_bits) {
  stages_[stage].rows = rows;
  stages_[stage].repeats = repeats;
  // Which array that is finish() says.
  if (repeats && may_count(stages_[stage])) stages_[stage].counts = Byte{0};
  stages_[stage].order_bits = order_bits;
  const auto all = query::rows_of(execution_.sources[stages_[stage].stage->build.root]);
  stages_[stage].share =
      static_cast<double>(rows) / static_cast<double>(std::max<std::uint64_t>(all, 1));
  if (row_stage_ != stage) return {};
  if (repeats) return refused("groups by keys that repeat in the table that is joined");
  if (rows > most_numbered() / row_stride_) {
    return refused("groups by too many rows of the table that is joined");
  }
  groups_ = row_stride_ * std::max<std::uint64_t>(rows, 1);
  return {};
}

}  // namespace presso::gpu
