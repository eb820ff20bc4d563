// SPDX-License-Identifier: MIT
// presso join: queries the rows of two or more tables that belong together. The flags become a
// Query here; QueryCommand runs it. Tested by tests/cli/test_join.py. It declines joins without an
// equality, more files than the library joins, and a number of --on or --kind that fits neither one
// nor each join.
#include "tools/select/commands.h"
#include "tools/select/flags_select.h"
#include "tools/select/query_command.h"

namespace presso::cli {
namespace {

const CommandInfo kJoinInfo = {
    .name = "join",
    .summary = "join tables by equal columns, and ask of the rows as select does",
    .operands = "LEFT RIGHT [MORE...]",
    .description =
        "Writes rows of LEFT with the rows of RIGHT that have equal values in the columns of --on, "
        "and everything that 'presso select' makes of rows: conditions, expressions, groups, "
        "order. Further files are joined to that. Files are tables of 'presso compress --table', "
        "or CSV and its kin, as for select.\n\n"
        "Columns of the same name are told apart by what stands before the point: the file's name "
        "without folder and endings (orders.id), left and right of two files, or t1, t2, ... in "
        "their order. Standard input, as -, is stdin.\n\n"
        "The larger of two files is read once, in order; of the other one the rows that its own "
        "conditions leave are kept in memory. The answer is in the order of the larger file's "
        "rows, then of the other's. Where --memory does not suffice, the larger file is read "
        "several times, with some of the keys each time; --explain says so before. All rows of "
        "one file with all rows of another are not made: --on has an equality. 'presso sql' takes "
        "the same as a statement.",
    .examples = {{"presso join orders.presso lineitem.presso --on o_orderkey=l_orderkey --agg "
                  "'count(*)'",
                  "how many lines have an order"},
                 {"presso join weblog.presso users.csv --on user=id --kind left",
                  "all lines, with users where they are known"},
                 {"presso join weblog.presso blocked.csv --on address --kind semi",
                  "lines whose address is in a list"},
                 {"presso join customer.csv orders.csv lineitem.csv --on c_custkey=o_custkey --on "
                  "o_orderkey=l_orderkey --group-by c_nationkey --agg 'sum(l_quantity)'",
                  "three files"}},
    .exit_status =
        "0 if there are rows in the answer, 1 if there are none, 2 after an error. It is "
        "no error if the reader of standard output goes away.",
};

/// The command; --on and --kind may be given once for all files or once for each file after the
/// first.
class JoinCommand final : public QueryCommand {
 public:
  const CommandInfo& info() const override { return kJoinInfo; }
  std::vector<Flag> flags() override { return join_flags(settings_); }

 private:
  /// With several tables, an error cannot be put down to one file by asking the rest alone.
  bool has_one_source() const override { return false; }

  Conditions conditions_of(std::size_t) const override { return {}; }

  /// Checks the operands: two files at least, and as many --on and --kind as there are joins, or
  /// one for all.
  Result<std::vector<TableSource>> sources_of(std::vector<std::string> operands) override {
    // The order of the checks is that in which a user would mend them: files, then --on, then
    // --kind.
    PRESSO_TRY(check_no_expression(operands));
    if (operands.size() < 2) {
      return make_error(ErrorCode::kInvalidArgument,
                        operands.empty() ? "no file is given; two or more are joined"
                                         : "one file is given; two or more are joined");
    }
    if (operands.size() > kMostJoined) {
      return make_error(ErrorCode::kInvalidArgument,
                        "at most " + std::to_string(kMostJoined) + " files are joined");
    }
    PRESSO_TRY(check_standard_input(operands));
    if (settings_.on.empty()) {
      return make_error(ErrorCode::kInvalidArgument,
                        "--on is missing: which columns are equal, such as --on id or --on a=b");
    }
    PRESSO_TRY(check_number("--on", settings_.on.size(), operands.size()));
    if (!settings_.kinds.empty()) {
      PRESSO_TRY(check_number("--kind", settings_.kinds.size(), operands.size()));
    }
    std::vector<TableSource> sources;
    for (std::string& operand : operands) sources.push_back(source_of({std::move(operand)}));
    return sources;
  }

  /// Checks how often a flag was given.
  static Status check_number(const std::string& flag, std::size_t given, std::size_t files) {
    if (given == 1 || given + 1 == files) return {};
    std::string what = flag + " is given " + std::to_string(given) + " times; once is ";
    what += files == 2 ? "enough for two files"
                       : "enough, or " + std::to_string(files - 1) +
                             " times, once for each file but the first";
    return make_error(ErrorCode::kInvalidArgument, std::move(what));
  }

  /// The first file joined with each of the others, from left to right.
  Result<Query> make_query(std::span<const OpenedSource> sources) const override {
    std::vector<std::vector<presso::Table>> tables;
    std::vector<std::vector<std::string>> names(sources.size());
    for (std::size_t i = 0; i < sources.size(); ++i) {
      PRESSO_ASSIGN(UnitedTables united, tables_of(sources[i], settings_.query));
      kept_.push_back(std::move(united.kept));
      tables.push_back(std::move(united.tables));
      for (const auto& input : sources[i].inputs) names[i].push_back(input->table_name());
    }
    Query query = Query::from(tables[0], names[0]);
    for (std::size_t i = 1; i < sources.size(); ++i) {
      // Given once, --on and --kind hold for all joins.
      const std::string& on = settings_.on[settings_.on.size() == 1 ? 0 : i - 1];
      JoinKind kind = JoinKind::kInner;
      if (!settings_.kinds.empty()) {
        kind = settings_.kinds[settings_.kinds.size() == 1 ? 0 : i - 1];
      }
      query.join(tables[i], names[i], kind, on);
    }
    ask(query);
    return query;
  }
};

}  // namespace

std::unique_ptr<Command> make_join_command() {
  return std::make_unique<JoinCommand>();
}

}  // namespace presso::cli
