// SPDX-License-Identifier: MIT
// presso compress: FILE becomes FILE.presso. This file opens and names files, checks that options
// go together and reports; compress_stream() and compress_table() of the library do the work. A
// file that fails is reported and the next one is tried. The output appears under its name when it
// is complete. Tested by tests/cli/test_compress.py and test_table.py. Files are compressed one
// after another, each on all threads; memory does not grow with a file, except that a table holds
// its row groups and a sort its rows up to a limit. An input that is removed (--rm) is on disk in
// its compressed form before.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <limits>

#include "presso/compress.h"
#include "presso/stopwatch.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/columns/load_columns.h"
#include "tools/compress/commands.h"
#include "tools/compress/compress_seconds.h"
#include "tools/compress/file_job.h"
#include "tools/compress/flags_compress.h"
#include "tools/compress/flags_table.h"
#include "tools/compress/table_input.h"
#include "tools/compress/table_report.h"
#include "tools/io/progress.h"
#include "tools/times/time_window.h"

namespace presso::cli {
namespace {

const CommandInfo kInfo = {
    .name = "compress",
    .summary = "compress files so that they can be searched in place",
    .operands = "[FILE... | -]",
    .description =
        "Each FILE becomes FILE.presso; FILE stays. Without FILE, or with -, standard input is "
        "compressed to standard output. Existing files are overwritten only with -f or when you "
        "agree to it on the terminal. Name, time and mode of FILE are stored and restored.\n\n"
        "The output depends on the input and the compression options only, not on -T.",
    .examples = {{"presso compress app.log", "makes app.log.presso, keeps app.log"},
                 {"presso compress -9 --rm *.log", "smaller files; removes the originals"},
                 {"presso compress --index app.log", "with filters for searches of rare strings"},
                 {"presso compress -r logs", "all files below a directory"},
                 {"presso compress --table auto orders.csv", "as typed columns"},
                 {"cat app.log | presso compress -o all.presso", "from a pipe"}},
    .exit_status =
        "0 if everything was compressed, 2 after any error. It is no error that files named "
        ".presso are skipped. If the reader of standard output goes away, the status is 2, "
        "without a message.",
};

/// The sums over all files, for the last line of -v. Only files that were compressed completely
/// count.
struct Totals {
  std::uint64_t files = 0;
  std::uint64_t plain = 0;
  std::uint64_t compressed = 0;
};

/// The command. Usage errors are returned before any file is opened; errors of a file are reported
/// as they come.
class CompressCommand final : public Command {
 public:
  const CommandInfo& info() const override { return kInfo; }

  /// The order here is the order of the help page. The values of flags go into these members; see
  /// flags_compress.h and flags_table.h for the rest.
  std::vector<Flag> flags() override {
    std::vector<Flag> flags = file_flags(files_);
    flags.push_back(level_flag(options_.level));
    append(flags, encoder_flags(options_));
    append(flags, filter_flags(options_));
    append(flags, time_hint_flags(options_.times));
    append(flags, table_flags(table_));
    flags.push_back(threads_flag(options_.threads));
    append(flags, message_flags());
    flags.push_back(progress_flag(files_.progress));
    return flags;
  }

  /// Checks what options mean together before any file is opened, so that a wrong command line
  /// leaves nothing half done. A file that fails is reported, and the others are compressed all the
  /// same; the exit status tells.
  Result<int> run(std::vector<std::string> operands) override {
    // The library's own check comes first, since it knows which options exclude each other.
    PRESSO_TRY(validate(options_));
    if (!table_.on && !table_.needs_table.empty()) {
      return make_error(ErrorCode::kInvalidArgument, table_.needs_table + " needs --table");
    }
    if (table_.asks_for_exact && !table_.options.sort.by.empty()) {
      return make_error(ErrorCode::kInvalidArgument,
                        "--exact keeps the rows in their order, --sort-by does not");
    }
    PRESSO_TRY(settle_kind_of_text());
    // An option without effect is a warning and no error, since scripts give the same options to
    // all files.
    for (const Ignored& option : ignored_options(options_)) warning(option.name, option.why);
    if (table_.on) warn_of_options_without_effect();
    PRESSO_ASSIGN(const std::vector<std::string> inputs, job_inputs(std::move(operands), files_));
    PRESSO_TRY(check_table_outputs(inputs));
    // The handler is set before the first output is made.
    remove_unfinished_files_on_signals();
    for (const std::string& path : inputs) compress_file(path);
    if (inputs.size() > 1) {
      verbose("total", std::to_string(totals_.files) + " files, " +
                           summary_text(totals_.plain, totals_.compressed));
    }
    return exit_status();
  }

 private:
  /// Warns of options that were given but change nothing for tables. They are about blocks of text,
  /// which tables do not have.
  void warn_of_options_without_effect() const {
    const std::pair<bool, const char*> given[] = {
        {options_.filter_permille.value_or(0) != 0, "--index"},
        {options_.block_bytes != 0, "--block-size"},
        {options_.dictionary.mode != DictionaryChoice::Mode::kAuto, "--dict"},
        {options_.dictionary.renew_bytes != DictionaryChoice().renew_bytes, "--dict-renew"},
    };
    for (const auto& [is_given, name] : given) {
      if (is_given) warning(name, "has no effect on tables");
    }
  }

  /// Settles how a table's text is written if --table=auto leaves it open: a flag about delimiters
  /// means that it is delimited. Error: kInvalidArgument for JSON lines, which have no delimiters.
  Status settle_kind_of_text() {
    TextKind& kind = table_.options.text.kind;
    if (table_.needs_delimiter.empty()) return {};
    if (kind == TextKind::kJsonLines) {
      return make_error(ErrorCode::kInvalidArgument,
                        table_.needs_delimiter + " means nothing for JSON lines");
    }
    kind = TextKind::kDelimited;
    return {};
  }

  /// Refuses outputs of a table that would get mixed: bad rows of several inputs, or a report
  /// beside the data on standard output. Errors: kInvalidArgument.
  Status check_table_outputs(const std::vector<std::string>& inputs) const {
    if (inputs.size() > 1 && !table_.bad_rows.empty()) {
      return make_error(ErrorCode::kInvalidArgument, "--bad-rows names one file, but there are " +
                                                         std::to_string(inputs.size()) + " inputs");
    }
    const bool has_stdin = std::find(inputs.begin(), inputs.end(), kStandardInput) != inputs.end();
    const bool to_stdout = files_.to_stdout || (files_.output.empty() && has_stdin);
    if (to_stdout && table_.report_json) {
      return make_error(ErrorCode::kInvalidArgument,
                        "--report and the compressed data would both be written to standard "
                        "output; -o names a file");
    }
    return {};
  }

  /// Compresses one file, or reports why not. A failure sets the exit status and leaves nothing
  /// under the output's name.
  void compress_file(const std::string& path) {
    // A compressed file is skipped, so that the same command can be run again over a folder.
    if (has_suffix(path) && !files_.force) {
      return warning(shown_name(path),
                     "is compressed already; skipped (-f compresses it once more)");
    }
    const Result<InputFile> input = InputFile::open(path, InputFile::Directories::kRefusedWithHint);
    if (!input.ok()) return error(shown_name(path), input.error());
    const std::optional<OutputRequest> request = request_for(path, *input);
    if (!request) return;
    std::optional<OutputFile> output = open_output(*input, *request, files_);
    if (output) compress_to(path, *input, *output);
  }

  /// Where the output goes: as -o and -c say, otherwise to standard output for standard input and
  /// to FILE.presso for files. Returns nullopt after reporting an error.
  std::optional<OutputRequest> request_for(const std::string& path, const InputFile& input) const {
    OutputRequest request{.path = files_.output, .binary = true};
    const bool by_name = files_.output.empty() && !files_.to_stdout && path != kStandardInput;
    if (by_name && !input.is_regular()) {
      // A pipe or device has no name from which that of an output could be made.
      error(shown_name(path), "is not a regular file; name the output with -o or -c");
      return std::nullopt;
    }
    if (by_name) request.path = text_path(path) + std::string(kSuffix);
    return request;
  }

  /// The name that the compressed text has: a table's text is taken out of orders.csv.gz, and so it
  /// is orders.csv. The text of a Parquet or Arrow file is none.
  std::string text_path(const std::string& path) const {
    if (!table_.on) return path;
    const std::size_t suffix = column_suffix(path).size();
    return suffix > 0 ? path.substr(0, path.size() - suffix) : without_compression_suffix(path);
  }

  /// Compresses an opened input. A regular file is sampled in advance, for the choice of block size
  /// and dictionary; a pipe cannot be.
  void compress_to(const std::string& path, const InputFile& input, OutputFile& output) {
    CompressOptions options = options_;
    options.metadata = metadata_of(text_path(path), input);
    if (table_.on) return compress_as_table(path, input, output, options);
    // What a pipe brings may be of any year.
    if (input.is_regular() && !input.is_standard_input()) {
      options.latest_time = std::int64_t{input.about().st_mtim.tv_sec} * 1'000'000'000;
    }
    // The sample is read at places, ahead of the stream, so it has to be a regular file.
    const FdRandomAccess sample(input.fd(), input.size());
    if (input.is_regular() && !input.is_standard_input()) options.sample = &sample;
    FdSource source(input.fd());
    const Stopwatch time;
    Result<CompressSummary> summary = run_with_progress(path, input, source, output, options);
    if (!summary.ok()) return report_failure(shown_name(path), summary.error(), output, false);
    // The time that is reported includes the sync to disk and the rename.
    if (!finish_output(path, input, output, attributes_of(input), files_)) return;
    const double seconds = time.seconds();
    ++totals_.files;
    totals_.plain += summary->plain_bytes;
    totals_.compressed += summary->compressed_bytes;
    verbose(shown_name(path), summary_text(summary->plain_bytes, summary->compressed_bytes) + ", " +
                                  rate_text(static_cast<double>(summary->plain_bytes) / seconds) +
                                  ", " + work_text(summary->seconds));
  }

  /// Whether both names are of one file, which may not exist yet. Links are resolved, since two
  /// names may lead to one file.
  static bool is_same_place(const std::string& one, const std::string& other) {
    const auto place_of = [](const std::string& name) {
      std::error_code unknown;
      return std::filesystem::weakly_canonical(std::filesystem::absolute(name, unknown), unknown);
    };
    return place_of(one) == place_of(other);
  }

  /// Compresses an opened input as a table, with a second output for bad rows if asked for.
  void compress_as_table(const std::string& path, const InputFile& input, OutputFile& output,
                         CompressOptions& options) {
    // Both outputs are opened before anything is read, so that a name that is taken costs no work.
    const bool with_bad_rows = !table_.bad_rows.empty();
    std::optional<OutputFile> bad_rows =
        with_bad_rows ? open_output(input, {.path = table_.bad_rows}, files_) : std::nullopt;
    if (with_bad_rows && !bad_rows) return;
    if (bad_rows && is_same_place(bad_rows->name(), output.name())) {
      return error(table_.bad_rows, "--bad-rows names the output itself; not written");
    }
    Result<TableInput> text = TableInput::open(input);
    if (!text.ok()) return error(shown_name(path), text.error());
    // The size of the text is not known if another program has compressed it, so there is no share
    // then.
    Progress progress(shown_name(path),
                      text->is_compressed() || text->has_columns() ? 0 : input.size(),
                      files_.progress);
    options.on_progress = [&progress](std::uint64_t plain, std::uint64_t) {
      progress.update(plain, plain);
      return true;
    };
    TableOptions table = table_.options;
    table.packs = true;
    table.compress = options;
    table.text.name = text_path(path);
    if (bad_rows) table.on_bad_rows = [&](Bytes rows) { return bad_rows->sink().write(rows); };
    const Stopwatch time;
    // An error of the second output is reported with its own name.
    Result<TableSummary> summary = text->compress(output.sink(), table);
    if (!summary.ok()) {
      std::string& what = summary.error().what;
      if (what.ends_with("so it is not a table")) what += "; compress it without --table";
      const bool of_bad_rows = bad_rows && bad_rows->sink().failed();
      return report_failure(shown_name(path), summary.error(), of_bad_rows ? *bad_rows : output,
                            false);
    }
    if (bad_rows) {  // before the input may be removed
      const Status done = bad_rows->commit({});
      if (!done.ok()) return error(table_.bad_rows, done.error());
    }
    if (!finish_output(path, input, output, attributes_of(input), files_)) {
      // Without the table the rows in the other file would be found nowhere, or twice after a new
      // run.
      if (bad_rows) std::remove(table_.bad_rows.c_str());
      return;
    }
    // The values of a file of columns are no text, so its own size is what people compare with.
    const bool is_file = input.is_regular() && summary->schema.text.kind == TextKind::kNone;
    report_table(path, *summary, is_file ? input.size() : summary->plain_bytes, time.seconds());
  }

  /// Reports a table: warnings, with -v its columns, and the line of JSON if asked for. The line of
  /// JSON goes to standard output, on which there is no compressed data: see check_table_outputs().
  void report_table(const std::string& path, const TableSummary& summary, std::uint64_t bytes,
                    double seconds) {
    for (const std::string& note : summary.notes) notice(shown_name(path), note);
    if (summary.bad_rows > 0) warning(shown_name(path), bad_rows_text(summary, table_.bad_rows));
    describe_table(shown_name(path), summary, bytes, seconds);
    if (table_.report_json) {
      const std::string json = table_report_json(path, summary, seconds);
      const bool written = std::fwrite(json.data(), 1, json.size(), stdout) == json.size();
      if (std::fflush(stdout) != 0 || !written) error("", "cannot write to standard output");
    }
    ++totals_.files;
    totals_.plain += bytes;
    totals_.compressed += summary.compressed_bytes;
  }

  /// Compresses from a stream, with the progress bar as callback. It counts plain bytes, since the
  /// size of the input is known and that of the output is not.
  Result<CompressSummary> run_with_progress(const std::string& path, const InputFile& input,
                                            FdSource& source, OutputFile& output,
                                            CompressOptions& options) const {
    Progress progress(shown_name(path), input.size(), files_.progress);
    options.on_progress = [&progress](std::uint64_t plain, std::uint64_t) {
      progress.update(plain, plain);
      return true;
    };
    return compress_stream(source, output.sink(), options);
  }

  /// The metadata that is stored with a regular file: its name, time and mode. Times and modes are
  /// text, so that readers need no fixed fields; what is missing is left out.
  static Metadata metadata_of(const std::string& path, const InputFile& input) {
    Metadata metadata;
    if (!input.is_regular() || input.is_standard_input()) return metadata;
    const struct stat& about = input.about();
    // Only the permission bits are stored; a set-user-ID bit must not come back on another machine.
    char mode[16];
    std::snprintf(mode, sizeof mode, "%o", static_cast<unsigned>(about.st_mode & 0777));
    metadata.entries.emplace_back("name", std::filesystem::path(path).filename().string());
    const std::string time = nanoseconds_text(about.st_mtim);
    if (!time.empty()) metadata.entries.emplace_back("mtime", time);
    metadata.entries.emplace_back("mode", mode);
    return metadata;
  }

  /// The time in nanoseconds since 1970, or an empty text if that does not fit, which is so some
  /// 292 years before and after 1970.
  static std::string nanoseconds_text(const timespec& time) {
    constexpr std::int64_t kMostSeconds = std::numeric_limits<std::int64_t>::max() / 1000000000 - 1;
    if (time.tv_sec < -kMostSeconds || time.tv_sec > kMostSeconds) return {};
    return std::to_string(static_cast<std::int64_t>(time.tv_sec) * 1000000000 + time.tv_nsec);
  }

  FileOptions files_;
  CompressOptions options_;
  TableFlags table_;
  Totals totals_;
};

}  // namespace

std::unique_ptr<Command> make_compress_command() {
  return std::make_unique<CompressCommand>();
}

}  // namespace presso::cli
