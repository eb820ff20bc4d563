// SPDX-License-Identifier: MIT
// Yes/no questions, asked only of a terminal. Tested by tests/cli/test_compress.py.
#include "tools/io/prompt.h"

#include <unistd.h>

#include <cstdio>

#include "tools/cli/terminal_text.h"

namespace presso::cli {

/// Asks on the terminal; false without one, so that scripts never wait.
bool confirm(const std::string& question) {
  if (isatty(STDIN_FILENO) == 0) return false;
  std::fputs(("presso: " + terminal_text(question).text + " (y/n) ").c_str(), stderr);
  std::fflush(stderr);
  const int answer = std::getchar();
  for (int rest = answer; rest != '\n' && rest != EOF;) rest = std::getchar();
  return answer == 'y' || answer == 'Y';
}

}  // namespace presso::cli
