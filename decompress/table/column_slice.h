// SPDX-License-Identifier: MIT
// One thread's way through some rows of one column of a row group, vector by vector of 1,024 rows.
// A block is read when one of its vectors is first asked for, and only vectors that are asked for
// are decoded. Packed integers are compared with bounds without being decoded (S4.9, F1).
//
// Fast where the blocks of a column begin and end at the slice's borders or further out and vectors
// lie on multiples of 1,024 of the block (what presso writes); any other file is read correctly, by
// way of RowGroupDecoder. Buffers are kept from slice to slice: open() may be called again.
// Not thread-safe. Tested by tests/unit/decompress/table/column_slice_test.cpp.
#pragma once

#include <cstdint>

#include "decompress/table/group_reader.h"

namespace presso {

/// The most rows of a slice.
constexpr std::uint32_t kSliceRows = 65536;

/// Text of some rows, one after another: row i is bytes [offsets[i], offsets[i + 1]) of `text`,
/// which begins with the first row (offsets[0] is 0). Nulls are empty. Buffer::kSlack bytes are
/// readable after the text.
struct SliceText {
  Bytes text;
  const std::int64_t* offsets = nullptr;
  std::uint32_t rows = 0;
};

/// Tokens of some rows (FORMAT.md 17): row i has the codes [begins[i], begins[i + 1]).
struct SliceTokens {
  const std::uint16_t* codes = nullptr;
  const std::uint32_t* begins = nullptr;
  std::uint32_t rows = 0;
};

class ColumnSlice {
 public:
  /// Rows [first, first + rows) of the row group, at most kSliceRows; `first` a multiple of 1,024.
  /// Reads nothing. `group` is kept by reference.
  void open(const GroupReader& group, std::size_t column, std::uint32_t first, std::uint32_t rows);

  std::uint32_t rows() const;
  std::uint32_t vectors() const;  ///< of 1,024 rows, the last one may be shorter
  Representation representation() const;
  bool has_nulls() const;  ///< of the row group's column

  /// A bit a row of vector `vector`, 1 where there is a value; 16 words, those behind the last row 0.
  Status validity(std::uint32_t vector, std::uint64_t* bits);

  /// Columns that are no strings: values of the vector as they lie in memory (value_bytes(type)
  /// each; bools a bit a row), to room for 1,024 of them and Buffer::kSlack bytes.
  Status numbers(std::uint32_t vector, void* to);
  /// Integers, dates, timestamps and decimals of up to 64 bits, doubles and floats: sets bit i of
  /// `bits` (16 words; all are written, bits behind the last row are 0) where
  /// least <= image <= most, for the zone images (FORMAT.md 15.4) of values. NaNs count as greater
  /// than any number, also where `most` is the greatest image: a NaN is inside only where `most` is
  /// ~0. Nulls are not looked at: the caller ands validity().
  Status numbers_between(std::uint32_t vector, std::uint64_t least, std::uint64_t most,
                         std::uint64_t* bits);
  /// Whether some, all or none of a vector's rows can lie between; told by the vector's directory
  /// entry alone where it is packed (base and width), else kSome.
  enum class Between : Byte { kNone, kSome, kAll };
  Result<Between> vector_between(std::uint32_t vector, std::uint64_t least, std::uint64_t most);

  /// Dictionary columns: codes of the vector. All are checked to be below the dictionary's size.
  Status codes(std::uint32_t vector, std::uint32_t* to);
  /// Sets bit i where `wanted` has the bit of row i's code.
  Status codes_in(std::uint32_t vector, const std::uint64_t* wanted, std::uint64_t* bits);

  /// Columns stored as tokens or bytes: the text of all rows of the slice, decoded once.
  Result<SliceText> text();
  /// The same of one vector only. Cheaper where few vectors are asked for.
  Result<SliceText> text(std::uint32_t vector);
  /// Token columns: codes of the slice's rows, unpacked and checked; without text.
  Result<SliceTokens> token_codes();

 private:
  // The implementer decides.
};

}  // namespace presso
