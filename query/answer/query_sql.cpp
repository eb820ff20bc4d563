// SPDX-License-Identifier: MIT
// Turns a parsed SQL statement into a Query. `tables` are in the order of FROM and JOIN; opening
// them is left to the caller. Tested through tests/unit/query/answer/query_test.cpp and
// tests/unit/query/run/join_test.cpp.
#include "presso/query.h"

namespace presso {
namespace {

/// The name that qualifies columns if the table has no alias.
std::string name_of_source(const SqlSource& source) {
  return source.path == "-" ? "stdin" : source.path;
}

}  // namespace

Query Query::from(const SqlQuery& statement, std::string_view text, std::vector<Table> tables) {
  Query query = from({tables[0]}, {name_of_source(statement.from)});
  query.parsed_from(text).as(statement.from.alias);
  for (std::size_t i = 0; i < statement.joins.size(); ++i) {
    const SqlJoin& join = statement.joins[i];
    if (join.using_columns.empty()) {
      query.join({tables[i + 1]}, {name_of_source(join.source)}, join.kind, join.on);
    } else {
      query.join_using({tables[i + 1]}, {name_of_source(join.source)}, join.kind,
                       join.using_columns);
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
