// SPDX-License-Identifier: MIT
#include "lab/programs/scan_gpu/bench_patterns.h"

#include <algorithm>
#include <cctype>
#include <random>
#include <set>

#include "scan/automaton/line_dfa.h"
#include "scan/matching/line_scan.h"
#include "scan/pattern/pattern_access.h"
#include "scan/syntax/parser.h"
#include "tests/support/line_dfas.h"

namespace presso::gpu::bench {
namespace {

using scan_detail::LineDfa;

constexpr scan_detail::LineDfaLimits kLimits{200'000, 65'534};
/// More of them take the library's subset construction minutes.
constexpr std::size_t kMostCompiledWords = 100;

Result<LineDfa> automaton_of(const std::string& source, const scan_detail::Node& root) {
  PRESSO_ASSIGN(const scan_detail::Program program, scan_detail::compile_program(root, {}));
  std::optional<LineDfa> dfa = scan_detail::make_line_dfa(program, kLimits);
  if (!dfa) return make_error(ErrorCode::kInvalidArgument, source + ": no automaton over lines");
  return std::move(*dfa);
}

std::string escaped(const std::string& word) {
  std::string text;
  for (const char letter : word) {
    if (static_cast<Byte>(letter) < 0x80 && !std::isalnum(static_cast<Byte>(letter))) text += '\\';
    text += letter;
  }
  return text;
}

std::vector<std::string> random_words(std::size_t count, std::size_t least, std::size_t most) {
  std::mt19937_64 random(7 + count + least);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < count; ++i) {
    std::string word;
    for (std::size_t size = least + random() % (most - least + 1); word.size() < size;) {
      word += static_cast<char>('a' + random() % 26);
    }
    words.push_back(word);
  }
  return words;
}

/// Different words of four letters and more, evenly spread over the text.
std::vector<std::string> words_of(Bytes text, std::size_t count) {
  std::set<std::string> words;
  for (std::size_t i = 0; words.size() < count && i < 20 * count; ++i) {
    std::string word;
    for (std::size_t at = text.size() / (20 * count + 1) * i; at < text.size(); ++at) {
      if (std::isalpha(text[at]) != 0) {
        word += static_cast<char>(text[at]);
      } else if (word.size() >= 4) {
        break;
      } else {
        word.clear();
      }
    }
    if (word.size() >= 4) words.insert(word);
  }
  return {words.begin(), words.end()};
}

/// Stretches of the text within lines: each is a hit at one place at least.
std::vector<std::string> stretches_of(Bytes text, std::size_t count) {
  std::mt19937_64 random(11);
  std::vector<std::string> stretches;
  while (stretches.size() < count) {
    const std::size_t size = 12 + random() % 20;
    const std::size_t at = random() % (text.size() - size);
    const std::string stretch(text.begin() + static_cast<std::ptrdiff_t>(at),
                              text.begin() + static_cast<std::ptrdiff_t>(at + size));
    if (stretch.find('\n') == std::string::npos) stretches.push_back(stretch);
  }
  return stretches;
}

std::vector<std::string> users(std::size_t count) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < count; ++i) names.push_back("user" + std::to_string(i * 7919));
  return names;
}

Status add(std::vector<BenchPattern>& to, Result<BenchPattern> pattern) {
  if (!pattern.ok()) return pattern.error();
  to.push_back(std::move(*pattern));
  return {};
}

Status add_literals(std::vector<BenchPattern>& to, Bytes text) {
  PRESSO_TRY(add(to, literals("absent", {"zqxwvjkq"})));
  PRESSO_TRY(add(to, literals("rare", {"Chuzzlew"})));
  PRESSO_TRY(add(to, literals("the", {"the"})));
  PRESSO_TRY(add(to, literals("e", {"e"})));
  PRESSO_TRY(add(to, literals("(?i)logonprocess", {"logonprocess"}, true)));
  PRESSO_TRY(add(to, literals("a, of", {"a", "of"})));
  PRESSO_TRY(add(to, literals("3 rare", {"Chuzzlew", "theodoli", "Firewall"})));
  PRESSO_TRY(add(to, literals("5 literals", {"error", "fail", "denied", "user", "account"})));
  PRESSO_TRY(add(to, literals("400 words", random_words(400, 4, 8))));
  PRESSO_TRY(add(to, literals("1000 words", random_words(1000, 5, 9))));
  PRESSO_TRY(add(to, literals("1000 of 7-16", random_words(1000, 7, 16))));
  PRESSO_TRY(add(to, literals("1000 of 12-20", random_words(1000, 12, 20))));
  PRESSO_TRY(add(to, literals("1000 of its words", words_of(text, 1000))));
  PRESSO_TRY(add(to, literals("1000 stretches", stretches_of(text, 1000))));
  PRESSO_TRY(add(to, literals("4000 words", random_words(4000, 4, 8))));
  PRESSO_TRY(add(to, literals("10000 words", random_words(10000, 5, 12))));
  PRESSO_TRY(add(to, literals("10000 of 9-20", random_words(10000, 9, 20))));
  PRESSO_TRY(add(to, literals("10000 stretches", stretches_of(text, 10000))));
  PRESSO_TRY(add(to, literals("10000 users", users(10000))));
  std::vector<std::string> mixed = random_words(10000, 7, 20);
  mixed.insert(mixed.end(), {"qz", "Qx", "zq!", "#~"});
  return add(to, literals("10000 and 4 short", mixed));
}

Status add_expressions(std::vector<BenchPattern>& to) {
  const std::string words = "(error|warning|denied|refused|ironic)";
  const std::string others = "(user|account|session|packages)";
  PRESSO_TRY(add(to, regex("rx0 date", "[0-9]{4}-[0-9]{2}-[0-9]{2}")));
  PRESSO_TRY(add(to, regex("rx1 error.*user", "(error|fail|denied).*(user|account)")));
  PRESSO_TRY(add(to, regex("rx1 of bytes", "(?-u)(error|fail|denied).*(user|account)")));
  PRESSO_TRY(add(to, regex("rx2 url", "(http|https)://[a-z0-9.-]+\\.(de|fr|uk)/")));
  PRESSO_TRY(add(to, regex("rx3 ing", "[A-Za-z]+ing[^A-Za-z]")));
  PRESSO_TRY(add(to, regex("ing(?-u:\\b)", "[A-Za-z]+ing(?-u:\\b)")));
  PRESSO_TRY(add(to, regex("(?-u:\\b)error", "(?-u:\\b)error(?-u:\\b)")));
  PRESSO_TRY(add(to, regex("rx4 30 letters", "[A-Za-z]{30}")));
  PRESSO_TRY(add(to, regex("\\p{Lu}\\p{Ll}+", "\\p{Lu}\\p{Ll}+")));
  PRESSO_TRY(add(to, regex("\\p{Greek}", "\\p{Greek}")));
  PRESSO_TRY(add(to, regex("(?i)error|warning", "(?i)error|warning|denied")));
  PRESSO_TRY(add(to, like("LIKE special", "%special%requests%")));
  PRESSO_TRY(add(to, regex("rx7 words near", words + "(?-u:.{0,5})" + others)));
  PRESSO_TRY(add(to, regex("near .{0,9}", words + "(?-u:.{0,9})" + others)));
  return add(to, regex("^.{40}.*a", "^(?-u:.{40}.*)a"));
}

}  // namespace

Result<BenchPattern> regex(const std::string& name, const std::string& source) {
  BenchPattern made;
  made.name = name;
  PRESSO_ASSIGN(const scan_detail::ParsedPattern parsed, scan_detail::parse_pattern(source, {}));
  PRESSO_ASSIGN(made.dfa, automaton_of(source, parsed.root));
  PRESSO_ASSIGN(made.pattern, Pattern::compile(std::vector<std::string>{source}));
  return made;
}

Result<BenchPattern> like(const std::string& name, const std::string& source) {
  BenchPattern made;
  made.name = name;
  PRESSO_ASSIGN(const scan_detail::ParsedPattern parsed, scan_detail::parse_like(source, '\\', {}));
  PRESSO_ASSIGN(made.dfa, automaton_of(source, parsed.root));
  PRESSO_ASSIGN(made.pattern, Pattern::compile_like(std::vector<std::string>{source}));
  return made;
}

/// Case of ASCII letters only, as the engines for literals on a GPU have it.
Result<BenchPattern> literals(const std::string& name, const std::vector<std::string>& words,
                              bool ignore_case) {
  std::string source = ignore_case ? "(?i-u)(?:" : "(?-u)(?:";
  for (const std::string& word : words) source.append(escaped(word)).push_back('|');
  source.back() = ')';
  BenchPattern made;
  made.name = name;
  made.words = words;
  made.ignore_case = ignore_case;
  if (words.size() > kMostCompiledWords) {
    if (words.size() <= kMostAutomatonWords) made.dfa = presso::test::words_dfa(words);
  } else {
    PRESSO_ASSIGN(const scan_detail::ParsedPattern parsed, scan_detail::parse_pattern(source, {}));
    PRESSO_ASSIGN(made.dfa, automaton_of(name, parsed.root));
  }
  PatternOptions options;
  if (ignore_case) {
    PRESSO_ASSIGN(made.pattern, Pattern::compile(std::vector<std::string>{source}));
  } else {
    PRESSO_ASSIGN(made.pattern, Pattern::compile_literals(words, options));
  }
  return made;
}

Result<std::vector<BenchPattern>> usual_patterns(Bytes text) {
  std::vector<BenchPattern> patterns;
  PRESSO_TRY(add_literals(patterns, text));
  PRESSO_TRY(add_expressions(patterns));
  return patterns;
}

std::uint64_t count_on_cpu(const Pattern& pattern, Bytes text) {
  scan_detail::LineScanner scanner(scan_detail::matcher_of(pattern), {}, cpu_level());
  // By the piece: some searchers make tables as large as what they are given.
  constexpr std::size_t kPiece = std::size_t{1} << 20;
  std::uint64_t lines = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t most = std::min(kPiece, text.size() - at);
    std::size_t end = scan_detail::line_begin(text, at, at + most);
    if (end == at) end = scan_detail::line_end(text, at + most);
    lines += scanner.scan(text.subspan(at, end - at)).lines;
    at = end;
  }
  return lines;
}

}  // namespace presso::gpu::bench
