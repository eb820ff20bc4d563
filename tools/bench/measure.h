// SPDX-License-Identifier: MIT
// Measures subjects against one another in rounds, each of which runs every subject once, so that
// disturbances of the machine affect all of them alike. The figures are medians over the rounds, of
// which there are at least three. Results are compared with the input before anything is timed. The
// total time is `seconds` for each subject, or that of three rounds if they take longer. Tested by
// tests/cli/test_reports.py.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "tools/bench/subject.h"

namespace presso::cli {

/// The figures of one codec at one level.
struct Measurement {
  std::string codec;
  int level = 0;
  std::uint64_t compressed_bytes = 0;
  double ratio = 0;
  /// Plain megabytes (10^6) a second; verified: 0 if the codec has no checksums.
  double compress_rate = 0;
  double decompress_rate = 0;
  double verified_rate = 0;
  double scan_rate = 0;                 ///< 0 if no scan was asked for
  std::optional<CompressSeconds> work;  ///< presso's, of the last round
};

/// How long to measure, and whether scans are measured, too.
struct MeasureOptions {
  double seconds = 1;       ///< for each subject, compression and decompression together
  LineCounter count_lines;  ///< empty: scans are not measured
  /// Called after each step with the share done, 0 to 1.
  std::function<void(double)> on_progress;
};

/// The figures of all subjects for one input.
struct Measurements {
  std::vector<Measurement> rows;
  unsigned rounds = 0;
  std::uint64_t matching_lines = 0;  ///< if scans were measured
};

/// Measures all subjects; the rows are in the order of `subjects`. Errors are those of the codecs;
/// it is also an error if decoded bytes differ from the input, or a scan's count from that of the
/// plain text.
Result<Measurements> measure(const BenchInput& input,
                             const std::vector<std::unique_ptr<Subject>>& subjects,
                             const MeasureOptions& options);

}  // namespace presso::cli
