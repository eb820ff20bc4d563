// SPDX-License-Identifier: MIT
// The layout of a table in device memory for kernels that read its columns in packed form. Rows are
// handled in *slices*: the rows of one block of a column, up to 65,536 rows of one row group. A
// slice has vectors of 1,024 rows, the last of which may be shorter. Trivially copyable, for host
// and device. Tests: tests/queries/one_table.txt.
#pragma once

#include "format/columns/integer_layout.h"
#include "query/gpu/kernels/table_layout.h"

namespace presso::gpu {

static_assert(kSliceVectors == kMaxIntegerRows / kVectorRows);
static_assert(kEntryWords * sizeof(std::uint32_t) == kVectorEntryBytes);

}  // namespace presso::gpu
