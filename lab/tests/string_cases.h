// SPDX-License-Identifier: MIT
// The cases of string_cases.txt, and the definition of "in order" that engines are compared with.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/places.h"

namespace presso::string_test {

inline bool in_order(const std::vector<std::string>& substrings, const std::string& text) {
  std::size_t at = 0;
  for (const std::string& substring : substrings) {
    at = text.find(substring, at);
    if (at == std::string::npos) return false;
    at += substring.size();
  }
  return true;
}

struct StringCase {
  std::vector<std::string> substrings;
  std::string text;
  bool matches = false;
};

inline std::string unescaped(const std::string& field) {
  std::string made;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\') {
      made += field[i];
    } else if (field[++i] == 'x') {
      made += static_cast<char>(std::strtol(field.substr(i + 1, 2).c_str(), nullptr, 16));
      i += 2;
    }
  }
  return made;
}

inline std::vector<std::string> split(const std::string& line, char separator) {
  std::vector<std::string> fields;
  std::size_t from = 0;
  for (std::size_t end; (end = line.find(separator, from)) != std::string::npos; from = end + 1) {
    fields.push_back(line.substr(from, end - from));
  }
  fields.push_back(line.substr(from));
  return fields;
}

inline std::vector<StringCase> string_cases() {
  std::ifstream file(tests::tests_folder() / "../lab/tests/string_cases.txt");
  std::vector<StringCase> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.empty() || line[0] == '#') continue;
    const auto fields = split(line, '\t');
    EXPECT_EQ(fields.size(), 3u) << line;
    StringCase made;
    for (const std::string& part : split(fields[0], '%'))
      made.substrings.push_back(unescaped(part));
    made.text = unescaped(fields[1]);
    made.matches = fields[2] == "1";
    cases.push_back(std::move(made));
  }
  EXPECT_GE(cases.size(), 30u);
  return cases;
}

/// All strings of 0 to `length` letters of `letters`.
inline std::vector<std::string> all_strings(const std::string& letters, std::size_t length) {
  std::vector<std::string> all = {""};
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].size() == length) break;
    for (const char letter : letters) all.push_back(all[i] + letter);
  }
  return all;
}

}  // namespace presso::string_test
