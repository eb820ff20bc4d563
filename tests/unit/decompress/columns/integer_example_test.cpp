// SPDX-License-Identifier: MIT
// The examples of FORMAT.md 16.5, byte by byte.
#include "compress/columns/integer_encoder.h"
#include "tests/unit/decompress/columns/integer_support.h"

namespace presso::integers::integer_example_test {
namespace {

std::vector<Byte> from_hex(const std::string& hex) {
  std::vector<Byte> bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    bytes.push_back(static_cast<Byte>(std::stoul(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

template <class T>
void expect_example(const std::vector<T>& values, std::uint64_t divisor, const std::string& hex) {
  const auto rows = static_cast<std::uint32_t>(values.size());
  const auto* const bytes = reinterpret_cast<const Byte*>(values.data());
  Buffer payload;
  const IntegerParameters parameters =
      encode_integers(bytes, sizeof(T), true, false, rows, nullptr, payload);
  EXPECT_EQ(parameters.divisor, divisor);
  const std::vector<Byte> example = from_hex(hex);
  EXPECT_TRUE(
      std::equal(example.begin(), example.end(), payload.bytes().begin(), payload.bytes().end()));
  const Decoded decoded = decode_everywhere(parameters, example);
  EXPECT_EQ(decoded.code, ErrorCode::kOk);
  EXPECT_TRUE(std::equal(decoded.values.begin(), decoded.values.end(), bytes,
                         bytes + values.size() * sizeof(T)));
}

TEST(IntegerExample, FirstRowsOfDelta32StandOneAfterAnother) {
  std::vector<std::int32_t> values;
  for (int i = 0; i < 64; ++i) values.push_back(7 * i % 16);
  expect_example(values, 1,
                 "00000000020004000000000000000000"
                 "0000000000000000705e3c1af8d6b492"
                 "705e3c1af8d6b492");
}

TEST(IntegerExample, PackedValuesStandInLanes) {
  std::vector<std::int16_t> values;
  for (int i = 0; i < 35; ++i)
    values.push_back(static_cast<std::int16_t>(1000 + 100 * (i * i % 11)));
  expect_example(values, 100,
                 "0000000000040000e803000000000000"
                 "10000000010000001400000009000000"
                 "05000000030000000300000005000000"
                 "09000000040000000100000000000000"
                 "01000000040000000900000005000000"
                 "03000000030000000500000009000000"
                 "04000000010000000000000001000000"
                 "04000000090000000500000003000000"
                 "03000000050000000900000004000000");
}

}  // namespace
}  // namespace presso::integers::integer_example_test
