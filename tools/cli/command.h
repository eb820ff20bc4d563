// SPDX-License-Identifier: MIT
// A sub-command: what it is called, its flags, and how to run it. Each lives in a file of its own
// (NAME_command.cpp, its flags in flags_NAME.cpp) and is entered in registry.cpp.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "tools/cli/flag.h"

namespace presso::cli {

/// Exit statuses of every command; scan adds kNoMatch.
constexpr int kSuccess = 0;
constexpr int kNoMatch = 1;
constexpr int kFailure = 2;

struct Example {
  std::string_view line;    ///< can be run as it stands
  std::string_view effect;  ///< what it does
};

struct CommandInfo {
  std::string_view name = {};
  std::string_view summary = {};      ///< one line, lower case, no full stop
  std::string_view operands = {};     ///< "[FILE... | -]"
  std::string_view description = {};  ///< paragraphs, separated by an empty line
  std::vector<Example> examples = {};
  std::string_view exit_status = {};
  Completion operand_completion = Completion::kFile;
};

class Command {
 public:
  virtual ~Command() = default;

  virtual const CommandInfo& info() const = 0;
  /// Flags that write to members of this object. The frame adds -h and --help.
  virtual std::vector<Flag> flags() = 0;
  /// Called once, after all flags were applied. Returns the exit status. An Error means that the
  /// command was used wrongly: the frame prints it with a hint to --help. All other failures are
  /// reported through message.h.
  virtual Result<int> run(std::vector<std::string> operands) = 0;
};

struct Registration {
  std::string_view name;
  std::unique_ptr<Command> (*make)();
};

/// All sub-commands in the order of the help.
std::span<const Registration> registered_commands();

}  // namespace presso::cli
