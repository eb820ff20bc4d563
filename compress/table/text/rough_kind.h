// SPDX-License-Identifier: MIT
// Tells at a glance what a field looks like, for the decision whether a text has a header. It is
// more tolerant than the types of columns (type_candidate.h): "$1,234.50", "007" and "5 %" look
// like numbers here, whatever type such a column gets. Tested by
// tests/unit/compress/table/header_test.cpp.
#pragma once

#include "presso/bytes.h"

namespace presso {

/// What a value looks like.
enum class RoughKind {
  kNull,    ///< empty, blank, or a word for a missing value: NA, null, -, ?
  kNumber,  ///< digits with a sign, a point, groups of thousands, an exponent, a currency, a
            ///< percent
  kTime,    ///< groups of digits and names of months or days: 2024-01-31 12:00, Jan 5, 10-20
  kBool,    ///< true, yes, y, t and their opposites, in any letter case
  kText,
};

/// Blanks around the value do not matter.
RoughKind rough_kind_of(Bytes value);

/// `value` without the blanks around it.
Bytes without_blanks(Bytes value);

}  // namespace presso
