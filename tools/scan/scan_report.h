// SPDX-License-Identifier: MIT
// The messages of `presso scan` on standard error apart from errors: --explain and --progress.
// Tested by tests/cli/test_scan_output.py. Progress costs a reading of the clock for each piece of
// text.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "presso/scan.h"
#include "tools/io/progress.h"
#include "tools/scan/scan_plan.h"
#include "tools/scan/scan_settings.h"
#include "tools/scan/scan_statistics.h"

namespace presso::cli {

/// The text of why a file could not be searched with these options, with the flag that would help.
std::string scan_error_text(const Error& error, const Pattern& pattern, const ScanOptions& options);

/// The lines of --explain about the whole command, before the search and after it. They go to
/// stderr, so that results can be piped.
void explain_plan(const ScanSettings& settings, const ScanPlan& plan, const Pattern& pattern);
void explain_rates(const ScanStatistics& statistics);

/// The progress of one file: a bar where it disturbs nothing, otherwise, if forced, a line each
/// second.
class ScanProgress {
 public:
  /// `size` is that of the plain text, 0 if it is not known.
  ScanProgress(const ScanSettings& settings, const ScanPlan& plan, std::string name,
               std::uint64_t size);

  /// The function for ScanOptions::on_progress; empty if nothing is to be shown.
  std::function<void(std::uint64_t)> callback();
  /// Takes the bar away, or prints the last line.
  void done();

 private:
  using Clock = std::chrono::steady_clock;

  /// Called on the thread that searches; several calls never run at the same time.
  void update(std::uint64_t bytes);
  void print_line() const;

  std::string name_;
  std::uint64_t size_;
  std::unique_ptr<Progress> bar_;
  bool prints_lines_;
  std::uint64_t bytes_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point next_line_ = start_ + std::chrono::seconds(1);
};

}  // namespace presso::cli
