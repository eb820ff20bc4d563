// SPDX-License-Identifier: MIT
// Yes/no questions on the terminal, before something is overwritten. Tested by
// tests/cli/test_compress.py.
#pragma once

#include <string>

namespace presso::cli {

/// Asks on the terminal and returns whether the answer begins with y. If standard input is no
/// terminal, nobody can answer, and the result is false without asking.
bool confirm(const std::string& question);

}  // namespace presso::cli
