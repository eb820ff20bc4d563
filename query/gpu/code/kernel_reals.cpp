// SPDX-License-Identifier: MIT
// SourceWriter: operations on doubles, and what cells take of doubles, and of integers in pieces
// (RealPart).
#include <algorithm>

#include "query/gpu/code/source_writer.h"

namespace presso::gpu {
namespace {

constexpr std::uint32_t kLongBits = 32;  // allow(bare-32): bits of a word

const char* name_of(RealOperation operation) {
  switch (operation) {
    case RealOperation::kAdd:
      return "kAdd";
    case RealOperation::kSubtract:
      return "kSubtract";
    case RealOperation::kMultiply:
      return "kMultiply";
    case RealOperation::kDivide:
      return "kDivide";
    case RealOperation::kNegate:
      return "kNegate";
    case RealOperation::kMagnitude:
      return "kMagnitude";
    case RealOperation::kToFloat:
      return "kToFloat";
    case RealOperation::kOfFloat:
      return "kOfFloat";
    case RealOperation::kOfInteger:
      return "kOfInteger";
    case RealOperation::kKey:
      return "kKey";
    case RealOperation::kEqual:
      return "kEqual";
    case RealOperation::kNotEqual:
      return "kNotEqual";
    case RealOperation::kLess:
      return "kLess";
    case RealOperation::kLessEqual:
      return "kLessEqual";
  }
  return "";
}

}  // namespace

/// Whether the cell checks that limbs hold a double. It must not check rows that it does not take.
bool SourceWriter::sees_limbs(const PipelineCell& cell) {
  return cell.part == RealPart::kSpecials || cell.part == RealPart::kMinus;
}

bool SourceWriter::is_of_reals(const PipelineCell& cell) {
  return cell.part != RealPart::kNone && cell.part != RealPart::kIntegerBits &&
         cell.part != RealPart::kIntegerTop;
}

/// Where a lane adds up doubles as a whole, for a cell of their three limbs, or for that of
/// infinities, which checks that limbs hold them.
std::optional<SourceWriter::WholeSum> SourceWriter::whole_sum_of(const PipelineCell& of) const {
  constexpr std::uint32_t kLimbs = 3;
  const bool is_part = of.part == RealPart::kLimb || of.part == RealPart::kSpecials;
  if (!is_part || place_ != CellPlace::kOne) return std::nullopt;
  std::optional<std::size_t> first;
  std::optional<std::size_t> specials;
  std::uint32_t found = 0;
  for (std::size_t i = 0; i < of_.cells; ++i) {
    const PipelineCell& cell = of_.cell[i];
    if (!is_same_value(cell, of) || cell.unit != of.unit) continue;
    if (cell.part == RealPart::kSpecials && cell.column == kLimbs) specials = i;
    if (cell.part != RealPart::kLimb) continue;
    ++found;
    if (cell.column == 0) first = i;
  }
  if (!first || !specials || found != kLimbs) return std::nullopt;
  return WholeSum{*first, *specials};
}

/// Whether the code computes with doubles, for which it includes what it needs. A load whose null
/// is a NaN says so by `b_is_constant`; in other steps that is any constant.
bool SourceWriter::has_reals() const {
  const auto is_real = [](const PipelineStep& step) {
    return step.kind == Kind::kReal || (step.kind == Kind::kLoad && step.b_is_constant);
  };
  return std::any_of(of_.program, of_.program + of_.steps, is_real) ||
         std::any_of(of_.cell, of_.cell + of_.cells, is_of_reals) || has_real_columns();
}

bool SourceWriter::has_real_columns() const {
  return std::any_of(shape_.columns.begin(), shape_.columns.end(),
                     [](const ColumnShape& column) { return column.real_bytes != 0; });
}

/// The type of a column of doubles or floats, without the number of its steps.
std::string SourceWriter::real_column(std::uint32_t column) const {
  const ColumnShape& shape = shape_.columns[column];
  switch (shape.real_form) {
    case RealForm::kPlain:
      return "PlainColumn<" + text_of(shape.real_bytes);
    case RealForm::kPacked:
      return "PackedReals<" + text_of(shape.width);
    case RealForm::kAlp:
      return "AlpColumn<" + text_of(shape.width);
    case RealForm::kAlpRd:
      return "AlpRdColumn<" + text_of(shape.width) + ", " + text_of(shape.width2);
  }
  return "";
}

/// A load of a column of doubles or floats: their bits.
std::string SourceWriter::real_value(std::uint32_t column, bool to_wide) const {
  const std::string bits = "c.template real_bits<" + text_of(column) + ">(step)";
  if (!to_wide) return "static_cast<i32>(" + bits + ")";
  return shape_.columns[column].real_bytes == 8 ? "static_cast<i64>(" + bits + ")"
                                                : "i64{static_cast<i32>(" + bits + ")}";
}

std::string SourceWriter::real_step(const PipelineStep& step, Statement& made) {
  const std::string value =
      std::string("real_step<RealOperation::") + name_of(static_cast<RealOperation>(step.column)) +
      ">(" + operand(step, true, true, made) + ", " + operand(step, false, true, made) + ")";
  return step.to.is_wide() ? value : "static_cast<i32>(" + value + ")";
}

/// What a cell takes of a double or an integer, as u64.
std::string SourceWriter::part_of(const PipelineCell& cell) const {
  const std::string value = "i64{" + variable_[cell.from.bits] + "}";
  const auto of_limbs = [&](const char* function, std::uint32_t bits, const std::string& more) {
    return std::string(function) + "<" + text_of(bits) + ", " + text_of(cell.column) + ">(" +
           value + ", " + unit_of(cell) + more + ")";
  };
  switch (cell.part) {
    case RealPart::kOrder:
      return "order_of_value(" + value + ")";
    case RealPart::kLimb:
      return of_limbs("limb_of", kLongBits, "");
    case RealPart::kShortLimb:
      return of_limbs("limb_of", kShortBits, "");
    case RealPart::kSpecials:
      return of_limbs("specials_of", kLongBits, ", q.fault");
    case RealPart::kMinus:
      return "(" + of_limbs("specials_of", kShortBits, ", q.fault") + " / kSpecialMinus)";
    case RealPart::kPlus:
      return "(specials_of_real(static_cast<u64>(" + value + ")) & kSpecialPlus)";
    case RealPart::kIntegerBits:
      return "(static_cast<u64>(" + value + ") >> " + text_of(kShortBits * cell.column) +
             " & 0xFFFF)";
    case RealPart::kIntegerTop:
      return "static_cast<u64>(" + value + " >> " + text_of(kShortBits * cell.column) + ")";
    case RealPart::kNone:
      break;
  }
  return "";
}

/// The unit is an argument of the code, as a column's range decides it.
std::string SourceWriter::unit_of(const PipelineCell& cell) const {
  const auto known = narrow_constants_.find(cell.unit);
  return "static_cast<i32>(q.constants[" + text_of(known->second) + "])";
}

}  // namespace presso::gpu
