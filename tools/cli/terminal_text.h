// SPDX-License-Identifier: MIT
// Text as a terminal shows it: how many columns it takes, cut to so many, and without bytes that
// the terminal would take for commands. Widths are those of Unicode 15 for the common cases: marks
// that join the letter before them take none, East Asian letters and pictures two, everything else
// one. Tested by tests/unit/tools/terminal_text_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "presso/bytes.h"

namespace presso::cli {

struct TerminalText {
  std::string text;
  std::size_t width = 0;
};

/// Columns that a character takes: 0, 1 or 2.
std::size_t character_width(char32_t character);

/// Line feeds as \n and the like, other control characters and bytes that are no UTF-8 as \x1b.
/// What takes more than `most` columns ends in an ellipsis.
TerminalText terminal_text(Bytes text, std::size_t most = SIZE_MAX);
TerminalText terminal_text(std::string_view text, std::size_t most = SIZE_MAX);

}  // namespace presso::cli
