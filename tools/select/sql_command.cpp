// SPDX-License-Identifier: MIT
// presso sql: a SELECT statement in place of flags. The statement is parsed by the library
// (presso/sql.h), and QueryCommand runs it. Tested by tests/cli/test_sql.py and test_sql_values.py.
// It declines what the parser declines (subqueries, unions, window functions), a second operand,
// and joins of more files than the library takes.
#include "presso/sql.h"

#include "tools/select/commands.h"
#include "tools/select/flags_select.h"
#include "tools/select/query_command.h"

namespace presso::cli {
namespace {

const CommandInfo kSqlInfo = {
    .name = "sql",
    .summary = "answer a SELECT statement over files",
    .operands = "STATEMENT",
    .description =
        "Answers one SELECT statement whose tables are files, in quotes or as plain names: tables "
        "of 'presso compress --table', or CSV and its kin, as for 'presso select'. There may be "
        "joins (inner, left, right, full, semi, anti, with on or using; tables separated by commas "
        "with equalities in where), where, group by, having, order by, limit, offset and select "
        "distinct. There are no subqueries, no unions and no window functions.\n\n"
        "Columns are qualified by the alias of a table, or by its file's name without folder and "
        "endings; - is standard input, and called stdin. Names of files with other characters "
        "than letters, digits and ._-/+@=%~: stand in quotes.",
    .examples =
        {{"presso sql \"select count(*) from 'weblog.presso' where status = 404\"", "a count"},
         {"presso sql \"select o_orderpriority, count(*) from orders.presso o join "
          "lineitem.presso l on o.o_orderkey = l.l_orderkey group by 1 order by 1\"",
          "a join with groups"},
         {"presso sql \"select distinct client from 'weblog.presso' w anti join 'known.csv' k "
          "using (client)\" -o unknown.csv",
          "clients that are not in a list, into a file"}},
    .exit_status =
        "0 if there are rows in the answer, 1 if there are none, 2 after an error. It is "
        "no error if the reader of standard output goes away.",
    .operand_completion = Completion::kNone,
};

/// The command; tables are files that the statement names.
class SqlCommand final : public QueryCommand {
 public:
  const CommandInfo& info() const override { return kSqlInfo; }
  std::vector<Flag> flags() override { return sql_flags(settings_); }

 private:
  // Without joins the tables are parts of one, which can be asked one by one.
  bool has_one_source() const override { return statement_.joins.empty(); }

  /// Parses the statement, which names the files. An error shows its place in the statement.
  Result<std::vector<std::string>> files_of(std::vector<std::string> operands) override {
    if (operands.empty()) {
      return make_error(ErrorCode::kInvalidArgument,
                        "no statement is given, such as \"select count(*) from 'orders.presso'\"");
    }
    if (operands.size() > 1) {
      return make_error(ErrorCode::kInvalidArgument,
                        "one statement is answered, all of it in quotes: '" + operands[1] +
                            "' stands outside of them");
    }
    text_ = std::move(operands[0]);
    auto parsed = parse_sql(text_);
    if (!parsed.ok()) {
      return make_error(parsed.error().code, explain_expression_error(text_, parsed.error()));
    }
    statement_ = std::move(*parsed);
    if (statement_.limit != UINT64_MAX) settings_.limit = statement_.limit;
    std::vector<std::string> files = {statement_.from.path};
    for (const SqlJoin& join : statement_.joins) files.push_back(join.source.path);
    if (files.size() > kMostJoined) {
      return make_error(ErrorCode::kInvalidArgument,
                        "at most " + std::to_string(kMostJoined) + " files are joined");
    }
    PRESSO_TRY(check_standard_input(files));
    return files;
  }

  /// The statement was parsed in files_of(); the tables come in the order in which it names them.
  Result<Query> make_query(std::span<const std::unique_ptr<SelectInput>> inputs) const override {
    std::vector<presso::Table> tables;
    for (const auto& input : inputs) tables.push_back(input->table());
    return Query::from(statement_, text_, std::move(tables));
  }

  std::string text_;
  SqlQuery statement_;
};

}  // namespace

std::unique_ptr<Command> make_sql_command() {
  return std::make_unique<SqlCommand>();
}

}  // namespace presso::cli
