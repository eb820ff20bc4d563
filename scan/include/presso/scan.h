// SPDX-License-Identifier: MIT
// Searching compressed and plain text line by line on all CPU cores, results in order.
//
//   auto pattern = presso::Pattern::compile_literals({"error"});
//   auto result = presso::scan(source, *pattern, {}, [](const presso::MatchedLine& line) {
//     std::fwrite(line.text.data(), 1, line.text.size(), stdout);
//     return true;
//   });
//
// A presso file is recognised by its magic and decoded block by block; anything else is searched as
// it is. Memory is bounded by a few blocks for each thread plus the longest line.
#pragma once

#include "presso/byte_stream.h"
#include "presso/lines.h"
#include "presso/pattern.h"

namespace presso {

/// Scans the rest of `source`. Without a callback lines are only counted, which is faster. Returns
/// when the scan has ended. `source` is used by one thread at a time; several scans may run at
/// once. Errors: those of reading, of the container, and with fail_fast those of blocks; before an
/// error is returned, every line in front of it has been reported. With a pattern that spans lines:
/// kUnsupported for a text larger than multiline_limit, and lines are reported only when the whole
/// text, or all of it up to a damaged block, has been read.
Result<ScanSummary> scan(ByteSource& source, const Pattern& pattern,
                         const ScanOptions& options = {}, const LineCallback& on_line = {});
/// Scans a file; plain text is then read by all threads.
Result<ScanSummary> scan(const RandomAccess& file, const Pattern& pattern,
                         const ScanOptions& options = {}, const LineCallback& on_line = {});

}  // namespace presso
