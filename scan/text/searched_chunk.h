// SPDX-License-Identifier: MIT
// The part of a scan that workers do, each with its own chunk (chunk_source.h): the chunk is cut at
// its first and its last '\n', and what lies between, the inner text, is searched. What lies
// outside belongs to lines that chunk borders cut; the assembler (assembler.h) joins and searches
// these. Where records are searched, the cuts are where the first and the last record begin, of
// those whose first line is all in the chunk. Tested by tests/unit/scan/text/scan_test.cpp.
#pragma once

#include <optional>

#include "scan/blocks/chunk_source.h"
#include "scan/matching/line_scan.h"

namespace presso::scan_detail {

/// A chunk after the worker's search. Offsets are within the chunk's text.
struct SearchedChunk {
  Chunk chunk;
  std::size_t text_begin = 0;   ///< > 0 where a byte order mark comes first
  std::size_t inner_begin = 0;  ///< after the first '\n', or where the first record begins
  std::size_t inner_end = 0;    ///< the last such place; inner_begin where there is only one
  bool has_border = false;      ///< whether there is one
  Findings findings;            ///< in the inner text
  std::optional<Error> error;   ///< why the chunk could not be read
};

/// Blocks that a GPU has searched as one text (scan/gpu/file). From the lines after the first '\n'
/// and before the last one, it keeps only those that may have to be reported.
struct SearchedExcerpt {
  std::uint64_t offset = 0;  ///< of the text in the plain text
  std::uint64_t bytes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t stored_bytes = 0;
  bool has_newline = false;
  Buffer head;        ///< up to the first '\n', which is included; all of the text if there is none
  Buffer tail;        ///< after the last
  Buffer lines;       ///< lines from between, one after another
  Findings findings;  ///< in `lines`, with FoundLine::moved; counts are those of all between
  Buffer probe;       ///< the text's first bytes, as far as the binary check needs them
};

/// The size of UTF-8's byte order mark, which is no part of the text.
constexpr std::size_t kMarkBytes = 3;
/// Whether `text`, the beginning of a file, begins with that mark.
bool begins_with_mark(Bytes text);

/// How lines are searched, given what the caller wants to know.
LineScanOptions line_scan_options(const ScanOptions& options, bool has_callback);

/// Cuts the chunk and searches its inner text; damaged and skipped chunks pass through.
SearchedChunk search_chunk(Chunk chunk, LineScanner& scanner);

}  // namespace presso::scan_detail
