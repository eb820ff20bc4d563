// SPDX-License-Identifier: MIT
// What commands that ask tables have in common: select, join and sql. They say which tables are
// read and what is asked of them; this opens the tables, answers or explains, keeps the account and
// finds the file that is to blame.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tools/cli/command.h"
#include "tools/select/auto_device.h"
#include "tools/select/select_input.h"
#include "tools/select/select_output.h"
#include "tools/select/select_settings.h"

namespace presso::cli {

class QueryCommand : public Command {
 public:
  Result<int> run(std::vector<std::string> operands) override;

 protected:
  /// What the operands ask for, and which files are read, in turn.
  virtual Result<std::vector<std::string>> files_of(std::vector<std::string> operands) = 0;
  /// `inputs`: of these files, or one of them, to find out whether it is damaged.
  virtual Result<Query> make_query(std::span<const std::unique_ptr<SelectInput>> inputs) const = 0;
  /// Whether a part of the files can be asked the same.
  virtual bool has_one_source() const = 0;

  /// Everything that flags of rows ask for.
  void ask(Query& query) const;
  static Status check_standard_input(const std::vector<std::string>& paths);
  /// Refuses a condition whose flag was forgotten, and which stands among the files.
  Status check_no_expression(const std::vector<std::string>& paths) const;

  SelectSettings settings_;

 private:
  int fail(const Error& problem) const;
  std::string blamed_file(const Error& problem) const;
  bool is_blamed(const SelectInput& input, const Error& problem) const;
  bool open_inputs(const std::vector<std::string>& paths);
  bool check_strategies() const;
  bool open_device(PreparedQuery& query);
  void use_cpu(PreparedQuery& query);
  std::uint64_t rows() const;
  std::uint64_t stored_bytes() const;
  SelectInputOptions input_options() const;
  int list_columns(const std::vector<std::string>& paths) const;
  int explain(const PreparedQuery& query) const;
  int write_answer(const PreparedQuery& query, const AnswerOptions& options) const;

  SelectInputs inputs_;
  AutoDevice device_choice_;  ///< with --device=auto
};

}  // namespace presso::cli
