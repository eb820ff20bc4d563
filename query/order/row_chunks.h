// SPDX-License-Identifier: MIT
// Rows that a thread has collected, in chunks: none is copied again as more of them come, and
// memory is little more than what they take. With what sorting them needs to know: the ranges of
// their keys, the memory it takes, and whether they came in the order of the input. Tested by
// tests/unit/query/order/ordering_test.cpp.
#pragma once

#include <vector>

#include "query/order/row_gather.h"
#include "query/values/row_store.h"

namespace presso::query {

class RowChunks {
 public:
  static constexpr std::uint64_t kChunkRows = 1u << 20;

  /// `columns`: the last one is the row's number. A chunk has kChunkRows rows at most, and as few
  /// more bytes than `chunk_bytes` as one batch has.
  RowChunks(std::vector<Physical> columns, const std::vector<OrderKey>& keys,
            std::uint64_t chunk_bytes);

  void append(std::span<const VectorView> columns, std::uint32_t rows);
  /// Gives the memory back.
  void clear();

  std::uint64_t rows() const { return rows_; }
  /// Of memory, for the rows.
  std::uint64_t bytes() const {
    return full_bytes_ + (chunks_.empty() ? 0 : chunks_.back().bytes());
  }
  /// Of memory that sorting them takes besides.
  std::uint64_t sort_bytes() const { return rows_ * 2 * sizeof(SortEntry) + key_bytes_; }
  const KeyRanges& ranges() const { return ranges_; }
  bool in_order() const { return in_order_; }
  /// Of each chunk, until the next append().
  void add_sources(std::vector<RowSource>& to) const;

 private:
  void note_numbers(const VectorView& numbers, std::uint32_t rows);

  std::vector<Physical> columns_;
  std::uint64_t chunk_bytes_;
  std::vector<RowStore> chunks_;
  KeyCoding key_sizes_;
  KeyRanges ranges_;
  std::uint64_t rows_ = 0;
  std::uint64_t full_bytes_ = 0;  ///< of all chunks but the last
  std::uint64_t key_bytes_ = 0;
  std::int64_t last_number_ = -1;
  bool in_order_ = true;
};

/// Sources from `first` to before `last`.
struct SourceRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool in_order = true;  ///< their rows are in the order of the input
};

/// An entry for each of their rows, as they lie. `keys`, one for each source, receives their keys.
EntryArray make_entries(const KeyCoding& coding, std::span<const RowSource> sources,
                        const SourceRange& range, std::vector<RowKeys>& keys);

/// Their rows, sorted; those with equal keys by their numbers. `keys` receives
/// their keys where these are more than one word.
EntryArray sort_rows(const KeyCoding& coding, std::span<const RowSource> sources,
                     const SourceRange& range, std::vector<RowKeys>& keys);

}  // namespace presso::query
