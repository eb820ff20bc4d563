// SPDX-License-Identifier: MIT
// JSON objects of one line whose values are strings and whole numbers: how scripts talk to programs
// of the tests. Text goes through as it stands but for what JSON escapes.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace presso::flat_json {

/// A value as text; of numbers their digits.
using Object = std::map<std::string, std::string>;

inline std::string quoted(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string json = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      json += '\\';
      json += c;
    } else if (byte < 0x20) {
      json += "\\u00";
      json += kHex[byte / 16];
      json += kHex[byte % 16];
    } else {
      json += c;
    }
  }
  return json + '"';
}

/// Takes an object apart from its begin on.
class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  /// nullopt for what is no such object.
  std::optional<Object> object() {
    Object read;
    if (!take('{')) return std::nullopt;
    if (take('}')) return read;
    do {
      std::string name;
      std::string value;
      if (!string(name) || !take(':')) return std::nullopt;
      if (!string(value) && !number(value)) return std::nullopt;
      read[name] = value;
    } while (take(','));
    if (!take('}')) return std::nullopt;
    return read;
  }

 private:
  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\r')) ++at_;
  }
  bool take(char wanted) {
    skip_spaces();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }
  bool number(std::string& to) {
    skip_spaces();
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') to += text_[at_++];
    return !to.empty();
  }
  bool string(std::string& to) {
    if (!take('"')) return false;
    while (at_ < text_.size() && text_[at_] != '"') {
      if (text_[at_] != '\\') {
        to += text_[at_++];
      } else if (!escape(to)) {
        return false;
      }
    }
    return take('"');
  }
  /// Other characters stand there as UTF-8, so that `u` is for control characters only.
  bool escape(std::string& to) {
    if (at_ + 1 >= text_.size()) return false;
    const char letter = text_[at_ + 1];
    at_ += 2;
    switch (letter) {
      case 'n':
        to += '\n';
        return true;
      case 't':
        to += '\t';
        return true;
      case 'r':
        to += '\r';
        return true;
      case 'b':
        to += '\b';
        return true;
      case 'f':
        to += '\f';
        return true;
      case 'u': {
        if (at_ + 4 > text_.size()) return false;
        const std::string digits(text_.substr(at_, 4));
        at_ += 4;
        const unsigned long code = std::strtoul(digits.c_str(), nullptr, 16);
        if (code >= 0x80) return false;
        to += static_cast<char>(code);
        return true;
      }
      default:
        to += letter;
        return true;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace presso::flat_json
