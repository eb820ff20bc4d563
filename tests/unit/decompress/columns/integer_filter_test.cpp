// SPDX-License-Identifier: MIT
// Comparing vectors of integers without decoding them gives what comparing the decoded values one
// by one does: for every kind, width, divisor and number of rows, at every level of CPU.
#include "decompress/columns/cpu/integer_filter.h"

#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "format/columns/zone_image.h"
#include "tests/unit/decompress/columns/integer_support.h"

namespace presso::integers::integer_filter_test {
namespace {

using Bits = std::array<std::uint64_t, kVectorBits>;

/// A block of one vector, with its decoded values as 64-bit numbers.
struct Block {
  IntegerParameters parameters;
  std::vector<Byte> payload;
  std::vector<std::uint64_t> values;  ///< sign-extended where signed
};

std::uint64_t extended(std::uint64_t value, Byte width_bytes, bool is_signed) {
  if (width_bytes == 8) return value;
  const std::uint64_t mask = low_bits(8u * width_bytes);
  const bool negative = is_signed && (value >> (8 * width_bytes - 1) & 1) != 0;
  return negative ? value | ~mask : value & mask;
}

Block finish(const IntegerParameters& parameters, const VectorEntry& entry,
             const WordWriter& words) {
  BlockBuilder builder;
  builder.add(entry, words);
  Block block{parameters, builder.payload(), {}};
  std::vector<Byte> decoded(values_bytes(parameters.rows, parameters.width_bytes));
  const Status done = reference_decode_integers(parameters, block.payload, decoded);
  EXPECT_TRUE(done.ok()) << done.error().message();
  for (std::uint32_t row = 0; row < parameters.rows; ++row) {
    std::uint64_t value = 0;
    std::memcpy(&value, decoded.data() + row * parameters.width_bytes, parameters.width_bytes);
    block.values.push_back(extended(value, parameters.width_bytes, parameters.is_signed));
  }
  return block;
}

struct Shape {
  Byte width_bytes;
  bool is_signed;
  std::uint32_t rows;
  std::uint32_t width;
  std::uint64_t base;
  std::uint64_t divisor;
  std::uint32_t exceptions = 0;
};

std::vector<std::uint64_t> random_packed(std::uint32_t rows, std::uint32_t width,
                                         std::mt19937_64& random) {
  std::vector<std::uint64_t> packed(rows);
  for (std::uint64_t& value : packed) {
    value = random() % 8 == 0 ? low_bits(width) : random() & low_bits(width);
    if (random() % 8 == 0) value = 0;
  }
  return packed;
}

Block packed_block(const Shape& shape, std::mt19937_64& random) {
  WordWriter words;
  words.packed(random_packed(shape.rows, shape.width, random), shape.width);
  std::vector<std::uint16_t> places;
  for (std::uint32_t i = 0; i < shape.exceptions; ++i) {
    places.push_back(static_cast<std::uint16_t>(i * (shape.rows / shape.exceptions)));
  }
  words.halves(places);
  for (std::uint32_t i = 0; i < shape.exceptions; ++i) words.two(random());
  VectorEntry entry;
  entry.width = static_cast<Byte>(shape.width);
  entry.base = shape.base;
  entry.exceptions = static_cast<Byte>(shape.exceptions);
  return finish({shape.width_bytes, shape.is_signed, false, shape.rows, shape.divisor}, entry,
                words);
}

ColumnType integer_type(Byte width_bytes, bool is_signed) {
  const auto log2 = static_cast<Byte>(std::countr_zero(width_bytes));
  const ColumnType first = is_signed ? ColumnType::kInt8 : ColumnType::kUint8;
  return static_cast<ColumnType>(static_cast<Byte>(first) + log2);
}

std::uint64_t image(std::uint64_t value, bool is_signed) {
  return is_signed ? value ^ kTopBit : value;
}

/// Runs `filter` at every level and compares with `wanted` of each row.
template <class Filter, class Wanted>
void expect_bits(const Block& block, const Filter& filter, const Wanted& wanted) {
  const ExactBlock exact(block.payload);
  IntegerVector vector;
  ASSERT_EQ(find_integer_vector(block.parameters, exact.bytes(), 0, vector), ErrorCode::kOk);
  std::vector<Byte> scratch(kVectorScratchBytes);
  for (const CpuLevel level : supported_cpu_levels()) {
    Bits bits;
    bits.fill(0x5555555555555555);
    filter(vector, bits.data(), scratch.data(), level);
    for (std::uint32_t row = 0; row < kVectorRows; ++row) {
      const bool is = (bits[row / 64] >> (row % 64) & 1) != 0;
      const bool should = row < block.values.size() && wanted(block.values[row]);
      ASSERT_EQ(is, should) << name(level) << ", row " << row;
    }
  }
}

void compare(const Block& block, ColumnType type, std::uint64_t least, std::uint64_t most) {
  const ValueTest test = make_value_test(type, least, most);
  const bool is_signed = block.parameters.is_signed;
  const auto wanted = [&](std::uint64_t value) {
    return least <= image(value, is_signed) && image(value, is_signed) <= most;
  };
  expect_bits(
      block,
      [&](const IntegerVector& vector, std::uint64_t* bits, Byte* scratch, CpuLevel level) {
        filter_integer_vector(block.parameters, vector, test, bits, scratch, level);
        const Between between = vector_between(block.parameters, vector, test);
        for (const std::uint64_t value : block.values) {
          if (between == Between::kSome) break;
          ASSERT_EQ(wanted(value), between == Between::kAll);
        }
      },
      wanted);
}

void compare_with_bounds_of_all_sorts(const Block& block, std::mt19937_64& random) {
  const Byte width_bytes = block.parameters.width_bytes;
  const bool is_signed = block.parameters.is_signed;
  const ColumnType type = integer_type(width_bytes, is_signed);
  const std::uint64_t greatest = low_bits(8u * width_bytes);
  const std::uint64_t first = is_signed ? kTopBit - greatest / 2 - 1 : 0;
  const auto some = [&] {
    const std::uint64_t value = block.values[random() % block.values.size()];
    return image(value, is_signed) + random() % 3 - 1;
  };
  compare(block, type, 0, ~std::uint64_t{0});
  compare(block, type, first, first);
  compare(block, type, first + 1, first + greatest - 1);
  compare(block, type, first + greatest, first + greatest);
  compare(block, type, first, some());
  compare(block, type, some(), ~std::uint64_t{0});
  for (int i = 0; i < 3 && !testing::Test::HasFailure(); ++i) {
    std::uint64_t a = some();
    std::uint64_t b = some();
    if (a > b) std::swap(a, b);
    compare(block, type, a, b);
  }
}

TEST(IntegerFilter, ComparesPackedValuesOfEveryWidth) {
  std::mt19937_64 random(1);
  for (const Byte width_bytes : {Byte{1}, Byte{2}, Byte{4}, Byte{8}}) {
    for (std::uint32_t width = 0; width <= 8u * width_bytes; ++width) {
      for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{5}, ~std::uint64_t{0} - 20,
                                       random(), std::uint64_t{1} << (8 * width_bytes - 1)}) {
        const bool is_signed = random() % 2 == 0;
        compare_with_bounds_of_all_sorts(
            packed_block({width_bytes, is_signed, 1024, width, base, 1}, random), random);
        ASSERT_FALSE(HasFailure()) << int{width_bytes} << " " << width << " " << base;
      }
    }
  }
}

TEST(IntegerFilter, ComparesAnyNumberOfRows) {
  std::mt19937_64 random(2);
  for (const std::uint32_t rows : {1u, 31u, 32u, 33u, 63u, 64u, 65u, 500u, 992u, 993u, 1023u}) {
    for (std::uint32_t width = 0; width <= 40; width += 1 + width / 13) {
      compare_with_bounds_of_all_sorts(packed_block({8, true, rows, width, 17, 1}, random), random);
      ASSERT_FALSE(HasFailure()) << rows << " " << width;
    }
  }
}

TEST(IntegerFilter, ComparesMultiplesOfADivisor) {
  std::mt19937_64 random(3);
  const std::uint64_t divisors[] = {
      2, 3, 100, 65537, (1u << 31) + 1, std::uint64_t{1} << 60, ~std::uint64_t{0}};
  for (const std::uint64_t divisor : divisors) {
    for (const std::uint32_t width : {1u, 4u, 8u, 13u, 31u, 32u}) {
      for (const Byte width_bytes : {Byte{1}, Byte{4}, Byte{8}}) {
        if (width > 8u * width_bytes) continue;
        for (const std::uint64_t base : {std::uint64_t{0}, std::uint64_t{100}, random()}) {
          compare_with_bounds_of_all_sorts(
              packed_block({width_bytes, random() % 2 == 0, 1024, width, base, divisor}, random),
              random);
          ASSERT_FALSE(HasFailure()) << divisor << " " << width << " " << int{width_bytes};
        }
      }
    }
  }
}

TEST(IntegerFilter, ComparesExceptions) {
  std::mt19937_64 random(4);
  for (const std::uint32_t width : {0u, 1u, 7u, 16u, 33u}) {
    for (const std::uint32_t exceptions : {1u, 2u, 30u, 255u}) {
      compare_with_bounds_of_all_sorts(
          packed_block({8, true, 1000, width, 3, 1, exceptions}, random), random);
      compare_with_bounds_of_all_sorts(
          packed_block({4, false, 300, width % 32, 3, 1, exceptions}, random), random);
      ASSERT_FALSE(HasFailure()) << width << " " << exceptions;
    }
  }
}

struct DifferencesShape {
  bool by_lanes;
  std::uint32_t rows;
  Byte width_bytes;
  bool is_signed;
  std::uint64_t first;
  std::uint64_t base;
  std::uint32_t width;
  std::uint64_t divisor = 1;
};

Block differences_block(const DifferencesShape& shape, std::mt19937_64& random) {
  WordWriter words;
  words.two(shape.first);
  VectorEntry entry;
  entry.kind = static_cast<Byte>(shape.by_lanes ? IntegerKind::kDelta32 : IntegerKind::kDelta1);
  if (shape.by_lanes) {
    entry.width2 = 6;
    words.consecutive(random_packed(std::min(shape.rows, 32u), 6, random), 6);
  }
  words.packed(random_packed(shape.rows, shape.width, random), shape.width);
  entry.width = static_cast<Byte>(shape.width);
  entry.base = shape.base;
  return finish({shape.width_bytes, shape.is_signed, false, shape.rows, shape.divisor}, entry,
                words);
}

Block delta_block(std::uint32_t rows, std::uint64_t first, std::mt19937_64& random) {
  return differences_block({false, rows, 4, true, first, 0, 5}, random);
}

TEST(IntegerFilter, ComparesDifferences) {
  std::mt19937_64 random(5);
  const std::uint64_t firsts[] = {0, 100, 0x7FFFFF00, ~std::uint64_t{0} - 50, random()};
  const std::uint64_t bases[] = {0, 3, ~std::uint64_t{0} - 9, random()};
  for (const std::uint32_t rows : {1u, 31u, 33u, 100u, 1024u}) {
    for (const Byte width_bytes : {Byte{1}, Byte{4}, Byte{8}}) {
      for (const std::uint64_t first : firsts) {
        for (const std::uint64_t base : bases) {
          const bool is_signed = random() % 2 == 0;
          const bool by_lanes = random() % 2 == 0;
          const std::uint64_t divisor = random() % 3 == 0 ? 1 + random() % 1000 : 1;
          compare_with_bounds_of_all_sorts(
              differences_block({by_lanes, rows, width_bytes, is_signed, first, base, 5, divisor},
                                random),
              random);
          ASSERT_FALSE(HasFailure())
              << rows << " " << int{width_bytes} << " " << first << " " << base << " " << divisor;
        }
      }
    }
  }
}

TEST(IntegerFilter, KnowsWhereSortedValuesLieByTheirEntry) {
  std::mt19937_64 random(11);
  for (const bool by_lanes : {false, true}) {
    const Block block = differences_block({by_lanes, 1024, 4, true, 1000, 0, 4}, random);
    IntegerVector vector;
    ASSERT_EQ(find_integer_vector(block.parameters, block.payload, 0, vector), ErrorCode::kOk);
    const auto between = [&](std::int64_t least, std::int64_t most) {
      return vector_between(
          block.parameters, vector,
          make_value_test(ColumnType::kInt32, signed_image(least), signed_image(most)));
    };
    EXPECT_EQ(between(0, 999), Between::kNone);
    EXPECT_EQ(between(1000 + 1023 * 15 + 64, 1 << 20), Between::kNone);
    EXPECT_EQ(between(1000, 1000 + 1023 * 15 + 64), Between::kAll);
    EXPECT_EQ(between(1001, 1 << 20), Between::kSome);
  }
}

/// A map of runs that begin at random, and where they do.
std::vector<std::uint32_t> random_map(std::uint32_t rows, std::uint32_t length,
                                      std::mt19937_64& random) {
  std::vector<std::uint32_t> map(kRunMapWords);
  map[0] = 1;
  for (std::uint32_t row = 1; row < rows; ++row) {
    if (random() % length == 0) map[row / 32] |= 1u << (row % 32);
  }
  return map;
}

Block runs_block(std::uint32_t rows, std::uint32_t length, std::uint32_t width, Byte width_bytes,
                 std::mt19937_64& random) {
  WordWriter words;
  words.words = random_map(rows, length, random);
  std::uint32_t runs = 0;
  for (const std::uint32_t word : words.words) {
    runs += static_cast<std::uint32_t>(std::popcount(word));
  }
  words.packed(random_packed(runs, width, random), width);
  VectorEntry entry;
  entry.kind = static_cast<Byte>(IntegerKind::kRuns);
  entry.width = static_cast<Byte>(width);
  entry.base = 7;
  return finish({width_bytes, false, false, rows, 1}, entry, words);
}

TEST(IntegerFilter, ComparesRuns) {
  std::mt19937_64 random(6);
  for (const std::uint32_t rows : {1u, 64u, 65u, 700u, 1024u}) {
    for (const std::uint32_t length : {1u, 2u, 5u, 64u, 300u}) {
      compare_with_bounds_of_all_sorts(runs_block(rows, length, 1, 4, random), random);
      compare_with_bounds_of_all_sorts(runs_block(rows, length, 20, 8, random), random);
      ASSERT_FALSE(HasFailure()) << rows << " " << length;
    }
  }
}

TEST(IntegerFilter, ComparesRealNumbersAsImagesDo) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const std::vector<double> special = {0.0,
                                       -0.0,
                                       kNan,
                                       -kNan,
                                       kInfinity,
                                       -kInfinity,
                                       1.0,
                                       -1.0,
                                       1e-310,
                                       -1e-310,
                                       5e-324,
                                       -5e-324,
                                       1e300,
                                       -1e300,
                                       3.5e38,
                                       -3.5e38,
                                       std::numeric_limits<float>::max(),
                                       1e-46};
  std::mt19937_64 random(7);
  for (const bool is_float : {false, true}) {
    WordWriter words;
    Block block{{Byte{is_float ? Byte{4} : Byte{8}}, true, true, 1024, 1}, {}, {}};
    std::vector<double> numbers;
    std::vector<std::uint64_t> packed;
    for (std::uint32_t row = 0; row < 1024; ++row) {
      const double number = random() % 2 == 0 ? special[random() % special.size()]
                                              : static_cast<double>(random() % 1000) / 8 - 60;
      const auto narrow = static_cast<float>(std::clamp(number, -3.4e38, 3.4e38));
      numbers.push_back(is_float ? double{std::isnan(number) ? static_cast<float>(number) : narrow}
                                 : number);
      packed.push_back(is_float ? std::bit_cast<std::uint32_t>(static_cast<float>(numbers.back()))
                                : std::bit_cast<std::uint64_t>(number));
      block.values.push_back(row);
    }
    words.packed(packed, is_float ? 32 : 64);
    VectorEntry entry;
    entry.width = is_float ? 32 : 64;
    BlockBuilder builder;
    builder.add(entry, words);
    block.payload = builder.payload();
    std::vector<std::uint64_t> bounds = {
        0, 1, kTopBit - 1, kTopBit, kTopBit + 1, ~std::uint64_t{0}, ~std::uint64_t{0} - 1};
    for (const double number : special) {
      if (std::isnan(number)) continue;
      for (const std::uint64_t near : {0u, 1u, 2u}) {
        bounds.push_back(double_image(number) + near - 1);
      }
    }
    for (const std::uint64_t least : bounds) {
      for (const std::uint64_t most : bounds) {
        const ValueTest test =
            make_value_test(is_float ? ColumnType::kFloat : ColumnType::kDouble, least, most);
        expect_bits(
            block,
            [&](const IntegerVector& vector, std::uint64_t* bits, Byte* scratch, CpuLevel level) {
              filter_integer_vector(block.parameters, vector, test, bits, scratch, level);
            },
            [&](std::uint64_t row) {
              const double number = numbers[row];
              if (std::isnan(number)) return most == ~std::uint64_t{0};
              return least <= double_image(number) && double_image(number) <= most;
            });
        ASSERT_FALSE(HasFailure()) << is_float << " " << least << " " << most;
      }
    }
  }
}

Block alp_block(std::uint32_t rows, std::uint32_t width, std::uint64_t base, Byte e, Byte f,
                std::uint32_t exceptions, std::mt19937_64& random) {
  WordWriter words;
  words.words.push_back(e | std::uint32_t{f} << 8);
  words.packed(random_packed(rows, width, random), width);
  std::vector<std::uint16_t> places;
  for (std::uint32_t i = 0; i < exceptions; ++i) places.push_back(static_cast<std::uint16_t>(i));
  words.halves(places);
  for (std::uint32_t i = 0; i < exceptions; ++i) words.two(random());
  VectorEntry entry;
  entry.kind = static_cast<Byte>(IntegerKind::kAlp);
  entry.width = static_cast<Byte>(width);
  entry.base = base;
  entry.exceptions = static_cast<Byte>(exceptions);
  return finish({8, true, true, rows, 1}, entry, words);
}

std::uint64_t image_of_double(std::uint64_t bits) {
  const auto number = std::bit_cast<double>(bits);
  return std::isnan(number) ? ~std::uint64_t{0} : double_image(number);
}

void compare_doubles(const Block& block, std::uint64_t least, std::uint64_t most) {
  const ValueTest test = make_value_test(ColumnType::kDouble, least, most);
  expect_bits(
      block,
      [&](const IntegerVector& vector, std::uint64_t* bits, Byte* scratch, CpuLevel level) {
        filter_integer_vector(block.parameters, vector, test, bits, scratch, level);
      },
      [&](std::uint64_t value) {
        const std::uint64_t of_value = image_of_double(value);
        if (of_value == ~std::uint64_t{0}) return most == of_value;
        return least <= of_value && of_value <= most;
      });
}

TEST(IntegerFilter, ComparesDoublesThatWereDecimals) {
  std::mt19937_64 random(10);
  for (const std::uint32_t width : {0u, 1u, 7u, 20u, 32u, 40u, 62u}) {
    for (int round = 0; round < 12; ++round) {
      const auto e = static_cast<Byte>(random() % 19);
      const auto f = static_cast<Byte>(random() % (round % 4 == 0 ? 19 : e + 1u));
      const std::uint64_t bases[] = {0, std::uint64_t{0} - 1000, random() >> 20, random()};
      const std::uint32_t rows = round % 3 == 0 ? 700 : 1024;
      const Block block =
          alp_block(rows, width, bases[round % 4], e, f, round % 2 == 0 ? 0 : 5, random);
      const auto near = [&] {
        const std::uint64_t value = block.values[random() % rows];
        const std::uint64_t of_value = image_of_double(value);
        return of_value == ~std::uint64_t{0} ? of_value : of_value + random() % 3 - 1;
      };
      for (int i = 0; i < 6; ++i) {
        const std::uint64_t a = near();
        const std::uint64_t b = near();
        compare_doubles(block, std::min(a, b), std::max(a, b));
        compare_doubles(block, a, a);
      }
      compare_doubles(block, 0, near());
      compare_doubles(block, near(), ~std::uint64_t{0});
      compare_doubles(block, double_image(-1e300), double_image(1e300));
      compare_doubles(block, double_image(1e300), ~std::uint64_t{0});
      ASSERT_FALSE(HasFailure()) << width << " " << int{e} << " " << int{f} << " " << round;
    }
  }
}

void look_up(const Block& block, std::uint32_t codes, const std::vector<std::uint64_t>& wanted) {
  const ExactBlock exact({reinterpret_cast<const Byte*>(wanted.data()), wanted.size() * 8});
  const auto* set = reinterpret_cast<const std::uint64_t*>(exact.data.get());
  expect_bits(
      block,
      [&](const IntegerVector& vector, std::uint64_t* bits, Byte* scratch, CpuLevel level) {
        filter_code_vector(block.parameters, vector, set, codes, bits, scratch, level);
      },
      [&](std::uint64_t code) {
        return code < codes && (wanted[code / 64] >> (code % 64) & 1) != 0;
      });
}

std::vector<std::uint64_t> random_set(std::uint32_t codes, std::uint32_t one_of,
                                      std::mt19937_64& random) {
  std::vector<std::uint64_t> set((codes + 63) / 64);
  for (std::uint32_t code = 0; code < codes; ++code) {
    if (random() % one_of == 0) set[code / 64] |= std::uint64_t{1} << (code % 64);
  }
  return set;
}

TEST(IntegerFilter, LooksCodesUp) {
  std::mt19937_64 random(8);
  for (std::uint32_t width = 0; width <= 17; ++width) {
    for (const std::uint32_t rows : {33u, 1000u, 1024u}) {
      for (const std::uint32_t base : {0u, 1u, 40u, 63u, 3000u}) {
        // Codes beyond the dictionary are not wanted.
        const auto codes =
            static_cast<std::uint32_t>(base + 1 + random() % (std::uint64_t{1} << width));
        for (const std::uint32_t exceptions : {0u, 3u}) {
          const Block block = packed_block({4, false, rows, width, base, 1, exceptions}, random);
          for (const std::uint32_t one_of : {1u, 2u, 30u, 1u << 30}) {
            look_up(block, codes, random_set(codes, one_of, random));
          }
          std::vector<std::uint64_t> range((codes + 63) / 64);
          for (std::uint32_t code = codes / 3; code <= codes - codes / 4 - 1; ++code) {
            range[code / 64] |= std::uint64_t{1} << (code % 64);
          }
          look_up(block, codes, range);
          ASSERT_FALSE(HasFailure()) << width << " " << rows << " " << base << " " << codes;
        }
      }
    }
  }
}

TEST(IntegerFilter, LooksCodesOfOtherKindsUp) {
  std::mt19937_64 random(9);
  const auto set = random_set(20000, 2, random);
  look_up(packed_block({4, false, 1024, 8, 3, 7}, random), 20000, set);
  look_up(delta_block(1024, 100, random), 20000, set);
  look_up(runs_block(1000, 3, 6, 4, random), 20000, set);
  look_up(runs_block(1000, 3, 14, 4, random), 20000, set);
}

}  // namespace
}  // namespace presso::integers::integer_filter_test
