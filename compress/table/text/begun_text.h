// SPDX-License-Identifier: MIT
// Finds out how a text is written by reading its begin. Tested by
// tests/unit/compress/table/dialect_test.cpp (what sniff() says) and tests/cli/test_table.py.
#pragma once

#include <memory>

#include "compress/table/text/dialect.h"
#include "compress/table/text/row_text_kind.h"
#include "presso/compress_table.h"

namespace presso {

struct BegunText {
  Buffer bytes;  ///< what was read
  SniffedText text;
  std::unique_ptr<RowTextKind> kind;
};

/// Reads as much as it takes, mostly kSniffBytes. kInvalidArgument: no row and no header, no row in
/// 256 MiB; those of sniff() and of the source.
Result<BegunText> sniff_source(ByteSource& source, const TableTextOptions& options,
                               bool leave_out_bad_rows);

}  // namespace presso
