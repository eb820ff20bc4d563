// SPDX-License-Identifier: MIT
// Members are written in ripgrep's order by hand. A line is built in a string first, since its
// escapes make its length unknown. Tested by tests/cli/scan_against_rg.py and
// tests/cli/test_scan_output.py.
#include "tools/scan/scan_json.h"

#include <array>

namespace presso::cli {
namespace {

using Figure = std::uint64_t;

/// The letter after a backslash for a character that has one, otherwise 0.
char short_escape(char c) {
  constexpr std::string_view kCharacters = "\"\\\b\f\n\r\t";
  constexpr std::string_view kLetters = "\"\\bfnrt";
  const std::size_t at = kCharacters.find(c);
  return at == kCharacters.npos ? '\0' : kLetters[at];
}

/// JSON's escapes: short ones where they exist, \u00XX for other control characters. Bytes over 127
/// stay as they are, as the text is UTF-8.
void append_escaped(std::string_view text, std::string& into) {
  constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code >= 0x20 && c != '"' && c != '\\') {
      into += c;
    } else if (const char letter = short_escape(c); letter != 0) {
      into += '\\';
      into += letter;
    } else {
      into += "\\u00";
      into += kHex[code >> 4];
      into += kHex[code & 15];
    }
  }
}

/// Base64 by RFC 4648, with padding.
void append_base64(std::string_view text, std::string& into) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t at = 0; at < text.size(); at += 3) {
    const std::string_view group = text.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0u);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      into += i <= group.size() ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
}

/// A member with a number as its value.
std::string member(std::string_view name, Figure value) {
  return "\"" + std::string(name) + "\":" + std::to_string(value);
}

/// A time as a JSON object. ripgrep writes seconds first in a file's figures and sorts the names in
/// the summary.
std::string elapsed_text(std::chrono::nanoseconds time, bool sorted) {
  const auto whole = static_cast<Figure>(time.count());
  const std::string human = "\"human\":\"" + seconds_text(time) + "s\"";
  const std::string nanos = member("nanos", whole % 1000000000);
  const std::string secs = member("secs", whole / 1000000000);
  if (sorted) return "{" + human + "," + nanos + "," + secs + "}";
  return "{" + secs + "," + nanos + "," + human + "}";
}

}  // namespace

/// The object that ripgrep uses for text: {"text":...} for UTF-8, else {"bytes":...} in base64.
void append_json_data(std::string_view text, std::string& into) {
  if (valid_utf8_prefix(text) == text.size()) {
    into += "{\"text\":\"";
    append_escaped(text, into);
  } else {
    into += "{\"bytes\":\"";
    append_base64(text, into);
  }
  into += "\"}";
}

/// Nothing is written before the first line of a file: files without a match are not mentioned.
void ScanJson::begin_file(std::string path) {
  path_.clear();
  append_json_data(path, path_);
  begun_ = false;
  begun_at_ = output_.total();
}

/// Writes the "begin" message before the first line of a file.
void ScanJson::begin() {
  if (begun_) return;
  begun_ = true;
  output_.write("{\"type\":\"begin\",\"data\":{\"path\":" + path_ + "}}\n");
}

/// One line as a "match" or "context" message, as ripgrep writes it.
void ScanJson::line(const MatchedLine& line) {
  begin();
  const std::string_view text = as_text(line.text);
  std::string data;
  append_json_data(text, data);
  output_.write(line.kind == LineKind::kMatch ? "{\"type\":\"match\"" : "{\"type\":\"context\"");
  output_.write(",\"data\":{\"path\":");
  output_.write(path_);
  output_.write(",\"lines\":");
  output_.write(data);
  output_.write(",\"line_number\":");
  if (line.number > 0) {
    output_.write_number(line.number);
  } else {
    output_.write("null");
  }
  output_.write(",\"absolute_offset\":");
  output_.write_number(line.offset);
  submatches(line);
  output_.write("}}\n");
  output_.end_line();
}

/// The list of matches within the line, with the number of the pattern where several were given.
/// Offsets are in bytes within the line.
void ScanJson::submatches(const MatchedLine& line) {
  const std::string_view text = as_text(line.text);
  std::string list;
  for (std::size_t i = 0; i < line.matches.size(); ++i) {
    const MatchSpan& match = line.matches[i];
    list += list.empty() ? "{\"match\":" : ",{\"match\":";
    append_json_data(text.substr(match.begin, match.end - match.begin), list);
    list += "," + member("start", match.begin) + "," + member("end", match.end);
    if (!line.patterns.empty()) list += "," + member("pattern", line.patterns[i]);
    list += "}";
  }
  output_.write(",\"submatches\":[");
  output_.write(list);
  output_.write(']');
}

/// The "end" message with the file's statistics. Returns the bytes that were printed for it. A file
/// without output gets no message, as in ripgrep.
std::uint64_t ScanJson::end_file(const FileResult& result) {
  if (!begun_) return 0;
  const std::uint64_t printed = output_.total() - begun_at_;
  const ScanSummary& summary = result.summary;
  const std::string binary =
      summary.binary_offset ? std::to_string(*summary.binary_offset) : std::string("null");
  output_.write(
      "{\"type\":\"end\",\"data\":{\"path\":" + path_ + ",\"binary_offset\":" + binary +
      ",\"stats\":{\"elapsed\":" + elapsed_text(result.elapsed, false) + "," +
      member("searches", 1) + "," + member("searches_with_match", summary.lines > 0 ? 1 : 0) + "," +
      member("bytes_searched", summary.plain_bytes) + "," + member("bytes_printed", printed) + "," +
      member("matched_lines", summary.lines) + "," + member("matches", summary.matches) + "}}}\n");
  output_.end_line();
  return printed;
}

/// The "summary" message, with the members in the order of ripgrep's. The order is the alphabet's
/// here, other than in "end", because ripgrep makes it so.
void ScanJson::summary(const ScanStatistics& all) {
  output_.write("{\"data\":{\"elapsed_total\":" + elapsed_text(all.total(), true) + ",\"stats\":{" +
                member("bytes_printed", all.bytes_printed) + "," +
                member("bytes_searched", all.bytes_searched) + ",\"elapsed\":" +
                elapsed_text(all.elapsed, true) + "," + member("matched_lines", all.matched_lines) +
                "," + member("matches", all.matches) + "," + member("searches", all.searches) +
                "," + member("searches_with_match", all.searches_with_match) +
                "}},\"type\":\"summary\"}\n");
  output_.end_line();
}

}  // namespace presso::cli
