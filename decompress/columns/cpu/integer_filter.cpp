// SPDX-License-Identifier: MIT
#include "decompress/columns/cpu/integer_filter.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "decompress/columns/cpu/integer_filter_kernels.h"
#include "format/columns/zone_image.h"

namespace presso {
namespace {

const FilterKernels& kernels(CpuLevel level) {
  (void)level;
  return kFilterPortable;
}

void fill(std::uint64_t* bits, bool value, std::uint32_t rows) {
  std::memset(bits, value ? 0xFF : 0, kVectorBits * sizeof *bits);
  clear_behind(bits, rows);
}

/// Where the values base + divisor * p lie, all p of a vector, in the order of the type.
struct PackedImages {
  std::uint64_t first = 0;
  std::uint64_t length = 0;  ///< of the last one, less the first
  std::uint32_t most = 0;    ///< the greatest p
  bool are_known = false;    ///< false: not packed in up to 32 bits, or they may wrap around
};

/// Numbers that are in the order of the type: bits of the value, the sign's flipped.
PackedImages images_of(const IntegerParameters& parameters, const IntegerVector& vector,
                       const ValueTest& test) {
  PackedImages images;
  if (vector.entry.kind != static_cast<Byte>(IntegerKind::kPacked) || vector.entry.width > 32) {
    return images;
  }
  const unsigned bits = 8u * test.width_bytes;
  const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t flip = test.is_signed ? greatest / 2 + 1 : 0;
  images.first = (vector.entry.base & greatest) ^ flip;
  images.most = static_cast<std::uint32_t>((std::uint64_t{1} << vector.entry.width) - 1);
  images.are_known =
      !__builtin_mul_overflow(parameters.divisor, std::uint64_t{images.most}, &images.length) &&
      images.length <= greatest - images.first;
  return images;
}

/// The bounds as numbers in the same order.
struct Bounds {
  std::uint64_t from;
  std::uint64_t to;
};

Bounds bounds_of(const ValueTest& test) {
  const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - 8u * test.width_bytes);
  const std::uint64_t flip = test.is_signed ? greatest / 2 + 1 : 0;
  const std::uint64_t from = (test.low & greatest) ^ flip;
  return {from, from + test.span};
}

Between compare(const PackedImages& images, const Bounds& bounds) {
  const std::uint64_t last = images.first + images.length;
  if (last < bounds.from || images.first > bounds.to) return Between::kNone;
  return images.first >= bounds.from && last <= bounds.to ? Between::kAll : Between::kSome;
}

/// The words of 1,024 packed values; those of a shorter vector with zeros behind them.
class FullWords {
 public:
  explicit FullWords(const IntegerVector& vector) : words_(vector.words) {
    if (vector.rows > kVectorRows - kLanes) return;
    const std::uint32_t width = vector.entry.width;
    const std::size_t bytes = std::size_t{4} * lane_words(vector.rows, width);
    std::memcpy(padded_, vector.words, bytes);
    std::memset(padded_ + bytes, 0, std::size_t{4} * kLanes * width - bytes);
    words_ = padded_;
  }
  const Byte* get() const { return words_; }

 private:
  const Byte* words_;
  Byte padded_[4 * kVectorRows];
};

/// Packed values between two of them.
void filter_packed(const IntegerVector& vector, std::uint32_t from, std::uint32_t to,
                   std::uint64_t* bits, CpuLevel level) {
  const FullWords words(vector);
  kernels(level).packed({words.get(), vector.entry.width, from, to - from}, bits);
}

void filter_packed_images(const IntegerParameters& parameters, const IntegerVector& vector,
                          const PackedImages& images, const Bounds& bounds, std::uint64_t* bits,
                          CpuLevel level) {
  switch (compare(images, bounds)) {
    case Between::kNone:
      return fill(bits, false, vector.rows);
    case Between::kAll:
      return fill(bits, true, vector.rows);
    default:
      break;
  }
  const std::uint64_t divisor = parameters.divisor;
  std::uint64_t from = bounds.from > images.first ? bounds.from - images.first : 0;
  std::uint64_t to = std::min(bounds.to - images.first, images.length);
  if (divisor != 1) {
    from = from == 0 ? 0 : (from - 1) / divisor + 1;
    to = to == images.length ? images.most : to / divisor;
  }
  if (from > to) return fill(bits, false, vector.rows);  // between two multiples
  filter_packed(vector, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to), bits,
                level);
  clear_behind(bits, vector.rows);
}

void patch_exceptions(const IntegerVector& vector, const ValueTest& test, std::uint64_t* bits) {
  const Byte* const rows = vector.words + 4 * exceptions_at(vector.entry, vector.rows);
  const Byte* const values = rows + 4 * exception_row_words(vector.entry.exceptions);
  for (std::uint32_t i = 0; i < vector.entry.exceptions; ++i) {
    const std::uint32_t row = load<std::uint16_t>(rows + 2 * i);
    const std::uint64_t bit = std::uint64_t{1} << (row % 64);
    const bool wanted = passes(test, load<std::uint64_t>(values + 8 * i));
    bits[row / 64] = wanted ? bits[row / 64] | bit : bits[row / 64] & ~bit;
  }
}

void filter_bools(const ValueTest& test, const Byte* values, std::uint32_t rows,
                  std::uint64_t* bits) {
  std::memset(bits, 0, kVectorBits * sizeof *bits);
  std::memcpy(bits, values, (rows + 7) / 8);
  const std::uint64_t flip = passes(test, 1) ? 0 : ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < kVectorBits; ++i) bits[i] ^= flip;
  clear_behind(bits, rows);
}

}  // namespace

void clear_behind(std::uint64_t* bits, std::uint32_t rows) {
  if (rows == kVectorRows) return;
  bits[rows / 64] &= (std::uint64_t{1} << (rows % 64)) - 1;
  std::fill(bits + rows / 64 + 1, bits + kVectorBits, 0);
}

Between vector_between(const IntegerParameters& parameters, const IntegerVector& vector,
                       const ValueTest& test) {
  if (test.kind == ValueTest::Kind::kNone) return Between::kNone;
  if (test.kind == ValueTest::Kind::kAll) return Between::kAll;
  if (test.kind != ValueTest::Kind::kInteger || test.width_bytes == 0 ||
      vector.entry.exceptions != 0) {
    return Between::kSome;
  }
  const PackedImages images = images_of(parameters, vector, test);
  return images.are_known ? compare(images, bounds_of(test)) : Between::kSome;
}

void filter_values(const ValueTest& test, const Byte* values, std::uint32_t rows,
                   std::uint64_t* bits, CpuLevel level) {
  if (test.kind == ValueTest::Kind::kNone) return fill(bits, false, rows);
  if (test.kind == ValueTest::Kind::kAll) return fill(bits, true, rows);
  if (test.width_bytes == 0) return filter_bools(test, values, rows, bits);
  if (test.kind == ValueTest::Kind::kInteger) {
    kernels(level).values({values, test.width_bytes, test.low, test.span}, bits);
  } else {
    kernels(level).reals({values, test.width_bytes, test.least, test.most, test.nan}, bits);
  }
  clear_behind(bits, rows);
}

void filter_integer_vector(const IntegerParameters& parameters, const IntegerVector& vector,
                           const ValueTest& test, std::uint64_t* bits, Byte* scratch,
                           CpuLevel level) {
  if (test.kind == ValueTest::Kind::kNone) return fill(bits, false, vector.rows);
  if (test.kind == ValueTest::Kind::kAll) return fill(bits, true, vector.rows);
  if (test.kind == ValueTest::Kind::kInteger && test.width_bytes != 0) {
    const PackedImages images = images_of(parameters, vector, test);
    if (images.are_known) {
      filter_packed_images(parameters, vector, images, bounds_of(test), bits, level);
      if (vector.entry.exceptions != 0) patch_exceptions(vector, test, bits);
      return;
    }
  }
  decode_integer_vector(parameters, vector, scratch, level);
  const std::size_t bytes = values_bytes(vector.rows, parameters.width_bytes);
  std::memset(scratch + bytes, 0, kVectorScratchBytes - bytes);
  filter_values(test, scratch, vector.rows, bits, level);
}

void filter_code_vector(const IntegerParameters& parameters, const IntegerVector& vector,
                        const std::uint64_t* wanted, std::uint32_t codes, std::uint64_t* bits,
                        Byte* scratch, CpuLevel level) {
  decode_integer_vector(parameters, vector, scratch, level);
  filter_codes(scratch, vector.rows, wanted, codes, bits);
}

void filter_codes(const Byte* values, std::uint32_t rows, const std::uint64_t* wanted,
                  std::uint32_t codes, std::uint64_t* bits) {
  std::memset(bits, 0, kVectorBits * sizeof *bits);
  for (std::uint32_t row = 0; row < rows; ++row) {
    const auto code = load<std::uint32_t>(values + 4 * row);
    if (code >= codes) continue;
    bits[row / 64] |= (wanted[code / 64] >> (code % 64) & 1) << (row % 64);
  }
}

}  // namespace presso
