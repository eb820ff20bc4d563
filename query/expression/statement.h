// SPDX-License-Identifier: MIT
// The parser of statements: clauses and their order. Expressions, which the clauses consist of, are
// left to Parser (parser.h), which comes back here for statements in parentheses. Names are not
// looked up and no file is read. Errors are kInvalidArgument with a place. Tested by
// tests/unit/query/expression/sql_test.cpp and sql_error_test.cpp.
//
//   text      = [ DESCRIBE | SUMMARIZE ] statement | DESCRIBE source
//             | CREATE [OR REPLACE] TABLE 'file' AS statement
//             | COPY ( ( statement ) | source ) TO 'file' [ ( FORMAT name ) ]
//   statement = [ WITH [RECURSIVE] common { , common } ] set [ order and limits ]
//   common    = name [ ( name { , name } ) ] AS [ [NOT] MATERIALIZED ] ( statement )
//   set       = term { ( UNION | EXCEPT ) [ ALL | DISTINCT ] [ BY NAME ] term }
//   term      = operand { INTERSECT [ ALL | DISTINCT ] operand }
//   operand   = select | VALUES row { , row } | ( statement ) | pivot
//   pivot     = PIVOT source ON list [ IN ( list ) ] USING item { , item } [ GROUP BY list ]
//             | UNPIVOT source ON ( columns | list ) [ INTO NAME name VALUE name ]
//   select    = SELECT [ DISTINCT [ ON ( list ) ] ] item { , item } [ FROM sources ]
//               [ WHERE expression ] [ GROUP BY keys ] [ HAVING expression ]
//               [ WINDOW name AS ( window ) { , ... } ] [ QUALIFY expression ]
//               [ ORDER BY key { , key } ] [ LIMIT number [%] ] [ OFFSET number ]
//               [ USING SAMPLE number [ ROWS | % ] ]
//             | FROM sources [ select without FROM ]
//   item      = star | expression [ [AS] name ]
//   star      = [ name . ] * [ EXCLUDE ( names ) ] [ REPLACE ( expression AS name, ... ) ]
//   keys      = ALL | ROLLUP ( list ) | CUBE ( list ) | GROUPING SETS ( ... ) | list
//   key       = expression [ ASC | DESC ] [ NULLS FIRST | NULLS LAST ]
//   sources   = source { , source | join }
//   join      = [ INNER | LEFT [OUTER] | RIGHT [OUTER] | FULL [OUTER] | [LEFT] SEMI | [LEFT] ANTI
//               | ASOF [LEFT] | NATURAL ... ] JOIN source ( ON expression | USING ( names ) )
//             | CROSS JOIN source
//   source    = ( bare-path | 'path' | "path" | file ( 'path' ) | ( statement ) | name ( list )
//                 | reader ( values { , name = values } ) ) [ [AS] name [ ( names ) ] ]
//   values    = value | '[' value { , value } ']'     (a literal without an expression)
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

/// Parses the statement at which a parser stands, once. A statement within another one has a
/// Statement of its own over the same parser.
class Statement {
 public:
  explicit Statement(Parser& parser) : parser_(parser) {}
  /// Parses all of a text: a statement and what is done with its answer.
  Result<SqlStatement> parse_text();
  /// Parses a statement up to what cannot belong to it.
  Result<std::shared_ptr<const SqlStatement>> parse_nested();
  /// Whether a statement begins with this token.
  static bool begins_with(const Token& token);

 private:
  /// The clauses in their order. Which words may follow depends on the last one that was read.
  enum class Part : std::uint8_t {
    kSelect,
    kFrom,
    kOn,
    kWhere,
    kGroupBy,
    kHaving,
    kWindow,
    kQualify,
    kOrderBy,
    kLimit,
    kOffset,
  };
  /// One row for each part: what may follow it, for messages.
  struct Following;
  static const Following kFollowing[];

  // In sql_sets.cpp: texts, WITH, set operations and VALUES.
  Result<SqlStatement> statement();
  Status with(SqlStatement& statement);
  Result<SqlCommonTable> common_table();
  Result<SqlStatement> set(bool of_intersect);
  Result<SqlStatement> operand();
  Result<SqlStatement> values();
  Result<SqlStatement> pivot();
  Result<SqlStatement> unpivot();
  Result<std::vector<NamedExpression>> items();
  Result<SqlStatement> combined(SqlStatement left, SqlStatement::Kind kind);
  Status order_and_limits(SqlStatement& statement);
  Status sample(SqlQuery& select);
  Status sample_size(SqlQuery& select, const std::string& clause);
  Status pivot_values(SqlPivot& pivot);
  static SqlStatement select_of(std::shared_ptr<const SqlStatement> inner);
  Result<SqlStatement> described();
  Result<SqlStatement> stored_table();
  Result<SqlStatement> copied();
  Result<std::string> target();

  // In sql.cpp: each function reads one clause, or nothing if the clause is absent.
  /// A SELECT up to QUALIFY.
  Result<SqlStatement> select();
  Status clauses();
  Status select_list();
  Status distinct();
  Status where();
  Status group_by();
  Status group_key();
  Result<bool> grouping_sets();
  Status grouping_set_list();
  Result<std::vector<std::size_t>> key_list();
  Status having();
  Status windows();
  Status qualify();
  Status order_by(std::vector<SortExpression>& keys, bool& all);
  Status limits(std::uint64_t& limit, bool& percent, std::uint64_t& offset);
  Status fetch(std::uint64_t& limit);
  /// The whole number after LIMIT or OFFSET.
  Result<std::uint64_t> row_number(std::string_view clause);
  Result<Expression> condition();
  /// Takes the word of a clause and notes the part; false if another word stands here.
  bool take_clause(std::string_view word, Part part);
  /// As take_clause(), for GROUP BY and ORDER BY.
  Result<bool> take_clause_by(std::string_view word, Part part);
  Status end();
  /// Whether the SELECT ends here, so that a set operation, ORDER BY or the end may follow.
  bool ends_select() const;

  // In sql_sources.cpp: FROM and joins.
  Status from();
  Result<SqlSource> changed_source(SqlSource source);
  Result<SqlStatement> pivoted(SqlSource source);
  Result<SqlStatement> unpivoted(SqlSource source);
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
  Result<std::vector<std::string>> name_list();
  Status function_source(SqlSource& source);
  Status reader_source(SqlSource& source);
  Result<std::string> option_value();
  Result<std::vector<std::string>> option_values();
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

  Parser& parser_;
  SqlQuery query_;
  Part part_ = Part::kSelect;
  std::size_t behind_name_ = 0;  ///< taken() right after such a name
  /// Whether FROM had a comma, after which RIGHT and FULL JOIN are refused.
  bool behind_comma_ = false;
};

}  // namespace presso::expression_detail
