// SPDX-License-Identifier: MIT
// Statements over files, as text in SQL's grammar:
//
//   select o.city, sum(l.price) as revenue
//   from 'orders.presso' as o join 'lines.csv' as l on o.key = l.order_key
//   where l.price > 10 group by 1 having count(*) > 5 order by revenue desc limit 10
//
// parse_statement() reads whole statements with subqueries, WITH, set operations and window
// functions, which presso/statement.h answers. parse_sql() reads one SELECT without them, which is
// one presso::Query. Parts of SQL that presso lacks are refused by name and with their place.
// Parsing reads no file. Tested by tests/unit/query/expression/sql_test.cpp and sql_error_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "presso/error.h"
#include "presso/expression.h"

namespace presso {

/// An option of read_csv() and the like, as in delim = ';'.
struct SqlSourceOption {
  std::string name;                 ///< in lower case
  std::vector<std::string> values;  ///< literals without quotes; several if a list was given
  std::size_t offset = 0;           ///< the place of its name
};

/// What rows come from: files, a statement in parentheses, or a table function.
struct SqlSource {
  /// The file's name as written, without quotes; empty for a statement. It may be the name of a
  /// folder or a pattern, which is up to whoever opens files. If `bare`, it may also be the name of
  /// a table of WITH. The name of a function, if `is_function`.
  std::string path;
  /// All names of read_csv(['a.csv', 'b.csv']); `path` is the first one. Otherwise empty.
  std::vector<std::string> paths;
  std::string reader;                             ///< read_csv, read_json and the like, or empty
  std::vector<SqlSourceOption> options;           ///< those of `reader`
  std::string alias;                              ///< the qualifier of its columns, or empty
  std::vector<std::string> columns;               ///< names of its columns after the alias
  std::shared_ptr<const SqlStatement> statement;  ///< FROM (SELECT ...)
  std::vector<Expression> arguments;              ///< of a table function
  bool is_function = false;                       ///< generate_series(1, 10), unnest(x)
  bool bare = false;                              ///< the name had no quotes
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
    kCross,  ///< all pairs
    kAsof,   ///< the nearest row of `source`, by an inequality beside equalities
    kAsofLeft,
  };
  Kind kind = Kind::kInner;
  SqlSource source;
  std::optional<Expression> on;
  std::vector<Expression> using_columns;  ///< columns of both sides; empty where `on` is given
  bool natural = false;                   ///< USING all columns that both sides have
  std::size_t offset = 0;  ///< where the join begins: at the comma, or its first word (LEFT, JOIN)
};

/// One SELECT. Offsets in its expressions count in the whole statement, so that
/// explain_expression_error(statement, error) shows what is wrong with one of them.
struct SqlQuery {
  bool distinct = false;
  std::vector<Expression> distinct_on;  ///< DISTINCT ON (...)
  /// The list after SELECT. Stars have Kind::kStar, whose `qualifier` is the table of `o.*`;
  /// their arguments are the columns of EXCLUDE, and for REPLACE and RENAME operators kEqual and
  /// kConcat of a column and its new value or name.
  std::vector<NamedExpression> select;
  bool has_from = true;  ///< false: one row without columns
  SqlSource from;
  std::vector<SqlJoin> joins;
  std::optional<Expression> where;
  std::vector<NamedExpression> group_by;  ///< a number is a position in `select`, from 1 on
  bool groups_by_all = false;             ///< GROUP BY ALL
  /// GROUPING SETS, ROLLUP and CUBE: keys of `group_by` by number, one list for each grouping.
  std::vector<std::vector<std::size_t>> grouping_sets;
  std::optional<Expression> having;
  std::vector<std::pair<std::string, Window>> windows;  ///< WINDOW name AS (...)
  std::optional<Expression> qualify;
  std::vector<SortExpression> order_by;
  bool orders_by_all = false;               ///< ORDER BY ALL, with the direction of order_by[0]
  std::uint64_t limit = ~std::uint64_t{0};  ///< the greatest number if there is no LIMIT
  bool limits_by_percent = false;           ///< LIMIT 10%
  /// USING SAMPLE: a number of rows, or with samples_percent of percent of them.
  std::optional<std::uint64_t> sample;
  bool samples_percent = false;
  std::uint64_t offset = 0;
};

/// PIVOT source ON on [IN (values)] USING items GROUP BY keys, or
/// UNPIVOT source ON columns INTO NAME name VALUE value.
struct SqlPivot {
  SqlSource source;
  std::vector<NamedExpression> on;
  std::vector<Expression> values;  ///< of `on`; empty: all that there are
  std::vector<NamedExpression> items;
  std::vector<NamedExpression> group_by;
  std::string name;   ///< the column of names that UNPIVOT makes
  std::string value;  ///< and that of values
};

/// A table of WITH.
struct SqlCommonTable {
  std::string name;
  std::vector<std::string> columns;  ///< names of its columns; empty: those of the statement
  std::shared_ptr<const SqlStatement> statement;
  std::size_t offset = 0;  ///< the place of its name
};

/// A whole statement.
struct SqlStatement {
  enum class Kind : std::uint8_t {
    kSelect,  ///< `select`
    kUnion,   ///< `left` and `right`
    kIntersect,
    kExcept,
    kValues,  ///< `rows`
    kPivot,   ///< `pivot`
    kUnpivot,
  };
  /// What is done with the answer.
  enum class Purpose : std::uint8_t {
    kAnswer,
    kDescribe,   ///< DESCRIBE: its columns and their types
    kSummarize,  ///< SUMMARIZE: facts about each column
    kStore,      ///< CREATE TABLE 'file' AS, COPY (...) TO 'file'
  };
  Kind kind = Kind::kSelect;
  Purpose purpose = Purpose::kAnswer;
  std::string target;         ///< the file of kStore
  std::string target_format;  ///< of COPY ... (FORMAT x), or empty
  bool replaces_target = false;
  std::vector<SqlCommonTable> with;
  bool recursive = false;
  SqlQuery select;
  bool all = false;      ///< UNION ALL and so on
  bool by_name = false;  ///< UNION BY NAME
  std::shared_ptr<const SqlStatement> left;
  std::shared_ptr<const SqlStatement> right;
  std::vector<std::vector<Expression>> rows;
  SqlPivot pivot;
  /// These are for set operations, VALUES and pivots; a SELECT has its own.
  std::vector<SortExpression> order_by;
  std::uint64_t limit = ~std::uint64_t{0};
  std::uint64_t row_offset = 0;
  std::size_t offset = 0;  ///< where it begins in the text
};

/// The most files in one statement; queries join fewer (kMostJoined).
constexpr std::size_t kMaxSqlSources = 64;

/// Statements within statements; beyond it they are refused.
constexpr std::size_t kMaxStatementDepth = 50;

/// Whether the statement is one SELECT that one presso::Query answers.
bool is_one_query(const SqlStatement& statement);
/// Parses a statement. Errors: as for parse_sql().
Result<SqlStatement> parse_statement(std::string_view text);
/// Parses one SELECT without subqueries, WITH, set operations and window functions. Comments (`--
/// ...` and `/* ... */`) may stand between words, and a ';' at the end. File names stand in quotes
/// of either kind, in file('...'), or bare if they consist of letters, digits and `._-/+@=%~:`.
/// Errors: kInvalidArgument with the byte offset, as for parse_expression().
Result<SqlQuery> parse_sql(std::string_view text);

}  // namespace presso
