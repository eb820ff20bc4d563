// SPDX-License-Identifier: MIT
// Glob patterns with the meaning that they have in .gitignore files and ripgrep's -g: * and ? do
// not match a slash, ** does, {a,b} are alternatives, [a-z] classes; without a slash in it a
// pattern is about the last part of a path. Tested by tests/cli/test_scan_files.py.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"

namespace presso::cli {

/// As given by the user.
struct GlobText {
  std::string text;
  bool ignore_case = false;
};

class Glob {
 public:
  /// `text` must have passed check_glob().
  Glob(std::string_view text, bool ignore_case);

  /// With a '!' before it.
  bool excludes() const { return excludes_; }
  /// `path` is relative, without "./".
  bool matches(std::string_view path, bool is_directory) const;

 private:
  std::vector<std::string> alternatives_;  ///< without braces
  bool excludes_ = false;
  bool only_directories_ = false;
  bool ignore_case_;
};

/// Errors: kInvalidArgument for braces or brackets that are not closed.
Status check_glob(std::string_view text);

}  // namespace presso::cli
