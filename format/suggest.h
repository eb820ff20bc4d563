// SPDX-License-Identifier: MIT
// "Did you mean ...?" for mistyped options, values and commands. Only for error messages: it takes
// the product of both lengths for each candidate, and declines words of more than 64 letters.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace presso {

/// The word that was probably meant.
struct Suggestion {
  std::string word;
  std::size_t distance = 0;  ///< letters that are wrong, too many, missing, or exchanged
};

/// The nearest candidate, the first of several; nullopt if none is near. A candidate is near if at
/// most a third of the word's letters are wrong (one may always be), or if it begins with a word of
/// at least three letters.
std::optional<Suggestion> nearest_word(std::string_view word,
                                       const std::vector<std::string>& candidates);

/// Text to append to a message: ". Did you mean '--threads'?" with the nearest candidate; empty
/// if none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace presso
