// SPDX-License-Identifier: MIT
// MergedGroups, which cuts merged rows into row groups, and the limits of these: a number of rows,
// and 128 MiB of memory, or 1 GiB where the user has said how many rows a group has. Errors are
// those of the merge (RunMerger::next()).
#include "compress/table/write/merged_groups.h"

#include <algorithm>

#include "compress/table/text/piece_reader.h"
#include "format/columns/row_group.h"

namespace presso {
namespace {

/// The usual limit of a row group's memory, because sorting may bring long rows together.
constexpr std::uint64_t kGroupBytes = 4 * PieceReader::kPieceBytes;
/// The limit where the user has said how many rows a row group has.
constexpr std::uint64_t kMostGroupBytes = std::uint64_t{1} << 30;

}  // namespace

/// Fills the collector from the merger, which gives a few thousand rows at a time.
Result<std::optional<std::vector<ColumnData>>> MergedGroups::next() {
  while (!collector_.full()) {
    if (views_.empty() || taken_ == views_.front().rows) {
      PRESSO_ASSIGN(rows_, merger_.next());
      views_.clear();
      for (const ColumnData& column : rows_) views_.push_back(column.view());
      taken_ = 0;
      // No rows: the merge has ended.
      if (rows_.front().rows == 0) break;
    }
    // As many rows as belong to the row group; the others wait.
    taken_ += collector_.take(views_, taken_);
  }
  if (collector_.rows() == 0) return std::optional<std::vector<ColumnData>>();
  return std::optional(collector_.finish());
}

/// Sorted row groups are about as large as those of text, so that scans can skip parts of the same
/// size.
CollectorLimits sorted_group_limits(const TableSchema& schema, std::uint32_t group_rows,
                                    std::uint64_t rows, std::uint64_t text_bytes) {
  const std::uint32_t most = most_group_rows(stored_columns(schema));
  if (group_rows > 0) return {std::min(group_rows, most), kMostGroupBytes};
  const auto parts = [](std::uint64_t all, std::uint64_t part) { return (all + part - 1) / part; };
  const std::uint64_t groups =
      std::max<std::uint64_t>(parts(text_bytes, PieceReader::kPieceBytes), 1);
  // Equal numbers of rows, so that the last row group is not a small rest.
  const std::uint64_t wanted = parts(rows, groups);
  return {static_cast<std::uint32_t>(std::clamp<std::uint64_t>(wanted, 1, most)), kGroupBytes};
}

}  // namespace presso
