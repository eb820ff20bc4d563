// SPDX-License-Identifier: MIT
// Each line is parsed by itself, or together with the next one if it lacks a value, so that every
// option and every mistake has its line. Tested by tests/cli/test_scan_config.py.
#include "tools/cli/config_file.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "tools/cli/message.h"
#include "tools/cli/text_lines.h"

namespace presso::cli {
namespace {

/// An argument and where it stands, "FILE:LINE: ".
struct ConfigLine {
  std::string argument;
  std::string place;
};

std::vector<ConfigLine> config_lines(const std::string& path, const std::string& text) {
  std::vector<ConfigLine> lines;
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    const std::string_view argument = trim(line);
    if (argument.empty() || argument.front() == '#') continue;
    lines.push_back({std::string(argument), path + ":" + std::to_string(number) + ": "});
  }
  return lines;
}

/// Parses the option at the front of `lines`, which may have its value on the next line, and
/// removes both. Error: the first mistake, with its place.
Result<Parsed> take_option(std::span<const Flag> flags, std::span<const ConfigLine>& lines) {
  const std::vector<std::string> one = {lines[0].argument};
  Result<Parsed> parsed = parse(flags, one);
  std::size_t used = 1;
  if (!parsed.ok() && lines.size() > 1) {
    // With its value the option is sound, or the mistake is another one.
    const std::vector<std::string> two = {lines[0].argument, lines[1].argument};
    Result<Parsed> with_value = parse(flags, two);
    if (with_value.ok() || with_value.error().what != parsed.error().what) {
      parsed = std::move(with_value);
      used = 2;
    }
  }
  const ConfigLine& last = lines[used - 1];
  lines = lines.subspan(used);
  if (!parsed.ok()) {
    return make_error(ErrorCode::kInvalidArgument, last.place + parsed.error().what);
  }
  if (!parsed->operands.empty()) {
    return make_error(ErrorCode::kInvalidArgument,
                      last.place + "'" + parsed->operands.front() +
                          "' is not an option; patterns need -e, and paths belong to the command "
                          "line");
  }
  for (Given& given : parsed->given) given.place = last.place;
  return parsed;
}

}  // namespace

Status add_config(std::span<const Flag> flags, std::string_view variable, Parsed& parsed) {
  const std::string name(variable);
  const char* const path = std::getenv(name.c_str());
  if (path == nullptr || *path == '\0') return {};
  const bool refused = std::any_of(parsed.given.begin(), parsed.given.end(),
                                   [](const Given& one) { return one.flag->name == "no-config"; });
  if (refused) return {};
  const Result<std::string> text = read_text_file(path);
  if (!text.ok()) {
    warning(name, text.error().what);
    return {};
  }
  std::vector<Given> given;
  const std::vector<ConfigLine> all = config_lines(path, *text);
  for (std::span<const ConfigLine> lines = all; !lines.empty();) {
    PRESSO_ASSIGN(Parsed option, take_option(flags, lines));
    std::move(option.given.begin(), option.given.end(), std::back_inserter(given));
  }
  parsed.given.insert(parsed.given.begin(), std::make_move_iterator(given.begin()),
                      std::make_move_iterator(given.end()));
  return {};
}

}  // namespace presso::cli
