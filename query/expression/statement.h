// SPDX-License-Identifier: MIT
// The parser of a SELECT statement: its clauses one after another, each of them a list or an
// expression that Parser reads. It has no recursion of its own, so the limits of Parser are its
// limits. A large part of it is about errors: clauses in the wrong order, misspelt keywords, and
// parts of SQL that do not exist here. Tested by tests/unit/query/expression/sql_test.cpp and
// sql_error_test.cpp.
//
// The grammar of statements, in the notation of parser.h:
//
//   statement = SELECT [DISTINCT] item { , item } FROM source { , source | join }
//               [ WHERE expression ] [ GROUP BY expression { , expression } ]
//               [ HAVING expression ] [ ORDER BY key { , key } ]
//               [ LIMIT number ] [ OFFSET number ] { ; }
//   item      = * | name . * | expression [ [AS] name ]
//   key       = expression [ ASC | DESC ] [ NULLS FIRST | NULLS LAST ]
//   join      = [ INNER | LEFT [OUTER] | RIGHT [OUTER] | FULL [OUTER] | [LEFT] SEMI | [LEFT] ANTI ]
//               JOIN source ( ON expression | USING ( name { , name } ) )
//   source    = ( bare-path | 'path' | "path" | file ( 'path' ) ) [ [AS] name ]
//
// Commas and joins may be mixed and are applied from left to right.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/sql.h"
#include "query/expression/parser.h"

namespace presso::expression_detail {

/// Parses one text, once.
class Statement {
 public:
  explicit Statement(std::string_view text) : parser_(text, Grammar::kStatement) {}
  /// Returns the statement, or the first error with its place.
  Result<SqlQuery> parse();

 private:
  /// The clauses in their order. Which words may follow depends on the last one that was read.
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
  /// One row for each part: what may follow it, for messages.
  struct Following;
  static const Following kFollowing[];

  // In sql.cpp: each function reads one clause, or nothing if the clause is absent.
  Status clauses();
  Status select_list();
  Status where();
  Status group_by();
  Status having();
  Status order_by();
  Status limits();
  /// The whole number after LIMIT or OFFSET.
  Result<std::uint64_t> row_number(std::string_view clause);
  Result<Expression> condition();
  /// Takes the word of a clause and notes the part; false if another word stands here.
  bool take_clause(std::string_view word, Part part);
  /// As take_clause(), for GROUP BY and ORDER BY.
  Result<bool> take_clause_by(std::string_view word, Part part);
  Status end();

  // In sql_sources.cpp: FROM and joins.
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

  /// Returns the error for a token that cannot follow the last part: the word's own message, "must
  /// stand before ...", or what was expected, with the keyword that was probably meant.
  Error unexpected_here() const;
  /// The part of unexpected_here() that knows what was expected; `words` are the keywords that may
  /// be meant.
  Error unexpected_token(std::string_view expected, std::string_view words) const;
  /// The error for a clause that should have come earlier, or came already.
  std::optional<Error> too_late() const;
  /// Notes that the token taken last is a name without AS, which may be a misspelt keyword.
  void note_name() { behind_name_ = parser_.taken(); }

  Parser parser_;
  SqlQuery query_;
  Part part_ = Part::kSelect;
  std::size_t behind_name_ = 0;  ///< taken() right after such a name
  /// Whether FROM had a comma, after which RIGHT and FULL JOIN are refused.
  bool behind_comma_ = false;
};

}  // namespace presso::expression_detail
