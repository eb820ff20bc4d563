// SPDX-License-Identifier: MIT
// Implements pipeline_builder.h: the columns and conditions. Joins, keys, groups and values are in
// the files pipeline_*.cpp. What a pipeline cannot do is kUnsupported, with a reason that --explain
// shows.
#include "query/gpu/table/pipeline_builder.h"

#include <algorithm>
#include <bit>

#include "query/filter/coded_strings.h"
#include "query/plan/planner.h"

namespace presso::gpu {

static_assert(kMostRowBits == query::kMostStringTests, "as plans for GPUs are chosen");

namespace {

using query::Filter;
using query::Graph;
using query::Node;
using query::NodeId;
using query::Physical;
using Kind = PipelineStep::Kind;

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
  const QueryOptions& options = execution_.options;
  auto kernels = query::device_kernels(execution_.plan, options.plan);
  if (!kernels.ok()) {
    if (options.cpu_fallback) return kernels.error();
    return make_error(ErrorCode::kInvalidArgument, kernels.error().what);
  }
  const query::DeviceKernel last = std::move(kernels->back());
  kernels->pop_back();
  for (const query::DeviceKernel& kernel : *kernels) PRESSO_TRY(add_kernel_before(kernel));
  takes_rows_ = !before_.empty();
  return add_kernel(last);
}

/// The share of rows that a kernel's conditions leave, by the plan's estimate.
double PipelineBuilder::share_of(const query::DeviceKernel& kernel) const {
  double share = 1;
  for (const query::ConditionGroups* const groups : {&kernel.on_columns, &kernel.expressions}) {
    for (const std::vector<std::size_t>& group : *groups) {
      for (const std::size_t number : group) {
        share *= execution_.plan.conditions[number].selectivity;
      }
    }
  }
  return share;
}

/// Columns have the same numbers in all kernels.
Status PipelineBuilder::add_kernel_before(const query::DeviceKernel& kernel) {
  const auto before = std::make_shared<KernelBefore>(
      KernelBefore{PipelineBuilder(execution_, strings_), Pipeline{}});
  PipelineBuilder& builder = before->builder;
  builder.columns_ = columns_;
  builder.takes_rows_ = !before_.empty();
  builder.share_before_ = share_before_;
  PRESSO_TRY(builder.add_kernel(kernel));
  PRESSO_ASSIGN(before->pipeline, builder.finish());
  columns_ = builder.columns_;
  share_before_ *= share_of(kernel);
  before_.push_back(before);
  return {};
}

Status PipelineBuilder::add_kernel(const query::DeviceKernel& kernel) {
  plan_ = query::device_plan_text({kernel});
  PRESSO_TRY(add_groups_of(kernel.on_columns));
  return add_groups_of(kernel.expressions);
}

Status PipelineBuilder::add_groups_of(const query::ConditionGroups& groups) {
  for (const std::vector<std::size_t>& group : groups) {
    for (const std::size_t number : group) {
      PRESSO_TRY(add_filter(execution_.plan.conditions[number].filter));
    }
  }
  return {};
}

Status PipelineBuilder::add_filter(const Filter& filter) {
  if (filter.kind == Filter::Kind::kAnd) {
    for (const Filter& part : filter.parts) PRESSO_TRY(add_filter(part));
    return {};
  }
  // OR is computed as a whole where a part of it is.
  if (query::has_expression(filter)) return add_truth(filter.node, filter.negated);
  PRESSO_TRY(add_tree(filter));
  return push({ConditionStep::Kind::kKeep, 0, 0});
}

/// Rows for which the node is true, or false, are left.
Status PipelineBuilder::add_truth(NodeId id, bool negated) {
  if (combines_truths(id) && graph_->at(id).nullable) {
    PRESSO_ASSIGN(const Truth truth, is_true(id, negated));
    PRESSO_ASSIGN(const std::size_t value, value_of_truth(truth));
    return filter_by(value);
  }
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
  if (valid.columns != 0 && marks_rows()) {
    PRESSO_ASSIGN(const std::size_t truth, program_truth(valid));
    return filter_by(truth);
  }
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

Status PipelineBuilder::add_tree(const Filter& filter) {
  if (filter.is_leaf()) return add_leaf(filter);
  const bool is_and = filter.kind == Filter::Kind::kAnd;
  for (std::size_t i = 0; i < filter.parts.size(); ++i) {
    PRESSO_TRY(add_tree(filter.parts[i]));
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
    default:
      return refused("keys of a join");
  }
}

namespace {

/// Up to this share of rows strings are tested row by row, which takes up to three times as long
/// for a row, and else all rows of 1,024 of which one is left.
constexpr double kFewRowsLeft = 1.0 / 16;

/// How the row groups of a loaded table store a column of strings.
struct StringForms {
  bool rows = false;  ///< as tokens or bytes, so that StringRows finds its rows
  bool rows_with_nulls = false;
  bool dictionary = false;
};

bool is_stored_by_row(const ColumnChunk& chunk) {
  return chunk.representation == Representation::kToken ||
         chunk.representation == Representation::kBytes;
}

StringForms forms_of(const LoadedTable& table, std::size_t column) {
  StringForms forms;
  for (const LoadedGroup& group : table.groups()) {
    const ColumnChunk& chunk = group.reader->chunk(column);
    const bool has_rows = is_stored_by_row(chunk);
    forms.rows = forms.rows || has_rows;
    forms.rows_with_nulls = forms.rows_with_nulls || (has_rows && chunk.nulls != 0);
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
        is_stored_by_row(group.reader->chunk(filter_.column))) {
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
  for (const auto& kernel : before_) columns |= kernel->builder.string_columns();
  return columns;
}

/// Whether rows that fail the condition of a step are dropped at once, whatever others say.
bool PipelineBuilder::is_required(std::size_t step) const {
  const auto ends = [this](std::size_t i) {
    return conditions_[i].kind == ConditionStep::Kind::kKeep;
  };
  return (step == 0 || ends(step - 1)) && step + 1 < conditions_.size() && ends(step + 1);
}

Result<TableConditions> PipelineBuilder::conditions_over(const LoadedTable& table) const {
  using Condition = ConditionStep::Kind;
  TableConditions made;
  made.few_are_left = takes_rows_ && share_before_ <= kFewRowsLeft;
  if (takes_rows_) {
    made.steps.push_back({Condition::kRows, 0, kBitsBefore});
    made.steps.push_back({Condition::kKeep, 0, 0});
  }
  for (std::size_t i = 0; i < conditions_.size(); ++i) {
    const ConditionStep& step = conditions_[i];
    const bool is_text =
        step.kind == Condition::kValues && leaves_[step.leaf]->kind == Filter::Kind::kText;
    const StringForms forms = is_text ? forms_of(table, leaves_[step.leaf]->column) : StringForms{};
    if (!forms.rows) {
      made.steps.push_back(step);
      continue;
    }
    made.steps.push_back({Condition::kRows, 0, static_cast<Byte>(made.strings.size())});
    made.strings.push_back({leaves_[step.leaf], step.column, is_required(i)});
    if (forms.rows_with_nulls) {
      made.steps.push_back({Condition::kNotNull, step.column, 0});
      made.steps.push_back({Condition::kAnd, 0, 0});
    }
    if (forms.dictionary) {
      made.steps.push_back(step);
      made.steps.push_back({Condition::kOr, 0, 0});
    }
  }
  if (made.steps.size() > kMostConditionSteps) return refused("too many conditions");
  if (made.strings.size() > (takes_rows_ ? kBitsBefore : kMostRowBits)) {
    return refused("more than " + std::string(takes_rows_ ? "three" : "four") +
                   " conditions on strings that are not of a dictionary");
  }
  return made;
}

Result<LeafTables> PipelineBuilder::leaf_tables(
    const LoadedTable& table, const std::vector<query::Physical>& physical) const {
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

// --- registers

bool finds_rows(Kind kind) {
  return kind == Kind::kFind || kind == Kind::kFindOrNone || kind == Kind::kCheckOrNone;
}

bool has_result(Kind kind) {
  switch (kind) {
    case Kind::kFilter:
    case Kind::kFindAny:
    case Kind::kFindNone:
    case Kind::kCheckAny:
    case Kind::kCheckNone:
    case Kind::kMark:
    case Kind::kMarkOnly:
      return false;
    default:
      return true;
  }
}

/// Drops steps whose values nobody reads, of which choices leave many: they would take time. No
/// step may be added by what was known of those before.
void PipelineBuilder::drop_idle_steps() {
  std::vector<bool> is_read(values_.size());
  for (const Cell& cell : cells_) {
    if (cell.reads_value()) is_read[cell.value] = true;
    if (cell.valid.truth) is_read[*cell.valid.truth] = true;
  }
  for (const auto& [value, wide] : outputs_) is_read[value] = true;
  if (group_) is_read[*group_] = true;
  if (order_) is_read[*order_] = true;
  for (std::size_t i = values_.size(); i-- > 0;) {
    const Kind kind = values_[i].step.kind;
    const bool chooses = !has_result(kind) || finds_rows(kind);
    is_read[i] = is_read[i] || chooses || kind == Kind::kGroup;
    if (!is_read[i]) continue;
    for (const std::size_t from : values_[i].from) is_read[from] = true;
  }
  std::vector<std::size_t> place(values_.size());
  std::vector<Value> left;
  for (std::size_t i = 0; i < values_.size(); ++i) {
    place[i] = left.size();
    if (!is_read[i]) continue;
    for (std::size_t& from : values_[i].from) from = place[from];
    left.push_back(std::move(values_[i]));
  }
  values_ = std::move(left);
  for (Cell& cell : cells_) {
    if (cell.reads_value()) cell.value = place[cell.value];
    if (cell.valid.truth) cell.valid.truth = place[*cell.valid.truth];
  }
  for (auto& [value, wide] : outputs_) value = place[value];
  for (std::optional<std::size_t>* const value : {&group_, &order_, &order_row_}) {
    if (*value) *value = place[**value];
  }
  for (StageUse& use : stages_) {
    if (use.part_step) use.part_step = place[*use.part_step];
    for (std::size_t* const step : {&use.find, &use.row, &use.end}) *step = place[*step];
  }
}

/// Each value has a register of its own, with the number of its step.
void PipelineBuilder::deal_registers(Pipeline& pipeline) const {
  std::vector<RegisterPlace> register_of(values_.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const Value& value = values_[i];
    PipelineStep& step = pipeline.program[i];
    step = value.step;
    RegisterPlace* const places[] = {&step.a, &step.b};
    for (std::size_t k = 0; k < value.from.size(); ++k) *places[k] = register_of[value.from[k]];
    if (!has_result(step.kind)) continue;
    register_of[i] = {static_cast<Byte>(i | (value.is_wide ? RegisterPlace::kWide : 0))};
    step.to = register_of[i];
  }
  pipeline.steps = static_cast<Byte>(values_.size());
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    const Cell& cell = cells_[i];
    PipelineCell& to = pipeline.cell[i];
    to.kind = cell.kind;
    to.part = cell.part;
    to.column = cell.limb;
    to.unit = cell.unit;
    if (0 <= cell.least && cell.least <= cell.most) {
      to.bits = static_cast<Byte>(std::bit_width(static_cast<std::uint64_t>(cell.most)));
    }
    to.valid_columns = cell.valid.columns;
    to.has_valid = cell.valid.truth.has_value();
    if (to.has_valid) to.valid = register_of[*cell.valid.truth];
    if (cell.column_node) {
      const auto place =
          std::find(columns_.begin(), columns_.end(), graph_->at(*cell.column_node).column);
      to.column = static_cast<Byte>(place - columns_.begin());
    } else if (cell.reads_value()) {
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
}

/// From here on a vector of 1,024 rows has probably one that fulfils the conditions, and columns
/// of the program are worth being read ahead.
constexpr double kEarlySelectivity = 1e-3;

void PipelineBuilder::mark_columns(Pipeline& pipeline) const {
  std::uint32_t of_program = nullable_;
  std::uint32_t of_conditions = 0;
  const std::size_t first_steps = steps_of_selective_joins();
  for (std::size_t i = 0; i < values_.size(); ++i) {
    const PipelineStep& step = values_[i].step;
    if (step.kind != Kind::kLoad && step.kind != Kind::kLoadCode) continue;
    of_program |= 1u << step.column;
    if (i < first_steps) of_conditions |= 1u << step.column;
  }
  for (std::size_t i = 0; i < cells_.size(); ++i) {
    if (cells_[i].column_node) of_program |= 1u << pipeline.cell[i].column;
  }
  for (const ConditionStep& step : conditions_) {
    if (step.kind == ConditionStep::Kind::kValues) of_conditions |= 1u << step.column;
  }
  pipeline.nullable_columns = nullable_;
  pipeline.program_columns = static_cast<std::uint16_t>(of_program);
  const bool early = first_steps == 0 && execution_.plan.selectivity >= kEarlySelectivity;
  pipeline.early_columns = static_cast<std::uint16_t>(of_conditions | (early ? of_program : 0));
}

bool PipelineBuilder::sums_only() const {
  return !has_groups_ && values_.empty() &&
         std::all_of(cells_.begin(), cells_.end(),
                     [](const Cell& cell) { return cell.column_node.has_value(); });
}

Result<Pipeline> PipelineBuilder::finish(std::uint64_t table_bytes) {
  Pipeline pipeline;
  // Numbers of rows' strings are read by row, for which slices without columns are enough.
  if (columns_.empty() && !reads_numbers_) return refused("no column is read");
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
  PRESSO_TRY(weigh_rows());
  PRESSO_TRY(add_order(pipeline));
  if (most_keys_ != 0) {
    // The last step, since it makes groups.
    Value group;
    group.step.kind = Kind::kGroup;
    group.from = {*group_};
    PRESSO_ASSIGN(group_, append(std::move(group)));
  }
  drop_idle_steps();
  deal_registers(pipeline);
  mark_columns(pipeline);
  pipeline.columns = static_cast<Byte>(columns_.size());
  pipeline.condition_steps = static_cast<Byte>(conditions_.size());
  std::copy(conditions_.begin(), conditions_.end(), pipeline.conditions);
  pipeline.has_groups = has_groups_;
  pipeline.groups = groups_;
  set_group_words(pipeline);
  const std::uint64_t place_bytes = (pipeline.group_words + 1) * sizeof(std::uint64_t);
  if (most_keys_ != 0) set_table(pipeline, table_bytes / place_bytes);
  return pipeline;
}

}  // namespace presso::gpu
