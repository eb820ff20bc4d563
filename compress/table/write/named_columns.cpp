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

bool is_number(ColumnType type) {
  return type != ColumnType::kBool && !is_string(type) && !is_date_or_time(type);
}

/// The column of this name; names are unique.
std::optional<std::size_t> find_column(const TableSchema& schema, const std::string& name) {
  const auto& columns = schema.columns;
  const auto found = std::find_if(columns.begin(), columns.end(),
                                  [&](const ColumnSchema& column) { return column.name == name; });
  if (found == columns.end()) return std::nullopt;
  return static_cast<std::size_t>(found - columns.begin());
}

/// Whether the name is that of a value within a column of nested values: a.b, a[1].
bool is_within_column(const TableSchema& schema, const std::string& name) {
  const std::string column = name.substr(0, name.find_first_of(".["));
  const auto found = find_column(schema, column);
  return column.size() < name.size() && found && schema.columns[*found].text == ValueText::kRawJson;
}

/// The date format with which values of a given type are read, from 1 on: the one that reads all of
/// them, else the first one for this type. 0: there is none, or the values are dates without it.
Byte date_format_of(const ColumnSchema& given, const ColumnSchema& inferred,
                    const std::vector<TimeFormat>& formats) {
  if (!is_date_or_time(given.type)) return 0;
  if (is_date_or_time(inferred.type) || formats.empty()) return inferred.date_format;
  const auto found = std::find_if(formats.begin(), formats.end(), [&](const TimeFormat& format) {
    return format.type().type == given.type;
  });
  return static_cast<Byte>(found == formats.end() ? 1 : 1 + (found - formats.begin()));
}

/// Whether the text says in which order the day and the month of dates stand.
bool is_order(ValueText text) {
  return text == ValueText::kMonthSlashDate || text == ValueText::kDaySlashDate ||
         text == ValueText::kDayDotDate;
}

/// Takes over how the values are read and written, as far as the given type has that, too.
void keep_way_of_writing(const ColumnSchema& inferred, ColumnSchema& column) {
  const bool moments = is_date_or_time(column.type) && is_date_or_time(inferred.type);
  if (column.type == inferred.type) {
    column.text = inferred.text;
    column.fields = inferred.fields;
  } else if (moments && is_order(inferred.text)) {
    column.text = inferred.text;
  }
  const bool numbers = is_number(column.type) && is_number(inferred.type);
  if (numbers || type_name(column) == type_name(inferred)) column.spelling = inferred.spelling;
  column.null_text = inferred.null_text;
}

// Gives a column the type that the user has said. Facts of the text, quoting and UTF-8, stay as
// inference saw them.
void take_given_type(const ColumnSchema& given, bool saw_all, bool is_json, bool exact,
                     const ReadingRules& rules, ColumnSchema& column) {
  const ColumnSchema inferred = std::exchange(column, given);
  column.is_given = true;
  column.quoting = inferred.quoting;
  const bool valid_utf8 = saw_all && (!is_string(inferred.type) || inferred.valid_utf8);
  column.valid_utf8 = given.type == ColumnType::kUtf8 && valid_utf8;
  keep_way_of_writing(inferred, column);
  column.date_format = date_format_of(given, inferred, rules.date_formats);
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
                        const ReadingRules& rules, TableSummary& summary) {
  const bool is_json = kind == TextKind::kJsonLines;
  for (const ColumnSchema& given : types) {
    const auto column = find_column(summary.schema, given.name);
    if (column) {
      take_given_type(given, saw_all, is_json, summary.schema.exact, rules,
                      summary.schema.columns[*column]);
    } else if (is_json && is_within_column(summary.schema, given.name)) {
      return make_error(ErrorCode::kInvalidArgument,
                        "'" + given.name +
                            "' is within a nested column, and only columns are "
                            "given a type; cast(" +
                            given.name + " as ...) in SQL converts its values");
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
