// SPDX-License-Identifier: MIT
// search_chunk(): cuts a chunk at its first and last border and searches what lies between.
#include "scan/text/searched_chunk.h"

#include <cstring>
#include <utility>

namespace presso::scan_detail {
namespace {

/// Narrows the inner text from whole lines to whole records.
void cut_at_records(SearchedChunk& searched, RecordBorders& records) {
  const Bytes lines = searched.chunk.text.bytes().subspan(
      searched.inner_begin, searched.inner_end - searched.inner_begin);
  records.start(lines, searched.chunk.offset + searched.inner_begin);
  const std::size_t first = records.next(0);
  searched.has_border = first < lines.size();
  if (!searched.has_border) return;
  searched.inner_end = searched.inner_begin + records.last(first, lines.size());
  searched.inner_begin += first;
}

}  // namespace

bool begins_with_mark(Bytes text) {
  constexpr Byte kByteOrderMark[kMarkBytes] = {0xEF, 0xBB, 0xBF};
  return text.size() >= kMarkBytes && std::memcmp(text.data(), kByteOrderMark, kMarkBytes) == 0;
}

/// What each chunk has to be searched for to satisfy the options: as little as possible, since
/// places cost more than counts.
LineScanOptions line_scan_options(const ScanOptions& options, bool has_callback) {
  LineScanOptions result;
  result.invert = options.invert;
  result.line_numbers = options.line_numbers && has_callback;
  result.matches = options.matches;
  // To count matches up to a line inside a chunk, it must be known where that line's matches end.
  const bool stops_inside = options.matches && options.max_lines != ~std::uint64_t{0};
  result.record = has_callback || stops_inside;
  result.max_lines = options.max_lines;
  if (options.times) {
    result.record = true;
    result.max_lines = ~std::uint64_t{0};
  }
  if (options.limits_lines()) {
    result.line_numbers = true;
    result.record = true;
    result.max_lines = ~std::uint64_t{0};
    return result;
  }
  // The lines of context after the last one are shown with their matches.
  if (has_callback && result.max_lines < ~options.after_context) {
    result.max_lines += options.after_context;
  }
  return result;
}

SearchedChunk search_chunk(Chunk chunk, LineScanner& scanner) {
  SearchedChunk searched;
  searched.chunk = std::move(chunk);
  if (searched.chunk.damage || searched.chunk.skipped) return searched;
  const Bytes text = searched.chunk.text.bytes();
  if (searched.chunk.offset == 0 && begins_with_mark(text)) searched.text_begin = kMarkBytes;
  searched.inner_end = line_begin(text, searched.text_begin, text.size());
  searched.has_border = searched.inner_end > searched.text_begin;
  if (!searched.has_border) return searched;
  searched.inner_begin = line_end(text, searched.text_begin);
  if (RecordBorders* const records = scanner.records()) {
    cut_at_records(searched, *records);
    if (!searched.has_border) return searched;
  }
  searched.findings =
      scanner.scan(text.subspan(searched.inner_begin, searched.inner_end - searched.inner_begin),
                   searched.chunk.offset + searched.inner_begin);
  return searched;
}

}  // namespace presso::scan_detail
