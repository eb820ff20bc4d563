// SPDX-License-Identifier: MIT
#include "scan/order/row_chunks.h"

#include <algorithm>

namespace presso::query {
namespace {

/// In the order of the input, so that a stable sort leaves rows with equal keys in it. `keys` holds
/// those of all rows.
void put_in_order(std::span<const RowSource> sources, std::span<const RowKeys> keys,
                  std::vector<SortEntry>& entries, std::vector<SortEntry>& scratch) {
  for (SortEntry& entry : entries) {
    entry.word = signed_image(sources[entry.source].number(entry.row));
  }
  sort_entries(entries, scratch, nullptr);
  for (SortEntry& entry : entries) entry.word = keys[entry.source].word(entry.row);
}

}  // namespace

RowChunks::RowChunks(std::vector<Physical> columns, const std::vector<OrderKey>& keys,
                     std::uint64_t chunk_bytes)
    : columns_(std::move(columns)),
      chunk_bytes_(chunk_bytes),
      key_sizes_(columns_, keys),
      ranges_(columns_, keys) {}

void RowChunks::append(std::span<const VectorView> columns, std::uint32_t rows) {
  if (chunks_.empty() || chunks_.back().rows() + rows > kChunkRows ||
      chunks_.back().bytes() >= chunk_bytes_) {
    if (!chunks_.empty()) full_bytes_ += chunks_.back().bytes();
    chunks_.emplace_back(columns_);
  }
  chunks_.back().append(columns, rows);
  rows_ += rows;
  key_bytes_ += key_sizes_.bytes_of(columns, rows);
  ranges_.add(columns, rows);
  note_numbers(columns.back(), rows);
}

void RowChunks::note_numbers(const VectorView& numbers, std::uint32_t rows) {
  for (std::uint32_t row = 0; row < rows; ++row) {
    const std::int64_t number = numbers.as<std::int64_t>()[row];
    in_order_ &= number > last_number_;
    last_number_ = number;
  }
}

void RowChunks::clear() {
  chunks_.clear();
  ranges_.clear();
  rows_ = full_bytes_ = key_bytes_ = 0;
  last_number_ = -1;
  in_order_ = true;
}

void RowChunks::add_sources(std::vector<RowSource>& to) const {
  for (const RowStore& chunk : chunks_) {
    RowSource source;
    for (std::size_t i = 0; i < columns_.size(); ++i) source.columns.push_back(chunk.view(i, 0));
    source.rows = static_cast<std::uint32_t>(chunk.rows());
    to.push_back(std::move(source));
  }
}

std::vector<SortEntry> make_entries(const KeyCoding& coding, std::span<const RowSource> sources,
                                    const SourceRange& range, std::vector<RowKeys>& keys) {
  std::vector<SortEntry> entries;
  std::size_t rows = 0;
  for (std::uint32_t i = range.first; i < range.last; ++i) rows += sources[i].rows;
  entries.reserve(rows);
  for (std::uint32_t i = range.first; i < range.last; ++i) {
    coding.make(sources[i].columns, sources[i].rows, keys[i]);
    for (std::uint32_t row = 0; row < sources[i].rows; ++row) {
      entries.push_back({keys[i].word(row), i, row});
    }
  }
  return entries;
}

std::vector<SortEntry> sort_rows(const KeyCoding& coding, std::span<const RowSource> sources,
                                 const SourceRange& range, std::vector<RowKeys>& keys) {
  std::vector<SortEntry> entries = make_entries(coding, sources, range, keys);
  std::vector<SortEntry> scratch(entries.size());
  if (!range.in_order) put_in_order(sources, keys, entries, scratch);
  if (coding.packed()) {
    // The entries have all of them.
    for (std::uint32_t i = range.first; i < range.last; ++i) keys[i] = {};
  }
  sort_entries(entries, scratch, coding.packed() ? nullptr : keys.data());
  return entries;
}

}  // namespace presso::query
