// SPDX-License-Identifier: MIT
// A sub-command: what it is called, its flags, and how to run it. Each command is in a file of its
// own (NAME_command.cpp, its flags in flags_NAME.cpp) and is entered in tools/registry.cpp. Help,
// man page and completions are made from what the command says about itself, without running it.
// Tested by tests/cli/test_frame.py (help, errors, exit statuses), which also runs the examples.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// The exit statuses of all commands; kNoMatch is used by scan alone. kFailure outranks the others:
/// a command that failed on one file ends with it even if the rest succeeded.
constexpr int kSuccess = 0;
constexpr int kNoMatch = 1;
constexpr int kFailure = 2;

/// An example in a command's help. Tests run every line of them.
struct Example {
  std::string_view line;    ///< can be run as it stands
  std::string_view effect;  ///< what it does
};

/// The description of a command, from which all its documentation is made. The texts have static
/// lifetime.
struct CommandInfo {
  std::string_view name = {};
  std::string_view summary = {};      ///< one line, lower case, no full stop
  std::string_view operands = {};     ///< "[FILE... | -]"
  std::string_view description = {};  ///< paragraphs, separated by an empty line
  std::vector<Example> examples = {};
  std::string_view exit_status = {};
  Completion operand_completion = Completion::kFile;
  /// The environment variable that names a file of options (config_file.h); empty: there is none.
  std::string_view config_variable = {};
};

/// A command. An object is used for one command line: flags() is called first, then its apply
/// functions write to the object, then run() is called. One thread calls it. Members keep the
/// defaults of the flags, so that a command without any flag is complete.
class Command {
 public:
  virtual ~Command() = default;

  /// Called before flags() and without side effects, because help and completions need it for all
  /// commands at once.
  virtual const CommandInfo& info() const = 0;
  /// The flags, whose apply functions write to members of this object, so that it must outlive
  /// them. The frame adds -h and --help.
  virtual std::vector<Flag> flags() = 0;
  /// Runs the command once, after all flags were applied, and returns the exit status. An Error
  /// means that the command was used wrongly, and the frame prints it with a hint to --help. All
  /// other failures are reported through message.h, after which the command goes on where it can.
  virtual Result<int> run(std::vector<std::string> operands) = 0;
};

/// The name of a command and the function that makes it; makers are cheap, since most commands are
/// made only for their help.
struct Registration {
  std::string_view name;
  std::unique_ptr<Command> (*make)();
};

/// All sub-commands in the order of the help.
std::span<const Registration> registered_commands();

}  // namespace presso::cli
