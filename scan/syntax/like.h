// SPDX-License-Identifier: MIT
// SQL's LIKE cut into its parts: what parse_like() makes trees for lines from, and query/strings
// those for whole strings. Tested by tests/unit/scan/syntax/regex_like_test.cpp.
#pragma once

#include <string_view>
#include <vector>

#include "presso/error.h"
#include "scan/syntax/tree.h"

namespace presso::scan_detail {

struct LikePart {
  enum class Kind : Byte { kCharacter, kAnyCharacter, kAnyString };
  Kind kind = Kind::kCharacter;
  CodePoint code = 0;  ///< of kCharacter
  std::size_t at = 0;  ///< where it begins in the pattern
};

/// What may stand behind the escape character.
enum class LikeEscapes : Byte {
  kSpecial,  ///< `%`, `_` and the escape character
  kAny,      ///< any character, which then stands for itself (DuckDB)
};

/// A run of `%` is one part. `escape` 0: none. Errors: kInvalidArgument with the offset of what is
/// not UTF-8 or of an escape character with nothing, or the wrong thing, behind it.
Result<std::vector<LikePart>> split_like(std::string_view pattern, char escape,
                                         LikeEscapes escapes = LikeEscapes::kSpecial);

}  // namespace presso::scan_detail
