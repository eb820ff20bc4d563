// SPDX-License-Identifier: MIT
// What encoder and decoders of the Bit coding share, and the list of code lengths there and back.
#include "format/bit_code.h"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

#include "compress/encode/bit_encoder.h"
#include "format/bit_list.h"

namespace presso::bit::bit_code_test {
namespace {

TEST(BitCode, EveryValueIsInItsClass) {
  for (const unsigned mantissa : {kLengthMantissa, kOffsetMantissa}) {
    const std::uint32_t symbols = mantissa == kLengthMantissa ? kLengthSymbols : kOffsetSymbols;
    const std::uint32_t values = mantissa == kLengthMantissa ? 1u << 22 : 1u << 24;
    std::uint32_t next = 0;  // values are divided among the symbols in order, without gaps
    for (std::uint32_t symbol = 0; symbol < symbols; ++symbol) {
      const ClassValue value = value_of(symbol, mantissa);
      ASSERT_EQ(value.top << value.extra_bits, next);
      for (const std::uint32_t at : {next, next + (1u << value.extra_bits) - 1}) {
        EXPECT_EQ(class_of(at, mantissa).symbol, symbol);
        EXPECT_EQ(class_of(at, mantissa).extra_bits, value.extra_bits);
      }
      next += 1u << value.extra_bits;
    }
    EXPECT_EQ(next, values);
  }
}

TEST(BitCode, CommandsHoldShortLengthsAndSayWhatFollows) {
  std::set<std::uint32_t> symbols;
  for (const std::uint32_t literals : {0u, 1u, 2u, 3u, 4u, 1000u}) {
    for (std::uint32_t match = 0; match < 40; ++match) {
      for (const std::uint32_t offset : {0u, 1u, 2u, 3u, 500u}) {
        const std::uint32_t symbol = command_symbol(literals, match, offset);
        ASSERT_LT(symbol, kCommandSymbols);
        symbols.insert(symbol);
        const Command command = command_of(symbol);
        EXPECT_EQ(command.literals, std::min(literals, 3u));
        EXPECT_EQ(command.match, std::min(match, 15u));
        EXPECT_EQ(command.repeats, offset == 1);
        EXPECT_EQ(leads_to(symbol, kLiteralLengths), literals >= 3);
        EXPECT_EQ(leads_to(symbol, kMatchLengths), match >= 15);
        EXPECT_EQ(leads_to(symbol, kOffsets), offset != 1);
      }
    }
  }
  EXPECT_EQ(symbols.size(), kCommandSymbols);
}

TEST(BitCode, AlphabetsFollowOneAnotherInTheList) {
  std::uint32_t next = 0;
  for (std::uint32_t alphabet = 0; alphabet < kAlphabets; ++alphabet) {
    EXPECT_EQ(first_symbol(alphabet), next);
    next += symbols_of(alphabet);
  }
  EXPECT_EQ(next, kListedSymbols);
}

TEST(BitCode, LanesShareLiteralsInFours) {
  for (unsigned lanes_log2 = 0; lanes_log2 <= 6; ++lanes_log2) {
    for (std::uint32_t literals = 0; literals < 1200; literals += 1 + literals / 50) {
      std::vector<std::uint32_t> expected(1u << lanes_log2, 0);
      for (std::uint32_t i = 0; i < literals; ++i) ++expected[i / 4 % expected.size()];
      for (std::uint32_t lane = 0; lane < expected.size(); ++lane) {
        EXPECT_EQ(literals_of_lane(literals, lanes_log2, lane), expected[lane])
            << literals << " literals, lane " << lane << " of " << expected.size();
      }
    }
  }
}

TEST(BitCode, ShapesOfCodes) {
  std::uint32_t counts[kMaxLiteralLimit + 1];
  const auto shape = [&](std::vector<Byte> lengths, unsigned limit) {
    return shape_of(lengths.data(), static_cast<std::uint32_t>(lengths.size()), limit, counts);
  };
  EXPECT_EQ(shape({0, 0, 0}, 4), Shape::kEmpty);
  EXPECT_EQ(shape({0, 1, 0}, 4), Shape::kSingle);
  EXPECT_EQ(shape({0, 2, 0}, 4), Shape::kBad);
  EXPECT_EQ(shape({1, 0, 1}, 4), Shape::kComplete);
  EXPECT_EQ(shape({2, 1, 2}, 2), Shape::kComplete);
  EXPECT_EQ(shape({2, 1, 2}, 1), Shape::kBad);  // above the limit
  EXPECT_EQ(shape({2, 1, 3}, 4), Shape::kBad);  // a hole
  EXPECT_EQ(shape({1, 1, 2}, 4), Shape::kBad);  // too much
  EXPECT_EQ(shape(std::vector<Byte>(256, 1), 12), Shape::kBad);
}

TEST(BitCode, WordsArePrefixFreeAndInOrder) {
  const std::vector<Byte> lengths = {3, 0, 2, 3, 2, 2};
  std::vector<CodeWord> words(lengths.size());
  assign_words(lengths, words);
  const std::vector<std::string> expected = {"110", "", "00", "111", "01", "10"};
  for (std::size_t symbol = 0; symbol < lengths.size(); ++symbol) {
    std::string written;
    for (unsigned i = 0; i < words[symbol].length; ++i) {
      written += static_cast<char>('0' + (words[symbol].word >> i & 1));
    }
    EXPECT_EQ(written, expected[symbol]);
  }
  std::vector<CodeWord> single(3);
  assign_words(std::vector<Byte>{0, 1, 0}, single);
  EXPECT_EQ(single[1].length, 0);
}

TEST(BitReader, GivesZerosBehindTheEndAndCountsOn) {
  const Byte bytes[] = {0xFF, 0xFF, 0xFF};
  BitReader reader(bytes, 3, 5);
  EXPECT_EQ(reader.take(16), 0xFFFFu);
  EXPECT_EQ(reader.left(), 3);
  EXPECT_EQ(reader.take(10), 7u);
  EXPECT_EQ(reader.left(), -7);
  EXPECT_EQ(reader.take(16), 0u);
  EXPECT_EQ(reader.at(), 47u);
}

}  // namespace
}  // namespace presso::bit::bit_code_test
