// SPDX-License-Identifier: MIT
// The common part of the commands that query tables: select, join and sql. They say which tables
// are read and what is asked; this class opens the tables, answers or explains, keeps the totals,
// and finds the file that is to blame for an error. Tested by tests/cli/test_select.py and
// test_select_failures.py. The order in which it works, and why, is at run().
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/cli/command.h"
#include "tools/select/auto_device.h"
#include "tools/select/select_input.h"
#include "tools/select/select_output.h"
#include "tools/select/select_settings.h"
#include "tools/select/table_source.h"

namespace presso::cli {

/// The base of the three commands. One object answers one query.
class QueryCommand : public Command {
 public:
  Result<int> run(std::vector<std::string> operands) override;

 protected:
  /// Reads the operands and returns the tables that are read, in order.
  virtual Result<std::vector<TableSource>> sources_of(std::vector<std::string> operands) = 0;
  /// Makes the query over these sources: all files, or one of them, to find out whether it is
  /// damaged. What the query reads beyond the files is added to kept_.
  virtual Result<Query> make_query(std::span<const OpenedSource> sources) const = 0;
  /// Conditions that rows of a source must fulfil, as far as they are easily told, and the name by
  /// which they qualify columns.
  using Conditions = RowConditions;
  virtual Conditions conditions_of(std::size_t source) const = 0;
  /// The columns that the question can need; by default all.
  virtual NeededColumns needed_columns() const { return {}; }
  /// Whether the same question can be put to a part of the files.
  virtual bool has_one_source() const = 0;

  /// Adds everything to the query that the flags about rows ask for.
  void ask(Query& query) const;
  /// Error kInvalidArgument: standard input is named twice.
  static Status check_standard_input(const std::vector<std::string>& paths);
  /// Refuses a condition whose flag was forgotten, so that it is among the files.
  Status check_no_expression(const std::vector<std::string>& paths) const;

  /// A source of these names, which is read as the flags say.
  TableSource source_of(std::vector<std::string> names) const;

  SelectSettings settings_;
  mutable std::vector<std::shared_ptr<const void>> kept_;

 private:
  /// Reports the problem with the name of the file it is about; returns the exit status.
  int fail(const Error& problem) const;
  /// The name of the file that the error is about.
  std::string blamed_file(const Error& problem) const;
  /// Reads the input again; called only after damage was found.
  bool is_blamed(const SelectInput& input, const Error& problem) const;
  /// Finds the files of all sources; reports what is not found.
  bool find_all_files();
  /// Opens all inputs, or reports the first that fails.
  bool open_inputs();
  /// Opens a file; nullptr, with a message, if that fails.
  static std::unique_ptr<SelectInput> open_input(const std::string& path,
                                                 const SelectInputOptions& options);
  /// Loads texts again whose columns have to have another type than was found out.
  bool load_alike(const SelectInputOptions& options);
  /// All sources with their inputs.
  std::vector<OpenedSource> opened_sources() const;
  /// Whether a GPU has the strategies that were asked for; reports it if not.
  bool check_strategies() const;
  /// Chooses CPU or GPU for the query; false, with a message, where the GPU was asked for and
  /// fails.
  bool open_device(PreparedQuery& query);
  /// Answers on the CPU.
  void use_cpu(PreparedQuery& query);
  /// The rows of all tables.
  std::uint64_t rows() const;
  /// The bytes of all files, as they are stored.
  std::uint64_t stored_bytes() const;
  /// How plain text is to be loaded.
  SelectInputOptions input_options() const;
  /// Prints the columns' names, for completion.
  int list_columns() const;
  /// Prints the plan.
  int explain(const PreparedQuery& query) const;
  /// Opens the output and writes the answer to it.
  int write_answer(const PreparedQuery& query, const AnswerOptions& options) const;

  // The tables refer to the inputs' bytes, so these live as long as the command.
  SelectInputs inputs_;
  std::vector<TableSource> sources_;  ///< their files are those of inputs_, in order
  AutoDevice device_choice_;          ///< with --device=auto
};

}  // namespace presso::cli
