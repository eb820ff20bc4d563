// SPDX-License-Identifier: MIT
// A scan for matches that may span lines (multiline_search.h): all of the text is read into memory,
// up to ScanOptions::multiline_limit, decoded by all threads and searched by one. A damaged block
// divides the text; no match and no context reaches across it.
#pragma once

#include "presso/lines.h"
#include "scan/blocks/chunk_source.h"
#include "scan/matching/matcher.h"

namespace presso::scan_detail {

/// `expected_bytes` of text, if not 0, get their room at once; more than the limit is an error
/// before anything is read. Errors: kUnsupported above the limit; those of reading; kCancelled.
Result<ScanSummary> scan_multiline(ChunkSource& chunks, const Matcher& matcher,
                                   const ScanOptions& options, const LineCallback& on_line,
                                   std::uint64_t expected_bytes);

}  // namespace presso::scan_detail
