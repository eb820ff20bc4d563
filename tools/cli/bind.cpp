// SPDX-License-Identifier: MIT
// Sizes are shown and read with powers of 1024, rates elsewhere with powers of 1000, as is usual
// for each. A number that is malformed or out of range is kInvalidArgument. Tested by
// tests/cli/test_frame.py.
#include "tools/cli/bind.h"

#include <charconv>
#include <cstdio>

namespace presso::cli {
namespace {

/// By how many bits a unit shifts a number to the left; nullopt if the text is no unit.
std::optional<unsigned> unit_shift(std::string_view unit) {
  if (unit.empty()) return 0;
  if (unit.size() > 1 && unit.substr(1) != "B" && unit.substr(1) != "iB") return std::nullopt;
  switch (unit[0]) {
    case 'k':
    case 'K':
      return 10;
    case 'M':
      return 20;
    case 'G':
      return 30;
    case 'T':
      return 40;
    default:
      return std::nullopt;
  }
}

}  // namespace

std::string decimal_text(double value, int digits) {
  char text[400];  // Room for the largest double.
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

/// Bytes in the largest binary unit that divides them, for messages about limits. A number that is
/// no multiple of 1,024 is written out in digits, so that a limit is never rounded.
std::string size_text(std::uint64_t bytes) {
  static constexpr std::string_view kUnits[] = {" KiB", " MiB", " GiB", " TiB"};
  if (bytes == 0 || bytes % 1024 != 0) return grouped(bytes);
  std::size_t unit = 0;
  bytes /= 1024;
  while (bytes % 1024 == 0 && unit + 1 < std::size(kUnits)) {
    bytes /= 1024;
    ++unit;
  }
  return grouped(bytes) + std::string(kUnits[unit]);
}

/// Parses a whole number with an optional unit. `what` names it in the error, which tells the
/// permitted range. Error: kInvalidArgument.
Result<std::uint64_t> parse_number(std::string_view what, std::string_view text,
                                   std::uint64_t least, std::uint64_t most, Unit unit) {
  const auto shown = unit == Unit::kBytes ? size_text : grouped;
  const auto refuse = [&](std::string_view reason) {
    return make_error(ErrorCode::kInvalidArgument, std::string(what) + ": '" + std::string(text) +
                                                       "' is " + std::string(reason) +
                                                       "; permitted: " + shown(least) + " to " +
                                                       shown(most));
  };
  std::uint64_t value = 0;
  const char* end = text.data() + text.size();
  // from_chars() takes neither a sign nor blanks nor a locale's separators, so "-1", " 1" and
  // "1,000" are refused as they should be.
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem == std::errc::result_out_of_range) return refuse("out of range");
  if (problem != std::errc()) return refuse("not a whole number");
  const auto shift = unit_shift({rest, static_cast<std::size_t>(end - rest)});
  if (!shift) {
    return refuse(unit == Unit::kBytes ? "not a number with a unit K, M, G or T"
                                       : "not a whole number");
  }
  // The check comes before the shift, which would lose the upper bits without a word.
  if (value > (std::numeric_limits<std::uint64_t>::max() >> *shift)) return refuse("out of range");
  value <<= *shift;
  if (value < least || value > most) return refuse("out of range");
  return value;
}

}  // namespace presso::cli
