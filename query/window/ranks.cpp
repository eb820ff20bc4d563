// SPDX-License-Identifier: MIT
// Functions of a row's place in its partition, and values of rows at a distance.
#include <algorithm>

#include "query/window/window_call.h"

namespace presso::query {
namespace {

/// The greater tiles come first, each with one row more than the others.
std::int64_t tile_of(std::uint32_t row, std::uint32_t rows, std::int64_t tiles) {
  const std::int64_t size = rows / tiles;
  const std::int64_t larger = rows % tiles;
  const std::int64_t in_larger = larger * (size + 1);
  return row < in_larger ? row / (size + 1) + 1 : larger + (row - in_larger) / size + 1;
}

Status run_tiles(const WindowInput& input, RowRange32 partition, WindowResult& result) {
  const WindowColumn& tiles = input.arguments[0];
  for (std::uint32_t row = partition.begin; row < partition.end; ++row) {
    if (tiles.is_null(row)) continue;
    const Int128 count = tiles.integer(row);
    if (count <= 0) {
      return make_error(ErrorCode::kInvalidArgument, "ntile() needs a number above 0");
    }
    const auto most = static_cast<std::int64_t>(std::min<Int128>(count, std::int64_t{1} << 62));
    result.set(row, tile_of(row - partition.begin, partition.end - partition.begin, most));
  }
  return {};
}

/// The row that is `steps` rows with a value before (after, if negative) this one, which does not
/// count itself; its own for 0 steps. Returns the partition's end if there is none.
std::uint32_t step_over_nulls(const WindowColumn& column, RowRange32 partition, std::uint32_t row,
                              Int128 steps) {
  std::int64_t at = row;
  const std::int64_t direction = steps < 0 ? 1 : -1;
  while (steps != 0) {
    at += direction;
    if (at < partition.begin || at >= partition.end) return partition.end;
    if (!column.is_null(static_cast<std::uint32_t>(at))) steps += direction;
  }
  return static_cast<std::uint32_t>(at);
}

}  // namespace

Status run_ranks(const WindowInput& input, RowRange32 partition, WindowResult& result) {
  const WindowChunk& chunk = *input.chunk;
  const std::uint32_t rows = partition.end - partition.begin;
  const std::uint32_t first_group = chunk.group_of[partition.begin];
  for (std::uint32_t row = partition.begin; row < partition.end; ++row) {
    const std::int64_t before = chunk.group_begin(row) - partition.begin;
    switch (input.call->kind) {
      case WindowKind::kRowNumber:
        result.set(row, std::int64_t{row - partition.begin} + 1);
        break;
      case WindowKind::kRank:
        result.set(row, before + 1);
        break;
      case WindowKind::kDenseRank:
        result.set(row, std::int64_t{chunk.group_of[row] - first_group} + 1);
        break;
      case WindowKind::kPercentRank:
        result.set(row, rows == 1 ? 0.0 : static_cast<double>(before) / (rows - 1));
        break;
      case WindowKind::kCumeDist:
        result.set(row, static_cast<double>(chunk.group_end(row) - partition.begin) / rows);
        break;
      default:
        return run_tiles(input, partition, result);
    }
  }
  return {};
}

/// Steps over nulls cost the rows that are passed, so a column with few values and a large distance
/// is slow.
Status run_shifts(const WindowInput& input, RowRange32 partition, WindowResult& result) {
  const WindowCall& call = *input.call;
  const WindowColumn& values = input.arguments[0];
  const WindowColumn* const offsets = input.arguments.size() > 1 ? &input.arguments[1] : nullptr;
  const Int128 direction = call.kind == WindowKind::kLag ? 1 : -1;
  for (std::uint32_t row = partition.begin; row < partition.end; ++row) {
    if (offsets != nullptr && offsets->is_null(row)) continue;
    const Int128 back = direction * (offsets == nullptr ? Int128{1} : offsets->integer(row));
    std::uint32_t from = partition.end;
    if (call.ignore_nulls) {
      from = step_over_nulls(values, partition, row, back);
    } else if (const Int128 at = row - back; at >= partition.begin && at < partition.end) {
      from = static_cast<std::uint32_t>(at);
    }
    if (from != partition.end) {
      result.set_from(row, values.view, from);
    } else if (input.arguments.size() > 2) {
      result.set_from(row, input.arguments[2].view, row);
    }
  }
  return {};
}

}  // namespace presso::query
