// SPDX-License-Identifier: MIT
// Common columns of several tables (presso/united_tables.h).
#include "presso/united_tables.h"

#include <algorithm>

#include "format/columns/arrow_type.h"
#include "format/columns/schema.h"
#include "query/kept/kept_rows.h"
#include "query/statement/lowering.h"

namespace presso {
namespace {

using query::common_type;
using query::same_name;

/// The number of the column with this name, else of one that differs in the case of its letters.
std::optional<std::size_t> find_column(const TableSchema& schema, const std::string& name) {
  const auto find = [&](const auto& fits) -> std::optional<std::size_t> {
    const auto found = std::find_if(schema.columns.begin(), schema.columns.end(), fits);
    if (found == schema.columns.end()) return std::nullopt;
    return static_cast<std::size_t>(found - schema.columns.begin());
  };
  const auto exact = find([&](const ColumnSchema& each) { return each.name == name; });
  return exact ? exact : find([&](const ColumnSchema& each) { return same_name(each.name, name); });
}

/// Whether all rows of the column are null, so that its type means nothing.
bool is_empty(const Table& table, std::size_t column) {
  for (std::uint64_t group = 0; group < table.row_groups(); ++group) {
    if (table.column(group, column).nulls != table.row_group(group).rows) return false;
  }
  return true;
}

bool have_same_columns(const std::vector<Table>& tables) {
  return std::all_of(tables.begin() + 1, tables.end(), [&](const Table& table) {
    return check_same_columns(tables[0].schema(), table.schema()).ok();
  });
}

bool same_type(const ColumnSchema& a, const ColumnSchema& b) {
  return a.type == b.type && a.scale == b.scale && a.unit == b.unit && a.zone == b.zone;
}

std::string name_of(const std::vector<std::string>& names, std::size_t table) {
  return table < names.size() ? names[table] : "table " + std::to_string(table + 1);
}

Error missing_column(const std::string& file, const std::string& column, const std::string& other) {
  return make_error(ErrorCode::kInvalidArgument,
                    file + " has no column '" + column + "', which " + other +
                        " has; --union-by-name takes it as null there, and 'presso join' combines "
                        "tables with different columns");
}

/// A table with the columns of `common`: arranged where types agree, else copied.
Result<Table> united(const Table& table, const TableSchema& common, const QueryOptions& options,
                     std::vector<std::shared_ptr<const query::KeptFile>>& kept) {
  std::vector<ArrangedColumn> columns;
  std::vector<NamedExpression> casts;
  bool copies = false;
  for (const ColumnSchema& column : common.columns) {
    std::optional<std::size_t> stored = find_column(table.schema(), column.name);
    const bool differs = stored && !same_type(table.schema().columns[*stored], column);
    if (differs && is_empty(table, *stored)) stored.reset();
    copies = copies || (stored && differs);
    Expression value = stored ? presso::column(table.schema().columns[*stored].name) : Expression();
    if (!stored || differs) {
      value = query::kept_as_cast(query::cast_to(std::move(value), type_name(column)));
    }
    casts.push_back({std::move(value), column.name});
    columns.push_back({column, stored});
  }
  if (!copies) return table.arranged(std::move(columns));
  Query query = Query::from(table);
  query.select(std::move(casts));
  PRESSO_ASSIGN(query::KeptRows rows, query::keep(query, options));
  kept.push_back(rows.file);
  return std::move(rows.table);
}

}  // namespace

Result<TableSchema> common_columns(const std::vector<Table>& tables,
                                   const std::vector<std::string>& names, bool missing_is_null) {
  TableSchema common;
  if (have_same_columns(tables)) {
    common.columns = tables[0].schema().columns;
    return common;
  }
  std::vector<bool> known;  // by column: whether some table has values in it
  std::vector<std::size_t> first;
  for (std::size_t i = 0; i < tables.size(); ++i) {
    const auto& columns = tables[i].schema().columns;
    for (std::size_t j = 0; j < columns.size(); ++j) {
      const bool empty = is_empty(tables[i], j);
      const auto at = find_column(common, columns[j].name);
      if (!at) {
        common.columns.push_back(columns[j]);
        known.push_back(!empty);
        first.push_back(i);
        continue;
      }
      ColumnSchema& column = common.columns[*at];
      column.arrow_type = common_arrow_type(column.arrow_type, columns[j].arrow_type);
      if (empty || (known[*at] && same_type(column, columns[j]))) continue;
      const std::string type = known[*at] ? common_type(column, columns[j]) : type_name(columns[j]);
      const std::string zone = known[*at] ? column.zone : columns[j].zone;
      PRESSO_ASSIGN(ColumnSchema wider, parse_type(type));
      wider.name = column.name;
      if (wider.type == ColumnType::kTimestamp && zone == columns[j].zone) wider.zone = zone;
      column = std::move(wider);
      known[*at] = true;
    }
  }
  if (missing_is_null) return common;
  for (std::size_t j = 0; j < common.columns.size(); ++j) {
    for (std::size_t i = 0; i < tables.size(); ++i) {
      const std::string& name = common.columns[j].name;
      if (find_column(tables[i].schema(), name)) continue;
      return missing_column(name_of(names, i), name, name_of(names, first[j]));
    }
  }
  return common;
}

Result<UnitedTables> with_common_columns(std::vector<Table> tables,
                                         const std::vector<std::string>& names,
                                         bool missing_is_null, const QueryOptions& options) {
  UnitedTables made;
  if (have_same_columns(tables)) {
    made.tables = std::move(tables);
    return made;
  }
  PRESSO_ASSIGN(const TableSchema common, common_columns(tables, names, missing_is_null));
  auto kept = std::make_shared<std::vector<std::shared_ptr<const query::KeptFile>>>();
  for (std::size_t i = 0; i < tables.size(); ++i) {
    auto one = united(tables[i], common, options, *kept);
    if (!one.ok()) {
      Error error = std::move(one.error());
      if (!is_damage(error.code)) error.what = name_of(names, i) + ": " + error.what;
      return error;
    }
    made.tables.push_back(std::move(*one));
  }
  made.kept = std::move(kept);
  return made;
}

}  // namespace presso
