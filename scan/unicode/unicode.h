// SPDX-License-Identifier: MIT
// The part of Unicode (version 14) that patterns need: decoding UTF-8, simple case folding, word
// characters. Full case folding, normalisation and graphemes are left out, as in ripgrep. The
// tables come from make_unicode_tables.pl; a look-up is a binary search, and ASCII needs none.
// Tested by tests/unit/scan/unicode/scan_unicode_test.cpp.
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

/// Decodes the code point that begins at `at` (< end), or the one that ends at `end` (> begin).
/// Strict: overlong forms and surrogates are not UTF-8.
Decoded decode(const Byte* at, const Byte* end);
Decoded decode_last(const Byte* begin, const Byte* end);
/// Writes the UTF-8 of `code`, 1 to 4 bytes, and returns how many they are.
std::uint32_t encode(CodePoint code, Byte* to);
/// The UTF-8 of `code` as a string.
std::string encoded(CodePoint code);

/// The representative of all code points that differ from `code` in case only (simple folding).
CodePoint fold(CodePoint code);
/// All code points with the same fold() as `code`, itself included, ascending. It is slow, for use
/// while patterns are compiled.
std::vector<CodePoint> case_variants(CodePoint code);
/// Two different code points with the same fold().
struct CasePair {
  CodePoint code = 0;
  CodePoint variant = 0;
};
/// All such pairs, each in both directions, ascending by `code`, for folding whole classes. Made at
/// the first call.
const std::vector<CasePair>& case_pairs();

bool is_upper(CodePoint code);
/// Whether `code` is in \w of UTS 18.
bool is_word(CodePoint code);

}  // namespace presso::scan_detail
