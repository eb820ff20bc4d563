// SPDX-License-Identifier: MIT
// -h and --help begin with examples that run as they stand. -h fits on one screen, --help adds
// every flag's details, and --help=expert explains the options that these two leave out. All texts
// are wrapped to 80 columns. Tested by tests/cli/test_frame.py, which also runs the examples.
#include <algorithm>

#include "tools/cli/generate.h"

namespace presso::cli {
namespace {

constexpr std::size_t kWidth = 80;
// The texts begin at this column at the latest; a longer heading gets a line of its own.
constexpr std::size_t kMaxColumn = 30;

/// Breaks `text` at spaces into lines that begin with `indent` spaces; the first line gets them
/// only if `indent_first`. An empty line in the text stays one. Words are never cut, so one that is
/// longer than a line sticks out. Bytes count as columns, which holds because the help is ASCII.
std::string wrapped(std::string_view text, std::size_t indent, bool indent_first = true) {
  std::string out;
  std::size_t column = 0;
  bool fresh = true;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    const bool paragraph = end + 1 < text.size() && text[end] == '\n' && text[end + 1] == '\n';
    if (!fresh && column + 1 + word.size() > kWidth) {
      out += '\n';
      fresh = true;
      indent_first = true;
    }
    if (fresh) {
      if (indent_first) out.append(indent, ' ');
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    fresh = false;
    if (paragraph) {
      out += "\n\n";
      fresh = true;
      indent_first = true;
    }
    text.remove_prefix(std::min(text.size(), end + (paragraph ? 2 : 1)));
  }
  return out + "\n";
}

/// The examples with their effects as comments, aligned as far as the lines are not too long.
std::string examples_text(std::span<const Example> examples) {
  // Lines of up to 42 columns leave room for a comment beside them.
  std::size_t width = 0;
  for (const Example& example : examples) {
    if (example.line.size() <= 42) width = std::max(width, example.line.size());
  }
  std::string out = "Examples:\n";
  for (const Example& example : examples) {
    out += "  " + std::string(example.line);
    if (example.line.size() > width) {
      out += "\n  " + std::string(width, ' ');
    } else {
      out.append(width - example.line.size(), ' ');
    }
    out += "  # " + std::string(example.effect) + "\n";
  }
  return out;
}

/// One flag in a list: its heading, and its brief text from `column` on, in the next line if the
/// heading is too long.
std::string flag_line(const Flag& flag, std::size_t column) {
  std::string line = "  " + flag_heading(flag);
  if (line.size() + 2 > column) {
    line += "\n" + std::string(column, ' ');
  } else {
    line.append(column - line.size(), ' ');
  }
  std::string brief(flag.brief);
  if (!flag.default_value.empty()) brief += " [default: " + std::string(flag.default_value) + "]";
  return line + wrapped(brief, column, false);
}

/// One category of a list: its name, then a line and perhaps the details of each of its flags.
std::string category_text(std::span<const Flag> flags, std::string_view category,
                          std::size_t column, bool with_details) {
  std::string out = "\n" + std::string(category) + ":\n";
  for (const Flag& flag : flags) {
    if (flag.hidden || flag.category != category) continue;
    out += flag_line(flag, column);
    const std::string details = flag_details(flag);
    if (with_details && !details.empty()) out += wrapped(details, 8);
  }
  return out;
}

/// All categories that the length of the help asks for.
std::string flags_text(std::span<const Flag> flags, HelpLength length) {
  std::vector<std::string_view> shown = categories(flags);
  if (length == HelpLength::kExpertOnly) shown = {kExpert};
  std::size_t column = 0;
  for (const Flag& flag : flags) {
    const bool is_shown = std::find(shown.begin(), shown.end(), flag.category) != shown.end();
    if (!flag.hidden && is_shown) column = std::max(column, flag_heading(flag).size() + 4);
  }
  column = std::min(column, kMaxColumn);
  std::string out;
  for (const std::string_view category : shown) {
    out += category_text(flags, category, column, length != HelpLength::kShort);
  }
  return out;
}

/// The text of --help=expert: only the options that the other helps leave out. A command without
/// any says so, since an empty page would look like a mistake.
std::string expert_help(const std::string& name, std::span<const Flag> flags) {
  if (!has_expert_flags(flags)) return name + " has no expert options.\n";
  return name + ": options for experiments, and options that have no effect\n" +
         flags_text(flags, HelpLength::kExpertOnly);
}

}  // namespace

/// A flag as the help page heads it: -x, --[no-]name=VALUE.
std::string flag_heading(const Flag& flag) {
  std::string out;
  if (flag.short_name != 0) out = std::string("-") + flag.short_name + ", ";
  if (flag.digits) out += "-N, ";
  if (out.empty()) out = "    ";
  const bool folds = flag.negation == "no-" + std::string(flag.name);
  out += (folds ? "--[no-]" : "--") + std::string(flag.name);
  if (flag.takes_value()) out += "=" + std::string(flag.value_name);
  if (flag.value_is_optional) out += "[=" + std::string(flag.choices.front()) + "]";
  if (!flag.negation.empty() && !folds) out += ", --" + std::string(flag.negation);
  return out;
}

/// The flag's text, its values and its environment variable, as one paragraph.
std::string flag_details(const Flag& flag) {
  std::string out(flag.text);
  const auto sentence = [&out](const std::string& text) { out += (out.empty() ? "" : " ") + text; };
  if (!flag.choices.empty() && !flag.value_is_optional) {
    std::string list;
    for (const std::string_view choice : flag.choices) {
      list += (list.empty() ? "" : ", ") + std::string(choice);
    }
    sentence("Values: " + list + ".");
  }
  if (!flag.environment.empty()) {
    sentence("The environment variable " + std::string(flag.environment) +
             " sets another default.");
  }
  return out;
}

/// The categories that have listed flags, in the order of their first flag. The order on a page is
/// therefore the order in which a command declares its flags.
std::vector<std::string_view> categories(std::span<const Flag> flags) {
  std::vector<std::string_view> names;
  for (const Flag& flag : flags) {
    const bool known = std::find(names.begin(), names.end(), flag.category) != names.end();
    if (flag.is_listed() && !known) names.push_back(flag.category);
  }
  return names;
}

bool has_expert_flags(std::span<const Flag> flags) {
  return std::any_of(flags.begin(), flags.end(),
                     [](const Flag& flag) { return !flag.hidden && flag.is_expert(); });
}

/// The help page of a command, of one of three lengths. Examples come before everything else,
/// because most readers of a help page look for one.
std::string command_help(const CommandInfo& info, std::span<const Flag> flags, HelpLength length) {
  const std::string name = "presso " + std::string(info.name);
  if (length == HelpLength::kExpertOnly) return expert_help(name, flags);
  std::string out = name + ": " + std::string(info.summary) + "\n\n";
  out += examples_text(info.examples);
  out += "\nUsage: " + name + " [OPTION]... " + std::string(info.operands) + "\n";
  if (length == HelpLength::kLong) out += "\n" + wrapped(info.description, 0);
  out += flags_text(flags, length);
  if (length == HelpLength::kLong && !info.exit_status.empty()) {
    out += "\nExit status:\n" + wrapped(info.exit_status, 2);
  }
  std::string more;
  if (length == HelpLength::kShort) more += "'" + name + " --help' explains each option.\n";
  if (has_expert_flags(flags)) more += "'" + name + " --help=expert' lists options for experts.\n";
  return more.empty() ? out : out + "\n" + more;
}

/// The help page of presso itself, with the first example of each command.
std::string main_help(HelpLength length) {
  const std::vector<CommandPage> pages = command_pages();
  std::string out = "presso: keep big text compressed and search it at memory speed\n\n";
  std::vector<Example> examples;
  for (const CommandPage& page : pages) {
    const std::vector<Example>& all = page.info().examples;
    if (!all.empty()) examples.push_back(all.front());
  }
  out += examples_text(examples);
  out += "\nUsage: presso COMMAND [OPTION]... [FILE...]\n\nCommands:\n";
  for (const CommandPage& page : pages) {
    std::string line = "  " + std::string(page.info().name);
    line.append(line.size() < 14 ? 14 - line.size() : 1, ' ');
    out += line + std::string(page.info().summary) + "\n";
  }
  out += flags_text(main_flags(),
                    length == HelpLength::kShort ? HelpLength::kShort : HelpLength::kLong);
  return out +
         "\n'presso COMMAND -h' lists a command's options, '--help' explains them, and\n"
         "'--help=expert' lists the options for experts.\n";
}

}  // namespace presso::cli
