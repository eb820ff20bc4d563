// SPDX-License-Identifier: MIT
// Zones: between which values some rows of a column lie (FORMAT.md 15.4).
#pragma once

#include "compress/table/write/block_appender.h"
#include "presso/column_data.h"

namespace presso {

/// Of `rows` rows from `first` on.
Zone zone_of_rows(const ColumnView& column, std::uint64_t first, std::uint64_t rows);

}  // namespace presso
