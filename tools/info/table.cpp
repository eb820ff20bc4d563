// SPDX-License-Identifier: MIT
#include "tools/info/table.h"

#include <algorithm>

namespace presso::cli {

std::string Table::text() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const Row& row : rows_) {
    for (std::size_t column = 0; column < row.size(); ++column) {
      widths[column] = std::max(widths[column], row[column].size());
    }
  }
  std::string out;
  for (const Row& row : rows_) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - row[column].size(), ' ');
      const bool left = column >= first_left_;
      line += (column == 0 ? "" : "  ") + (left ? row[column] + padding : padding + row[column]);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace presso::cli
