// SPDX-License-Identifier: MIT
// The numbers of one stream of a column (values, codes or validity) for the rows of a slice, in
// vectors of 1,024 rows. A block is read when its first vector is asked for.
//
// It is fast if one block of integers holds all rows and they begin with one of its vectors;
// the block then stays packed. Other files are decoded as a whole at once, by way of
// RowGroupDecoder. Not thread-safe. Tested by
// tests/unit/decompress/table/column_slice_test.cpp, slice_layout_test.cpp and
// slice_damage_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>

#include "decompress/columns/cpu/integer_filter.h"
#include "decompress/table/group_reader.h"

namespace presso {

/// The reader of one thread. open() begins with other rows or another stream, and keeps the
/// buffers.
class IntegerStream {
 public:
  /// Prepares rows [first, first + rows) of the stream, which must exist. Keeps `group` by
  /// reference.
  void open(const GroupReader& group, std::size_t column, ColumnStream stream, Byte width_bytes,
            std::uint32_t first, std::uint32_t rows);

  /// Decodes a vector of the opened rows. `to` has room for 1,024 values (width 0: bits, 128
  /// bytes). Here and below, `vector` counts from the first opened row and must have some of the
  /// rows.
  Status decode(std::uint32_t vector, Byte* to);
  /// If the vector is stored as at most `most` runs of equal values: returns their number,
  /// writes their values to `to`, and sets a bit in `starts` (16 words) for each row where one
  /// begins. Otherwise returns 0. The last run may begin after the rows.
  Result<std::uint32_t> decode_runs(std::uint32_t vector, std::uint32_t most, Byte* to,
                                    std::uint64_t* starts);
  /// Sets a bit for each row whose value passes the test; bits after the last row are 0.
  Status filter(std::uint32_t vector, const ValueTest& test, std::uint64_t* bits);
  /// Whether the vector's values pass the test, as far as that is known without looking at
  /// them.
  Result<Between> between(std::uint32_t vector, const ValueTest& test);
  /// For a stream of codes: sets the bit of rows whose code has its bit in `wanted`, which has
  /// `codes` bits.
  Status filter_codes(std::uint32_t vector, const std::uint64_t* wanted, std::uint32_t codes,
                      std::uint64_t* bits);
  /// Adds the block's number and offset to an error in the rows' values, if a single block holds
  /// them.
  Error at_block(Error error) const;

 private:
  /// Nothing read; one packed block; or decoded values.
  enum class State : Byte { kClosed, kPacked, kValues };

  std::uint32_t vector_rows_of(std::uint32_t vector) const {
    return std::min(rows_ - vector * kVectorRows, kVectorRows);
  }
  Status load() { return state_ == State::kClosed ? load_block() : Status{}; }
  /// Chooses between one packed block and decoded values.
  Status load_block();
  Status read_block(std::uint32_t block);
  Status read_values();
  /// Finds a vector of the packed block.
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
  std::uint32_t first_vector_ = 0;  ///< which vector of the block the rows begin with
  IntegerBlock packed_;             ///< points into stored_
  Buffer stored_;
  Buffer values_;              ///< values of a block that is not packed, or of the rows
  std::size_t values_at_ = 0;  ///< where the first row's value is, in bytes
  Buffer scratch_;
};

}  // namespace presso
