// SPDX-License-Identifier: MIT
// Text as a terminal shows it: how many columns it takes, cut to a given number of them, and
// without bytes that the terminal would take for commands. Widths are those of Unicode 15 for the
// common cases: marks that join the letter before them take none, East Asian letters and pictures
// two, everything else one. Sequences that a terminal joins into one picture are not recognised.
// Tested by tests/unit/tools/terminal_text_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "presso/bytes.h"

namespace presso::cli {

/// A text made safe for the terminal, and the columns that it takes there.
struct TerminalText {
  std::string text;
  std::size_t width = 0;
};

/// The columns that a character takes: 0, 1 or 2.
std::size_t character_width(char32_t character);

/// Makes a text safe: line feeds become \n and the like, other control characters and bytes that
/// are not UTF-8 become \x1b and the like. A text of more than `most` columns is cut and ends in an
/// ellipsis.
TerminalText terminal_text(Bytes text, std::size_t most = SIZE_MAX);
TerminalText terminal_text(std::string_view text, std::size_t most = SIZE_MAX);

/// Makes the lines of a text safe: line feeds stay, everything else is as above. Messages quote
/// names and values of files this way.
std::string terminal_lines(std::string_view text);

/// Whether the environment lets terminals have colours: not where TERM is dumb or missing, or
/// NO_COLOR is set and not empty.
bool terminal_takes_color();

}  // namespace presso::cli
