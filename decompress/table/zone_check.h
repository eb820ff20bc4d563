// SPDX-License-Identifier: MIT
// Whether what a directory says about the values of its blocks (FORMAT.md 15.4) is true: readers
// pass over blocks by it, so a zone that lies makes them give wrong answers where no checksum is
// wrong. Checked are the flags for nulls and NaNs, the least and the greatest value, and the bits
// that tell which strings a block of a dictionary column may have. Zones may be wider than they
// need to be. Cost: a pass over the values, 1 to 3 ns each. Tested by
// tests/unit/decompress/table/zone_check_test.cpp.
#pragma once

#include "format/columns/row_group.h"
#include "presso/column_data.h"

namespace presso {

/// `data`: all rows of column `column` of `group`. Error: kBadRowGroup, with the block.
Status check_zones(const RowGroup& group, std::size_t column, const ColumnView& data);

}  // namespace presso
