// SPDX-License-Identifier: MIT
// Apply functions for the flag tables: checked conversions into a command's members. Numbers follow
// zstd's grammar: 64K, 64KB and 64KiB are all 65536; M and G likewise.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include "presso/error.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// "2.25": with `digits` digits after the point.
std::string decimal_text(double value, int digits);
/// "4 MiB", "100,000": the shortest exact form.
std::string size_text(std::uint64_t bytes);

/// What a number counts: how its limits are shown.
enum class Unit { kBytes, kCount };

/// A whole number with an optional unit (K, M, G, T; KB and KiB forms too). Errors: not a number,
/// or outside [least, most], with both named; `what` begins the text.
Result<std::uint64_t> parse_number(std::string_view what, std::string_view text,
                                   std::uint64_t least, std::uint64_t most,
                                   Unit unit = Unit::kBytes);

/// Sets a switch; its negation clears it.
inline Apply set(bool& target) {
  return [&target](const Given& given) -> Status {
    target = !given.negated;
    return {};
  };
}

/// Sets `target` to `value`; the last of several such flags wins.
template <class T, class Value>
Apply choose(T& target, Value value) {
  return [&target, value](const Given&) -> Status {
    target = value;
    return {};
  };
}

inline Apply text_into(std::string& target) {
  return [&target](const Given& given) -> Status {
    target = given.value;
    return {};
  };
}

/// A checked number into an integer or an optional of one.
template <class T>
Apply number_into(T& target, std::uint64_t least, std::uint64_t most, Unit unit = Unit::kBytes) {
  return [&target, least, most, unit](const Given& given) -> Status {
    PRESSO_ASSIGN(const std::uint64_t value,
                  parse_number(given.spelled, given.value, least, most, unit));
    if constexpr (std::is_integral_v<T>) {
      target = static_cast<T>(value);
    } else {
      target = static_cast<typename T::value_type>(value);
    }
    return {};
  };
}

/// The same for a number that does not count bytes.
template <class T>
Apply count_into(T& target, std::uint64_t least, std::uint64_t most) {
  return number_into(target, least, most, Unit::kCount);
}

}  // namespace presso::cli
