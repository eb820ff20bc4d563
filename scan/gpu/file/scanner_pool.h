// SPDX-License-Identifier: MIT
// The CPU's part in a GPU's scan: searches lines that the GPU has found for what is wanted of them,
// and the few lines that it leaves. Scanners with their scratch are kept; long texts are cut at
// line ends and searched by a team of threads.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "decompress/gpu/runtime/team.h"
#include "scan/matching/line_scan.h"
#include "scan/text/searched_chunk.h"

namespace presso::gpu {

/// Thread-safe.
class ScannerPool {
 public:
  /// `matcher` is kept by reference. `threads`: that share one long text.
  ScannerPool(const scan_detail::Matcher& matcher, const scan_detail::LineScanOptions& options,
              CpuLevel level, unsigned threads);

  /// As LineScanner::scan() with the options. `text`: whole lines, the last with or without '\n'.
  /// Error: kOutOfMemory.
  Result<scan_detail::Findings> scan(Bytes text);
  /// Chunks one by one, in their order, where they are long by all threads: text that the CPU has
  /// decoded. NUL bytes mean nothing. Error: kOutOfMemory.
  Result<std::vector<scan_detail::SearchedChunk>> search(std::vector<scan_detail::Chunk> chunks);
  /// How many of the lines match, whatever the options.
  std::uint64_t count(Bytes text);

 private:
  using Scanner = std::unique_ptr<scan_detail::LineScanner>;

  Scanner take();
  void give_back(Scanner scanner);
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
