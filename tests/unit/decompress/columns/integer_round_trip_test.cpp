// SPDX-License-Identifier: MIT
// What the encoder of coding 4 (integers) writes comes back from every decoder, is the same at
// every CPU level, and takes the kind that the data call for.
#include <functional>

#include "compress/columns/integer_encoder.h"
#include "tests/unit/decompress/columns/integer_support.h"

namespace presso::integers::integer_round_trip_test {
namespace {

struct Encoded {
  IntegerParameters parameters;
  std::vector<Byte> payload;
  VectorEntry entry(std::uint32_t vector) const {
    return load_vector_entry(payload.data() + vector * kVectorEntryBytes);
  }
};

Encoded encode(const std::vector<Byte>& values, Byte width_bytes, bool is_signed, bool floating,
               std::uint32_t rows, const Byte* validity = nullptr) {
  Encoded result;
  for (const CpuLevel level : supported_cpu_levels()) {
    Buffer payload;
    payload.append(Bytes{reinterpret_cast<const Byte*>("ahead"), 5});
    const IntegerParameters parameters = encode_integers(values.data(), width_bytes, is_signed,
                                                         floating, rows, validity, payload, level);
    const Bytes added = payload.bytes().subspan(5);
    if (level != CpuLevel::kPortable) {
      EXPECT_EQ(parameters.divisor, result.parameters.divisor);
      EXPECT_TRUE(
          std::equal(added.begin(), added.end(), result.payload.begin(), result.payload.end()))
          << name(level);
    }
    result = {parameters, {added.begin(), added.end()}};
  }
  return result;
}

Encoded expect_round_trip(const std::vector<Byte>& values, Byte width_bytes, bool is_signed,
                          bool floating, std::uint32_t rows) {
  const Encoded encoded = encode(values, width_bytes, is_signed, floating, rows);
  const Decoded decoded = decode_everywhere(encoded.parameters, encoded.payload);
  EXPECT_EQ(decoded.code, ErrorCode::kOk);
  EXPECT_TRUE(decoded.values == values);
  return encoded;
}

template <class T>
Encoded expect_round_trip(const std::vector<T>& values) {
  std::vector<Byte> bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return expect_round_trip(bytes, sizeof(T), std::is_signed_v<T>, std::is_floating_point_v<T>,
                           static_cast<std::uint32_t>(values.size()));
}

template <class T>
std::vector<T> make(std::uint32_t rows, const std::function<T(std::uint32_t)>& value) {
  std::vector<T> values(rows);
  for (std::uint32_t i = 0; i < rows; ++i) values[i] = value(i);
  return values;
}

IntegerKind kind_of(const Encoded& encoded, std::uint32_t vector = 0) {
  return static_cast<IntegerKind>(encoded.entry(vector).kind);
}

template <class T>
class IntegerTypes : public ::testing::Test {};
using Types = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                               std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(IntegerTypes, Types);

TYPED_TEST(IntegerTypes, EveryWidthAndLengthComesBack) {
  std::mt19937_64 random(1);
  for (std::uint32_t width = 0; width <= 8 * sizeof(TypeParam); ++width) {
    for (const std::uint32_t rows : {1u, 31u, 32u, 33u, 1023u, 1024u, 1025u, 3000u}) {
      const std::uint64_t base = random();
      expect_round_trip<TypeParam>(make<TypeParam>(rows, [&](std::uint32_t) {
        return static_cast<TypeParam>(base + (random() & low_bits(width)));
      }));
    }
  }
}

TYPED_TEST(IntegerTypes, WholeBlocksComeBack) {
  std::mt19937_64 random(2);
  for (std::uint32_t width = 0; width <= 8 * sizeof(TypeParam); width += 3) {
    expect_round_trip<TypeParam>(make<TypeParam>(kMaxIntegerRows, [&](std::uint32_t) {
      return static_cast<TypeParam>(random() & low_bits(width));
    }));
  }
}

TYPED_TEST(IntegerTypes, ExtremesComeBack) {
  constexpr TypeParam kLeast = std::numeric_limits<TypeParam>::min();
  constexpr TypeParam kGreatest = std::numeric_limits<TypeParam>::max();
  for (const std::uint32_t rows : {1u, 2u, 33u, 64u, 1024u, 2000u}) {
    for (const std::uint32_t period : {1u, 2u, 3u, 32u, 33u, 1000u}) {
      for (const TypeParam other : {TypeParam{0}, TypeParam{3}, kGreatest}) {
        expect_round_trip<TypeParam>(make<TypeParam>(
            rows, [&](std::uint32_t i) { return i % period == 0 ? kLeast : other; }));
        expect_round_trip<TypeParam>(make<TypeParam>(
            rows, [&](std::uint32_t i) { return i / period % 2 == 0 ? kGreatest : other; }));
      }
    }
  }
}

TYPED_TEST(IntegerTypes, MixturesOfShapesComeBack) {
  std::mt19937_64 random(3);
  for (int round = 0; round < 300; ++round) {
    const auto rows = static_cast<std::uint32_t>(1 + random() % 4000);
    const auto shape = random() % 6;
    const auto width = static_cast<std::uint32_t>(random() % (8 * sizeof(TypeParam) + 1));
    const std::uint64_t factor = round % 3 == 0 ? 1 : random() % 1000 + 1;
    std::uint64_t value = random();
    expect_round_trip<TypeParam>(make<TypeParam>(rows, [&](std::uint32_t i) {
      const std::uint64_t noise = (random() & low_bits(width)) * factor;
      if (shape == 0) value = noise;
      if (shape == 1) value += noise;
      if (shape == 2) value += random() % 4 == 0 ? noise : 0;
      if (shape == 3) value = i * factor + (random() % 50 == 0 ? noise : 0);
      if (shape == 4) value = random() % 100 == 0 ? noise : 5 * factor;
      if (shape == 5) value = (i / 32 * 100 + i % 32 * 3) * factor;
      return static_cast<TypeParam>(value);
    }));
  }
}

TEST(IntegerChoice, RegularStepsTakeDelta32) {
  const auto keys = make<std::int64_t>(4096, [](std::uint32_t i) { return 32 * (i / 8) + i % 8; });
  const Encoded encoded = expect_round_trip(keys);
  EXPECT_EQ(kind_of(encoded), IntegerKind::kDelta32);
  EXPECT_LT(encoded.payload.size(), 4096u * 8 / 100);
}

TEST(IntegerChoice, WalksTakeDelta1) {
  std::mt19937_64 random(4);
  std::int64_t at = 0;
  const auto walk = make<std::int64_t>(
      4096, [&](std::uint32_t) { return at += static_cast<std::int64_t>(random() % 16); });
  EXPECT_EQ(kind_of(expect_round_trip(walk)), IntegerKind::kDelta1);
}

TEST(IntegerChoice, RepeatedKeysTakeRuns) {
  std::mt19937_64 random(5);
  std::int32_t at = 0;
  const auto keys = make<std::int32_t>(4096, [&](std::uint32_t) {
    return at += random() % 4 == 0 ? static_cast<std::int32_t>(random() % 5000) : 0;
  });
  EXPECT_EQ(kind_of(expect_round_trip(keys)), IntegerKind::kRuns);
}

TEST(IntegerChoice, HundredsAreDividedByAHundred) {
  std::mt19937_64 random(6);
  const auto quantities = make<std::int64_t>(
      5000, [&](std::uint32_t) { return static_cast<std::int64_t>(100 * (random() % 50 + 1)); });
  const Encoded encoded = expect_round_trip(quantities);
  EXPECT_EQ(encoded.parameters.divisor, 100u);
  EXPECT_EQ(encoded.entry(0).width, 6);
}

TEST(IntegerChoice, RareLargeOrSmallValuesBecomeExceptions) {
  for (const std::int64_t rare : {std::int64_t{1} << 40, -(std::int64_t{1} << 40)}) {
    std::mt19937_64 random(7);
    const auto values = make<std::int64_t>(1024, [&](std::uint32_t i) {
      return i == 0 || i == 500 || i == 1023 ? rare : static_cast<std::int64_t>(random() % 1000);
    });
    const Encoded encoded = expect_round_trip(values);
    EXPECT_EQ(kind_of(encoded), IntegerKind::kPacked);
    EXPECT_EQ(encoded.entry(0).width, 10);
    EXPECT_EQ(encoded.entry(0).exceptions, 3);
  }
}

TEST(IntegerChoice, ConstantVectorsTakeNoWords) {
  const Encoded encoded = expect_round_trip(std::vector<std::uint16_t>(65536, 513));
  EXPECT_EQ(encoded.payload.size(), 64 * kVectorEntryBytes);
}

TEST(IntegerChoice, WideIntegersComeBack) {
  std::mt19937_64 random(8);
  for (const std::uint32_t rows : {1u, 33u, 1024u, 5000u}) {
    for (std::uint32_t width = 0; width <= 128; width += 8) {
      std::vector<Byte> values;
      for (std::uint32_t i = 0; i < rows; ++i) {
        const bool is_negative = random() % 2 == 0;
        const std::uint64_t low = random() & low_bits(std::min(width, 64u));
        const std::uint64_t high = random() & low_bits(width < 64 ? 0 : width - 64);
        append_value(values, is_negative ? ~low : low);
        append_value(values, is_negative ? ~high : high);
      }
      expect_round_trip(values, 16, true, false, rows);
    }
  }
}

TEST(IntegerChoice, BoolsComeBackAndRareOnesAreExceptions) {
  std::mt19937_64 random(9);
  for (const std::uint32_t rows : {1u, 7u, 8u, 31u, 33u, 1024u, 1030u, 65536u}) {
    for (const std::uint32_t one_in : {1u, 2u, 300u, 100000u}) {
      for (const std::uint32_t flip : {0u, 1u}) {
        std::vector<Byte> bits((rows + 7) / 8);
        for (std::uint32_t i = 0; i < rows; ++i) {
          const std::uint32_t bit = (random() % one_in == 0 ? 1u : 0u) ^ flip;
          bits[i / 8] = static_cast<Byte>(bits[i / 8] | bit << (i % 8));
        }
        const Encoded encoded = expect_round_trip(bits, 0, false, false, rows);
        EXPECT_LE(encoded.payload.size(), vectors_of(rows) * 16 + (rows + 31) / 32 * 4);
        if (one_in == 1) {
          EXPECT_EQ(encoded.payload.size(), vectors_of(rows) * 16);
        }
      }
    }
  }
}

TEST(IntegerChoice, WhatStandsUnderANullCostsNothing) {
  std::mt19937_64 random(10);
  constexpr std::uint32_t kRows = 5000;
  std::vector<std::int64_t> values(kRows);
  std::vector<Byte> validity((kRows + 7) / 8);
  for (std::uint32_t i = 0; i < kRows; ++i) {
    const bool is_valid = i > 3 && random() % 3 != 0;
    values[i] =
        is_valid ? static_cast<std::int64_t>(random() % 16) : static_cast<std::int64_t>(random());
    validity[i / 8] = static_cast<Byte>(validity[i / 8] | (is_valid ? 1 : 0) << (i % 8));
  }
  std::vector<Byte> bytes(kRows * 8);
  std::memcpy(bytes.data(), values.data(), bytes.size());
  const Encoded encoded = encode(bytes, 8, true, false, kRows, validity.data());
  EXPECT_LT(encoded.payload.size(), kRows * 5 / 8 + 5 * 16);
  const Decoded decoded = decode_everywhere(encoded.parameters, encoded.payload);
  ASSERT_EQ(decoded.code, ErrorCode::kOk);
  for (std::uint32_t i = 0; i < kRows; ++i) {
    if ((validity[i / 8] >> (i % 8) & 1) == 0) continue;
    ASSERT_EQ(load<std::int64_t>(decoded.values.data() + 8 * i), values[i]);
  }
}

TEST(IntegerChoice, BlocksOfNullsComeToNothing) {
  const std::vector<Byte> noise(1000 * 16, 0xA5);
  const std::vector<Byte> validity(125, 0);
  for (const Byte width : {Byte{0}, Byte{1}, Byte{8}, Byte{16}}) {
    const Encoded encoded = encode(noise, width, true, false, 1000, validity.data());
    EXPECT_LE(encoded.payload.size(), 16u + 8);
    EXPECT_EQ(decode_everywhere(encoded.parameters, encoded.payload).code, ErrorCode::kOk);
  }
}

TEST(Doubles, DecimalsTakeAlp) {
  std::mt19937_64 random(11);
  const auto prices = make<double>(
      5000, [&](std::uint32_t) { return static_cast<double>(random() % 10000000) / 100; });
  const Encoded encoded = expect_round_trip(prices);
  EXPECT_EQ(kind_of(encoded), IntegerKind::kAlp);
  EXPECT_LT(encoded.payload.size(), 5000 * 8 * 26 / 64u);
}

TEST(Doubles, RealNumbersTakeAlpRd) {
  std::mt19937_64 random(12);
  std::uniform_real_distribution<double> distribution(-100, 100);
  const auto values = make<double>(5000, [&](std::uint32_t) { return distribution(random); });
  const Encoded encoded = expect_round_trip(values);
  EXPECT_EQ(kind_of(encoded), IntegerKind::kAlpRd);
  EXPECT_LT(encoded.payload.size(), 5000 * 8 * 58 / 64u);
}

TEST(Doubles, EveryKindOfDoubleComesBackBitForBit) {
  const double special[] = {0.0,
                            -0.0,
                            std::numeric_limits<double>::infinity(),
                            -std::numeric_limits<double>::infinity(),
                            std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::denorm_min(),
                            std::numeric_limits<double>::max(),
                            std::numeric_limits<double>::lowest(),
                            0.1,
                            1e300,
                            2251799813685248.0,
                            9007199254740993.0};
  std::mt19937_64 random(13);
  for (const std::uint32_t one_in : {1u, 4u, 100u}) {
    for (const std::uint32_t rows : {1u, 33u, 1024u, 4000u}) {
      expect_round_trip(make<double>(rows, [&](std::uint32_t) {
        if (random() % one_in == 0) return special[random() % std::size(special)];
        return static_cast<double>(random() % 100000) / 1000;
      }));
      expect_round_trip(
          make<double>(rows, [&](std::uint32_t) { return std::bit_cast<double>(random()); }));
      expect_round_trip(make<float>(rows, [&](std::uint32_t) {
        return std::bit_cast<float>(static_cast<std::uint32_t>(random() >> (random() % 33)));
      }));
    }
  }
}

TEST(DecodeIntegerVectors, GivesTheRowsOfTheseVectorsAlone) {
  std::mt19937_64 random(14);
  const auto values = make<std::int32_t>(
      5000, [&](std::uint32_t) { return static_cast<std::int32_t>(random() % 100000); });
  const Encoded encoded = expect_round_trip(values);
  for (std::uint32_t first = 0; first <= 5; ++first) {
    for (std::uint32_t count = 0; count <= 5 - first; ++count) {
      const std::uint32_t begin = first * 1024;
      const std::uint32_t rows = std::min(begin + count * 1024, 5000u) - std::min(begin, 5000u);
      std::vector<std::int32_t> part(rows);
      const MutableBytes into{reinterpret_cast<Byte*>(part.data()), 4 * part.size()};
      ASSERT_TRUE(
          decode_integer_vectors(encoded.parameters, encoded.payload, first, count, into).ok());
      EXPECT_TRUE(std::equal(part.begin(), part.end(), values.begin() + std::min(begin, 5000u)));
    }
  }
  std::vector<Byte> into(4 * 1024);
  EXPECT_EQ(code_of(decode_integer_vectors(encoded.parameters, encoded.payload, 5, 1, into)),
            ErrorCode::kInvalidArgument);
  EXPECT_EQ(code_of(decode_integer_vectors(encoded.parameters, encoded.payload, 4, 1, into)),
            ErrorCode::kInvalidArgument);
}

}  // namespace
}  // namespace presso::integers::integer_round_trip_test
