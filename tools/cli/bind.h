// SPDX-License-Identifier: MIT
// Apply functions for the flag tables: checked conversions of a flag's value into a member of a
// command. Each returns kInvalidArgument with a text that names the flag, the value and what is
// permitted. Numbers follow zstd's grammar: 64K, 64KB and 64KiB are all 65536, and M, G and T work
// in the same way. Tested by tests/cli/test_frame.py.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "presso/error.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// The number with `digits` digits after the point, as "2.25".
std::string decimal_text(double value, int digits);
/// A size in its shortest exact form, as "4 MiB" or "100,000".
std::string size_text(std::uint64_t bytes);

/// Whether a number counts bytes, which decides how its limits are shown in an error. Bytes are
/// shown in binary units ("4 MiB"), counts in digits ("1,024").
enum class Unit { kBytes, kCount };

/// Parses a whole number with an optional unit (K, M, G, T, also in the forms KB and KiB). Error
/// kInvalidArgument: not such a number, or outside [least, most]; its text begins with `what` and
/// names both limits.
Result<std::uint64_t> parse_number(std::string_view what, std::string_view text,
                                   std::uint64_t least, std::uint64_t most,
                                   Unit unit = Unit::kBytes);

/// Makes a flag a switch: giving it sets `target`, its negation clears it. `target` has to outlive
/// the flag, as with all functions below.
inline Apply set(bool& target) {
  return [&target](const Given& given) -> Status {
    target = !given.negated;
    return {};
  };
}

/// Makes a flag set `target` to `value`; of several such flags for one target the last one wins.
template <class T, class Value>
Apply choose(T& target, Value value) {
  return [&target, value](const Given&) -> Status {
    target = value;
    return {};
  };
}

/// Takes a flag's value over as it is. Any text is permitted; use `choices` of the flag where only
/// some are.
inline Apply text_into(std::string& target) {
  return [&target](const Given& given) -> Status {
    target = given.value;
    return {};
  };
}

/// Adds a flag's value to a list; each use of the flag counts.
inline Apply add_text(std::vector<std::string>& texts) {
  return [&texts](const Given& given) -> Status {
    texts.push_back(given.value);
    return {};
  };
}

/// Takes a flag's value as a number into an integer or an optional of one. `target` must be able to
/// hold `most`.
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

/// Like number_into() for a number that does not count bytes.
template <class T>
Apply count_into(T& target, std::uint64_t least, std::uint64_t most) {
  return number_into(target, least, most, Unit::kCount);
}

}  // namespace presso::cli
