// SPDX-License-Identifier: MIT
#include "tools/scan_printer.h"

#include <utility>

namespace presso::cli {
namespace {

constexpr std::string_view kReset = "\x1b[0m";
constexpr std::string_view kPathStyle = "\x1b[0m\x1b[35m";
constexpr std::string_view kLineStyle = "\x1b[0m\x1b[32m";
constexpr std::string_view kColumnStyle =
    "\x1b[0m";  // columns and offsets have no colour of their own
constexpr std::string_view kMatchStyle = "\x1b[0m\x1b[1m\x1b[31m";

std::string_view as_text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void ScanPrinter::begin_file(std::string path) {
  path_ = std::move(path);
  file_has_output_ = false;
}

void ScanPrinter::line(const MatchedLine& line) {
  file_header();
  const std::string_view text = as_text(line.text);
  // An empty match at the very end of an unfinished line selects it but cannot be shown.
  if (options_.only_matching && !line.matches.empty()) {
    for (const MatchSpan& match : line.matches) {
      prefix(line, &match);
      const std::string_view matched = text.substr(match.begin, match.end - match.begin);
      if (options_.color && !matched.empty()) {
        styled(matched, kMatchStyle);
      } else {
        output_.write(matched);
      }
      end_line(matched);
    }
    return;
  }
  prefix(line, line.matches.empty() ? nullptr : &line.matches.front());
  if (options_.color && !line.matches.empty()) {
    colored_text(text, line.matches);
  } else {
    output_.write(text);
  }
  end_line(text);
}

/// Matches that touch are coloured as one.
void ScanPrinter::colored_text(std::string_view text, std::span<const MatchSpan> matches) {
  std::size_t at = 0;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (matches[i].empty()) continue;
    const std::size_t begin = matches[i].begin;
    std::size_t end = matches[i].end;
    while (i + 1 < matches.size() && matches[i + 1].begin == end) end = matches[++i].end;
    output_.write(text.substr(at, begin - at));
    styled(text.substr(begin, end - begin), kMatchStyle);
    at = end;
  }
  output_.write(text.substr(at));
}

void ScanPrinter::end_line(std::string_view text) {
  if (text.empty() || text.back() != '\n') output_.write('\n');
  output_.end_line();
}

/// What stands before a file's first line.
void ScanPrinter::file_header() {
  if (file_has_output_) return;
  file_has_output_ = true;
  if (options_.heading) {
    if (any_output_) output_.write('\n');
    if (options_.with_filename) path("\n");
  }
  any_output_ = true;
}

void ScanPrinter::prefix(const MatchedLine& line, const MatchSpan* match) {
  if (options_.with_filename && !options_.heading) path(":");
  if (options_.line_number) number_field(line.number, kLineStyle);
  if (options_.column && match != nullptr) number_field(match->begin + 1, kColumnStyle);
  if (options_.byte_offset) {
    const bool of_match = options_.only_matching && match != nullptr;
    number_field(line.offset + (of_match ? match->begin : 0), kColumnStyle);
  }
}

void ScanPrinter::number_field(std::uint64_t value, std::string_view style) {
  if (options_.color) output_.write(style);
  output_.write_number(value);
  if (options_.color) output_.write(kReset);
  output_.write(':');
}

void ScanPrinter::path(std::string_view behind) {
  if (options_.color) {
    styled(path_, kPathStyle);
  } else {
    output_.write(path_);
  }
  if (options_.null_after_path) {
    output_.write('\0');
  } else {
    output_.write(behind);
  }
}

void ScanPrinter::styled(std::string_view text, std::string_view style) {
  output_.write(style);
  output_.write(text);
  output_.write(kReset);
}

void ScanPrinter::binary_message(std::uint64_t nul_offset, bool quit) {
  if (options_.heading && !file_has_output_ && any_output_) output_.write('\n');
  if (options_.with_filename) {
    if (options_.color) {
      styled(path_, kPathStyle);
    } else {
      output_.write(path_);
    }
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

void ScanPrinter::count(std::uint64_t count) {
  if (options_.with_filename) path(":");
  output_.write_number(count);
  output_.write('\n');
  output_.end_line();
}

void ScanPrinter::path_line() {
  path("\n");
  output_.end_line();
}

}  // namespace presso::cli
