// SPDX-License-Identifier: MIT
// The part of export_batch() for columns that are in Arrow's layout already (to_arrow_layout()).
#pragma once

#include <vector>

#include "presso/arrow.h"

namespace presso {

/// May throw std::bad_alloc; then `out` is as it was.
void hand_over(std::vector<ColumnData> columns, ArrowArray& out);

}  // namespace presso
