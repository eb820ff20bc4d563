// SPDX-License-Identifier: MIT
// PipelineBuilder: stages of joins as steps that look keys up and gather columns of the rows that
// they find.
#include <algorithm>
#include <bit>
#include <limits>

#include "scan/gpu/table/pipeline_builder.h"
#include "scan/query/table_facts.h"

namespace presso::gpu {
namespace {

using query::BoundStage;
using query::Int128;
using query::KeySpec;
using query::Node;
using query::NodeId;
using query::Physical;
using query::StageKind;
using Kind = PipelineStep::Kind;

/// How many numbers there are in a range; nothing: too many for a key of 63 bits.
std::optional<std::uint64_t> values_of(const query::Range& range) {
  if (!range.known || range.most < range.least) return std::nullopt;
  const Int128 values = range.most - range.least + 1;
  if (values > std::numeric_limits<std::int64_t>::max()) return std::nullopt;
  return static_cast<std::uint64_t>(values);
}

/// Of a number that orders rows; signed ones of 64 bits hold it.
constexpr unsigned kMostOrderBits = 62;

/// Whether rows without a partner, or without a key, are left.
bool leaves_lone_rows(StageKind kind) {
  return kind == StageKind::kProbeAnti || kind == StageKind::kProbeOuter;
}

std::uint64_t image_of(Int128 value) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(value));
}

}  // namespace

std::vector<KeyStride> key_strides(const query::Graph& graph, const BoundStage& stage) {
  if (stage.build_keys.size() == 1) return {KeyStride{}};
  std::vector<KeyStride> strides;
  std::uint64_t stride = 1;
  for (const NodeId key : stage.build_keys) {
    const query::Range& range = graph.at(key).range;
    const auto values = values_of(range);
    if (!values || *values > std::numeric_limits<std::int64_t>::max() / stride) return {};
    strides.push_back({image_of(range.least), stride});
    stride *= *values;
  }
  return strides;
}

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

Status PipelineBuilder::add_stage(const BoundStage& stage) {
  Value find;
  switch (stage.kind) {
    case StageKind::kInner:
      find.step.kind = Kind::kFind;
      break;
    case StageKind::kProbeSemi:
      find.step.kind = Kind::kFindAny;
      break;
    case StageKind::kProbeAnti:
      find.step.kind = Kind::kFindNone;
      break;
    case StageKind::kProbeOuter:
      find.step.kind = Kind::kFindOrNone;
      break;
    default:
      return refused("joins that give rows of the smaller side");
  }
  const bool is_inner = stage.kind == StageKind::kInner;
  if (!is_inner && !stage.residual.empty()) {
    return refused("conditions on pairs of joins that are no inner ones");
  }
  if (stages_.size() == kMostLookups) return refused("more than eight joins");
  PRESSO_ASSIGN(const std::size_t key,
                leaves_lone_rows(stage.kind) ? outer_key(stage) : key_value(stage, true));
  find.step.column = static_cast<Byte>(stages_.size());
  find.from = {key};
  StageUse use;
  use.stage = &stage;
  PRESSO_ASSIGN(use.step, append(std::move(find)));
  stages_.push_back(std::move(use));
  for (const NodeId condition : stage.residual) PRESSO_TRY(add_truth(condition, false));
  return {};
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

/// Of the table's own row.
Result<std::size_t> PipelineBuilder::code_of_row(const query::KeyCodes& codes) {
  if (arrays_ == kMostRowArrays) return refused("too many columns of joined tables");
  Value row;
  row.step.kind = Kind::kRow;
  row.is_wide = true;
  PRESSO_ASSIGN(const std::size_t number, append(std::move(row)));
  Value value;
  value.step.kind = Kind::kGather;
  value.step.column = arrays_;
  value.from = {number};
  row_codes_.push_back({arrays_++, &codes});
  return append(std::move(value));
}

Result<std::size_t> PipelineBuilder::gathered(StageUse& use, const RowColumn& column) {
  PRESSO_ASSIGN(const Byte array, array_of(use, column));
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].step.kind == Kind::kGather && values_[i].step.column == array) return i;
  }
  Value value;
  value.step.kind = Kind::kGather;
  value.step.column = array;
  value.step.constant = column.null_value.value_or(0);
  value.from = {use.step};
  value.is_wide = column.is_wide;
  return append(std::move(value));
}

// --- keys

std::optional<LookupPlan::Range> PipelineBuilder::key_range(const BoundStage& stage) const {
  const query::Graph& graph = *execution_.query.input;
  if (stage.build_keys.size() == 1) {
    const query::Range& range = graph.at(stage.build_keys[0]).range;
    if (!values_of(range)) return std::nullopt;
    return LookupPlan::Range{image_of(range.least), image_of(range.most)};
  }
  std::uint64_t values = 1;
  for (const NodeId key : stage.build_keys) values *= *values_of(graph.at(key).range);
  return LookupPlan::Range{0, values - 1};
}

/// Keys as one number: a single one as it is, of several what the build side's ranges make of them.
/// Rows with a key that is null, or that no build row has, are dropped.
Result<std::size_t> PipelineBuilder::key_value(const BoundStage& stage, bool of_probe) {
  const auto& keys = of_probe ? stage.probe_keys : stage.build_keys;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (graph_->at(keys[i]).physical != Physical::kInt64) {
      return refused("keys of a join that are no integers");
    }
    PRESSO_TRY(drop_nulls(keys[i]));
  }
  if (keys.size() == 1) return value_of(keys[0]);
  const std::vector<KeyStride> strides = key_strides(*graph_, stage);
  if (strides.empty()) return refused("keys of a join that do not fit into 63 bits together");
  std::optional<std::size_t> key;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    PRESSO_ASSIGN(key, with_part_of_key(stage, i, of_probe, strides[i], key));
  }
  return *key;
}

/// The same where rows without a partner, or a key, are left.
Result<std::size_t> PipelineBuilder::outer_key(const BoundStage& stage) {
  if (stage.probe_keys.size() > 1) {
    return refused("joins by several keys that leave rows without a partner");
  }
  const Node& key = graph_->at(stage.probe_keys[0]);
  PRESSO_ASSIGN(const Validity valid, validity_of(stage.probe_keys[0]));
  if (valid.is_everywhere()) return key_value(stage, true);
  const auto no_key = null_number(graph_->at(stage.build_keys[0]));
  if (key.kind != Node::Kind::kColumn || key.physical != Physical::kInt64 || !no_key) {
    return refused("keys that may be null, of joins that leave rows without a partner");
  }
  return column_value(with_null(key, no_key));
}

Result<std::size_t> PipelineBuilder::with_part_of_key(const BoundStage& stage, std::size_t i,
                                                      bool of_probe, const KeyStride& stride,
                                                      std::optional<std::size_t> key) {
  const query::Range& range = graph_->at(stage.build_keys[i]).range;
  const auto least = static_cast<std::int64_t>(range.least);
  const auto most = static_cast<std::int64_t>(range.most);
  const NodeId node = of_probe ? stage.probe_keys[i] : stage.build_keys[i];
  PRESSO_ASSIGN(std::size_t part, value_of(node));
  const query::Range& own = graph_->at(node).range;
  if (!own.known || own.least < range.least) {
    PRESSO_ASSIGN(const std::size_t truth, append_constant(Kind::kLessEqual, part, least, false));
    std::swap(values_[truth].step.a_is_constant, values_[truth].step.b_is_constant);
    PRESSO_TRY(filter_by(truth));
  }
  if (!own.known || own.most > range.most) {
    PRESSO_ASSIGN(const std::size_t truth, append_constant(Kind::kLessEqual, part, most, false));
    PRESSO_TRY(filter_by(truth));
  }
  PRESSO_ASSIGN(part, append_constant(Kind::kSubtract, part, least, true));
  if (stride.stride != 1) {
    PRESSO_ASSIGN(part, append_constant(Kind::kMultiply, part,
                                        static_cast<std::int64_t>(stride.stride), true));
  }
  if (key) {
    PRESSO_ASSIGN(part, append(Kind::kAdd, *key, part, true));
  }
  return part;
}

Status PipelineBuilder::add_rows(const StageUse& use) {
  enter_joins();
  PRESSO_ASSIGN(const std::size_t key, key_value(*use.stage, false));
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
  return {};
}

Status PipelineBuilder::add_result(const std::vector<std::size_t>& columns) {
  enter_joins();
  order_output_ = 0;
  outputs_.emplace_back(0, true);  // until it is known
  PRESSO_TRY(want_order());
  for (const std::size_t column : columns) {
    const Node& node = *column_node(column);
    PRESSO_ASSIGN(RowColumn wanted, row_column(node));
    if (node.physical == Physical::kInt64 && nullable_node(column) != nullptr) {
      const auto null_value = null_number(node);
      if (!null_value) return refused("columns that may be null or anything");
      wanted = with_null(node, null_value);
    }
    if (outputs_.size() == kMostRowArrays) return refused("more than 15 columns of joined rows");
    PRESSO_ASSIGN(const std::size_t value, column_value(wanted));
    outputs_.emplace_back(value, wanted.is_wide);
    result_columns_.push_back(wanted);
  }
  return {};
}

/// Up to the last one of the first stages that leave few rows each, where a row of the table has as
/// many partners as one of the build side's table; 0: too many rows are left, or nothing is to be
/// done with them.
std::size_t PipelineBuilder::first_steps() const {
  constexpr double kFewRows = 0.5;
  constexpr double kFewTogether = 0.2;
  double share = 1;
  std::size_t end = 0;
  for (const StageUse& use : stages_) {
    if (leaves_lone_rows(use.stage->kind) || use.share >= kFewRows) break;
    share *= use.share;
    end = use.step + 1;
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
    if (use.gives_pairs()) PRESSO_TRY(array_of(use, order));
  }
  return {};
}

unsigned PipelineBuilder::bits_of_repeats() const {
  unsigned bits = 0;
  for (const StageUse& use : stages_) {
    if (use.has_chains()) bits += use.order_bits;
  }
  return bits;
}

unsigned PipelineBuilder::order_bits() const {
  return static_cast<unsigned>(std::bit_width(query::rows_of(execution_.tables))) +
         bits_of_repeats();
}

std::uint64_t PipelineBuilder::order_limit() const {
  return query::rows_of(execution_.tables) << (order_ ? bits_of_repeats() : 0);
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
  }
  RowColumn column;
  column.column = RowColumn::kOrder;
  column.is_wide = true;
  for (StageUse& use : stages_) {
    if (!use.has_chains()) continue;
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
  for (std::size_t stage = 0; stage < stages_.size(); ++stage) {
    if (tells_row(*stages_[stage].stage)) return stage;
  }
  return std::nullopt;
}

Status PipelineBuilder::add_key_of_row(std::size_t column, const KeySpec& spec,
                                       const query::KeyCodes* codes) {
  RowColumn wanted;
  wanted.column = column;
  wanted.codes = codes;
  if (codes != nullptr) {
    if (spec.nullable) wanted.null_value = codes->null_number();
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
    return refused("keys of groups that are neither integers nor strings of a dictionary");
  }
  StageUse& use = stages_[*row_stage_];
  PRESSO_TRY(array_of(use, wanted));
  Key key;
  key.codes = codes;
  key.of_row = static_cast<std::size_t>(std::find(use.columns.begin(), use.columns.end(), wanted) -
                                        use.columns.begin());
  keys_.push_back(key);
  return {};
}

Status PipelineBuilder::set_side(std::size_t stage, std::uint64_t rows, bool repeats,
                                 unsigned order_bits) {
  stages_[stage].repeats = repeats;
  stages_[stage].order_bits = order_bits;
  const auto all = query::rows_of((*execution_.sources)[stages_[stage].stage->build.root]);
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
