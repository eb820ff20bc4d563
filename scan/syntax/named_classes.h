// SPDX-License-Identifier: MIT
// Character classes that have names: \d \s \w, [:alpha:] and Unicode's \p{Greek}.
#pragma once

#include <optional>
#include <string_view>

#include "scan/syntax/code_set.h"

namespace presso::scan_detail {

/// `letter` is d, s or w. Without `unicode` ASCII only.
const CodeSet& perl_class(char letter, bool unicode);

/// "alpha" and so on, ASCII only; nothing where there is no such class.
std::optional<CodeSet> posix_class(std::string_view name);

/// What stands in \p{...}: a general category ("Lu", "Uppercase_Letter"), script or property, or
/// "name=value" with general categories (gc), scripts (sc) and script extensions (scx). Case,
/// spaces, '_' and '-' do not count. Nothing where Unicode 14 knows no such name.
std::optional<CodeSet> unicode_property(std::string_view name);

}  // namespace presso::scan_detail
