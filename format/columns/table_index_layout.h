// SPDX-License-Identifier: MIT
// The payload of a table's index (FORMAT.md 15.6): five u64 (row groups, rows, bytes of text, line
// feeds of text, offset of the first row group), an entry for each row group, then for each row
// group a zone for each column.
#pragma once

#include <cstdint>
#include <vector>

#include "format/columns/table_file.h"

namespace presso {

constexpr std::uint32_t kTableIndexLayout = 1;  ///< the section's parameter
constexpr std::size_t kTableIndexPrefixBytes = 40;
constexpr std::size_t kPlaceBytes = 40;
constexpr std::size_t kZoneBytes = 24;
/// What a reader takes at most.
constexpr std::uint64_t kMaxTableIndexBytes = std::uint64_t{1} << 31;

/// Whether the zones of a column stand in blocks of this stream: the one that has all rows.
constexpr bool holds_zones(ColumnStream stream) {
  return stream == ColumnStream::kValues || stream == ColumnStream::kCodes ||
         stream == ColumnStream::kLengths || stream == ColumnStream::kTokenCounts;
}

inline void append_place(const GroupPlace& place, std::vector<Byte>& to) {
  append_value<std::uint64_t>(to, place.stored_bytes);
  append_value<std::uint64_t>(to, place.directory_bytes);
  append_value<std::uint64_t>(to, place.rows);
  append_value<std::uint64_t>(to, place.text_bytes);
  append_value<std::uint64_t>(to, place.text_lines);
}

inline void append_zone(const ColumnZone& zone, std::vector<Byte>& to) {
  append_value<std::uint64_t>(to, zone.least);
  append_value<std::uint64_t>(to, zone.most);
  append_value<std::uint32_t>(to, zone.nulls);
  append_value<std::uint32_t>(to, zone.flags);
}

}  // namespace presso
