// SPDX-License-Identifier: MIT
// Widths of text on a terminal, cutting, and what is kept from the terminal.
#include "tools/cli/terminal_text.h"

#include <gtest/gtest.h>

#include <random>

namespace presso::cli::terminal_text_test {
namespace {

std::string shown(std::string_view text, std::size_t most = SIZE_MAX) {
  return terminal_text(text, most).text;
}

TEST(TerminalText, CountsColumnsAndNotBytes) {
  EXPECT_EQ(terminal_text("plain").width, 5u);
  EXPECT_EQ(terminal_text("größe").width, 5u);
  EXPECT_EQ(terminal_text("日本語").width, 6u);
  EXPECT_EQ(terminal_text("e\u0301").width, 1u);
  EXPECT_EQ(terminal_text("🙂").width, 2u);
  EXPECT_EQ(terminal_text("Привет, мир").width, 11u);
  EXPECT_EQ(terminal_text("").width, 0u);
}

TEST(TerminalText, KeepsControlBytesFromTheTerminal) {
  EXPECT_EQ(shown("a\nb\tc\rd"), "a\\nb\\tc\\rd");
  EXPECT_EQ(shown("\x1b[31mred"), "\\x1b[31mred");
  EXPECT_EQ(shown("\x7f"), "\\x7f");
  EXPECT_EQ(shown("\xc2\x9b"), "\\xc2\\x9b");     // CSI as one character
  EXPECT_EQ(shown("\u202e"), "\\xe2\\x80\\xae");  // turns the direction round
  EXPECT_EQ(shown(std::string_view("\0", 1)), "\\x00");
}

TEST(TerminalText, KeepsLinesApartAndControlBytesFromTheTerminal) {
  EXPECT_EQ(terminal_lines("a\x1b[31m\n\n\tb\r"), "a\\x1b[31m\n\n\\tb\\r");
  EXPECT_EQ(terminal_lines(""), "");
  EXPECT_EQ(terminal_lines("\n"), "\n");
}

TEST(TerminalText, ShowsBytesThatAreNoUtf8) {
  EXPECT_EQ(shown("a\xff"), "a\\xff");
  EXPECT_EQ(shown("\xc3"), "\\xc3");
  EXPECT_EQ(shown("\xc0\x80"), "\\xc0\\x80");           // an overlong NUL
  EXPECT_EQ(shown("\xed\xa0\x80"), "\\xed\\xa0\\x80");  // a surrogate
  EXPECT_EQ(shown("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");
}

TEST(TerminalText, EndsInAnEllipsisWhereItIsCut) {
  EXPECT_EQ(shown("abcdef", 6), "abcdef");
  EXPECT_EQ(shown("abcdef", 5), "abcd…");
  EXPECT_EQ(shown("abcdef", 1), "…");
  EXPECT_EQ(shown("abcdef", 0), "");
  EXPECT_EQ(shown("日本語", 5), "日本…");
  EXPECT_EQ(shown("日本語", 4), "日…");
  EXPECT_EQ(terminal_text("日本語", 4).width, 3u);
  EXPECT_EQ(shown("ab\n", 3), "ab…");
}

TEST(TerminalText, NeverTakesMoreColumnsThanItMay) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    std::string text;
    for (auto size = random() % 20; size > 0; --size) {
      const char* const pieces[] = {"a", "é", "語", "\xff", "\n", "🙂", "\u0301"};
      text += pieces[random() % std::size(pieces)];
    }
    const std::size_t most = random() % 20;
    const TerminalText cut = terminal_text(text, most);
    EXPECT_LE(cut.width, most);
    const TerminalText again = terminal_text(cut.text);
    EXPECT_EQ(again.width, cut.width) << text;
    EXPECT_EQ(again.text, cut.text);
  }
}

}  // namespace
}  // namespace presso::cli::terminal_text_test
