// SPDX-License-Identifier: MIT
// Implements row_gather.h, copying rows from any places next to each other: column by column and
// with a loop for each width of values.
#include "query/order/row_gather.h"

#include <algorithm>

namespace presso::query {
namespace {

/// Values of width sizeof(T).
template <class T>
void copy_values(std::span<const RowSource> sources, std::span<const SortEntry> picks,
                 std::size_t column, Byte* to) {
  for (const SortEntry& pick : picks) {
    const auto* const from = static_cast<const Byte*>(sources[pick.source].columns[column].values);
    std::memcpy(to, from + std::size_t{pick.row} * sizeof(T), sizeof(T));
    to += sizeof(T);
  }
}

/// The bytes of the strings lie anywhere in memory and are about to be copied.
void prefetch_strings(std::span<const StringRef> strings) {
  for (const StringRef& string : strings) __builtin_prefetch(string.data);
}

}  // namespace

RowGather::RowGather(std::vector<Physical> columns)
    : physical_(std::move(columns)), values_(physical_.size()), validity_(physical_.size()) {
  for (const Physical physical : physical_) views_.push_back({physical, nullptr, nullptr});
}

void RowGather::gather(std::span<const RowSource> sources, std::span<const SortEntry> picks) {
  rows_ = static_cast<std::uint32_t>(picks.size());
  for (std::size_t i = 0; i < physical_.size(); ++i) {
    const std::size_t width = physical_bytes(physical_[i]);
    values_[i].resize_discarding(rows_ * width);
    Byte* const to = values_[i].data();
    if (width == 1) copy_values<Byte>(sources, picks, i, to);
    if (width == 8) copy_values<std::uint64_t>(sources, picks, i, to);
    if (width == 16) copy_values<Uint128>(sources, picks, i, to);
    views_[i].values = to;
    if (physical_[i] == Physical::kString) prefetch_strings({views_[i].as<StringRef>(), rows_});
    gather_nulls(i, sources, picks);
  }
}

/// A bitmap is made only if some source has one.
void RowGather::gather_nulls(std::size_t column, std::span<const RowSource> sources,
                             std::span<const SortEntry> picks) {
  views_[column].validity = nullptr;
  const bool may_be = std::any_of(sources.begin(), sources.end(), [&](const RowSource& source) {
    return source.rows != 0 && source.columns[column].validity != nullptr;
  });
  if (!may_be) return;
  std::vector<std::uint64_t>& bits = validity_[column];
  bits.assign((picks.size() + 63) / 64, 0);
  for (std::size_t i = 0; i < picks.size(); ++i) {
    const bool null = sources[picks[i].source].columns[column].is_null(picks[i].row);
    bits[i / 64] |= std::uint64_t{!null} << (i % 64);
  }
  views_[column].validity = bits.data();
}

std::uint64_t RowGather::memory_bytes() const {
  std::uint64_t bytes = 0;
  for (const Buffer& values : values_) bytes += values.size();
  return bytes;
}

}  // namespace presso::query
