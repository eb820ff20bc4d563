// SPDX-License-Identifier: MIT
// Gives the lines that a scan finds as a stream of Arrow batches. Nothing here knows of Python;
// own_stream() (owned_stream.h) makes the stream suitable for Python's libraries. Tested by
// python/tests/test_scan.py. Memory is bounded by the queue, however slowly batches are read.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "presso/arrow_abi.h"
#include "python/src/line_queue.h"

namespace presso::python {

// The columns in the order of the documents; a stream has those that were asked for.
enum class LineColumn {
  kPath,        ///< utf8: the file's name
  kLineNumber,  ///< int64, from 1 on; needs ScanOptions::line_numbers
  kOffset,      ///< int64: of the line's first byte in the plain text
  kLine,        ///< utf8 or binary: without its line end
  kSpans,       ///< list of {begin, end}: int64, matches in the line; needs ScanOptions::matches
};

/// The columns of the batches.
struct LineColumns {
  std::vector<LineColumn> columns;
  /// Whether lines are utf8, in which bytes that are not UTF-8 are replaced by U+FFFD (spans stay
  /// those in the line as it is in the file), or binary.
  bool as_text = true;
};

/// Makes the schema, a struct of the columns. The caller has to release `out`. May throw
/// std::bad_alloc.
void export_line_schema(const LineColumns& columns, ArrowSchema& out);
/// Makes the stream. The caller has to release `out`, which ends the scan and joins its thread. Its
/// functions return ENOMEM, EINVAL, ECANCELED or EIO, with the error's text, which names the file.
/// May throw std::bad_alloc.
void export_lines(std::shared_ptr<const ScanJob> job, LineColumns columns, ArrowArrayStream& out);

}  // namespace presso::python
