// SPDX-License-Identifier: MIT
// String columns for tests of coding 5 (tokens).
#pragma once

#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "presso/column_data.h"

namespace presso::test {

inline ColumnData string_column(const std::vector<std::string>& rows) {
  ColumnData column;
  column.rows = rows.size();
  column.offsets.push_back(0);
  for (const std::string& row : rows) {
    column.values.append({reinterpret_cast<const Byte*>(row.data()), row.size()});
    column.offsets.push_back(static_cast<std::int64_t>(column.values.size()));
  }
  return column;
}

/// Rows of a few words each, some empty, some twice.
inline std::vector<std::string> word_rows(std::size_t rows, std::uint32_t seed) {
  constexpr std::string_view kWords[] = {"carefully ", "final ",    "deposits ",
                                         "sleep ",     "quickly ",  "bold ",
                                         "ironic ",    "accounts ", "haggle. "};
  std::mt19937 random(seed);
  std::vector<std::string> texts(rows);
  for (std::string& text : texts) {
    for (auto words = random() % 6; words > 0; --words) text += kWords[random() % 9];
    if (random() % 5 == 0) text += std::to_string(random() % 1000);
  }
  return texts;
}

/// Rows of random bytes, of up to 40.
inline std::vector<std::string> random_rows(std::size_t rows, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<std::string> texts(rows);
  for (std::string& text : texts) {
    text.resize(random() % 40);
    for (char& byte : text) byte = static_cast<char>(random());
  }
  return texts;
}

}  // namespace presso::test
