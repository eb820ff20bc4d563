// SPDX-License-Identifier: MIT
// Doubles as keys: equal ones have the same bits. Tested by
// tests/unit/query/group/key_coder_test.cpp.
#pragma once

#include <bit>
#include <cstdint>

namespace presso::query {

/// Of all NaNs.
constexpr std::uint64_t kNanKey = 0x7FF8000000000000u;

/// A double's bits, but those of one NaN for all, and of one zero for both.
inline std::uint64_t real_key(double value) {
  if (value == 0) return 0;
  return value != value ? kNanKey : std::bit_cast<std::uint64_t>(value);
}

}  // namespace presso::query
