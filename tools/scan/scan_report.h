// SPDX-License-Identifier: MIT
// What `presso scan` says on standard error besides errors: damaged blocks, --explain, --progress.
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

/// Why a file could not be searched, with the flag that would help.
std::string scan_error_text(const Error& error, const Pattern& pattern);

/// --explain: before and after the search.
void explain_plan(const ScanSettings& settings, const ScanPlan& plan, const Pattern& pattern);
void explain_rates(const ScanStatistics& statistics);

/// --progress of one file. A bar where it disturbs nothing, else (forced) a line each second.
class ScanProgress {
 public:
  /// `size`: of the plain text, 0 where unknown.
  ScanProgress(const ScanSettings& settings, const ScanPlan& plan, std::string name,
               std::uint64_t size);

  /// For ScanOptions::on_progress; empty where nothing is to be shown.
  std::function<void(std::uint64_t)> callback();
  /// Takes the bar away, or prints the last line.
  void done();

 private:
  using Clock = std::chrono::steady_clock;

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
