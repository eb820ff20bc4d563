// SPDX-License-Identifier: MIT
// Answers whole SQL statements (presso/sql.h): those with subqueries, WITH, set operations, window
// functions and the like. A statement is taken apart into queries (presso/query.h) of which each
// keeps its answer for the next one, in memory or in a temporary file; what is left is one last
// query, which the caller runs, explains or puts on a device like any other.
//
//   presso::Result<presso::SqlStatement> parsed = presso::parse_statement(text);
//   presso::StatementContext context{open_files, {}, options};
//   presso::Result<presso::StatementQuery> last = presso::lower_statement(*parsed, text, context);
//   last->query.run(options, sink);
//
// Tested by tests/unit/query/statement and, against DuckDB, by tests/analysts.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "presso/query.h"
#include "presso/sql.h"

namespace presso {

/// The tables of a file that a statement names, one after another, and their names for messages.
struct StatementTables {
  std::vector<Table> tables;
  std::vector<std::string> names;
};

/// What a statement needs from its surroundings.
struct StatementContext {
  /// Opens what FROM names. Called once for each place in the statement. The tables' files must
  /// outlive the answer.
  std::function<Result<StatementTables>(const SqlSource& source)> open;
  /// Values of parameters by their names ("1" for the first `?`); literals.
  std::map<std::string, Expression> parameters;
  /// For all inner queries.
  QueryOptions options;
};

/// The last query of a statement.
struct StatementQuery {
  Query query;
  /// The kept answers that it reads. They must outlive what is prepared from `query`.
  std::shared_ptr<const void> kept;
  /// The inner queries that were run, a line of text for each: what it was and its rows.
  std::vector<std::string> steps;
};

/// The files that FROM names anywhere in a statement, in the order of the text; a file that is
/// named twice is there twice. Tables of WITH are no files.
std::vector<SqlSource> files_of(const SqlStatement& statement);

/// The names, in lower case, by which a statement can mean columns of its files; names of tables
/// may be among them. nullopt if some part of it means columns without naming them, as a star does.
std::optional<std::set<std::string>> columns_named(const SqlStatement& statement);

/// Runs all queries of a statement but the last one. SqlStatement::purpose is left to the caller,
/// except that DESCRIBE and SUMMARIZE give their own rows. `text` is the text that the statement
/// was parsed from. Errors: kInvalidArgument, which shows the place in the text, for names, types
/// and what is not supported; those of `context.open` and of PreparedQuery::run().
Result<StatementQuery> lower_statement(const SqlStatement& statement, std::string_view text,
                                       const StatementContext& context);

}  // namespace presso
