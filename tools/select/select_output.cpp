// SPDX-License-Identifier: MIT
// The form is decided before the query runs, so that a wrong combination costs nothing. Tested by
// tests/cli/test_select.py and tests/cli/test_select_failures.py.
#include "tools/select/select_output.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>

#include "tools/cli/message.h"
#include "tools/cli/terminal_text.h"
#include "tools/compress/file_job.h"

namespace presso::cli {
namespace {

// The endings that decide the format of an output without --format.
struct Ending {
  std::string_view text;
  AnswerFormat format;
};

constexpr Ending kEndings[] = {
    {".csv", AnswerFormat::kCsv},          {".tsv", AnswerFormat::kTsv},
    {".tab", AnswerFormat::kTsv},          {".jsonl", AnswerFormat::kJsonLines},
    {".ndjson", AnswerFormat::kJsonLines}, {".arrows", AnswerFormat::kArrow},
    {".presso", AnswerFormat::kPresso},    {".parquet", AnswerFormat::kParquet},
    {".arrow", AnswerFormat::kArrowFile},  {".feather", AnswerFormat::kArrowFile},
    {".ipc", AnswerFormat::kArrowFile},
};

/// Whoever names such a file expects a form that presso does not write, so the name is refused.
constexpr std::string_view kOtherEndings[] = {".json", ".xlsx", ".gz", ".zst",
                                              ".lz4",  ".zip",  ".db"};

/// The format that the name's ending stands for; CSV where it stands for none. Error:
/// kInvalidArgument for an ending that promises a format that presso does not write.
Result<AnswerFormat> format_of_name(const std::string& path) {
  const std::string_view name(path);
  for (const Ending& ending : kEndings) {
    if (name.ends_with(ending.text)) return ending.format;
  }
  for (const std::string_view other : kOtherEndings) {
    if (!name.ends_with(other)) continue;
    return make_error(ErrorCode::kInvalidArgument,
                      "-o " + path + ": presso does not write " + std::string(other) +
                          " files; it writes .csv, .tsv, .jsonl, .arrow, .arrows (Arrow's "
                          "stream format), .parquet and .presso, or what --format says");
  }
  return AnswerFormat::kCsv;
}

/// Formats that are not written to a terminal without -f.
bool is_binary(AnswerFormat format) {
  return format == AnswerFormat::kArrow || format == AnswerFormat::kArrowFile ||
         format == AnswerFormat::kPresso || format == AnswerFormat::kParquet;
}

/// The columns of the terminal; COLUMNS where it does not tell, else 80.
std::size_t terminal_width() {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* columns = std::getenv("COLUMNS");
  const int given = columns == nullptr ? 0 : std::atoi(columns);
  return given > 0 ? static_cast<std::size_t>(given) : kUsual;
}

}  // namespace

AlignedStyle terminal_style() {
  return {.width = terminal_width(), .colors = terminal_takes_color()};
}

/// The format of the answer: as asked for, else by the output's name, else a table on a terminal
/// and CSV elsewhere. Error: kInvalidArgument where options contradict each other.
Result<AnswerOptions> answer_options(const SelectSettings& settings) {
  const std::string& path = settings.files.output;
  const bool on_terminal = path.empty() && isatty(STDOUT_FILENO) != 0;
  AnswerOptions options;
  if (on_terminal) options.format = AnswerFormat::kTable;
  if (!path.empty() && !settings.format) {
    PRESSO_ASSIGN(options.format, format_of_name(path));
  }
  if (settings.format) options.format = *settings.format;
  // A level without a compressed output is most likely a LIMIT that was mistaken for one.
  if (settings.level != 0 && options.format != AnswerFormat::kPresso) {
    return make_error(ErrorCode::kInvalidArgument,
                      "-" + std::to_string(settings.level) +
                          " is a level of compression, for --format presso or -o NAME.presso; "
                          "--limit (LIMIT in a statement) says how many rows");
  }
  options.header = settings.header;
  options.at_once = on_terminal;
  // Only a terminal has a width and colours; a pipe gets all columns in full.
  if (on_terminal) options.aligned = terminal_style();
  if (on_terminal && !settings.limit) options.aligned.most_rows = kTerminalRows;
  options.level = settings.level;
  options.threads = settings.query.threads;
  return options;
}

/// Opens the output. Reports and refuses an output that is one of the inputs. Reading would
/// otherwise see what is being written.
std::optional<OutputFile> open_answer(const SelectSettings& settings, const SelectInputs& inputs,
                                      AnswerFormat format) {
  const std::string& path = settings.files.output;
  for (const auto& input : inputs) {
    if (!is_input_itself(input->file(), path)) continue;
    error(path.empty() ? "standard output" : path, "is an input itself; not written");
    return std::nullopt;
  }
  return open_output({.path = path, .binary = is_binary(format)}, settings.files);
}

}  // namespace presso::cli
