// SPDX-License-Identifier: MIT
// A table of strings that row groups store as tokens, about which tests/queries/tokens.txt asks.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "corpora/random.h"
#include "tests/simt/queried_table.h"

namespace presso::test {

/// Of a few words that conditions ask for, and many others, so that tokens are worth it.
inline std::string sentence(corpora::Random& random, std::uint32_t most_words) {
  static constexpr std::array<const char*, 16> kWords = {
      "special", "requests", "furiously", "final",   "deposits", "sleep",   "quickly", "bold",
      "ironic",  "accounts", "haggle",    "pending", "packages", "unusual", "the",     "carefully"};
  static const std::vector<std::string> others = [] {
    corpora::Random letters(11);
    std::vector<std::string> made(300, std::string(6, ' '));
    for (std::string& word : made) {
      for (char& letter : word) letter = static_cast<char>('a' + letters.below(26));
    }
    return made;
  }();
  std::string text;
  for (std::uint32_t i = 1 + random.below(most_words); i > 0; --i) {
    if (!text.empty()) text += ' ';
    text += random.below(3) == 0 ? kWords[random.below(16)] : others[random.below(300)];
  }
  return text;
}

/// `mixed` is a dictionary in the first row group, tokens in later ones and null in the last.
inline std::string make_string_csv(std::uint32_t rows, std::uint32_t group_rows,
                                   std::uint32_t most_words) {
  corpora::Random random(rows);
  std::string csv = "id,run,word,comment,note,mixed,noise\n";
  for (std::uint32_t i = 0; i < rows; ++i) {
    const bool is_last = rows > group_rows && i / group_rows == (rows - 1) / group_rows;
    std::string noise(12, 'a');
    for (char& letter : noise) letter = static_cast<char>('!' + random.below(90));
    for (char& letter : noise) letter = letter == ',' || letter == '"' ? '.' : letter;
    const std::string fields[] = {std::to_string(i),
                                  std::to_string(random.below(6)),
                                  random.below(2) == 0 ? "AIR" : "MAIL",
                                  sentence(random, most_words),
                                  random.below(4) == 0 ? "" : sentence(random, most_words),
                                  is_last          ? ""
                                  : i < group_rows ? "ironic " + std::to_string(random.below(7))
                                  : random.below(5) == 0 ? ""
                                                         : sentence(random, most_words),
                                  noise};
    for (const std::string& field : fields) csv.append(field).push_back(',');
    csv.back() = '\n';
  }
  return csv;
}

}  // namespace presso::test
