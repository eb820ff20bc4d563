// SPDX-License-Identifier: MIT
// The CPU's part in a GPU's scan: it searches lines that the GPU has found for the matches in them,
// and the texts that the GPU leaves to it. A scanner (scan/matching/line_scan.h) has scratch memory
// that is costly to make, so scanners are kept and lent out, one to a thread; long texts are cut at
// line ends and searched by a team of threads. Test: tests/unit/scan/gpu/gpu_scan_test.cpp.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "decompress/gpu/runtime/team.h"
#include "scan/matching/line_scan.h"
#include "scan/text/searched_chunk.h"

namespace presso::gpu {

/// Thread-safe. Only one long text is shared out to the team at a time; others wait for it.
class ScannerPool {
 public:
  /// `matcher` is kept by reference. `threads`: how many search one long text.
  ScannerPool(const scan_detail::Matcher& matcher, const scan_detail::LineScanOptions& options,
              CpuLevel level, unsigned threads);

  /// Finds what LineScanner::scan() finds with these options. `text`: whole lines; the last may
  /// lack its '\n'. Long texts (over 2 MiB) are searched by all threads. Error: kOutOfMemory.
  Result<scan_detail::Findings> scan(Bytes text);
  /// Searches chunks of text that the CPU has decoded, and returns them in their order; all threads
  /// take part where they are over 2 MiB together. NUL bytes have no meaning here. Error:
  /// kOutOfMemory.
  Result<std::vector<scan_detail::SearchedChunk>> search(std::vector<scan_detail::Chunk> chunks);
  /// Counts the matching lines, whatever the options say of inverting or recording.
  std::uint64_t count(Bytes text);

 private:
  using Scanner = std::unique_ptr<scan_detail::LineScanner>;

  /// A free scanner, or a new one.
  Scanner take();
  void give_back(Scanner scanner);
  /// Searches text of any length on the calling thread.
  scan_detail::Findings scan_piece(Bytes text);
  scan_detail::SearchedChunk search_one(scan_detail::Chunk chunk);

  const scan_detail::Matcher& matcher_;
  scan_detail::LineScanOptions options_;
  CpuLevel level_;
  std::mutex mutex_;
  std::vector<Scanner> free_;
  std::mutex counter_mutex_;
  scan_detail::LineScanner counter_;
  std::mutex team_mutex_;
  Team team_;
};

}  // namespace presso::gpu
