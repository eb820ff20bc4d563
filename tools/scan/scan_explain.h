// SPDX-License-Identifier: MIT
// --explain of one file: what it is, how long its search should take, and how long it took. The
// prediction comes from samples of the file itself, on one thread: eight pieces spread over it,
// blocks or 256 KiB, 2 MiB together, are decoded, then searched in memory. No table of rates is
// kept: it would be that of another machine, and the pattern's own candidates decide as much as the
// engine does.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "presso/scan.h"
#include "tools/scan/scan_input.h"
#include "tools/scan/scan_sink.h"

namespace presso::cli {

/// Files with less text than this are searched in a moment: nothing is said of them.
constexpr std::uint64_t kExplainedBytes = std::uint64_t{1} << 20;

class FileExplanation {
 public:
  /// `prints_lines`: they are not only counted.
  FileExplanation(const Pattern& pattern, const ScanOptions& options, std::string name,
                  bool prints_lines)
      : pattern_(pattern), options_(options), name_(std::move(name)), prints_lines_(prints_lines) {}

  /// Reads some of the file, and all of its index.
  void before(const ScanInput& input);
  void after(const FileResult& result) const;

 private:
  /// Nanoseconds a byte of text, on one thread.
  struct Costs {
    double decoding = 0;
    double searching = 0;
  };
  /// What is to be searched.
  struct Extent {
    std::uint64_t plain_bytes = 0;
    std::uint64_t blocks = 0;  ///< 0: plain text
    std::uint64_t wanted_blocks = 0;
    std::uint64_t wanted_bytes = 0;
    bool has_index = false;
    std::string coding;
  };

  struct Sample {
    Buffer text;
    double nanoseconds = 0;  ///< to read and decode it
  };

  std::optional<Extent> extent_of(const RandomAccess& file, bool is_plain) const;
  std::optional<Sample> sample_of(const RandomAccess& file, const Extent& extent) const;
  std::optional<Costs> costs_of(const RandomAccess& file, const Extent& extent) const;
  void describe(const Extent& extent) const;
  void predict(const Extent& extent, const Costs& costs) const;

  const Pattern& pattern_;
  const ScanOptions& options_;
  const std::string name_;
  const bool prints_lines_;
  bool spoken_of_ = false;
};

}  // namespace presso::cli
