// SPDX-License-Identifier: MIT
// Random patterns and texts: what RE2 and PCRE2 find, every engine finds.
#define PCRE2_CODE_UNIT_WIDTH 8
#include <gtest/gtest.h>
#include <pcre2.h>
#include <re2/re2.h>

#include <memory>
#include <random>

#include "presso/cpu.h"
#include "presso/pattern.h"
#include "scan/matching/matcher.h"
#include "scan/pattern/pattern_access.h"

namespace presso::scan_detail::regex_oracle_test {
namespace {

using Found = std::optional<MatchSpan>;

/// Both oracles are asked about patterns that mean the same to all.
struct Dialect {
  bool unicode = false;
  std::vector<std::string> atoms;
  std::vector<std::string> letters;  ///< of texts
};

const Dialect kBytes = {false,
                        {"a", "b", "c", "ab", ".", "[ab]", "[^a]", "[a-c]", "\\w", "\\d", "\\s",
                         "\\b", "\\B", "^", "$", "-", "[[:upper:]]", "\\W", "1"},
                        {"a", "b", "c", "A", " ", "-", "1", "_"}};
const Dialect kUnicode = {true,
                          {"a", "\u00e9", "\u03b1", ".", "[a\u00e9]", "[^a]", "[a-\u03b2]", "\\pL",
                           "\\p{Greek}", "^", "$", "\U0001F600", "[^\\pL]", "-"},
                          {"a", "b", "\u00e9", "\u03b1", "\u03b2", "\U0001F600", "-", " ", "1"}};

class Generator {
 public:
  Generator(const Dialect& dialect, std::uint32_t seed) : dialect_(dialect), random_(seed) {}

  std::string pattern() { return piece(3); }

  std::string text() {
    std::string made;
    for (std::size_t left = below(13); left > 0; --left) made += pick(dialect_.letters);
    return made;
  }

  std::size_t below(std::size_t limit) { return random_() % limit; }

 private:
  std::string piece(int depth) {
    const std::string first = depth == 0 ? "" : piece(depth - 1);
    switch (depth == 0 ? 0 : below(8)) {
      case 0:
      case 1:
        return pick(dialect_.atoms);
      case 2:
      case 3:
        return first + piece(depth - 1);
      case 4:
        return std::string("(?:").append(first).append("|").append(piece(depth - 1)).append(")");
      case 5:
        return std::string("(").append(first).append(")");
      default:
        return std::string("(?:").append(filled(first)).append(")").append(pick(kTimes));
    }
  }
  /// Never empty: of loops over what may be empty PCRE2 thinks differently.
  std::string filled(const std::string& inside) {
    const std::string letter = dialect_.unicode ? "\u00e9" : "[ab]";
    return below(2) == 0 ? letter + inside : inside + letter;
  }
  const std::string& pick(const std::vector<std::string>& from) { return from[below(from.size())]; }

  inline static const std::vector<std::string> kTimes = {"*",  "+",   "?",     "*?",  "+?",
                                                         "??", "{2}", "{1,2}", "{2,}"};
  const Dialect& dialect_;
  std::mt19937 random_;
};

class Oracles {
 public:
  Oracles(const std::string& pattern, bool unicode) {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_encoding(unicode ? RE2::Options::EncodingUTF8 : RE2::Options::EncodingLatin1);
    re2_ = std::make_unique<RE2>(pattern, options);
    int error = 0;
    PCRE2_SIZE offset = 0;
    pcre2_.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                               (unicode ? PCRE2_UTF | PCRE2_UCP : 0) | PCRE2_DOLLAR_ENDONLY, &error,
                               &offset, nullptr));
    if (pcre2_) data_.reset(pcre2_match_data_create_from_pattern(pcre2_.get(), nullptr));
  }
  bool ok() const { return re2_->ok() && pcre2_ != nullptr; }

  Found re2(const std::string& text, std::size_t from) const {
    re2::StringPiece match;
    if (!re2_->Match(text, from, text.size(), RE2::UNANCHORED, &match, 1)) return std::nullopt;
    const auto begin = static_cast<std::size_t>(match.data() - text.data());
    return MatchSpan{begin, begin + match.size()};
  }
  Found pcre2(const std::string& text, std::size_t from) const {
    const int count = pcre2_match(pcre2_.get(), reinterpret_cast<PCRE2_SPTR>(text.data()),
                                  text.size(), from, 0, data_.get(), nullptr);
    if (count < 0) return std::nullopt;
    const PCRE2_SIZE* const at = pcre2_get_ovector_pointer(data_.get());
    return MatchSpan{at[0], at[1]};
  }

 private:
  struct Free {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
  };
  std::unique_ptr<RE2> re2_;
  std::unique_ptr<pcre2_code, Free> pcre2_;
  std::unique_ptr<pcre2_match_data, Free> data_;
};

std::string spell(const Found& found) {
  if (!found) return "none";
  return std::to_string(found->begin) + "-" + std::to_string(found->end);
}

class Engines {
 public:
  Engines(const std::string& pattern, bool unicode) {
    for (const Engine engine : {Engine::kAuto, Engine::kDfa, Engine::kBitset, Engine::kNfa}) {
      PatternOptions options;
      options.unicode = unicode;
      options.engine = engine;
      auto made = Pattern::compile({&pattern, 1}, options);
      EXPECT_TRUE(made.ok()) << pattern << ": " << made.error().message();
      if (!made.ok()) return;
      patterns_.push_back(*made);
      searchers_.push_back(matcher_of(patterns_.back()).searcher(cpu_level()));
    }
  }
  bool ok() const { return searchers_.size() == 4; }

  void expect(const Found& expected, const std::string& pattern, const std::string& text,
              std::size_t from, const char* oracle) {
    for (std::size_t i = 0; i < searchers_.size(); ++i) {
      searchers_[i]->start({reinterpret_cast<const Byte*>(text.data()), text.size()});
      const Found found = searchers_[i]->next(from);
      ASSERT_EQ(spell(found), spell(expected))
          << "pattern " << pattern << " in '" << text << "' from " << from << ", engine " << i
          << ", " << oracle;
    }
  }

 private:
  std::vector<Pattern> patterns_;
  std::vector<std::unique_ptr<Searcher>> searchers_;
};

/// PRESSO_REGEX_PATTERNS: how many; 40 texts each.
std::size_t patterns_wanted() {
  const char* const wanted = std::getenv("PRESSO_REGEX_PATTERNS");
  return wanted != nullptr ? std::strtoull(wanted, nullptr, 10) : 1500;
}

void compare(const Dialect& dialect, std::uint32_t seed) {
  Generator generator(dialect, seed);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < patterns_wanted(); ++i) {
    const std::string pattern = generator.pattern();
    const Oracles oracles(pattern, dialect.unicode);
    Engines engines(pattern, dialect.unicode);
    ASSERT_TRUE(engines.ok()) << pattern;
    if (!oracles.ok()) continue;
    for (int repeat = 0; repeat < 40; ++repeat) {
      const std::string text = generator.text();
      if (text.empty()) continue;  // after the last line nothing matches here
      std::size_t from = repeat % 2 == 0 ? 0 : generator.below(text.size());
      while (dialect.unicode && (static_cast<Byte>(text[from]) & 0xC0) == 0x80) ++from;
      ASSERT_NO_FATAL_FAILURE(engines.expect(oracles.re2(text, from), pattern, text, from, "RE2"));
      ASSERT_NO_FATAL_FAILURE(
          engines.expect(oracles.pcre2(text, from), pattern, text, from, "PCRE2"));
      ++compared;
    }
  }
  ASSERT_GT(compared, 10 * patterns_wanted());
}

TEST(RegexOracle, BytesAreFoundAsByRe2AndPcre2) {
  compare(kBytes, 1);
}
TEST(RegexOracle, CharactersAreFoundAsByRe2AndPcre2) {
  compare(kUnicode, 2);
}

}  // namespace
}  // namespace presso::scan_detail::regex_oracle_test
