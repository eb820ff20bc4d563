// SPDX-License-Identifier: MIT
// The parser of a statement: clauses one after another, each a list or an expression of Parser's.
// It has no recursion of its own, so that Parser's bounds are its bounds.
// Tested by tests/unit/query/expression/sql_test.cpp and sql_error_test.cpp.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/sql.h"
#include "query/expression/parser.h"

namespace presso::expression_detail {

class Statement {
 public:
  explicit Statement(std::string_view text) : parser_(text, Grammar::kStatement) {}
  Result<SqlQuery> parse();

 private:
  /// The parts of a statement in their order; what may follow depends on the last one.
  enum class Part : std::uint8_t {
    kSelect,
    kFrom,
    kOn,
    kWhere,
    kGroupBy,
    kHaving,
    kOrderBy,
    kLimit,
    kOffset,
  };
  struct Following;
  static const Following kFollowing[];

  // sql.cpp: clauses.
  Status clauses();
  Status select_list();
  Status where();
  Status group_by();
  Status having();
  Status order_by();
  Status limits();
  Result<std::uint64_t> row_number(std::string_view clause);
  Result<Expression> condition();
  /// LIMIT or another clause of one word; false where it does not stand here.
  bool take_clause(std::string_view word, Part part);
  /// GROUP BY, ORDER BY.
  Result<bool> take_clause_by(std::string_view word, Part part);
  Status end();

  // sql_sources.cpp: FROM.
  Status from();
  Result<SqlSource> source();
  Status path_of(SqlSource& source);
  Status bare_path(SqlSource& source);
  Status alias_of(SqlSource& source);
  Status check_alias(const Token& alias) const;
  Result<bool> take_join_words(SqlJoin& join);
  Result<bool> comma_join();
  Result<bool> join();
  Status condition_of(SqlJoin& join);
  Result<std::vector<Expression>> column_list();
  Status add(SqlJoin join);

  /// For a token that has no meaning after the last part: the word's own message, the clause that
  /// it is too late for, or what was expected, with the keyword that was meant.
  Error unexpected_here() const;
  Error unexpected_token(std::string_view expected, std::string_view words) const;
  std::optional<Error> too_late() const;
  /// Notes that the last token is a name without AS, which may be a misspelt keyword.
  void note_name() { behind_name_ = parser_.taken(); }

  Parser parser_;
  SqlQuery query_;
  Part part_ = Part::kSelect;
  std::size_t behind_name_ = 0;
  bool behind_comma_ = false;  ///< a comma stood in FROM
};

}  // namespace presso::expression_detail
