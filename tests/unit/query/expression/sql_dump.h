// SPDX-License-Identifier: MIT
// A statement in a short form for tests: each clause that is there, separated by " | ".
//   select distinct a AS a, o.* AS * | from orders.csv as o | left join 'l' as l on (= a b)
//   | where ... | group ... | having ... | order a down nulls first | limit 3 | offset 4
#pragma once

#include <string>

#include "presso/sql.h"
#include "tests/unit/query/expression/expression_dump.h"

namespace presso {

inline std::string dump(const SqlSource& source) {
  return source.alias.empty() ? source.path : joined(source.path, " as ", source.alias);
}

inline std::string dump(const std::vector<NamedExpression>& list, bool names) {
  std::string result;
  for (const NamedExpression& each : list) {
    result +=
        joined(result.empty() ? "" : ", ",
               each.expression.qualifier.empty() || each.expression.kind != Expression::Kind::kStar
                   ? ""
                   : joined(each.expression.qualifier, "."),
               dump(each.expression));
    if (names) result += joined(" AS ", each.name);
  }
  return result;
}

inline std::string dump(const SqlJoin& join) {
  static constexpr const char* kKinds[] = {"join",      "left join", "right join", "full join",
                                           "semi join", "anti join", ","};
  std::string result = joined(kKinds[static_cast<int>(join.kind)], " ", dump(join.source));
  if (join.on) result += joined(" on ", dump(*join.on));
  for (const Expression& each : join.using_columns) result += joined(" using ", dump(each));
  return result;
}

inline std::string dump(const SqlQuery& query) {
  std::string result =
      joined(query.distinct ? "select distinct " : "select ", dump(query.select, true));
  result += joined(" | from ", dump(query.from));
  for (const SqlJoin& join : query.joins) result += joined(" | ", dump(join));
  if (query.where) result += joined(" | where ", dump(*query.where));
  if (!query.group_by.empty()) result += joined(" | group ", dump(query.group_by, false));
  if (query.having) result += joined(" | having ", dump(*query.having));
  for (const SortExpression& each : query.order_by) {
    result += joined(" | order ", dump(each.expression), each.descending ? " down" : " up",
                     each.nulls_first ? " nulls first" : "");
  }
  if (query.limit != ~std::uint64_t{0}) result += joined(" | limit ", std::to_string(query.limit));
  if (query.offset != 0) result += joined(" | offset ", std::to_string(query.offset));
  return result;
}

/// Of a text; of an error its place and what it says.
inline std::string dump_sql(std::string_view text) {
  const Result<SqlQuery> parsed = parse_sql(text);
  if (parsed.ok()) return dump(*parsed);
  return joined(std::to_string(parsed.error().byte_offset), ": ", parsed.error().what);
}

}  // namespace presso
