// SPDX-License-Identifier: MIT
// Regular expressions of queries, against RE2 with the options that DuckDB gives it: random
// patterns over random columns whose strings hold line feeds, NUL bytes and what is not UTF-8.
#include <gtest/gtest.h>
#include <re2/re2.h>

#include "tests/unit/query/strings/string_rows.h"

namespace presso::query::string_regex_oracle_test {
namespace {

using test::condition_of;
using test::expect_agreement;
using test::random_rows;
using test::StringRows;

constexpr auto kMatches = StringCondition::Kind::kMatches;

/// Bytes that are not UTF-8 match nothing but \C. Encoded surrogates are left out: to RE2 they are
/// characters.
class Generator {
 public:
  Generator(std::vector<std::string> atoms, std::uint64_t seed)
      : atoms_(std::move(atoms)), random_(seed) {}

  std::string pattern() {
    static const std::vector<std::string> kFlags = {"", "", "", "(?i)", "(?s)", "(?m)", "(?im)"};
    return pick(kFlags) + piece(3);
  }
  std::uint64_t seed() { return random_.next(); }

 private:
  std::string piece(int depth) {
    if (depth == 0) return pick(atoms_);
    const std::string first = piece(depth - 1);
    switch (random_.below(8)) {
      case 0:
        return first;
      case 1:
      case 2:
      case 3:
        return first + piece(depth - 1);
      case 4:
        return "(" + first + "|" + piece(depth - 1) + ")";
      case 5:
        return "(?:" + first + ")" + pick(kTimes);
      default:
        return pick(atoms_) + piece(depth - 1);
    }
  }
  const std::string& pick(const std::vector<std::string>& from) {
    return from[random_.below(static_cast<std::uint32_t>(from.size()))];
  }

  inline static const std::vector<std::string> kTimes = {"*", "+", "?", "*?", "{2}", "{1,2}"};
  std::vector<std::string> atoms_;
  corpora::Random random_;
};

void compare(Generator generator, const std::vector<std::string>& letters, int patterns,
             std::size_t rows) {
  RE2::Options options;
  options.set_log_errors(false);
  int compared = 0;
  for (int i = 0; i < patterns; ++i) {
    const std::string pattern = generator.pattern();
    const RE2 oracle(pattern, options);
    const StringRows column = random_rows(letters, rows, 8, generator.seed());
    if (!oracle.ok()) continue;
    ++compared;
    ASSERT_NO_FATAL_FAILURE(expect_agreement(
        condition_of(kMatches, pattern), column,
        [&](std::string_view s) {
          return RE2::PartialMatch(re2::StringPiece(s.data(), s.size()), oracle);
        },
        pattern));
  }
  EXPECT_GT(compared, patterns * 9 / 10);
}

TEST(StringRegexOracle, AgreesOnSmallAlphabets) {
  const std::vector<std::string> atoms = {
      "a",   "b",   "[ab]",  "[^a]", ".",     "\\w",         "\\W",         "\\s", "\\S",
      "\\d", "\\D", "^",     "$",    "\\b",   "\\B",         "\\n",         "-",   "ab",
      "\\A", "\\z", "\\x00", "k",    "[k-s]", "[[:alpha:]]", "[[:space:]]", "\\C"};
  const std::vector<std::string> letters = {
      "a", "b", "A", "\n", std::string(1, '\0'), " ", "-", "_", "1", "\v", "k", "K", "S", "\r"};
  compare(Generator(atoms, 1), letters, 300, 120);
}

TEST(StringRegexOracle, AgreesOnUnicodeAndWhatIsNot) {
  const std::vector<std::string> atoms = {
      "a",      "\u00E4",     "\u03C3",      ".",        "[a\u00E4]",  "[^a]", "[a-\u03B2]",
      "\\pL",   "\\p{Greek}", "[^\\pL]",     "\\w",      "\\W",        "k",    "s",
      "^",      "$",          "\\b",         "\\PN",     "\U0001F600", "\\d",  "(?i:\u00E4)",
      "[^\\n]", "\\x{3B1}",   "[\\w\u00E4]", "(?i:\\w)", "[^\\W]"};
  const std::vector<std::string> letters = {
      "a", "A", "\u00E4",     "\u00C4", "\u03C3", "\u03C2", "\u03A3", "\u212A", "\u017F",
      "k", "s", "\U0001F600", "\n",     " ",      "1",      "\xC3",   "\xA4",   "\xFF"};
  compare(Generator(atoms, 2), letters, 80, 120);
}

TEST(StringRegexOracle, AgreesWhereThereAreStringsToSweepFor) {
  const std::vector<std::string> atoms = {"zqx",      "qzz",  "xqz",  ".*", "[zqx]",
                                          "z",        "\\n?", "^",    "$",  "(zqx|qzx)",
                                          "(?i:zqx)", ".",    "zqxqz"};
  std::vector<std::string> letters = {"zq", "qz", "z", "q", "x", "\n", "Z", "zqx", "a"};
  compare(Generator(atoms, 3), letters, 60, 300);
  for (int i = 0; i < 60; ++i) letters.push_back(i % 2 == 0 ? "final " : "deposits");
  compare(Generator(atoms, 4), letters, 120, 600);
}

}  // namespace
}  // namespace presso::query::string_regex_oracle_test
