// SPDX-License-Identifier: MIT
// Widths are known only when all rows are, so nothing is printed before. Tested by
// tests/cli/test_reports.py.
#include "tools/info/table.h"

#include <algorithm>

#include "tools/cli/terminal_text.h"

namespace presso::cli {

/// Cells may hold names and values from the file, so their control characters are escaped.
std::string Table::text() const {
  std::vector<std::vector<TerminalText>> rows;
  std::vector<std::size_t> widths(rows_.front().size());
  for (const Row& row : rows_) {
    std::vector<TerminalText>& shown = rows.emplace_back();
    for (std::size_t column = 0; column < row.size(); ++column) {
      shown.push_back(terminal_text(row[column]));
      widths[column] = std::max(widths[column], shown.back().width);
    }
  }
  std::string out;
  for (const std::vector<TerminalText>& row : rows) {
    // Blanks at the end of a line are left out.
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - row[column].width, ' ');
      const bool left = column >= first_left_;
      const std::string& text = row[column].text;
      line += (column == 0 ? "" : "  ") + (left ? text + padding : padding + text);
    }
    out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return out;
}

}  // namespace presso::cli
