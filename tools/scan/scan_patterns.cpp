// SPDX-License-Identifier: MIT
// Patterns are checked for what the library would refuse with a worse message. The texts of -f are
// read once, in the order of the command line, since standard input can only be read once. Tested
// by tests/cli/test_scan.py.
#include "tools/scan/scan_patterns.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "presso/expression.h"
#include "presso/field_condition.h"
#include "tools/cli/message.h"
#include "tools/cli/text_lines.h"

namespace presso::cli {
namespace {

/// An error in the words for the user.
Error refuse(std::string what) {
  return make_error(ErrorCode::kInvalidArgument, std::move(what));
}

/// Checks one pattern's bytes. Error: not UTF-8, or a line feed where matches cannot hold one.
Status check(const std::string& pattern, bool may_hold_line_feed) {
  const std::size_t valid = valid_utf8_prefix(pattern);
  if (valid != pattern.size()) {
    return refuse("a pattern is not UTF-8 at its byte " + std::to_string(valid));
  }
  if (!may_hold_line_feed && pattern.find('\n') != std::string::npos) {
    return refuse(
        "a pattern holds a line feed, which no line can match; give one -e for each, "
        "or -U for matches across lines");
  }
  return {};
}

/// Whether case is ignored. With smart case that depends on the patterns: no capital letter, and
/// something other than empty patterns.
bool ignores_case(const ScanSettings& settings, const std::vector<std::string>& patterns,
                  const PatternOptions& options) {
  using Case = ScanSettings::Case;
  if (settings.letter_case != Case::kSmart) return settings.letter_case == Case::kIgnore;
  // A regular expression has to be parsed to tell \W from a capital letter.
  if (settings.syntax == ScanSettings::Syntax::kRegex) return smart_case_ignores(patterns, options);
  const auto has_upper = [](const std::string& pattern) { return has_upper_case(pattern); };
  const auto is_empty = [](const std::string& pattern) { return pattern.empty(); };
  return std::none_of(patterns.begin(), patterns.end(), has_upper) &&
         !std::all_of(patterns.begin(), patterns.end(), is_empty);
}

/// The library's options for these patterns; smart case needs the patterns' texts to decide.
PatternOptions pattern_options(const ScanSettings& settings,
                               const std::vector<std::string>& patterns) {
  PatternOptions options;
  options.bounds = settings.bounds;
  options.crlf = settings.line_end == ScanSettings::LineEnd::kCrlf;
  options.null_data = settings.line_end == ScanSettings::LineEnd::kNul;
  options.multiline = settings.multiline;
  options.dot_matches_line = settings.multiline && settings.multiline_dotall;
  options.unicode = settings.unicode;
  options.engine = settings.engine;
  options.ignore_case = ignores_case(settings, patterns, options);
  return options;
}

/// Compiles all patterns as one matcher, by their syntax. One matcher for all is what makes many
/// patterns as fast as one.
Result<Pattern> compile(const std::vector<std::string>& patterns, ScanSettings::Syntax syntax,
                        const PatternOptions& options) {
  using Syntax = ScanSettings::Syntax;
  if (syntax == Syntax::kFixed) return Pattern::compile_literals(patterns, options);
  if (syntax == Syntax::kLike) return Pattern::compile_like(patterns, '\\', options);
  return Pattern::compile(patterns, options);
}

/// Compiles patterns as alternatives. An error of a regular expression comes with the pattern and a
/// caret below it. The error's block is the number of the pattern.
Result<Pattern> compile_any(const ScanSettings& settings,
                            const std::vector<std::string>& patterns) {
  const PatternOptions options = pattern_options(settings, patterns);
  const bool may_hold_line_feed = options.null_data || options.multiline;
  for (const std::string& pattern : patterns) PRESSO_TRY(check(pattern, may_hold_line_feed));
  Result<Pattern> pattern = compile(patterns, settings.syntax, options);
  if (!pattern.ok() && pattern.error().byte_offset != Error::kNone) {
    const Error& error = pattern.error();
    const auto number = static_cast<std::size_t>(error.block);
    return refuse("regular expression:\n" +
                  explain_error(patterns[std::min(number, patterns.size() - 1)], error));
  }
  return pattern;
}

/// Compiles each text by itself, for the conditions of --and and --not, all of which count. Smart
/// case is decided for each of them by its own text.
Result<std::vector<Pattern>> compile_each(const ScanSettings& settings,
                                          const std::vector<std::string>& texts) {
  std::vector<Pattern> patterns;
  for (const std::string& text : texts) {
    PRESSO_ASSIGN(Pattern pattern, compile_any(settings, {text}));
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

/// The patterns of -e and -f, in the order of the command line; a file has one on each line. An
/// empty file adds nothing, so that it matches nothing.
Result<std::vector<std::string>> gather(const ScanSettings& settings) {
  std::vector<std::string> patterns;
  for (const ScanSettings::PatternSource& given : settings.patterns) {
    if (given.is_file) {
      PRESSO_ASSIGN(const std::string text, read_text_file(given.text));
      for (const std::string_view line : lines_of(text)) patterns.emplace_back(line);
    } else {
      patterns.push_back(given.text);
    }
  }
  return patterns;
}

/// Compiles a condition of --where. An error comes with the condition and a caret below it.
Result<std::shared_ptr<const LineCondition>> compile_where(const std::string& text) {
  Result<FieldCondition> condition = compile_field_condition(text);
  if (!condition.ok()) {
    return refuse("--where:\n" + explain_expression_error(text, condition.error()));
  }
  for (const std::string& what : condition->warnings) warning("--where", what);
  return std::move(condition->condition);
}

/// The pattern of all -e and -f, in lines that meet the conditions of --where. Without -e and -f
/// these lines themselves are what matches.
Result<Pattern> compile_selection(const ScanSettings& settings) {
  std::optional<Pattern> pattern;
  const std::size_t conditions = settings.where.size();
  if (conditions == 0 || !settings.patterns.empty()) {
    PRESSO_ASSIGN(const std::vector<std::string> patterns, gather(settings));
    PRESSO_ASSIGN(pattern, compile_any(settings, patterns));
  }
  for (const std::string& text : settings.where) {
    PRESSO_ASSIGN(auto condition, compile_where(text));
    pattern = pattern ? pattern->with_condition(std::move(condition))
                      : Pattern::of_lines(std::move(condition), pattern_options(settings, {}));
  }
  return *pattern;
}

}  // namespace

/// The pattern with its conditions, from all that the command line says. Errors: kInvalidArgument
/// with the place in the pattern, kIo for a file of patterns.
Result<Pattern> compile_patterns(const ScanSettings& settings) {
  PRESSO_ASSIGN(const Pattern pattern, compile_selection(settings));
  // Records meet their conditions by any of their lines.
  if (settings.has_records()) return pattern;
  PRESSO_ASSIGN(std::vector<Pattern> required, compile_each(settings, settings.required));
  PRESSO_ASSIGN(std::vector<Pattern> forbidden, compile_each(settings, settings.forbidden));
  return pattern.with_conditions(std::move(required), std::move(forbidden));
}

Result<Pattern> compile_record_start(const std::string& text, const PatternOptions& options,
                                     const std::string& option) {
  const Status checked = check(text, true);
  if (!checked.ok()) return refuse(option + ": " + checked.error().what);
  if (text.find('\n') != std::string::npos) {
    return refuse(option + ": a pattern holds a line feed, which no line can match");
  }
  Result<Pattern> start = Pattern::compile(std::span(&text, 1), options);
  if (!start.ok()) return refuse(option + ":\n" + explain_error(text, start.error()));
  return start;
}

RecordRule::Kind record_kind(std::string_view form) {
  if (form == "time") return RecordRule::Kind::kTime;
  return form == "json" ? RecordRule::Kind::kJson : RecordRule::Kind::kIndent;
}

Result<std::optional<RecordRule>> compile_records(const ScanSettings& settings,
                                                  const TimeWindow& times) {
  if (!settings.has_records()) return std::optional<RecordRule>();
  RecordRule rule;
  PRESSO_ASSIGN(rule.required, compile_each(settings, settings.required));
  PRESSO_ASSIGN(rule.forbidden, compile_each(settings, settings.forbidden));
  rule.most_bytes = settings.record_limit;
  if (!settings.record_start) {
    rule.kind = *settings.record;
    if (rule.kind == RecordRule::Kind::kTime) rule.times = times;
    return std::optional<RecordRule>(std::move(rule));
  }
  PatternOptions options;
  options.crlf = settings.line_end == ScanSettings::LineEnd::kCrlf;
  options.unicode = settings.unicode;
  rule.kind = RecordRule::Kind::kStart;
  PRESSO_ASSIGN(rule.start,
                compile_record_start(*settings.record_start, options, "--record-start"));
  return std::optional<RecordRule>(std::move(rule));
}

}  // namespace presso::cli
