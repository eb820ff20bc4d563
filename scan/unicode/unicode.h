// SPDX-License-Identifier: MIT
// The part of Unicode that patterns need: decoding, simple case folding, word characters.
// Tables come from make_unicode_tables.pl. Tested by tests/unit/scan/unicode/scan_unicode_test.cpp.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "presso/bytes.h"

namespace presso::scan_detail {

using CodePoint = std::uint32_t;

/// A decoded code point and how many bytes it takes; bytes is 0 where the text is not UTF-8.
struct Decoded {
  CodePoint code = 0;
  std::uint32_t bytes = 0;
};

/// The code point that begins at `at` (< end) or that ends at `end` (> begin). Strict: no overlong
/// forms, no surrogates.
Decoded decode(const Byte* at, const Byte* end);
Decoded decode_last(const Byte* begin, const Byte* end);
/// Writes 1-4 bytes; returns how many.
std::uint32_t encode(CodePoint code, Byte* to);
/// The same as a string.
std::string encoded(CodePoint code);

/// The representative of all code points that differ from `code` in case only (simple folding).
CodePoint fold(CodePoint code);
/// All code points with the same fold() as `code`, itself included, ascending. Slow: for compiling.
std::vector<CodePoint> case_variants(CodePoint code);
/// Two different code points with the same fold().
struct CasePair {
  CodePoint code = 0;
  CodePoint variant = 0;
};
/// All pairs, each in both directions, ascending by `code`: for folding whole classes.
const std::vector<CasePair>& case_pairs();

bool is_upper(CodePoint code);
/// \w of UTS 18.
bool is_word(CodePoint code);

}  // namespace presso::scan_detail
