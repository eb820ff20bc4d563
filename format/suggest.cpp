// SPDX-License-Identifier: MIT
// Finds the word that was probably meant. The measure is the edit distance with transpositions
// of neighbours (optimal string alignment, after Damerau 1964): insertions, deletions,
// replacements and swaps cost one each. A candidate is near if at most a third of the word's
// letters are wrong (one is always permitted), or if it begins with the word.
// O(n m) time and memory for each candidate; words over 64 letters are refused. Tested by
// tests/cli.
#include "format/suggest.h"

#include <algorithm>
#include <cstddef>

namespace presso {
namespace {

/// cost[i][j] is the distance of the first i letters of `a` and the first j of `b`.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t width = b.size() + 1;
  std::vector<std::size_t> cost((a.size() + 1) * width);
  const auto at = [&](std::size_t i, std::size_t j) -> std::size_t& { return cost[i * width + j]; };
  for (std::size_t i = 0; i <= a.size(); ++i) at(i, 0) = i;
  for (std::size_t j = 0; j <= b.size(); ++j) at(0, j) = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      at(i, j) = std::min({at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) at(i, j) = std::min(at(i, j), at(i - 2, j - 2) + 1);
    }
  }
  return cost.back();
}

}  // namespace

std::optional<Suggestion> nearest_word(std::string_view word,
                                       const std::vector<std::string>& candidates) {
  constexpr std::size_t kLongestWord = 64;
  if (word.size() > kLongestWord) return std::nullopt;
  // Leading dashes of options are no letters.
  const std::size_t letters = word.size() - std::min(word.size(), word.find_first_not_of('-'));
  std::optional<Suggestion> nearest;
  std::size_t nearest_distance = std::max<std::size_t>(1, letters / 3) + 1;
  for (const std::string& candidate : candidates) {
    const bool begins = letters >= 3 && candidate.starts_with(word);
    const std::size_t distance = begins ? 1 : edit_distance(word, candidate);
    if (distance < nearest_distance) {
      nearest = Suggestion{candidate, distance};
      nearest_distance = distance;
    }
  }
  return nearest;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  const auto nearest = nearest_word(word, candidates);
  return nearest ? ". Did you mean '" + nearest->word + "'?" : std::string();
}

}  // namespace presso
