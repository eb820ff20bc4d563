// SPDX-License-Identifier: MIT
// The last step of export_batch() and of C streams: columns that to_arrow_layout() has brought into
// Arrow's layout become an ArrowArray, which owns them. Nothing is copied.
#pragma once

#include <vector>

#include "presso/arrow.h"

namespace presso {

/// Moves the columns into `out`. It may throw std::bad_alloc; `out` is unchanged then.
void hand_over(std::vector<ColumnData> columns, ArrowArray& out);

}  // namespace presso
