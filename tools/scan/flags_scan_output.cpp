// SPDX-License-Identifier: MIT
// The flags of `presso scan` about what a line of output looks like. Tested by
// tests/cli/test_scan_output.py. Each flag sets a member of ScanSettings; which of them wins over
// another is decided in scan_plan.cpp, because that may depend on the terminal.
#include <limits>

#include "tools/cli/bind.h"
#include "tools/scan/scan_settings.h"
#include "tools/scan/scan_unescape.h"

namespace presso::cli {
namespace {

/// --color; "ansi" is ripgrep's name for always with escape sequences.
Apply color_into(ScanSettings::Color& color) {
  return [&color](const Given& given) -> Status {
    using Color = ScanSettings::Color;
    color = given.value == "never"  ? Color::kNever
            : given.value == "auto" ? Color::kAuto
                                    : Color::kAlways;
    return {};
  };
}

/// Takes a separator over, with its escapes.
Apply separator_into(std::string& target) {
  return [&target](const Given& given) -> Status {
    target = unescape(given.value);
    return {};
  };
}

/// The separator that paths are printed with. It is one byte, or '/' for an empty one.
Apply path_separator_into(char& target) {
  return [&target](const Given& given) -> Status {
    const std::string separator = unescape(given.value);
    if (separator.size() > 1) {
      return make_error(ErrorCode::kInvalidArgument,
                        given.spelled + ": '" + given.value + "' is more than one byte");
    }
    target = separator.empty() ? '/' : separator.front();
    return {};
  };
}

/// For --line-buffered and --block-buffered, of which the last one wins. A negation goes back to
/// what the output suggests.
Apply buffering(ScanSettings::Buffering& target, ScanSettings::Buffering value) {
  return [&target, value](const Given& given) -> Status {
    target = given.negated ? ScanSettings::Buffering::kAuto : value;
    return {};
  };
}

/// The flags about the fields before a line, and about counts in place of lines.
std::vector<Flag> line_flags(ScanSettings& s) {
  return {
      {.name = "count-by",
       .value_name = "TEMPLATE",
       .category = kOutput,
       .brief = "count matches by TEMPLATE and print the counts, the most frequent first",
       .text = "As in --replace, $0 stands for the match, $1 and $name for groups; '$0' counts "
               "different matches. All files are counted together.",
       .apply = text_into(s.count_by)},
      {.name = "histogram",
       .value_name = "SPAN",
       .category = kOutput,
       .brief = "count lines by their time, in spans of 30s, 15m, 1h, 1d, 1w or the like",
       .text = "Prints bars on a terminal, else CSV. All files are counted together. Times are "
               "those of "
               "--since; where lines tell a zone, spans are those of --tz.",
       .apply = text_into(s.histogram)},
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
       .text = "With --only-matching, the offset of each match.",
       .negation = "no-byte-offset",
       .apply = set(s.byte_offset)},
      {.name = "column",
       .category = kOutput,
       .brief = "print the column, in bytes, of the first match; implies -n",
       .negation = "no-column",
       .apply = [&s](const Given& given) -> Status {
         s.column = !given.negated;
         return {};
       }},
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
       .brief = "print a NUL byte after file names",
       .apply = set(s.null_after_path)},
  };
}

/// The flags about how much of a line is printed, and --replace. A limit is in bytes, as in
/// ripgrep; only the preview counts characters.
std::vector<Flag> width_flags(ScanSettings& s) {
  return {
      {.short_name = 'M',
       .name = "max-columns",
       .value_name = "NUM",
       .category = kOutput,
       .brief = "leave out the text of lines of more than NUM bytes; 0: never",
       .apply = number_into(s.max_columns, 0, kNoLimit)},
      {.name = "max-columns-preview",
       .category = kOutput,
       .brief = "with --max-columns, print the beginning of such lines",
       .negation = "no-max-columns-preview",
       .apply = set(s.max_columns_preview)},
      {.name = "trim",
       .category = kOutput,
       .brief = "leave out white space at the beginning of lines",
       .negation = "no-trim",
       .apply = set(s.trim)},
      {.short_name = 'r',
       .name = "replace",
       .value_name = "TEXT",
       .category = kOutput,
       .brief = "print TEXT in place of each match",
       .text =
           "$0 stands for the match, $1 and ${name} for its groups (fixed strings have none), "
           "$$ for a dollar sign. Files are never changed. (grep's -r is not needed: directories "
           "are searched recursively.)",
       .apply = [&s](const Given& given) -> Status {
         s.replacement = given.value;
         return {};
       }},
  };
}

/// The flags about other forms of output, and the separators.
std::vector<Flag> form_flags(ScanSettings& s) {
  return {
      {.name = "json",
       .category = kOutput,
       .brief = "print JSON Lines, as ripgrep does",
       .text = "The messages are begin, match, context, end and summary. If several patterns "
               "were given, \"pattern\" in each submatch is the number of its pattern, counted "
               "from 0 in the order of the command line. Not together with flags that print "
               "counts or lists of files.",
       .negation = "no-json",
       .apply = set(s.json)},
      {.name = "stats",
       .category = kOutput,
       .brief = "print figures about the search after its results",
       .negation = "no-stats",
       .apply = set(s.statistics)},
      {.name = "vimgrep",
       .category = kOutput,
       .brief = "print a line for each match, with file name, line number and column",
       .apply = choose(s.vimgrep, true)},
      // The separators keep ripgrep's defaults, ':' for matches and '-' for context lines.
      {.name = "field-match-separator",
       .value_name = "TEXT",
       .category = kOutput,
       .brief = "print TEXT after names and numbers in matching lines",
       .text = "Escapes such as \\t and \\x7F are understood.",
       .default_value = ":",
       .apply = separator_into(s.match_separator)},
      {.name = "field-context-separator",
       .value_name = "TEXT",
       .category = kOutput,
       .brief = "print TEXT after names and numbers in context lines",
       .default_value = "-",
       .apply = separator_into(s.context_field_separator)},
      {.name = "path-separator",
       .value_name = "BYTE",
       .category = kOutput,
       .brief = "what to print for the slashes in file names",
       .apply = path_separator_into(s.path_separator)},
  };
}

/// The flags about colours and buffering.
std::vector<Flag> terminal_flags(ScanSettings& s) {
  using Buffering = ScanSettings::Buffering;
  return {
      {.name = "color",
       .value_name = "WHEN",
       .category = kOutput,
       .brief = "colour matches, names and numbers",
       .text = "If the environment variable NO_COLOR is set and not empty, 'auto' is never.",
       .choices = {"auto", "always", "never", "ansi"},
       .default_value = "auto",
       .apply = color_into(s.color)},
      {.name = "colors",
       .value_name = "SPEC",
       .category = kOutput,
       .brief = "set a colour: TYPE:ATTRIBUTE:VALUE",
       .text = "TYPE is path, line, column or match, ATTRIBUTE fg, bg or style. VALUE is a colour "
               "(black, red, green, yellow, blue, magenta, cyan, white, 0 to 255, or R,G,B) or a "
               "style (bold, intense, underline, or one with 'no' before it). TYPE:none clears "
               "all. May be given several times.",
       .apply = [&s](const Given& given) -> Status { return s.colors.apply(given.value); }},
      {.short_name = 'p',
       .name = "pretty",
       .category = kOutput,
       .brief = "the same as --color=always --heading --line-number",
       .apply = [&s](const Given&) -> Status {
         s.pretty = true;
         return {};
       }},
      {.name = "line-buffered",
       .category = kOutput,
       .brief = "write each line at once (default on a terminal)",
       .negation = "no-line-buffered",
       .apply = buffering(s.buffering, Buffering::kLine)},
      {.name = "block-buffered",
       .category = kOutput,
       .brief = "write large pieces (default elsewhere)",
       .negation = "no-block-buffered",
       .apply = buffering(s.buffering, Buffering::kBlock)},
  };
}

}  // namespace

/// How lines are printed, by groups of flags.
std::vector<Flag> scan_output_flags(ScanSettings& settings) {
  std::vector<Flag> all;
  for (auto* group : {line_flags, width_flags, form_flags, terminal_flags}) {
    std::vector<Flag> flags = group(settings);
    all.insert(all.end(), flags.begin(), flags.end());
  }
  return all;
}

}  // namespace presso::cli
