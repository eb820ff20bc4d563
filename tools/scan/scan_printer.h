// SPDX-License-Identifier: MIT
// Prints what a scan finds, byte for byte as ripgrep 13 does. It knows nothing of searching. Tested
// by tests/cli/scan_against_rg.py. The cost for a line is that of copying it, and of its matches
// where they are shown.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/lines.h"
#include "tools/io/output.h"
#include "tools/scan/scan_colors.h"
#include "tools/scan/scan_line_writer.h"
#include "tools/scan/scan_replace.h"
#include "tools/scan/scan_sink.h"

namespace presso::cli {

/// The parts of a line that are printed, and their looks.
struct PrintOptions {
  bool with_filename = false;
  bool heading = false;
  bool line_number = false;
  bool column = false;
  bool byte_offset = false;
  bool spans_lines = false;  ///< matches may: groups of lines come at once
  bool records = false;      ///< lines come as records
  bool per_match = false;    ///< --vimgrep: the line once for each match
  bool null_after_path = false;
  char path_separator = '/';
  std::string match_separator = ":";  ///< between the fields before a line
  std::string context_field_separator = "-";
  std::optional<std::string> context_separator = "--";  ///< between groups of lines
  bool context = false;                                 ///< lines around matches are shown
  std::optional<Replacement> replacement;
  ScanColors colors;
  LineStyle line;

  /// Whether printing needs every match of a line.
  bool needs_matches() const {
    const bool colored = line.color && !colors.match.is_plain();
    return line.only_matching || column || per_match || replacement || colored;
  }
};

/// Prints all files of one command. The pattern and the output are kept by reference. It is used by
/// one thread.
class ScanPrinter final : public ScanSink {
 public:
  ScanPrinter(PrintOptions options, const Pattern& pattern, Output& output);

  void begin_file(std::string path) override;
  void line(const MatchedLine& line) override;
  /// Ends a file, with a note if a NUL byte ended its scan.
  std::uint64_t end_file(const FileResult& result) override;
  /// Prints the count of a file for -c, as "path:count".
  void count(std::uint64_t count);
  /// Prints the path of a file for -l.
  void path_line();

 private:
  /// The text after a field: ':' in matching lines or '-' in context lines, unless flags change it.
  using Separator = const std::string&;

  /// Prints the heading before a file's first line.
  void file_header();
  // The forms of a line: print() chooses among the others.
  void print_line(const MatchedLine& line);
  void print(const MatchedLine& line, const LineText& text);
  void print_matches_only(const MatchedLine& line, const LineText& text);
  void print_per_match(const MatchedLine& line, const LineText& text);
  // scan_multiline_printer.cpp
  void print_record(const MatchedLine& record);
  void print_group(const MatchedLine& line, const LineText& text);
  void print_group_lines(const MatchedLine& line, const LineText& text);
  void print_group_matches(const MatchedLine& line, const LineText& text);
  void print_group_per_match(const MatchedLine& line, const LineText& text);
  void group_prefix(const MatchedLine& line, std::uint64_t index, std::size_t offset,
                    const MatchSpan* match);
  /// Whether lines are printed as they are and with nothing before them.
  bool prints_text_alone() const {
    const bool has_fields = options_.line_number || options_.byte_offset ||
                            (options_.with_filename && !options_.heading);
    return !has_fields && !options_.line.max_columns && !options_.line.trim;
  }
  /// Whether to go on with the matches of a line.
  bool goes_on();
  /// Prints the fields before a line: name, number, column, offset.
  void prefix(const MatchedLine& line, std::uint64_t offset, const MatchSpan* match);
  void number_field(std::uint64_t value, const std::string& style, Separator separator);
  void path(std::string_view behind);
  void name();
  void binary_message(std::uint64_t nul_offset, bool quit);

  const PrintOptions options_;
  const std::string path_color_;
  const std::string line_color_;
  const std::string column_color_;
  Output& output_;
  LineWriter writer_;
  PatternGroups groups_;
  std::string path_;
  std::vector<MatchSpan> replaced_;
  std::uint64_t begun_at_ = 0;  ///< Output::total() when the file began
  bool file_has_output_ = false;
  bool any_output_ = false;
};

}  // namespace presso::cli
