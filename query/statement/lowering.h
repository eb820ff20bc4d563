// SPDX-License-Identifier: MIT
// Lowering: from a statement to a sequence of queries. The phases, each a file of this folder:
//
//   lowering.cpp     statements: WITH, set operations, VALUES, table functions; the sources of FROM
//   block.cpp        one SELECT: its sources, names, lists; makes the Query
//   merged.cpp       a SELECT from a statement that only chooses columns and rows
//   calls.cpp        short forms of calls and comparisons of row values
//   subqueries.cpp   subqueries in expressions become constants, joins with kept answers, or marks
//   groupings.cpp    GROUPING SETS and aggregates that need all values of a group
//   pivot.cpp        PIVOT and UNPIVOT
//   unnested.cpp     unnest() joins rows with the elements of their arrays
//   asof.cpp         ASOF JOIN becomes two joins
//   summary.cpp      DESCRIBE and SUMMARIZE
//   windows.cpp      window functions: a query before them, the operator, a query after them
//
// A kept answer has columns with names that nobody writes ("##1"), so that they never hide
// the user's. Everything here runs on one thread, once for each statement; the queries that it
// starts use all threads. Tested by tests/unit/query/statement and tests/analysts.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "presso/statement.h"
#include "query/kept/kept_rows.h"
#include "query/plan/query_spec.h"
#include "query/statement/trees.h"
#include "query/window/window.h"

namespace presso::query {

/// Tables that stand for one source of a query, and whom their columns may be qualified by.
struct Relation {
  std::vector<Table> tables;
  std::vector<std::string> names;  ///< of files; empty for a kept answer
  std::string alias;
  std::shared_ptr<const KeptRows> kept;  ///< the kept answer that this is, or nullptr

  const TableSchema& schema() const { return tables.front().schema(); }
  std::uint64_t rows() const;
  /// Whether `qualifier.` may stand before its columns. Letter case does not matter.
  bool is_called(const std::string& qualifier) const;
};

/// The sources of a SELECT, by which its names are looked up. Columns that it does not know may be
/// those of the SELECT around it.
struct Scope {
  std::vector<Relation> sources;
  const Scope* around = nullptr;

  /// The number of the source that the column belongs to; nullopt if there is none. The first one,
  /// where there are several; binding refuses such a name.
  std::optional<std::size_t> source_of(const Expression& column) const;
};

struct CommonTable;

/// Tables of WITH by nesting; inner ones hide outer ones.
struct CommonTables {
  std::vector<std::shared_ptr<CommonTable>> tables;
  const CommonTables* around = nullptr;
};

/// A table of WITH. Without an answer and `before`, FROM does not see it.
struct CommonTable {
  std::string name;
  std::vector<std::string> columns;
  std::shared_ptr<const SqlStatement> statement;
  std::optional<Relation> answer;
  /// The tables that the statement sees; without an answer it is answered or merged where it is
  /// used.
  std::optional<CommonTables> before;
};

/// A statement that only chooses and computes columns, as the source of another one.
struct ChoosingStatement {
  const SqlStatement* statement;
  const CommonTables* common;        ///< the tables that it sees
  std::vector<std::string> columns;  ///< names that WITH gives its first columns
  std::string alias;
};

class ColumnsOfCalls;

/// What is shared by all parts of a statement.
class Lowering {
 public:
  Lowering(std::string_view text, const StatementContext& context)
      : text_(text), context_(context) {}

  /// The query that answers a statement whose inner parts have been answered. `around`: the SELECT
  /// that a subquery stands in, or nullptr.
  Result<Query> lower(const SqlStatement& statement, const CommonTables* common,
                      const Scope* around);
  /// Answers a statement and keeps the rows.
  Result<Relation> answer(const SqlStatement& statement, const CommonTables* common,
                          const Scope* around, const std::string& what);
  /// DESCRIBE and SUMMARIZE of a query.
  Result<Query> description_of(const Query& query);
  Result<Query> summary_of(const Query& query);
  /// Runs a query and keeps its answer. `what` names it in the list of steps.
  Result<Relation> keep(const Query& query, const std::string& what);
  /// Takes rows that an operator made.
  Relation keep(KeptRows rows, const std::string& what);
  /// The source of FROM or JOIN with its alias.
  Result<Relation> source(const SqlSource& source, const CommonTables* common, const Scope* around);
  /// The source, if it is a statement that only_chooses() and that has not been answered.
  std::optional<ChoosingStatement> statement_that_chooses(const SqlSource& source,
                                                          const CommonTables* common) const;
  /// A query over one relation, in whose text errors show their places.
  Query query_of(const Relation& relation) const;

  /// A table of whole numbers from `first` on, below `end` (above it, if `step` is negative).
  Result<Relation> numbers(std::int64_t first, std::int64_t end, std::int64_t step,
                           const std::string& name);
  /// Keys that sort by all columns of an answer in one direction.
  static std::vector<SortExpression> order_of_all(const SortExpression& direction,
                                                  std::size_t columns);

  /// "##1", "##2" and so on: a name that is new in the statement.
  std::string new_name() { return "##" + std::to_string(++names_); }
  std::string_view text() const { return text_; }
  const StatementContext& context() const { return context_; }
  const QueryOptions& options() const { return context_.options; }
  StatementQuery finish(Query query);

  /// An error with the line of the statement that it is about.
  Error shown(Error error) const;

 private:
  Result<Query> lower_select(SqlQuery select, const CommonTables* common, const Scope* around);
  Result<Query> lower_set(const SqlStatement& statement, const CommonTables* common);
  Result<Relation> with_numbers_of_equals(const Relation& rows, const std::string& name);
  Result<Query> lower_values(const SqlStatement& statement);
  // In pivot.cpp.
  Result<Query> lower_pivot(const SqlStatement& statement, const CommonTables* common);
  Result<Query> lower_unpivot(const SqlStatement& statement, const CommonTables* common);
  Status add_common(const SqlStatement& statement, std::size_t number, CommonTables& own);
  Status answer_common(CommonTable& table);
  Result<Relation> recursive(const CommonTable& table, const CommonTables* common);
  Result<Relation> function(const SqlSource& source);
  Result<Relation> elements_of_list(const SqlSource& source);
  /// Takes values of a column of 8 bytes, in any number of calls.
  using AddValues = std::function<Status(const std::vector<std::int64_t>& values)>;
  Result<Relation> keep_column(const ColumnSchema& column,
                               const std::function<Status(const AddValues& add)>& make);
  Result<Relation> moments(std::int64_t first, std::int64_t end, const Expression& step,
                           bool includes_end, const SqlSource& source);
  Result<std::vector<std::int64_t>> whole_numbers(const std::vector<Expression>& trees);
  Result<Relation> renamed(Relation relation, const std::vector<std::string>& columns,
                           const SqlSource& source);
  Result<Relation> rows_without(const Relation& rows, const Relation& known);
  /// A column of a set operation, and its place in each operand that has it.
  struct SetColumn {
    std::string name;
    ColumnSchema type;
    bool is_typed = false;
    std::vector<std::optional<std::size_t>> places;
  };
  static void add_operands(const SqlStatement& statement,
                           std::vector<const SqlStatement*>& operands);
  Result<std::vector<SetColumn>> set_columns(const std::vector<const SqlStatement*>& operands,
                                             const std::vector<TableSchema>& schemas,
                                             bool by_name) const;
  /// All operands of a set operation with the same names and types.
  Result<std::vector<Relation>> alike(const SqlStatement& statement, const CommonTables* common,
                                      bool tagged);

  std::string_view text_;
  const StatementContext& context_;
  std::vector<std::shared_ptr<const KeptRows>> kept_;
  std::vector<std::string> steps_;
  std::size_t names_ = 0;
};

/// One SELECT while it is lowered. Each phase rewrites `query` and adds to `scope`.
class Block {
 public:
  Block(Lowering& lowering, SqlQuery query, const CommonTables* common, const Scope* around)
      : lowering_(lowering), query_(std::move(query)), common_(common) {
    scope_.around = around;
  }

  Result<Query> lower();
  /// A list with its stars and columns('regex') written out, over one source.
  Result<std::vector<NamedExpression>> items_over(const Relation& source,
                                                  std::vector<NamedExpression> list);

 private:
  friend class Subqueries;
  /// The phases after subqueries.
  Result<Query> finish();

  // In merged.cpp.
  Result<std::unique_ptr<Block>> open_inner();
  Status qualify_items();
  bool is_hidden_by(const Block& inner) const;
  Status merge(Block& inner);

  // In block.cpp.
  /// Opens the sources and looks up names. `all_names`: also where one Query can do it itself.
  Status settle_names(bool all_names);
  void choose_by_random();
  Status open_sources();
  Status refuse_outer_columns();
  Result<bool> series_as_source();
  // In unnested.cpp.
  Result<bool> lower_unnest_source(std::size_t join);
  Status lower_unnest_items();
  Result<Relation> unnested(const Expression& array, std::size_t sources, const std::string& name);
  Result<bool> lower_lateral(std::size_t join);
  Status natural_columns(SqlJoin& join, std::size_t source);
  Status set_parameters();
  Status name_windows();
  // In calls.cpp.
  Status settle_calls();
  Status settle_random();
  Result<bool> settle_rows(Expression& node);
  Status expand_lists(bool all_names);
  Status expand_stars();
  Result<std::vector<NamedExpression>> with_columns(const NamedExpression& item) const;
  Result<bool> holds_of_name(const Expression& lambda, const std::string& name) const;
  Result<std::vector<NamedExpression>> columns_of(const NamedExpression& star) const;
  Status replace_aliases();
  Status resolve_keys();
  /// The item of SELECT whose position or name a key of ORDER BY is.
  std::optional<std::size_t> item_of(const Expression& key) const;
  /// ORDER BY with the expressions of the items that its keys mean.
  std::vector<SortExpression> order_by_expressions() const;
  bool is_grouped() const;
  bool needs_lists() const;
  Status limit_percent();
  Status take_sample();
  Query make_query() const;
  /// The Query of other clauses over the same sources.
  Query query_like(SqlQuery query);
  Status qualify(Expression& tree) const;
  bool is_same(const Expression& a, const Expression& b) const;
  /// Runs a query for the columns that calls of the window operator read, and goes on with its rows
  /// and the results of the calls.
  Status continue_with_calls(SqlQuery before, ColumnsOfCalls& columns, const std::string& what);
  /// Makes `relation` the only source and drops the clauses that were answered with it.
  void continue_from(Relation relation);

  // In groupings.cpp.
  Result<std::optional<Query>> lower_grouping_sets();
  Status lower_holistic_aggregates();
  // In windows.cpp.
  Status distinct_on_as_window();
  Status lower_windows();
  Status set_totals(const std::vector<NamedExpression>& totals);
  // In subqueries.cpp.
  Status lower_subqueries();
  // In asof.cpp.
  Status lower_asof_joins();
  Status lower_asof_join();
  Result<Relation> nearest_rows(const Relation& right,
                                const std::vector<std::pair<Expression, Expression>>& keys,
                                const Expression& left_time, const Expression& right_time,
                                Expression::Op op);

  /// Adds a source that is joined to all before it.
  void add_join(Relation relation, SqlJoin::Kind kind, Expression on);
  std::string qualifier_of(std::size_t source) const;

  Lowering& lowering_;
  SqlQuery query_;
  const CommonTables* common_;
  Scope scope_;
};

/// Whether the statement is a SELECT whose rows are those of its sources that fulfil a condition.
bool only_chooses(const SqlStatement& statement);
/// VALUES with a column for each list; shorter lists end with nulls.
SqlStatement rows_of_lists(const std::vector<Expression>& lists);
/// Whether the expression calls an aggregate that is no window function, outside of subqueries.
bool calls_aggregate(const Expression& tree);
/// Whether this node calls an aggregate function, of any kind.
bool is_any_aggregate(const Expression& node);
/// Whether this node is a window function.
bool is_window(const Expression& node);
/// Whether two names are equal apart from the case of ASCII letters.
bool same_name(std::string_view a, std::string_view b);
/// The aggregate of the window operator that a function's name means (median, string_agg, ...);
/// nullopt for other names.
std::optional<WindowKind> aggregate_kind(const std::string& name);
/// The name of a type that holds the values of both columns; varchar where there is no other.
std::string common_type(const ColumnSchema& a, const ColumnSchema& b);
/// The value in a row of a kept answer as a literal of its type.
Result<Expression> literal_of(const Relation& relation, std::size_t column, std::uint64_t row);

}  // namespace presso::query
