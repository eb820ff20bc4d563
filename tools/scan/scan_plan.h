// SPDX-License-Identifier: MIT
// What follows from the flags of `presso scan` before anything is searched: what is printed,
// counted or listed, and how a file has to be scanned for it. ripgrep 13's rules for combinations.
#pragma once

#include <string>
#include <vector>

#include "presso/scan.h"
#include "tools/scan/scan_printer.h"
#include "tools/scan/scan_settings.h"

namespace presso::cli {

/// How a file came to be searched.
enum class Origin { kNamed, kFound, kStdin };

class ScanPlan {
 public:
  using Counting = ScanSettings::Counting;
  using Listing = ScanSettings::Listing;

  /// `settings` is kept by reference. No `operands`: standard input or the current directory.
  /// `spans_lines`: of the pattern.
  ScanPlan(const ScanSettings& settings, std::vector<std::string> operands, bool spans_lines);

  /// Flags that cannot be used together: kInvalidArgument.
  static Status check(const ScanSettings& settings);

  const std::vector<std::string>& paths() const { return paths_; }
  /// The path is the current directory, not named by the user.
  bool default_path() const { return default_path_; }
  Counting counting() const { return counting_; }
  /// No lines are printed.
  bool counts_only() const {
    return settings_.quiet || counting_ != Counting::kNone || settings_.listing != Listing::kNone;
  }
  bool line_buffered() const;
  const PrintOptions& print_options() const { return print_; }
  BinaryRule rule_for(Origin origin) const;
  /// `lines_left`: of --max-total.
  ScanOptions scan_options(BinaryRule rule, std::uint64_t lines_left) const;

 private:
  void settle_counting();
  void choose_paths(std::vector<std::string> operands);
  void choose_print_options();
  void choose_fields(bool terminal);
  void choose_context();
  bool first_line_decides() const;

  const ScanSettings& settings_;
  const bool spans_lines_;
  Counting counting_ = Counting::kNone;
  std::vector<std::string> paths_;
  bool default_path_ = false;
  std::uint64_t before_ = 0;
  std::uint64_t after_ = 0;
  PrintOptions print_;
};

bool is_directory(const std::string& path);

}  // namespace presso::cli
