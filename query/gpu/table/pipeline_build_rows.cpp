// SPDX-License-Identifier: MIT
// PipelineBuilder: the pipeline over build rows that outer, semi and anti joins return after all
// other rows. Its program is that of the table's rows, except that everything before the stage is
// missing: columns are NULL, nothing was found, and the build row is the row itself.
#include <algorithm>

#include "query/gpu/table/pipeline_builder.h"

namespace presso::gpu {
namespace {

using query::StageKind;
using Kind = PipelineStep::Kind;

constexpr std::int64_t kNoBuildRow = -1;  ///< in a register, kNoRow

}  // namespace

/// Steps of the table's rows, one after another, as those of build rows.
class PipelineBuilder::BuildRowSteps {
 public:
  /// `to` is a copy of the builder whose steps are replaced.
  BuildRowSteps(PipelineBuilder& to, std::size_t stage)
      : to_(to),
        use_(to.stages_[stage]),
        stage_(stage),
        first_row_(static_cast<std::int64_t>(to.first_build_row(stage))),
        repeat_bits_(to.order_ || to.order_output_ ? to.bits_of_repeats() : 0),
        old_(std::move(to.values_)) {
    to.values_.clear();
  }

  Status replace() {
    PRESSO_TRY(begin());
    for (std::size_t i = 0; i < old_.size(); ++i) {
      if (old_[i].step.kind == Kind::kGroup) PRESSO_TRY(finish_order());
      PRESSO_TRY(add(i));
    }
    if (!has_order_) PRESSO_TRY(finish_order());
    for (Cell& cell : to_.cells_) PRESSO_TRY(set_cell(cell));
    for (auto& [value, wide] : to_.outputs_) value = place_[value];
    if (to_.group_) to_.group_ = place_[*to_.group_];
    to_.order_ = order_;
    if (to_.order_row_) to_.order_row_ = place_[*to_.order_row_];
    set_stages();
    return {};
  }

 private:
  /// The row, and the number by which it is in order among those of the table and of build sides.
  Status begin() {
    Value row;
    row.step.kind = Kind::kRow;
    PRESSO_ASSIGN(row_, to_.append(std::move(row)));
    RowColumn order;
    order.column = RowColumn::kOrder;
    order.is_wide = true;
    const auto known = std::find(use_.columns.begin(), use_.columns.end(), order);
    // Without it all groups have keys of other tables, which are null: they are one.
    if (known == use_.columns.end()) {
      PRESSO_ASSIGN(number_, constant(first_row_, true));
      return {};
    }
    Value own;
    own.step.kind = Kind::kGather;
    own.step.column = use_.arrays[static_cast<std::size_t>(known - use_.columns.begin())];
    own.from = {row_};
    own.is_wide = true;
    PRESSO_ASSIGN(number_, to_.append(std::move(own)));
    PRESSO_ASSIGN(number_, to_.append_constant(Kind::kAdd, number_, first_row_, true));
    return {};
  }

  Result<std::size_t> constant(std::int64_t number, bool is_wide) {
    Value value;
    value.step.kind = Kind::kConstant;
    value.step.constant = number;
    value.is_wide = is_wide;
    return to_.append(std::move(value));
  }

  /// Says where the value of step `i` is.
  Status add(std::size_t i) {
    const Value& old = old_[i];
    place_.push_back(0);
    if (to_.order_row_ == i) {
      place_[i] = number_;
    } else if (i == use_.row || i == use_.find) {
      place_[i] = row_;
    } else if (old.step.kind == Kind::kLoad || old.step.kind == Kind::kLoadCode) {
      PRESSO_ASSIGN(place_[i], constant(old.step.constant, old.is_wide));
    } else if (old.step.kind == Kind::kRow || is_of_stage_before(i)) {
      PRESSO_ASSIGN(place_[i], constant(kNoBuildRow, old.is_wide));
    } else if (i > use_.end || has_result(old.step.kind)) {
      Value value = old;
      for (std::size_t& from : value.from) from = place_[from];
      PRESSO_ASSIGN(place_[i], to_.append(std::move(value)));
    }
    return {};
  }

  /// Whether the step finds build rows of a stage before.
  bool is_of_stage_before(std::size_t i) const {
    const Kind kind = old_[i].step.kind;
    return i < use_.find && finds_rows(kind);
  }

  /// Of groups: all of the number is in one register.
  Status finish_order() {
    has_order_ = true;
    if (to_.order_output_ || !to_.has_groups_) return {};
    order_ = number_;
    if (repeat_bits_ == 0) return {};
    PRESSO_ASSIGN(order_, to_.append_constant(Kind::kMultiply, number_,
                                              std::int64_t{1} << repeat_bits_, true));
    PRESSO_ASSIGN(order_, to_.append(Kind::kAdd, *order_, place_[*to_.order_], true));
    return {};
  }

  /// A cell that takes only values of rows whose columns are not null takes none.
  Status set_cell(Cell& cell) {
    cell.value = cell.kind == PipelineCell::Kind::kCount ? 0 : place_[cell.value];
    if (cell.valid.columns != 0) {
      cell.valid.columns = 0;
      if (!never_) {
        PRESSO_ASSIGN(never_, constant(0, false));
      }
      cell.valid.truth = never_;
    } else if (cell.valid.truth) {
      cell.valid.truth = place_[*cell.valid.truth];
    }
    return {};
  }

  void set_stages() {
    for (std::size_t i = 0; i < to_.stages_.size(); ++i) {
      StageUse& use = to_.stages_[i];
      if (i <= stage_) use.repeats = false;  // no other build row is asked for
      for (std::size_t* const step : {&use.find, &use.row, &use.end}) *step = place_[*step];
      if (use.part_step) use.part_step = place_[*use.part_step];
    }
  }

  PipelineBuilder& to_;
  const StageUse use_;
  std::size_t stage_;
  std::int64_t first_row_;
  unsigned repeat_bits_;
  std::vector<Value> old_;
  std::vector<std::size_t> place_;  ///< by step of the table's rows; those that are gone have 0
  std::size_t row_ = 0;
  std::size_t number_ = 0;
  bool has_order_ = false;
  std::optional<std::size_t> order_;
  std::optional<std::size_t> never_;  ///< a value that is not true
};

Result<Pipeline> PipelineBuilder::of_build_rows(std::size_t stage, const Pipeline& of) const {
  PipelineBuilder builder(*this);
  BuildRowSteps steps(builder, stage);
  PRESSO_TRY(steps.replace());
  builder.drop_idle_steps();
  Pipeline pipeline = of;
  builder.deal_registers(pipeline);
  builder.add_known_limbs(pipeline);
  using Condition = ConditionStep::Kind;
  const bool wants_marked = stages_[stage].stage->kind == StageKind::kBuildSemi;
  pipeline.conditions[0] = {wants_marked ? Condition::kRows : Condition::kNoRows, 0, 0};
  pipeline.conditions[1] = {Condition::kKeep, 0, 0};
  pipeline.condition_steps = 2;
  pipeline.row_bits[0] = of.marks[stage];
  pipeline.columns = 0;
  pipeline.nullable_columns = pipeline.program_columns = pipeline.early_columns = 0;
  pipeline.order_bits = builder.order_ ? kWholeOrder : Byte{0};
  return pipeline;
}

}  // namespace presso::gpu
