// SPDX-License-Identifier: MIT
// A scan for matches that may span lines (multiline_search.h). All of the text is read into memory,
// up to ScanOptions::multiline_limit, decoded by all threads and searched by one, since a match has
// no greatest length that chunks could overlap by. A damaged block divides the text; no match and
// no context reaches across it. Tested by tests/unit/scan/text/scan_multiline_test.cpp.
#pragma once

#include "presso/lines.h"
#include "scan/blocks/chunk_source.h"
#include "scan/matching/matcher.h"

namespace presso::scan_detail {

/// Runs the scan. If `expected_bytes` is not 0, memory for that much text is reserved at once; if
/// it is above the limit, that is an error before anything is read. Errors: kUnsupported above the
/// limit, kCancelled, and those of reading.
Result<ScanSummary> scan_multiline(ChunkSource& chunks, const Matcher& matcher,
                                   const ScanOptions& options, const LineCallback& on_line,
                                   std::uint64_t expected_bytes);

}  // namespace presso::scan_detail
