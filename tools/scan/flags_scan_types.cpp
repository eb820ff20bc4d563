// SPDX-License-Identifier: MIT
// The flags of `presso scan` about file types. They act in the order of the command line, as in
// ripgrep 14. Tested by tests/cli/test_scan_choice.py. Whether a type is known is decided after the
// last of them, by FileTypes::settle(), since --type-add may come after --type.
#include "tools/cli/bind.h"
#include "tools/scan/scan_settings.h"

namespace presso::cli {
namespace {

/// For --type and --type-not.
Apply choose_type(FileTypes& types, bool leave_out) {
  return [&types, leave_out](const Given& given) -> Status {
    types.choose(given.value, leave_out);
    return {};
  };
}

}  // namespace

/// Which types of files are searched, and what they are.
std::vector<Flag> scan_type_flags(ScanSettings& s) {
  return {
      {.short_name = 't',
       .name = "type",
       .value_name = "TYPE",
       .category = kSelection,
       .brief = "search only files of TYPE, as 'log'; --type-list lists types",
       .text = "For files below directories. May be given several times. 'all' is any known type. "
               "The type goes by the name without .presso, .gz, .zst and .lz4: app.log.presso is "
               "a log. A --glob that matches a file outweighs its type.",
       .apply = choose_type(s.walk.types, false)},
      {.short_name = 'T',
       .name = "type-not",
       .value_name = "TYPE",
       .category = kSelection,
       .brief = "leave out files of TYPE",
       .text = "Of --type and --type-not the last one that is about a file decides.",
       .apply = choose_type(s.walk.types, true)},
      {.name = "type-add",
       .value_name = "NAME:GLOB",
       .category = kSelection,
       .brief = "add GLOB to the type NAME, for this command",
       .text = "The type need not exist. NAME:include:A,B adds the globs of the types A and B. "
               "Globs are compared with names of files, without folders.",
       .apply = [&s](const Given& given) -> Status {
         const Status added = s.walk.types.define(given.value);
         if (added.ok()) return {};
         return make_error(added.error().code, given.spelled + ": " + added.error().what);
       }},
      {.name = "type-clear",
       .value_name = "NAME",
       .category = kSelection,
       .brief = "take all globs from the type NAME, for this command",
       .apply = [&s](const Given& given) -> Status {
         s.walk.types.clear(given.value);
         return {};
       }},
      {.name = "type-list",
       .category = kOutput,
       .brief = "list the file types with their globs, and search nothing",
       .apply = set(s.type_list)},
  };
}

}  // namespace presso::cli
