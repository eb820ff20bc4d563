// SPDX-License-Identifier: MIT
// Each flag writes to a FileOptions of the command; nothing is checked against other flags here,
// since they may come in any order. The commands do that in run(). Tested by
// tests/cli/test_frame.py.
#include "tools/io/flags_files.h"

#include <iterator>

#include "presso/compress.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"

namespace presso::cli {

/// The flags of commands that make one file from another.
std::vector<Flag> file_flags(FileOptions& options) {
  return {
      {.short_name = 'o',
       .name = "output",
       .value_name = "OUT",
       .category = kOutput,
       .brief = "write to OUT; - is standard output",
       .text = "Only with a single input. The file appears under its name once it is complete.",
       .completion = Completion::kFile,
       .apply = [&options](const Given& given) -> Status {
         options.to_stdout = given.value == "-";
         options.output = options.to_stdout ? std::string() : given.value;
         if (!options.to_stdout && options.output.empty()) {
           return make_error(ErrorCode::kInvalidArgument, given.spelled + ": the name is empty");
         }
         return {};
       }},
      {.short_name = 'c',
       .name = "stdout",
       .category = kOutput,
       .brief = "write to standard output, keep the input",
       .apply = [&options](const Given&) -> Status {
         options.to_stdout = true;
         options.output.clear();
         return {};
       }},
      {.short_name = 'f',
       .name = "force",
       .category = kOutput,
       .brief = "overwrite files, write compressed data to a terminal",
       .text =
           "A link of the output's name is replaced, not the file it leads to. Also takes inputs "
           "that would be skipped because of their name.",
       .apply = set(options.force)},
      {.short_name = 'k',
       .name = "keep",
       .category = kOutput,
       .brief = "keep the input",
       .default_value = "on",
       .apply = [&options](const Given&) -> Status {
         options.remove_source = false;
         return {};
       }},
      {.name = "rm",
       .category = kOutput,
       .brief = "remove the input once the output is safely on disk",
       .apply = set(options.remove_source)},
      {.short_name = 'r',
       .name = "recursive",
       .category = kSelection,
       .brief = "take the files below directories",
       .text = "Regular files only; symbolic links inside directories are not followed.",
       .apply = set(options.recursive)},
  };
}

/// -q and -v, which set the verbosity of the whole process as they are read. The verbosity is a
/// setting of the process and not of the command, because messages from any place follow it.
std::vector<Flag> message_flags() {
  return {
      {.short_name = 'q',
       .name = "quiet",
       .category = kMessages,
       .brief = "print errors only; twice: nothing",
       .apply = [](const Given&) -> Status {
         const bool again = verbosity() <= Verbosity::kQuiet;
         set_verbosity(again ? Verbosity::kSilent : Verbosity::kQuiet);
         return {};
       }},
      {.short_name = 'v',
       .name = "verbose",
       .category = kMessages,
       .brief = "print a line for each file",
       .apply = [](const Given&) -> Status {
         set_verbosity(Verbosity::kVerbose);
         return {};
       }},
  };
}

/// --progress; the bar is shown on a terminal only, whatever this says.
Flag progress_flag(bool& progress) {
  return {.name = "progress",
          .category = kMessages,
          .brief = "show a progress bar if standard error is a terminal",
          .default_value = "on",
          .negation = "no-progress",
          .apply = set(progress)};
}

/// -T. The environment's value is a default that the flag overrides. Error: more than kMaxThreads.
Flag threads_flag(unsigned& threads) {
  return {.short_name = 'T',
          .name = "threads",
          .value_name = "N",
          .category = kPerformance,
          .brief = "use N threads; 0: all cores",
          .text = "The result does not depend on it.",
          .default_value = "0",
          .environment = "PRESSO_THREADS",
          .apply = count_into(threads, 0, kMaxThreads)};
}

void append(std::vector<Flag>& flags, std::vector<Flag> more) {
  flags.insert(flags.end(), std::make_move_iterator(more.begin()),
               std::make_move_iterator(more.end()));
}

}  // namespace presso::cli
