// SPDX-License-Identifier: MIT
// The rows of an ORDER BY that one thread has collected, in chunks: no row is copied again as more
// come, and the memory is little more than the rows take. It also keeps what sorting needs to know:
// the ranges of the keys, the memory that sorting takes, and whether the rows came in the order of
// the input. Tested by tests/unit/query/order/ordering_test.cpp.
#pragma once

#include <vector>

#include "query/order/row_gather.h"
#include "query/values/row_store.h"

namespace presso::query {

/// The collected rows. Not thread-safe. Rows are addressed as (chunk, row), see RowSource. Ranges
/// of keys are kept while rows are appended, when their values are in the cache, so that the form
/// of the keys is known at the end without another pass.
class RowChunks {
 public:
  /// The most rows of a chunk.
  static constexpr std::uint64_t kChunkRows = 1u << 20;

  /// The last of `columns` is the row's number. A chunk ends when it has `chunk_bytes`.
  RowChunks(std::vector<Physical> columns, const std::vector<OrderKey>& keys,
            std::uint64_t chunk_bytes);

  void append(std::span<const VectorView> columns, std::uint32_t rows);
  /// Gives the memory back.
  void clear();

  std::uint64_t rows() const { return rows_; }
  /// Memory of the rows.
  std::uint64_t bytes() const {
    return full_bytes_ + (chunks_.empty() ? 0 : chunks_.back().bytes());
  }
  /// Additional memory that sorting the rows takes.
  std::uint64_t sort_bytes() const { return rows_ * 2 * sizeof(SortEntry) + key_bytes_; }
  const KeyRanges& ranges() const { return ranges_; }
  bool in_order() const { return in_order_; }
  /// Appends a source for each chunk, valid until the next append().
  void add_sources(std::vector<RowSource>& to) const;

 private:
  void note_numbers(const VectorView& numbers, std::uint32_t rows);

  std::vector<Physical> columns_;
  std::uint64_t chunk_bytes_;
  std::vector<RowStore> chunks_;
  KeyCoding key_sizes_;
  KeyRanges ranges_;
  std::uint64_t rows_ = 0;
  std::uint64_t full_bytes_ = 0;  ///< bytes of all chunks except the last
  std::uint64_t key_bytes_ = 0;
  std::int64_t last_number_ = -1;
  bool in_order_ = true;
};

/// The sources from `first` to `last` - 1.
struct SourceRange {
  std::uint32_t first = 0;
  std::uint32_t last = 0;
  bool in_order = true;  ///< their rows are in the order of the input
};

/// Returns an entry for each row of the range, in the order in which they lie. `keys`, which has an
/// element for each source, receives their keys.
EntryArray make_entries(const KeyCoding& coding, std::span<const RowSource> sources,
                        const SourceRange& range, std::vector<RowKeys>& keys);

/// Returns the entries of the range in order; rows with equal keys by their numbers. `keys`
/// receives the keys, unless they are only one word, which the entries hold.
EntryArray sort_rows(const KeyCoding& coding, std::span<const RowSource> sources,
                     const SourceRange& range, std::vector<RowKeys>& keys);

}  // namespace presso::query
