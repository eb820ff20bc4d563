// SPDX-License-Identifier: MIT
// SQL's LIKE cut into its parts. parse_like() makes trees for searching lines from them, and
// query/strings makes its conditions on whole strings. LIKE knows only `%`, `_` and an escape
// character. Tested by tests/unit/scan/syntax/regex_like_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "presso/error.h"
#include "scan/syntax/tree.h"

namespace presso::scan_detail {

/// One element of a LIKE pattern.
struct LikePart {
  enum class Kind : Byte { kCharacter, kAnyCharacter, kAnyString };
  Kind kind = Kind::kCharacter;
  CodePoint code = 0;  ///< of kCharacter
  std::size_t at = 0;  ///< where it begins in the pattern
};

/// Which characters may follow the escape character.
enum class LikeEscapes : Byte {
  kSpecial,  ///< `%`, `_` and the escape character
  kAny,      ///< any character, which then stands for itself (DuckDB)
};

/// Cuts the pattern into parts; a run of `%` becomes one part. `escape` 0 means no escape
/// character. Error kInvalidArgument, with the offset: something that is not UTF-8, an escape
/// character that is not ASCII, or one that nothing, or the wrong thing, follows.
Result<std::vector<LikePart>> split_like(std::string_view pattern, char escape,
                                         LikeEscapes escapes = LikeEscapes::kSpecial);

}  // namespace presso::scan_detail
