// SPDX-License-Identifier: MIT
// Images of values by which rows are sorted: unsigned integers in the order of the values.
// Tested by tests/unit/query/order/row_keys_test.cpp.
#pragma once

#include "format/columns/key_rows.h"
#include "query/values/vector.h"

namespace presso::query {

inline Uint128 image_of(Int128 value) {
  return static_cast<Uint128>(value) ^ (Uint128{kTopBit} << 64);
}

/// Calls `use` with what gives the image of a row's value, of 8, 64 or 128 bits. Not for strings,
/// which have none.
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

/// Likewise, 64 bits for every type: of int128 the upper half, of strings the first eight bytes.
/// Equal images say nothing of those two.
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
