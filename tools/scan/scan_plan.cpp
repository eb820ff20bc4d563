// SPDX-License-Identifier: MIT
// All decisions that depend on the terminal, the environment or several flags at once are here, so
// that printing and searching need none. Nothing is opened. Tested by tests/cli/test_scan_habits.py
// and tests/cli/scan_against_rg.py.
#include "tools/scan/scan_plan.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tools/cli/terminal_text.h"

namespace presso::cli {
namespace {

/// Whether something was piped or redirected into standard input. A terminal or /dev/null has none,
/// so that `presso scan x` there searches the directory.
bool stdin_has_data() {
  struct stat about {};
  return fstat(STDIN_FILENO, &about) == 0 &&
         (S_ISREG(about.st_mode) || S_ISFIFO(about.st_mode) || S_ISSOCK(about.st_mode));
}

/// The end that is printed after lines that have none.
std::string line_end_text(ScanSettings::LineEnd line_end) {
  if (line_end == ScanSettings::LineEnd::kNul) return std::string(1, '\0');
  return line_end == ScanSettings::LineEnd::kCrlf ? "\r\n" : "\n";
}

}  // namespace

/// Whether it is a directory, also through a symbolic link, since operands are followed.
bool is_directory(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) == 0 && S_ISDIR(about.st_mode);
}

/// Settles what the flags mean together: counting decides the context, that and the paths decide
/// how lines are printed.
ScanPlan::ScanPlan(const ScanSettings& settings, std::vector<std::string> operands,
                   bool spans_lines)
    : settings_(settings), spans_lines_(spans_lines) {
  settle_counting();
  choose_paths(std::move(operands));
  choose_context();
  choose_print_options();
}

/// What records cannot go with.
Status ScanPlan::check_records(const ScanSettings& settings) {
  if (!settings.has_records()) return {};
  const std::string flag = settings.record_start ? "--record-start" : "--record";
  if (settings.record_start && settings.record) {
    return make_error(ErrorCode::kInvalidArgument, "--record cannot go with --record-start");
  }
  const auto refuse = [&](std::string_view other, std::string_view why) {
    return make_error(ErrorCode::kInvalidArgument,
                      std::string(other) + " cannot go with " + flag + ": " + std::string(why));
  };
  if (settings.multiline) {
    return refuse("--multiline",
                  "patterns are looked for in each line of a record, so a pattern that one line "
                  "matches will do");
  }
  if (settings.line_end == ScanSettings::LineEnd::kNul) {
    return refuse("--null-data", "records are of lines that line feeds end");
  }
  if (settings.lines.is_limit(1)) {
    return refuse("--lines", "it might cut a record; 'presso cat --lines' in a pipe does that");
  }
  if (!settings.where.empty()) return refuse("--where", "it is about the fields of single lines");
  return {};
}

/// Refuses combinations without a meaning before any file is opened. Error: kInvalidArgument.
Status ScanPlan::check(const ScanSettings& settings) {
  // The pairs that are refused would need one flag to be ignored, which nobody would notice.
  PRESSO_TRY(check_records(settings));
  const bool counts = settings.counting != Counting::kNone || settings.count_total;
  if (settings.json && (counts || settings.listing != Listing::kNone)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--json prints lines; counts and lists of files cannot go with it");
  }
  if (settings.json && settings.list_files) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--json prints lines; --files lists files and cannot go with it");
  }
  if (settings.list_files && !settings.patterns.empty()) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--files searches nothing; -e and -f cannot go with it");
  }
  const bool has_conditions = !settings.required.empty() || !settings.forbidden.empty();
  if (settings.multiline && has_conditions) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--and and --not are about lines; they cannot go with --multiline");
  }
  const bool line_feeds = settings.line_end != ScanSettings::LineEnd::kNul;
  if (!settings.where.empty() && (settings.multiline || !line_feeds)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--where is about lines that end in line feeds; --multiline and --null-data "
                      "cannot go with it");
  }
  const bool has_patterns = !settings.patterns.empty() || has_conditions;
  const bool ignores_case = settings.letter_case == ScanSettings::Case::kIgnore;
  if (!settings.where.empty() && !has_patterns && ignores_case) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--ignore-case is about patterns; in --where, ilike and lower() ignore case");
  }
  if (settings.multiline && settings.syntax == ScanSettings::Syntax::kLike) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--like is about whole lines; it cannot go with --multiline");
  }
  if (settings.multiline && settings.line_end == ScanSettings::LineEnd::kNul) {
    return make_error(ErrorCode::kInvalidArgument,
                      "with --null-data line feeds may be matched as it is; --multiline cannot go "
                      "with it");
  }
  if (settings.uses_times() && settings.multiline) {
    return make_error(
        ErrorCode::kInvalidArgument,
        "--since, --until and --histogram are about lines; they cannot go with --multiline");
  }
  if (settings.uses_times() && settings.line_end == ScanSettings::LineEnd::kNul) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--since, --until and --histogram are about lines that line feeds end; "
                      "--null-data cannot go with them");
  }
  const std::uint64_t context = settings.before_context.value_or(0) +
                                settings.after_context.value_or(0) + settings.both_contexts;
  const bool has_context = context > 0 || settings.passthru;
  if (settings.groups() && (counts || settings.json || settings.quiet || has_context ||
                            settings.listing != Listing::kNone || settings.replacement)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--count-by and --histogram print counts of their own; other counts, lists, "
                      "--json, --quiet, --replace and lines around matches cannot go with them");
  }
  if (!settings.histogram.empty() && !settings.count_by.empty()) {
    return make_error(ErrorCode::kInvalidArgument, "--count-by cannot go with --histogram");
  }
  if (!settings.count_by.empty() && (settings.invert || settings.multiline)) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--count-by is about matches in lines; --invert-match and --multiline cannot "
                      "go with it");
  }
  if (settings.uses_times() && settings.passthru) {
    return make_error(ErrorCode::kInvalidArgument,
                      "--passthru prints lines of any time; --since and --until cannot go with it");
  }
  return {};
}

/// Settles what is counted, by ripgrep's rules for combinations of -c, --count-matches, -o, -v and
/// -U.
void ScanPlan::settle_counting() {
  counting_ = settings_.counting;
  if (settings_.count_total && counting_ == Counting::kNone) counting_ = Counting::kLines;
  if (counting_ == Counting::kMatches && settings_.invert) {
    counting_ = Counting::kLines;
  } else if (counting_ == Counting::kLines && settings_.only_matching) {
    counting_ = Counting::kMatches;
  } else if (counting_ == Counting::kLines && spans_lines_ && !settings_.invert) {
    counting_ = Counting::kMatches;
  }
}

/// Without paths the current directory is searched, or standard input where something is piped in.
void ScanPlan::choose_paths(std::vector<std::string> operands) {
  paths_ = std::move(operands);
  if (paths_.empty()) {
    default_path_ = settings_.list_files || !stdin_has_data();
    paths_.push_back(default_path_ ? "." : "-");
  }
}

/// -C holds for both sides, except where -B or -A says something else.
void ScanPlan::choose_context() {
  before_ = settings_.before_context.value_or(settings_.both_contexts);
  after_ = settings_.after_context.value_or(settings_.both_contexts);
}

/// Fills in how lines are printed. What the flags leave open depends on whether the output is a
/// terminal.
void ScanPlan::choose_print_options() {
  const bool terminal = isatty(STDOUT_FILENO) != 0;
  choose_fields(terminal);
  print_.match_separator = settings_.match_separator;
  print_.context_field_separator = settings_.context_field_separator;
  print_.context_separator = settings_.context_separator;
  print_.context = before_ > 0 || after_ > 0;
  if (settings_.replacement) print_.replacement.emplace(*settings_.replacement);
  // Colours are kept even without a terminal, as --color=always may ask for them.
  print_.colors = settings_.colors;
  LineStyle& line = print_.line;
  if (settings_.max_columns > 0) line.max_columns = settings_.max_columns;
  line.max_columns_preview = settings_.max_columns_preview;
  line.trim = settings_.trim;
  line.only_matching = settings_.only_matching;
  line.line_end = line_end_text(settings_.line_end);
  const bool by_default =
      (settings_.pretty && !settings_.vimgrep) || (terminal && terminal_takes_color());
  line.color = settings_.color == ScanSettings::Color::kAlways ||
               (settings_.color == ScanSettings::Color::kAuto && by_default);
}

/// Chooses the fields before each line, whose defaults depend on the terminal and on how many files
/// there are. --vimgrep sets all fields that an editor needs, and no heading.
void ScanPlan::choose_fields(bool terminal) {
  const bool only_stdin = paths_.size() == 1 && paths_.front() == "-";
  const bool several = paths_.size() > 1 || is_directory(paths_.front());
  const bool vimgrep = settings_.vimgrep;
  print_.with_filename = settings_.with_filename.value_or(several || vimgrep);
  print_.heading = settings_.heading.value_or(terminal || settings_.pretty) && !vimgrep;
  print_.column = settings_.column.value_or(vimgrep);
  const bool numbered = (terminal && !only_stdin) || print_.column || vimgrep || settings_.pretty;
  print_.line_number = settings_.line_number.value_or(numbered);
  print_.byte_offset = settings_.byte_offset;
  print_.per_match = vimgrep;
  print_.spans_lines = spans_lines_;
  print_.records = settings_.has_records();
  print_.null_after_path = settings_.null_after_path;
  print_.path_separator = settings_.path_separator;
}

/// A terminal gets each line at once, a file or pipe large pieces.
bool ScanPlan::line_buffered() const {
  using Buffering = ScanSettings::Buffering;
  if (settings_.buffering != Buffering::kAuto) return settings_.buffering == Buffering::kLine;
  return isatty(STDOUT_FILENO) != 0;
}

/// How binary files are treated: a file that was named is searched and only said to match, one that
/// was found in a directory is left at its NUL. As in ripgrep.
BinaryRule ScanPlan::rule_for(Origin origin) const {
  const bool null_data = settings_.line_end == ScanSettings::LineEnd::kNul;
  // --blocks begins anywhere in a file, so its first bytes say nothing.
  if (settings_.text || null_data || settings_.blocks.is_limit(0)) return BinaryRule::kText;
  if (origin == Origin::kFound && !settings_.binary) return BinaryRule::kQuit;
  return BinaryRule::kMatchOnly;
}

/// The library's options for a file. Where only counts are needed, it is asked for nothing more,
/// and for one line where the first decides. `lines_left`: of the limit over all files. The library
/// stops by itself at the limits, so that nothing is read after them.
ScanOptions ScanPlan::scan_options(BinaryRule rule, std::uint64_t lines_left) const {
  ScanOptions options;
  options.binary = rule;
  options.threads = settings_.threads;
  options.invert = settings_.invert;
  options.decode.verify = settings_.check;
  options.decode.dictionaries = settings_.dictionaries;
  options.use_index = settings_.use_index;
  options.fail_fast = settings_.fail_fast;
  options.multiline_limit = settings_.multiline_limit;
  options.max_lines = std::min(settings_.max_count.value_or(options.max_lines), lines_left);
  options.first_line = settings_.lines.first;
  options.last_line = settings_.lines.last;
  options.first_block = settings_.blocks.first;
  options.last_block = settings_.blocks.last;
  const bool statistics = settings_.statistics || settings_.json;
  // Counting needs no line numbers and no context, and the fastest search looks for nothing else.
  if (counts_only()) {
    options.matches = statistics || (counting_ == Counting::kMatches && !settings_.quiet);
    if (!statistics && first_line_decides()) options.max_lines = 1;
    return options;
  }
  options.line_numbers = settings_.json ? settings_.line_number.value_or(true) : print_.line_number;
  options.matches = statistics || print_.needs_matches();
  options.before_context = before_;
  options.after_context = after_;
  options.passthru = settings_.passthru;
  options.lines_after_nul = settings_.json;
  return options;
}

/// Whether only the existence of a selected line matters, so that a search can end at the first
/// one.
bool ScanPlan::first_line_decides() const {
  if (settings_.quiet) return true;
  return counting_ == Counting::kNone && settings_.listing != Listing::kNone;
}

}  // namespace presso::cli
