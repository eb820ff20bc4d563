// SPDX-License-Identifier: MIT
// The rules of header.h looked at a sample; the reason is given from the types of all rows, because
// these are what people see.
#include "compress/table/write/header_reason.h"

#include <algorithm>

namespace presso {
namespace {

/// The last column that has values of another type than string, or nullptr. The first one may have
/// a name that was made up, as row numbers have.
const ColumnSchema* typed_column(const TableSummary& summary) {
  const auto& columns = summary.schema.columns;
  const auto found = std::find_if(columns.rbegin(), columns.rend(), [](const ColumnSchema& column) {
    return !is_string(column.type);
  });
  return found == columns.rend() ? nullptr : &*found;
}

}  // namespace

std::string header_reason(const TableTextOptions& options, const TableSummary& summary) {
  if (summary.schema.text.kind != TextKind::kDelimited) return {};
  if (options.header) return "was given";
  const ColumnSchema* const typed = typed_column(summary);
  if (summary.has_header) {
    return typed == nullptr
               ? "the first line is unlike those below it"
               : "`" + typed->name + "` stands above values of type " + type_name(*typed);
  }
  return typed == nullptr ? "the first line is like those below it"
                          : "the first line has values of the types below it";
}

}  // namespace presso
