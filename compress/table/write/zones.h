// SPDX-License-Identifier: MIT
// Ranges of values ("zones"): the least and the greatest value of some rows of a column, as
// images (FORMAT.md 15.4). Scans skip blocks by them.
#pragma once

#include "compress/table/write/block_appender.h"
#include "presso/column_data.h"

namespace presso {

/// The range of `rows` rows from `first` on.
Zone zone_of_rows(const ColumnView& column, std::uint64_t first, std::uint64_t rows);

}  // namespace presso
