// SPDX-License-Identifier: MIT
// The part of export_batch() for columns that have Arrow's layout already (to_arrow_layout()).
#pragma once

#include <vector>

#include "presso/arrow.h"

namespace presso {

/// Moves the columns into `out`. It may throw std::bad_alloc; `out` is unchanged then.
void hand_over(std::vector<ColumnData> columns, ArrowArray& out);

}  // namespace presso
