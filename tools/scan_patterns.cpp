// SPDX-License-Identifier: MIT
#include "tools/scan_patterns.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "presso/byte_stream.h"

namespace presso::cli {
namespace {

constexpr std::string_view kRegexCharacters = "\\.+*?()|[]{}^$";

Error refuse(std::string what) {
  return make_error(ErrorCode::kInvalidArgument, std::move(what));
}

Result<std::string> read_whole(const std::string& path) {
  const bool is_stdin = path == "-";
  const int fd = is_stdin ? STDIN_FILENO : open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return refuse(path + ": " + std::strerror(errno));
  std::string text;
  FdSource source(fd);
  Byte piece[16384];
  Status failed;
  for (;;) {
    const Result<std::size_t> got = source.read(piece);
    if (!got.ok()) failed = refuse(path + ": " + got.error().what);
    if (!got.ok() || *got == 0) break;
    text.append(reinterpret_cast<const char*>(piece), *got);
  }
  if (!is_stdin) close(fd);
  if (!failed.ok()) return failed.error();
  return text;
}

/// Each line is a pattern; "\r\n" ends one too.
void append_lines(const std::string& text, std::vector<std::string>& patterns) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t next = end + 1;
    if (end < text.size() && end > at && text[end - 1] == '\r') --end;
    patterns.push_back(text.substr(at, end - at));
    at = next;
  }
}

Status check(const std::string& pattern, bool fixed, bool null_data) {
  const std::size_t valid = valid_utf8_prefix(pattern);
  if (valid != pattern.size()) {
    return refuse("a pattern is not UTF-8 at its byte " + std::to_string(valid));
  }
  if (!null_data && pattern.find('\n') != std::string::npos) {
    return refuse("a pattern holds a line feed, which no line can match; give one -e for each");
  }
  if (!fixed && pattern.find_first_of(kRegexCharacters) != std::string::npos) {
    return refuse("pattern '" + pattern +
                  "' needs the regular expression engine, which this version does not have yet; "
                  "-F takes the pattern literally");
  }
  return {};
}

bool ignores_case(const ScanSettings& settings, const std::vector<std::string>& patterns) {
  using Case = ScanSettings::Case;
  if (settings.letter_case != Case::kSmart) return settings.letter_case == Case::kIgnore;
  const auto has_upper = [](const std::string& pattern) { return has_upper_case(pattern); };
  const auto is_empty = [](const std::string& pattern) { return pattern.empty(); };
  return std::none_of(patterns.begin(), patterns.end(), has_upper) &&
         !std::all_of(patterns.begin(), patterns.end(), is_empty);
}

PatternOptions pattern_options(const ScanSettings& settings,
                               const std::vector<std::string>& patterns) {
  PatternOptions options;
  options.ignore_case = ignores_case(settings, patterns);
  options.bounds = settings.bounds;
  options.crlf = settings.line_end == ScanSettings::LineEnd::kCrlf;
  options.null_data = settings.line_end == ScanSettings::LineEnd::kNul;
  return options;
}

/// The place where regular expressions will come in.
Result<Pattern> compile_any(const ScanSettings& settings,
                            const std::vector<std::string>& patterns) {
  const bool null_data = settings.line_end == ScanSettings::LineEnd::kNul;
  for (const std::string& pattern : patterns) {
    PRESSO_TRY(check(pattern, settings.fixed_strings, null_data));
  }
  return Pattern::compile_literals(patterns, pattern_options(settings, patterns));
}

Result<std::vector<Pattern>> compile_each(const ScanSettings& settings,
                                          const std::vector<std::string>& texts) {
  std::vector<Pattern> patterns;
  for (const std::string& text : texts) {
    PRESSO_ASSIGN(Pattern pattern, compile_any(settings, {text}));
    patterns.push_back(std::move(pattern));
  }
  return patterns;
}

}  // namespace

Result<Pattern> compile_patterns(const ScanSettings& settings) {
  std::vector<std::string> patterns;
  for (const ScanSettings::PatternSource& given : settings.patterns) {
    if (given.is_file) {
      PRESSO_ASSIGN(const std::string text, read_whole(given.text));
      append_lines(text, patterns);
    } else {
      patterns.push_back(given.text);
    }
  }
  PRESSO_ASSIGN(const Pattern pattern, compile_any(settings, patterns));
  PRESSO_ASSIGN(std::vector<Pattern> required, compile_each(settings, settings.required));
  PRESSO_ASSIGN(std::vector<Pattern> forbidden, compile_each(settings, settings.forbidden));
  return pattern.with_conditions(std::move(required), std::move(forbidden));
}

}  // namespace presso::cli
