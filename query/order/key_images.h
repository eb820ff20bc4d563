// SPDX-License-Identifier: MIT
// Images of values for sorting: unsigned integers that have the order of the values. The sign bit
// is flipped; doubles are mapped so that NaN is the greatest. Tested by
// tests/unit/query/order/row_keys_test.cpp.
//
// The functions pass a generic callable to `use`, so that loops are compiled for each type and the
// type is tested once for a vector rather than for each row.
#pragma once

#include "format/columns/key_rows.h"
#include "query/values/vector.h"

namespace presso::query {

/// Flips the sign bit.
inline Uint128 image_of(Int128 value) {
  return static_cast<Uint128>(value) ^ (Uint128{kTopBit} << 64);
}

/// Calls use(image), where image(row) returns the image of a row's value in 8, 64 or 128 bits.
/// Strings have no image; `use` is not called for them.
template <class Use>
void with_images(const VectorView& view, const Use& use) {
  switch (view.physical) {
    case Physical::kBool:
      return use([from = view.as<Byte>()](std::size_t row) { return from[row]; });
    case Physical::kInt64:
      return use(
          [from = view.as<std::int64_t>()](std::size_t row) { return signed_image(from[row]); });
    case Physical::kDouble:
      return use([from = view.as<double>()](std::size_t row) { return ordered_image(from[row]); });
    case Physical::kInt128:
      return use([from = view.as<Int128>()](std::size_t row) { return image_of(from[row]); });
    case Physical::kString:
      return;
  }
}

/// As with_images(), with 64 bits for every type: the upper half of an int128, the first eight
/// bytes of a string. For these two, equal images do not mean equal values.
template <class Use>
void with_first_images(const VectorView& view, const Use& use) {
  if (view.physical == Physical::kString) {
    return use(
        [from = view.as<StringRef>()](std::size_t row) { return string_image(from[row].bytes()); });
  }
  with_images(view, [&](auto image) {
    constexpr unsigned kCut = sizeof(image(0)) == 16 ? 64 : 0;
    use([image](std::size_t row) { return static_cast<std::uint64_t>(image(row) >> kCut); });
  });
}

}  // namespace presso::query
