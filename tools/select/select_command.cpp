// SPDX-License-Identifier: MIT
// presso select: asks tables. This file opens what is asked, puts the question together and keeps
// the account; answering is presso/query.h's business, the form of the answer answer_sink.h's.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <numeric>

#include "presso/stopwatch.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/compress/file_job.h"
#include "tools/device/query_rates.h"
#include "tools/select/commands.h"
#include "tools/select/flags_select.h"
#include "tools/select/select_output.h"

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
        "TSV, JSON lines and dbgen's .tbl, also as .gz, .zst and .lz4, are loaded into memory "
        "first. The rows of several files, which must have the same columns, follow one another. "
        "Without FILE, or with -, standard input is read.\n\n"
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
                 {"presso select big.presso --where 'id = 7' --explain=analyze",
                  "what is read and skipped, and how long it takes"}},
    .exit_status =
        "0 if there are rows in the answer, 1 if there are none, 2 after an error. It is "
        "no error if the reader of standard output goes away.",
};

/// Somebody who forgot --where.
bool looks_like_an_expression(const std::string& path) {
  struct stat about {};
  return stat(path.c_str(), &about) != 0 && path.find_first_of(" <>='") != path.npos;
}

class SelectCommand final : public Command {
 public:
  const CommandInfo& info() const override { return kInfo; }
  std::vector<Flag> flags() override { return select_flags(settings_); }

  Result<int> run(std::vector<std::string> operands) override {
    PRESSO_TRY(check_operands(operands));
    PRESSO_ASSIGN(const AnswerOptions answer, answer_options(settings_));
    if (!open_inputs(operands)) return exit_status();
    if (settings_.list_columns) return list_columns();
    const Query query = make_query(inputs_);
    const Result<TableSchema> schema = query.schema();
    if (!schema.ok()) return fail(schema.error());
    settings_.query.rates = query_rates(MeasurementStore::of_user(), stored_bytes());
    if (settings_.explain != Explain::kNo) return explain(query);
    return write_answer(query, answer);
  }

 private:
  int fail(const Error& problem) const {
    error(blamed_file(problem), problem);
    return exit_status();
  }

  /// The name of the file that is damaged; empty where none is to blame, but the question. Of
  /// several it is that of which the same is asked in vain.
  std::string blamed_file(const Error& problem) const {
    if (!is_damage(problem.code)) return "";
    if (inputs_.size() == 1) return inputs_.front()->name();
    for (const auto& input : inputs_) {
      const auto asked = make_query({&input, 1}).explain(settings_.query, true);
      const bool same = !asked.ok() && asked.error().code == problem.code &&
                        asked.error().byte_offset == problem.byte_offset;
      if (same) return input->name();
    }
    return "";
  }

  Status check_operands(std::vector<std::string>& operands) const {
    if (operands.empty()) {
      if (isatty(STDIN_FILENO) != 0) {
        return make_error(ErrorCode::kInvalidArgument,
                          "no file given and standard input is a terminal");
      }
      operands.emplace_back(kStandardInput);
    }
    if (std::count(operands.begin(), operands.end(), kStandardInput) > 1) {
      return make_error(ErrorCode::kInvalidArgument, "standard input can be read once only");
    }
    for (const std::string& path : operands) {
      if (!looks_like_an_expression(path)) continue;
      return make_error(ErrorCode::kInvalidArgument,
                        "'" + path +
                            "' is no file; conditions are given with --where, columns "
                            "with --columns");
    }
    return {};
  }

  bool open_inputs(const std::vector<std::string>& paths) {
    const SelectInputOptions options{&settings_.text, settings_.query.threads,
                                     settings_.files.progress, settings_.list_columns};
    for (const std::string& path : paths) {
      auto input = SelectInput::open(path, options);
      if (!input.ok()) {
        error(shown_name(path), input.error());
        return false;
      }
      inputs_.push_back(std::move(*input));
    }
    return true;
  }

  Query make_query(std::span<const std::unique_ptr<SelectInput>> inputs) const {
    std::vector<presso::Table> tables;
    std::vector<std::string> names;
    for (const auto& input : inputs) {
      tables.push_back(input->table());
      names.push_back(input->name());
    }
    Query query = Query::from(std::move(tables), std::move(names));
    for (const std::string& condition : settings_.where) query.where(condition);
    if (!settings_.columns.empty()) query.select(settings_.columns);
    if (!settings_.group_by.empty()) query.group_by(settings_.group_by);
    if (!settings_.aggregates.empty()) query.aggregate(settings_.aggregates);
    for (const std::string& condition : settings_.having) query.having(condition);
    if (!settings_.order_by.empty()) query.order_by(settings_.order_by);
    if (settings_.limit || settings_.offset > 0) {
      query.limit(settings_.limit.value_or(UINT64_MAX), settings_.offset);
    }
    return query;
  }

  std::uint64_t stored_bytes() const {
    return std::accumulate(
        inputs_.begin(), inputs_.end(), std::uint64_t{0},
        [](std::uint64_t sum, const auto& input) { return sum + input->stored_bytes(); });
  }

  static int print(const std::string& text) {
    FileSink sink(STDOUT_FILENO);
    const Status written = sink.write({reinterpret_cast<const Byte*>(text.data()), text.size()});
    if (!written.ok() && !sink.closed_pipe()) error("standard output", written.error());
    return exit_status();
  }

  /// For shells, which would expand other names, and put them on the command line as they are.
  int list_columns() const {
    std::string names;
    for (const ColumnSchema& column : inputs_.front()->table().schema().columns) {
      const bool plain = std::all_of(column.name.begin(), column.name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
      });
      if (plain) names += column.name + "\n";
    }
    return print(names);
  }

  int explain(const Query& query) const {
    const Result<std::string> text =
        query.explain(settings_.query, settings_.explain == Explain::kAnalyze);
    if (!text.ok()) return fail(text.error());
    return print(text->ends_with('\n') ? *text : *text + "\n");
  }

  int write_answer(const Query& query, const AnswerOptions& options) const {
    std::optional<OutputFile> output = open_answer(settings_, inputs_, options.format);
    if (!output) return exit_status();
    remove_unfinished_files_on_signals();
    const std::unique_ptr<AnswerSink> sink = make_answer_sink(options, output->sink());
    const Stopwatch time;
    const Result<QuerySummary> summary = query.run(settings_.query, *sink);
    Status done = summary.ok() ? sink->finish(summary->rows) : Status(summary.error());
    if (!done.ok()) {
      const bool of_output = output->sink().failed();
      report_failure(of_output ? "" : blamed_file(done.error()), done.error(), *output, true);
      return exit_status();
    }
    done = output->commit({});
    if (!done.ok()) {
      error(output->name(), done.error());
      return exit_status();
    }
    describe(*summary, time.seconds());
    return summary->rows == 0 ? kNoMatch : kSuccess;
  }

  static void describe(const QuerySummary& summary, double seconds) {
    std::string text = grouped(summary.rows) + (summary.rows == 1 ? " row of " : " rows of ") +
                       grouped(summary.rows_in) + "; ";
    if (summary.groups > 0) text += grouped(summary.groups) + " groups; ";
    text += grouped(summary.bytes_read) + " of " + grouped(summary.bytes_stored) +
            " stored bytes read, " + grouped(summary.blocks_skipped) + " of " +
            grouped(summary.blocks_skipped + summary.blocks_read) + " blocks skipped, ";
    if (summary.spilled_bytes > 0) {
      text += grouped(summary.spilled_bytes) + " bytes through temporary files, ";
    }
    verbose("", text + decimal_text(seconds, 3) + " s");
  }

  SelectSettings settings_;
  SelectInputs inputs_;
};

}  // namespace

std::unique_ptr<Command> make_select_command() {
  return std::make_unique<SelectCommand>();
}

}  // namespace presso::cli
