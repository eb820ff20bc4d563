// SPDX-License-Identifier: MIT
// The order in which files are searched, for --sort and --sortr: by path, which is the order of the
// walk (scan_walk.h), backwards, by a time of the file, or by the time of its first line. Tested by
// tests/cli/test_scan_files.py, test_scan_times.py.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "presso/scan.h"
#include "tools/scan/scan_plan.h"
#include "tools/scan/scan_settings.h"
#include "tools/times/time_window.h"

namespace presso::cli {

/// A file that is to be searched, and how it was found.
struct FileToScan {
  std::string path;
  Origin origin = Origin::kNamed;
};

/// Seconds since 1970 and nanoseconds.
using FileTime = std::pair<std::int64_t, std::uint32_t>;

/// Finds the time of a file's first line that tells one.
class FirstLineTimes {
 public:
  /// `settings` must outlive the result. Errors: those of time_window() and LocalZone::load().
  static Result<FirstLineTimes> make(const ScanSettings& settings);

  /// Reads the beginning of the file, a block at least. Errors: kInvalidArgument if no line tells a
  /// time, and those of reading.
  Result<FileTime> of(const std::string& path) const;

 private:
  FirstLineTimes(const ScanSettings& settings, TimeWindow window, LocalZone zone, Pattern all)
      : settings_(&settings), window_(std::move(window)), zone_(zone), all_(std::move(all)) {}

  const ScanSettings* settings_;
  TimeWindow window_;
  LocalZone zone_;
  Pattern all_;  ///< matches every line
};

/// A file that came last as it has no time to sort by, and why.
struct UntimedFile {
  std::string path;
  std::string why;
};

/// Sorts the files; equal ones stay in their order. Files without such a time (standard input,
/// where the file system does not keep it, or no line tells it) count as the latest. Costs one
/// statx() for each file, unless paths are compared, or what `lines` costs, which is needed for
/// Key::kLines only. Returns the first file without a time that it might have had; files that
/// cannot be read are left to whoever searches them.
std::optional<UntimedFile> sort_files(std::vector<FileToScan>& files, const FileOrder& order,
                                      const FirstLineTimes* lines);

}  // namespace presso::cli
