// SPDX-License-Identifier: MIT
// Doubles as keys of groups and joins: values that SQL calls equal get the same bits. Tested by
// tests/unit/query/group/key_coder_test.cpp.
#pragma once

#include <bit>
#include <cstdint>

namespace presso::query {

/// The key of all NaNs, which count as one value.
constexpr std::uint64_t kNanKey = 0x7FF8000000000000u;

/// Returns the double's bits, except that all NaNs have one key, and so have 0.0 and -0.0.
inline std::uint64_t real_key(double value) {
  if (value == 0) return 0;
  return value != value ? kNanKey : std::bit_cast<std::uint64_t>(value);
}

}  // namespace presso::query
