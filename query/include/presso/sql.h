// SPDX-License-Identifier: MIT
// One SELECT statement over files, as text in SQL's grammar:
//
//   select o.city, sum(l.price) as revenue
//   from 'orders.presso' as o join 'lines.csv' as l on o.key = l.order_key
//   where l.price > 10 group by 1 having count(*) > 5 order by revenue desc limit 10
//
// A statement is one SELECT without subqueries; joins are done from left to right. Other parts of
// SQL are refused by name and with their place. Parsing reads no file. Tested by
// tests/unit/query/expression/sql_test.cpp and sql_error_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/error.h"
#include "presso/expression.h"

namespace presso {

/// A file that rows come from.
struct SqlSource {
  std::string path;   ///< as written, without quotes; not empty
  std::string alias;  ///< the qualifier of its columns; empty if none was given
  /// Bytes of the statement that name the path, with its quotes or file().
  std::size_t offset = 0;
  std::size_t length = 0;
};

/// A source that is joined to everything before it.
struct SqlJoin {
  enum class Kind : std::uint8_t {
    kInner,
    kLeft,
    kRight,
    kFull,
    kSemi,   ///< rows that have a partner, each once; no columns of `source`
    kAnti,   ///< rows that have none
    kComma,  ///< all pairs; WHERE says which belong together
  };
  Kind kind = Kind::kInner;
  SqlSource source;
  std::optional<Expression> on;
  std::vector<Expression> using_columns;  ///< columns of both sides; empty where `on` is given
  std::size_t offset = 0;  ///< where the join begins: at the comma, or its first word (LEFT, JOIN)
};

/// A parsed statement. Offsets in its expressions count in the whole statement, so that
/// explain_expression_error(statement, error) shows what is wrong with one of them.
struct SqlQuery {
  bool distinct = false;
  /// The list after SELECT. Stars have Kind::kStar, whose `qualifier` is the table of `o.*`.
  std::vector<NamedExpression> select;
  SqlSource from;
  std::vector<SqlJoin> joins;
  std::optional<Expression> where;
  std::vector<NamedExpression> group_by;  ///< a number is a position in `select`, from 1 on
  std::optional<Expression> having;
  std::vector<SortExpression> order_by;
  std::uint64_t limit = ~std::uint64_t{0};  ///< the greatest number if there is no LIMIT
  std::uint64_t offset = 0;
};

/// The most files in one statement; queries join fewer (kMostJoined).
constexpr std::size_t kMaxSqlSources = 64;

/// Parses a statement. Comments (`-- ...` and `/* ... */`) may stand between words, and a ';' at
/// the end. File names stand in quotes of either kind, in file('...'), or bare if they consist of
/// letters, digits and `._-/+@=%~:`. Errors: kInvalidArgument with the byte offset, as for
/// parse_expression().
Result<SqlQuery> parse_sql(std::string_view text);

}  // namespace presso
