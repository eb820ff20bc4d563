// SPDX-License-Identifier: MIT
// The figures of --stats and --json: what was searched, found and printed, over all files. Tested
// by tests/cli/test_scan_output.py. Figures cost nothing noticeable: they are added once a file.
#pragma once

#include <chrono>
#include <cstdint>

#include "tools/io/output.h"
#include "tools/scan/scan_sink.h"

namespace presso::cli {

/// The sums over all files so far.
struct ScanStatistics {
  std::uint64_t searches = 0;
  std::uint64_t searches_with_match = 0;
  std::uint64_t bytes_searched = 0;  ///< of plain text
  std::uint64_t bytes_printed = 0;
  std::uint64_t matched_lines = 0;
  std::uint64_t matches = 0;
  // For compressed files only.
  std::uint64_t searches_with_index = 0;
  std::uint64_t blocks = 0;
  std::uint64_t blocks_read = 0;
  std::uint64_t blocks_skipped = 0;
  std::uint64_t blocks_read_in_vain = 0;
  std::uint64_t bytes_read = 0;
  std::chrono::nanoseconds elapsed{0};  ///< searching
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();

  // total() includes walking and printing, elapsed only the searches.
  void add(const FileResult& file, std::uint64_t printed);
  std::chrono::nanoseconds total() const { return std::chrono::steady_clock::now() - start; }
  /// Prints an empty line and a line for each figure, as ripgrep does; if compressed files were
  /// searched, then further lines about their blocks and indexes.
  void print(Output& output) const;
};

/// A time in seconds with six digits after the point, "0.001869".
std::string seconds_text(std::chrono::nanoseconds time);

}  // namespace presso::cli
