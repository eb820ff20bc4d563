// SPDX-License-Identifier: MIT
// The flags of `presso scan`. They have ripgrep's names and meanings, so that people and scripts
// need not learn new ones. One differs: -L lists files without a match, as in grep; in ripgrep it
// follows symbolic links. Flags about context, files, output and matches across lines are in files
// of their own. Tested by tests/cli/test_scan_habits.py and scan_against_rg.py. A flag of ripgrep
// that would mean something else here is declined with a hint (flags_scan_others.cpp) rather than
// given another meaning.
#include <limits>

#include "tools/cli/bind.h"
#include "tools/compress/flags_dictionary.h"
#include "tools/scan/scan_settings.h"

namespace presso::cli {
namespace {

/// Adds a pattern, or a file of patterns, to those to look for. Files are read later, when the
/// command runs, since help must not touch them.
Apply add_pattern(std::vector<ScanSettings::PatternSource>& patterns, bool is_file) {
  return [&patterns, is_file](const Given& given) -> Status {
    patterns.push_back({given.value, is_file});
    return {};
  };
}

/// Sets how patterns are read; the negation makes them regular expressions again.
Apply syntax_into(ScanSettings::Syntax& syntax, ScanSettings::Syntax wanted) {
  return [&syntax, wanted](const Given& given) -> Status {
    syntax = given.negated ? ScanSettings::Syntax::kRegex : wanted;
    return {};
  };
}

/// Reads --engine, which forces an engine where it can take the pattern. The parser has checked the
/// name, so the last case is auto.
Apply engine_into(Engine& engine) {
  return [&engine](const Given& given) -> Status {
    engine = given.value == "literal"  ? Engine::kLiteral
             : given.value == "dfa"    ? Engine::kDfa
             : given.value == "nfa"    ? Engine::kNfa
             : given.value == "bitset" ? Engine::kBitset
                                       : Engine::kAuto;
    return {};
  };
}

/// For --null-data and --crlf, of which the last one wins.
Apply line_end(ScanSettings::LineEnd& target, ScanSettings::LineEnd value) {
  return [&target, value](const Given& given) -> Status {
    target = given.negated ? ScanSettings::LineEnd::kLineFeed : value;
    return {};
  };
}

/// Parses "A-B", "A-", "-B" or "A" alone; `least` is the number of the first line or block. Error:
/// kInvalidArgument for a range without numbers, or one that ends before it begins.
Apply range_into(ScanRange& range, std::uint64_t least) {
  return [&range, least](const Given& given) -> Status {
    const std::string& text = given.value;
    const std::size_t dash = text.find('-');
    const std::string first = text.substr(0, dash);
    const std::string last = dash == text.npos ? first : text.substr(dash + 1);
    if (first.empty() && last.empty()) {
      return make_error(ErrorCode::kInvalidArgument,
                        given.spelled + ": '" + text + "' is not of the form A-B, A-, -B or A");
    }
    // An end that is left out stays at its extreme.
    range = {least, kNoLimit};
    if (!first.empty()) {
      PRESSO_ASSIGN(range.first, parse_number(given.spelled, first, least, kNoLimit));
    }
    if (!last.empty()) {
      PRESSO_ASSIGN(range.last, parse_number(given.spelled, last, range.first, kNoLimit));
    }
    return {};
  };
}

/// The flags about what to look for and in which lines. --and and --not go beyond ripgrep: they
/// spare a second scan in a pipe, and keep line numbers and context right.
std::vector<Flag> pattern_flags(ScanSettings& s) {
  using LineEnd = ScanSettings::LineEnd;
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
       .text = "Lines may end in \\r\\n. An empty line matches everything, an empty file nothing.",
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
       .aliases = {"no-pcre2-unicode"},
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
       .text = "Before and after a match there must be the line's end, or a character that is not "
               "part of a word.",
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
      {.name = "and",
       .value_name = "PATTERN",
       .category = kSelection,
       .brief = "select only lines that match PATTERN too",
       .text = "May be given several times. -i, -w, -x and -F apply to it as to the other "
               "patterns; -v inverts the result of all of them.",
       .apply = add_text(s.required)},
      {.name = "not",
       .value_name = "PATTERN",
       .category = kSelection,
       .brief = "select only lines that do not match PATTERN",
       .text = "May be given several times.",
       .apply = add_text(s.forbidden)},
      {.name = "where",
       .value_name = "CONDITION",
       .category = kSelection,
       .brief = "select only lines of JSON or logfmt whose fields meet CONDITION",
       .text =
           "Conditions are those of 'presso select', on fields such as level, user.name and "
           "tags[1]. All operands are then files; -e adds patterns, which must match, too. A "
           "line beginning with '{' is JSON, any other logfmt (level=error ms=512), and a field "
           "that a line does not have is null. May be given several times.",
       .apply = add_text(s.where)},
      {.name = "crlf",
       .category = kSelection,
       .brief = "take \\r\\n as the end of lines",
       .text = "Then -x also matches lines that end in a carriage return, and lines without an end "
               "are printed with this one.",
       .negation = "no-crlf",
       .apply = line_end(s.line_end, LineEnd::kCrlf)},
      {.name = "null-data",
       .category = kSelection,
       .brief = "take NUL bytes as the ends of lines",
       .text = "Implies --text.",
       .apply = line_end(s.line_end, LineEnd::kNul)},
      {.name = "lines",
       .value_name = "A-B",
       .category = kSelection,
       .brief = "search only the lines A to B, counted from 1",
       .text = "A-, -B and A alone are permitted. Blocks after line B are not decoded. It is no "
               "error if a file has fewer than A lines.",
       .apply = range_into(s.lines, 1)},
      {.name = "blocks",
       .value_name = "A-B",
       .category = kSelection,
       .brief = "search only the blocks A to B of compressed files, counted from 0",
       .text = "Other blocks are not decoded. A line that reaches beyond the first or the last "
               "of them is searched as far as it lies within; line numbers begin at the first "
               "block. 'presso info --blocks' lists the blocks. Files that presso did "
               "not compress have none and are errors, and so are files that end before block A.",
       .apply = range_into(s.blocks, 0)},
      {.name = "max-total",
       .value_name = "NUM",
       .category = kSelection,
       .brief = "stop after NUM selected lines of all files together",
       .apply = number_into(s.max_total, 0, kNoLimit)},
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
           "Without it, a file is binary if there is a NUL byte in its first 64 KiB or in a line "
           "that is to be printed. Instead of that line only the fact that it matches is printed; "
           "binary files that are found in directories are passed over. Counts and lists of files "
           "look at the first 64 KiB of files found in directories only.",
       .negation = "no-text",
       .apply = set(s.text)},
  };
}

/// The flags that print counts or lists in place of lines. Counts and lists exclude each other by
/// the rules in scan_plan.cpp, not here.
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
      {.name = "count-total",
       .category = kOutput,
       .brief = "print one number, the selected lines of all files together",
       .text = "With --count-matches or --only-matching it is the number of matches.",
       .negation = "no-count-total",
       .apply = set(s.count_total)},
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

/// The flags about how to search and what is said about it. ripgrep's --threads is -j here as
/// there; the flags of presso alone are --engine, --no-check, --no-index, --explain and
/// --force-progress.
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
       .text = "All find the same. 'literal' takes fixed strings only. The others read all text: "
               "'dfa' with a deterministic automaton that is built while reading; 'bitset' with "
               "sets of up to 16384 states as bits, whose memory and time are bounded for every "
               "pattern; 'nfa' with lists of states, slowly.",
       .choices = {"auto", "literal", "dfa", "bitset", "nfa"},
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
       .brief = "read all blocks, even if the file has an index",
       .text =
           "In files made with 'compress --index', blocks that cannot hold a match are not read. "
           "The result is the same, except that damage in those blocks goes unnoticed.",
       .negation = "index",
       .apply = [&s](const Given& given) -> Status {
         s.use_index = given.negated;
         return {};
       }},
      known_dictionary_flag(s.dictionaries),
      {.name = "explain",
       .category = kMessages,
       .brief = "say on standard error how the search is done and how fast it was",
       .text = "For each file with 1 MiB of text or more: its blocks, how many of them the index "
               "leaves to be read, the device that searched it and why, and the time that it took.",
       .apply = set(s.explain)},
      {.name = "progress",
       .category = kMessages,
       .brief = "show bytes and rate on standard error while searching, if it is a terminal",
       .negation = "no-progress",
       .apply = set(s.progress)},
      {.name = "force-progress",
       .category = kMessages,
       .brief = "the same, also if standard error is not a terminal (a line each second)",
       .apply = set(s.force_progress)},
      {.name = "no-config",
       .category = kOther,
       .brief = "do not read the file that PRESSO_CONFIG_PATH names",
       .text = "That file has options for 'presso scan', which come before those of the command "
               "line: one argument on each line. Empty lines and lines that begin with # are left "
               "out. Only this command reads it.",
       .apply = [](const Given&) -> Status { return {}; }},
      {.name = "fail-fast",
       .category = kMessages,
       .brief = "stop at the first damaged block",
       .text = "Otherwise intact blocks are searched, each damaged one is reported, and the exit "
               "status is 2. A line that reaches into a damaged block ends at it, and a new line "
               "begins after it.",
       .apply = set(s.fail_fast)},
      {.name = "no-messages",
       .category = kMessages,
       .brief = "print no messages about files that cannot be read",
       .negation = "messages",
       .apply = set(s.no_messages)},
  };
}

}  // namespace

/// All flags, group by group, in the order of the help page.
std::vector<Flag> scan_flags(ScanSettings& settings) {
  // The flags of times and of the device come last, since other commands have them, too.
  std::vector<Flag> all;
  for (auto* group :
       {pattern_flags, scan_multiline_flags, scan_record_flags, summary_flags, scan_context_flags,
        scan_output_flags, scan_file_flags, scan_type_flags, other_flags, scan_other_tools_flags}) {
    std::vector<Flag> flags = group(settings);
    all.insert(all.end(), flags.begin(), flags.end());
  }
  std::vector<Flag> times = time_flags(settings.times);
  std::move(times.begin(), times.end(), std::back_inserter(all));
  std::vector<Flag> device = device_flags(settings.device, "search on the CPU or on a GPU");
  std::move(device.begin(), device.end(), std::back_inserter(all));
  return all;
}

}  // namespace presso::cli
