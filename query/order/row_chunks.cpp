// SPDX-License-Identifier: MIT
// Implements row_chunks.h: collects rows in chunks, with the ranges of their keys, and makes and
// sorts the entries (key word and place) of collected rows.
#include "query/order/row_chunks.h"

#include <algorithm>

namespace presso::query {
namespace {

/// Puts entries in the order of the input, so that the stable sort by keys, which follows, leaves
/// rows with equal keys in it. `keys` are those of all rows.
void put_in_order(std::span<const RowSource> sources, std::span<const RowKeys> keys,
                  EntryArray& entries, EntryArray& scratch) {
  for (SortEntry& entry : entries.entries()) {
    entry.word = signed_image(sources[entry.source].number(entry.row));
  }
  sort_entries(entries.entries(), scratch.entries(), nullptr);
  for (SortEntry& entry : entries.entries()) entry.word = keys[entry.source].word(entry.row);
}

}  // namespace

RowChunks::RowChunks(std::vector<Physical> columns, const std::vector<OrderKey>& keys,
                     std::uint64_t chunk_bytes)
    : columns_(std::move(columns)),
      chunk_bytes_(chunk_bytes),
      key_sizes_(columns_, keys),
      ranges_(columns_, keys) {}

/// A new chunk begins with room for as many rows as the last one had.
void RowChunks::append(std::span<const VectorView> columns, std::uint32_t rows) {
  if (chunks_.empty() || chunks_.back().rows() + rows > kChunkRows ||
      chunks_.back().bytes() >= chunk_bytes_) {
    const std::uint64_t before = chunks_.empty() ? 0 : chunks_.back().rows();
    if (!chunks_.empty()) full_bytes_ += chunks_.back().bytes();
    chunks_.emplace_back(columns_);
    chunks_.back().use_large_pages();
    chunks_.back().reserve(before);
  }
  chunks_.back().append(columns, rows);
  rows_ += rows;
  key_bytes_ += key_sizes_.bytes_of(columns, rows);
  ranges_.add(columns, rows);
  note_numbers(columns.back(), rows);
}

/// Scans of a table give ascending numbers, and then no sort by numbers is needed.
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

EntryArray make_entries(const KeyCoding& coding, std::span<const RowSource> sources,
                        const SourceRange& range, std::vector<RowKeys>& keys) {
  std::size_t rows = 0;
  for (std::uint32_t i = range.first; i < range.last; ++i) rows += sources[i].rows;
  EntryArray entries(rows);
  SortEntry* to = entries.begin();
  for (std::uint32_t i = range.first; i < range.last; ++i) {
    coding.make(sources[i].columns, sources[i].rows, keys[i]);
    for (std::uint32_t row = 0; row < sources[i].rows; ++row) {
      *to++ = {keys[i].word(row), i, row};
    }
  }
  return entries;
}

EntryArray sort_rows(const KeyCoding& coding, std::span<const RowSource> sources,
                     const SourceRange& range, std::vector<RowKeys>& keys) {
  EntryArray entries = make_entries(coding, sources, range, keys);
  EntryArray scratch(entries.size());
  if (!range.in_order) put_in_order(sources, keys, entries, scratch);
  if (coding.one_word()) {
    // The entries have all of them.
    for (std::uint32_t i = range.first; i < range.last; ++i) keys[i] = {};
  }
  sort_entries(entries.entries(), scratch.entries(), coding.one_word() ? nullptr : keys.data());
  return entries;
}

}  // namespace presso::query
