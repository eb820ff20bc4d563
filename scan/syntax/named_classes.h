// SPDX-License-Identifier: MIT
// The character classes that have names: \d \s \w, [:alpha:] and Unicode's \p{Greek}. Unicode is
// that of version 14. Names are looked up by binary search in generated tables and unpacked at
// every call; parsers keep what they got. Tested by tests/unit/scan/syntax/regex_class_test.cpp.
#pragma once

#include <optional>
#include <string_view>

#include "scan/syntax/code_set.h"

namespace presso::scan_detail {

/// The set of \d, \s or \w (`letter` is d, s or w); without `unicode` its ASCII members only. Lives
/// as long as the process and may be read by all threads.
const CodeSet& perl_class(char letter, bool unicode);

/// The set of [:name:], which is ASCII only; nullopt if there is no such class.
std::optional<CodeSet> posix_class(std::string_view name);

/// The set of \p{name}: a general category ("Lu", "Uppercase_Letter"), script or property, or
/// "name=value", "name:value" or "name!=value" for general categories (gc), scripts (sc) and script
/// extensions (scx). Case, spaces, '_' and '-' do not count. Returns nullopt if Unicode 14 knows no
/// such name.
std::optional<CodeSet> unicode_property(std::string_view name);

}  // namespace presso::scan_detail
