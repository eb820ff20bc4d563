// SPDX-License-Identifier: MIT
// How queries read a column: the rows of a slice, at most 65,536 rows of a row group that one
// thread takes at a time, in vectors of 1,024 rows. A block is read when one of its vectors is
// first asked for, and only vectors that are asked for are decoded. Packed integers are compared
// with bounds without being decoded.
//
// It is fast if the column's blocks begin and end at the slice's borders or beyond, and vectors
// lie on multiples of 1,024 of the block, as presso writes them. Any other file is read
// correctly by way of RowGroupDecoder. Buffers are kept from slice to slice: open() may be
// called again. Not thread-safe. Tested by tests/unit/decompress/table/column_slice_test.cpp,
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

/// One column, opened for one slice after another. It owns buffers only: what threads share of a
/// row group belongs to GroupReader, which must outlive it.
class ColumnSlice {
 public:
  /// Prepares rows [first, first + rows) of the row group, at most kSliceRows; `first` must be
  /// a multiple of 1,024. Reads nothing. Keeps `group` by reference.
  void open(const GroupReader& group, std::size_t column, std::uint32_t first, std::uint32_t rows);

  std::uint32_t rows() const { return rows_; }
  /// Vectors of 1,024 rows; the last one may be shorter.
  std::uint32_t vectors() const { return vectors_of(rows_); }
  Representation representation() const { return group_->chunk(column_).representation; }
  /// Whether the column has nulls anywhere in the row group.
  bool has_nulls() const { return group_->chunk(column_).nulls > 0; }

  /// A bit for each row of vector `vector`, 1 if it has a value. 16 words; bits after the last
  /// row are 0.
  Status validity(std::uint32_t vector, std::uint64_t* bits);

  // The functions below give kInvalidArgument for columns of other types or representations (ways
  // to store a column: as numbers, dictionary, tokens or bytes) than they name. A column that is
  // entirely null has zeros, empty strings, no codes and no tokens.

  /// Columns other than strings: the vector's values as they lie in memory (value_bytes(type)
  /// each; bools a bit a row). `to` has room for 1,024 of them and Buffer::kSlack bytes.
  Status numbers(std::uint32_t vector, void* to);
  /// If the vector is stored as at most `most` runs of equal values: returns their number,
  /// writes the value of each to `to` as numbers() would, and sets a bit in `starts` (16 words)
  /// for each row where a run begins. Otherwise returns 0. Runs may begin after the slice's
  /// last row.
  Result<std::uint32_t> run_numbers(std::uint32_t vector, std::uint32_t most, void* to,
                                    std::uint64_t* starts);
  /// For bools, integers, dates, timestamps and decimals of up to 64 bits, doubles and floats: sets
  /// bit i of `bits` (16 words; all are written, bits after the last row are 0) if least <= image
  /// <= most, for the zone images (FORMAT.md 15.4) of the values. NaNs count as greater than every
  /// number: a NaN is inside only if `most` is ~0. Nulls are not looked at: callers combine the
  /// result with validity().
  Status numbers_between(std::uint32_t vector, std::uint64_t least, std::uint64_t most,
                         std::uint64_t* bits);
  /// Whether all, some or none of a vector's values lie between the images, as far as that is known
  /// without looking at them: from the vector's entry (base and width) and its first words. kSome
  /// if it is not known.
  using Between = presso::Between;
  Result<Between> vector_between(std::uint32_t vector, std::uint64_t least, std::uint64_t most);

  /// Gives each row the bit of its run, for the runs that run_numbers() gave; bits after the
  /// last row are 0.
  void spread_run_bits(std::uint32_t vector, const std::uint64_t* starts,
                       const std::uint64_t* run_bits, std::uint64_t* bits) const;

  /// Dictionary columns: the codes of the vector, checked to be below the dictionary's size.
  Status codes(std::uint32_t vector, std::uint32_t* to);
  /// Sets bit i if `wanted` has the bit of row i's code.
  Status codes_in(std::uint32_t vector, const std::uint64_t* wanted, std::uint64_t* bits);

  /// Columns stored as tokens or bytes: the text of all rows of the slice, decoded once and
  /// valid until the next open().
  Result<SliceText> text();
  /// The text of one vector, valid until the next call. Cheaper if few vectors are asked for.
  Result<SliceText> text(std::uint32_t vector);
  /// Token columns: the codes of the slice's rows, unpacked and checked, without their text.
  Result<SliceTokens> token_codes();
  /// The codes of one vector. Cheaper if few vectors are asked for.
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
  std::uint64_t checked_codes_ = 0;  ///< a bit for each vector
  IntegerStream validity_;
  IntegerStream values_;  ///< or the codes of a dictionary column
  TokenStream tokens_;
  ByteStrings bytes_;
  std::vector<std::int64_t> no_offsets_;
};

}  // namespace presso
