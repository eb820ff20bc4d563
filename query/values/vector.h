// SPDX-License-Identifier: MIT
// Values on their way through a query: vectors of up to 1,024 rows in one of five physical forms,
// whatever the type of the column that they come from.
//
//   kBool     Byte, 0 or 1
//   kInt64    integers, dates (days), timestamps (units), decimals (times 10^scale)
//   kInt128   the same types where 64 bits may not hold the values
//   kDouble   float and double
//   kString   pointer and size
//
// A validity bitmap has a bit for each row, the first row in the lowest bit of the first word, 1
// where there is a value. The value under a null is arbitrary but may be read (a string is empty).
// A vector of 1,024 rows is small enough for the L1 cache and large enough to make calls cheap.
#pragma once

#include <cstdint>
#include <cstring>

#include "presso/bytes.h"

namespace presso::query {

/// Rows of a full vector, and words of its bitmap.
constexpr std::uint32_t kBatchRows = 1024;
constexpr std::uint32_t kBatchWords = kBatchRows / 64;

using Int128 = __int128;
using Uint128 = unsigned __int128;

/// How values lie in memory; see above.
enum class Physical : Byte { kBool, kInt64, kInt128, kDouble, kString };

/// A string that somebody else owns. Comparison is by bytes.
struct StringRef {
  const Byte* data = nullptr;
  std::uint64_t size = 0;
  Bytes bytes() const { return {data, static_cast<std::size_t>(size)}; }
  friend bool operator==(const StringRef& a, const StringRef& b) {
    return a.size == b.size && (a.size == 0 || std::memcmp(a.data, b.data, a.size) == 0);
  }
};

/// Returns the bytes of one value.
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

/// Returns bit `i` of a bitmap; true if there is none.
inline bool has_bit(const std::uint64_t* bits, std::uint64_t i) {
  return bits == nullptr || (bits[i / 64] >> (i % 64) & 1) != 0;
}

/// The numbers of rows in the input, ascending: row i is numbers[i] or, if that is null, base +
/// rows[i] or, if that is null, too, base + i. All three are borrowed.
struct RowNumbers {
  std::uint64_t base = 0;
  const std::uint16_t* rows = nullptr;
  const std::uint64_t* numbers = nullptr;

  std::uint64_t operator[](std::uint32_t i) const {
    if (numbers != nullptr) return numbers[i];
    return base + (rows != nullptr ? rows[i] : i);
  }
};

/// Borrowed values of some rows in one physical form.
struct VectorView {
  Physical physical = Physical::kInt64;
  const void* values = nullptr;
  const std::uint64_t* validity = nullptr;  ///< nullptr: no row is null

  template <class T>
  const T* as() const {
    return static_cast<const T*>(values);
  }
  bool is_null(std::uint32_t row) const { return !has_bit(validity, row); }
};

}  // namespace presso::query
