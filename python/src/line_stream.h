// SPDX-License-Identifier: MIT
// Lines that a scan finds as a stream of Arrow batches. Nothing here knows of Python; own_stream()
// (owned_stream.h) makes the stream one for Python's libraries.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "presso/arrow_abi.h"
#include "python/src/line_queue.h"

namespace presso::python {

enum class LineColumn {
  kPath,        ///< utf8: the file's name
  kLineNumber,  ///< int64, from 1 on; needs ScanOptions::line_numbers
  kOffset,      ///< int64: of the line's first byte in the plain text
  kLine,        ///< utf8 or binary: without its line end
  kSpans,       ///< list of {begin, end}: int64, matches in the line; needs ScanOptions::matches
};

struct LineColumns {
  std::vector<LineColumn> columns;
  /// Lines are utf8, in which bytes that are no UTF-8 are replaced by U+FFFD (spans are those in
  /// the line as it stands in the file); else binary.
  bool as_text = true;
};

/// A struct of the columns. `out` is the caller's to release. May throw std::bad_alloc.
void export_line_schema(const LineColumns& columns, ArrowSchema& out);
/// `out` is the caller's to release, which ends the scan and joins its thread. Its functions give
/// ENOMEM, EINVAL, ECANCELED or EIO, with the error's text, which names the file. May throw
/// std::bad_alloc.
void export_lines(std::shared_ptr<const ScanJob> job, LineColumns columns, ArrowArrayStream& out);

}  // namespace presso::python
