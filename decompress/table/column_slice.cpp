// SPDX-License-Identifier: MIT
// ColumnSlice: each representation of a column has a stream class (integer_stream.h,
// byte_strings.h, token_stream.h); this one picks by representation, checks vector numbers and
// codes, and fills in columns that are entirely null.
#include "decompress/table/column_slice.h"

#include <algorithm>
#include <cstring>

namespace presso {
namespace {

Error not_for_this(const char* what) {
  return make_error(ErrorCode::kInvalidArgument, what);
}

/// Sets the first `rows` bits to `value`; others are 0.
void set_bits(std::uint64_t* bits, std::uint32_t rows, bool value) {
  std::fill_n(bits, kVectorBits, value ? ~std::uint64_t{0} : 0);
  clear_behind(bits, rows);
}

}  // namespace

/// Opens all streams that the representation may need; none reads anything yet.
void ColumnSlice::open(const GroupReader& group, std::size_t column, std::uint32_t first,
                       std::uint32_t rows) {
  group_ = &group;
  column_ = column;
  type_ = group.schema().columns[column].type;
  rows_ = rows;
  checked_codes_ = 0;
  validity_.open(group, column, ColumnStream::kValidity, 0, first, rows);
  // Codes of a dictionary take the place of values.
  const bool has_codes = representation() == Representation::kDictionary;
  values_.open(group, column, has_codes ? ColumnStream::kCodes : ColumnStream::kValues,
               has_codes ? Byte{4} : static_cast<Byte>(value_bytes(type_)), first, rows);
  tokens_.open(group, column, first, rows);
  bytes_.open(group, column, first, rows);
}

/// The bitmap is constant if no row, or every row, is null.
Status ColumnSlice::validity(std::uint32_t vector, std::uint64_t* bits) {
  if (vector >= vectors()) return not_for_this("there is no such vector");
  const ColumnChunk& chunk = group_->chunk(column_);
  const std::uint32_t rows = vector_rows_of(vector);
  if (chunk.nulls == 0 || chunk.nulls == group_->rows()) {
    set_bits(bits, rows, chunk.nulls == 0);
    return {};
  }
  // Decoders write past the last bit.
  Byte decoded[kVectorRows / 8 + Buffer::kSlack] = {};
  PRESSO_TRY(validity_.decode(vector, decoded));
  std::memcpy(bits, decoded, kVectorRows / 8);
  clear_behind(bits, rows);
  return {};
}

// What functions for numbers have in common.
Status ColumnSlice::check_numbers(std::uint32_t vector) const {
  if (vector >= vectors()) return not_for_this("there is no such vector");
  if (is_string(type_)) return not_for_this("strings are not numbers");
  return {};
}

// Bools are bits; a null column gives zeros.
Status ColumnSlice::numbers(std::uint32_t vector, void* to) {
  PRESSO_TRY(check_numbers(vector));
  auto* const bytes = static_cast<Byte*>(to);
  if (representation() != Representation::kNull) return values_.decode(vector, bytes);
  const std::uint32_t width = value_bytes(type_);
  std::memset(bytes, 0, width == 0 ? kVectorRows / 8 : std::size_t{kVectorRows} * width);
  return {};
}

// 0, not an error, where there are no runs: the caller then takes numbers().
Result<std::uint32_t> ColumnSlice::run_numbers(std::uint32_t vector, std::uint32_t most, void* to,
                                               std::uint64_t* starts) {
  PRESSO_TRY(check_numbers(vector));
  if (representation() == Representation::kNull) return 0;
  return values_.decode_runs(vector, most, static_cast<Byte*>(to), starts);
}

void ColumnSlice::spread_run_bits(std::uint32_t vector, const std::uint64_t* starts,
                                  const std::uint64_t* run_bits, std::uint64_t* bits) const {
  presso::spread_run_bits(reinterpret_cast<const Byte*>(starts), run_bits, vector_rows_of(vector),
                          bits, group_->blocks().options().level);
}

/// decimal128 is refused, since its images are only the high half and equal images may differ.
Status ColumnSlice::numbers_between(std::uint32_t vector, std::uint64_t least, std::uint64_t most,
                                    std::uint64_t* bits) {
  PRESSO_TRY(check_numbers(vector));
  if (type_ == ColumnType::kDecimal128) {
    return make_error(ErrorCode::kUnsupported, "images of decimal128 are cut");
  }
  // In a null column every value is 0.
  const ValueTest test = make_value_test(type_, least, most);
  if (representation() != Representation::kNull) return values_.filter(vector, test, bits);
  set_bits(bits, vector_rows_of(vector), passes(test, 0));
  return {};
}

// kSome is always right, so what is not known costs time only.
Result<Between> ColumnSlice::vector_between(std::uint32_t vector, std::uint64_t least,
                                            std::uint64_t most) {
  PRESSO_TRY(check_numbers(vector));
  if (type_ == ColumnType::kDecimal128 || representation() == Representation::kNull) {
    return Between::kSome;
  }
  return values_.between(vector, make_value_test(type_, least, most));
}

// Checked first, so that callers may index the dictionary by any code.
Status ColumnSlice::codes(std::uint32_t vector, std::uint32_t* to) {
  if (vector >= vectors()) return not_for_this("there is no such vector");
  if (representation() != Representation::kDictionary) return not_for_this("there are no codes");
  PRESSO_TRY(check_codes_of(vector));
  return values_.decode(vector, reinterpret_cast<Byte*>(to));
}

/// Checks a vector's codes once; what its entry tells often suffices, so codes are seldom
/// looked at.
Status ColumnSlice::check_codes_of(std::uint32_t vector) {
  if ((checked_codes_ >> vector & 1) != 0) return {};
  // A code is right if it lies below the number of entries.
  const ValueTest test = unsigned_test(4, 0, group_->chunk(column_).entries - 1);
  PRESSO_ASSIGN(const Between between, values_.between(vector, test));
  if (between != Between::kAll) {
    std::uint64_t right[kVectorBits];
    PRESSO_TRY(values_.filter(vector, test, right));
    std::uint64_t all[kVectorBits];
    set_bits(all, vector_rows_of(vector), true);
    if (std::memcmp(right, all, sizeof all) != 0) {
      return values_.at_block(make_error(ErrorCode::kBadRowGroup, "a code beyond the dictionary"));
    }
  }
  checked_codes_ |= std::uint64_t{1} << vector;
  return {};
}

// `wanted` has a bit for each entry of the dictionary.
Status ColumnSlice::codes_in(std::uint32_t vector, const std::uint64_t* wanted,
                             std::uint64_t* bits) {
  if (vector >= vectors()) return not_for_this("there is no such vector");
  if (representation() != Representation::kDictionary) return not_for_this("there are no codes");
  PRESSO_TRY(check_codes_of(vector));
  return values_.filter_codes(vector, wanted, group_->chunk(column_).entries, bits);
}

/// Rows of empty strings, for columns that are entirely null.
SliceText ColumnSlice::no_text(std::uint32_t rows) {
  static constexpr Byte kNothing[Buffer::kSlack] = {};
  no_offsets_.assign(std::size_t{rows} + 1, 0);
  return {{kNothing, 0}, no_offsets_.data(), rows};
}

// Strings of a dictionary are not text here: callers compare codes and look entries up once.
Result<SliceText> ColumnSlice::text() {
  if (!is_string(type_)) return not_for_this("numbers are not strings");
  switch (representation()) {
    case Representation::kToken:
      return tokens_.text();
    case Representation::kBytes:
      return bytes_.text();
    case Representation::kNull:
      return no_text(rows_);
    default:
      return not_for_this("strings of a dictionary");
  }
}

Result<SliceText> ColumnSlice::text(std::uint32_t vector) {
  if (!is_string(type_)) return not_for_this("numbers are not strings");
  if (vector >= vectors()) return not_for_this("there is no such vector");
  const std::uint32_t rows = vector_rows_of(vector);
  switch (representation()) {
    case Representation::kToken:
      return tokens_.text(vector * kVectorRows, rows);
    case Representation::kBytes:
      return bytes_.text(vector * kVectorRows, rows);
    case Representation::kNull:
      return no_text(rows);
    default:
      return not_for_this("strings of a dictionary");
  }
}

Result<SliceTokens> ColumnSlice::token_codes() {
  if (representation() != Representation::kToken) return not_for_this("there are no tokens");
  return tokens_.codes();
}

Result<SliceTokens> ColumnSlice::token_codes(std::uint32_t vector) {
  if (representation() != Representation::kToken) return not_for_this("there are no tokens");
  if (vector >= vectors()) return not_for_this("there is no such vector");
  return tokens_.codes(vector * kVectorRows, vector_rows_of(vector));
}

}  // namespace presso
