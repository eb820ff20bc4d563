// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace presso::cli {

/// Asks on the terminal and returns true for an answer that begins with y. If standard input is
/// no terminal nobody can answer: false without asking.
bool confirm(const std::string& question);

}  // namespace presso::cli
