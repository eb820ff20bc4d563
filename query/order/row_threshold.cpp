// SPDX-License-Identifier: MIT
// Implements row_threshold.h, the filter that drops rows which come after the last wanted one:
// first by comparing images of the first key, without a branch, then by whole keys.
#include "query/order/row_threshold.h"

#include <algorithm>

#include "query/order/key_images.h"

namespace presso::query {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};

/// Writes the rows whose image (inverted for descending keys) is at most `most`, and the null rows
/// if `nulls` is set; returns their number. Without a branch on the values.
std::uint32_t rows_up_to(const VectorView& view, std::uint32_t rows, std::uint64_t most,
                         std::uint64_t flip, bool nulls, SortEntry* to) {
  std::uint32_t count = 0;
  with_first_images(view, [&](auto image) {
    const auto none = view.validity == nullptr;
    for (std::uint32_t row = 0; row < rows; ++row) {
      const bool value = (image(row) ^ flip) <= most;
      to[count].row = row;
      count += (none || !view.is_null(row) ? value : nulls) ? 1 : 0;
    }
  });
  return count;
}

}  // namespace

/// Keeps a copy of the row's key as bytes, which does not depend on ranges.
void RowThreshold::set(const RowSource& source, std::uint32_t row) {
  RowGather one(physical_);
  const SortEntry pick[] = {{0, 0, row}};
  one.gather({&source, 1}, pick);
  const VectorView& first = one.views()[first_.column];
  null_ = first.is_null(0);
  with_first_images(first, [&](auto image) { image_ = image(0) ^ flip(); });
  coding_.make(one.views(), 1, keys_);
  const Bytes key = keys_.key(0);
  key_.assign(key.begin(), key.end());
  number_ = source.number(row);
  set_ = true;
}

/// Writes the candidates to the front of rows_ and returns their number. There is a bound for
/// values, and whether nulls can come before; rows that equal the bound remain candidates.
std::uint32_t RowThreshold::find_candidates(const RowSource& batch) {
  const VectorView& view = batch.columns[first_.column];
  if (rows_.size() < batch.rows) rows_.resize(batch.rows);
  const bool no_value = null_ && first_.nulls_first;
  if (no_value && view.validity == nullptr) return 0;
  const std::uint64_t most = null_ ? kMost : image_;
  const std::uint32_t count =
      rows_up_to(view, batch.rows, most, flip(), null_ || first_.nulls_first, rows_.data());
  if (!no_value) return count;
  const auto is_value = [&](const SortEntry& row) { return !view.is_null(row.row); };
  const auto end = std::remove_if(rows_.begin(), rows_.begin() + count, is_value);
  return static_cast<std::uint32_t>(end - rows_.begin());
}

/// Candidates are compared by the whole key, then by number.
std::span<const SortEntry> RowThreshold::before(const RowSource& batch) {
  const std::uint32_t candidates = find_candidates(batch);
  if (candidates == 0) return {};
  gathered_.gather({&batch, 1}, {rows_.data(), candidates});
  coding_.make(gathered_.views(), gathered_.rows(), keys_);
  std::size_t kept = 0;
  for (std::uint32_t i = 0; i < gathered_.rows(); ++i) {
    const Bytes key = keys_.key(i);
    const int order = std::memcmp(key.data(), key_.data(), std::min(key.size(), key_.size()));
    if (order > 0 || (order == 0 && batch.number(rows_[i].row) > number_)) continue;
    rows_[kept++] = rows_[i];
  }
  return {rows_.data(), kept};
}

}  // namespace presso::query
