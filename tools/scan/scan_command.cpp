// SPDX-License-Identifier: MIT
// presso scan: searches plain and compressed files as ripgrep does. This file goes from file to
// file and keeps count. Which meaning the flags have together is decided by scan_plan.h, the
// library finds matches (presso/scan.h), and scan_printer.h and scan_json.h print them. Tested by
// tests/cli/test_scan.py and, against ripgrep itself, by scan_against_rg.py. One thread goes from
// file to file; the library uses several within a file. Memory does not grow with the output, which
// is written as it comes. Errors of a file are reported in its place and do not stop the command.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <functional>

#include "presso/scan.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/decompress/damage.h"
#include "tools/io/output.h"
#include "tools/scan/commands.h"
#include "tools/scan/scan_counts.h"
#include "tools/scan/scan_device.h"
#include "tools/scan/scan_explain.h"
#include "tools/scan/scan_input.h"
#include "tools/scan/scan_json.h"
#include "tools/scan/scan_order.h"
#include "tools/scan/scan_patterns.h"
#include "tools/scan/scan_plan.h"
#include "tools/scan/scan_report.h"
#include "tools/scan/scan_settings.h"
#include "tools/scan/scan_statistics.h"

namespace presso::cli {
namespace {

const CommandInfo kInfo = {
    .name = "scan",
    .summary = "search compressed and plain files for lines that match",
    // The description and the examples are the help page, and tests/cli/test_frame.py runs the
    // examples.
    .operands = "PATTERN [PATH... | -]",
    .description =
        "Prints the lines that hold PATTERN, with ripgrep's options, output and exit status. Files "
        "made by 'presso compress' are recognised by their content, decoded and searched block by "
        "block on all cores; .gz, .zst and .lz4 files are decoded in passing; anything else is "
        "searched as it is. Directories are searched recursively in the order of their names; "
        "hidden files and symbolic links in them are left out. Without PATH standard input is "
        "searched, or the current directory where standard "
        "input is a terminal.\n\n"
        "A PATTERN is a regular expression in RE2's syntax as ripgrep reads it, with -F a fixed "
        "string, with --like one of SQL's patterns. It is looked for in lines: without "
        "--multiline no match holds a line feed.",
    .examples = {{"presso scan 'time(out|r)' app.log.presso", "print the lines that match"},
                 {"presso scan -F '[error]' app.log.presso", "print the lines with [error]"},
                 {"presso scan -c timeout *.presso", "count lines in each file"},
                 {"presso scan -n -e WARN -e ERROR app.log", "several patterns, line numbers"},
                 {"presso scan -C3 --and disk error *.presso", "lines with both, in context"},
                 {"presso scan --json -g '*.gz' panic logs/", "JSON Lines, only of some files"},
                 {"presso scan --where 'ms > 500' app.log.presso", "by fields of JSON or logfmt"},
                 {"presso scan --record indent ERROR app.log", "with the indented lines below"},
                 {"presso scan -q panic logs/ && echo found", "ask by exit status"}},
    .exit_status =
        "0 if a line was selected, 1 if none was, 2 on errors, also when lines were selected "
        "(but 0 with -q and a match).",
    .config_variable = "PRESSO_CONFIG_PATH",
};

constexpr std::string_view kStdinName = "<stdin>";

/// Opens /dev/null in place of a standard input that is closed, which makes it empty, as for
/// ripgrep; and no file that is opened later gets its number.
void open_closed_stdin() {
  if (fcntl(STDIN_FILENO, F_GETFD) >= 0) return;
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || nothing == STDIN_FILENO) return;
  dup2(nothing, STDIN_FILENO);
  close(nothing);
}

/// The command. Files are searched one after another, each on all threads. The members are made in
/// the order in which run() needs them; before that they are empty.
class ScanCommand final : public Command {
 public:
  const CommandInfo& info() const override { return kInfo; }
  std::vector<Flag> flags() override { return scan_flags(settings_); }
  Result<int> run(std::vector<std::string> operands) override;

 private:
  // The steps of run().
  Status read_ignore_files();
  int list_types();
  Result<int> list_files(std::vector<std::string> operands);
  void open_output();
  void flush_output();
  // Searching, from all paths down to one open file.
  void scan_all();
  using OnFile = std::function<bool(FileToScan)>;
  void for_each_file(const OnFile& on_file);
  void find_files(const std::string& path, const OnFile& on_file);
  void scan_file(const FileToScan& file);
  void scan_input(int fd, const std::string& name, Origin origin);
  void show_result(const FileResult& result);
  void finish();

  /// Reports a problem of one file and remembers it for the exit status.
  void complain(const std::string& path, const std::string& text);
  /// Whether nothing more is to be searched: a limit was reached, or nobody reads the output.
  bool done() const { return stop_ || lines_left_ == 0 || !output_->usable(); }
  /// The exit status; to be called last.
  int status() const;

  ScanSettings settings_;
  std::optional<ScanPlan> plan_;
  std::optional<Pattern> pattern_;
  std::optional<TimeWindow> times_;
  std::optional<FirstLineTimes> line_times_;  ///< for --sort=time
  std::optional<RecordRule> records_;
  std::optional<ScanDevice> device_;
  std::optional<Output> output_;
  std::optional<ScanPrinter> printer_;
  std::optional<ScanJson> json_;
  std::optional<ScanCounts> counts_;
  ScanSink* sink_ = nullptr;
  ScanStatistics statistics_;
  std::uint64_t lines_left_ = kNoLimit;  ///< of --max-total
  std::uint64_t total_ = 0;              ///< for --count-total
  bool matched_ = false;
  bool failed_ = false;
  bool stop_ = false;
};

/// The pattern is the first operand unless -e or -f gave one. What is wrong with the pattern or the
/// device is reported before any file is opened.
Result<int> ScanCommand::run(std::vector<std::string> operands) {
  // This comes first, since files that are opened later would otherwise get the number 0.
  open_closed_stdin();
  PRESSO_TRY(settings_.walk.types.settle());
  if (settings_.type_list) return list_types();
  if (settings_.order.key == FileOrder::Key::kLines) {
    PRESSO_ASSIGN(line_times_, FirstLineTimes::make(settings_));
  }
  if (settings_.list_files) return list_files(std::move(operands));
  if (settings_.patterns.empty() && !settings_.where.empty()) {
    // The whole line is the match, and colour would only hide what is in it.
    settings_.colors.match = {};
  } else if (settings_.patterns.empty()) {
    if (operands.empty()) return make_error(ErrorCode::kInvalidArgument, "no pattern given");
    settings_.patterns.push_back({operands.front(), false});
    operands.erase(operands.begin());
  }
  PRESSO_TRY(ScanPlan::check(settings_));
  PRESSO_TRY(read_ignore_files());
  // A bad pattern is reported without the hint to --help, as its own text shows the place.
  Result<Pattern> pattern = compile_patterns(settings_);
  if (!pattern.ok()) {
    error("", pattern.error().what);
    return kFailure;
  }
  pattern_ = std::move(*pattern);
  device_.emplace(settings_, *pattern_);
  const Status started = device_->start();
  if (!started.ok()) {
    error("--device=gpu", started.error());
    return kFailure;
  }
  TimeWindow window;
  if (settings_.uses_times() || settings_.record == RecordRule::Kind::kTime) {
    PRESSO_ASSIGN(window, time_window(settings_.times));
  }
  if (settings_.uses_times()) times_ = window;
  Result<std::optional<RecordRule>> records = compile_records(settings_, window);
  if (!records.ok()) {
    error("", records.error().what);
    return kFailure;
  }
  records_ = std::move(*records);
  plan_.emplace(settings_, std::move(operands), pattern_->spans_lines());
  lines_left_ = settings_.max_total.value_or(kNoLimit);
  open_output();
  if (settings_.groups()) {
    PRESSO_ASSIGN(ScanCounts counts, ScanCounts::make(settings_, *pattern_, *output_));
    sink_ = &counts_.emplace(std::move(counts));
  }
  if (settings_.explain) explain_plan(settings_, *plan_, *pattern_);
  // With --max-count=0 nothing can be selected, so no file is opened, as in ripgrep.
  if (settings_.max_count != 0u) scan_all();
  finish();
  return status();
}

/// Prints the file types in place of a search.
int ScanCommand::list_types() {
  output_.emplace(false);
  output_->write(settings_.walk.types.list());
  flush_output();
  return kSuccess;
}

/// Prints the names of the files in place of a search, as ripgrep does with --files.
Result<int> ScanCommand::list_files(std::vector<std::string> operands) {
  PRESSO_TRY(ScanPlan::check(settings_));
  PRESSO_TRY(read_ignore_files());
  PRESSO_ASSIGN(pattern_, Pattern::compile_literals({""}));
  plan_.emplace(settings_, std::move(operands), false);
  open_output();
  for_each_file([this](const FileToScan& file) {
    const bool is_stdin = file.origin == Origin::kStdin;
    if (file.origin == Origin::kNamed && access(file.path.c_str(), F_OK) != 0) {
      complain(file.path, std::strerror(errno));
      return true;
    }
    matched_ = true;
    if (settings_.quiet) return false;
    printer_->begin_file(is_stdin ? std::string(kStdinName) : file.path);
    printer_->path_line();
    return output_->usable();
  });
  flush_output();
  return status();
}

/// Reads the files of --ignore-file. A bad line is an error, since files would be searched that
/// nobody wanted to be.
Status ScanCommand::read_ignore_files() {
  if (settings_.no_ignore_files) return {};
  for (const std::string& path : settings_.ignore_files) {
    PRESSO_ASSIGN(IgnoreFile file, IgnoreFile::read(path, settings_.ignore_files_ignore_case));
    settings_.walk.ignore_files.push_back(std::move(file));
  }
  return {};
}

/// Chooses between text and JSON.
void ScanCommand::open_output() {
  output_.emplace(plan_->line_buffered());
  printer_.emplace(plan_->print_options(), *pattern_, *output_);
  sink_ = &*printer_;
  if (settings_.json) {
    json_.emplace(*output_);
    sink_ = &*json_;
  }
}

/// Writes out what has gathered, and reports if that is not possible.
void ScanCommand::flush_output() {
  output_->flush();
  if (output_->failure() != 0) {
    error("standard output", errno_error("write", output_->failure()));
  }
}

/// Prints what comes after all files: totals, figures, the JSON summary. It is also reached after
/// an error, so that figures and summary are complete.
void ScanCommand::finish() {
  if (counts_) counts_->print(isatty(STDOUT_FILENO) != 0);
  if (settings_.count_total && !settings_.quiet) {
    output_->write_number(total_);
    output_->write(plan_->print_options().line.line_end);
  }
  if (json_) {
    if (!settings_.quiet) json_->summary(statistics_);
  } else if (settings_.statistics) {
    statistics_.print(*output_);
  }
  // The last piece of output goes out before the figures on stderr, which belong after it.
  flush_output();
  if (settings_.explain) explain_rates(statistics_);
}

// --- What is searched ---------------------------------------------------------------------------

/// Searches the files until the limit is reached.
void ScanCommand::scan_all() {
  if (done()) return;
  for_each_file([this](const FileToScan& file) {
    scan_file(file);
    return !done();
  });
}

/// Passes on all files in the order that was asked for, until `on_file` returns false. Where that
/// is not the order in which they are found, all names are in memory first.
void ScanCommand::for_each_file(const OnFile& on_file) {
  const bool sorts = !settings_.order.is_as_found();
  std::vector<FileToScan> files;
  bool goes_on = true;
  for (const std::string& path : plan_->paths()) {
    find_files(path, [&](FileToScan file) {
      if (sorts) {
        files.push_back(std::move(file));
      } else {
        goes_on = on_file(std::move(file));
      }
      return goes_on;
    });
    if (!goes_on) return;
  }
  if (!sorts) return;
  const FirstLineTimes* const lines = line_times_ ? &*line_times_ : nullptr;
  if (const auto untimed = sort_files(files, settings_.order, lines)) {
    warning(untimed->path, untimed->why);
  }
  for (FileToScan& file : files) {
    if (!on_file(std::move(file))) return;
  }
}

/// Passes on a path that is a file, or the files below a directory. `on_file` returns false to
/// stop. A file that was named is treated differently from one that was found: see
/// ScanPlan::rule_for().
void ScanCommand::find_files(const std::string& path, const OnFile& on_file) {
  if (path == "-") {
    on_file({path, Origin::kStdin});
  } else if (!is_directory(path)) {
    on_file({path, Origin::kNamed});
  } else {
    Walk(
        settings_.walk,
        [&](const std::string& file) {
          return on_file({file, Origin::kFound});
        },
        [this](const std::string& file, const std::string& text) { complain(file, text); })
        .run(path, plan_->default_path() && path == ".");
  }
}

/// Opens one file and searches it; reports where it cannot be opened. Standard input is searched
/// under ripgrep's name for it.
void ScanCommand::scan_file(const FileToScan& file) {
  if (file.origin == Origin::kStdin) {
    return scan_input(STDIN_FILENO, std::string(kStdinName), file.origin);
  }
  const int fd = open(file.path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return complain(file.path, std::strerror(errno));
  scan_input(fd, file.path, file.origin);
  close(fd);
}

/// Searches one open file: chooses the options, runs the search on the device and shows the result.
/// Errors of a file are reported and the next one is searched. Text and errors of a file come in
/// this order: what opening it finds, its lines, its damage as it is met, and at last what cut it
/// short.
void ScanCommand::scan_input(int fd, const std::string& name, Origin origin) {
  Result<ScanInput> input = ScanInput::open(fd, origin == Origin::kStdin, settings_, name);
  if (!input.ok()) return complain(name, input.error().text());
  const BinaryRule rule = plan_->rule_for(origin);
  ScanOptions options = plan_->scan_options(rule, lines_left_);
  options.times = times_;
  options.records = records_;
  if (counts_) {
    options.matches = !settings_.count_by.empty();
    options.line_numbers = false;
    options.lines_after_nul = true;
  }
  struct stat status = {};
  const bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
  std::optional<TimeWindow> no_window;
  for (auto* window : {&options.times, records_ ? &options.records->times : &no_window}) {
    if (!*window || settings_.times.year || !is_file) continue;
    (*window)->latest = latest_of(status);
  }
  // A small file is searched faster than threads start.
  if (input->small()) options.threads = 1;
  options.which_pattern = settings_.json && pattern_->count() > 1;
  // Damage does not end the search unless --fail-fast says so; what is lost is reported with its
  // place in the plain text.
  BlocksWithoutDictionary lacking;
  options.on_damage = [&](const DamagedBlock& damage) {
    if (lacking.take(damage.error, damage.plain_bytes)) return;
    MissingPlain missing{damage.plain_offset, damage.plain_bytes};
    if (!loses_plain_content(damage.error, damage.lost_blocks)) missing.offset.reset();
    complain(name, damage_text(damage.error, missing, "not searched"));
  };
  ScanProgress progress(settings_, *plan_, name, input->plain_size());
  options.on_progress = progress.callback();
  options.on_bad_index = [&](const Error& damage) {
    warning(name, "the search index is damaged, all blocks are read: " + damage.message());
  };
  // Without a callback the library only counts, which spares it the copy of lines.
  LineCallback on_line;
  if (!plan_->counts_only()) {
    on_line = [&](const MatchedLine& line) {
      sink_->line(line);
      return output_->usable();
    };
  }
  std::optional<FileExplanation> explanation;
  if (settings_.explain) explanation.emplace(*pattern_, options, name).before(*input);
  sink_->begin_file(name);
  const auto start = std::chrono::steady_clock::now();
  const Result<ScanSummary> summary = device_->scan(name, *input, options, on_line);
  progress.done();
  if (settings_.explain) inform(name, "searched " + device_->where());
  // The text before an error has been searched and printed by now.
  if (lacking.blocks != 0) complain(name, lacking.text("not searched"));
  if (!summary.ok()) {
    return complain(name, scan_error_text(summary.error(), *pattern_, options));
  }
  if (input->cut_short()) complain(name, input->cut_short()->text());
  FileResult result{*summary, rule == BinaryRule::kQuit && summary->binary_offset.has_value(),
                    std::chrono::steady_clock::now() - start};
  if (explanation) explanation->after(result);
  show_result(result);
}

// --- What is shown ------------------------------------------------------------------------------

/// Shows the result of a file in the form that the flags ask for, and keeps the totals.
void ScanCommand::show_result(const FileResult& result) {
  using Listing = ScanSettings::Listing;
  using Counting = ScanSettings::Counting;
  const std::uint64_t lines = result.summary.lines;
  const Counting counting = plan_->counting();
  const bool by_absence = settings_.listing == Listing::kWithoutMatch && !settings_.quiet &&
                          counting == Counting::kNone;
  // -L reverses what counts as a match for the exit status, as in ripgrep 13.
  if (by_absence ? lines == 0 : lines > 0) matched_ = true;
  std::uint64_t printed = 0;
  if (settings_.quiet) {
    stop_ = matched_ && !settings_.statistics;
  } else if (counting != Counting::kNone) {
    const std::uint64_t count = counting == Counting::kMatches ? result.summary.matches : lines;
    if (lines > 0) total_ += count;
    const bool shown = lines > 0 || (settings_.include_zero && !result.quit);
    if (shown && !settings_.count_total) printer_->count(count);
  } else if (settings_.listing != Listing::kNone) {
    const bool listed = (lines > 0) == (settings_.listing == Listing::kWithMatch);
    if (listed && !result.quit) printer_->path_line();
  } else {
    printed = sink_->end_file(result);
  }
  // The summary of JSON counts only files that printed something.
  if (!json_ || json_->printed_file()) statistics_.add(result, printed);
  if (lines_left_ != kNoLimit) lines_left_ -= std::min(lines_left_, result.summary.lines);
}

/// Reports a problem of a file. -q with a match forgives errors, so the status is kept here and not
/// in message.h. Results and messages may go to the same terminal, so results are written out
/// first.
void ScanCommand::complain(const std::string& path, const std::string& text) {
  failed_ = true;
  if (settings_.no_messages) return;
  output_->flush();
  warning(path, text);
}

/// ripgrep's rule: an error outweighs a match, except with -q, whose question has been answered.
int ScanCommand::status() const {
  if (failed_ && !(settings_.quiet && matched_)) return kFailure;
  return matched_ ? kSuccess : kNoMatch;
}

}  // namespace

std::unique_ptr<Command> make_scan_command() {
  return std::make_unique<ScanCommand>();
}

}  // namespace presso::cli
