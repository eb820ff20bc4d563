// SPDX-License-Identifier: MIT
// How an event is written: plain text as its service writes it, or one JSON object. The date is
// rendered once a second only; everything else is appended to one string without temporary ones.
#include <array>

#include "corpora/log_generator.h"

namespace presso::corpora {
namespace {

struct Date {
  std::uint64_t year;
  std::uint64_t month;
  std::uint64_t day;
};

/// Days since 1970-01-01 to a date of the Gregorian calendar. Years are counted from March, so that
/// the leap day is the last of its year; 153 days are any five months from March on.
Date date_of(std::uint64_t days_since_1970) {
  const std::uint64_t days = days_since_1970 + 719468;  // since 0000-03-01
  const std::uint64_t era = days / 146097;              // 400 years each
  const std::uint64_t day_of_era = days % 146097;
  const std::uint64_t year_of_era =
      (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const std::uint64_t day_of_year =
      day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const std::uint64_t month_from_march = (5 * day_of_year + 2) / 153;
  const std::uint64_t month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
  return {400 * era + year_of_era + (month <= 2 ? 1 : 0), month,
          day_of_year - (153 * month_from_march + 2) / 5 + 1};
}

std::string_view upper_level(std::string_view level) {
  if (level == "info") return "INFO ";
  if (level == "warn") return "WARN ";
  if (level == "error") return "ERROR";
  return "DEBUG";
}

void append_escaped(std::string& to, std::string_view text) {
  for (const char letter : text) {
    switch (letter) {
      case '"':
        to += "\\\"";
        break;
      case '\\':
        to += "\\\\";
        break;
      case '\n':
        to += "\\n";
        break;
      case '\t':
        to += "\\t";
        break;
      default:
        to += letter;
    }
  }
}

void append_member(std::string& to, std::string_view key, std::string_view value) {
  to += ",\"";
  to += key;
  to += "\":\"";
  append_escaped(to, value);
  to += '"';
}

}  // namespace

void append_decimal(std::string& to, std::uint64_t value, unsigned width) {
  std::array<char, 20> digits;
  std::size_t begin = digits.size();
  for (; value != 0 || digits.size() - begin < width; value /= 10) {
    digits[--begin] = static_cast<char>('0' + value % 10);
  }
  to.append(digits.data() + begin, digits.size() - begin);
}

void append_hexadecimal(std::string& to, std::uint64_t value, unsigned digits) {
  for (unsigned i = 0; i < digits; ++i) to += "0123456789abcdef"[(value >> (60 - 4 * i)) & 15];
}

void LogGenerator::render_second() {
  rendered_second_ = microseconds_ / 1000000;
  const Date date = date_of(rendered_second_ / 86400);
  const std::uint64_t second_of_day = rendered_second_ % 86400;
  date_.clear();
  append_decimal(date_, date.year, 4);
  date_ += '-';
  append_decimal(date_, date.month, 2);
  date_ += '-';
  append_decimal(date_, date.day, 2);
  date_ += 'T';
  append_decimal(date_, second_of_day / 3600, 2);
  date_ += ':';
  append_decimal(date_, second_of_day / 60 % 60, 2);
  date_ += ':';
  append_decimal(date_, second_of_day % 60, 2);
}

void LogGenerator::append_plain(std::string& to) const {
  to += date_;
  to += '.';
  append_decimal(to, microseconds_ % 1000000, 6);
  to += "Z ";
  to += event_.host;
  to += ' ';
  to += event_.service;
  to += '[';
  append_decimal(to, event_.process);
  to += "]: ";
  if (!event_.logger.empty()) {
    to += upper_level(event_.level);
    to += " [worker-";
    append_decimal(to, event_.thread);
    to += "] ";
    to += event_.logger;
    to += " - ";
  }
  to += event_.message;
  if (event_.service != "sshd") {
    to += " trace=";
    append_hexadecimal(to, event_.trace, 16);
  }
  to += '\n';
  to += event_.stack;
}

void LogGenerator::append_json(std::string& to) const {
  to += "{\"ts\":\"";
  to += date_;
  to += '.';
  append_decimal(to, microseconds_ % 1000000, 6);
  to += "Z\"";
  append_member(to, "level", event_.level);
  append_member(to, "service", event_.service);
  append_member(to, "host", event_.host);
  to += ",\"pid\":";
  append_decimal(to, event_.process);
  if (!event_.logger.empty()) append_member(to, "logger", event_.logger);
  to += ",\"trace\":\"";
  append_hexadecimal(to, event_.trace, 16);
  to += '"';
  to += event_.fields;
  append_member(to, "msg", event_.message);
  if (!event_.stack.empty()) append_member(to, "stack", event_.stack);
  to += "}\n";
}

}  // namespace presso::corpora
