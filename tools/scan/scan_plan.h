// SPDX-License-Identifier: MIT
// Decides what follows from the flags of `presso scan` before anything is searched: what is
// printed, counted or listed, and how a file has to be scanned for that. It has ripgrep 13's rules
// for combinations of flags. Tested by tests/cli/test_scan_habits.py and scan_against_rg.py. It
// costs one stat() for each path.
#pragma once

#include <string>
#include <vector>

#include "presso/scan.h"
#include "tools/scan/scan_printer.h"
#include "tools/scan/scan_settings.h"

namespace presso::cli {

/// How a file came to be searched: by its name, found in a directory, or as standard input.
enum class Origin { kNamed, kFound, kStdin };

/// The plan of one command. It reads the terminal and the environment once, when it is made. It is
/// constant after that, so it may be read from any thread.
class ScanPlan {
 public:
  using Counting = ScanSettings::Counting;
  using Listing = ScanSettings::Listing;

  /// Makes the plan. `settings` is kept by reference. Without `operands`, standard input or the
  /// current directory is searched. `spans_lines` says whether the pattern's matches may span
  /// lines.
  ScanPlan(const ScanSettings& settings, std::vector<std::string> operands, bool spans_lines);

  /// Error kInvalidArgument: flags that cannot be used together.
  static Status check(const ScanSettings& settings);
  /// The part of it for records.
  static Status check_records(const ScanSettings& settings);

  const std::vector<std::string>& paths() const { return paths_; }
  /// Whether the path is the current directory without having been named by the user.
  bool default_path() const { return default_path_; }
  Counting counting() const { return counting_; }
  /// Whether no lines are printed.
  bool counts_only() const {
    return settings_.quiet || counting_ != Counting::kNone || settings_.listing != Listing::kNone;
  }
  /// Whether each line is written at once, for readers that follow along.
  bool line_buffered() const;
  const PrintOptions& print_options() const { return print_; }
  /// What a NUL byte in a file means, by how the file was found.
  BinaryRule rule_for(Origin origin) const;
  /// The options of a file's scan; `lines_left` is what --max-total leaves.
  ScanOptions scan_options(BinaryRule rule, std::uint64_t lines_left) const;

 private:
  // The steps of the constructor; each uses what those before it have settled.
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
