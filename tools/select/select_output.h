// SPDX-License-Identifier: MIT
// Decides where an answer goes and in which form, from the flags, the output's name and the
// terminal. Tested by tests/cli/test_select.py.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "tools/io/output_file.h"
#include "tools/select/answer_sink.h"
#include "tools/select/select_input.h"
#include "tools/select/select_settings.h"

namespace presso::cli {

/// How many rows of a longer answer a terminal shows, as in DuckDB's command.
constexpr std::size_t kTerminalRows = 40;

/// The looks of a table on standard output, which is a terminal; `most_rows` is not set.
AlignedStyle terminal_style();

/// The form of the answer, and its looks. Error kInvalidArgument: the name of an output whose form
/// presso does not write, or flags that do not go together.
Result<AnswerOptions> answer_options(const SelectSettings& settings);

using SelectInputs = std::vector<std::unique_ptr<SelectInput>>;

/// Opens the output, or reports why not and returns nullopt.
std::optional<OutputFile> open_answer(const SelectSettings& settings, const SelectInputs& inputs,
                                      AnswerFormat format);

}  // namespace presso::cli
