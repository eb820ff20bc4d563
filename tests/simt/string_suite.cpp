// SPDX-License-Identifier: MIT
// Conditions on token columns on a GPU, real or emulated, find what the CPU finds string by string,
// in every layout of tables that has room; and damaged blocks give the CPU's errors.
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

#include "compress/columns/token_encoder.h"
#include "decompress/columns/cpu/token_decoder.h"
#include "query/strings/condition_automaton.h"
#include "tests/simt/string_backend.h"
#include "tests/unit/compress/columns/string_columns.h"
#include "tests/unit/query/strings/string_rows.h"

namespace presso::gpu::test {
namespace {

using query::StringCondition;
using query::StringTest;
using query::test::StringRows;
using Kind = StringCondition::Kind;
using u32 = std::uint32_t;

/// A layout of tables, and a variant of the kernels for it.
struct Way {
  StringLayout layout;
  u32 variant = 0;
};
std::vector<Way> ways() {
  std::vector<Way> ways;
  for (const StringLayout layout :
       {StringLayout::kClasses, StringLayout::kWide, StringLayout::kSweep}) {
    for (const u32 variant : string_backend().variants(layout)) ways.push_back({layout, variant});
  }
  return ways;
}

/// Rows as a block, without a table.
StringCase block_of_rows(const StringRows& rows, const TokenDictionary& dictionary) {
  ColumnView column;
  column.rows = rows.rows();
  column.values = rows.text.data();
  column.offsets = rows.offsets.data();
  StringCase one;
  Buffer payload;
  TokenEncoder(dictionary).encode(column, 0, column.rows, one.counts, payload);
  one.payload.assign(payload.data(), payload.data() + payload.size());
  one.codes = std::accumulate(one.counts.begin(), one.counts.end(), 0u);
  one.checksum = checksum64(one.payload);
  return one;
}

/// Which rows match, one by one, and how many.
struct Answer {
  std::vector<u32> bits;
  u32 matches = 0;
};
Answer cpu_answer(const StringTest& test, const StringRows& rows) {
  Answer answer;
  answer.bits.resize(row_words(rows.rows()));
  for (u32 row = 0; row < rows.rows(); ++row) {
    if (!test.matches(query::test::as_bytes(rows.strings[row]))) continue;
    answer.bits[row / kLanes] |= 1u << row % kLanes;
    ++answer.matches;
  }
  return answer;
}

/// A condition over the tokens of several dictionaries.
struct Tables {
  std::vector<TokenFunctions> functions;

  std::vector<StringTable> laid_out(StringLayout layout) const {
    std::vector<StringTable> tables;
    for (const TokenFunctions& one : functions) {
      if (!fits(layout, one)) return {};
      auto table = lay_out(layout, one);
      if (table.ok()) tables.push_back(std::move(*table));
    }
    return tables;
  }
};

class Strings : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string reason = string_backend().unavailable();
    if (!reason.empty()) GTEST_SKIP() << reason;
  }

  static Tables tables_of(const StringCondition& condition,
                          const std::vector<const TokenDictionary*>& dictionaries) {
    const auto dfa = query::condition_automaton(condition);
    EXPECT_TRUE(dfa.ok()) << condition.text;
    Tables tables;
    for (const TokenDictionary* dictionary : dictionaries) {
      auto functions = token_functions(*dfa, *dictionary);
      EXPECT_TRUE(functions.ok()) << condition.text;
      tables.functions.push_back(std::move(*functions));
    }
    return tables;
  }

  /// Every column with every dictionary, in every layout.
  void expect_the_cpus_rows(const StringCondition& condition,
                            const std::vector<StringRows>& columns,
                            const std::vector<const TokenDictionary*>& dictionaries) {
    const auto test = StringTest::compile(condition);
    ASSERT_TRUE(test.ok()) << condition.text;
    const Tables tables = tables_of(condition, dictionaries);
    std::vector<StringCase> cases;
    std::vector<Answer> answers;
    for (std::size_t i = 0; i < dictionaries.size(); ++i) {
      for (const StringRows& rows : columns) {
        cases.push_back(block_of_rows(rows, *dictionaries[i]));
        answers.push_back(cpu_answer(*test, rows));
        matches_ += answers.back().matches;
      }
    }
    for (const Way& way : ways()) {
      const std::vector<StringTable> laid_out = tables.laid_out(way.layout);
      if (laid_out.empty()) continue;
      ++runs_[{way.layout, way.variant}];
      for (std::size_t i = 0; i < cases.size(); ++i) {
        cases[i].table = &laid_out[i / columns.size()];
      }
      ASSERT_NO_FATAL_FAILURE(expect_answers(cases, answers, way, "'" + condition.text + "'"));
    }
  }

  void expect_answers(const std::vector<StringCase>& cases, const std::vector<Answer>& answers,
                      const Way& way, const std::string& what) {
    const std::string name = what + ", layout " + std::to_string(static_cast<u32>(way.layout)) +
                             ", variant " + std::to_string(way.variant);
    const auto outcomes = string_backend().find(cases, {{true, way.layout}, way.variant, ++seed_});
    ASSERT_TRUE(outcomes.ok()) << name << ": " << outcomes.error().message();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      const StringOutcome& outcome = (*outcomes)[i];
      const std::string block = name + ", block " + std::to_string(i);
      ASSERT_EQ(outcome.status, 0u) << block;
      ASSERT_TRUE(outcome.is_intact) << block;
      for (std::size_t word = 0; word < answers[i].bits.size(); ++word) {
        ASSERT_EQ(outcome.bits[word], answers[i].bits[word]) << block << ", word " << word;
      }
      ASSERT_EQ(outcome.matches, answers[i].matches) << block;
    }
  }

  u32 random_below(u32 end) { return static_cast<u32>(random_() % end); }

  std::mt19937_64 random_{23};
  std::map<std::pair<StringLayout, u32>, u32> runs_;  ///< by layout and variant
  std::uint64_t matches_ = 0;
  u32 seed_ = 0;
};

StringCondition condition_of(Kind kind, std::string text) {
  return query::test::condition_of(kind, std::move(text));
}

/// Tokens that literals straddle, with single bytes, and single bytes alone.
const TokenDictionary& of_pieces() {
  static const TokenDictionary dictionary = query::test::dictionary_of(
      {"ab", "aab", "zq", "qz", "qx", "zqxz", "b\n", "\n\n", "\xC3\xA4", "a\xC3", "\xA4z",
       "xzqxqzzqxqzzqxzq", "specia", "special", "l req", "uests", "s ", " spec"});
  return dictionary;
}
const TokenDictionary& single_bytes() {
  static const TokenDictionary dictionary;
  return dictionary;
}
/// Trained: nearly all codes name a token.
const TokenDictionary& of_words() {
  static const TokenDictionary dictionary =
      train_tokens(presso::test::string_column(presso::test::word_rows(20000, 1)).view());
  return dictionary;
}

std::vector<std::string> small_pieces() {
  return {"a", "b",  "ab", "\n", std::string(1, '\0'), "\xC3\xA4", "\xC3", "\xA4", "\x80", "z", "q",
          "x", "zq", "qz", "zqx"};
}

u32 sample(u32 many, u32 few) {
  return string_backend().is_fast() ? many : few;
}

TEST_F(Strings, ConditionsOfEveryKind) {
  const std::vector<StringRows> columns = {
      query::test::random_rows(small_pieces(), sample(40000, 1400), 9, 1),
      query::test::random_rows(small_pieces(), 77, 3, 2), StringRows({})};
  const std::vector<const TokenDictionary*> dictionaries = {&of_pieces(), &single_bytes()};
  const std::vector<StringCondition> conditions = query::test::conditions_of_every_kind();
  for (const StringCondition& condition : conditions) {
    expect_the_cpus_rows(condition, columns, dictionaries);
    if (HasFatalFailure()) return;
  }
  for (const Way& way : ways()) {
    EXPECT_EQ((runs_[{way.layout, way.variant}]), conditions.size());
  }
  EXPECT_GT(matches_, 10000u);
}

TEST_F(Strings, WordsOfText) {
  std::vector<StringRows> columns;
  columns.emplace_back(presso::test::word_rows(sample(200000, 2600), 2));
  columns.emplace_back(presso::test::word_rows(sample(30000, 900), 3));
  const std::vector<const TokenDictionary*> dictionaries = {&of_words(), &of_pieces()};
  for (const char* pattern :
       {"%final%", "%deposits%sleep%", "%ly bold%", "carefully%", "%7", "%special%requests%"}) {
    expect_the_cpus_rows(condition_of(Kind::kLike, pattern), columns, dictionaries);
  }
  for (const char* pattern : {"(final|bold).*(sleep|haggle)", "[0-9]{3}$", "b[aeiou]ld"}) {
    expect_the_cpus_rows(condition_of(Kind::kMatches, pattern), columns, dictionaries);
  }
  EXPECT_GT(matches_, 1000u);
}

TEST_F(Strings, RowsAroundWarpsAndTiles) {
  std::vector<StringRows> columns;
  for (const u32 rows : {0, 1, 31, 32, 33, 1023, 1024, 1025, 2049}) {
    std::vector<std::string> strings(rows);
    for (std::string& string : strings) string = random_below(3) == 0 ? "zq" : "z";
    if (rows > 0) strings.back() = "zq";
    columns.emplace_back(std::move(strings));
    columns.emplace_back(std::vector<std::string>(rows));
  }
  for (const char* pattern : {"%zq%", "%", ""}) {
    expect_the_cpus_rows(condition_of(Kind::kLike, pattern), columns, {&single_bytes()});
  }
  EXPECT_GT(matches_, 4000u);
}

TEST_F(Strings, CodesAroundStepsOctetsAndVectors) {
  std::vector<StringRows> columns;
  for (const u32 codes : {1, 31, 32, 33, 255, 256, 257, 1023, 1024, 1025, 2047, 2048, 2049}) {
    std::string text(codes, 'x');
    for (char& letter : text) letter = random_below(40) == 0 ? 'q' : 'z';
    text.back() = 'q';
    columns.emplace_back(std::vector<std::string>{text});
    std::vector<std::string> strings;  // the same codes in rows of up to 7
    for (std::size_t at = 0; at < text.size();) {
      strings.push_back(text.substr(at, random_below(8)));
      at += strings.back().size();
    }
    columns.emplace_back(std::move(strings));
  }
  for (const char* pattern : {"%zq%", "%q%q%q", "z%"}) {
    expect_the_cpus_rows(condition_of(Kind::kLike, pattern), columns, {&single_bytes()});
  }
  EXPECT_GT(matches_, 500u);
}

TEST_F(Strings, RowsLongerThanAnyWindow) {
  std::vector<std::string> strings;
  for (u32 i = 0; i < 70; ++i) {
    const u32 length = i % 9 == 0 ? 9000 : i % 4 == 1 ? 700 : random_below(60);
    std::string text(length, 'z');
    for (u32 hits = random_below(3); hits > 0 && length > 0; --hits) {
      text[random_below(length)] = 'q';
    }
    strings.push_back(std::move(text));
  }
  const std::vector<StringRows> columns = {StringRows(std::move(strings))};
  for (const char* pattern : {"%q%", "%q%q%", "%zq", "%zzz", "q%"}) {
    expect_the_cpus_rows(condition_of(Kind::kLike, pattern), columns, {&single_bytes()});
  }
  EXPECT_GT(matches_, 20u);
}

TEST_F(Strings, AutomataWithMoreStatesThanBytesHave) {
  const std::vector<StringRows> columns = {
      query::test::random_rows({"a", "b", "ab", "zq"}, sample(20000, 700), 30, 5)};
  // The ninth letter from the end: 2^9 states.
  expect_the_cpus_rows(condition_of(Kind::kMatches, "a[a-z]{8}$"), columns,
                       {&of_pieces(), &single_bytes()});
  for (const Way& way : ways()) {
    EXPECT_EQ((runs_[{way.layout, way.variant}]), way.layout == StringLayout::kClasses ? 0u : 1u);
  }
  EXPECT_GT(matches_, 100u);
}

TEST_F(Strings, TablesChangeFromBlockToBlock) {
  std::vector<StringRows> columns;
  for (u32 i = 0; i < 5; ++i) columns.emplace_back(presso::test::word_rows(300, 20 + i));
  expect_the_cpus_rows(condition_of(Kind::kLike, "%al%e%"), columns,
                       {&of_words(), &single_bytes(), &of_pieces(), &of_words()});
  EXPECT_GT(matches_, 500u);
}

// --- damage

/// The errors of FORMAT.md 17.4, in its order, without the last.
u32 cpu_status(const StringCase& one, const TokenDictionary& dictionary) {
  std::vector<std::uint16_t> codes(one.codes);
  const Status unpacked = unpack_tokens(dictionary, one.payload, one.codes, codes.data());
  const auto code = unpacked.ok() ? ErrorCode::kOk : unpacked.error().code;
  if (code == ErrorCode::kBadPayloadSize) return static_cast<u32>(code);
  std::uint64_t sum = 0;
  for (const u32 count : one.counts) sum += count;
  return static_cast<u32>(sum == one.codes ? code : ErrorCode::kBadLength);
}

TEST_F(Strings, DamagedBlocksGetTheCpusCodes) {
  const StringRows rows(presso::test::word_rows(250, 6));
  const StringCase sound[] = {block_of_rows(rows, of_words()), block_of_rows(rows, of_pieces())};
  const Tables tables = tables_of(condition_of(Kind::kLike, "%al%e%"), {&of_words(), &of_pieces()});
  std::map<u32, u32> seen;
  for (const Way& way : ways()) {
    const std::vector<StringTable> laid_out = tables.laid_out(way.layout);
    ASSERT_EQ(laid_out.size(), 2u);
    std::vector<StringCase> cases;
    std::vector<u32> statuses;
    for (u32 i = 0; i < sample(3000, 150); ++i) {
      StringCase one = sound[i % 2];
      for (u32 changes = random_below(3); changes > 0; --changes) {
        const u32 at = random_below(static_cast<u32>(one.payload.size()));
        one.payload[at] ^= static_cast<Byte>(1u << random_below(8));
      }
      const u32 row = random_below(static_cast<u32>(one.counts.size()));
      if (random_below(6) == 0) --one.counts[row];
      if (random_below(6) == 0) ++one.counts[row];
      if (random_below(12) == 0) one.counts[row] = static_cast<u32>(random_());
      if (random_below(12) == 0) std::fill(one.counts.begin(), one.counts.end(), 0xF0000000u);
      if (random_below(16) == 0) one.codes += random_below(65) - 32;
      if (random_below(24) == 0) one.codes = static_cast<u32>(random_());
      if (random_below(24) == 0) {
        one.payload.resize(random_below(static_cast<u32>(one.payload.size())));
      }
      one.checksum = checksum64(one.payload);
      if (random_below(24) == 0) ++one.checksum;
      const bool is_checked = one.checksum == checksum64(one.payload);
      const bool has_size = one.payload.size() == token_payload_bytes(one.codes);
      u32 status = static_cast<u32>(ErrorCode::kContentChecksum);
      if (is_checked && !has_size) status = static_cast<u32>(ErrorCode::kBadPayloadSize);
      if (is_checked && has_size) status = cpu_status(one, i % 2 == 0 ? of_words() : of_pieces());
      one.table = &laid_out[i % 2];
      cases.push_back(std::move(one));
      statuses.push_back(status);
    }
    const auto outcomes = string_backend().find(cases, {{true, way.layout}, way.variant, ++seed_});
    ASSERT_TRUE(outcomes.ok()) << outcomes.error().message();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      ++seen[statuses[i]];
      ASSERT_EQ((*outcomes)[i].status, statuses[i]) << i;
      ASSERT_TRUE((*outcomes)[i].is_intact) << i;
    }
  }
  for (const ErrorCode code : {ErrorCode::kOk, ErrorCode::kBadPayloadSize, ErrorCode::kBadLength,
                               ErrorCode::kBadOffset, ErrorCode::kContentChecksum}) {
    EXPECT_GT(seen[static_cast<u32>(code)], 0u) << static_cast<int>(code);
  }
}

TEST_F(Strings, BitsBehindTheLastCodeAreNotLookedAt) {
  const StringRows rows(std::vector<std::string>(5, "zq"));
  StringCase one = block_of_rows(rows, of_pieces());
  ASSERT_EQ(one.codes, 5u);
  const Tables tables = tables_of(condition_of(Kind::kLike, "%zq%"), {&of_pieces()});
  for (u32 lane = 0; lane < kLanes; ++lane) {
    Byte* const word = one.payload.data() + 4 * lane;
    word[1] |= 0xF0, word[2] = word[3] = 0xFF;  // codes that name no token
    if (lane >= 5) word[0] = 0xFF, word[1] = 0xFF;
  }
  one.checksum = checksum64(one.payload);
  for (const Way& way : ways()) {
    const std::vector<StringTable> laid_out = tables.laid_out(way.layout);
    one.table = &laid_out.at(0);
    ASSERT_NO_FATAL_FAILURE(expect_answers({one}, {{{0x1F}, 5}}, way, "one step of codes"));
  }
}

}  // namespace
}  // namespace presso::gpu::test
