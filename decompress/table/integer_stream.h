// SPDX-License-Identifier: MIT
// Numbers of one stream of a column (values, codes, validity) for the rows of a slice, vector by
// vector of 1,024 rows. The block is read when its first vector is asked for.
//
// Fast where one block of integers holds all rows and they begin with one of its vectors; the block
// then stays packed. Other files are decoded as a whole at once, by way of RowGroupDecoder.
// Not thread-safe. Tested by tests/unit/decompress/table/column_slice_test.cpp,
// slice_layout_test.cpp and slice_damage_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "decompress/columns/cpu/integer_filter.h"
#include "decompress/table/group_reader.h"

namespace presso {

class IntegerStream {
 public:
  /// Rows [first, first + rows) of the stream, which must be there. `group` is kept by reference.
  void open(const GroupReader& group, std::size_t column, ColumnStream stream, Byte width_bytes,
            std::uint32_t first, std::uint32_t rows);

  /// All that follow: the vector must be one of the rows'.
  /// Values of a vector: room for 1,024 (0 bytes: bits; 128 bytes of room).
  Status decode(std::uint32_t vector, Byte* to);
  /// Where the vector is stored as runs of equal values, at most `most` of them: how many, their
  /// values to `to` as decode() gives values of rows, and a bit for each row where one begins to
  /// `starts` (16 words). Else 0. The last run may begin behind the rows.
  Result<std::uint32_t> decode_runs(std::uint32_t vector, std::uint32_t most, Byte* to,
                                    std::uint64_t* starts);
  Status filter(std::uint32_t vector, const ValueTest& test, std::uint64_t* bits);
  Result<Between> between(std::uint32_t vector, const ValueTest& test);
  /// Of a stream of codes: whether `wanted`, which has `codes` bits, has the code's bit.
  Status filter_codes(std::uint32_t vector, const std::uint64_t* wanted, std::uint32_t codes,
                      std::uint64_t* bits);
  /// An error that the values of the rows have, with the block where it is one.
  Error at_block(Error error) const;

 private:
  enum class State : Byte { kClosed, kPacked, kValues };

  std::uint32_t vector_rows_of(std::uint32_t vector) const {
    return std::min(rows_ - vector * kVectorRows, kVectorRows);
  }
  Status load() { return state_ == State::kClosed ? load_block() : Status{}; }
  Status load_block();
  Status read_block(std::uint32_t block);
  Status read_values();
  Status find(std::uint32_t vector, IntegerVector& found);
  const Byte* values_of(std::uint32_t vector, bool padded);

  const GroupReader* group_ = nullptr;
  std::size_t column_ = 0;
  ColumnStream stream_ = ColumnStream::kValues;
  Byte width_bytes_ = 0;
  std::uint32_t first_ = 0;
  std::uint32_t rows_ = 0;

  State state_ = State::kClosed;
  std::uint32_t block_ = 0;
  std::uint32_t first_vector_ = 0;  ///< of the block, where the rows begin
  IntegerBlock packed_;             ///< in stored_
  Buffer stored_;
  Buffer values_;              ///< of a block that is not packed, or of the rows
  std::size_t values_at_ = 0;  ///< of the first row, in bytes
  Buffer scratch_;
};

}  // namespace presso
