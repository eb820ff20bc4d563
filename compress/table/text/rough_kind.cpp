// SPDX-License-Identifier: MIT
// rough_kind_of() tries words first, then numbers, then dates and times.
#include "compress/table/text/rough_kind.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "compress/table/text/text_checks.h"
#include "format/ascii.h"

namespace presso {
namespace {

constexpr std::size_t kLongestValue = 40;  ///< longer values are text

// These know ASCII only, whatever the locale.
bool is_digit_char(char letter) {
  return letter >= '0' && letter <= '9';
}
bool is_letter_char(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

template <std::size_t kCount>
bool is_one_of(std::string_view word, const std::array<std::string_view, kCount>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

constexpr std::array<std::string_view, 14> kNullWords = {
    "na", "n/a", "n.a.", "#n/a", "null", "none", "nan", "nil", "\\n", "-", "--", ".", "..", "?"};
constexpr std::array<std::string_view, 8> kBoolWords = {"true", "false", "yes", "no",
                                                        "t",    "f",     "y",   "n"};
constexpr std::array<std::string_view, 8> kTimeWords = {"am",  "pm",  "t",  "z",
                                                        "utc", "gmt", "st", "th"};
constexpr std::array<std::string_view, 20> kNames = {
    "january", "february",  "march",     "april",   "may",      "june",     "july",
    "august",  "sept",      "september", "october", "november", "december", "monday",
    "tuesday", "wednesday", "thursday",  "friday",  "saturday", "sunday"};

/// Takes `part` away from the begin of `text`, if it stands there.
bool skip(std::string_view& text, std::string_view part) {
  if (!text.starts_with(part)) return false;
  text.remove_prefix(part.size());
  return true;
}

/// Takes the signs and currencies before a number away.
void skip_signs(std::string_view& text) {
  constexpr std::array<std::string_view, 9> kSigns = {
      "+", "-", "$", "\xC2\xA3", "\xC2\xA5", "\xE2\x82\xAC", "(", " ", "~"};
  while (std::any_of(kSigns.begin(), kSigns.end(),
                     [&](std::string_view sign) { return skip(text, sign); })) {
  }
}

/// Whether `text` is an exponent with its letter.
bool is_exponent(std::string_view text) {
  if (text.empty() || (text[0] != 'e' && text[0] != 'd')) return false;
  text.remove_prefix(1);
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return !text.empty() && std::all_of(text.begin(), text.end(), is_digit_char);
}

/// Whether `text`, in lower case, is a number.
bool is_rough_number(std::string_view text) {
  skip_signs(text);
  while (!text.empty() && (text.back() == '%' || text.back() == ')' || text.back() == ' ')) {
    text.remove_suffix(1);
  }
  if (text == "inf" || text == "infinity") return true;
  const std::size_t end = std::min(text.find_first_not_of("0123456789.,'_ "), text.size());
  const std::string_view digits = text.substr(0, end);
  if (std::none_of(digits.begin(), digits.end(), is_digit_char)) return false;
  // Several points make a version or an address, which kTime takes.
  if (std::count(digits.begin(), digits.end(), '.') > 1 && digits.find(',') == digits.npos) {
    return false;
  }
  return end == text.size() || is_exponent(text.substr(end));
}

/// Whether `word`, in lower case, may stand in a date or time.
bool is_time_word(std::string_view word) {
  if (is_one_of(word, kTimeWords)) return true;
  return std::any_of(kNames.begin(), kNames.end(), [&](std::string_view name) {
    return word == name || word == name.substr(0, 3);
  });
}

/// Whether `text`, in lower case, consists of at least two groups of digits or words of dates, one
/// of them of digits. "t0" is none: letters alone begin no time.
bool is_rough_time(std::string_view text) {
  if (text.size() < 3 || (is_letter_char(text[0]) && !is_letter_char(text[1]))) return false;
  std::size_t groups = 0;
  std::size_t numbers = 0;
  for (std::size_t at = 0; at < text.size();) {
    if (std::string_view("-/:.,+ ").find(text[at]) != std::string_view::npos) {
      ++at;
      continue;
    }
    const bool digits = is_digit_char(text[at]);
    if (!digits && !is_letter_char(text[at])) return false;
    std::size_t end = at;
    while (end < text.size() && (digits ? is_digit_char(text[end]) : is_letter_char(text[end]))) {
      ++end;
    }
    if (!digits && !is_time_word(text.substr(at, end - at))) return false;
    ++groups;
    numbers += digits ? 1 : 0;
    at = end;
  }
  return groups >= 2 && numbers >= 1;
}

}  // namespace

Bytes without_blanks(Bytes value) {
  const auto is_blank = [](Byte byte) { return byte == ' ' || byte == '\t'; };
  while (!value.empty() && is_blank(value.front())) value = value.subspan(1);
  while (!value.empty() && is_blank(value.back())) value = value.first(value.size() - 1);
  return value;
}

RoughKind rough_kind_of(Bytes value) {
  value = without_blanks(value);
  if (value.size() > kLongestValue) return RoughKind::kText;
  const std::string lower = ascii::lower(text_of(value));
  if (lower.empty() || is_one_of<kNullWords.size()>(lower, kNullWords)) return RoughKind::kNull;
  if (is_one_of<kBoolWords.size()>(lower, kBoolWords)) return RoughKind::kBool;
  if (is_rough_number(lower)) return RoughKind::kNumber;
  return is_rough_time(lower) ? RoughKind::kTime : RoughKind::kText;
}

}  // namespace presso
