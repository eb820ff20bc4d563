// SPDX-License-Identifier: MIT
// Implements row_parts.h: gathers the kept rows of each argument.
#include "query/group/row_parts.h"

namespace presso::query::grouping {
namespace {

/// Copies the values at `places`; works for values of one width, whatever they are.
template <class T>
void pick(const VectorView& view, const std::uint16_t* places, std::uint32_t count, Byte* to) {
  for (std::uint32_t i = 0; i < count; ++i) store(to + sizeof(T) * i, view.as<T>()[places[i]]);
}

}  // namespace

/// An argument without values (that of count(*)) stays as it is. The result is valid until the next
/// call.
InputRows RowParts::gather(const InputRows& rows, std::uint32_t kept) {
  gathered_.resize(rows.arguments.size());
  views_.assign(rows.arguments.begin(), rows.arguments.end());
  for (std::size_t i = 0; i < views_.size(); ++i) {
    if (views_[i].values != nullptr) views_[i] = gather(views_[i], kept, gathered_[i]);
  }
  for (std::uint32_t i = 0; i < kept; ++i) numbers_[i] = rows.numbers[places_[i]];
  return {{0, nullptr, numbers_.data()}, views_, kept};
}

/// A bitmap is only made if the argument has one.
VectorView RowParts::gather(const VectorView& view, std::uint32_t kept, Gathered& to) const {
  const std::size_t width = physical_bytes(view.physical);
  to.values.resize_discarding(width * kBatchRows);
  if (width == 1) pick<Byte>(view, places_.data(), kept, to.values.data());
  if (width == 8) pick<std::uint64_t>(view, places_.data(), kept, to.values.data());
  if (width == 16) pick<Uint128>(view, places_.data(), kept, to.values.data());
  VectorView picked{view.physical, to.values.data(), nullptr};
  if (view.validity == nullptr) return picked;
  to.validity.fill(0);
  for (std::uint32_t i = 0; i < kept; ++i) {
    to.validity[i / 64] |= std::uint64_t{view.is_null(places_[i]) ? 0u : 1u} << (i % 64);
  }
  picked.validity = to.validity.data();
  return picked;
}

}  // namespace presso::query::grouping
