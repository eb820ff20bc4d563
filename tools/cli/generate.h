// SPDX-License-Identifier: MIT
// Everything that is made from the flag tables: help texts, man page, completions, Markdown. The
// functions return text and print nothing. Tested by tests/cli/test_frame.py and
// test_completions.py.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/cli/command.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// How much help is asked for: by -h, by --help, or by --help=expert.
enum class HelpLength { kShort, kLong, kExpertOnly };

/// A command with its flags, held together for the generators, which do not run it.
struct CommandPage {
  std::unique_ptr<Command> command;
  std::vector<Flag> flags;  ///< with -h and --help

  const CommandInfo& info() const { return command->info(); }
};

/// The pages of all registered commands, in the order of the help.
std::vector<CommandPage> command_pages();
/// The flags of `presso` itself; they are not bound to anything.
std::vector<Flag> main_flags();
/// The flag -h, --help, which is part of every command.
Flag help_flag();

/// A flag's spellings as help shows them: "-T, --threads=N", "    --[no-]progress", "-1 ... -12,
/// --level=N".
std::string flag_heading(const Flag& flag);
/// The sentences of the long help about a flag: its text, choices and environment variable.
std::string flag_details(const Flag& flag);
/// The categories of the listed flags in the order of their first use; kExpert is never among them.
std::vector<std::string_view> categories(std::span<const Flag> flags);

/// Whether a page should mention --help=expert.
bool has_expert_flags(std::span<const Flag> flags);

/// The complete pages that -h, --help and --help=expert print, for presso itself and for a command.
std::string main_help(HelpLength length);
/// `flags` are those of the command with help_flag() at their end.
std::string command_help(const CommandInfo& info, std::span<const Flag> flags, HelpLength length);

/// The generated text of a kind: man, markdown, complete-bash, complete-zsh or complete-fish. An
/// unknown kind gives fish's, since the parser has already checked it against generated_kinds().
std::string generate(std::string_view kind);
/// The kinds that `presso --generate` knows, for the flag's choices.
const std::vector<std::string_view>& generated_kinds();

/// Each of the following makes all flags of all commands to build its text, and runs no command.
std::string man_page();
std::string markdown_lists();
std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

}  // namespace presso::cli
