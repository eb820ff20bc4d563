// SPDX-License-Identifier: MIT
// The flags of `presso` itself, and the pages of all commands for help, man page and completions.
// Commands are made for this but not run. Tested by tests/cli/test_frame.py and
// tests/cli/test_completions.py.
#include "tools/cli/generate.h"

namespace presso::cli {

Flag help_flag() {
  return {.short_name = 'h',
          .name = "help",
          .category = kOther,
          .brief = "print help; -h is short, --help explains each option",
          .choices = {"expert"},
          .value_is_optional = true};
}

// No flag has an apply function: the driver looks them up by name, because they print and end.
std::vector<Flag> main_flags() {
  return {
      {.short_name = 'V',
       .name = "version",
       .brief = "print the version; with -v also back ends and CPU features"},
      {.short_name = 'v', .name = "verbose", .brief = "more detail in --version"},
      {.name = "generate",
       .value_name = "KIND",
       .brief = "print the man page, a shell's completions or the option lists",
       .choices = generated_kinds()},
      help_flag(),
  };
}

std::vector<CommandPage> command_pages() {
  std::vector<CommandPage> pages;
  for (const Registration& registration : registered_commands()) {
    CommandPage page{registration.make(), {}};
    page.flags = page.command->flags();
    page.flags.push_back(help_flag());
    pages.push_back(std::move(page));
  }
  return pages;
}

const std::vector<std::string_view>& generated_kinds() {
  static const std::vector<std::string_view> kinds = {"man", "markdown", "complete-bash",
                                                      "complete-zsh", "complete-fish"};
  return kinds;
}

// The parser has checked `kind`, so the last line needs no test.
std::string generate(std::string_view kind) {
  if (kind == "man") return man_page();
  if (kind == "markdown") return markdown_lists();
  if (kind == "complete-bash") return bash_completion();
  if (kind == "complete-zsh") return zsh_completion();
  return fish_completion();
}

}  // namespace presso::cli
