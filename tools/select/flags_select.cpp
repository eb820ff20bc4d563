// SPDX-License-Identifier: MIT
// Each flag writes to one member of SelectSettings. Expressions and lists stay text here, and the
// query parses them, so that an error shows its place. Texts of the help name SQL's words, because
// most users know these. Tested by tests/cli/test_select.py, test_join.py and test_sql.py.
#include "tools/select/flags_select.h"

#include "tools/cli/bind.h"
#include "tools/compress/flags_compress.h"

namespace presso::cli {
namespace {

// --memory takes 1 MiB at least, below which each pass over a file would do next to nothing, and 1
// PiB at most.
constexpr std::uint64_t kLeastMemory = 1u << 20;
constexpr std::uint64_t kMostMemory = std::uint64_t{1} << 50;
constexpr std::uint64_t kMostRows = UINT64_MAX / 2;

/// Refuses a text of blanks, which would otherwise count as an expression that is left out.
Status refuse_empty(const Given& given) {
  if (given.value.find_first_not_of(" \t\r\n") != given.value.npos) return {};
  return make_error(ErrorCode::kInvalidArgument, given.spelled + ": nothing is given");
}

/// Takes a list over; a list that is given in several parts is one list.
Apply list_into(std::string& list) {
  return [&list](const Given& given) -> Status {
    PRESSO_TRY(refuse_empty(given));
    list += (list.empty() ? "" : ", ") + given.value;
    return {};
  };
}

/// Adds a condition; all of them must hold.
Apply condition_into(std::vector<std::string>& conditions) {
  return [&conditions](const Given& given) -> Status {
    PRESSO_TRY(refuse_empty(given));
    conditions.push_back(given.value);
    return {};
  };
}

/// The flags about which rows, columns and groups are in the answer. They are shared by select and
/// join; sql has them in its statement.
std::vector<Flag> row_flags(SelectSettings& settings) {
  return {
      {.name = "where",
       .value_name = "EXPR",
       .category = kSelection,
       .brief = "only rows for which EXPR is true; given several times: all of them",
       .text = "In SQL's grammar: price > 10 and (name like 'a%' or day between 2024-01-01 and "
               "2024-01-31). Blocks whose least and greatest values rule it out are not read.",
       .completion = Completion::kColumns,
       .apply = condition_into(settings.where)},
      {.name = "columns",
       .value_name = "LIST",
       .category = kSelection,
       .brief = "what is written of each row: 'a, b * 2 as c'",
       .text = "Columns and expressions, each followed by 'as NAME' where it needs one; * is all "
               "columns.",
       .default_value = "all columns; of groups their keys and aggregates",
       .completion = Completion::kColumns,
       .apply = list_into(settings.columns)},
      {.name = "group-by",
       .value_name = "LIST",
       .category = kSelection,
       .brief = "one row for all rows that are equal in these columns or expressions",
       .text = "Groups come in the order of their first rows, unless --order-by says otherwise.",
       .completion = Completion::kColumns,
       .apply = list_into(settings.group_by)},
      {.name = "agg",
       .value_name = "LIST",
       .category = kSelection,
       .brief = "what is computed of each group: 'sum(x * (1 - d)) as revenue, count(*)'",
       .text = "count, sum, avg, min, max, count(distinct x). Without --group-by all rows are one "
               "group.",
       .completion = Completion::kColumns,
       .apply = list_into(settings.aggregates)},
      {.name = "having",
       .value_name = "EXPR",
       .category = kSelection,
       .brief = "only groups for which EXPR is true; given several times: all of them",
       .completion = Completion::kColumns,
       .apply = condition_into(settings.having)},
      {.name = "order-by",
       .value_name = "LIST",
       .category = kSelection,
       .brief = "sort what is written: 'revenue desc, name nulls first'",
       .text = "Without it rows come as they stand in the files. Nulls are last unless nulls first "
               "is said.",
       .completion = Completion::kColumns,
       .apply = list_into(settings.order_by)},
      {.name = "limit",
       .value_name = "N",
       .category = kSelection,
       .brief = "write N rows at most",
       .apply = count_into(settings.limit, 0, kMostRows)},
      {.name = "offset",
       .value_name = "N",
       .category = kSelection,
       .brief = "leave out the first N rows of the answer",
       .default_value = "0",
       .apply = count_into(settings.offset, 0, kMostRows)},
  };
}

/// The format that --format names. The parser has checked the name, so the last case is CSV.
AnswerFormat format_of(const std::string& name) {
  return name == "tsv"       ? AnswerFormat::kTsv
         : name == "jsonl"   ? AnswerFormat::kJsonLines
         : name == "table"   ? AnswerFormat::kTable
         : name == "arrow"   ? AnswerFormat::kArrow
         : name == "presso"  ? AnswerFormat::kPresso
         : name == "parquet" ? AnswerFormat::kParquet
                             : AnswerFormat::kCsv;
}

/// -o of a query; "-" is standard output. An empty name is refused, since it would mean standard
/// output.
Status apply_output(const Given& given, FileOptions& files) {
  files.to_stdout = given.value == "-";
  files.output = files.to_stdout ? std::string() : given.value;
  if (files.to_stdout || !files.output.empty()) return {};
  return make_error(ErrorCode::kInvalidArgument, given.spelled + ": the name is empty");
}

/// The flag for the level of a table that is written, under another category than in compress. It
/// has no environment variable: PRESSO_LEVEL is about `presso compress`.
Flag writing_level_flag(int& level) {
  Flag flag = level_flag(level);
  flag.category = kOutput;
  flag.brief = "of a table that is written: -1 (fastest) to -12 (smallest)";
  flag.text = "";
  flag.default_value = "6";
  flag.environment = "";
  return flag;
}

/// The flags about where the answer goes and in which form.
std::vector<Flag> output_flags(SelectSettings& settings) {
  return {
      {.short_name = 'o',
       .name = "output",
       .value_name = "OUT",
       .category = kOutput,
       .brief = "write to OUT, in the format that its name says; - is standard output",
       .text = ".csv, .tsv, .jsonl, .arrow, .arrows, .parquet or .presso. The file appears under "
               "its name "
               "once it is "
               "complete.",
       .completion = Completion::kFile,
       .apply = [&files =
                     settings.files](const Given& given) { return apply_output(given, files); }},
      {.name = "format",
       .value_name = "FORM",
       .category = kOutput,
       .brief = "csv, tsv, jsonl, table (aligned, to be read), arrow, parquet, presso",
       .text = "arrow is the stream format of Apache Arrow (IPC); presso is a compressed table. In "
               "table, a terminal shows 40 rows, the first and the last ones, unless a limit is "
               "given; cells that do not fit are cut, and rows that do not are written "
               "vertically.",
       .choices = {"csv", "tsv", "jsonl", "table", "arrow", "parquet", "presso"},
       .default_value = "table on a terminal, else by the name of -o, else csv",
       .apply = [&settings](const Given& given) -> Status {
         settings.format = format_of(given.value);
         return {};
       }},
      {.name = "no-header",
       .category = kOutput,
       .brief = "csv, tsv, table: write no line with the columns' names",
       .text = "In table also no line with the number of rows.",
       .apply = [&settings](const Given&) -> Status {
         settings.header = false;
         return {};
       }},
      writing_level_flag(settings.level),
      {.short_name = 'f',
       .name = "force",
       .category = kOutput,
       .brief = "overwrite files, write arrow, parquet and presso to a terminal",
       .apply = set(settings.files.force)},
      {.name = "explain",
       .category = kOutput,
       .brief = "print how the query will be run, and not its answer",
       .text = "analyze runs it, drops the answer, and adds what really happened: rows, blocks, "
               "bytes and times of each step. code adds the source of the kernels that a GPU "
               "compiles for the query.",
       .choices = {"analyze", "code"},
       .value_is_optional = true,
       .apply = [&settings](const Given& given) -> Status {
         settings.explain = given.value == "analyze" ? Explain::kAnalyze
                            : given.value == "code"  ? Explain::kCode
                                                     : Explain::kPlan;
         settings.query.tells_code = settings.explain == Explain::kCode;
         return {};
       }},
  };
}

/// The flags of compress about text, under the names that they have there. --header is about plain
/// inputs, as are all of these, and --no-header of a query about its output; the older name
/// --input-header means the former.
std::vector<Flag> input_flags(SelectSettings& settings) {
  std::vector<Flag> flags = {input_flag(settings.text)};
  append(flags, table_text_flags(settings.text));
  for (Flag& flag : flags) {
    flag.category = kPlainInput;
    if (flag.name == "header") flag.aliases = {"input-header"};
  }
  return flags;
}

/// The flags about tables of several files.
std::vector<Flag> file_set_flags(FileSetOptions& set) {
  return {
      {.name = "union-by-name",
       .category = kSelection,
       .brief = "columns that some of a table's files lack are null there, and no error",
       .apply = presso::cli::set(set.union_by_name)},
      {.name = "filename",
       .category = kSelection,
       .brief = "the name of a row's file is a column, filename",
       .apply = presso::cli::set(set.filename)},
      {.name = "partitions",
       .value_name = "WHEN",
       .category = kSelection,
       .brief = "whether folders such as year=2024/ are columns: yes, no, auto",
       .text = "auto: where a table is a folder, a pattern, or several files. Their values are "
               "whole numbers, dates, timestamps or text. Files that a condition on such a column "
               "rules out are not read.",
       .choices = {"auto", "yes", "no"},
       .default_value = "auto",
       .apply = [&set](const Given& given) -> Status {
         set.partitions.reset();
         if (given.value != "auto") set.partitions = given.value == "yes";
         return {};
       }},
  };
}

/// The flags about threads, memory and temporary files. The defaults are decided by the query,
/// which knows the machine.
std::vector<Flag> resource_flags(SelectSettings& settings) {
  return {
      threads_flag(settings.query.threads),
      {.name = "memory",
       .value_name = "SIZE",
       .category = kPerformance,
       .brief = "memory for groups, joins and rows to be sorted: 512M, 4G",
       .text = "What takes more is done in several passes over the files, or goes through "
               "temporary files.",
       .default_value = "half of what the machine has",
       .apply = number_into(settings.query.memory_bytes, kLeastMemory, kMostMemory)},
      {.name = "temp",
       .value_name = "DIR",
       .category = kPerformance,
       .brief = "where temporary files are made",
       .default_value = "$TMPDIR, or /tmp",
       .completion = Completion::kFile,
       .apply = text_into(settings.query.temporary_directory)},
  };
}

/// The strategy that --group-strategy names; any other name means that the planner chooses.
GroupStrategy strategy_of(const std::string& name) {
  return name == "dense"   ? GroupStrategy::kDense
         : name == "hash"  ? GroupStrategy::kHash
         : name == "radix" ? GroupStrategy::kRadix
                           : GroupStrategy::kAuto;
}

/// The flags for experiments with plans; the answer does not depend on them. They are listed by
/// --help=expert only. A GPU has the choices of plans but not of groups.
std::vector<Flag> expert_flags(QueryOptions& options) {
  return {
      {.name = "plan",
       .value_name = "TEXT",
       .category = kExpert,
       .brief = "in which order and how conditions are tested: '2&1&&3;4'",
       .text = "Conditions by their number from 1 on, as --explain lists them: & tests without a "
               "branch, && skips vectors in which no row is left, ; begins a new pass over the "
               "rows that are left. On a GPU ; ends a kernel, also at the end: '1&&2;' groups in a "
               "kernel of its own. The answer does not depend on it.",
       .default_value = "by what each is expected to cost",
       .apply = text_into(options.plan.plan)},
      {.name = "plan-rows",
       .value_name = "FORM",
       .category = kExpert,
       .brief = "how the rows that are left go from one pass to the next",
       .text = "From one kernel of a GPU to the next they go as a bitmap.",
       .choices = {"auto", "list", "bitmap"},
       .default_value = "auto",
       .apply = [&rows = options.plan.rows](const Given& given) -> Status {
         rows = given.value == "list"     ? PlanChoice::Rows::kList
                : given.value == "bitmap" ? PlanChoice::Rows::kBitmap
                                          : PlanChoice::Rows::kAuto;
         return {};
       }},
      {.name = "group-strategy",
       .value_name = "NAME",
       .category = kExpert,
       .brief = "how groups are found",
       .text = "dense: an array with a place for each possible key; hash: a table for each thread; "
               "radix: small tables, emptied into partitions. The answer does not depend on it.",
       .choices = {"auto", "dense", "hash", "radix"},
       .default_value = "auto",
       .apply = [&options](const Given& given) -> Status {
         options.group_strategy = strategy_of(given.value);
         return {};
       }},
  };
}

/// The kind of join that --kind names; the last case is an inner join.
JoinKind kind_of(const std::string& name) {
  return name == "left"    ? JoinKind::kLeft
         : name == "right" ? JoinKind::kRight
         : name == "full"  ? JoinKind::kFull
         : name == "semi"  ? JoinKind::kSemi
         : name == "anti"  ? JoinKind::kAnti
                           : JoinKind::kInner;
}

/// The flags about what is joined and how. A list with fewer items than joins is checked by
/// JoinCommand, which knows the files.
std::vector<Flag> matching_flags(SelectSettings& settings) {
  return {
      {.name = "on",
       .value_name = "COLUMNS",
       .category = kSelection,
       .brief = "what is equal: 'a = b, c = d', or 'id' for a column of both sides",
       .text =
           "In a = b a is a column or expression of the files before, b one of the file that is "
           "joined. Conditions may follow: 'a = b and c < d'. Nulls are equal to nothing. "
           "Given once for each file after the first, or once for all.",
       .completion = Completion::kColumns,
       .apply = condition_into(settings.on)},
      {.name = "kind",
       .value_name = "KIND",
       .category = kSelection,
       .brief = "inner, left, right, full, semi or anti",
       .text = "left, right and full also write rows of that side, or both, which have no partner; "
               "semi and anti write the rows of the left side that have a partner, or none. Given "
               "once for each file after the first, or once for all.",
       .choices = {"inner", "left", "right", "full", "semi", "anti"},
       .default_value = "inner",
       .apply = [&settings](const Given& given) -> Status {
         settings.kinds.push_back(kind_of(given.value));
         return {};
       }},
  };
}

/// --strategy, for join and sql. All strategies give the same rows; a strategy that does not fit
/// the keys is declined by the planner with a message.
Flag strategy_flag(JoinStrategy& strategy) {
  return {.name = "strategy",
          .value_name = "NAME",
          .category = kExpert,
          .brief = "how partners are found",
          .text =
              "merge: ascending keys side by side; direct: an array with a place for each "
              "possible key; unchained: a hash table. The answer does not depend on it.",
          .choices = {kJoinStrategyNames.begin(), kJoinStrategyNames.end()},
          .default_value = "auto",
          .apply = [&strategy](const Given& given) -> Status {
            strategy = join_strategy_of(given.value).value_or(JoinStrategy::kAuto);
            return {};
          }};
}

/// The flags that select, join and sql share, in the order of the help page. A flag belongs to one
/// of these lists only, since the help would list it twice.
std::vector<Flag> common_flags(SelectSettings& settings) {
  std::vector<Flag> flags = output_flags(settings);
  append(flags, file_set_flags(settings.set));
  append(flags, input_flags(settings));
  append(flags, resource_flags(settings));
  append(flags, query_device_flags(settings.device));
  append(flags, message_flags());
  flags.push_back(progress_flag(settings.files.progress));
  append(flags, expert_flags(settings.query));
  return flags;
}

}  // namespace

/// Those of join: select's, with texts that speak of several files.
std::vector<Flag> join_flags(SelectSettings& settings) {
  std::vector<Flag> flags = matching_flags(settings);
  append(flags, row_flags(settings));
  for (Flag& flag : flags) {
    if (flag.name == "columns")
      flag.text =
          "Columns and expressions, each followed by 'as NAME' where it needs one; * is all "
          "columns, a.* "
          "all of the file a.";
    if (flag.name == "order-by") {
      flag.text =
          "Without it rows come in the order of the larger file's rows, then of the other's. Nulls "
          "are last unless nulls first is said.";
    }
  }
  append(flags, common_flags(settings));
  flags.push_back(strategy_flag(settings.query.join_strategy));
  return flags;
}

/// The flags of sql: none about rows, which the statement has.
std::vector<Flag> sql_flags(SelectSettings& settings) {
  std::vector<Flag> flags = common_flags(settings);
  flags.push_back({.name = "param",
                   .value_name = "VALUE",
                   .category = kSelection,
                   .brief = "the value of a parameter of the statement, ? or $NAME",
                   .text =
                       "NAME=VALUE for $NAME; a VALUE without a name is for the next ?, or $1, $2 "
                       "and so on. A number, a date in quotes of the statement, true, false and "
                       "null are what they say, and everything else is text.",
                   .apply = [&settings](const Given& given) -> Status {
                     settings.parameters.push_back(std::string(given.value));
                     return {};
                   }});
  flags.push_back(strategy_flag(settings.query.join_strategy));
  return flags;
}

/// Those of select, and a hidden one that shells use for completion.
std::vector<Flag> select_flags(SelectSettings& settings) {
  std::vector<Flag> flags = row_flags(settings);
  append(flags, common_flags(settings));
  flags.push_back(
      {.name = "list-columns",
       .category = kOutput,
       .brief = "print the names of the columns that a shell may complete, and nothing else",
       .hidden = true,
       .apply = set(settings.list_columns)});
  return flags;
}

}  // namespace presso::cli
