// SPDX-License-Identifier: MIT
// Glob patterns with the meaning that they have in .gitignore files and ripgrep's -g: * and ? do
// not match a slash, ** does, {a,b} are alternatives, [a-z] classes. A pattern without a slash is
// about the last part of a path. Matching costs at most the product of both lengths. Tested by
// tests/cli/test_scan_files.py. A Glob is made once for each flag and may be used by several
// threads, since matching changes nothing in it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"

namespace presso::cli {

/// A glob as given by the user.
struct GlobText {
  std::string text;
  bool ignore_case = false;
};

/// A glob that is ready to be matched. It owns its text.
class Glob {
 public:
  /// `text` must have passed check_glob().
  Glob(std::string_view text, bool ignore_case);

  /// Whether there was a '!' before it, so that what it matches is left out.
  bool excludes() const { return excludes_; }
  /// Whether it matches `path`, which is relative and without "./".
  bool matches(std::string_view path, bool is_directory) const;

 private:
  /// A glob without braces, and the text at its end with which every path that it matches ends.
  struct Alternative {
    std::string glob;
    std::string tail;
  };

  bool matches(const Alternative& alternative, std::string_view path) const;

  std::vector<Alternative> alternatives_;
  bool excludes_ = false;
  bool only_directories_ = false;
  bool ignore_case_;
};

/// Error kInvalidArgument: braces or brackets that are not closed, or a glob that is empty or too
/// long.
Status check_glob(std::string_view text);

}  // namespace presso::cli
