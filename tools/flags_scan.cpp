// SPDX-License-Identifier: MIT
// The flags of `presso scan`: ripgrep's names and meanings, so that fingers and scripts need not
// learn new ones. One difference: -L lists files without a match (grep's meaning), where ripgrep
// follows symbolic links.
#include <limits>

#include "tools/cli/bind.h"
#include "tools/flags_dictionary.h"
#include "tools/scan_settings.h"

namespace presso::cli {
namespace {

constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

/// Sets `target` to `value`; the last of several such flags wins.
template <class T, class Value>
Apply choose(T& target, Value value) {
  return [&target, value](const Given&) -> Status {
    target = value;
    return {};
  };
}

Apply add_pattern(std::vector<ScanSettings::PatternSource>& patterns, bool is_file) {
  return [&patterns, is_file](const Given& given) -> Status {
    patterns.push_back({given.value, is_file});
    return {};
  };
}

Apply syntax_into(ScanSettings::Syntax& syntax, ScanSettings::Syntax wanted) {
  return [&syntax, wanted](const Given& given) -> Status {
    syntax = given.negated ? ScanSettings::Syntax::kRegex : wanted;
    return {};
  };
}

Apply engine_into(Engine& engine) {
  return [&engine](const Given& given) -> Status {
    engine = given.value == "literal" ? Engine::kLiteral
             : given.value == "dfa"   ? Engine::kDfa
             : given.value == "nfa"   ? Engine::kNfa
                                      : Engine::kAuto;
    return {};
  };
}

Apply color_into(ScanSettings::Color& color) {
  return [&color](const Given& given) -> Status {
    using Color = ScanSettings::Color;
    color = given.value == "never"  ? Color::kNever
            : given.value == "auto" ? Color::kAuto
                                    : Color::kAlways;
    return {};
  };
}

std::vector<Flag> pattern_flags(ScanSettings& s) {
  using Case = ScanSettings::Case;
  return {
      {.short_name = 'e',
       .name = "regexp",
       .value_name = "PATTERN",
       .category = kSelection,
       .brief = "look for PATTERN; may be given several times",
       .text = "A line is selected if any of the patterns matches. All operands are then files. "
               "Also the way to look for a pattern that begins with a dash.",
       .apply = add_pattern(s.patterns, false)},
      {.short_name = 'f',
       .name = "file",
       .value_name = "FILE",
       .category = kSelection,
       .brief = "look for each line of FILE; - is standard input",
       .text = "An empty line matches everything, an empty file nothing.",
       .completion = Completion::kFile,
       .apply = add_pattern(s.patterns, true)},
      {.short_name = 'F',
       .name = "fixed-strings",
       .category = kSelection,
       .brief = "take patterns literally",
       .negation = "no-fixed-strings",
       .apply = syntax_into(s.syntax, ScanSettings::Syntax::kFixed)},
      {.name = "like",
       .category = kSelection,
       .brief = "patterns are SQL's LIKE, for whole lines",
       .text = "% stands for any string, _ for any character; \\ before %, _ or itself takes it "
               "literally.",
       .negation = "no-like",
       .apply = syntax_into(s.syntax, ScanSettings::Syntax::kLike)},
      {.name = "no-unicode",
       .category = kSelection,
       .brief = "classes, \\b and case are ASCII's; patterns match bytes",
       .text =
           "Otherwise '.' and classes match characters of UTF-8 only, \\w, \\d, \\s and \\b know "
           "all scripts, and -i folds all letters.",
       .negation = "unicode",
       .apply = [&s](const Given& given) -> Status {
         s.unicode = given.negated;
         return {};
       }},
      {.short_name = 'i',
       .name = "ignore-case",
       .category = kSelection,
       .brief = "ignore case (simple Unicode case folding)",
       .apply = choose(s.letter_case, Case::kIgnore)},
      {.short_name = 's',
       .name = "case-sensitive",
       .category = kSelection,
       .brief = "respect case (default)",
       .apply = choose(s.letter_case, Case::kSensitive)},
      {.short_name = 'S',
       .name = "smart-case",
       .category = kSelection,
       .brief = "ignore case if the patterns have no upper-case letter",
       .apply = choose(s.letter_case, Case::kSmart)},
      {.short_name = 'w',
       .name = "word-regexp",
       .category = kSelection,
       .brief = "match whole words only",
       .text = "On both sides of a match must stand the line's end or a character that is not part "
               "of a word.",
       .apply = choose(s.bounds, MatchBounds::kWord)},
      {.short_name = 'x',
       .name = "line-regexp",
       .category = kSelection,
       .brief = "match whole lines only",
       .apply = choose(s.bounds, MatchBounds::kLine)},
      {.short_name = 'v',
       .name = "invert-match",
       .category = kSelection,
       .brief = "select lines without a match",
       .negation = "no-invert-match",
       .apply = set(s.invert)},
      {.short_name = 'm',
       .name = "max-count",
       .value_name = "NUM",
       .category = kSelection,
       .brief = "stop a file after NUM selected lines",
       .apply = count_into(s.max_count, 0, kNoLimit)},
      {.short_name = 'a',
       .name = "text",
       .category = kSelection,
       .brief = "search binary files as if they were text",
       .text =
           "Without it a file with a NUL byte is reported as a binary file that matches instead "
           "of being printed.",
       .negation = "no-text",
       .apply = set(s.text)},
  };
}

std::vector<Flag> summary_flags(ScanSettings& s) {
  using Counting = ScanSettings::Counting;
  using Listing = ScanSettings::Listing;
  return {
      {.short_name = 'c',
       .name = "count",
       .category = kOutput,
       .brief = "print the number of selected lines of each file",
       .text = "Files without any are left out unless --include-zero is given. With "
               "--only-matching the same as --count-matches.",
       .apply = choose(s.counting, Counting::kLines)},
      {.name = "count-matches",
       .category = kOutput,
       .brief = "print the number of matches of each file",
       .apply = choose(s.counting, Counting::kMatches)},
      {.name = "include-zero",
       .category = kOutput,
       .brief = "with --count, print zeros too",
       .negation = "no-include-zero",
       .apply = set(s.include_zero)},
      {.short_name = 'l',
       .name = "files-with-matches",
       .category = kOutput,
       .brief = "print only the names of files with a match",
       .apply = choose(s.listing, Listing::kWithMatch)},
      {.short_name = 'L',
       .name = "files-without-match",
       .category = kOutput,
       .brief = "print only the names of files without a match",
       .apply = choose(s.listing, Listing::kWithoutMatch)},
      {.short_name = 'q',
       .name = "quiet",
       .category = kOutput,
       .brief = "print nothing; stop at the first match",
       .apply = set(s.quiet)},
  };
}

std::vector<Flag> line_flags(ScanSettings& s) {
  return {
      {.short_name = 'n',
       .name = "line-number",
       .category = kOutput,
       .brief = "print line numbers (default on a terminal)",
       .apply = choose(s.line_number, true)},
      {.short_name = 'N',
       .name = "no-line-number",
       .category = kOutput,
       .brief = "print no line numbers",
       .apply = choose(s.line_number, false)},
      {.short_name = 'b',
       .name = "byte-offset",
       .category = kOutput,
       .brief = "print the offset of each line in the plain text",
       .text = "With --only-matching, of each match.",
       .negation = "no-byte-offset",
       .apply = set(s.byte_offset)},
      {.name = "column",
       .category = kOutput,
       .brief = "print the column, in bytes, of the first match; implies -n",
       .negation = "no-column",
       .apply = set(s.column)},
      {.short_name = 'o',
       .name = "only-matching",
       .category = kOutput,
       .brief = "print each match on a line of its own",
       .apply = set(s.only_matching)},
      {.short_name = 'H',
       .name = "with-filename",
       .category = kOutput,
       .brief = "print file names (default with several files)",
       .apply = choose(s.with_filename, true)},
      {.short_name = 'I',
       .name = "no-filename",
       .category = kOutput,
       .brief = "print no file names",
       .apply = choose(s.with_filename, false)},
      {.name = "heading",
       .category = kOutput,
       .brief = "print the file name once above its lines (default on a terminal)",
       .apply = choose(s.heading, true)},
      {.name = "no-heading",
       .category = kOutput,
       .brief = "print the file name in each line",
       .apply = choose(s.heading, false)},
      {.short_name = '0',
       .name = "null",
       .category = kOutput,
       .brief = "print a NUL byte behind file names",
       .apply = set(s.null_after_path)},
      {.name = "color",
       .value_name = "WHEN",
       .category = kOutput,
       .brief = "colour matches, names and numbers",
       .text = "The variable NO_COLOR turns 'auto' off.",
       .choices = {"auto", "always", "never", "ansi"},
       .default_value = "auto",
       .apply = color_into(s.color)},
  };
}

std::vector<Flag> other_flags(ScanSettings& s) {
  return {
      {.short_name = 'j',
       .name = "threads",
       .value_name = "N",
       .category = kPerformance,
       .brief = "use N threads; 0: all",
       .apply = count_into(s.threads, 0, 1024)},
      {.name = "engine",
       .value_name = "ENGINE",
       .category = kPerformance,
       .brief = "how patterns are looked for",
       .text = "All find the same. 'literal' takes fixed strings only; 'dfa' reads all text with a "
               "deterministic automaton, made as it reads; 'nfa' with sets of states, slowly.",
       .choices = {"auto", "literal", "dfa", "nfa"},
       .default_value = "auto",
       .apply = engine_into(s.engine)},
      {.name = "no-check",
       .category = kPerformance,
       .brief = "do not compare blocks with their checksums",
       .negation = "check",
       .apply = [&s](const Given& given) -> Status {
         s.check = given.negated;
         return {};
       }},
      {.name = "no-index",
       .category = kPerformance,
       .brief = "read all blocks, also where the file has an index",
       .text = "Files made with 'compress --index' know which blocks cannot hold what a pattern "
               "needs; those are not read. The result is the same, but that damage in them goes "
               "unnoticed.",
       .negation = "index",
       .apply = [&s](const Given& given) -> Status {
         s.use_index = given.negated;
         return {};
       }},
      known_dictionary_flag(s.dictionaries),
      {.name = "fail-fast",
       .category = kMessages,
       .brief = "stop at the first damaged block",
       .text = "Otherwise intact blocks are searched, each damaged one is reported, and the exit "
               "status is 2. At a damaged block the line before it ends and the one behind it "
               "begins anew.",
       .apply = set(s.fail_fast)},
      {.name = "stats",
       .category = kOutput,
       .brief = "print numbers about the search behind its results",
       .text = "ripgrep's lines, then the blocks of compressed files: how many there are, how many "
               "were read, skipped by an index, or let through by it though they hold no match.",
       .negation = "no-stats",
       .apply = set(s.stats)},
      {.name = "no-messages",
       .category = kMessages,
       .brief = "print no messages about files that cannot be read",
       .negation = "messages",
       .apply = set(s.no_messages)},
  };
}

}  // namespace

std::vector<Flag> scan_flags(ScanSettings& settings) {
  std::vector<Flag> all;
  for (auto* group : {pattern_flags, summary_flags, line_flags, other_flags}) {
    std::vector<Flag> flags = group(settings);
    all.insert(all.end(), flags.begin(), flags.end());
  }
  return all;
}

}  // namespace presso::cli
