// SPDX-License-Identifier: MIT
// Generates the option lists in Markdown for docs/: one table for each command, with the options
// for experts last. tests/cli/test_frame.py checks that every long option of the help is in them.
#include "tools/cli/generate.h"

namespace presso::cli {
namespace {

/// The text of a cell, with its bars escaped. A bar would end the cell.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '|') out += '\\';
    out += c;
  }
  return out;
}

// One row: the spellings in code style, then the brief text with the default.
std::string row(const Flag& flag) {
  std::string heading = flag_heading(flag);
  heading.erase(0, heading.find_first_not_of(' '));
  std::string brief(flag.brief);
  if (flag.is_expert()) brief = "expert: " + brief;
  if (!flag.default_value.empty()) brief += " (default: " + std::string(flag.default_value) + ")";
  return "| `" + cell(heading) + "` | " + cell(brief) + " |\n";
}

}  // namespace

std::string markdown_lists() {
  std::string out;
  for (const CommandPage& page : command_pages()) {
    const std::string name(page.info().name);
    out += (out.empty() ? "### presso " : "\n### presso ") + name + "\n\n";
    out += "`presso " + name + " [OPTION]... " + std::string(page.info().operands) + "`\n\n";
    out += "| option | |\n|---|---|\n";
    std::vector<std::string_view> all = categories(page.flags);
    all.push_back(kExpert);
    for (const std::string_view category : all) {
      for (const Flag& flag : page.flags) {
        if (!flag.hidden && flag.category == category) out += row(flag);
      }
    }
  }
  return out;
}

}  // namespace presso::cli
