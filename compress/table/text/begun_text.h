// SPDX-License-Identifier: MIT
// The first step of loading a text as a table, once for a text: reads its beginning and finds out
// whether it is delimited text (by the rules of dialect.h) or JSON lines (json_inference.h), and
// how that is written. Tested by tests/unit/compress/table/dialect_test.cpp (the rules of sniff())
// and tests/cli/test_table.py.
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

/// Reads as much as it needs, mostly kSniffBytes, and holds it in memory. kInvalidArgument: neither
/// a row nor a header, no row in 256 MiB, nothing but NUL bytes, or a file that is named like JSON
/// and is not JSON lines; also the errors of sniff() and of the source.
/// `file`: the same text if it can be read at any place, of which some are looked at; else nullptr.
Result<BegunText> sniff_source(ByteSource& source, const TableTextOptions& options,
                               bool leave_out_bad_rows, const RandomAccess* file);

}  // namespace presso
