// SPDX-License-Identifier: MIT
// Escapes in separators, as ripgrep reads them: \\, \n, \r, \t and \x7F.
#pragma once

#include <string>
#include <string_view>

namespace presso::cli {

/// What is no escape stands for itself.
std::string unescape(std::string_view text);

}  // namespace presso::cli
