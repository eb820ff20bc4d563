// SPDX-License-Identifier: MIT
// One of five files by whose compilation tests/house/build_time.py measures a machine. None
// changes.
#include <fstream>
#include <functional>
#include <iomanip>
#include <regex>
#include <sstream>
#include <string>

std::string numbered(const std::string& path, const std::function<bool(const std::string&)>& take) {
  std::ifstream file(path);
  std::ostringstream out;
  const std::regex words("[a-z]+([0-9]*)");
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (!take(line) || !std::regex_search(line, words)) continue;
    out << std::setw(6) << number << ' ' << std::quoted(line) << '\n';
  }
  return out.str();
}
