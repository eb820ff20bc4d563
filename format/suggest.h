// SPDX-License-Identifier: MIT
// "Did you mean ...?" for mistyped options, values and commands. Only for error messages: it is
// not fast.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace presso {

struct Suggestion {
  std::string word;
  std::size_t distance = 0;  ///< letters that are wrong, too many, missing, or exchanged
};

/// The nearest candidate, the first of several, or nothing if none is near.
std::optional<Suggestion> nearest_word(std::string_view word,
                                       const std::vector<std::string>& candidates);

/// Text to append to a message: ". Did you mean '--threads'?" with the nearest candidate; empty
/// if none is near.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

}  // namespace presso
