// SPDX-License-Identifier: MIT
// Finds out how a text is written by reading its beginning. Tested by
// tests/unit/compress/table/dialect_test.cpp (the rules of sniff()) and
// tests/cli/test_table.py.
#pragma once

#include <memory>

#include "compress/table/text/dialect.h"
#include "compress/table/text/row_text_kind.h"
#include "presso/compress_table.h"

namespace presso {

/// The result, with everything that was read from the source so far.
struct BegunText {
  Buffer bytes;  ///< bytes that were read, which the loader needs
  SniffedText text;
  std::unique_ptr<RowTextKind> kind;
};

/// Reads as much as it needs, mostly kSniffBytes. kInvalidArgument: neither a row nor a header,
/// or no row in 256 MiB; and the errors of sniff() and of the source.
Result<BegunText> sniff_source(ByteSource& source, const TableTextOptions& options,
                               bool leave_out_bad_rows);

}  // namespace presso
