// SPDX-License-Identifier: MIT
// Reads escapes in separators as ripgrep does: \\, \n, \r, \t and \x7F. Tested by
// tests/cli/test_scan_output.py.
#pragma once

#include <string>
#include <string_view>

namespace presso::cli {

/// The text with its escapes replaced; a backslash that begins none stands for itself.
std::string unescape(std::string_view text);

}  // namespace presso::cli
