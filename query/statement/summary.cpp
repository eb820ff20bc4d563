// SPDX-License-Identifier: MIT
// DESCRIBE and SUMMARIZE: statements about the columns of an answer.
#include "query/statement/lowering.h"

namespace presso::query {
namespace {

/// A name in double quotes, or a text in single ones.
std::string quoted(const std::string& text, char quote) {
  std::string result(1, quote);
  for (const char letter : text) {
    if (letter == quote) result += quote;
    result += letter;
  }
  return result + quote;
}

bool has_mean(const ColumnSchema& column) {
  return !is_string(column.type) && !is_date_or_time(column.type) &&
         column.type != ColumnType::kBool;
}

/// The SELECT that gives the row of one column.
std::string row_of(const ColumnSchema& column) {
  const std::string name = quoted(column.name, '"');
  const auto text_of = [](const std::string& value) { return "cast(" + value + " as varchar)"; };
  const auto of_numbers = [&](const std::string& value) {
    return has_mean(column) ? value : std::string("cast(null as double)");
  };
  return "select " + quoted(column.name, '\'') + " as column_name, " +
         quoted(type_name(column), '\'') + " as column_type, " + text_of("min(" + name + ")") +
         " as min, " + text_of("max(" + name + ")") + " as max, count(distinct " + name +
         ") as \"unique\", " + of_numbers("avg(" + name + ")") + " as avg, " +
         of_numbers("stddev(" + name + ")") + " as std, " +
         of_numbers("quantile_cont(" + name + ", 0.25)") + " as q25, " +
         of_numbers("quantile_cont(" + name + ", 0.5)") + " as q50, " +
         of_numbers("quantile_cont(" + name + ", 0.75)") +
         " as q75, count(*) as count, round(100.0 * (count(*) - count(" + name +
         ")) / greatest(count(*), 1), 2) as null_percentage from summarized";
}

}  // namespace

/// One row for each column of the answer: its name and type.
Result<Query> Lowering::description_of(const Query& query) {
  PRESSO_ASSIGN(const TableSchema schema, query.schema());
  SqlStatement rows;
  rows.kind = SqlStatement::Kind::kValues;
  for (const ColumnSchema& each : schema.columns) {
    rows.rows.push_back({string(each.name), string(type_name(each))});
  }
  PRESSO_ASSIGN(const Query values, lower_values(rows));
  PRESSO_ASSIGN(const Relation kept, keep(values, "names and types"));
  Query result = query_of(kept);
  result.select({{column("col0"), "column_name"}, {column("col1"), "column_type"}});
  return result;
}

/// One row for each column of the answer, by statements over the kept rows.
Result<Query> Lowering::summary_of(const Query& query) {
  CommonTables names;
  CommonTable& table = *names.tables.emplace_back(std::make_shared<CommonTable>());
  table.name = "summarized";
  PRESSO_ASSIGN(table.answer, keep(query, "rows to summarize"));
  std::string text;
  for (const ColumnSchema& each : table.answer->schema().columns) {
    text += (text.empty() ? "" : " union all ") + row_of(each);
  }
  PRESSO_ASSIGN(const SqlStatement statement, parse_statement(text));
  return lower(statement, &names, nullptr);
}

}  // namespace presso::query
