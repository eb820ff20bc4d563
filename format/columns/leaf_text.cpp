// SPDX-License-Identifier: MIT
// Implements leaf_text.h by the printers and parsers of whole columns, which are each other's
// reverse. They have no text for numbers that are not finite in JSON, nor for dates outside of the
// years 1 to 9999: those are written as the number that is stored.
#include "format/columns/leaf_text.h"

#include <charconv>
#include <cmath>
#include <limits>

#include "format/columns/json_reader.h"
#include "format/columns/value_patterns.h"

namespace presso {
namespace {

constexpr std::string_view kNotFinite[] = {"NaN", "Infinity", "-Infinity"};

/// The place in kNotFinite, or -1 for a finite number.
template <class T>
int not_finite(const Byte* value) {
  const T number = load<T>(value);
  if (std::isfinite(number)) return -1;
  return std::isnan(number) ? 0 : number > 0 ? 1 : 2;
}

template <class T>
void store_not_finite(std::size_t which, Byte* value) {
  using Limits = std::numeric_limits<T>;
  store<T>(value, which == 0   ? Limits::quiet_NaN()
                  : which == 1 ? Limits::infinity()
                               : -Limits::infinity());
}

template <class T>
bool read_whole(std::string_view text, Byte* value) {
  T number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  store<T>(value, number);
  return problem == std::errc() && end == text.data() + text.size();
}

}  // namespace

LeafText::LeafText(const ColumnSchema& leaf) : type_(leaf) {
  if (type_.type == ColumnType::kDecimal64) type_.type = ColumnType::kDecimal128;
  print_ = value_printer(type_);
  parse_ = value_parser(type_);
  if (!is_quoted()) return;
  const Byte epoch[8] = {};
  char text[kMaxValueText];
  date_bytes_ = print_(type_, epoch, text);
}

/// The year 0 has four digits, too, but is not read.
bool LeafText::is_far(std::string_view text) const {
  return text.size() != date_bytes_ || text.starts_with("0000");
}

void LeafText::append(const Byte* value, std::string& to) const {
  char text[kMaxValueText];
  const std::string_view printed(text, print_(type_, value, text));
  int which = -1;
  if (type_.type == ColumnType::kDouble) which = not_finite<double>(value);
  if (type_.type == ColumnType::kFloat) which = not_finite<float>(value);
  if (which >= 0) {
    to += kNotFinite[which];
  } else if (is_quoted() && is_far(printed)) {
    to += std::to_string(type_.type == ColumnType::kDate32 ? load<std::int32_t>(value)
                                                           : load<std::int64_t>(value));
  } else {
    to += printed;
  }
}

void LeafText::append_json(const Byte* value, std::string& to) const {
  if (!is_quoted()) return append(value, to);
  const std::size_t begin = to.size();
  to += '"';
  append(value, to);
  if (is_far(std::string_view(to).substr(begin + 1))) {
    to.erase(begin, 1);
  } else {
    to += '"';
  }
}

bool LeafText::read(std::string_view text, Byte* value) const {
  if (parse_(type_, {reinterpret_cast<const Byte*>(text.data()), text.size()}, value)) return true;
  if (type_.type == ColumnType::kDate32) return read_whole<std::int32_t>(text, value);
  if (type_.type == ColumnType::kTimestamp) return read_whole<std::int64_t>(text, value);
  for (std::size_t which = 0; which < std::size(kNotFinite); ++which) {
    if (text != kNotFinite[which]) continue;
    if (type_.type == ColumnType::kDouble) store_not_finite<double>(which, value);
    if (type_.type == ColumnType::kFloat) store_not_finite<float>(which, value);
    return type_.type == ColumnType::kDouble || type_.type == ColumnType::kFloat;
  }
  return false;
}

void append_hex(Bytes bytes, std::string& to) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (const Byte byte : bytes) {
    to += kDigits[byte >> 4];
    to += kDigits[byte & 15];
  }
}

bool read_hex(std::string_view text, std::string& to) {
  if (text.size() % 2 != 0) return false;
  for (std::size_t i = 0; i < text.size(); i += 2) {
    const int high = json_hex_digit(static_cast<Byte>(text[i]));
    const int low = json_hex_digit(static_cast<Byte>(text[i + 1]));
    if (high < 0 || low < 0) return false;
    to += static_cast<char>(high << 4 | low);
  }
  return true;
}

}  // namespace presso
