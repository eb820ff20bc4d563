// SPDX-License-Identifier: MIT
// Implements value_forms.h. Tested by tests/differential/parquet_oracle.py and arrow_oracle.py.
#include "tools/parquet/value_forms.h"

#include <cmath>
#include <cstdio>

namespace presso::cli {

float float_of_half(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int fraction = half & 1023;
  const float sign = (half & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction == 0 ? sign * HUGE_VALF : NAN;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

bool append_time(std::int64_t value, std::int64_t per_second, std::string& to) {
  const std::int64_t seconds = value / per_second;
  if (value < 0 || seconds > 86400) return false;
  char text[40];
  const int length =
      std::snprintf(text, sizeof text, "%02d:%02d:%02d", static_cast<int>(seconds / 3600),
                    static_cast<int>(seconds / 60 % 60), static_cast<int>(seconds % 60));
  to.append(text, static_cast<std::size_t>(length));
  std::int64_t rest = value % per_second;
  if (rest != 0) to += '.';
  for (std::int64_t unit = per_second / 10; rest != 0; unit /= 10) {
    to += static_cast<char>('0' + rest / unit);
    rest %= unit;
  }
  return true;
}

void append_uuid(const Byte* bytes, std::string& to) {
  constexpr char kDigits[] = "0123456789abcdef";
  for (std::size_t i = 0; i < 16; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) to += '-';
    to += kDigits[bytes[i] >> 4];
    to += kDigits[bytes[i] & 15];
  }
}

}  // namespace presso::cli
