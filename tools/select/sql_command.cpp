// SPDX-License-Identifier: MIT
// presso sql: an SQL statement in place of flags. The library parses it (presso/sql.h) and runs its
// inner queries (presso/statement.h); QueryCommand runs the last one. Tested by
// tests/cli/test_sql.py, test_sql_values.py and tests/analysts.
#include "presso/sql.h"

#include <algorithm>
#include <map>
#include <memory>

#include "presso/statement.h"
#include "tools/cli/message.h"
#include "tools/io/input_file.h"
#include "tools/select/commands.h"
#include "tools/select/flags_select.h"
#include "tools/select/query_command.h"

namespace presso::cli {
namespace {

const CommandInfo kSqlInfo = {
    .name = "sql",
    .summary = "answer an SQL statement over files",
    .operands = "STATEMENT",
    .description =
        "Answers one SQL statement whose tables are files, in quotes or as plain names: tables of "
        "'presso compress --table', Parquet, Arrow, or CSV and its kin, as for 'presso select'. "
        "There may "
        "be joins "
        "of all kinds, subqueries, with, union and other set operations, window functions, group "
        "by with rollup and cube, pivot, describe and summarize; 'create table FILE as' and 'copy "
        "(...) to FILE' write the answer to a file. docs/sql.md lists what there is and how it "
        "differs from DuckDB.\n\n"
        "Columns are qualified by the alias of a table, or by its file's name without folder and "
        "endings; - is standard input, and called stdin. Names of files with other characters "
        "than letters, digits and ._-/+@=%~: stand in quotes. A name may be that of a folder or a "
        "pattern, as for 'presso select'; read_csv(['a.csv', 'b*.csv'], delim = ';', "
        "union_by_name = true) takes several, and says how they are read.",
    .examples =
        {{"presso sql \"select count(*) from 'weblog.presso' where status = 404\"", "a count"},
         {"presso sql \"select o_orderpriority, count(*) from orders.presso o join "
          "lineitem.presso l on o.o_orderkey = l.l_orderkey group by 1 order by 1\"",
          "a join with groups"},
         {"presso sql \"select *, row_number() over (partition by client order by time) as n from "
          "'weblog.presso' qualify n = 1\"",
          "the first request of each client"},
         {"presso sql \"select distinct client from 'weblog.presso' w anti join 'known.csv' k "
          "using (client)\" -o unknown.csv",
          "clients that are not in a list, into a file"}},
    .exit_status =
        "0 if there are rows in the answer, 1 if there are none, 2 after an error. It is "
        "no error if the reader of standard output goes away.",
    .operand_completion = Completion::kNone,
};

/// The formats of COPY.
constexpr std::pair<std::string_view, AnswerFormat> kFormats[] = {
    {"csv", AnswerFormat::kCsv},         {"tsv", AnswerFormat::kTsv},
    {"json", AnswerFormat::kJsonLines},  {"jsonl", AnswerFormat::kJsonLines},
    {"arrow", AnswerFormat::kArrow},     {"presso", AnswerFormat::kPresso},
    {"parquet", AnswerFormat::kParquet},
};

/// The literal that the value of a parameter means.
Expression literal_of(const std::string& text) {
  Expression result;
  if (text == "null") return result;
  if (text == "true" || text == "false") {
    result.kind = Expression::Kind::kBool;
    result.text = text;
    return result;
  }
  const bool negative = text.starts_with('-');
  const auto parsed = parse_expression(negative ? text.substr(1) : text);
  const bool is_number = parsed.ok() && parsed->kind == Expression::Kind::kNumber;
  if (!is_number) return string(text);
  return negative ? operation(Expression::Op::kNegate, {*parsed}) : *parsed;
}

/// NAME=VALUE, or VALUE for the next number.
std::map<std::string, Expression> parameters_of(const std::vector<std::string>& given) {
  std::map<std::string, Expression> parameters;
  std::size_t place = 0;
  for (const std::string& each : given) {
    const std::size_t name =
        each.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
    const bool named = name != each.npos && name > 0 && each[name] == '=';
    if (named) {
      parameters[each.substr(0, name)] = literal_of(each.substr(name + 1));
    } else {
      parameters[std::to_string(++place)] = literal_of(each);
    }
  }
  return parameters;
}

/// The command; tables are files that the statement names.
class SqlCommand final : public QueryCommand {
 public:
  const CommandInfo& info() const override { return kSqlInfo; }
  std::vector<Flag> flags() override { return sql_flags(settings_); }

 private:
  // Without joins the tables are parts of one, which can be asked one by one.
  bool has_one_source() const override {
    return is_one_query(statement_) && statement_.select.joins.empty();
  }

  /// Parses the statement, which names the files. An error shows its place in the statement.
  Result<std::vector<TableSource>> sources_of(std::vector<std::string> operands) override {
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
    auto parsed = parse_statement(text_);
    if (!parsed.ok()) {
      return make_error(parsed.error().code, explain_expression_error(text_, parsed.error()));
    }
    statement_ = std::move(*parsed);
    const bool is_select = statement_.kind == SqlStatement::Kind::kSelect;
    const std::uint64_t limit = is_select ? statement_.select.limit : statement_.limit;
    if (limit != UINT64_MAX) settings_.limit = limit;
    if (statement_.purpose == SqlStatement::Purpose::kStore) PRESSO_TRY(set_target());
    std::vector<TableSource> sources;
    std::vector<std::string> files;
    for (const SqlSource& named : presso::files_of(statement_)) {
      if (find_source(named) && named.path != kStandardInput) continue;
      TableSource source = source_of(named.paths.empty() ? std::vector{named.path} : named.paths);
      const Status applied = apply_reader_options(named, source);
      if (!applied.ok()) {
        return make_error(applied.error().code, explain_expression_error(text_, applied.error()));
      }
      files.insert(files.end(), source.names.begin(), source.names.end());
      sources.push_back(std::move(source));
      named_.push_back(named);
    }
    PRESSO_TRY(check_standard_input(files));
    return sources;
  }

  /// Those of WHERE, where it is about the only table of a statement.
  Conditions conditions_of(std::size_t) const override {
    const SqlQuery& select = statement_.select;
    const bool is_only = named_.size() == 1 && presso::files_of(statement_).size() == 1;
    if (!is_only || statement_.kind != SqlStatement::Kind::kSelect || !statement_.with.empty() ||
        !select.joins.empty() || !select.from.columns.empty() || select.from.statement != nullptr ||
        select.from.path != named_[0].path || !select.where || select.sample) {
      return {};
    }
    return {select.from.alias, {*select.where}, {}};
  }

  NeededColumns needed_columns() const override { return NeededColumns(statement_); }

  /// The number of the source that was named in the same way.
  std::optional<std::size_t> find_source(const SqlSource& source) const {
    const auto same_option = [](const SqlSourceOption& a, const SqlSourceOption& b) {
      return a.name == b.name && a.values == b.values;
    };
    const auto found = std::find_if(named_.begin(), named_.end(), [&](const SqlSource& other) {
      return other.path == source.path && other.paths == source.paths &&
             other.reader == source.reader &&
             std::equal(other.options.begin(), other.options.end(), source.options.begin(),
                        source.options.end(), same_option);
    });
    if (found == named_.end()) return std::nullopt;
    return static_cast<std::size_t>(found - named_.begin());
  }

  /// CREATE TABLE and COPY say where the answer goes, as -o does.
  Status set_target() {
    if (!settings_.files.output.empty()) {
      return make_error(ErrorCode::kInvalidArgument,
                        "the statement says where the answer goes; leave out -o");
    }
    settings_.files.output = statement_.target;
    if (statement_.replaces_target) settings_.files.force = true;
    const std::string& name = statement_.target_format;
    if (name.empty()) return {};
    for (const auto& [known, format] : kFormats) {
      if (name != known) continue;
      settings_.format = format;
      return {};
    }
    return make_error(
        ErrorCode::kInvalidArgument,
        "there is no FORMAT '" + name + "'; there are csv, tsv, json, arrow, parquet, presso");
  }

  /// Runs all inner queries of the statement; what they keep lives as long as the command.
  Result<Query> make_query(std::span<const OpenedSource> sources) const override {
    StatementContext context;
    context.options = settings_.query;
    context.parameters = parameters_of(settings_.parameters);
    context.open = [&](const SqlSource& named) -> Result<StatementTables> {
      const auto number = find_source(named);
      if (!number) {
        return make_error(ErrorCode::kInvalidArgument, named.path + " was not opened");
      }
      const OpenedSource& source = sources[*number];
      PRESSO_ASSIGN(UnitedTables united, tables_of(source, settings_.query));
      kept_.push_back(std::move(united.kept));
      StatementTables tables{std::move(united.tables), {}};
      for (const auto& input : source.inputs) tables.names.push_back(input->table_name());
      return tables;
    };
    PRESSO_ASSIGN(StatementQuery last, lower_statement(statement_, text_, context));
    for (const std::string& step : last.steps) verbose("", step);
    kept_.push_back(std::move(last.kept));
    return std::move(last.query);
  }

  std::string text_;
  SqlStatement statement_;
  std::vector<SqlSource> named_;  ///< by source
};

}  // namespace

std::unique_ptr<Command> make_sql_command() {
  return std::make_unique<SqlCommand>();
}

}  // namespace presso::cli
