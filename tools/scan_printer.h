// SPDX-License-Identifier: MIT
// Prints what a scan finds, byte for byte as ripgrep 13 does. Knows nothing of searching.
// Tested by tests/cli/scan_against_rg.py.
#pragma once

#include <string>
#include <string_view>

#include "presso/scan.h"
#include "tools/output.h"

namespace presso::cli {

struct PrintOptions {
  bool with_filename = false;
  bool heading = false;
  bool line_number = false;
  bool column = false;
  bool byte_offset = false;
  bool only_matching = false;
  bool color = false;
  bool null_after_path = false;
};

class ScanPrinter {
 public:
  ScanPrinter(const PrintOptions& options, Output& output) : options_(options), output_(output) {}

  void begin_file(std::string path);
  void line(const MatchedLine& line);
  /// Behind the lines of a file in which a NUL byte ended the scan.
  void binary_message(std::uint64_t nul_offset, bool quit);
  /// -c: "path:count".
  void count(std::uint64_t count);
  /// -l.
  void path_line();

 private:
  void file_header();
  void prefix(const MatchedLine& line, const MatchSpan* match);
  void number_field(std::uint64_t value, std::string_view style);
  void path(std::string_view behind);
  void styled(std::string_view text, std::string_view style);
  void colored_text(std::string_view text, std::span<const MatchSpan> matches);
  void end_line(std::string_view text);

  const PrintOptions options_;
  Output& output_;
  std::string path_;
  bool file_has_output_ = false;
  bool any_output_ = false;
};

}  // namespace presso::cli
