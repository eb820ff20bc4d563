// SPDX-License-Identifier: MIT
// Blocks of coding 6 (planes): what the encoder writes comes back, takes the form that the values
// call for, and damage of any kind gives an error or other values, never a read or write outside.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

#include "compress/columns/plane_encoder.h"
#include "decompress/columns/cpu/plane_decoder.h"
#include "format/columns/wire_reader.h"

namespace presso::plane_round_trip_test {
namespace {

constexpr std::size_t kNoLimit = 16 << 20;

template <class T>
ColumnBlockHeader header_of(std::size_t rows) {
  ColumnBlockHeader header;
  header.coding = Coding::kPlanes;
  header.width_bytes = sizeof(T);
  header.is_signed = std::is_signed_v<T>;
  header.floating = std::is_floating_point_v<T>;
  header.count = static_cast<std::uint32_t>(rows);
  header.plain_bytes = integer_bytes(header.width_bytes, header.count);
  return header;
}

template <class T>
Buffer encoded(const std::vector<T>& values, std::uint64_t divisor = 1,
               const Byte* validity = nullptr) {
  BlockEncoder bytes(parameters_of(CompressOptions{}));
  PlaneEncoder encoder;
  Buffer payload;
  const PlaneInput input{reinterpret_cast<const Byte*>(values.data()),
                         validity,
                         sizeof(T),
                         std::is_signed_v<T>,
                         std::is_floating_point_v<T>,
                         static_cast<std::uint32_t>(values.size()),
                         divisor};
  EXPECT_TRUE(encoder.encode(input, {kNoLimit}, bytes, payload));
  return payload;
}

template <class T>
Status decoded(Bytes payload, std::size_t rows, std::vector<T>& values) {
  Buffer with_slack;
  with_slack.append(payload);
  values.assign(rows, T{});
  return decode_planes(header_of<T>(rows), with_slack.bytes(), {},
                       reinterpret_cast<Byte*>(values.data()));
}

template <class T>
Byte expect_round_trip(const std::vector<T>& values, std::uint64_t divisor = 1) {
  const Buffer payload = encoded(values, divisor);
  std::vector<T> back;
  const Status status = decoded(payload.bytes(), values.size(), back);
  EXPECT_TRUE(status.ok());
  EXPECT_EQ(std::memcmp(back.data(), values.data(), values.size() * sizeof(T)), 0);
  return payload.data()[0];
}

template <class T>
class PlaneTypes : public ::testing::Test {};
using Types = ::testing::Types<std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                               std::uint16_t, std::uint32_t, std::uint64_t>;
TYPED_TEST_SUITE(PlaneTypes, Types);

TYPED_TEST(PlaneTypes, EveryWidthAndLengthComesBack) {
  std::mt19937_64 random(1);
  for (std::uint32_t width = 0; width <= 8 * sizeof(TypeParam); width += 3) {
    for (const std::uint32_t rows : {1u, 2u, 100u, 5000u, 20000u}) {
      const std::uint64_t mask = width == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
      const std::uint64_t base = random();
      std::vector<TypeParam> values(rows);
      for (auto& value : values) value = static_cast<TypeParam>(base + (random() & mask));
      expect_round_trip(values);
    }
  }
}

TYPED_TEST(PlaneTypes, TheEndsOfTheTypeComeBack) {
  constexpr auto kLeast = std::numeric_limits<TypeParam>::min();
  constexpr auto kMost = std::numeric_limits<TypeParam>::max();
  std::vector<TypeParam> values;
  for (std::size_t row = 0; row < 3000; ++row) values.push_back(row % 3 == 0 ? kLeast : kMost);
  expect_round_trip(values);
}

TEST(Planes, TakeTheFormThatTheValuesCallFor) {
  std::mt19937_64 random(2);
  std::vector<std::int64_t> few(65536);
  std::vector<std::int64_t> rising(65536);
  std::vector<std::int64_t> skewed(65536);
  std::vector<double> prices(65536);
  std::vector<double> walk(65536);
  std::vector<double> any(65536);
  std::int64_t at = 1'000'000'000'000;
  for (std::size_t row = 0; row < few.size(); ++row) {
    few[row] = static_cast<std::int64_t>(random() % 40 * 0x123456789ABC % 1'000'003);
    rising[row] = at += 1000 + static_cast<std::int64_t>(random() % 200);
    skewed[row] = static_cast<std::int64_t>(random() % 2000 * (random() % 2000));
    prices[row] = static_cast<double>(random() % 3000 * (random() % 3000)) / 100;
    walk[row] = static_cast<double>(rising[row]) / 1000;
    any[row] = std::exp2(static_cast<double>(random() % 1000) / 499);
  }
  any[7] = std::numeric_limits<double>::quiet_NaN();
  prices[9] = -0.0;
  prices[1000] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(expect_round_trip(few), static_cast<Byte>(PlaneMap::kDictionary));
  EXPECT_EQ(expect_round_trip(rising), kPlaneSteps);
  EXPECT_EQ(expect_round_trip(skewed), static_cast<Byte>(PlaneMap::kNone));
  EXPECT_EQ(expect_round_trip(prices), static_cast<Byte>(PlaneMap::kDecimals));
  EXPECT_EQ(expect_round_trip(walk), static_cast<Byte>(PlaneMap::kDecimals) | kPlaneSteps);
  EXPECT_EQ(expect_round_trip(any), static_cast<Byte>(PlaneMap::kDictionary));
}

TEST(Planes, ADivisorLeavesSmallNumbers) {
  std::mt19937_64 random(3);
  std::vector<std::int32_t> values(30000);
  for (auto& value : values) value = 7 - 86400 * static_cast<std::int32_t>(random() % 20000);
  expect_round_trip(values, 86400);
  EXPECT_LT(encoded(values, 86400).size(), encoded(values).size());
}

TEST(Planes, RowsWithoutAValueMayBecomeAnything) {
  std::mt19937_64 random(4);
  std::vector<std::int64_t> values(9000);
  std::vector<Byte> validity(values.size() / 8);
  for (Byte& byte : validity) byte = static_cast<Byte>(random());
  const auto is_valid = [&](std::size_t row) { return (validity[row / 8] >> row % 8 & 1) != 0; };
  for (std::size_t row = 0; row < values.size(); ++row) {
    values[row] = is_valid(row) ? 500 + 10 * static_cast<std::int64_t>(random() % 90)
                                : static_cast<std::int64_t>(random());
  }
  const Buffer payload = encoded(values, 10, validity.data());
  EXPECT_LT(payload.size(), values.size());
  std::vector<std::int64_t> back;
  ASSERT_TRUE(decoded(payload.bytes(), values.size(), back).ok());
  for (std::size_t row = 0; row < values.size(); ++row) {
    if (is_valid(row)) {
      ASSERT_EQ(back[row], values[row]) << row;
    }
  }
}

TEST(Planes, NothingIsAppendedAboveTheLimit) {
  std::mt19937_64 random(5);
  for (const std::size_t rows : {500u, 40000u}) {
    std::vector<std::uint64_t> values(rows);
    for (auto& value : values) value = random();
    BlockEncoder bytes(parameters_of(CompressOptions{}));
    PlaneEncoder encoder;
    Buffer payload;
    const PlaneInput input{reinterpret_cast<const Byte*>(values.data()),
                           nullptr,
                           8,
                           false,
                           false,
                           static_cast<std::uint32_t>(rows),
                           1};
    EXPECT_FALSE(encoder.encode(input, {8 * rows}, bytes, payload));
    EXPECT_TRUE(payload.empty());
  }
}

ErrorCode code_of(const std::vector<Byte>& payload) {
  std::vector<double> values;
  const Status status = decoded(payload, 3, values);
  return status.ok() ? ErrorCode::kOk : status.error().code;
}

TEST(Planes, EachFieldIsChecked) {
  // Decimals with an exception in row 1, by a raw plane.
  const std::vector<Byte> good = {1, 0, 0, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9, 0, 1, 1, 0, 7, 8, 9};
  std::vector<double> values;
  ASSERT_TRUE(decoded(good, 3, values).ok());
  EXPECT_EQ(values[0], 7);
  EXPECT_EQ(values[2], 9);
  const auto with = [&](std::size_t at, Byte byte) {
    std::vector<Byte> changed = good;
    changed[at] = byte;
    return code_of(changed);
  };
  EXPECT_EQ(with(0, 8), ErrorCode::kBadHeader);   // form
  EXPECT_EQ(with(0, 3), ErrorCode::kBadHeader);   // map
  EXPECT_EQ(with(1, 19), ErrorCode::kBadHeader);  // e
  EXPECT_EQ(with(2, 19), ErrorCode::kBadHeader);  // f
  EXPECT_EQ(with(3, 4), ErrorCode::kBadHeader);   // exceptions
  EXPECT_EQ(with(4, 3), ErrorCode::kBadHeader);   // row
  EXPECT_EQ(with(14, 0), ErrorCode::kBadHeader);  // divisor
  EXPECT_EQ(with(15, 9), ErrorCode::kBadHeader);  // planes
  EXPECT_EQ(with(15, 2), ErrorCode::kBadPayloadSize);
  EXPECT_EQ(with(15, 0), ErrorCode::kBadPayloadSize);
  EXPECT_EQ(with(16, 2), ErrorCode::kUnknownCoding);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_NE(code_of({good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)}),
              ErrorCode::kOk);
  }
  // A dictionary: its entries may have none, and codes name entries.
  EXPECT_EQ(code_of({2, 1, 0, 4, 1, 0, 0, 1, 1, 0, 0, 0, 0}), ErrorCode::kOk);
  EXPECT_EQ(code_of({2, 1, 0, 4, 1, 0, 0, 1, 1, 0, 0, 0, 1}), ErrorCode::kBadOffset);
  EXPECT_EQ(code_of({2, 1, 0, 4, 1, 0, 4, 1, 1, 0, 0, 2, 0}), ErrorCode::kBadOffset);
  EXPECT_EQ(code_of({2, 1, 2, 1, 0, 4, 1, 0, 0, 1, 0}), ErrorCode::kBadHeader);
  EXPECT_EQ(code_of({2, 0, 0, 4, 1, 0, 0, 1, 0}), ErrorCode::kBadHeader);
  // A varint of more than 64 bits.
  EXPECT_EQ(code_of({0, 128, 128, 128, 128, 128, 128, 128, 128, 128, 2, 1, 0}),
            ErrorCode::kBadPayloadSize);
}

TEST(Planes, DamageNeverDoesHarm) {
  std::mt19937_64 random(6);
  std::vector<double> values(3000);
  for (auto& value : values) value = static_cast<double>(random() % 300 * (random() % 300)) / 10;
  const Buffer payload = encoded(values);
  std::size_t errors = 0;
  for (std::size_t round = 0; round < 3000; ++round) {
    std::vector<Byte> changed(payload.bytes().begin(), payload.bytes().end());
    const std::size_t range = round % 2 == 0 ? 60 : changed.size();
    changed[random() % range] ^= static_cast<Byte>(1 << random() % 8);
    if (round % 5 == 0) changed.resize(random() % changed.size());
    std::vector<double> back;
    errors += decoded(changed, values.size(), back).ok() ? 0 : 1;
  }
  EXPECT_GT(errors, 1000u);
}

TEST(Varint, ComesBackAtEverySize) {
  for (unsigned bit = 0; bit < 64; ++bit) {
    for (const std::uint64_t number : {std::uint64_t{1} << bit, (std::uint64_t{1} << bit) - 1}) {
      std::vector<Byte> bytes;
      append_varint(bytes, number);
      WireReader from(bytes);
      EXPECT_EQ(from.varint(), number);
      EXPECT_TRUE(from.ended_exactly());
      EXPECT_EQ(zigzag(unzigzag(number)), number);
    }
  }
}

}  // namespace
}  // namespace presso::plane_round_trip_test
