// SPDX-License-Identifier: MIT
// What the three commands share: files are opened, the query is prepared, the device is chosen, and
// the answer is written. A damaged file is searched for only after an error, since that reads files
// again. Tested by tests/cli/test_select.py, tests/cli/test_select_failures.py and
// tests/cli/test_device.py.
#include "tools/select/query_command.h"

#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "presso/stopwatch.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/cli/terminal_text.h"
#include "tools/compress/file_job.h"
#include "tools/device/calibrate.h"
#include "tools/device/gpu.h"
#include "tools/device/query_rates.h"
#include "tools/io/file_sink.h"
#include "tools/select/table_files.h"

namespace presso::cli {
namespace {

/// Files that can be open at the same time under any usual limit.
constexpr std::size_t kFilesOfAnyLimit = 200;

/// With -v: a line about what the query has read and how long it took.
void describe(const QuerySummary& summary, double seconds) {
  std::string text = grouped(summary.rows) + (summary.rows == 1 ? " row of " : " rows of ") +
                     grouped(summary.rows_in) + "; ";
  if (summary.groups > 0) text += grouped(summary.groups) + " groups; ";
  text += grouped(summary.bytes_read) + " of " + grouped(summary.bytes_stored) +
          " stored bytes read, " + grouped(summary.blocks_skipped) + " of " +
          grouped(summary.blocks_skipped + summary.blocks_read) + " blocks skipped, ";
  if (!summary.device.empty()) text += summary.on_device + " on " + summary.device + ", ";
  if (!summary.why_cpu.empty()) text += "the rest on the CPU: " + summary.why_cpu + ", ";
  if (summary.spilled_bytes > 0) {
    text += grouped(summary.spilled_bytes) + " bytes through temporary files, ";
  }
  verbose("", text + decimal_text(seconds, 3) + " s");
}

/// Whether there is something of that name; standard input always is.
bool exists(const std::string& path) {
  struct stat about {};
  return path == kStandardInput || stat(path.c_str(), &about) == 0;
}

/// A hint at a file whose name begins like the one that was not found, since people write a table's
/// name as they would for a database.
std::string meant_file(const std::string& path) {
  for (const char* const ending : {".presso", ".csv.presso", ".csv", ".jsonl.presso", ".jsonl",
                                   ".tsv.presso", ".tsv", ".tbl.presso", ".tbl", ".csv.gz"}) {
    if (exists(path + ending)) return "; did you mean '" + path + ending + "'?";
  }
  return "";
}

/// Takes an answer and drops it.
class NoAnswer final : public ResultSink {
 public:
  // It takes every batch, so that all of the file is read.
  Result<bool> write(ResultBatch, Buffer) override { return true; }
};

}  // namespace

/// The order matters: what is wrong with the command line is found before files are opened, and the
/// query is prepared before the output is opened, so that a mistake replaces no file.
Result<int> QueryCommand::run(std::vector<std::string> operands) {
  // These two find mistakes of the command line before a file is opened.
  PRESSO_ASSIGN(sources_, sources_of(std::move(operands)));
  PRESSO_ASSIGN(const AnswerOptions answer, answer_options(settings_));
  if (settings_.list_columns) return list_columns();
  if (!find_all_files() || !open_inputs()) return exit_status();
  const Result<Query> query = make_query(opened_sources());
  if (!query.ok()) return fail(query.error());
  // The rates that earlier runs and calibration measured on this machine; planning uses them.
  settings_.query.rates = query_rates(MeasurementStore::of_user(), stored_bytes());
  if (settings_.device.device != DeviceFlags::Device::kCpu) {
    settings_.query.gpu_rates = known_gpu_query_rates(MeasurementStore::of_user());
  }
  Result<PreparedQuery> prepared = query->prepare(settings_.query);
  if (!prepared.ok()) return fail(prepared.error());
  for (const std::string& text : prepared->warnings()) warning("", text);
  if (!open_device(*prepared)) return exit_status();
  if (settings_.explain != Explain::kNo) return explain(*prepared);
  return write_answer(*prepared, answer);
}

/// After this the command ends; nothing has been written under the output's name.
int QueryCommand::fail(const Error& problem) const {
  error(blamed_file(problem), problem);
  return exit_status();
}

/// The name of the file that is damaged; empty if not a file but the question is to blame.
std::string QueryCommand::blamed_file(const Error& problem) const {
  if (!is_damage(problem.code)) return "";
  if (inputs_.size() == 1) return inputs_.front()->name();
  for (const auto& input : inputs_) {
    if (is_blamed(*input, problem)) return input->name();
  }
  return "";
}

/// Whether this file is the damaged one among several: the same question to it alone fails in the
/// same way or, if files are joined, one of its columns cannot be read.
bool QueryCommand::is_blamed(const SelectInput& input, const Error& problem) const {
  const auto is_same = [&](const Error& found) {
    return found.code == problem.code && found.byte_offset == problem.byte_offset;
  };
  // The rows of several files are one table here, so the question is put to this file alone.
  if (has_one_source()) {
    const auto place = std::find_if(inputs_.begin(), inputs_.end(),
                                    [&](const auto& other) { return other.get() == &input; });
    const OpenedSource alone{sources_.data(), {&*place, 1}};
    const Result<Query> query = make_query({&alone, 1});
    if (!query.ok()) return false;
    const auto explained = query->explain(settings_.query, true);
    return !explained.ok() && is_same(explained.error());
  }
  // Joined files are read column by column, since the question makes no sense for one of them.
  for (const ColumnSchema& column : input.table().schema().columns) {
    Query query = Query::from(input.table());
    query.select({NamedExpression{presso::column(column.name), column.name}});
    NoAnswer sink;
    const auto read = query.run(settings_.query, sink);
    if (!read.ok() && is_same(read.error())) return true;
  }
  return false;
}

Status QueryCommand::check_standard_input(const std::vector<std::string>& paths) {
  if (std::count(paths.begin(), paths.end(), kStandardInput) <= 1) return {};
  return make_error(ErrorCode::kInvalidArgument, "standard input can be read once only");
}

/// Takes an operand that looks like a condition for a mistake and says how conditions are given.
Status QueryCommand::check_no_expression(const std::vector<std::string>& paths) const {
  for (const std::string& path : paths) {
    const bool finds = is_pattern(path) && files_of_name(path).ok();
    if (finds || exists(path) || path.find_first_of(" <>='") == path.npos) continue;
    return make_error(ErrorCode::kInvalidArgument,
                      "'" + path +
                          "' is not a file; conditions are given with --where, columns with " +
                          (has_one_source() ? "--columns" : "--columns, what is equal with --on"));
  }
  return {};
}

/// The settings that loading a text needs.
SelectInputOptions QueryCommand::input_options() const {
  return {&settings_.text,
          settings_.query.threads,
          settings_.files.progress,
          settings_.list_columns,
          needed_columns(),
          nullptr,
          nullptr,
          {}};
}

TableSource QueryCommand::source_of(std::vector<std::string> names) const {
  TableSource source;
  source.names = std::move(names);
  source.text = settings_.text;
  source.set = settings_.set;
  return source;
}

bool QueryCommand::find_all_files() {
  std::size_t files = 0;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    TableSource& source = sources_[i];
    const Status found = find_files(source);
    if (!found.ok()) {
      error("", found.error());
      return false;
    }
    files += source.paths.size();
    const Conditions asked = conditions_of(i);
    auto ruled_out = files_ruled_out(source, asked.alias, asked.conditions);
    // Any error comes again, with its file, when the tables are made.
    source.ruled_out =
        ruled_out.ok() ? *std::move(ruled_out) : std::vector<bool>(source.paths.size());
  }
  // Each file stays open; the limit of most systems, 1,024, is one that any process may raise.
  rlimit limit{};
  if (files > kFilesOfAnyLimit && getrlimit(RLIMIT_NOFILE, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_NOFILE, &limit);
  }
  return true;
}

std::vector<OpenedSource> QueryCommand::opened_sources() const {
  std::vector<OpenedSource> opened;
  std::size_t first = 0;
  for (const TableSource& source : sources_) {
    opened.push_back({&source, std::span(inputs_).subspan(first, source.paths.size())});
    first += source.paths.size();
  }
  return opened;
}

std::unique_ptr<SelectInput> QueryCommand::open_input(const std::string& path,
                                                      const SelectInputOptions& options) {
  auto input = SelectInput::open(path, options);
  if (input.ok()) return std::move(*input);
  Error problem = input.error();
  if (!exists(path)) problem.what += meant_file(path);
  error(shown_name(path), problem);
  return nullptr;
}

/// A text has the common type from the beginning, so that what becomes text stays as it stood.
bool QueryCommand::load_alike(const SelectInputOptions& options) {
  std::size_t number = 0;
  for (const OpenedSource& source : opened_sources()) {
    const auto types = types_to_load(source);
    if (!types.ok()) {
      error("", types.error());
      return false;
    }
    for (std::size_t i = 0; i < types->size(); ++i) {
      const std::vector<ColumnSchema>& of_file = (*types)[i];
      std::unique_ptr<SelectInput>& input = inputs_[number++];
      if (of_file.empty()) continue;
      SelectInputOptions again = options;
      again.text = &source.about->text;
      again.names_only = source.about->ruled_out[i];
      again.types = of_file;
      // A text that cannot be read so is converted when the tables are made.
      auto loaded = SelectInput::open(input->path(), again);
      if (loaded.ok()) input = std::move(*loaded);
    }
  }
  return true;
}

/// Opens all files. Reports the first one that cannot be opened and returns false. The bad rows of
/// all of them go to one file.
bool QueryCommand::open_inputs() {
  SelectInputOptions options = input_options();
  const std::string& name = settings_.text.bad_rows;
  std::optional<OutputFile> bad_rows =
      name.empty() ? std::nullopt : open_output({.path = name}, settings_.files);
  if (!name.empty() && !bad_rows) return false;
  if (bad_rows) options.bad_rows = &bad_rows->sink();
  for (std::size_t number = 0; number < sources_.size(); ++number) {
    const TableSource& source = sources_[number];
    Conditions conditions = conditions_of(number);
    conditions.hidden = added_names(source);
    options.conditions = &conditions;
    options.text = &source.text;
    for (std::size_t i = 0; i < source.paths.size(); ++i) {
      options.names_only = source.ruled_out[i];
      auto input = open_input(source.paths[i], options);
      if (input == nullptr) return false;
      inputs_.push_back(std::move(input));
    }
  }
  options.conditions = nullptr;
  if (!load_alike(options)) return false;
  const Status done = bad_rows ? bad_rows->commit({}) : Status();
  if (!done.ok()) error(name, done.error());
  return done.ok();
}

/// Whether a GPU has the strategies that were asked for; it has none for groups. Reports it if not.
bool QueryCommand::check_strategies() const {
  // With --device=gpu a strategy of groups is an error and not ignored: the user wants to measure
  // it.
  if (settings_.query.group_strategy == GroupStrategy::kAuto) return true;
  error("--group-strategy",
        make_error(ErrorCode::kInvalidArgument,
                   "strategies of groups are the CPU's, a GPU numbers groups whose keys lie close "
                   "together, and finds others in a table of keys; leave it out, or take "
                   "--device=cpu or --device=auto"));
  return false;
}

/// Opens the device of the query. The choice is set in the settings, too, for the search for a
/// damaged file. Returns false after reporting an error.
bool QueryCommand::open_device(PreparedQuery& query) {
  if (settings_.device.device == DeviceFlags::Device::kCpu) return true;
  const bool is_auto = settings_.device.device == DeviceFlags::Device::kAuto;
  if (!is_auto && !check_strategies()) return false;
  // With --device=auto the CPU answers where no GPU can be used. With --device=gpu that is an
  // error.
  if (is_auto) {
    device_choice_ =
        choose_device(query, settings_.query, rows(), stored_bytes(), settings_.device.code_cache);
    verbose("", "auto: " + device_choice_.text);
    if (!device_choice_.is_gpu) use_cpu(query);
    if (!device_choice_.is_gpu || settings_.explain == Explain::kPlan) return true;
  }
  auto device = open_gpu_queries({0, settings_.device.max_device_bytes,
                                  settings_.device.max_pinned_bytes, settings_.device.code_cache});
  if (device.ok()) {
    settings_.query.device = std::move(*device);
    settings_.query.cpu_fallback = is_auto;
    query.use_device(settings_.query.device, is_auto);
    return true;
  }
  if (is_auto) {
    device_choice_.text = "the CPU: the GPU cannot be opened: " + device.error().text();
    verbose("", "auto: " + device_choice_.text);
    use_cpu(query);
    return true;
  }
  error("--device=gpu", device.error());
  return false;
}

/// Without rates the planner does not consider a GPU again.
void QueryCommand::use_cpu(PreparedQuery& query) {
  settings_.query.gpu_rates.reset();
  query.use_cpu();
}

/// Passes the flags' texts on to the query, which parses them.
void QueryCommand::ask(Query& query) const {
  for (const std::string& condition : settings_.where) query.where(condition);
  if (!settings_.columns.empty()) query.select(settings_.columns);
  if (!settings_.group_by.empty()) query.group_by(settings_.group_by);
  if (!settings_.aggregates.empty()) query.aggregate(settings_.aggregates);
  for (const std::string& condition : settings_.having) query.having(condition);
  if (!settings_.order_by.empty()) query.order_by(settings_.order_by);
  if (settings_.limit || settings_.offset > 0) {
    query.limit(settings_.limit.value_or(UINT64_MAX), settings_.offset);
  }
}

/// The rows of all inputs, as their indexes say.
std::uint64_t QueryCommand::rows() const {
  return std::accumulate(
      inputs_.begin(), inputs_.end(), std::uint64_t{0},
      [](std::uint64_t sum, const auto& input) { return sum + input->table().rows(); });
}

std::uint64_t QueryCommand::stored_bytes() const {
  return std::accumulate(
      inputs_.begin(), inputs_.end(), std::uint64_t{0},
      [](std::uint64_t sum, const auto& input) { return sum + input->stored_bytes(); });
}

/// Prints the names of columns for shells. Names that a shell would expand are left out, since they
/// are put on the command line as they are. Files that have no columns, or no name yet, are passed
/// over without a word.
int QueryCommand::list_columns() const {
  std::string names;
  std::set<std::string> listed;
  std::vector<std::string> paths;
  for (TableSource source : sources_) {
    if (find_files(source).ok())
      paths.insert(paths.end(), source.paths.begin(), source.paths.end());
  }
  for (const std::string& path : paths) {
    // A file that cannot be opened has no columns to offer; completion must not print errors.
    const auto input = SelectInput::open(path, input_options());
    if (!input.ok()) continue;
    for (const ColumnSchema& column : (*input)->table().schema().columns) {
      const bool plain = std::all_of(column.name.begin(), column.name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
      });
      if (plain && listed.insert(column.name).second) names += column.name + "\n";
    }
  }
  return print_output(names);
}

/// Prints the plan of the query, and with analyze what really happened.
int QueryCommand::explain(const PreparedQuery& query) const {
  const Result<std::string> told = query.explain(settings_.explain != Explain::kPlan);
  if (!told.ok()) return fail(told.error());
  // Names of columns are whatever a file says.
  std::string text = terminal_lines(*told);
  if (!text.ends_with('\n')) text += '\n';
  if (device_choice_.is_predicted) text += "device: " + device_choice_.text + "\n";
  return print_output(text);
}

/// Runs the query and writes its answer. The exit status tells whether there were rows.
int QueryCommand::write_answer(const PreparedQuery& query, const AnswerOptions& options) const {
  remove_unfinished_files_on_signals();  // before there is a file that could be left
  // From here on there may be a temporary file, which every return below removes unless commit()
  // was reached.
  std::optional<OutputFile> output = open_answer(settings_, inputs_, options.format);
  if (!output) return exit_status();
  const std::unique_ptr<AnswerSink> sink = make_answer_sink(options, output->sink());
  const Stopwatch time;
  const Result<QuerySummary> summary = query.run(*sink);
  Status done = summary.ok() ? sink->finish(summary->rows) : Status(summary.error());
  if (!done.ok()) {
    // A failed output is no fault of an input, so no file is searched for.
    const bool of_output = output->sink().failed();
    report_failure(of_output ? "" : blamed_file(done.error()), done.error(), *output, true);
    return exit_status();
  }
  done = output->commit({});
  if (!done.ok()) {
    error(output->name(), done.error());
    return exit_status();
  }
  if (!summary->device.empty() && settings_.device.code_cache) note_gpu_query(query.shape());
  describe(*summary, time.seconds());
  return summary->rows == 0 ? kNoMatch : kSuccess;
}

}  // namespace presso::cli
