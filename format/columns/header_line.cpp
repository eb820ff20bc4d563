// SPDX-License-Identifier: MIT
// The line with the names of the columns, printed as a row of strings.
#include "format/columns/header_line.h"

#include <vector>

#include "format/columns/row_text.h"
#include "presso/column_data.h"

namespace presso {

// Prints the names as one row of strings, by the printer that prints the rows, so that quoting
// rules are in one place.
std::string header_line(const TableSchema& schema) {
  TableSchema names;
  names.text = schema.text;
  std::vector<ColumnData> columns(schema.columns.size());
  std::vector<ColumnView> views;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::string& name = schema.columns[i].name;
    names.columns.emplace_back().name = name;
    columns[i].rows = 1;
    columns[i].values.append({reinterpret_cast<const Byte*>(name.data()), name.size()});
    columns[i].offsets = {0, static_cast<std::int64_t>(name.size())};
    views.push_back(columns[i].view());
  }
  Buffer line;
  if (!RowPrinter(names, views).print(0, 1, line).ok()) return {};
  return {reinterpret_cast<const char*>(line.data()), line.size()};
}

}  // namespace presso
