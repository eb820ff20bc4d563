// SPDX-License-Identifier: MIT
// presso select: queries the rows of one table, which may be of many files. The flags become a
// Query here; QueryCommand runs it. Tested by tests/cli/test_select.py and test_many_files.py. It
// declines columns that some files lack, unless --union-by-name is given, and standard input that
// is named twice.
#include <unistd.h>

#include "tools/cli/message.h"
#include "tools/select/commands.h"
#include "tools/select/flags_select.h"
#include "tools/select/query_command.h"

namespace presso::cli {
namespace {

const CommandInfo kInfo = {
    .name = "select",
    .summary = "select, compute, group and sort rows of tables",
    .operands = "[FILE... | -]",
    .description =
        "Writes the rows of tables for which a condition is true, columns and expressions of them, "
        "or groups of rows with their sums, counts and averages. Tables are made by 'presso "
        "compress --table'; only the columns and blocks that matter are read, on all cores. CSV, "
        "TSV, JSON and dbgen's .tbl, also as .gz, .zst and .lz4, and the columns that matter of "
        "Parquet and Arrow files are loaded into memory first. The rows of several files follow "
        "one another; "
        "columns belong together by their names, and get a type that holds all values. A folder "
        "stands for all tables and texts "
        "below it, a pattern in quotes ('logs/*.csv', 'data/**/*.presso') for the files that fit, "
        "and folders such as year=2024/ are columns. Without FILE, or with -, standard input is "
        "read.\n\n"
        "Expressions are SQL's: and, or, not, =, <>, <, <=, >, >=, + - * / // %, ||, between, in, "
        "is null, is distinct from, like, ilike, matches 'regular expression', case, cast. A name "
        "with other characters than letters, digits and _ stands in double quotes, text in single "
        "ones; 2024-01-31 is a date.",
    .examples = {{"presso select lineitem.csv.presso --limit 10", "the first rows"},
                 {"presso select weblog.presso --where 'status >= 500' --columns 'time, path'",
                  "some rows and columns"},
                 {"presso select weblog.presso --group-by status --agg 'count(*) as n' --order-by "
                  "'n desc'",
                  "how often each status"},
                 {"presso select sales.csv --agg 'sum(price * (1 - discount)) as revenue'",
                  "a sum over a plain file"},
                 {"presso select *.presso --where \"name like 'A%'\" -o a.csv", "into a file"},
                 {"presso select 'sales/*.csv' --filename --group-by filename --agg 'count(*)'",
                  "how many rows each file has"},
                 {"presso select big.presso --where 'id = 7' --explain=analyze",
                  "what is read and skipped, and how long it takes"}},
    .exit_status =
        "0 if there are rows in the answer, 1 if there are none, 2 after an error. It is "
        "no error if the reader of standard output goes away.",
};

/// The command.
class SelectCommand final : public QueryCommand {
 public:
  const CommandInfo& info() const override { return kInfo; }
  std::vector<Flag> flags() override { return select_flags(settings_); }

 private:
  bool has_one_source() const override { return true; }

  /// The files of one table, or standard input where there are none.
  Result<std::vector<TableSource>> sources_of(std::vector<std::string> operands) override {
    if (operands.empty()) {
      // Without a file a command in a pipe reads the pipe; at a terminal it would wait for ever.
      if (isatty(STDIN_FILENO) != 0) {
        return make_error(ErrorCode::kInvalidArgument,
                          "no file given and standard input is a terminal");
      }
      operands.emplace_back(kStandardInput);
    }
    PRESSO_TRY(check_standard_input(operands));
    PRESSO_TRY(check_no_expression(operands));
    return std::vector<TableSource>{source_of(std::move(operands))};
  }

  Conditions conditions_of(std::size_t) const override {
    Conditions asked;
    for (const std::string& text : settings_.where) {
      auto parsed = parse_expression(text);
      if (parsed.ok()) asked.conditions.push_back(*std::move(parsed));
    }
    return asked;
  }

  /// Without a list all columns are written, unless groups or aggregates are.
  NeededColumns needed_columns() const override {
    const SelectSettings& asked = settings_;
    if (asked.columns.empty() && asked.group_by.empty() && asked.aggregates.empty()) return {};
    std::string list;
    const auto add = [&list](const std::string& part) {
      if (!part.empty()) list += (list.empty() ? "" : ", ") + part;
    };
    for (const std::string* part : {&asked.columns, &asked.group_by, &asked.aggregates}) add(*part);
    for (const std::string& condition : asked.where) add(condition);
    for (const std::string& condition : asked.having) add(condition);
    const std::string order = asked.order_by.empty() ? "" : " order by " + asked.order_by;
    const auto question = parse_statement("select " + list + order);
    return question.ok() ? NeededColumns(*question) : NeededColumns();
  }

  /// Several files are one table: their rows follow each other.
  Result<Query> make_query(std::span<const OpenedSource> sources) const override {
    PRESSO_ASSIGN(UnitedTables united, tables_of(sources[0], settings_.query));
    kept_.push_back(std::move(united.kept));
    std::vector<std::string> names;
    for (const auto& input : sources[0].inputs) names.push_back(input->name());
    Query query = Query::from(std::move(united.tables), std::move(names));
    ask(query);
    return query;
  }
};

}  // namespace

std::unique_ptr<Command> make_select_command() {
  return std::make_unique<SelectCommand>();
}

}  // namespace presso::cli
