// SPDX-License-Identifier: MIT
// Single values of an Arrow array: its buffers, strings of string views, and values that are wider
// than those of columns, which are decimals of any width and dates in milliseconds.
#pragma once

#include <charconv>
#include <cstdint>
#include <limits>
#include <string_view>

#include "format/columns/value_patterns.h"
#include "presso/arrow_abi.h"
#include "presso/bytes.h"

namespace presso {

/// Buffer 0 is the validity bitmap, buffer 1 values or offsets, buffer 2 the bytes of strings.
inline const Byte* buffer_of(const ArrowArray& array, std::int64_t number) {
  return static_cast<const Byte*>(array.buffers[number]);
}

/// Finds the string of a string view (Arrow's layouts "vu" and "vz"); up to 12 bytes of a string
/// stand in the view itself. False where the view leads out of its buffer.
inline bool string_of_view(const ArrowArray& array, std::uint64_t row, Bytes& string) {
  constexpr std::uint64_t kViewBytes = 16;
  constexpr std::uint32_t kInlineBytes = 12;
  const Byte* const view = buffer_of(array, 1) + row * kViewBytes;
  const auto length = load<std::uint32_t>(view);
  string = {view + 4, length};
  if (length <= kInlineBytes) return true;
  const auto number = load<std::int32_t>(view + 8);
  const auto offset = load<std::uint32_t>(view + 12);
  // The last buffer has the sizes of those with the bytes, without which nothing can be checked.
  const Byte* const sizes = buffer_of(array, array.n_buffers - 1);
  if (number < 0 || number >= array.n_buffers - 3 || sizes == nullptr) return false;
  const auto size = load<std::uint64_t>(sizes + 8 * static_cast<std::size_t>(number));
  const Byte* const bytes = buffer_of(array, 2 + number);
  if (bytes == nullptr || length > size || offset > size - length) return false;
  string = {bytes + offset, length};
  return true;
}

/// The width that follows the second comma of "d:10,2,64", in bytes.
inline std::uint64_t decimal_bytes(std::string_view format) {
  const std::size_t comma = format.find(',', format.find(',') + 1);
  if (comma == format.npos) return 16;
  std::uint64_t bits = 0;
  std::from_chars(format.data() + comma + 1, format.data() + format.size(), bits);
  return bits / 8;
}

/// Stores a decimal of 4, 8, 16 or 32 bytes as one of 16. False if it has more than 38 digits.
inline bool as_decimal128(const Byte* from, std::uint64_t bytes, Byte* to) {
  constexpr auto kTenTo19 = Int128{10'000'000'000'000'000'000u};
  constexpr Int128 kTenTo38 = kTenTo19 * kTenTo19;
  const Int128 number = bytes == 4   ? Int128{load<std::int32_t>(from)}
                        : bytes == 8 ? Int128{load<std::int64_t>(from)}
                                     : load<Int128>(from);
  store(to, number);
  const bool fits = bytes <= 16 || load<Int128>(from + 16) == (number < 0 ? -1 : 0);
  return fits && number < kTenTo38 && number > -kTenTo38;
}

/// Stores milliseconds since 1970 as days. False where they are no whole days.
inline bool as_days(std::int64_t milliseconds, Byte* to) {
  constexpr std::int64_t kDay = 86'400'000;
  using Days = std::numeric_limits<std::int32_t>;
  const std::int64_t days = milliseconds / kDay;
  store(to, static_cast<std::int32_t>(days));
  return milliseconds % kDay == 0 && days >= Days::min() && days <= Days::max();
}

}  // namespace presso
