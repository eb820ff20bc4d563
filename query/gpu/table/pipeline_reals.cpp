// SPDX-License-Identifier: MIT
// PipelineBuilder: operations on doubles become steps, and their sums cells
// (real_values.cuh).
#include <algorithm>
#include <bit>
#include <cmath>

#include "query/gpu/kernels/node_width.h"
#include "query/gpu/table/pipeline_builder.h"

namespace presso::gpu {
namespace {

using query::Node;
using query::Physical;
using query::Step;
using Kind = PipelineStep::Kind;

constexpr int kLimbBits = 32;  // allow(bare-32): bits of a word
constexpr int kShortLimbBits = kShortBits;
/// Below are no bits of doubles.
constexpr int kLeastUnit = -1074;

/// An exponent of two that no value of the argument reaches: as its range says, else what the CPU
/// has found the unit for, which fixed_point_for() puts together so.
int real_limit(const query::Range& range, const query::FixedPoint& unit, std::uint64_t rows) {
  const double most = std::max(std::fabs(range.least_real), std::fabs(range.most_real));
  if (range.known && std::isfinite(most)) return most == 0 ? kLeastUnit : std::ilogb(most) + 1;
  constexpr int kUnitBits = 126;
  return unit.exponent + kUnitBits - (rows <= 1 ? 0 : static_cast<int>(std::bit_width(rows - 1)));
}

/// Whether the cell sees whether limbs hold a double.
bool sees_limbs(const PipelineCell& cell) {
  return cell.part == RealPart::kSpecials || cell.part == RealPart::kMinus;
}

bool may_have_limbs(const PipelineCell& cell) {
  return sees_limbs(cell) && cell.unit > kLeastUnit;
}

bool is_limb(const PipelineCell& cell) {
  return cell.part == RealPart::kLimb || cell.part == RealPart::kShortLimb;
}

/// Whether two cells are of one sum.
bool are_of_one_sum(const PipelineCell& a, const PipelineCell& b) {
  return a.from.bits == b.from.bits && a.valid_columns == b.valid_columns &&
         a.has_valid == b.has_valid && a.valid.bits == b.valid.bits;
}

/// Gives each sum that may have them so many limbs more, below those that it has: of these the
/// numbers stay, counted from the new unit, and the new ones are above them.
void add_limbs_to(Pipeline& pipeline, std::uint32_t more) {
  const std::uint32_t before = pipeline.cells;
  for (std::uint32_t i = 0; i < before; ++i) {
    if (!may_have_limbs(pipeline.cell[i])) continue;
    PipelineCell limb = pipeline.cell[i];
    const bool is_short = limb.part == RealPart::kMinus;
    limb.part = is_short ? RealPart::kShortLimb : RealPart::kLimb;
    const int bits = is_short ? kShortLimbBits : kLimbBits;
    limb.unit =
        static_cast<std::int16_t>(std::max(limb.unit - bits * static_cast<int>(more), kLeastUnit));
    for (std::uint32_t k = 0; k < more; ++k) {
      pipeline.cell[pipeline.cells++] = limb;
      ++limb.column;
    }
    for (std::uint32_t k = 0; k < before; ++k) {
      PipelineCell& known = pipeline.cell[k];
      if (is_limb(known) && are_of_one_sum(known, limb)) known.unit = limb.unit;
    }
    pipeline.cell[i].unit = limb.unit;
    pipeline.cell[i].column = limb.column;
  }
  set_group_words(pipeline);
}

/// Whether the quotient by 10^scale of all the node's numbers is that of two doubles.
bool divides_exactly(const Node& node, std::int64_t scale) {
  constexpr query::Int128 kExact = query::Int128{1} << 53;
  constexpr std::int64_t kExactScale = 22;  // 10^22 is a double
  return scale <= kExactScale && node.range.known && node.range.least >= -kExact &&
         node.range.most <= kExact;
}

std::optional<RealOperation> operation_of(Step step) {
  switch (step) {
    case Step::kAdd:
      return RealOperation::kAdd;
    case Step::kSubtract:
      return RealOperation::kSubtract;
    case Step::kMultiply:
      return RealOperation::kMultiply;
    case Step::kDivideReal:
      return RealOperation::kDivide;
    case Step::kNegate:
      return RealOperation::kNegate;
    case Step::kAbs:
      return RealOperation::kMagnitude;
    case Step::kRealToFloat:
      return RealOperation::kToFloat;
    case Step::kEqual:
      return RealOperation::kEqual;
    case Step::kNotEqual:
      return RealOperation::kNotEqual;
    case Step::kLess:
      return RealOperation::kLess;
    case Step::kLessEqual:
      return RealOperation::kLessEqual;
    default:
      return std::nullopt;
  }
}

}  // namespace

/// Whether the node's step gives a double, or compares doubles.
bool PipelineBuilder::is_of_reals(query::NodeId id) const {
  const Node& node = graph_->at(id);
  if (node.physical == Physical::kDouble) return true;
  const bool is_operation = operation_of(node.step) || node.step == Step::kIsDistinct;
  return is_operation && !node.arguments.empty() &&
         graph_->at(node.arguments[0]).physical == Physical::kDouble;
}

Result<std::size_t> PipelineBuilder::value_of_real_step(query::NodeId id) {
  const Node& node = graph_->at(id);
  if (node.step == Step::kCase) return value_of_case(node);
  if (node.step == Step::kCoalesce) return value_of_coalesce(node);
  if (node.step == Step::kIsDistinct) return value_of_distinct(id);
  if (node.step == Step::kIntegerToReal) {
    const Node& number = graph_->at(node.arguments[0]);
    if (number.physical != Physical::kInt64 ||
        (node.parameter != 0 && !divides_exactly(number, node.parameter))) {
      return refused("an expression that GPUs do not compute yet");
    }
    PRESSO_ASSIGN(const std::size_t a, value_of(node.arguments[0]));
    const auto divisor =
        static_cast<double>(query::power_of_ten(static_cast<unsigned>(node.parameter)));
    PRESSO_ASSIGN(const std::size_t made,
                  append_constant(Kind::kReal, a, std::bit_cast<std::int64_t>(divisor), true));
    values_[made].step.column = static_cast<Byte>(RealOperation::kOfInteger);
    return made;
  }
  const std::optional<RealOperation> operation = operation_of(node.step);
  if (!operation) return refused("an expression that GPUs do not compute yet");
  return append_real(*operation, id);
}

/// The double that a loaded value of a column of floats stands for.
Result<std::size_t> PipelineBuilder::real_of_float(std::size_t value) {
  constexpr auto kOfFloat = static_cast<Byte>(RealOperation::kOfFloat);
  for (std::size_t i = value + 1; i < values_.size(); ++i) {
    const Value& known = values_[i];
    const bool is_same = known.step.kind == Kind::kReal && known.step.column == kOfFloat;
    if (is_same && known.from[0] == value) return i;
  }
  PRESSO_ASSIGN(const std::size_t made, append_constant(Kind::kReal, value, kNullReal, true));
  values_[made].step.column = kOfFloat;
  return made;
}

/// Appends a node with one or two arguments, at most one of which is a constant.
Result<std::size_t> PipelineBuilder::append_real(RealOperation operation, query::NodeId id) {
  const Node& node = graph_->at(id);
  Value value;
  value.step.kind = Kind::kReal;
  value.step.column = static_cast<Byte>(operation);
  value.is_wide = is_wide(node);
  for (std::size_t i = 0; i < node.arguments.size(); ++i) {
    const Node& argument = graph_->at(node.arguments[i]);
    if (argument.kind == Node::Kind::kConstant) {
      if (argument.is_null) return refused("constants that are null");
      (i == 0 ? value.step.a_is_constant : value.step.b_is_constant) = true;
      value.step.constant = std::bit_cast<std::int64_t>(argument.real);
    }
  }
  // Each operand has a place, also where the constant is read instead.
  for (const query::NodeId argument : node.arguments) {
    if (graph_->is_constant(argument)) continue;
    PRESSO_ASSIGN(const std::size_t one, value_of(argument));
    value.from.push_back(one);
  }
  if (value.from.empty()) return refused("constants alone");
  if (value.from.size() == 1) value.from.push_back(value.from[0]);
  return append(std::move(value));
}

/// The only key, as there are too many doubles for any other beside it.
Status PipelineBuilder::add_real_key(const query::KeySpec& spec, query::NodeId node) {
  Key key;
  key.values = 0;
  key.is_real = true;
  key.nullable = spec.nullable;
  const bool is_column = graph_->is_column(node);
  std::size_t value = 0;
  if (is_column && spec.nullable) {
    PRESSO_ASSIGN(value, column_value(with_null(graph_->at(node), kNullReal)));
  } else {
    PRESSO_ASSIGN(value, value_of(node));
  }
  const std::int64_t kept = is_column && spec.nullable ? kNullReal : 0;
  PRESSO_ASSIGN(value, append_constant(Kind::kReal, value, kept, true));
  values_[value].step.column = static_cast<Byte>(RealOperation::kKey);
  if (spec.nullable && !is_column) {
    PRESSO_ASSIGN(const Validity valid, validity_of(node));
    if (!valid.is_everywhere()) {
      PRESSO_ASSIGN(const std::size_t is_there, program_truth(valid));
      PRESSO_ASSIGN(value, value_or(value, is_there, kNullReal));
    }
  }
  return add_to_group(value, key);
}

/// Of limbs that hold the greatest values and such that are less by 13 digits; what is still less
/// is found out. Of more rows than they are right for, limbs are shorter.
Status PipelineBuilder::add_real_sum(query::NodeId argument, const query::AggregateSpec& spec,
                                     const Validity& valid, std::uint64_t rows,
                                     CellsOfAggregate& cells) {
  constexpr Byte kLimbs = 3;
  constexpr Byte kShortLimbs = kLimbs * kLimbBits / kShortLimbBits;
  const bool is_short = rows > limits_.limbs;
  PRESSO_TRY(sum_up_to(is_short ? limits_.most : limits_.limbs, rows));
  PRESSO_ASSIGN(const std::size_t value, value_of(argument));
  const int limit =
      real_limit(graph_->at(argument).range, spec.fixed_point, execution_.query.most_rows);
  cells.unit = static_cast<std::int16_t>(std::max(limit - kLimbs * kLimbBits, kLeastUnit));
  const auto cell = [&](RealPart part, Byte limb) -> Cell {
    return {PipelineCell::Kind::kSum, value, valid, {}, part, limb, cells.unit};
  };
  const Byte limbs = is_short ? kShortLimbs : kLimbs;
  PRESSO_ASSIGN(cells.specials,
                add_cell(cell(is_short ? RealPart::kMinus : RealPart::kSpecials, limbs)));
  if (is_short) {
    PRESSO_ASSIGN(cells.plus, add_cell(cell(RealPart::kPlus, 0)));
  }
  for (Byte limb = 0; limb < limbs; ++limb) {
    PRESSO_ASSIGN(const std::size_t one,
                  add_cell(cell(is_short ? RealPart::kShortLimb : RealPart::kLimb, limb)));
    cells.limbs.push_back(one);
  }
  return {};
}

bool PipelineBuilder::add_limbs(const std::vector<Pipeline*>& pipelines) {
  const Pipeline before = *pipelines[0];
  const PipelineCell* const end = before.cell + before.cells;
  const auto sums = static_cast<std::uint32_t>(std::count_if(before.cell, end, may_have_limbs));
  if (sums == 0) return false;
  std::uint32_t fewest = kMostPipelineCells;
  for (const PipelineCell* cell = before.cell; cell != end; ++cell) {
    if (may_have_limbs(*cell)) fewest = std::min<std::uint32_t>(fewest, cell->column);
  }
  const std::uint32_t more =
      std::min(fewest, (static_cast<std::uint32_t>(most_cells()) - before.cells) / sums);
  if (more == 0) return false;
  added_limbs_.push_back(more);
  for (Pipeline* const pipeline : pipelines) add_limbs_to(*pipeline, more);
  const Pipeline& after = *pipelines[0];
  for (CellsOfAggregate& of : aggregates_) {
    if (!of.specials || !may_have_limbs(before.cell[*of.specials])) continue;
    of.unit = after.cell[*of.specials].unit;
    for (std::size_t i = before.cells; i < after.cells; ++i) {
      if (are_of_one_sum(after.cell[i], after.cell[*of.specials])) of.limbs.push_back(i);
    }
  }
  return true;
}

/// Gives a pipeline with the first cells of sums those that add_limbs() has given to others.
void PipelineBuilder::add_known_limbs(Pipeline& pipeline) const {
  for (const std::uint32_t more : added_limbs_) add_limbs_to(pipeline, more);
}

}  // namespace presso::gpu
