// SPDX-License-Identifier: MIT
// The letter case of ASCII letters, without locales; all other bytes stay as they are. Letters of
// other alphabets have scan/unicode/letter_case.h. Used for words of languages, names of files and
// of columns.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace presso::ascii {

constexpr char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

inline std::string lower(std::string_view text) {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(),
                 [](char letter) { return lower(letter); });
  return result;
}

/// Whether the texts differ in letter case at most.
inline bool same_letters(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char one, char other) { return lower(one) == lower(other); });
}

}  // namespace presso::ascii
