// SPDX-License-Identifier: MIT
// A string that is compared at one place of a text, or looked for in a short part of it, with one
// comparison of 8 bytes for each place. The calls of memcmp() and memchr() alone would cost more.
// Tested by tests/unit/query/strings/needle_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "presso/bytes.h"

namespace presso::query {

/// Holds the first 8 bytes of the string as a word and a mask. Copyable; thread-safe.
class Needle {
 public:
  explicit Needle(std::string string) : string_(std::move(string)) {
    const std::size_t bytes = std::min(string_.size(), kWord);
    std::memcpy(&first_, string_.data(), bytes);
    std::memset(&mask_, 0xFF, bytes);
  }

  std::size_t size() const { return string_.size(); }
  const std::string& string() const { return string_; }

  /// Whether the string stands at `at`, where at + size() must not exceed text.size(). Near the end
  /// of the text, where 8 bytes cannot be read, memcmp() is used.
  bool stands_at(Bytes text, std::size_t at) const {
    const Byte* const here = text.data() + at;
    if (at + kWord > text.size()) [[unlikely]] {
      return string_.empty() || std::memcmp(here, string_.data(), string_.size()) == 0;
    }
    if ((load<std::uint64_t>(here) & mask_) != first_) return false;
    return string_.size() <= kWord ||
           std::memcmp(here + kWord, string_.data() + kWord, string_.size() - kWord) == 0;
  }

  /// Returns where the string first stands within [begin, end) of `text`; nullopt if nowhere. Parts
  /// of more than 64 bytes, and needles of one byte, are left to the standard library.
  std::optional<std::size_t> find(Bytes text, std::size_t begin, std::size_t end) const {
    if (end - begin > kShort || size() == 1) return find_in_long(text, begin, end);
    for (; begin + size() <= end; ++begin) {
      if (stands_at(text, begin)) return begin;
    }
    return std::nullopt;
  }

 private:
  static constexpr std::size_t kWord = sizeof(std::uint64_t);
  static constexpr std::size_t kShort = 64;  ///< longer parts are left to the library

  std::optional<std::size_t> find_in_long(Bytes text, std::size_t begin, std::size_t end) const {
    const std::string_view part(reinterpret_cast<const char*>(text.data()) + begin, end - begin);
    const std::size_t found = part.find(string_);
    if (found == std::string_view::npos) return std::nullopt;
    return begin + found;
  }

  std::string string_;
  std::uint64_t first_ = 0;  ///< the string's first bytes; unused bytes are 0
  std::uint64_t mask_ = 0;   ///< 0xFF where first_ has a byte
};

}  // namespace presso::query
