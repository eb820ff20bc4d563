// SPDX-License-Identifier: MIT
#include "tests/simt/query_tables.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "presso/sql.h"
#include "tests/simt/column_maker.h"
#include "tests/simt/keyed_tables.h"
#include "tests/simt/query_cases.h"
#include "tests/simt/real_cases.h"
#include "tests/simt/string_query_cases.h"

namespace presso::test {

/// The file of a table, and what owns it.
struct QueryTables::Made {
  std::shared_ptr<const void> owner;
  std::vector<Table> files;
};

namespace {

using Recipes = std::map<std::string, TableRecipe>;

template <class Owner>
std::pair<std::shared_ptr<const void>, Table> owned(Owner owner) {
  auto kept = std::make_shared<const Owner>(std::move(owner));
  return {kept, *kept->table};
}

TableOfColumns of_columns(const TableRecipe& recipe, const std::string& name) {
  std::uint64_t seed = recipe.rows;
  for (const char letter : name) seed = seed * 31 + static_cast<unsigned char>(letter);
  std::vector<MadeColumn> made;
  TableOfColumns::Described columns;
  for (const std::string& line : recipe.columns) {
    // The name of a column that begins with _ has the table's before it.
    const std::string prefix = line[0] == '_' ? name : "";
    made.push_back(make_column(prefix + line, {recipe.rows, recipe.times}, seed + made.size()));
  }
  for (const MadeColumn& column : made) columns.emplace_back(column.schema, column.data.view());
  return {columns, recipe.group_rows};
}

/// Tables that are made together, one for each name.
template <class Tables>
std::pair<std::shared_ptr<const void>, Table> one_of(const std::shared_ptr<const Tables>& all,
                                                     const std::string& name) {
  return {all, all->table(name)};
}

std::pair<std::shared_ptr<const void>, Table> made_by(const TableRecipe& recipe,
                                                      const std::string& name) {
  const auto rows = static_cast<int>(recipe.rows);
  const std::string& maker = recipe.maker;
  if (maker == "columns") return owned(of_columns(recipe, name));
  if (maker == "mixed") return owned(MadeTable(make_csv(rows, recipe.rows), recipe.group_rows));
  if (maker == "strings" || maker == "long_strings") {
    const std::uint32_t most_words = maker == "strings" ? 9 : 18;
    return owned(
        MadeTable(make_string_csv(recipe.rows, recipe.group_rows, most_words), recipe.group_rows));
  }
  static std::map<std::string, std::shared_ptr<const KeyedTables>> known;
  using Form = KeyedTables::Form;
  auto& all = known[maker];
  if (all == nullptr) {
    EXPECT_TRUE(maker == "tokens" || maker == "bytes" || maker == "forms") << maker;
    all = std::make_shared<KeyedTables>(maker == "tokens"  ? Form::kTokens
                                        : maker == "bytes" ? Form::kBytes
                                                           : Form::kMixed);
  }
  return one_of(all, name.starts_with("facts") ? "facts" : name);
}

/// A statement about one table of several files, which Query::from(SqlQuery) does not take.
Query query_of_files(SqlQuery parsed, const std::string& statement, std::vector<Table> files) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < files.size(); ++i) names.push_back("file " + std::to_string(i));
  Query query = Query::from(std::move(files), std::move(names));
  query.parsed_from(statement);
  if (parsed.where) query.where(std::move(*parsed.where));
  std::vector<Expression> keys;
  for (NamedExpression& key : parsed.group_by) keys.push_back(std::move(key.expression));
  if (!keys.empty()) query.group_by(std::move(keys));
  query.select(std::move(parsed.select));
  return query;
}

}  // namespace

QueryTables::QueryTables(Recipes recipes) : recipes_(std::move(recipes)) {}
QueryTables::~QueryTables() = default;

const QueryTables::Made& QueryTables::made(const std::string& name) {
  auto& known = tables_[name];
  if (known != nullptr) return *known;
  auto made = std::make_shared<Made>();
  const auto recipe = recipes_.find(name);
  if (recipe == recipes_.end()) {
    ADD_FAILURE() << "no table " << name;
  } else if (!recipe->second.files.empty()) {
    for (const std::string& file : recipe->second.files) {
      for (const Table& table : files(file)) made->files.push_back(table);
    }
  } else {
    auto [owner, table] = made_by(recipe->second, name);
    made->owner = std::move(owner);
    made->files.push_back(std::move(table));
  }
  known = std::move(made);
  return *known;
}

std::vector<Table> QueryTables::files(const std::string& name) {
  return made(name).files;
}

std::vector<std::string> QueryTables::names_in(const std::string& statement) {
  std::vector<std::string> names;
  const auto parsed = parse_sql(statement);
  if (!parsed.ok()) {
    ADD_FAILURE() << parsed.error().message() << "\n" << statement;
    return names;
  }
  names.push_back(parsed->from.path);
  for (const SqlJoin& join : parsed->joins) {
    if (std::find(names.begin(), names.end(), join.source.path) == names.end()) {
      names.push_back(join.source.path);
    }
  }
  return names;
}

Query QueryTables::query_of(const std::string& statement) {
  auto parsed = parse_sql(statement);
  if (!parsed.ok()) {
    ADD_FAILURE() << parsed.error().message() << "\n" << statement;
    return Query::from(std::vector<Table>{});
  }
  std::vector<Table> tables = files(parsed->from.path);
  if (tables.size() > 1) return query_of_files(std::move(*parsed), statement, std::move(tables));
  for (const SqlJoin& join : parsed->joins) {
    for (const Table& table : files(join.source.path)) tables.push_back(table);
  }
  return Query::from(*parsed, statement, std::move(tables));
}

}  // namespace presso::test
