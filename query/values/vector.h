// SPDX-License-Identifier: MIT
// Values on their way through a query: vectors of up to 1,024 rows in one of five physical forms,
// whatever the type of the column is that they come from.
//
//   kBool     Byte, 0 or 1
//   kInt64    integers, dates (days), timestamps (units), decimals (times 10^scale)
//   kInt128   the same where 64 bits may not hold them
//   kDouble   float and double
//   kString   pointer and size
//
// A validity bitmap has a bit a row, the first the lowest of the first word, 1 where there is a
// value; what stands under a null is any value that may be read (an empty string).
#pragma once

#include <cstdint>
#include <cstring>

#include "presso/bytes.h"

namespace presso::query {

constexpr std::uint32_t kBatchRows = 1024;
constexpr std::uint32_t kBatchWords = kBatchRows / 64;

using Int128 = __int128;
using Uint128 = unsigned __int128;

enum class Physical : Byte { kBool, kInt64, kInt128, kDouble, kString };

struct StringRef {
  const Byte* data = nullptr;
  std::uint64_t size = 0;
  Bytes bytes() const { return {data, static_cast<std::size_t>(size)}; }
  friend bool operator==(const StringRef& a, const StringRef& b) {
    return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size) == 0);
  }
};

constexpr std::size_t physical_bytes(Physical physical) {
  switch (physical) {
    case Physical::kBool:
      return 1;
    case Physical::kInt64:
    case Physical::kDouble:
      return 8;
    default:
      return 16;
  }
}

/// Bit `i` of a bitmap; nullptr: all are 1.
inline bool has_bit(const std::uint64_t* bits, std::uint64_t i) {
  return bits == nullptr || (bits[i / 64] >> (i % 64) & 1) != 0;
}

/// The places of rows in the input, ascending: numbers[i], or where that is null base + rows[i], or
/// where that is null, too, base + i.
struct RowNumbers {
  std::uint64_t base = 0;
  const std::uint16_t* rows = nullptr;
  const std::uint64_t* numbers = nullptr;

  std::uint64_t operator[](std::uint32_t i) const {
    if (numbers != nullptr) return numbers[i];
    return base + (rows != nullptr ? rows[i] : i);
  }
};

/// Borrowed values of some rows.
struct VectorView {
  Physical physical = Physical::kInt64;
  const void* values = nullptr;
  const std::uint64_t* validity = nullptr;  ///< nullptr: no nulls

  template <class T>
  const T* as() const {
    return static_cast<const T*>(values);
  }
  bool is_null(std::uint32_t row) const { return !has_bit(validity, row); }
};

}  // namespace presso::query
