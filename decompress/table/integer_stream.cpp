// SPDX-License-Identifier: MIT
// IntegerStream either keeps one block packed and decodes or compares its vectors on demand, or,
// for files whose blocks are cut otherwise, decodes the slice's values at once and works on these.
#include "decompress/table/integer_stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "format/columns/column_block.h"

namespace presso {

void IntegerStream::open(const GroupReader& group, std::size_t column, ColumnStream stream,
                         Byte width_bytes, std::uint32_t first, std::uint32_t rows) {
  group_ = &group;
  column_ = column;
  stream_ = stream;
  width_bytes_ = width_bytes;
  first_ = first;
  rows_ = rows;
  state_ = State::kClosed;
}

// Scratch memory has room for two vectors, since one may be decoded while another is padded.
Status IntegerStream::load_block() {
  return without_bad_alloc([&]() -> Status {
    // Once a slice; the buffer is kept from slice to slice.
    scratch_.resize_discarding(2 * kVectorScratchBytes);
    const GroupReader::BlockRange range =
        group_->blocks_of(column_, stream_, first_, std::uint64_t{first_} + rows_);
    // Vectors of the slice must be vectors of the block, or nothing can stay packed.
    const bool is_one = range.end - range.first == 1;
    if (is_one && (first_ - group_->begin_of(range.first)) % kVectorRows == 0) {
      return read_block(range.first);
    }
    return read_values();
  });
}

/// Blocks of integers that are stored as bytes or in planes are decoded at once, as vectors cannot
/// be found in them.
Status IntegerStream::read_block(std::uint32_t block) {
  const BlockReader& blocks = group_->blocks();
  // Rows of the block before the slice.
  const auto skipped = static_cast<std::uint32_t>(first_ - group_->begin_of(block));
  PRESSO_TRY(blocks.read(block, stored_));
  if (BlockReader::is_whole(stored_.bytes())) {
    values_.resize_discarding(group_->directory().blocks[block].plain_bytes);
    PRESSO_TRY(blocks.decode_whole(block, width_bytes_, stored_, values_.data()));
    values_at_ = integer_bytes(width_bytes_, skipped);
    state_ = State::kValues;
    return {};
  }
  PRESSO_ASSIGN(packed_, blocks.open_integers(block, width_bytes_, stored_.bytes()));
  block_ = block;
  first_vector_ = skipped / kVectorRows;
  state_ = State::kPacked;
  return {};
}

// The general way: any number of blocks, at any offset.
Status IntegerStream::read_values() {
  const std::uint32_t bytes = integer_bytes(width_bytes_, rows_);
  values_.resize_discarding(bytes);
  if (width_bytes_ == 0) std::memset(values_.data(), 0, bytes);
  PRESSO_TRY(
      group_->decoder().read_stream(column_, stream_, width_bytes_, first_, rows_, values_.data()));
  values_at_ = 0;
  state_ = State::kValues;
  return {};
}

/// Finds and checks the vector. It may have more rows than the slice, if the block goes on.
Status IntegerStream::find(std::uint32_t vector, IntegerVector& found) {
  const std::uint32_t of_block = first_vector_ + vector;
  const ErrorCode code = find_integer_vector(packed_.parameters, packed_.payload, of_block, found);
  if (code == ErrorCode::kOk) return {};
  return group_->blocks().at_block(integer_vector_error(code, of_block), block_);
}

/// Where the values of a vector are. With `padded`, all 1,024 can be read, those after the last
/// are 0.
const Byte* IntegerStream::values_of(std::uint32_t vector, bool padded) {
  const Byte* const values =
      values_.data() + values_at_ + integer_bytes(width_bytes_, vector * kVectorRows);
  const std::uint32_t rows = vector_rows_of(vector);
  if (!padded || width_bytes_ == 0 || rows == kVectorRows) return values;
  std::memcpy(scratch_.data(), values, integer_bytes(width_bytes_, rows));
  const std::size_t used = integer_bytes(width_bytes_, rows);
  std::memset(scratch_.data() + used, 0, kVectorScratchBytes - used);
  return scratch_.data();
}

// `to` may receive the rows of the whole vector, hence its room for 1,024 values.
Status IntegerStream::decode(std::uint32_t vector, Byte* to) {
  PRESSO_TRY(load());
  const std::uint32_t rows = vector_rows_of(vector);
  const std::size_t bytes = integer_bytes(width_bytes_, rows);
  if (state_ == State::kValues) {
    std::memcpy(to, values_of(vector, false), bytes);
    return {};
  }
  IntegerVector found;
  PRESSO_TRY(find(vector, found));
  decode_integer_vector(packed_.parameters, found, to, group_->blocks().options().level);
  return {};
}

// Runs are known only where the block has stored them (kind 3).
Result<std::uint32_t> IntegerStream::decode_runs(std::uint32_t vector, std::uint32_t most, Byte* to,
                                                 std::uint64_t* starts) {
  PRESSO_TRY(load());
  if (state_ == State::kValues) return 0;
  IntegerVector found;
  PRESSO_TRY(find(vector, found));
  if (found.runs == 0 || found.runs > most) return 0;  // other kinds have none
  decode_integer_vector(packed_.parameters, runs_of(found), to, group_->blocks().options().level);
  std::memcpy(starts, found.words, kRunMapWords * 4);
  return found.runs;
}

// With several blocks it is not known which one has the value.
Error IntegerStream::at_block(Error error) const {
  const GroupReader::BlockRange range =
      group_->blocks_of(column_, stream_, first_, std::uint64_t{first_} + rows_);
  return range.end - range.first == 1 ? group_->blocks().at_block(std::move(error), range.first)
                                      : error;
}

// Packed values are compared without decoding them where that is possible (integer_filter.h).
Status IntegerStream::filter(std::uint32_t vector, const ValueTest& test, std::uint64_t* bits) {
  PRESSO_TRY(load());
  const CpuLevel level = group_->blocks().options().level;
  const std::uint32_t rows = vector_rows_of(vector);
  if (state_ == State::kValues) {
    filter_values(test, values_of(vector, true), rows, bits, level);
    return {};
  }
  IntegerVector found;
  PRESSO_TRY(find(vector, found));
  filter_integer_vector(packed_.parameters, found, test, bits, scratch_.data(), level);
  // The block's vector may go on past the slice.
  if (found.rows != rows) clear_behind(bits, rows);
  return {};
}

// Decoded values tell nothing without a look at them.
Result<Between> IntegerStream::between(std::uint32_t vector, const ValueTest& test) {
  PRESSO_TRY(load());
  if (state_ == State::kValues) {
    if (test.kind == ValueTest::Kind::kNone) return Between::kNone;
    return test.kind == ValueTest::Kind::kAll ? Between::kAll : Between::kSome;
  }
  IntegerVector found;
  PRESSO_TRY(find(vector, found));
  return vector_between(packed_.parameters, found, test);
}

// As filter(), with a set instead of bounds.
Status IntegerStream::filter_codes(std::uint32_t vector, const std::uint64_t* wanted,
                                   std::uint32_t codes, std::uint64_t* bits) {
  PRESSO_TRY(load());
  const CpuLevel level = group_->blocks().options().level;
  const std::uint32_t rows = vector_rows_of(vector);
  if (state_ == State::kValues) {
    presso::filter_codes(values_of(vector, true), rows, wanted, codes, bits, level);
    return {};
  }
  IntegerVector found;
  PRESSO_TRY(find(vector, found));
  filter_code_vector(packed_.parameters, found, wanted, codes, bits, scratch_.data(), level);
  if (found.rows != rows) clear_behind(bits, rows);
  return {};
}

}  // namespace presso
