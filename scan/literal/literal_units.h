// SPDX-License-Identifier: MIT
// A literal (a fixed string to search for) as a row of units. A unit lists the byte strings that it
// may be in the text: one for a byte, several for a letter whose case is ignored ("k" is k, K or
// U+212A, the Kelvin sign in three bytes). Probes are planned on this form; it is used while a
// pattern is compiled and not while text is searched. Tested by
// tests/unit/scan/literal/scan_literal_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace presso::scan_detail {

/// One byte, or one character with its variants in other cases.
struct LiteralUnit {
  std::vector<std::string> variants;  ///< never empty

  /// The length of the shortest spelling.
  std::size_t min_bytes() const;
  bool has_fixed_size() const;
};

using LiteralUnits = std::vector<LiteralUnit>;

/// Cuts a literal into units. `literal` must be UTF-8 where `ignore_case`.
LiteralUnits units_of(std::string_view literal, bool ignore_case);
/// The literal in the form in which folded text is compared: each character replaced by its fold().
std::string folded(std::string_view literal);

/// The length of the shortest spelling of all units.
std::size_t min_bytes(const LiteralUnits& units);
/// How many leading bytes stand at the same offset in every variant.
std::size_t fixed_prefix_bytes(const LiteralUnits& units);
/// Every byte string of `width` bytes that can stand at `offset` <= fixed_prefix_bytes, where
/// offset + width <= min_bytes.
std::vector<std::string> windows(const LiteralUnits& units, std::size_t offset, std::size_t width);

}  // namespace presso::scan_detail
