// SPDX-License-Identifier: MIT
// Fixed-string search written for reading, as the oracle of the scan tests: every pattern is tried
// at every place. Case is ignored by comparing fold() of each character.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/scan.h"
#include "scan/unicode/unicode.h"

namespace presso::scan_test {

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// Where `literal` ends if it stands at `begin`.
inline std::optional<std::size_t> literal_end(std::string_view text, std::size_t begin,
                                              std::string_view literal, bool ignore_case) {
  if (!ignore_case) {
    if (text.substr(begin, literal.size()) != literal) return std::nullopt;
    return begin + literal.size();
  }
  const Bytes wanted = as_bytes(literal);
  const Bytes given = as_bytes(text);
  std::size_t at = begin;
  for (std::size_t i = 0; i < wanted.size();) {
    if (at == given.size()) return std::nullopt;
    const auto a = scan_detail::decode(wanted.data() + i, wanted.data() + wanted.size());
    const auto b = scan_detail::decode(given.data() + at, given.data() + given.size());
    if (b.bytes == 0 || scan_detail::fold(a.code) != scan_detail::fold(b.code)) return std::nullopt;
    i += a.bytes;
    at += b.bytes;
  }
  return at;
}

inline bool bounds_hold(std::string_view text, MatchSpan match, MatchBounds bounds,
                        std::size_t from) {
  const Bytes bytes = as_bytes(text);
  const bool at_begin = match.begin == 0 || text[match.begin - 1] == '\n';
  const bool at_end = match.end == text.size() || text[match.end] == '\n';
  if (bounds == MatchBounds::kNone) return true;
  if (bounds == MatchBounds::kLine) return at_begin && at_end;
  if (!at_begin) {
    const auto before = scan_detail::decode_last(bytes.data(), bytes.data() + match.begin);
    if (before.bytes == 0 || scan_detail::is_word(before.code)) return false;
    if (match.begin - before.bytes < from) return false;
  }
  if (at_end) return true;
  const auto after = scan_detail::decode(bytes.data() + match.end, bytes.data() + bytes.size());
  return after.bytes != 0 && !scan_detail::is_word(after.code);
}

inline std::optional<MatchSpan> next_match(std::string_view text,
                                           const std::vector<std::string>& literals,
                                           const PatternOptions& options, std::size_t from) {
  for (std::size_t begin = from; begin <= text.size(); ++begin) {
    if (begin == text.size() && (text.empty() || text.back() == '\n')) break;
    for (const std::string& literal : literals) {
      const auto end = literal_end(text, begin, literal, options.ignore_case);
      if (end && bounds_hold(text, {begin, *end}, options.bounds, from))
        return MatchSpan{begin, *end};
    }
  }
  return std::nullopt;
}

struct Line {
  std::string text;
  std::uint64_t offset = 0;
  std::uint64_t number = 0;

  friend bool operator==(const Line&, const Line&) = default;
};

inline std::vector<Line> matching_lines(std::string_view text,
                                        const std::vector<std::string>& literals,
                                        const PatternOptions& options, bool invert) {
  std::vector<Line> lines;
  std::uint64_t number = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t feed = text.find('\n', begin);
    const std::size_t end = feed == std::string_view::npos ? text.size() : feed + 1;
    const std::string_view line = text.substr(begin, end - begin);
    ++number;
    if (next_match(line, literals, options, 0).has_value() != invert) {
      lines.push_back({std::string(line), begin, number});
    }
    begin = end;
  }
  return lines;
}

}  // namespace presso::scan_test
