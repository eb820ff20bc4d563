// SPDX-License-Identifier: MIT
// The payload of a table's index (FORMAT.md 15.6): five u64 (row groups, rows, bytes of text,
// line feeds of text, offset of the first row group), then an entry for each row group, then
// for each row group a range of values for each column. TableIndexPayload (table_file.h) makes
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "format/columns/table_file.h"

namespace presso {

constexpr std::uint32_t kTableIndexLayout = 1;  ///< the section's parameter
constexpr std::size_t kTableIndexPrefixBytes = 40;
constexpr std::size_t kPlaceBytes = 40;
constexpr std::size_t kZoneBytes = 24;
/// The largest index that readers accept.
constexpr std::uint64_t kMaxTableIndexBytes = std::uint64_t{1} << 31;

/// Whether blocks of this stream carry the range of the column's values: it is the stream that has
/// an entry for each row.
constexpr bool holds_zones(ColumnStream stream) {
  return stream == ColumnStream::kValues || stream == ColumnStream::kCodes ||
         stream == ColumnStream::kLengths || stream == ColumnStream::kTokenCounts;
}

}  // namespace presso
