// SPDX-License-Identifier: MIT
// Decides whether the columns of a row group are packed: stored as text side by side in one stream
// (format/columns/packed_rows.h) instead of in blocks of their own. It pays for few rows, where
// each block's header counts, and for columns that repeat each other. A sample of 256 KiB
// decides whether the whole is tried. Tested by
// tests/unit/decompress/table/packed_group_test.cpp.
#pragma once

#include <span>

#include "compress/table/write/row_group_encoder.h"

namespace presso {

/// Replaces a row group by one that is packed, if that is smaller. `exact` and `text` as in
/// GroupText.
void pack_if_smaller(const TableSchema& schema, std::span<const ColumnView> columns,
                     const ExactLines& exact, Bytes text, TableEncoders& encoders,
                     EncodedRowGroup& encoded);
/// Does that where columns cannot be smaller, since each of them has a block of its own; returns
/// whether it did. `encoded` has columns without blocks.
bool pack_instead_of_columns(const TableSchema& schema, std::span<const ColumnView> columns,
                             const ExactLines& exact, Bytes text, TableEncoders& encoders,
                             EncodedRowGroup& encoded);

}  // namespace presso
