// SPDX-License-Identifier: MIT
// Written to follow ripgrep's bytes, also where its rules are odd; docs/ripgrep.md lists the
// differences. Text goes to Output, which gathers it. Tested by tests/cli/scan_against_rg.py.
#include "tools/scan/scan_printer.h"

#include <algorithm>
#include <utility>

namespace presso::cli {
namespace {

/// The style of lines with the escape sequence of matches, made once.
LineStyle line_style(const PrintOptions& options) {
  LineStyle style = options.line;
  if (!options.colors.match.is_plain()) style.match_color = options.colors.match.sequence();
  return style;
}

}  // namespace

/// `pattern` and `output` are kept by reference. Escape sequences are made once.
ScanPrinter::ScanPrinter(PrintOptions options, const Pattern& pattern, Output& output)
    : options_(std::move(options)),
      path_color_(options_.colors.path.sequence()),
      line_color_(options_.colors.line.sequence()),
      column_color_(options_.colors.column.sequence()),
      output_(output),
      writer_(line_style(options_), output),
      groups_(pattern) {}

/// Prints nothing yet: headings come with the first line of a file.
void ScanPrinter::begin_file(std::string path) {
  path_ = std::move(path);
  if (options_.path_separator != '/') {
    std::replace(path_.begin(), path_.end(), '/', options_.path_separator);
  }
  file_has_output_ = false;
  begun_at_ = output_.total();
}

/// Prints one line, or all of a record, with what goes around it: a separator after a gap, and the
/// heading.
void ScanPrinter::line(const MatchedLine& line) {
  if (line.after_gap && options_.context_separator) {
    output_.write(*options_.context_separator);
    writer_.end_line();
  }
  file_header();
  if (options_.records) {
    print_record(line);
  } else {
    print_line(line);
  }
  output_.end_line();
}

/// Prints one line, or a group of them, after the replacement of matches where one was given.
/// Context lines are printed in the same way, with another separator.
void ScanPrinter::print_line(const MatchedLine& line) {
  LineText text;
  text.text = as_text(line.text);
  text.matches = line.matches;
  text.original_matches = line.matches.size();
  text.is_context = line.kind != LineKind::kMatch;
  // The replaced text takes the place of the line for all forms of output.
  std::string replaced;
  if (options_.replacement && !line.matches.empty()) {
    // A match across lines may hold the last one's end.
    const std::string_view original = options_.spans_lines ? text.text : writer_.content(text.text);
    replaced = options_.replacement->apply(original, line.matches, groups_, replaced_);
    text.text = replaced;
    text.matches = replaced_;
  }
  if (options_.spans_lines && line.kind == LineKind::kMatch) {
    print_group(line, text);
  } else {
    print(line, text);
  }
}

/// Prints the line in one of four forms: without matches to show, each match alone (-o), the line
/// once for each match (--vimgrep), or the line with its matches coloured. Columns count from
/// 0 in the search and from 1 in the output.
void ScanPrinter::print(const MatchedLine& line, const LineText& text) {
  // An empty match at the very end of an unfinished line selects it but cannot be shown.
  if (text.matches.empty()) {
    prefix(line, line.offset, nullptr);
    writer_.write(text);
  } else if (options_.line.only_matching) {
    print_matches_only(line, text);
  } else if (options_.per_match) {
    print_per_match(line, text);
  } else {
    prefix(line, line.offset, &text.matches.front());
    LineText whole = text;
    whole.shown = text.matches;
    writer_.write(whole);
  }
}

/// Prints each match as a line of its own, until a limit or a closed pipe ends that.
void ScanPrinter::print_matches_only(const MatchedLine& line, const LineText& text) {
  for (const MatchSpan& match : text.matches) {
    // The offset is that of the match and not of the line.
    prefix(line, line.offset + match.begin, &match);
    LineText part = text;
    part.text = text.text.substr(match.begin, match.end - match.begin);
    const MatchSpan whole{0, part.text.size()};
    part.shown = std::span(&whole, 1);
    writer_.write(part);
    if (!goes_on()) return;
  }
}

/// Prints the whole line for each match, with that match's column.
void ScanPrinter::print_per_match(const MatchedLine& line, const LineText& text) {
  for (const MatchSpan& match : text.matches) {
    prefix(line, line.offset + match.begin, &match);
    LineText whole = text;
    whole.shown = std::span(&match, 1);
    writer_.write(whole);
    if (!goes_on()) return;
  }
}

/// Writes out what has gathered, since one line may have to be printed once for each of its
/// matches. Returns false if nobody reads any more. Without it a line of megabytes with many
/// matches would be gathered many times over.
bool ScanPrinter::goes_on() {
  output_.end_line();
  return output_.usable();
}

/// Prints what comes before a file's first line: its name as a heading, or a separator. A file
/// without output gets neither.
void ScanPrinter::file_header() {
  if (file_has_output_) return;
  file_has_output_ = true;
  if (options_.heading) {
    // A heading is preceded by an empty line unless it is the first.
    if (any_output_) writer_.end_line();
    if (options_.with_filename) path(options_.line.line_end);
  } else if (options_.context && options_.context_separator && any_output_) {
    output_.write(*options_.context_separator);
    writer_.end_line();
  }
  any_output_ = true;
}

/// Prints the fields before a line: path, number, column and offset, as far as wanted. The order is
/// ripgrep's: path, line, column, offset.
void ScanPrinter::prefix(const MatchedLine& line, std::uint64_t offset, const MatchSpan* match) {
  const std::string& separator =
      line.kind == LineKind::kMatch ? options_.match_separator : options_.context_field_separator;
  if (options_.with_filename && !options_.heading) path(separator);
  if (options_.line_number) number_field(line.number, line_color_, separator);
  if (options_.column && match != nullptr) {
    number_field(match->begin + 1, column_color_, separator);
  }
  if (options_.byte_offset) number_field(offset, column_color_, separator);
}

/// Prints a number with its colour and the separator after it.
void ScanPrinter::number_field(std::uint64_t value, const std::string& style, Separator separator) {
  if (options_.line.color) output_.write_escape(style);
  output_.write_number(value);
  if (options_.line.color) output_.write_escape(kColorReset);
  output_.write(separator);
}

/// Prints the path in its colour.
void ScanPrinter::name() {
  if (options_.line.color) output_.write_escape(path_color_);
  output_.write(path_);
  if (options_.line.color) output_.write_escape(kColorReset);
}

/// Prints the file's name, and a NUL or the given text after it.
void ScanPrinter::path(std::string_view behind) {
  name();
  if (options_.null_after_path) {
    output_.write('\0');
  } else {
    output_.write(behind);
  }
}

/// Ends the file, with a message where it is binary. Returns the bytes printed for it.
std::uint64_t ScanPrinter::end_file(const FileResult& result) {
  const ScanSummary& summary = result.summary;
  if (summary.binary_offset && summary.lines > 0) {
    binary_message(*summary.binary_offset, result.quit);
  }
  return output_.total() - begun_at_;
}

/// Says, in ripgrep's words, that a binary file matches. The note stands in the output and not on
/// stderr, as in ripgrep 13.
void ScanPrinter::binary_message(std::uint64_t nul_offset, bool quit) {
  if (options_.heading && !file_has_output_ && any_output_) output_.write('\n');
  if (options_.with_filename) {
    name();
    output_.write(": ");
  }
  output_.write(quit ? "WARNING: stopped searching binary file after match "
                     : "binary file matches ");
  output_.write("(found \"\\0\" byte around offset ");
  output_.write_number(nul_offset);
  output_.write(")\n");
  file_has_output_ = true;
  any_output_ = true;
  output_.end_line();
}

/// Prints the file's count, for -c and --count-matches. `count` may be 0 with --include-zero.
void ScanPrinter::count(std::uint64_t count) {
  if (options_.with_filename) path(":");
  output_.write_number(count);
  writer_.end_line();
  output_.end_line();
}

/// Prints the path alone, for -l and -L.
void ScanPrinter::path_line() {
  path(options_.line.line_end);
  output_.end_line();
}

}  // namespace presso::cli
