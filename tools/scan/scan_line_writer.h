// SPDX-License-Identifier: MIT
// Writes the text of one line: cut if it is too long, trimmed, with its matches in colour, and
// ended. Everything before the text in the output is printed by scan_printer.h. Tested by
// tests/cli/scan_against_rg.py. A line costs time in proportion to its length and to the number of
// its matches.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "presso/lines.h"
#include "tools/io/output.h"
#include "tools/scan/scan_colors.h"

namespace presso::cli {

/// How lines are written.
struct LineStyle {
  std::optional<std::uint64_t> max_columns;
  bool max_columns_preview = false;
  bool trim = false;
  bool only_matching = false;
  bool color = false;
  std::string match_color;      ///< escape sequence; empty: matches are not coloured
  std::string line_end = "\n";  ///< or "\r\n", or a NUL byte
};

/// A text to be written, and what is known about it.
struct LineText {
  std::string_view text;
  std::span<const MatchSpan> shown;    ///< to be coloured, within text
  std::span<const MatchSpan> matches;  ///< of the line as it is printed
  std::size_t original_matches = 0;    ///< before --replace
  bool is_context = false;
};

/// Writes lines to an output that must outlive it.
class LineWriter {
 public:
  LineWriter(LineStyle style, Output& output) : style_(std::move(style)), output_(output) {}

  /// Writes a line with its end.
  void write(const LineText& line);
  /// The line without its end.
  std::string_view content(std::string_view text) const {
    return text.substr(0, content_end(text));
  }
  /// Writes the end that is configured, for a text that has none.
  void end_line() { output_.write(style_.line_end); }
  /// Whether matches are to be shown in colour at all.
  bool colors_matches() const { return style_.color && !style_.match_color.empty(); }

 private:
  // The forms of a line: plain, too long, the beginning of one that is too long, and with colours.
  void write_plain(std::string_view text);
  void write_exceeding(const LineText& line, std::span<const MatchSpan> matches);
  void write_preview(std::string_view text, std::span<const MatchSpan> matches);
  void write_colored(std::string_view text, std::size_t end, std::span<const MatchSpan> matches);
  bool exceeds(std::string_view text) const {
    return style_.max_columns && text.size() > *style_.max_columns;
  }
  bool ends_line(char c) const { return c == style_.line_end.back(); }
  std::size_t trimmed_begin(std::string_view text) const;
  std::size_t content_end(std::string_view text) const;

  const LineStyle style_;
  Output& output_;
};

}  // namespace presso::cli
