// SPDX-License-Identifier: MIT
// File types (--type): names for groups of globs, which are compared with the last part of a file's
// path. The ending of a compressed file is no part of its type: app.log.presso is of type "log",
// and so are app.log.gz, .zst and .lz4. Tested by tests/cli/test_scan_choice.py. Costs a comparison
// with each glob of the chosen types for each file below a directory.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/io/glob.h"

namespace presso::cli {

/// The types, changed and chosen by flags in the order of the command line.
class FileTypes {
 public:
  /// Takes "NAME:GLOB" or "NAME:include:NAME,NAME" and adds to the type. Error kInvalidArgument:
  /// another form, a bad glob, or an unknown type to be included.
  Status define(std::string_view definition);
  /// Takes all globs from a type. It is no error if there is no such type.
  void clear(std::string_view name);
  /// Searches only files of this type, or leaves them out; "all" are all types. The last choice
  /// that is about a file decides.
  void choose(std::string_view name, bool leave_out);

  /// Makes the globs of the chosen types ready. To be called once, after all the above and before
  /// the next. Error kInvalidArgument: a type that is not known.
  Status settle();
  /// Whether a file with this name is to be searched; nullopt where the types say nothing.
  std::optional<bool> wanted(std::string_view name) const;
  /// A line for each type: "NAME: GLOB, GLOB".
  std::string list();

 private:
  using Definitions = std::map<std::string, std::vector<std::string>, std::less<>>;
  struct Choice {
    std::string name;
    bool leave_out = false;
    std::vector<Glob> globs;
  };

  /// Made when it is first needed, as most commands do not need it.
  Definitions& definitions();

  Definitions definitions_;
  std::vector<Choice> choices_;
  bool only_chosen_ = false;  ///< there is a choice of what to search
};

}  // namespace presso::cli
