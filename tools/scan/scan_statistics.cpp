// SPDX-License-Identifier: MIT
// Sums are kept for all files, because --stats prints them once, at the end. Tested by
// tests/cli/test_scan_output.py.
#include "tools/scan/scan_statistics.h"

#include <cstdio>

namespace presso::cli {

/// Adds a file's result; `printed` are the bytes of its output.
void ScanStatistics::add(const FileResult& file, std::uint64_t printed) {
  ++searches;
  if (file.summary.lines > 0) ++searches_with_match;
  bytes_searched += file.summary.plain_bytes;
  bytes_printed += printed;
  matched_lines += file.summary.lines;
  matches += file.summary.matches;
  if (file.summary.index_used) ++searches_with_index;
  blocks += file.summary.blocks;
  blocks_read += file.summary.blocks_read;
  blocks_skipped += file.summary.blocks_skipped;
  blocks_read_in_vain += file.summary.blocks_read_in_vain;
  bytes_read += file.summary.bytes_read;
  elapsed += file.elapsed;
}

std::string seconds_text(std::chrono::nanoseconds time) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6f", std::chrono::duration<double>(time).count());
  return text;
}

// The first eight figures are ripgrep's; the rest is about compressed files only.
void ScanStatistics::print(Output& output) const {
  output.write('\n');
  const auto row = [&output](std::uint64_t value, std::string_view what) {
    output.write_number(value);
    output.write(what);
  };
  row(matches, " matches\n");
  row(matched_lines, " matched lines\n");
  row(searches_with_match, " files contained matches\n");
  row(searches, " files searched\n");
  row(bytes_printed, " bytes printed\n");
  row(bytes_searched, " bytes searched\n");
  output.write(seconds_text(elapsed) + " seconds spent searching\n");
  output.write(seconds_text(total()) + " seconds\n");
  if (blocks > 0) {
    row(searches_with_index, " files with an index that was used\n");
    row(blocks, " blocks\n");
    row(blocks_read, " blocks read\n");
    row(blocks_skipped, " blocks skipped\n");
    row(blocks_read_in_vain, " blocks read in vain (the index let them through)\n");
    row(bytes_read, " compressed bytes read\n");
  }
  output.end_line();
}

}  // namespace presso::cli
