// SPDX-License-Identifier: MIT
// Implements slices.h, which hands out the slices of tables to threads. Whether a slice can be
// skipped by its zones is decided later, by the thread that gets it.
#include "query/rows/slices.h"

#include <algorithm>

namespace presso::query {

/// Opening reads the row group's directory.
Status SliceSource::open_group() {
  context_ = std::make_shared<GroupContext>();
  const std::size_t table = at_group_.table();
  PRESSO_ASSIGN(context_->reader, GroupReader::open(tables_[table], at_group_.group(), &counters_));
  context_->first_row = at_group_.first_row() + context_->reader->first_row();
  context_->table = table;
  at_ = 0;
  for (const std::size_t column : columns_) {
    const GroupReader::BlockCost cost = context_->reader->cost(column, 0, context_->reader->rows());
    stored_bytes_ += cost.bytes;
    blocks_ += cost.blocks;
  }
  return {};
}

Result<std::optional<Slice>> SliceSource::next() {
  if (cancelled_ != nullptr && cancelled_->load(std::memory_order_relaxed)) {
    return make_error(ErrorCode::kCancelled);
  }
  while (at_group_.has_group()) {
    if (context_ == nullptr) {
      Status opened = open_group();
      if (!opened.ok()) return std::move(opened.error());
    }
    const std::uint32_t rows = context_->reader->rows();
    if (at_ >= rows) {
      context_.reset();
      at_group_.next();
      continue;
    }
    Slice slice{context_, at_, std::min(kSliceRows, rows - at_)};
    at_ += slice.rows;
    return std::optional(std::move(slice));
  }
  return std::optional<Slice>();
}

}  // namespace presso::query
