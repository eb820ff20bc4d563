// SPDX-License-Identifier: MIT
// Ranges of values ("zones"): the least and the greatest value of some rows of a column, as images,
// numbers in the order of the values (FORMAT.md 15.4, format/columns/zone_image.h). Scans skip
// blocks by them. Nulls and NaNs are left out and noted in flags.
#pragma once

#include "compress/table/write/block_appender.h"
#include "presso/column_data.h"

namespace presso {

/// The range of `rows` rows from `first` on.
Zone zone_of_rows(const ColumnView& column, std::uint64_t first, std::uint64_t rows);

}  // namespace presso
