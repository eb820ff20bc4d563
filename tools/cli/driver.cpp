// SPDX-License-Identifier: MIT
// The order matters: help is answered before flags are applied, so that it wins over values that
// are out of range and over missing operands; the environment is applied before the command line,
// which overrides it; and a wrong value is reported before any file is opened. Tested by
// tests/cli/test_frame.py.
#include "tools/cli/driver.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>

#include "format/suggest.h"
#include "tools/cli/command.h"
#include "tools/cli/config_file.h"
#include "tools/cli/generate.h"
#include "tools/cli/lexer.h"
#include "tools/cli/message.h"

namespace presso::cli {
namespace {

/// Prints to stdout and returns the exit status. A full disk there is an error; it is none if the
/// reader has seen enough and went away (| head). The error of a closed pipe is EPIPE, because
/// process.cpp ignores SIGPIPE.
int print(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  const bool complete = std::fflush(stdout) == 0 && written;
  if (!complete && errno != EPIPE) error("", "cannot write to standard output");
  return exit_status();
}

/// Prints a usage error with a hint to the help of `command`, and returns kFailure. The hint is
/// left out with -q -q, which asks for silence.
int usage_error(const std::string& command, const Error& problem) {
  error("", problem.what.empty() ? std::string(describe(problem.code)) : problem.what);
  const std::string hint = "presso: try 'presso " + command + (command.empty() ? "" : " ") +
                           "--help' for the options and examples\n";
  if (verbosity() >= Verbosity::kQuiet) std::fputs(hint.c_str(), stderr);
  return kFailure;
}

/// The last -h or --help among `given`, or nullptr.
const Given* asks_for_help(const std::vector<Given>& given) {
  const auto asked = std::find_if(given.rbegin(), given.rend(),
                                  [](const Given& one) { return one.flag->name == "help"; });
  return asked == given.rend() ? nullptr : &*asked;
}

HelpLength length_of(const Given& given) {
  if (given.value == "expert") return HelpLength::kExpertOnly;
  return given.spelled == "-h" ? HelpLength::kShort : HelpLength::kLong;
}

/// Parses the arguments of a command, applies them (the environment first, then a file of options)
/// and runs it. `flags` has
/// to live until the command has run, because Parsed points into it.
int run_command(Command& command, std::span<const std::string> arguments) {
  const std::string name(command.info().name);
  std::vector<Flag> flags = command.flags();
  flags.push_back(help_flag());
  Result<Parsed> parsed = parse(flags, arguments);
  if (!parsed.ok()) return usage_error(name, parsed.error());
  if (const Given* help = asks_for_help(parsed->given)) {
    return print(command_help(command.info(), flags, length_of(*help)));
  }
  Status applied;
  if (const auto variable = command.info().config_variable; !variable.empty()) {
    applied = add_config(flags, variable, *parsed);
  }
  if (applied.ok()) applied = add_environment(flags, *parsed);
  if (applied.ok()) applied = apply(*parsed);
  if (!applied.ok()) return usage_error(name, applied.error());
  Result<int> status = command.run(std::move(parsed->operands));
  tell_unsaid_notices();
  if (!status.ok()) return usage_error(name, status.error());
  // An error about one file sets the status of the process while the command itself returns
  // success.
  return std::max(*status, exit_status());
}

/// The command of that name, made anew, or nullptr.
std::unique_ptr<Command> find_command(std::string_view name) {
  for (const Registration& registration : registered_commands()) {
    if (registration.name == name) return registration.make();
  }
  return nullptr;
}

/// The error for an unknown command, with what was probably meant: a file, another program's
/// command, or a name that is spelled almost so. Nothing is run in any of these cases.
int unknown_command(const std::string& word) {
  std::vector<std::string> names;
  for (const Registration& one : registered_commands()) names.emplace_back(one.name);
  std::string text = "unknown command '" + word + "'";
  struct stat about {};
  if (stat(word.c_str(), &about) == 0) {
    text += "; it is a file: 'presso compress " + word + "' compresses it";
  } else if (word == "grep" || word == "search" || word == "find") {
    text += ". Did you mean 'scan'?";
  } else {
    text += did_you_mean(word, names);
  }
  return usage_error("", make_error(ErrorCode::kInvalidArgument, std::move(text)));
}

/// Runs `presso help [COMMAND]`.
int help_command(std::span<const std::string> arguments) {
  if (arguments.empty()) return print(main_help(HelpLength::kLong));
  const auto command = find_command(arguments.front());
  if (command == nullptr) return unknown_command(arguments.front());
  std::vector<Flag> flags = command->flags();
  flags.push_back(help_flag());
  return print(command_help(command->info(), flags, HelpLength::kLong));
}

/// Runs options that come before or without a command: --version, --help, --generate.
int run_main_options(const std::vector<std::string>& arguments, DescribeGpus gpus) {
  const std::vector<Flag> flags = main_flags();
  const Result<Parsed> parsed = parse(flags, arguments);
  if (!parsed.ok()) return usage_error("", parsed.error());
  if (const Given* help = asks_for_help(parsed->given)) return print(main_help(length_of(*help)));
  const auto given = [&](std::string_view name) -> const Given* {
    for (const Given& one : parsed->given) {
      if (one.flag->name == name) return &one;
    }
    return nullptr;
  };
  if (const Given* kind = given("generate")) return print(generate(kind->value));
  if (given("version") != nullptr) {
    return print(version_text() + (given("verbose") != nullptr ? version_details(gpus()) : ""));
  }
  return usage_error("", make_error(ErrorCode::kInvalidArgument, "no command given"));
}

}  // namespace

/// Runs the command line and returns the exit status. `gpus` is called only where the version is
/// printed, since it starts CUDA's driver.
int run_command_line(const std::vector<std::string>& arguments, DescribeGpus gpus) {
  if (arguments.empty()) {
    std::fputs(main_help(HelpLength::kShort).c_str(), stderr);
    return kFailure;
  }
  const std::string& first = arguments.front();
  if (first.size() > 1 && first[0] == '-') return run_main_options(arguments, gpus);
  const std::span<const std::string> rest = std::span(arguments).subspan(1);
  if (first == "help") return help_command(rest);
  if (const auto command = find_command(first)) return run_command(*command, rest);
  return unknown_command(first);
}

}  // namespace presso::cli
