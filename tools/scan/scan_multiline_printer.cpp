// SPDX-License-Identifier: MIT
// The part of the printer for matches that span lines, and for records, each line of which is
// printed as if it had come alone. Of matches that span lines, a group of lines comes at once, and
// what is printed before each line follows ripgrep's rules, odd as some are (the column is that of
// the first match counted from the group's beginning, for every line). The work is linear: neither
// lines nor matches are gone through again from the group's beginning. Tested by
// tests/cli/test_scan_multiline.py and scan_against_rg.py.
#include <algorithm>

#include "tools/scan/scan_printer.h"

namespace presso::cli {
namespace {

/// Steps through the lines of a text. A line includes its line feed; the last one may lack it.
class LineSteps {
 public:
  explicit LineSteps(std::string_view text) : text_(text) { find_end(); }

  bool done() const { return begin_ == text_.size(); }
  std::size_t begin() const { return begin_; }
  std::size_t end() const { return end_; }
  std::string_view line() const { return text_.substr(begin_, end_ - begin_); }
  /// The number of lines before this one.
  std::uint64_t index() const { return index_; }
  void next() {
    begin_ = end_;
    ++index_;
    find_end();
  }

 private:
  void find_end() {
    const std::size_t feed = text_.find('\n', begin_);
    end_ = feed == text_.npos ? text_.size() : feed + 1;
  }

  std::string_view text_;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::uint64_t index_ = 0;
};

/// The part of `match` that lies in [begin, end), counted from `begin`.
MatchSpan part_in(const MatchSpan& match, std::size_t begin, std::size_t end) {
  return {std::clamp(match.begin, begin, end) - begin, std::clamp(match.end, begin, end) - begin};
}

}  // namespace

/// Prints each line of a record with its own matches. Where matches are all that is printed, other
/// lines are left out.
void ScanPrinter::print_record(const MatchedLine& record) {
  if (record.matches.empty() && prints_text_alone()) return print_line(record);
  const bool only_with_match =
      !record.matches.empty() && (options_.line.only_matching || options_.per_match);
  std::vector<MatchSpan> own;
  std::size_t next = 0;
  for (LineSteps step(as_text(record.text)); !step.done() && goes_on(); step.next()) {
    own.clear();
    for (; next < record.matches.size() && record.matches[next].begin < step.end(); ++next) {
      const MatchSpan& match = record.matches[next];
      own.push_back({match.begin - step.begin(), match.end - step.begin()});
    }
    if (only_with_match && own.empty()) continue;
    MatchedLine line = record;
    line.text = record.text.subspan(step.begin(), step.end() - step.begin());
    line.offset += step.begin();
    line.number += step.index();
    line.matches = own;
    print_line(line);
  }
}

/// Prints the lines of a match that spans several, by the form that was asked for.
void ScanPrinter::print_group(const MatchedLine& line, const LineText& text) {
  if (text.matches.empty()) return print_group_lines(line, text);
  if (options_.line.only_matching) return print_group_matches(line, text);
  if (options_.per_match) return print_group_per_match(line, text);
  print_group_lines(line, text);
}

/// Prints the fields before a line within the group.
void ScanPrinter::group_prefix(const MatchedLine& line, std::uint64_t index, std::size_t offset,
                               const MatchSpan* match) {
  MatchedLine one = line;
  one.number += index;
  prefix(one, line.offset + offset, match);
}

/// Prints each line of the group once. `parts` is reused for all lines, so that memory follows the
/// longest line and not the group.
void ScanPrinter::print_group_lines(const MatchedLine& line, const LineText& text) {
  std::size_t first = 0;  // of the matches that may reach into the line
  std::vector<MatchSpan> parts;
  for (LineSteps step(text.text); !step.done(); step.next()) {
    const std::size_t begin = step.begin();
    const std::size_t end = step.end();
    while (first + 1 < text.matches.size() && text.matches[first].end <= begin) ++first;
    parts.clear();
    for (std::size_t i = first; i < text.matches.size(); ++i) {
      // One at least: whether a line is in a group with matches is seen by it.
      if (i > first && text.matches[i].begin >= end) break;
      parts.push_back(part_in(text.matches[i], begin, end));
    }
    LineText one = text;
    one.text = step.line();
    one.matches = parts;
    one.shown = parts;
    const MatchSpan* const column = text.matches.empty() ? nullptr : &text.matches.front();
    group_prefix(line, step.index(), begin, column);
    writer_.write(one);
    if (!goes_on()) return;
  }
}

/// Prints each match, with a line of output for each of its lines that is not empty.
void ScanPrinter::print_group_matches(const MatchedLine& line, const LineText& text) {
  std::size_t first = 0;
  for (LineSteps step(text.text); !step.done(); step.next()) {
    const std::size_t begin = step.begin();
    const std::size_t end = begin + writer_.content(step.line()).size();
    while (first < text.matches.size() && text.matches[first].end <= begin) ++first;
    // A match that goes on in the next line stays `first` and is printed there again.
    for (std::size_t i = first; i < text.matches.size() && text.matches[i].begin < end; ++i) {
      const MatchSpan part = part_in(text.matches[i], begin, end);
      if (part.empty()) continue;
      LineText piece = text;
      piece.text = step.line().substr(part.begin, part.end - part.begin);
      const MatchSpan whole{0, piece.text.size()};
      piece.shown = std::span(&whole, 1);
      piece.matches = piece.shown;
      group_prefix(line, step.index(), text.matches[i].begin, &text.matches[i]);
      writer_.write(piece);
      if (!goes_on()) return;
    }
  }
}

/// For --vimgrep: prints the first line of each match. Each match names its own line, so lines are
/// passed over without printing.
void ScanPrinter::print_group_per_match(const MatchedLine& line, const LineText& text) {
  LineSteps step(text.text);
  for (const MatchSpan& match : text.matches) {
    while (!step.done() && step.end() <= match.begin) step.next();
    if (step.done() || step.begin() >= match.end) continue;
    const MatchSpan part = part_in(match, step.begin(), step.end());
    LineText one = text;
    one.text = step.line();
    one.matches = std::span(&part, 1);
    one.shown = one.matches;
    group_prefix(line, step.index(), step.begin(), &part);
    writer_.write(one);
    if (!goes_on()) return;
  }
}

}  // namespace presso::cli
