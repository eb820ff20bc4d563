// SPDX-License-Identifier: MIT
// A statement becomes a query.
#include "presso/query.h"

namespace presso {
namespace {

/// DISTINCT: all that is selected is a key of groups.
std::vector<Expression> keys_of(const SqlQuery& statement) {
  std::vector<Expression> keys;
  for (const NamedExpression& key : statement.group_by) keys.push_back(key.expression);
  if (!statement.distinct || !keys.empty()) return keys;
  for (const NamedExpression& item : statement.select) keys.push_back(item.expression);
  return keys;
}

}  // namespace

Query Query::from(const SqlQuery& statement, std::string_view text, std::vector<Table> tables) {
  Query query = from({tables[0]}, {statement.from.path});
  query.parsed_from(text).as(statement.from.alias);
  for (std::size_t i = 0; i < statement.joins.size(); ++i) {
    const SqlJoin& join = statement.joins[i];
    if (join.using_columns.empty()) {
      query.join({tables[i + 1]}, {join.source.path}, join.kind, join.on);
    } else {
      query.join_using({tables[i + 1]}, {join.source.path}, join.kind, join.using_columns);
    }
    query.as(join.source.alias);
  }
  if (statement.where) query.where(*statement.where);
  query.select(statement.select).group_by(keys_of(statement));
  if (statement.having) query.having(*statement.having);
  query.order_by(statement.order_by);
  query.limit(statement.limit, statement.offset);
  return query;
}

}  // namespace presso
