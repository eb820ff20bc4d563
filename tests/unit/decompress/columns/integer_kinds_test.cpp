// SPDX-License-Identifier: MIT
// Every kind of coding 4 (integers) at every width and many lengths, laid out by the tests
// themselves: what the decoders make of it is what the formulas of FORMAT.md 16.2 say.
#include <bit>

#include "tests/unit/decompress/columns/integer_support.h"

namespace presso::integers::integer_kinds_test {
namespace {

using Images = std::vector<std::uint64_t>;

constexpr std::uint32_t kLengths[] = {1, 31, 32, 33, 992, 993, 1023, 1024};

class IntegerKinds : public ::testing::Test {
 protected:
  Images random_values(std::uint32_t n, std::uint32_t width) {
    Images values(n);
    for (std::uint64_t& value : values) value = random_() & low_bits(width);
    return values;
  }

  /// Values of kinds 0 to 2 from random p; their words go to `words`.
  Images plain(std::uint32_t kind, std::uint32_t n, std::uint64_t divisor, VectorEntry& entry,
               WordWriter& words) {
    const Images p = random_values(n, entry.width);
    const Images firsts = random_values(std::min(n, 32u), entry.width2);
    const std::uint64_t first = random_();
    entry.base = random_();
    if (kind != 0) words.two(first);
    if (kind == 2) words.consecutive(firsts, entry.width2);
    words.packed(p, entry.width);
    Images values(n);
    for (std::uint32_t i = 0; i < n; ++i) {
      const std::uint64_t step = entry.base + divisor * p[i];
      if (kind == 0) values[i] = step;
      if (kind == 1) values[i] = i == 0 ? first : values[i - 1] + step;
      if (kind == 2) values[i] = i < 32 ? first + divisor * firsts[i] : values[i - 32] + step;
    }
    return values;
  }

  void expect_values(const IntegerParameters& parameters, const VectorEntry& entry,
                     const WordWriter& words, const Images& values) {
    BlockBuilder block;
    block.add(entry, words);
    const Decoded decoded = decode_everywhere(parameters, block.payload());
    ASSERT_EQ(decoded.code, ErrorCode::kOk);
    ASSERT_TRUE(decoded.values == truncated(values, parameters.width_bytes))
        << "kind " << int{entry.kind} << " width " << int{entry.width} << " rows "
        << parameters.rows << " divisor " << parameters.divisor;
  }

  std::mt19937_64 random_{16};
};

TEST_F(IntegerKinds, KindsZeroToTwoFollowTheirFormulasAtEveryWidthAndLength) {
  for (const Byte bytes : {Byte{1}, Byte{2}, Byte{4}, Byte{8}}) {
    for (std::uint32_t width = 0; width <= 8u * bytes; ++width) {
      for (const std::uint32_t n : kLengths) {
        for (std::uint32_t kind = 0; kind <= 2; ++kind) {
          for (const std::uint64_t divisor : {1ull, 100ull, 0x123456789ull}) {
            VectorEntry entry;
            entry.kind = static_cast<Byte>(kind);
            entry.width = static_cast<Byte>(width);
            if (kind == 2) entry.width2 = static_cast<Byte>((width * 7 + n) % (8u * bytes + 1));
            WordWriter words;
            const Images values = plain(kind, n, divisor, entry, words);
            expect_values({bytes, true, false, n, divisor}, entry, words, values);
          }
        }
      }
    }
  }
}

TEST_F(IntegerKinds, RunsRepeatTheValuesOfTheirSubKind) {
  for (const Byte bytes : {Byte{1}, Byte{4}, Byte{8}}) {
    for (const std::uint32_t n : kLengths) {
      for (std::uint32_t sub_kind = 0; sub_kind <= 2; ++sub_kind) {
        for (const std::uint32_t one_in : {1u, 2u, 5u, 40u, 5000u}) {
          Images map(n);
          for (std::uint64_t& bit : map) bit = random_() % one_in == 0 ? 1 : 0;
          map[0] = 1;
          const auto runs = static_cast<std::uint32_t>(std::count(map.begin(), map.end(), 1u));
          VectorEntry entry;
          entry.kind = 3;
          entry.exceptions = static_cast<Byte>(sub_kind);
          entry.width = static_cast<Byte>(random_() % (8u * bytes + 1));
          if (sub_kind == 2) entry.width2 = static_cast<Byte>(random_() % (8u * bytes + 1));
          WordWriter words;
          words.consecutive(map, 1);
          words.words.resize(32);
          const Images of_runs = plain(sub_kind, runs, 3, entry, words);
          Images values(n);
          std::uint32_t run = 0;
          for (std::uint32_t i = 0; i < n; ++i) {
            run += map[i] != 0 ? 1 : 0;
            values[i] = of_runs[run - 1];
          }
          expect_values({bytes, false, false, n, 3}, entry, words, values);
        }
      }
    }
  }
}

TEST_F(IntegerKinds, ExceptionsReplaceValuesFromTheFirstRowToTheLast) {
  for (const Byte bytes : {Byte{1}, Byte{2}, Byte{4}, Byte{8}}) {
    for (const std::uint32_t n : kLengths) {
      for (const std::uint32_t step : {1u, 5u, 341u, 1023u}) {
        VectorEntry entry;
        entry.width = static_cast<Byte>(random_() % (8u * bytes + 1));
        WordWriter words;
        Images values = plain(0, n, 7, entry, words);
        std::vector<std::uint16_t> rows;
        for (std::uint32_t row = 0; row < n && rows.size() < 255; row += step) {
          rows.push_back(static_cast<std::uint16_t>(row));
        }
        if (rows.back() != n - 1 && rows.size() < 255) {
          rows.push_back(static_cast<std::uint16_t>(n - 1));
        }
        words.halves(rows);
        for (const std::uint16_t row : rows) words.two(values[row] = random_());
        entry.exceptions = static_cast<Byte>(rows.size());
        expect_values({bytes, true, false, n, 7}, entry, words, values);
      }
    }
  }
}

TEST_F(IntegerKinds, PairsKeepTheirHalvesApart) {
  for (std::uint32_t width = 0; width <= 64; ++width) {
    for (const std::uint32_t n : kLengths) {
      VectorEntry entry;
      entry.kind = 4;
      entry.width = static_cast<Byte>(width);
      entry.width2 = static_cast<Byte>(64 - width);
      entry.base = random_();
      const std::uint64_t high_base = random_();
      const Images low = random_values(n, entry.width);
      const Images high = random_values(n, entry.width2);
      WordWriter words;
      words.two(high_base);
      words.packed(low, entry.width);
      words.packed(high, entry.width2);
      std::vector<Byte> values;
      for (std::uint32_t i = 0; i < n; ++i) {
        append_value(values, entry.base + low[i]);
        append_value(values, high_base + high[i]);
      }
      BlockBuilder block;
      block.add(entry, words);
      const Decoded decoded = decode_everywhere({16, true, false, n, 1}, block.payload());
      ASSERT_EQ(decoded.code, ErrorCode::kOk);
      ASSERT_TRUE(decoded.values == values) << "width " << width << " rows " << n;
    }
  }
}

TEST_F(IntegerKinds, AlpMultipliesTwice) {
  double powers[19] = {1};
  for (int i = 1; i < 19; ++i) powers[i] = powers[i - 1] * 10;  // exact up to 10^22
  for (std::uint32_t width = 0; width <= 64; ++width) {
    for (const std::uint32_t n : kLengths) {
      const auto e = static_cast<std::uint32_t>(random_() % 19);
      const auto f = static_cast<std::uint32_t>(random_() % 19);
      VectorEntry entry;
      entry.kind = 5;
      entry.width = static_cast<Byte>(width);
      entry.base = width % 2 == 0 ? random_() : random_() >> 16;
      if (width % 3 == 0) entry.base = std::uint64_t{0} - (entry.base >> 20);
      const Images p = random_values(n, width);
      WordWriter words;
      words.words.push_back(e | f << 8);
      words.packed(p, width);
      Images values(n);
      const double inverse = std::stod("1e-" + std::to_string(e));
      for (std::uint32_t i = 0; i < n; ++i) {
        const auto integer = static_cast<double>(static_cast<std::int64_t>(entry.base + p[i]));
        const volatile double scaled = integer * powers[f];
        const volatile double value = scaled * inverse;
        values[i] = std::bit_cast<std::uint64_t>(static_cast<double>(value));
      }
      words.halves({static_cast<std::uint16_t>(n - 1)});
      words.two(values[n - 1] = 0x7FF0000000000001);
      entry.exceptions = 1;
      expect_values({8, false, true, n, 1}, entry, words, values);
    }
  }
}

TEST_F(IntegerKinds, AlpRdJoinsLeftAndRightParts) {
  for (std::uint32_t width = kMinAlpRdBits; width <= kMaxAlpRdBits; ++width) {
    for (std::uint32_t code_bits = 0; code_bits <= 3; ++code_bits) {
      for (const std::uint32_t n : kLengths) {
        VectorEntry entry;
        entry.kind = 6;
        entry.width = static_cast<Byte>(width);
        entry.width2 = static_cast<Byte>(code_bits);
        std::vector<std::uint16_t> lefts(8);
        for (auto& left : lefts)
          left = static_cast<std::uint16_t>(random_() & low_bits(64 - width));
        const Images codes = random_values(n, code_bits);
        const Images rights = random_values(n, width);
        WordWriter words;
        words.halves(lefts);
        words.packed(codes, code_bits);
        words.packed(rights, width);
        Images values(n);
        for (std::uint32_t i = 0; i < n; ++i) {
          values[i] = std::uint64_t{lefts[codes[i]]} << width | rights[i];
        }
        values[n - 1] = std::uint64_t{1} << width | rights[n - 1];
        words.halves({static_cast<std::uint16_t>(n - 1)});
        words.halves({1});
        entry.exceptions = 1;
        expect_values({8, false, true, n, 1}, entry, words, values);
      }
    }
  }
}

TEST_F(IntegerKinds, BoolsAreBitsOrAConstantWithExceptions) {
  for (const std::uint32_t n : kLengths) {
    Images bits = random_values(n, 1);
    std::vector<Byte> expected((n + 7) / 8);
    for (std::uint32_t i = 0; i < n; ++i) expected[i / 8] |= static_cast<Byte>(bits[i] << (i % 8));
    VectorEntry entry;
    entry.kind = 7;
    WordWriter words;
    words.consecutive(bits, 1);
    if (n % 32 != 0) words.words.back() |= ~0u << (n % 32);  // not looked at
    BlockBuilder bitmap;
    bitmap.add(entry, words);
    EXPECT_TRUE(decode_everywhere({0, false, false, n, 1}, bitmap.payload()).values == expected);

    entry = {};
    entry.base = 1;
    entry.exceptions = 1;
    words = {};
    words.halves({static_cast<std::uint16_t>(n - 1)});
    words.two(2);  // its lowest bit counts
    std::vector<Byte> ones((n + 7) / 8, 0xFF);
    ones.back() = static_cast<Byte>(low_bits((n - 1) % 8));
    BlockBuilder constant;
    constant.add(entry, words);
    EXPECT_TRUE(decode_everywhere({0, false, false, n, 1}, constant.payload()).values == ones);
  }
}

}  // namespace
}  // namespace presso::integers::integer_kinds_test
