// SPDX-License-Identifier: MIT
// The last step of export_batch() and of C streams: columns that to_arrow_layout() has brought into
// Arrow's layout become arrays, which own them. Nothing is copied but what has a type of Arrow that
// columns do not have.
#pragma once

#include <vector>

#include "presso/arrow.h"

namespace presso {

/// Batches of rows, in their order.
using ArrowBatches = std::vector<ArrowOwner<ArrowArray>>;

/// The columns as a batch, or as several where an Arrow type's codes or offsets are too narrow for
/// one. kBadRowGroup for values that are not of their column's type of Arrow.
Result<ArrowBatches> arrow_batches(const TableSchema& schema, std::vector<ColumnData> columns);

}  // namespace presso
