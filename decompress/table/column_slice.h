// SPDX-License-Identifier: MIT
// One thread's way through some rows of one column of a row group, vector by vector of 1,024 rows.
// A block is read when one of its vectors is first asked for, and only vectors that are asked for
// are decoded. Packed integers are compared with bounds without being decoded (S4.9, F1).
//
// Fast where the blocks of a column begin and end at the slice's borders or further out and vectors
// lie on multiples of 1,024 of the block (what presso writes); any other file is read correctly, by
// way of RowGroupDecoder. Buffers are kept from slice to slice: open() may be called again.
// Not thread-safe. Tested by tests/unit/decompress/table/column_slice_test.cpp,
// slice_layout_test.cpp and slice_damage_test.cpp.
#pragma once

#include <cstdint>

#include "decompress/table/byte_strings.h"
#include "decompress/table/group_reader.h"
#include "decompress/table/integer_stream.h"
#include "decompress/table/slice_text.h"
#include "decompress/table/token_stream.h"

namespace presso {

/// The most rows of a slice.
constexpr std::uint32_t kSliceRows = 65536;

class ColumnSlice {
 public:
  /// Rows [first, first + rows) of the row group, at most kSliceRows; `first` a multiple of 1,024.
  /// Reads nothing. `group` is kept by reference.
  void open(const GroupReader& group, std::size_t column, std::uint32_t first, std::uint32_t rows);

  std::uint32_t rows() const { return rows_; }
  /// Of 1,024 rows, the last one may be shorter.
  std::uint32_t vectors() const { return vectors_of(rows_); }
  Representation representation() const { return group_->chunk(column_).representation; }
  /// Of the row group's column.
  bool has_nulls() const { return group_->chunk(column_).nulls > 0; }

  /// A bit a row of vector `vector`, 1 where there is a value; 16 words, those behind the last row
  /// 0.
  Status validity(std::uint32_t vector, std::uint64_t* bits);

  /// What follows is kInvalidArgument for columns of other types or representations than it names.
  /// A column all of whose rows are null has zeros, empty strings, no codes and tokens.
  ///
  /// Columns that are no strings: values of the vector as they lie in memory (value_bytes(type)
  /// each; bools a bit a row), to room for 1,024 of them and Buffer::kSlack bytes.
  Status numbers(std::uint32_t vector, void* to);
  /// Where the vector is stored as at most `most` runs of equal values: how many, the value of each
  /// to `to` as numbers() gives those of rows, and a bit for each row where a run begins to
  /// `starts` (16 words). Else 0. Runs may begin behind the last row of the slice.
  Result<std::uint32_t> run_numbers(std::uint32_t vector, std::uint32_t most, void* to,
                                    std::uint64_t* starts);
  /// Integers, dates, timestamps and decimals of up to 64 bits, doubles and floats: sets bit i of
  /// `bits` (16 words; all are written, bits behind the last row are 0) where
  /// least <= image <= most, for the zone images (FORMAT.md 15.4) of values. NaNs count as greater
  /// than any number, also where `most` is the greatest image: a NaN is inside only where `most` is
  /// ~0. Nulls are not looked at: the caller ands validity().
  Status numbers_between(std::uint32_t vector, std::uint64_t least, std::uint64_t most,
                         std::uint64_t* bits);
  /// Whether some, all or none of a vector's rows can lie between; told by the vector's directory
  /// entry alone where it is packed (base and width), else kSome.
  using Between = presso::Between;
  Result<Between> vector_between(std::uint32_t vector, std::uint64_t least, std::uint64_t most);

  /// Sets the bit of each row to that of its run, of those that run_numbers() gave; bits behind the
  /// last row are 0.
  void spread_run_bits(std::uint32_t vector, const std::uint64_t* starts,
                       const std::uint64_t* run_bits, std::uint64_t* bits) const;

  /// Dictionary columns: codes of the vector. All are checked to be below the dictionary's size.
  Status codes(std::uint32_t vector, std::uint32_t* to);
  /// Sets bit i where `wanted` has the bit of row i's code.
  Status codes_in(std::uint32_t vector, const std::uint64_t* wanted, std::uint64_t* bits);

  /// Columns stored as tokens or bytes: the text of all rows of the slice, decoded once. It stays
  /// until the next open(), that of a vector until the next call.
  Result<SliceText> text();
  /// The same of one vector only. Cheaper where few vectors are asked for.
  Result<SliceText> text(std::uint32_t vector);
  /// Token columns: codes of the slice's rows, unpacked and checked; without text.
  Result<SliceTokens> token_codes();
  /// The same of one vector only. Cheaper where few vectors are asked for.
  Result<SliceTokens> token_codes(std::uint32_t vector);

 private:
  Status check_numbers(std::uint32_t vector) const;
  Status check_codes_of(std::uint32_t vector);
  std::uint32_t vector_rows_of(std::uint32_t vector) const { return vector_rows(rows_, vector); }
  SliceText no_text(std::uint32_t rows);

  const GroupReader* group_ = nullptr;
  std::size_t column_ = 0;
  ColumnType type_ = ColumnType::kUtf8;
  std::uint32_t rows_ = 0;
  std::uint64_t checked_codes_ = 0;  ///< a bit a vector
  IntegerStream validity_;
  IntegerStream values_;  ///< or codes
  TokenStream tokens_;
  ByteStrings bytes_;
  std::vector<std::int64_t> no_offsets_;
};

}  // namespace presso
