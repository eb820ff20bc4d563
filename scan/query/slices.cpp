// SPDX-License-Identifier: MIT
#include "scan/query/slices.h"

#include <algorithm>

namespace presso::query {

Status SliceSource::open_group() {
  context_ = std::make_shared<GroupContext>();
  PRESSO_ASSIGN(context_->reader, GroupReader::open(tables_[table_], group_, &counters_));
  context_->first_row = first_row_ + context_->reader->first_row();
  context_->table = table_;
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
  while (table_ < tables_.size()) {
    if (group_ == tables_[table_].row_groups()) {
      first_row_ += tables_[table_].rows();
      ++table_;
      group_ = 0;
      continue;
    }
    if (context_ == nullptr) {
      Status opened = open_group();
      if (!opened.ok()) return std::move(opened.error());
    }
    const std::uint32_t rows = context_->reader->rows();
    if (at_ >= rows) {
      context_.reset();
      ++group_;
      continue;
    }
    Slice slice{context_, at_, std::min(kSliceRows, rows - at_)};
    at_ += slice.rows;
    return std::optional(std::move(slice));
  }
  return std::optional<Slice>();
}

}  // namespace presso::query
