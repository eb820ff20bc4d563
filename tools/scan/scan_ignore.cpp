// SPDX-License-Identifier: MIT
// A line is a glob of tools/io/glob.h, whose rules for '!', slashes and "**" are those of
// .gitignore; what is left to do here are comments and spaces. Tested by
// tests/cli/test_scan_choice.py.
#include "tools/scan/scan_ignore.h"

#include "tools/cli/text_lines.h"

namespace presso::cli {
namespace {

/// A line without the white space at its end, unless a backslash stands before it; empty for a
/// comment.
std::string_view rule_of(std::string_view line) {
  if (line.starts_with('#')) return {};
  const std::string_view trimmed = trim_end(line);
  const bool keeps_space = trimmed.ends_with('\\') && trimmed.size() < line.size();
  return keeps_space ? line.substr(0, trimmed.size() + 1) : trimmed;
}

}  // namespace

Result<IgnoreFile> IgnoreFile::read(const std::string& path, bool ignore_case) {
  PRESSO_ASSIGN(const std::string text, read_text_file(path));
  IgnoreFile file;
  std::size_t number = 0;
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  const std::size_t begin = text.starts_with(kMark) ? kMark.size() : 0;
  for (const std::string_view line : lines_of(std::string_view(text).substr(begin))) {
    ++number;
    const std::string_view rule = rule_of(line);
    if (rule.empty()) continue;
    const Status checked = check_glob(rule);
    if (!checked.ok()) {
      return make_error(ErrorCode::kInvalidArgument,
                        path + ":" + std::to_string(number) + ": " + checked.error().what);
    }
    file.rules_.emplace_back(rule, ignore_case);
  }
  return file;
}

std::optional<bool> IgnoreFile::wanted(std::string_view path, bool is_directory) const {
  for (auto rule = rules_.rbegin(); rule != rules_.rend(); ++rule) {
    if (rule->matches(path, is_directory)) return rule->excludes();
  }
  return std::nullopt;
}

}  // namespace presso::cli
