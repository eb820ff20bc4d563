// SPDX-License-Identifier: MIT
// Ranges of values ("zones"): the least and the greatest value of some rows of a column, as images,
// numbers in the order of the values (FORMAT.md 15.4, format/columns/zone_image.h). Scans skip
// blocks by them. Nulls and NaNs are left out and noted in flags.
#pragma once

#include "format/columns/row_group.h"
#include "presso/column_data.h"

namespace presso {

/// The range of some rows' values, for the blocks that carry ranges (FORMAT.md 15.4).
struct Zone {
  Byte flags = 0;
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  std::uint64_t presence = 0;
};

/// The directory's entry of a block of `rows` rows: its sizes, its stream and its zone.
ColumnBlock entry_of_block(ColumnStream stream, std::size_t stored_bytes, std::size_t plain_bytes,
                           std::uint32_t rows, const Zone& zone);
/// The range of `rows` rows from `first` on.
Zone zone_of_rows(const ColumnView& column, std::uint64_t first, std::uint64_t rows);

}  // namespace presso
