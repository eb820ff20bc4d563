// SPDX-License-Identifier: MIT
// The colours of `presso scan`, set by ripgrep's --colors TYPE:ATTRIBUTE:VALUE and turned into the
// escape sequences that ripgrep writes. Tested by tests/cli/scan_against_rg.py. The output is the
// same on every terminal: no database of terminals is asked.
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
  /// The escape sequence in front of a text; kColorReset comes after the text.
  std::string sequence() const;
};

// Ends every coloured text, so that a cut line cannot colour the rest of the screen.
constexpr std::string_view kColorReset = "\x1b[0m";

/// The looks of all kinds of output, with ripgrep's defaults.
struct ScanColors {
  ColorSpec path{.foreground = "magenta"};
  ColorSpec line{.foreground = "green"};
  ColorSpec column;
  ColorSpec match{.foreground = "red", .bold = true};

  /// Takes over one value of --colors. Error kInvalidArgument with what is permitted.
  Status apply(std::string_view value);
};

}  // namespace presso::cli
