// SPDX-License-Identifier: MIT
// Columns of random strings, and the check that StringTest finds in them what a plain function of
// one string says: at every CPU level, for every kind of mask, over text and over token codes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "compress/columns/token_trainer.h"
#include "corpora/random.h"
#include "presso/cpu.h"
#include "query/strings/string_test.h"
#include "tests/support/token_codes.h"

namespace presso::query::test {

using Oracle = std::function<bool(std::string_view)>;

inline Bytes as_bytes(std::string_view text) {
  return {reinterpret_cast<const Byte*>(text.data()), text.size()};
}

/// Strings one behind another, in exactly as much memory as they need.
struct StringRows {
  std::vector<std::string> strings;
  std::vector<Byte> text;
  std::vector<std::int64_t> offsets{0};

  explicit StringRows(std::vector<std::string> made) : strings(std::move(made)) {
    for (const std::string& string : strings) {
      text.insert(text.end(), string.begin(), string.end());
      offsets.push_back(static_cast<std::int64_t>(text.size()));
    }
    text.shrink_to_fit();
  }
  std::uint32_t rows() const { return static_cast<std::uint32_t>(strings.size()); }
  std::size_t words() const { return (strings.size() + 63) / 64; }
};

/// Rows of up to `longest` pieces; a third of them short.
inline StringRows random_rows(const std::vector<std::string>& pieces, std::size_t rows,
                              std::uint32_t longest, std::uint64_t seed) {
  corpora::Random random(seed);
  std::vector<std::string> strings(rows);
  for (std::string& string : strings) {
    const std::uint32_t most = random.one_in(3) ? 3 : longest;
    for (std::uint32_t left = random.below(most + 1); left > 0; --left) {
      string += pieces[random.below(static_cast<std::uint32_t>(pieces.size()))];
    }
  }
  return StringRows(std::move(strings));
}

inline TokenDictionary dictionary_of(const std::vector<std::string>& strings) {
  std::vector<Token> tokens;
  for (const std::string& string : strings) {
    Byte bytes[kMaxTokenBytes] = {};
    std::copy(string.begin(), string.end(), bytes);
    tokens.push_back({load_token_key(bytes), static_cast<std::uint32_t>(string.size())});
  }
  return TokenDictionary(std::move(tokens));
}

/// No mask, all alive, none, half of them, few, and one stretch.
inline std::vector<std::vector<std::uint64_t>> masks_of(const StringRows& rows,
                                                        std::uint64_t seed) {
  corpora::Random random(seed);
  std::vector<std::vector<std::uint64_t>> masks(6, std::vector<std::uint64_t>(rows.words() + 1, 0));
  masks[0].clear();
  for (std::size_t word = 0; word < rows.words(); ++word) {
    masks[1][word] = ~std::uint64_t{0};
    masks[3][word] = random.next();
    if (random.one_in(4)) masks[4][word] = std::uint64_t{1} << random.below(64);
    if (word % 8 == 3) masks[5][word] = ~std::uint64_t{0};
  }
  return masks;
}

inline void expect_bits(const StringRows& rows, const std::vector<std::uint64_t>& mask,
                        const std::vector<std::uint64_t>& bits, const std::vector<bool>& wanted,
                        const std::string& what) {
  for (std::size_t row = 0; row < 64 * rows.words(); ++row) {
    const bool alive = mask.empty() || (mask[row / 64] >> (row % 64) & 1) != 0;
    const bool expected = row < rows.rows() && alive && wanted[row];
    ASSERT_EQ((bits[row / 64] >> (row % 64) & 1) != 0, expected)
        << what << ", row " << row << " of " << rows.rows() << ": '"
        << (row < rows.rows() ? rows.strings[row] : "") << "', " << (alive ? "alive" : "not alive");
  }
}

inline void expect_in_text(const StringTest& test, const StringRows& rows,
                           const std::vector<bool>& wanted, const std::string& what) {
  for (const auto& mask : masks_of(rows, 77)) {
    std::vector<std::uint64_t> bits(rows.words() + 1, 0x5555555555555555u);
    const std::uint64_t* const alive = mask.empty() ? nullptr : mask.data();
    test.find(rows.text, rows.offsets.data(), rows.rows(), alive, bits.data());
    ASSERT_EQ(bits.back(), 0x5555555555555555u) << "writes behind its words";
    ASSERT_NO_FATAL_FAILURE(expect_bits(rows, mask, bits, wanted, what));
    if (mask.empty()) continue;
    std::vector<std::uint64_t> same = mask;
    test.find(rows.text, rows.offsets.data(), rows.rows(), same.data(), same.data());
    ASSERT_NO_FATAL_FAILURE(expect_bits(rows, mask, same, wanted, what + ", in place"));
  }
}

/// Tokens trained on the strings themselves where there are many, others, and none but single
/// bytes.
inline std::vector<TokenDictionary> dictionaries_of(const StringRows& rows) {
  constexpr std::uint32_t kMany = 400;  // training takes 10 ms
  std::vector<TokenDictionary> made;
  if (rows.rows() >= kMany) {
    ColumnView column;
    column.rows = rows.rows();
    column.values = rows.text.data();
    column.offsets = rows.offsets.data();
    made.push_back(train_tokens(column));
  }
  made.push_back(dictionary_of({"ab", "aab", "zq", "qz", "qx", "zqxz", "b\n", "\n\n", "\xC3\xA4",
                                "a\xC3", "\xA4z", "xzqxqzzqxqzzqxzq", "specia", "special"}));
  made.emplace_back();
  return made;
}

inline void expect_in_tokens(const StringTest& test, const StringRows& rows,
                             const std::vector<bool>& wanted, const std::string& what) {
  for (const TokenDictionary& dictionary : dictionaries_of(rows)) {
    const auto automaton = test.over_tokens(dictionary);
    if (automaton == nullptr) continue;
    const auto tokens =
        presso::test::token_codes(dictionary, rows.text.data(), rows.offsets.data(), rows.rows());
    for (const auto& mask : masks_of(rows, 78)) {
      std::vector<std::uint64_t> bits(rows.words() + 1, 0x5555555555555555u);
      automaton->find(tokens.codes.data(), tokens.begins.data(), rows.rows(),
                      mask.empty() ? nullptr : mask.data(), bits.data());
      ASSERT_EQ(bits.back(), 0x5555555555555555u) << "writes behind its words";
      ASSERT_NO_FATAL_FAILURE(
          expect_bits(rows, mask, bits, wanted,
                      what + ", over " + std::to_string(dictionary.size()) + " tokens"));
      if (mask.empty()) continue;
      std::vector<std::uint64_t> same = mask;
      automaton->find(tokens.codes.data(), tokens.begins.data(), rows.rows(), same.data(),
                      same.data());
      ASSERT_NO_FATAL_FAILURE(expect_bits(rows, mask, same, wanted, what + ", tokens, in place"));
    }
  }
}

/// `what` names the condition in messages.
inline void expect_agreement(const StringCondition& condition, const StringRows& rows,
                             const Oracle& oracle, const std::string& what) {
  std::vector<bool> wanted;
  for (const std::string& string : rows.strings) wanted.push_back(oracle(string));
  for (const CpuLevel level : supported_cpu_levels()) {
    const auto test = StringTest::compile(condition, level);
    ASSERT_TRUE(test.ok()) << what << ": " << test.error().message();
    const std::string name = what + " by " + test->describe();
    for (std::size_t row = 0; row < rows.strings.size(); ++row) {
      ASSERT_EQ(test->matches(as_bytes(rows.strings[row])), wanted[row])
          << name << ": '" << rows.strings[row] << "'";
    }
    ASSERT_NO_FATAL_FAILURE(expect_in_text(*test, rows, wanted, name));
    if (level != CpuLevel::kPortable) continue;  // tokens know no levels
    ASSERT_NO_FATAL_FAILURE(expect_in_tokens(*test, rows, wanted, name));
  }
}

inline StringCondition condition_of(StringCondition::Kind kind, std::string text) {
  StringCondition condition;
  condition.kind = kind;
  condition.text = std::move(text);
  return condition;
}

/// One of each kind at least, for strings of a few short pieces such as "ab" and "zqx".
inline std::vector<StringCondition> conditions_of_every_kind() {
  using Kind = StringCondition::Kind;
  std::vector<StringCondition> conditions;
  for (const Kind kind :
       {Kind::kEqual, Kind::kLess, Kind::kLessEqual, Kind::kGreater, Kind::kGreaterEqual}) {
    conditions.push_back(condition_of(kind, "ab"));
  }
  conditions.push_back(condition_of(Kind::kEqual, ""));
  conditions.push_back(condition_of(Kind::kIn, ""));
  conditions.push_back(conditions.back());
  conditions.back().set = {"", "ab", "zqx", "a\n"};
  for (const char* pattern : {"", "%", "_", "%_%", "%zq%", "%zq%qz%", "ab%", "%ab", "a%b", "%\n%",
                              "%_zqx%", "%z_q%", "%zqxz%zqxz%"}) {
    conditions.push_back(condition_of(Kind::kLike, pattern));
  }
  conditions.push_back(condition_of(Kind::kIlike, "%ZQ%"));
  for (const char* pattern : {"z(q|x)+z", "^(a|b)*$", "q$", "^z", "[xq]{3}", "zq.*(x|ab)$", "x"}) {
    conditions.push_back(condition_of(Kind::kMatches, pattern));
  }
  return conditions;
}

}  // namespace presso::query::test
