// SPDX-License-Identifier: MIT
// Colours of `presso scan`, set by ripgrep's --colors TYPE:ATTRIBUTE:VALUE and turned into the
// escape sequences that it writes.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "presso/error.h"

namespace presso::cli {

/// How one kind of output looks.
struct ColorSpec {
  std::string foreground = {};  ///< "red", "9", "1,2,3"; empty: the terminal's
  std::string background = {};
  bool bold = false;
  bool intense = false;
  bool underline = false;

  bool is_plain() const {
    return foreground.empty() && background.empty() && !bold && !intense && !underline;
  }
  /// What goes in front of the text; kColorReset comes after it.
  std::string sequence() const;
};

constexpr std::string_view kColorReset = "\x1b[0m";

struct ScanColors {
  ColorSpec path{.foreground = "magenta"};
  ColorSpec line{.foreground = "green"};
  ColorSpec column;
  ColorSpec match{.foreground = "red", .bold = true};

  /// Takes over one --colors value. Errors: kInvalidArgument with what is permitted.
  Status apply(std::string_view value);
};

}  // namespace presso::cli
