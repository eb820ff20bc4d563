// SPDX-License-Identifier: MIT
// Decides, for a vector and a test, on which form of the values the comparison runs: not at
// all, on packed bits, on runs, or on decoded values. The loops are in
// integer_filter_kernels.h. Tested by tests/unit/decompress/columns/integer_filter_test.cpp.
#include "decompress/columns/cpu/integer_filter.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "decompress/columns/cpu/alp_bounds.h"
#include "decompress/columns/cpu/integer_filter_kernels.h"
#include "format/columns/zone_image.h"
#include "format/cpu_loops.h"

namespace presso {
namespace {

/// Gives all rows the same bit.
void fill(std::uint64_t* bits, bool value, std::uint32_t rows) {
  std::memset(bits, value ? 0xFF : 0, kVectorBits * sizeof *bits);
  clear_behind(bits, rows);
}

bool is_kind(const IntegerVector& vector, IntegerKind kind) {
  return vector.entry.kind == static_cast<Byte>(kind);
}

/// Kinds 1 and 2, whose values need decoding unless their interval decides.
bool are_differences(const IntegerVector& vector) {
  return is_kind(vector, IntegerKind::kDelta1) || is_kind(vector, IntegerKind::kDelta32);
}

/// The values base + divisor * p of all possible p of a vector, as an interval in the order of
/// the type.
struct PackedImages {
  // `first` is the image of the value for p = 0; `length` is how far that for the greatest p is
  // from it.
  std::uint64_t first = 0;
  std::uint64_t length = 0;
  std::uint32_t most = 0;  ///< the greatest p
  bool are_known = false;  ///< false: packed in more than 32 bits, or the values may wrap around
};

/// Images: the bits of the value, with the sign flipped for signed types, so that their order
/// as unsigned numbers is that of the values.
PackedImages images_of(const IntegerParameters& parameters, const IntegerVector& vector,
                       const ValueTest& test) {
  PackedImages images;
  if (!is_kind(vector, IntegerKind::kPacked) || vector.entry.width > 32) return images;
  const unsigned bits = 8u * test.width_bytes;
  // The type's greatest image; flipping the top bit puts signed values in order.
  const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - bits);
  const std::uint64_t flip = test.is_signed ? greatest / 2 + 1 : 0;
  images.first = (vector.entry.base & greatest) ^ flip;
  images.most = static_cast<std::uint32_t>((std::uint64_t{1} << vector.entry.width) - 1);
  images.are_known =
      !__builtin_mul_overflow(parameters.divisor, std::uint64_t{images.most}, &images.length) &&
      images.length <= greatest - images.first;
  return images;
}

/// The test's bounds as images.
struct Bounds {
  std::uint64_t from;
  std::uint64_t to;
};

/// `from + span` cannot pass the greatest image: tests are made from two images in order.
Bounds bounds_of(const ValueTest& test) {
  const std::uint64_t greatest = ~std::uint64_t{0} >> (64 - 8u * test.width_bytes);
  const std::uint64_t flip = test.is_signed ? greatest / 2 + 1 : 0;
  const std::uint64_t from = (test.low & greatest) ^ flip;
  return {from, from + test.span};
}

/// What the vector's interval tells without looking at a value.
Between compare(const PackedImages& images, const Bounds& bounds) {
  const std::uint64_t last = images.first + images.length;
  if (last < bounds.from || images.first > bounds.to) return Between::kNone;
  return images.first >= bounds.from && last <= bounds.to ? Between::kAll : Between::kSome;
}

/// The words of 1,024 packed values; a shorter vector is copied and padded with zeros.
class FullWords {
 public:
  FullWords(const Byte* words, std::uint32_t rows, std::uint32_t width) : words_(words) {
    if (rows > kVectorRows - kLanes) return;
    const std::size_t bytes = std::size_t{4} * lane_words(rows, width);
    std::memcpy(padded_, words, bytes);
    std::memset(padded_ + bytes, 0, std::size_t{4} * kLanes * width - bytes);
    words_ = padded_;
  }
  const Byte* get() const { return words_; }

 private:
  const Byte* words_;
  Byte padded_[4 * kVectorRows];
};

/// Compares packed values, whose words begin at `packed`, with the range from `from` to `to`.
void filter_packed(const IntegerVector& vector, const Byte* packed, std::uint32_t from,
                   std::uint32_t to, std::uint64_t* bits, CpuLevel level) {
  const std::uint32_t width = vector.entry.width;
  const FullWords words(packed, vector.rows, width);
  loops_for<FilterKernels>(level).packed_range({words.get(), width, from, to - from}, bits);
  clear_behind(bits, vector.rows);
}

/// Moves the bounds into the domain of p: subtracts the base and divides by the divisor,
/// rounding inwards.
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
  // Distances from the first value, which divide into the packed numbers.
  std::uint64_t from = bounds.from > images.first ? bounds.from - images.first : 0;
  std::uint64_t to = std::min(bounds.to - images.first, images.length);
  if (divisor != 1) {
    from = from == 0 ? 0 : (from - 1) / divisor + 1;
    to = to == images.length ? images.most : to / divisor;
  }
  if (from > to) return fill(bits, false, vector.rows);  // between two multiples
  filter_packed(vector, vector.words, static_cast<std::uint32_t>(from),
                static_cast<std::uint32_t>(to), bits, level);
}

/// Sets the bits of exception rows to wanted(value).
template <class Wanted>
void patch_exceptions(const IntegerVector& vector, std::uint64_t* bits, const Wanted& wanted) {
  const Byte* const rows = vector.words + 4 * exceptions_at(vector.entry, vector.rows);
  const Byte* const values = rows + 4 * exception_row_words(vector.entry.exceptions);
  for (std::uint32_t i = 0; i < vector.entry.exceptions; ++i) {
    const std::uint32_t row = load<std::uint16_t>(rows + 2 * i);
    const std::uint64_t bit = std::uint64_t{1} << (row % 64);
    const bool is_wanted = wanted(load<std::uint64_t>(values + 8 * i));
    bits[row / 64] = is_wanted ? bits[row / 64] | bit : bits[row / 64] & ~bit;
  }
}

/// The first bit from `from` on that equals `value`; `end` if there is none before it.
std::uint64_t find_bit(const std::uint64_t* bits, std::uint64_t from, std::uint64_t end,
                       bool value) {
  if (from >= end) return end;
  const std::uint64_t flip = value ? 0 : ~std::uint64_t{0};
  std::uint64_t word = from / 64;
  std::uint64_t found = (bits[word] ^ flip) & ~std::uint64_t{0} << (from % 64);
  while (found == 0 && ++word <= (end - 1) / 64) found = bits[word] ^ flip;
  if (found == 0) return end;
  return std::min(end, 64 * word + static_cast<std::uint64_t>(std::countr_zero(found)));
}

/// Copies the bits [first, first + 2^width) of `wanted`, which has `size` bits, into the table
/// of a PackedSet, repeated as often as they fit.
void make_table(const std::uint64_t* wanted, std::uint64_t size, std::uint64_t first,
                std::uint32_t width, std::uint32_t* table) {
  // One bit for each packed number; numbers past the set stay 0.
  const std::uint32_t bits = 1u << width;
  const std::uint32_t words = (bits + 31) / 32;
  for (std::uint32_t i = 0; i < words; ++i) {
    const std::uint64_t at = first + 32 * i;
    std::uint64_t word = 0;
    if (at < size) {
      word = wanted[at / 64] >> (at % 64);
      if (at % 64 > 32 && (at / 64 + 1) * 64 < size) {
        word |= wanted[at / 64 + 1] << (64 - at % 64);
      }
      if (size - at < 32) word &= (std::uint64_t{1} << (size - at)) - 1;
    }
    table[i] = static_cast<std::uint32_t>(word);
  }
  for (std::uint32_t have = bits; have < 32; have *= 2) {
    table[0] = (table[0] & ((1u << have) - 1)) | table[0] << have;
  }
  for (std::uint32_t i = words; i < kSetWords; ++i) table[i] = table[i - words];
}

/// Tests packed codes base + p against the set `wanted`: as a range if the set bits are
/// adjacent, by a table in registers for narrow widths. False if neither applies.
bool filter_packed_codes(const IntegerVector& vector, const std::uint64_t* wanted,
                         std::uint32_t codes, std::uint64_t* bits, CpuLevel level) {
  const std::uint32_t width = vector.entry.width;
  // The codes that this vector can have at all, and the wanted ones among them.
  const std::uint64_t first = vector.entry.base;
  const std::uint64_t end = std::min<std::uint64_t>(codes, first + (std::uint64_t{1} << width));
  const std::uint64_t from = find_bit(wanted, first, end, true);
  if (from >= end) {
    fill(bits, false, vector.rows);
    return true;
  }
  const std::uint64_t to = find_bit(wanted, from, end, false);
  if (find_bit(wanted, to, end, true) == end) {  // a range
    if (width == 0) {
      fill(bits, true, vector.rows);
      return true;
    }
    filter_packed(vector, vector.words, static_cast<std::uint32_t>(from - first),
                  static_cast<std::uint32_t>(to - 1 - first), bits, level);
  } else {
    if (width > kMaxSetWidth) return false;
    std::uint32_t table[kSetWords];
    make_table(wanted, codes, first, width, table);
    const FullWords words(vector.words, vector.rows, width);
    loops_for<FilterKernels>(level).packed_set({words.get(), width, table}, bits);
  }
  clear_behind(bits, vector.rows);
  return true;
}

/// Compares doubles that were decimals as the integers that they are packed as. False where
/// that is not possible.
bool filter_alp(const IntegerVector& vector, const ValueTest& test, std::uint64_t* bits,
                CpuLevel level) {
  // NaNs are always exceptions, so packed values need no such test.
  const AlpBounds bounds = alp_bounds(vector, test.least, test.most);
  if (!bounds.are_known) return false;
  if (bounds.is_empty || vector.entry.width == 0) {
    fill(bits, !bounds.is_empty, vector.rows);
  } else {
    filter_packed(vector, vector.words + 4, bounds.from, bounds.to, bits, level);
  }
  patch_exceptions(vector, bits, [&](std::uint64_t value) { return passes(test, value); });
  return true;
}

// Bools are bits already: the result is a copy or its complement.
void filter_bools(const ValueTest& test, const Byte* values, std::uint32_t rows,
                  std::uint64_t* bits) {
  std::memset(bits, 0, kVectorBits * sizeof *bits);
  std::memcpy(bits, values, (rows + 7) / 8);
  const std::uint64_t flip = passes(test, 1) ? 0 : ~std::uint64_t{0};
  for (std::uint32_t i = 0; i < kVectorBits; ++i) bits[i] ^= flip;
  clear_behind(bits, rows);
}

}  // namespace

// Kernels always write 1,024 bits, of which short vectors have garbage at the end.
void clear_behind(std::uint64_t* bits, std::uint32_t rows) {
  if (rows == kVectorRows) return;
  bits[rows / 64] &= (std::uint64_t{1} << (rows % 64)) - 1;
  std::fill(bits + rows / 64 + 1, bits + kVectorBits, 0);
}

IntegerVector runs_of(const IntegerVector& vector) {
  IntegerVector runs = vector;
  runs.entry.kind = vector.entry.exceptions;
  runs.entry.exceptions = 0;
  runs.words += 4 * kRunMapWords;
  runs.rows = vector.runs;
  runs.runs = 0;
  return runs;
}

// O(rows / 64) words, whatever the number of runs.
void spread_run_bits(const Byte* map, const std::uint64_t* run_bits, std::uint32_t rows,
                     std::uint64_t* bits, CpuLevel level) {
  loops_for<FilterKernels>(level).spread_runs(map, run_bits, bits);
  clear_behind(bits, rows);
}

// Exceptions lie outside of the vector's interval, so with any of them only kSome is certain.
Between vector_between(const IntegerParameters& parameters, const IntegerVector& vector,
                       const ValueTest& test) {
  if (test.kind == ValueTest::Kind::kNone) return Between::kNone;
  if (test.kind == ValueTest::Kind::kAll) return Between::kAll;
  if (test.kind != ValueTest::Kind::kInteger || test.width_bytes == 0) return Between::kSome;
  if (is_kind(vector, IntegerKind::kRuns)) {
    return vector_between(parameters, runs_of(vector), test);
  }
  if (are_differences(vector)) return differences_between(parameters, vector, test);
  if (vector.entry.exceptions != 0) return Between::kSome;
  const PackedImages images = images_of(parameters, vector, test);
  return images.are_known ? compare(images, bounds_of(test)) : Between::kSome;
}

// Where all or no value can pass, nothing is compared; bools go their own way.
void filter_values(const ValueTest& test, const Byte* values, std::uint32_t rows,
                   std::uint64_t* bits, CpuLevel level) {
  if (test.kind == ValueTest::Kind::kNone) return fill(bits, false, rows);
  if (test.kind == ValueTest::Kind::kAll) return fill(bits, true, rows);
  if (test.width_bytes == 0) return filter_bools(test, values, rows, bits);
  if (test.kind == ValueTest::Kind::kInteger) {
    loops_for<FilterKernels>(level).value_range({values, test.width_bytes, test.low, test.span},
                                                bits);
  } else {
    loops_for<FilterKernels>(level).real_range(
        {values, test.width_bytes, test.least, test.most, test.nan}, bits);
  }
  clear_behind(bits, rows);
}

// The ways from the cheapest on: no test at all; one bit for each run; the interval of
// differences; packed integers; packed decimals; and last, decoding into scratch memory. Packed
// exceptions hold arbitrary bits and are compared one by one at the end.
void filter_integer_vector(const IntegerParameters& parameters, const IntegerVector& vector,
                           const ValueTest& test, std::uint64_t* bits, Byte* scratch,
                           CpuLevel level) {
  if (test.kind == ValueTest::Kind::kNone) return fill(bits, false, vector.rows);
  if (test.kind == ValueTest::Kind::kAll) return fill(bits, true, vector.rows);
  if (is_kind(vector, IntegerKind::kRuns)) {
    // One comparison for each run instead of each row.
    std::uint64_t runs[kVectorBits];
    filter_integer_vector(parameters, runs_of(vector), test, runs, scratch, level);
    return spread_run_bits(vector.words, runs, vector.rows, bits, level);
  }
  if (test.kind == ValueTest::Kind::kInteger && test.width_bytes != 0) {
    if (are_differences(vector)) {
      const Between between = differences_between(parameters, vector, test);
      if (between != Between::kSome) return fill(bits, between == Between::kAll, vector.rows);
    }
    const PackedImages images = images_of(parameters, vector, test);
    if (images.are_known) {
      filter_packed_images(parameters, vector, images, bounds_of(test), bits, level);
      patch_exceptions(vector, bits, [&](std::uint64_t value) { return passes(test, value); });
      return;
    }
  }
  if (is_kind(vector, IntegerKind::kAlp) && filter_alp(vector, test, bits, level)) return;
  decode_integer_vector(parameters, vector, scratch, level);
  const std::size_t bytes = values_bytes(vector.rows, parameters.width_bytes);
  std::memset(scratch + bytes, 0, kVectorScratchBytes - bytes);
  filter_values(test, scratch, vector.rows, bits, level);
}

// The fast way needs codes of at most 16 bits: the set has a bit for each, and find_bit() walks
// over it once a vector.
void filter_code_vector(const IntegerParameters& parameters, const IntegerVector& vector,
                        const std::uint64_t* wanted, std::uint32_t codes, std::uint64_t* bits,
                        Byte* scratch, CpuLevel level) {
  if (is_kind(vector, IntegerKind::kRuns)) {
    std::uint64_t runs[kVectorBits];
    filter_code_vector(parameters, runs_of(vector), wanted, codes, runs, scratch, level);
    return spread_run_bits(vector.words, runs, vector.rows, bits, level);
  }
  const bool is_packed = is_kind(vector, IntegerKind::kPacked) && vector.entry.width <= 16 &&
                         vector.entry.base < codes && parameters.divisor == 1;
  if (is_packed && filter_packed_codes(vector, wanted, codes, bits, level)) {
    patch_exceptions(vector, bits, [&](std::uint64_t value) {
      return value < codes && (wanted[value / 64] >> (value % 64) & 1) != 0;
    });
    return;
  }
  decode_integer_vector(parameters, vector, scratch, level);
  const std::size_t bytes = std::size_t{4} * vector.rows;
  std::memset(scratch + bytes, 0, kVectorScratchBytes - bytes);
  filter_codes(scratch, vector.rows, wanted, codes, bits, level);
}

// Codes past the set's size are not an error here: blocks are checked elsewhere.
void filter_codes(const Byte* values, std::uint32_t rows, const std::uint64_t* wanted,
                  std::uint32_t codes, std::uint64_t* bits, CpuLevel level) {
  loops_for<FilterKernels>(level).value_set({values, wanted, codes}, bits);
  clear_behind(bits, rows);
}

}  // namespace presso
