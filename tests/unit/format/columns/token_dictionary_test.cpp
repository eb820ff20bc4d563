// SPDX-License-Identifier: MIT
// The stored form of token dictionaries: there and back, one form each, errors for all others.
#include "format/columns/token_dictionary.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

namespace presso::token_dictionary_test {
namespace {

Token token(std::string_view text) {
  Byte padded[kMaxTokenBytes] = {};
  std::copy(text.begin(), text.end(), padded);
  return {load_token_key(padded), static_cast<std::uint32_t>(text.size())};
}

std::string text(const TokenDictionary& dictionary, std::uint32_t code) {
  const Bytes bytes = dictionary.token(code);
  return std::string(bytes.begin(), bytes.end());
}

std::vector<Byte> stored(const TokenDictionary& dictionary) {
  std::vector<Byte> bytes;
  dictionary.append_to(bytes);
  return bytes;
}

ErrorCode parse_error(const std::vector<Byte>& bytes) {
  const auto parsed = TokenDictionary::parse(bytes);
  return parsed.ok() ? ErrorCode::kOk : parsed.error().code;
}

/// As many tokens as there can be, all of 16 random bytes.
TokenDictionary largest_dictionary() {
  std::mt19937 random(1);
  std::vector<Token> tokens;
  for (std::uint32_t i = 0; i < kMaxLongTokens; ++i) {
    std::string bytes(kMaxTokenBytes, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    tokens.push_back(token(bytes));
  }
  return TokenDictionary(tokens);
}

TEST(TokenDictionary, NumbersTokensInBytewiseOrderWithAllSingleBytes) {
  const TokenDictionary dictionary({token("the "), token("th"), token(std::string_view("a\0", 2))});
  EXPECT_EQ(dictionary.size(), 259u);
  std::uint32_t singles = 0;
  for (std::uint32_t code = 0; code < dictionary.size(); ++code) {
    singles += dictionary.length(code) == 1;
    if (code > 0) {
      EXPECT_LT(text(dictionary, code - 1), text(dictionary, code));
    }
  }
  EXPECT_EQ(singles, 256u);
  EXPECT_EQ(text(dictionary, 'a' + 1), std::string("a\0", 2));
}

TEST(TokenDictionary, StoredFormIsThatOfTheFormat) {
  const TokenDictionary dictionary({token("the "), token("th"), token("an")});
  const std::vector<Byte> expected = {3, 0, 0x01, 0x01, 0x21, 'a', 'n', 't', 'h', 'e', ' '};
  EXPECT_EQ(stored(dictionary), expected);
}

TEST(TokenDictionary, StoredFormParsesToTheSame) {
  for (const TokenDictionary& dictionary :
       {TokenDictionary(),
        TokenDictionary({token("ab"), token("abc"), token(std::string_view("b\0", 2))}),
        largest_dictionary()}) {
    const std::vector<Byte> bytes = stored(dictionary);
    EXPECT_LE(bytes.size(), kMaxTokenDictionaryBytes);
    const auto parsed = TokenDictionary::parse(bytes);
    ASSERT_TRUE(parsed.ok());
    ASSERT_EQ(parsed->size(), dictionary.size());
    for (std::uint32_t code = 0; code < dictionary.size(); ++code) {
      ASSERT_EQ(text(*parsed, code), text(dictionary, code));
    }
  }
}

TEST(TokenDictionary, RejectsWhatIsCutOffOrTooLong) {
  std::vector<Byte> bytes = stored(TokenDictionary({token("the "), token("th")}));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_EQ(parse_error({bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size)}),
              ErrorCode::kBadPayloadSize);
  }
  bytes.push_back(0);
  EXPECT_EQ(parse_error(bytes), ErrorCode::kBadPayloadSize);
}

TEST(TokenDictionary, RejectsTooManyTokens) {
  std::vector<Byte> bytes = {0x01, 0x0F};
  bytes.resize(70000);
  EXPECT_EQ(parse_error(bytes), ErrorCode::kBadHeader);
}

TEST(TokenDictionary, RejectsLengthsThatTokensCannotHave) {
  EXPECT_EQ(parse_error({1, 0, 0x00, 'a'}), ErrorCode::kBadLength);       // one byte
  EXPECT_EQ(parse_error({1, 0, 0x11, 'a', 'b'}), ErrorCode::kBadLength);  // shares with nothing
  EXPECT_EQ(parse_error({2, 0, 0x01, 0x30, 'a', 'b', 'c'}), ErrorCode::kBadLength);
  std::vector<Byte> long_token = {2, 0, 0x0E, 0xF1};
  long_token.resize(4 + 15 + 2, 'a');
  EXPECT_EQ(parse_error(long_token), ErrorCode::kBadLength);  // 17 bytes
}

TEST(TokenDictionary, RejectsTokensOutOfOrderOrTwice) {
  EXPECT_EQ(parse_error({2, 0, 0x01, 0x01, 'b', 'b', 'a', 'b'}), ErrorCode::kBadHeader);
  EXPECT_EQ(parse_error({2, 0, 0x01, 0x01, 'a', 'b', 'a', 'b'}), ErrorCode::kBadHeader);
  EXPECT_EQ(parse_error({2, 0, 0x01, 0x01, 'a', 'b', 'a', 'c'}), ErrorCode::kBadHeader);
}

TEST(TokenDictionary, MutatedFormsParseToDictionariesOrErrors) {
  const std::vector<Byte> bytes = stored(TokenDictionary(
      {token("the "), token("th"), token("quick"), token("quickly"), token("quiet")}));
  std::mt19937 random(2);
  for (int i = 0; i < 100000; ++i) {
    std::vector<Byte> mutated = bytes;
    mutated[random() % mutated.size()] ^= static_cast<Byte>(1u << random() % 8);
    if (random() % 4 == 0) mutated[random() % mutated.size()] = static_cast<Byte>(random());
    if (random() % 8 == 0) mutated.resize(random() % mutated.size());
    const auto parsed = TokenDictionary::parse(mutated);
    if (parsed.ok()) {
      ASSERT_EQ(stored(*parsed), mutated);
    }
  }
}

}  // namespace
}  // namespace presso::token_dictionary_test
