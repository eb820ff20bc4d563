// SPDX-License-Identifier: MIT
// The output of --explain about one file: what it is, how much of it the index lets the search
// leave out, and how long the search took. Tested by tests/cli/test_scan_device.py. It costs one
// look at the filters of all blocks before the search.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "presso/scan.h"
#include "tools/scan/scan_input.h"
#include "tools/scan/scan_sink.h"

namespace presso::cli {

/// Files with less text than this are searched in a moment, and nothing is said about them.
constexpr std::uint64_t kExplainedBytes = std::uint64_t{1} << 20;

/// Explains one file, before and after its search.
class FileExplanation {
 public:
  FileExplanation(const Pattern& pattern, const ScanOptions& options, std::string name)
      : pattern_(pattern), options_(options), name_(std::move(name)) {}

  /// Reads the file's index and filters, which the search then reuses.
  void before(ScanInput& input);
  /// Prints the figures of a search that has ended.
  void after(const FileResult& result) const;

 private:
  /// The amount of text to be searched, and how much of it the index leaves.
  struct Extent {
    std::uint64_t plain_bytes = 0;
    std::uint64_t blocks = 0;  ///< 0: plain text
    std::uint64_t wanted_blocks = 0;
    bool has_index = false;
    std::string coding;
  };

  std::optional<Extent> extent_of(ScannedFile& file) const;
  void describe(const Extent& extent) const;

  const Pattern& pattern_;
  const ScanOptions& options_;
  const std::string name_;
  bool spoken_of_ = false;
};

}  // namespace presso::cli
