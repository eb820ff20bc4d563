// SPDX-License-Identifier: MIT
// Values of columns and results.
#include "query/window/window_call.h"

#include <algorithm>

#include "query/group/ratio.h"

namespace presso::query {

Int128 WindowColumn::integer(std::uint32_t row) const {
  switch (view.physical) {
    case Physical::kBool:
      return at<Byte>(row);
    case Physical::kInt64:
      return at<std::int64_t>(row);
    default:
      return at<Int128>(row);
  }
}

/// Decimals are rounded once.
double WindowColumn::real(std::uint32_t row) const {
  if (view.physical == Physical::kDouble) return at<double>(row);
  if (view.physical == Physical::kInt64 && schema.scale == 0) {
    return static_cast<double>(at<std::int64_t>(row));
  }
  grouping::WideSum sum;
  sum.add(integer(row));
  return grouping::average_rounded(sum, schema.scale, 1);
}

WindowResult::WindowResult(Physical physical, std::uint32_t rows)
    : physical_(physical), width_(physical_bytes(physical)), valid_(rows) {
  values_.resize_discarding(std::size_t{rows} * width_);
  // Strings under nulls must be empty, and other memory must not get into files.
  std::fill_n(values_.data(), values_.size(), Byte{0});
}

void WindowResult::set_from(std::uint32_t row, const VectorView& view, std::uint32_t from) {
  if (view.is_null(from)) {
    valid_[row] = 0;
    return;
  }
  const Byte* const value = view.as<Byte>() + std::size_t{from} * width_;
  std::memcpy(values_.data() + std::size_t{row} * width_, value, width_);
  valid_[row] = 1;
}

void WindowResult::copy(std::uint32_t from, std::uint32_t to) {
  valid_[to] = valid_[from];
  std::memcpy(values_.data() + std::size_t{to} * width_, value(from), width_);
}

/// first(), last() and list() see nulls, as does count(*); all others do not.
bool WindowInput::sees(std::uint32_t row) const {
  if (filter && (filter->is_null(row) || filter->at<Byte>(row) == 0)) return false;
  switch (call->kind) {
    case WindowKind::kCountRows:
    case WindowKind::kFirst:
    case WindowKind::kLast:
    case WindowKind::kList:
      return true;
    case WindowKind::kFirstValue:
    case WindowKind::kLastValue:
    case WindowKind::kNthValue:
      return !call->ignore_nulls || !arguments[0].is_null(row);
    case WindowKind::kArgMin:
    case WindowKind::kArgMax:
    case WindowKind::kCovarSamp:
    case WindowKind::kCovarPop:
    case WindowKind::kCorr:
    case WindowKind::kRegrSlope:
    case WindowKind::kRegrIntercept:
      return !arguments[0].is_null(row) && !arguments[1].is_null(row);
    default:
      return !arguments[0].is_null(row);
  }
}

}  // namespace presso::query
