// SPDX-License-Identifier: MIT
// Payloads of coding 4 (integers) that are not valid: each check has its code, every decoder gives
// the same one, and none reads outside (the payload's heap block ends where the payload does).
#include "compress/columns/integer_encoder.h"
#include "tests/unit/decompress/columns/integer_support.h"

namespace presso::integers::integer_damage_test {
namespace {

ErrorCode decode_one(const IntegerParameters& parameters, VectorEntry entry,
                     const WordWriter& words) {
  BlockBuilder block;
  block.add(entry, words);
  return decode_everywhere(parameters, block.payload()).code;
}

VectorEntry entry_of(int kind, int width, int width2 = 0, int exceptions = 0) {
  VectorEntry entry;
  entry.kind = static_cast<Byte>(kind);
  entry.width = static_cast<Byte>(width);
  entry.width2 = static_cast<Byte>(width2);
  entry.exceptions = static_cast<Byte>(exceptions);
  return entry;
}

WordWriter zeros(std::size_t words) {
  WordWriter writer;
  writer.words.resize(words);
  return writer;
}

constexpr IntegerParameters kInt64{8, true, false, 1024, 1};
constexpr IntegerParameters kDouble{8, false, true, 1024, 1};

TEST(IntegerDamage, ParametersOutsideTheirLimitsAreABadHeader) {
  for (const IntegerParameters& bad :
       {IntegerParameters{3, true, false, 10, 1}, IntegerParameters{32, true, false, 10, 1},
        IntegerParameters{4, true, false, 0, 1}, IntegerParameters{4, true, false, 65537, 1},
        IntegerParameters{4, true, false, 10, 0}, IntegerParameters{0, true, false, 10, 2},
        IntegerParameters{16, true, false, 10, 2}, IntegerParameters{8, false, true, 10, 2},
        IntegerParameters{2, false, true, 10, 1}}) {
    EXPECT_EQ(decode_everywhere(bad, std::vector<Byte>(4096)).code, ErrorCode::kBadHeader);
  }
}

TEST(IntegerDamage, PayloadsAreWholeWordsAndHoldTheDirectory) {
  for (const std::size_t size : {0u, 12u, 17u, 18u, 19u}) {
    EXPECT_EQ(decode_everywhere(kInt64, std::vector<Byte>(size)).code, ErrorCode::kBadPayloadSize);
  }
  EXPECT_EQ(decode_everywhere(kInt64, std::vector<Byte>(16)).code, ErrorCode::kOk);
}

TEST(IntegerDamage, VectorsBehindThePayloadAreABadPayloadSize) {
  EXPECT_EQ(decode_one(kInt64, entry_of(0, 5), zeros(160)), ErrorCode::kOk);
  EXPECT_EQ(decode_one(kInt64, entry_of(0, 5), zeros(159)), ErrorCode::kBadPayloadSize);
  EXPECT_EQ(decode_one(kInt64, entry_of(1, 5), zeros(161)), ErrorCode::kBadPayloadSize);
  EXPECT_EQ(decode_one(kInt64, entry_of(2, 5, 1), zeros(162)), ErrorCode::kBadPayloadSize);
  EXPECT_EQ(decode_one(kInt64, entry_of(2, 5, 1), zeros(163)), ErrorCode::kOk);
  EXPECT_EQ(decode_one(kInt64, entry_of(3, 5), zeros(31)), ErrorCode::kBadPayloadSize);
  EXPECT_EQ(decode_one(kDouble, entry_of(5, 0), zeros(0)), ErrorCode::kBadPayloadSize);
  EXPECT_EQ(decode_one(kInt64, entry_of(0, 5, 0, 3), zeros(167)), ErrorCode::kBadPayloadSize);
  BlockBuilder block;
  block.add(entry_of(0, 5), zeros(160));
  std::vector<Byte> payload = block.payload();
  for (const std::uint32_t offset : {1u, 160u, 161u, 0x40000000u, 0xFFFFFFFFu}) {
    store<std::uint32_t>(payload.data(), offset);
    EXPECT_EQ(decode_everywhere(kInt64, payload).code, ErrorCode::kBadPayloadSize);
  }
}

TEST(IntegerDamage, FieldsThatDoNotSuitTypeOrKindAreABadHeader) {
  const struct {
    IntegerParameters parameters;
    VectorEntry entry;
  } cases[] = {
      {kInt64, entry_of(0, 65)},
      {kInt64, entry_of(0, 5, 1)},
      {kInt64, entry_of(1, 65)},
      {kInt64, entry_of(1, 5, 1)},
      {kInt64, entry_of(1, 5, 0, 1)},
      {kInt64, entry_of(2, 65)},
      {kInt64, entry_of(2, 5, 65)},
      {kInt64, entry_of(2, 5, 0, 1)},
      {kInt64, entry_of(3, 5, 0, 3)},
      {kInt64, entry_of(3, 5, 1, 0)},
      {kInt64, entry_of(3, 65)},
      {kInt64, entry_of(4, 5)},
      {kInt64, entry_of(5, 5)},
      {kInt64, entry_of(6, 50)},
      {kInt64, entry_of(7, 0)},
      {kInt64, entry_of(8, 0)},
      {kInt64, entry_of(255, 0)},
      {kDouble, entry_of(5, 65)},
      {kDouble, entry_of(5, 5, 1)},
      {kDouble, entry_of(6, 47)},
      {kDouble, entry_of(6, 64)},
      {kDouble, entry_of(6, 50, 4)},
      {{4, true, false, 9, 1}, entry_of(0, 33)},
      {{1, true, false, 9, 1}, entry_of(2, 3, 9)},
      {{4, false, true, 9, 1}, entry_of(5, 3)},
      {{16, true, false, 9, 1}, entry_of(0, 3)},
      {{16, true, false, 9, 1}, entry_of(4, 65)},
      {{16, true, false, 9, 1}, entry_of(4, 5, 65)},
      {{16, true, false, 9, 1}, entry_of(4, 5, 5, 1)},
      {{0, false, false, 9, 1}, entry_of(0, 1)},
      {{0, false, false, 9, 1}, entry_of(3, 0)},
      {{0, false, false, 9, 1}, entry_of(7, 1)},
      {{0, false, false, 9, 1}, entry_of(7, 0, 0, 1)},
  };
  for (const auto& bad : cases) {
    EXPECT_EQ(decode_one(bad.parameters, bad.entry, zeros(8000)), ErrorCode::kBadHeader)
        << "kind " << int{bad.entry.kind} << " width " << int{bad.entry.width};
  }
}

TEST(IntegerDamage, RunMapsBeginAtRowZeroAndEndWithTheVector) {
  WordWriter words = zeros(2000);
  EXPECT_EQ(decode_one(kInt64, entry_of(3, 5), words), ErrorCode::kBadHeader);
  words.words[0] = 1;
  EXPECT_EQ(decode_one(kInt64, entry_of(3, 5), words), ErrorCode::kOk);
  const IntegerParameters short_block{8, true, false, 33, 1};
  words.words[1] = 1;
  EXPECT_EQ(decode_one(short_block, entry_of(3, 5), words), ErrorCode::kOk);
  words.words[1] = 2;
  EXPECT_EQ(decode_one(short_block, entry_of(3, 5), words), ErrorCode::kBadHeader);
  words.words[1] = 0;
  words.words[31] = 1;
  EXPECT_EQ(decode_one(short_block, entry_of(3, 5), words), ErrorCode::kBadHeader);
}

TEST(IntegerDamage, ExceptionRowsRiseWithinTheVector) {
  const auto with_rows = [](const std::vector<std::uint16_t>& rows) {
    WordWriter words = zeros(160);
    words.halves(rows);
    words.words.resize(words.words.size() + 2 * rows.size());
    return decode_one(kInt64, entry_of(0, 5, 0, static_cast<int>(rows.size())), words);
  };
  EXPECT_EQ(with_rows({0, 1, 1023}), ErrorCode::kOk);
  EXPECT_EQ(with_rows({0, 0}), ErrorCode::kBadHeader);
  EXPECT_EQ(with_rows({5, 4}), ErrorCode::kBadHeader);
  EXPECT_EQ(with_rows({5, 1024}), ErrorCode::kBadHeader);
  EXPECT_EQ(with_rows({0xFFFF}), ErrorCode::kBadHeader);
}

TEST(IntegerDamage, ExponentsEndAtEighteen) {
  for (const std::uint32_t bad : {19u, 19u << 8, 0x10000u, 0x1000000u}) {
    WordWriter words = zeros(1);
    EXPECT_EQ(decode_one(kDouble, entry_of(5, 0), words), ErrorCode::kOk);
    words.words[0] = bad;
    EXPECT_EQ(decode_one(kDouble, entry_of(5, 0), words), ErrorCode::kBadHeader);
  }
}

/// Blocks in which every kind occurs.
struct Sample {
  IntegerParameters parameters;
  std::vector<Byte> payload;
};

Sample sample_of(std::mt19937_64& random, std::uint32_t shape) {
  constexpr Byte kWidths[] = {8, 4, 1, 16, 0, 8, 8, 4};
  const auto rows = static_cast<std::uint32_t>(1 + random() % 2500);
  const Byte width = kWidths[shape % 8];
  const bool floating = shape % 8 == 5 || shape % 8 == 6;
  std::vector<Byte> values(rows * 16);
  std::uint64_t value = 0;
  for (std::uint32_t i = 0; i < rows; ++i) {
    if (floating) {
      const double real = static_cast<double>(random() % 100000) / (shape % 8 == 5 ? 100 : 7);
      store<double>(values.data() + 8 * i, real);
      continue;
    }
    const std::uint32_t form = i / 1024 + shape / 8;
    if (form % 4 == 0) value = random() % 1000 + (random() % 90 == 0 ? 1u << 30 : 0);
    if (form % 4 == 1) value += random() % 20;
    if (form % 4 == 2) value += random() % 9 == 0 ? random() % 20 : 0;
    if (form % 4 == 3) value = i * 12;
    std::memcpy(values.data() + i * width, &value, std::min<std::size_t>(width, 8));
    if (width == 0) values[i / 8] = static_cast<Byte>(values[i / 8] | (value & 1) << (i % 8));
  }
  Buffer payload;
  const IntegerParameters parameters =
      encode_integers(values.data(), width, true, floating, rows, nullptr, payload);
  return {parameters, {payload.bytes().begin(), payload.bytes().end()}};
}

TEST(IntegerDamage, MutatedPayloadsGetTheSameCodeFromEveryDecoder) {
  std::mt19937_64 random(17);
  std::uint32_t sound = 0;
  std::uint32_t damaged = 0;
  for (std::uint32_t round = 0; round < 2000; ++round) {
    const Sample sample = sample_of(random, round);
    const std::uint32_t vectors = vectors_of(sample.parameters.rows);
    for (int mutation = 0; mutation < 50; ++mutation) {
      std::vector<Byte> payload = sample.payload;
      const auto target = random() % 4;
      const std::size_t directory = vectors * kVectorEntryBytes;
      if (target == 0) payload.resize(random() % (payload.size() / 4 + 1) * 4);
      const std::size_t within = target == 3 ? payload.size() : std::min(directory, payload.size());
      for (auto left = 1 + random() % 2; left > 0 && within > 0; --left) {
        const std::size_t at = random() % within;
        const auto small = static_cast<Byte>(random() % 8);
        payload[at] = static_cast<Byte>(random() % 2 == 0 ? small : random());
      }
      const ErrorCode code = decode_everywhere(sample.parameters, payload).code;
      ++(code == ErrorCode::kOk ? sound : damaged);
      ASSERT_TRUE(code == ErrorCode::kOk || code == ErrorCode::kBadHeader ||
                  code == ErrorCode::kBadPayloadSize);
      ASSERT_FALSE(::testing::Test::HasFailure()) << "round " << round;
    }
  }
  EXPECT_GT(sound, 10000u);
  EXPECT_GT(damaged, 10000u);
}

}  // namespace
}  // namespace presso::integers::integer_damage_test
