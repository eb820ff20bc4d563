// SPDX-License-Identifier: MIT
// One SELECT statement over files, as text in SQL's grammar:
//
//   select o.city, sum(l.price) as revenue
//   from 'orders.presso' as o join 'lines.csv' as l on o.key = l.order_key
//   where l.price > 10 group by 1 having count(*) > 5 order by revenue desc limit 10
//
// One block without subqueries. Joins are done from left to right. What SQL has beyond that is
// refused by its name, with its place.
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
  std::string alias;  ///< what its columns are qualified by; empty where none was given
  /// Where the path stands in the text, its quotes or file() included.
  std::size_t offset = 0;
  std::size_t length = 0;
};

/// A source that is joined to everything that stands before it.
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
  std::size_t offset = 0;                 ///< of the comma, or the first word: LEFT, JOIN
};

/// Places in its expressions are places in the whole statement, so that
/// explain_expression_error(statement, error) shows what is wrong with one of them.
struct SqlQuery {
  bool distinct = false;
  /// With stars: Kind::kStar, whose `qualifier` is that of `o.*`.
  std::vector<NamedExpression> select;
  SqlSource from;
  std::vector<SqlJoin> joins;
  std::optional<Expression> where;
  std::vector<NamedExpression> group_by;  ///< a number is a position in `select`, from 1 on
  std::optional<Expression> having;
  std::vector<SortExpression> order_by;
  std::uint64_t limit = ~std::uint64_t{0};  ///< all that is given where there is none
  std::uint64_t offset = 0;
};

/// The most files in one statement.
constexpr std::size_t kMaxSqlSources = 64;

/// Comments (`-- ...` and `/* ... */`) may stand between words, a ';' at the end. File names stand
/// in quotes of either kind, in file('...'), or bare where they are of letters, digits and
/// `._-/+@=%~:`. Errors: kInvalidArgument with the byte offset, as those of parse_expression().
Result<SqlQuery> parse_sql(std::string_view text);

}  // namespace presso
