// SPDX-License-Identifier: MIT
// A statement becomes a query.
#include "presso/query.h"

namespace presso {
namespace {

/// By which columns are qualified where there is no alias.
std::string name_of(const SqlSource& source) {
  return source.path == "-" ? "stdin" : source.path;
}

}  // namespace

Query Query::from(const SqlQuery& statement, std::string_view text, std::vector<Table> tables) {
  Query query = from({tables[0]}, {name_of(statement.from)});
  query.parsed_from(text).as(statement.from.alias);
  for (std::size_t i = 0; i < statement.joins.size(); ++i) {
    const SqlJoin& join = statement.joins[i];
    if (join.using_columns.empty()) {
      query.join({tables[i + 1]}, {name_of(join.source)}, join.kind, join.on);
    } else {
      query.join_using({tables[i + 1]}, {name_of(join.source)}, join.kind, join.using_columns);
    }
    query.as(join.source.alias);
  }
  if (statement.where) query.where(*statement.where);
  std::vector<Expression> keys;
  for (const NamedExpression& key : statement.group_by) keys.push_back(key.expression);
  query.select(statement.select).group_by(std::move(keys));
  if (statement.distinct) query.distinct();
  if (statement.having) query.having(*statement.having);
  query.order_by(statement.order_by);
  query.limit(statement.limit, statement.offset);
  return query;
}

}  // namespace presso
