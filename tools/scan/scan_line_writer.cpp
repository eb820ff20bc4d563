// SPDX-License-Identifier: MIT
// ripgrep 13's rules are kept, also the odd ones: limits apply to the line with its end and before
// trimming; without colours the end of a plain line is copied as it is. Nothing is copied but what
// is printed. Tested by tests/cli/scan_against_rg.py.
#include "tools/scan/scan_line_writer.h"

#include <algorithm>

#include "presso/pattern.h"

namespace presso::cli {
namespace {

/// The blanks that --trim leaves out, which are ASCII's.
bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

/// Where the first `count` characters of `text` end; "\r\n" counts as one, and so does a byte that
/// is not UTF-8.
std::size_t characters_end(std::string_view text, std::uint64_t count) {
  std::size_t at = 0;
  for (; count > 0 && at < text.size(); --count) {
    if (text.substr(at, 2) == "\r\n") {
      at += 2;
      continue;
    }
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t bytes = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : lead >= 0xC0 ? 2 : 1;
    const bool whole = valid_utf8_prefix(text.substr(at, bytes)) == bytes;
    at += whole ? bytes : 1;
  }
  return at;
}

}  // namespace

/// Writes one line: plain, with matches coloured, or what --max-columns leaves of it. The limit of
/// --max-columns comes before everything else.
void LineWriter::write(const LineText& line) {
  const bool colored = colors_matches() && !line.shown.empty();
  if (exceeds(line.text)) return write_exceeding(line, colored ? line.shown : line.matches);
  if (!colored) return write_plain(line.text);
  write_colored(line.text, content_end(line.text), line.shown);
  end_line();
}

/// Writes a line without colours; a line without an end gets one.
void LineWriter::write_plain(std::string_view text) {
  output_.write(text.substr(trimmed_begin(text)));
  if (text.empty() || !ends_line(text.back())) end_line();
}

/// Writes a line that is too long, as its beginning or as a note in its place.
void LineWriter::write_exceeding(const LineText& line, std::span<const MatchSpan> matches) {
  if (style_.max_columns_preview) {
    write_preview(line.text, matches);
  } else if (line.original_matches > 0 && !style_.only_matching) {
    output_.write("[Omitted long line with ");
    output_.write_number(line.original_matches);
    output_.write(" matches]");
  } else {
    output_.write(line.is_context ? "[Omitted long context line]" : "[Omitted long matching line]");
  }
  end_line();
}

/// Writes the beginning of a line that is too long, with a note on the matches that are not shown.
void LineWriter::write_preview(std::string_view text, std::span<const MatchSpan> matches) {
  const std::size_t end = characters_end(text, *style_.max_columns);
  const std::string_view shown = text.substr(0, end);
  write_colored(shown, content_end(shown), matches);
  if (matches.empty()) return output_.write(" [... omitted end of long line]");
  const auto first_from = [&](std::size_t at) {
    return std::partition_point(matches.begin(), matches.end(),
                                [&](const MatchSpan& match) { return match.begin < at; });
  };
  const auto remaining = first_from(text.size()) - first_from(end);
  output_.write(" [... ");
  output_.write_number(static_cast<unsigned long long>(remaining));
  output_.write(remaining == 1 ? " more match]" : " more matches]");
}

/// Writes the text up to `end` with its matches in colour; matches that touch are coloured as one.
/// Matches are in ascending order. Parts before the trimmed beginning or after `end` are left out.
void LineWriter::write_colored(std::string_view text, std::size_t end,
                               std::span<const MatchSpan> matches) {
  const bool colors = colors_matches();
  std::size_t at = std::min(trimmed_begin(text), end);
  for (std::size_t i = 0; colors && i < matches.size() && at < end; ++i) {
    const std::size_t begin = std::clamp(matches[i].begin, at, end);
    // Touching matches share one pair of escape sequences, as in ripgrep.
    std::size_t match_end = matches[i].end;
    while (i + 1 < matches.size() && matches[i + 1].begin == match_end) {
      match_end = matches[++i].end;
    }
    match_end = std::clamp(match_end, begin, end);
    if (match_end == begin) continue;
    output_.write(text.substr(at, begin - at));
    output_.write_escape(style_.match_color);
    output_.write(text.substr(begin, match_end - begin));
    output_.write_escape(kColorReset);
    at = match_end;
  }
  output_.write(text.substr(at, end - at));
}

/// Where the text begins without leading white space, if that is to be left out.
std::size_t LineWriter::trimmed_begin(std::string_view text) const {
  std::size_t at = 0;
  const auto trimmed = [&](char c) {
    // The line's own end counts as no blank, otherwise an empty line would lose it.
    return is_space(c) && style_.line_end.find(c) == std::string::npos;
  };
  while (style_.trim && at < text.size() && trimmed(text[at])) ++at;
  return at;
}

/// Where the line's text ends, before its line end. With --crlf the carriage return belongs to the
/// end only if a line feed follows it.
std::size_t LineWriter::content_end(std::string_view text) const {
  std::size_t end = text.size();
  if (end == 0 || !ends_line(text[end - 1])) return end;
  --end;
  if (style_.line_end.size() == 2 && end > 0 && text[end - 1] == style_.line_end.front()) --end;
  return end;
}

}  // namespace presso::cli
