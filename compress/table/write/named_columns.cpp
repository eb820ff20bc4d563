// SPDX-License-Identifier: MIT
// Looks up the columns that options name. Options are given before a file is read, so names that do
// not exist are errors here.
#include "compress/table/write/named_columns.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace presso {
namespace {

constexpr std::size_t kNamesInMessage = 8;

/// The column of this name; names are unique.
std::optional<std::size_t> find_column(const TableSchema& schema, const std::string& name) {
  const auto& columns = schema.columns;
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const ColumnSchema& column) { return column.name == name; });
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

// Gives a column the type that the user has said. Facts of the text, quoting and UTF-8, stay as
// inference saw them.
void take_given_type(const ColumnSchema& given, bool saw_all, bool is_json, bool exact,
                     ColumnSchema& column) {
  const ColumnSchema inferred = std::exchange(column, given);
  column.quoting = inferred.quoting;
  const bool valid_utf8 = saw_all && (!is_string(inferred.type) || inferred.valid_utf8);
  column.valid_utf8 = given.type == ColumnType::kUtf8 && valid_utf8;
  if (given.type == inferred.type) {
    column.text = inferred.text;
    column.fields = inferred.fields;
  }
  if (type_name(given) == type_name(inferred)) column.spelling = inferred.spelling;
  column.null_text = inferred.null_text;
  column.spelled = exact && !is_string(given.type);
  const bool in_quotes = is_date_or_time(inferred.type);
  if (is_json && is_string(given.type) && !is_string(inferred.type) && !in_quotes) {
    column.text = ValueText::kRawJson;
  }
}

/// The first names, for messages.
std::string names_of(const TableSchema& schema) {
  std::string names;
  for (std::size_t i = 0; i < std::min(schema.columns.size(), kNamesInMessage); ++i) {
    names += (i == 0 ? "'" : ", '") + schema.columns[i].name + "'";
  }
  return names + (schema.columns.size() > kNamesInMessage ? ", ..." : "");
}

}  // namespace

/// Types of columns that do not exist are an error, except in JSON lines.
Status take_given_types(const std::vector<ColumnSchema>& types, bool saw_all, TextKind kind,
                        TableSummary& summary) {
  const bool is_json = kind == TextKind::kJsonLines;
  for (const ColumnSchema& given : types) {
    const auto column = find_column(summary.schema, given.name);
    if (column) {
      take_given_type(given, saw_all, is_json, summary.schema.exact,
                      summary.schema.columns[*column]);
    } else if (is_json) {
      summary.schema.columns.push_back(given);
      summary.findings.emplace_back();
    } else {
      return make_error(ErrorCode::kInvalidArgument, "has no column '" + given.name + "'");
    }
  }
  return {};
}

// The columns stay in the order in which the user names them: the first decides, others break ties.
Result<std::vector<SortColumn>> sort_columns(const std::vector<SortBy>& by,
                                             const TableSchema& schema) {
  std::vector<SortColumn> columns;
  for (const SortBy& named : by) {
    const auto column = find_column(schema, named.column);
    if (!column) {
      return make_error(
          ErrorCode::kInvalidArgument,
          "has no column '" + named.column + "' to be sorted by, only " + names_of(schema));
    }
    const auto same = [&](const SortColumn& other) { return other.column == *column; };
    if (std::any_of(columns.begin(), columns.end(), same)) {
      return make_error(ErrorCode::kInvalidArgument,
                        "is to be sorted by column '" + named.column + "' twice");
    }
    columns.push_back({*column, named.descending});
  }
  return columns;
}

}  // namespace presso
