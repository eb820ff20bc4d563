// SPDX-License-Identifier: MIT
// What compress and decompress both do with each file: decide where the output goes, refuse what
// would destroy data, and finish or drop the output. Tested by tests/cli/test_failures.py.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/io/flags_files.h"
#include "tools/io/input_file.h"
#include "tools/io/output_file.h"

namespace presso::cli {

/// The inputs that `operands` name, or standard input if there are none. Usage errors: nothing is
/// given and standard input is a terminal; one output is named for several inputs.
Result<std::vector<std::string>> job_inputs(std::vector<std::string> operands,
                                            const FileOptions& options);

/// An output that a command asks for.
struct OutputRequest {
  std::string path;     ///< empty: standard output
  bool binary = false;  ///< so it is not written to a terminal
  bool sparse = false;
};

/// Whether writing to `path` (empty: standard output) would write into the file that is read.
bool is_input_itself(const InputFile& input, const std::string& path);

/// Opens the output, or reports why not and returns nullopt. Asks before overwriting if somebody is
/// there to answer.
std::optional<OutputFile> open_output(const OutputRequest& request, const FileOptions& options);

/// Opens the output of `input`, and refuses if it is the input itself.
std::optional<OutputFile> open_output(const InputFile& input, const OutputRequest& request,
                                      const FileOptions& options);

/// Reports a failed run. It blames the output if its sink failed, otherwise `input_name`. A closed
/// pipe is no failure if `pipe_may_close`, and a silent one otherwise.
void report_failure(const std::string& input_name, const Error& problem, OutputFile& output,
                    bool pipe_may_close);

/// Commits `output` and removes the input if that was asked for. Returns false after reporting an
/// error.
bool finish_output(const std::string& input_name, const InputFile& input, OutputFile& output,
                   const FileAttributes& attributes, const FileOptions& options);

/// The mode, times and owner of `input`, for its output.
FileAttributes attributes_of(const InputFile& input);

}  // namespace presso::cli
