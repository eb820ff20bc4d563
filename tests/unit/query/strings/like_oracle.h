// SPDX-License-Identifier: MIT
// LIKE written for reading: every way to give bytes to a `%` is tried.
#pragma once

#include <string_view>

#include "presso/bytes.h"
#include "scan/unicode/unicode.h"

namespace presso::query::test {

class LikeOracle {
 public:
  LikeOracle(std::string_view pattern, char escape, bool any_case)
      : pattern_(pattern), escape_(escape), any_case_(any_case) {}

  bool operator()(std::string_view text) const { return match(text, pattern_); }

 private:
  /// A byte and all bytes 0x80 to 0xBF behind it.
  static std::size_t character_at_front(std::string_view text) {
    std::size_t size = 1;
    while (size < text.size() && (static_cast<unsigned char>(text[size]) & 0xC0) == 0x80) ++size;
    return size;
  }

  /// How much of the text is the pattern's first character; 0: it is another one.
  std::size_t literal_at_front(std::string_view text, std::string_view pattern,
                               std::size_t& taken) const {
    const auto at = [](std::string_view s) { return reinterpret_cast<const Byte*>(s.data()); };
    const auto wanted = scan_detail::decode(at(pattern), at(pattern) + pattern.size());
    taken = wanted.bytes;
    if (!any_case_) {
      return text.substr(0, taken) == pattern.substr(0, taken) ? taken : 0;
    }
    const auto given = scan_detail::decode(at(text), at(text) + text.size());
    const bool equal =
        given.bytes != 0 && scan_detail::fold(given.code) == scan_detail::fold(wanted.code);
    return equal ? given.bytes : 0;
  }

  bool match(std::string_view text, std::string_view pattern) const {
    if (pattern.empty()) return text.empty();
    if (escape_ != 0 && pattern[0] == escape_) {
      return match_literal(text, pattern.substr(1));
    }
    if (pattern[0] == '%') {
      for (std::size_t skip = 0; skip <= text.size(); ++skip) {
        if (match(text.substr(skip), pattern.substr(1))) return true;
      }
      return false;
    }
    if (pattern[0] == '_') {
      return !text.empty() && match(text.substr(character_at_front(text)), pattern.substr(1));
    }
    return match_literal(text, pattern);
  }

  bool match_literal(std::string_view text, std::string_view pattern) const {
    if (text.empty()) return false;
    std::size_t taken = 0;
    const std::size_t size = literal_at_front(text, pattern, taken);
    return size != 0 && match(text.substr(size), pattern.substr(taken));
  }

  std::string_view pattern_;
  char escape_;
  bool any_case_;
};

}  // namespace presso::query::test
