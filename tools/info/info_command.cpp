// SPDX-License-Identifier: MIT
// presso info: shows what a compressed file holds, from its index and headers, without decoding it.
// Files that are truncated or whose index had to be rebuilt are reported and set the exit status.
// The facts are gathered by archive_report.h and shown here as tables, or by archive_json.cpp as
// JSON. Tested by tests/cli/test_reports.py. Several files cost the sum of their reports; they are
// read one after another on one thread.
#include <cstdio>

#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/cli/terminal_text.h"
#include "tools/compress/table_report.h"
#include "tools/info/archive_report.h"
#include "tools/info/calibration_report.h"
#include "tools/info/commands.h"
#include "tools/info/devices_report.h"
#include "tools/info/table.h"
#include "tools/info/text_report.h"
#include "tools/io/file_sink.h"
#include "tools/io/flags_files.h"
#include "tools/io/presso_check.h"

namespace presso::cli {
namespace {

const CommandInfo kInfo = {
    .name = "info",
    .summary = "show what compressed files hold, or what is in a text of rows",
    .operands = "[FILE...]",
    .description =
        "Prints one row for each file and a row of totals, from index, line facts and block "
        "headers alone. Of a file with many blocks only a sample of the headers is read unless "
        "--blocks asks for all. "
        "Nothing is decoded: 'presso test' checks the contents. Reports files that are "
        "truncated, or whose index had to be rebuilt from the block headers.\n\n"
        "Of a text with rows (.csv, .tsv, .tab, .tbl, .psv, .jsonl, .ndjson or .json, also with "
        ".gz, .zst or .lz4, or any file if an option says how it is written), and of a .parquet, "
        ".arrow, .arrows or .feather file, it tells what loading it as a table would find: "
        "delimiter and quote, whether there "
        "is a header and why, each "
        "column's type with the line and value that decided, nulls, and rows that do not fit. The "
        "text is read to its end.",
    .examples = {{"presso info app.log.presso", "sizes, ratio, block count"},
                 {"presso info --blocks app.log.presso", "a row for each block"},
                 {"presso info --json *.presso", "the same for programs"},
                 {"presso info orders.csv", "columns and types that loading would find"},
                 {"presso info --devices", "the GPUs of this machine, and what compiles for them"},
                 {"presso info --calibrate", "how fast this machine decodes and searches"}},
    .exit_status = "0 if all files could be read and are whole, 2 otherwise.",
};

/// The ratio with two digits.
std::string ratio_text(double ratio) {
  return decimal_text(ratio, 2);
}

/// The number of lines, or why it is not known.
std::string lines_text(const ArchiveReport& report) {
  if (report.line_facts_damaged) return "damaged";
  return report.lines ? grouped(*report.lines) : "-";
}

/// A file's row in the table of files. The order is that of the headings in files_table().
Table::Row file_row(const ArchiveReport& report) {
  return {grouped(report.compressed_bytes),
          grouped(report.plain_bytes),
          ratio_text(report.ratio()),
          lines_text(report),
          grouped(report.blocks),
          size_text(report.block_bytes),
          report.coding,
          report.dictionary_bytes == 0 ? "-" : size_text(report.dictionary_bytes),
          report.rule,
          report.filter_bytes == 0 ? report.filter
                                   : size_text(report.filter_bytes) + " " + report.filter,
          "xxh3-64",
          report.path};
}

/// The table of files, with a row of totals if there are several. Lines are added up only if they
/// are known for all files.
std::string files_table(const std::vector<ArchiveReport>& reports) {
  Table table({"compressed", "plain", "ratio", "lines", "blocks", "block size", "coding",
               "dictionary", "deps", "search index", "checksum", "file"},
              11);
  ArchiveReport total;
  total.lines = 0;
  for (const ArchiveReport& report : reports) {
    table.add(file_row(report));
    total.compressed_bytes += report.compressed_bytes;
    total.plain_bytes += report.plain_bytes;
    total.blocks += report.blocks;
    total.lines =
        total.lines && report.lines ? std::optional(*total.lines + *report.lines) : std::nullopt;
  }
  if (reports.size() > 1) {
    table.add({grouped(total.compressed_bytes), grouped(total.plain_bytes),
               ratio_text(total.ratio()), lines_text(total), grouped(total.blocks), "", "", "", "",
               "", "", std::to_string(reports.size()) + " files"});
  }
  return table.text();
}

/// A sentence about the times of a file's lines, which scan --since and --until go by.
std::string times_text(const ArchiveReport& report) {
  const TimeSpan& times = *report.times;
  std::string text = terminal_text(report.path).text + ": lines from " + times.first + " to " +
                     times.last + (times.has_zone ? " (UTC)" : " (no zone)") +
                     (times.lacks_year ? ", years inferred" : "") + ", as '" +
                     terminal_text(times.form.format).text + "'";
  if (!times.form.key.empty()) text += " in field '" + terminal_text(times.form.key).text + "'";
  if (report.lines && *report.lines > times.timed_lines) {
    text += "; " + grouped(*report.lines - times.timed_lines) + " have no time of their own";
  }
  return text + "\n";
}

/// The table of a file's blocks, for --blocks. Checksums are in hexadecimal.
std::string blocks_table(const ArchiveReport& report) {
  Table table({"block", "compressed offset", "compressed", "plain offset", "plain", "ratio",
               "coding", "deps", "group", "dict", "sequences", "literals", "checksum"},
              13);
  for (const BlockRow& row : report.rows) {
    const BlockHeader& header = row.header;
    char checksum[32];
    std::snprintf(checksum, sizeof checksum, "%016llx",
                  static_cast<unsigned long long>(header.content_checksum));
    const double ratio = header.plain_bytes / static_cast<double>(header.stored_bytes());
    table.add({grouped(row.number), grouped(row.file_offset), grouped(header.stored_bytes()),
               grouped(row.plain_offset), grouped(header.plain_bytes), ratio_text(ratio),
               std::string(name(header.coding)), std::string(name(header.rule)),
               std::to_string(1u << header.group_log2), std::to_string(header.dictionary_id),
               grouped(header.sequences), grouped(header.literals), checksum});
  }
  return table.text();
}

/// The table of a table's columns. `share` is that of the compressed size; the rest is index and
/// schema.
std::string columns_table(const ArchiveReport& report) {
  Table table(
      {"nulls", "distinct", "compressed", "share", "stored as", "type", "least", "most", "column"},
      4);
  for (const ColumnRow& column : report.table->columns) {
    const double share = 100.0 * static_cast<double>(column.stored_bytes) /
                         static_cast<double>(report.compressed_bytes);
    table.add({grouped(column.nulls), column.distinct == 0 ? "-" : grouped(column.distinct),
               grouped(column.stored_bytes), decimal_text(share, 1) + " %", column.stored_as,
               column.type, column.least.empty() ? "-" : column.least,
               column.most.empty() ? "-" : column.most, column.name});
    for (const NestedField& field : column.fields.all()) {
      table.add({"", "", "", "", "", field_type_name(field), "", "", column.name + field.path});
    }
  }
  return table.text();
}

/// The command. It reads all files before it prints anything, because the columns are aligned.
class InfoCommand final : public Command {
 public:
  const CommandInfo& info() const override { return kInfo; }

  /// --devices and --calibrate need no file, since they are about the machine.
  std::vector<Flag> flags() override {
    std::vector<Flag> flags = report_flags();
    flags.push_back(input_flag(text_));
    for (Flag& flag : table_text_flags(text_)) {
      if (flag.name == "bad-rows") continue;  // they are only counted here
      flag.category = kPlainInput;
      flags.push_back(std::move(flag));
    }
    flags.push_back(threads_flag(threads_));
    return flags;
  }

  /// The flags that say what is reported.
  std::vector<Flag> report_flags() {
    return {
        {.name = "blocks",
         .category = kOutput,
         .brief = "list every block",
         .text = "Offsets, sizes, coding, dependency rule, sequences, checksum.",
         .apply = set(blocks_)},
        {.name = "devices",
         .category = kOutput,
         .brief = "list the GPUs, or say why there are none",
         .text =
             "With their free memory and other properties that matter to presso. A second part "
             "tells whether NVRTC is there, which compiles queries for them, and where compiled "
             "queries are kept. Needs no file.",
         .apply = set(devices_)},
        {.name = "calibrate",
         .category = kOutput,
         .brief = "measure how fast CPU and GPU are, and keep that for later commands",
         .text =
             "Decodes and searches a made-up log in memory, on one thread, on all, and on the "
             "GPU, and times the steps of queries on both; takes less than two seconds, and about "
             "three more where there is a GPU. 'presso scan' and 'decompress' do their part of it "
             "once, before the first large file, and so does 'presso select' with the CPU's, but "
             "nobody else times queries on the GPU. The rates are kept in $XDG_CACHE_HOME/presso "
             "or ~/.cache/presso, by device, driver and presso's version. Needs no file.",
         .apply = set(calibrate_)},
        {.name = "json",
         .category = kOutput,
         .brief = "print JSON",
         .text = "An object with an array 'files'; with --blocks each has a 'block_table'. With "
                 "--devices also an array 'devices', or 'no_devices' with the reason, and an "
                 "object 'query_compiler'. With --calibrate also an object 'calibration'.",
         .apply = set(json_)}};
  }

  /// Reports all files first, and measures only then. The CUDA runtime is started last, as its
  /// start is one of the things that are measured.
  Result<int> run(std::vector<std::string> operands) override {
    if (operands.empty() && !devices_ && !calibrate_) {
      return make_error(ErrorCode::kInvalidArgument, "no file given");
    }
    std::vector<ArchiveReport> reports;
    if (!text_.needs_delimiter.empty()) text_.options.text.kind = TextKind::kDelimited;
    // A file that cannot be read is reported and left out of the tables.
    for (const std::string& path : operands) read(path, reports);
    const MeasurementStore store = MeasurementStore::of_user();
    std::optional<MachineRates> rates;
    if (calibrate_) {
      // The CPU is measured before anything else uses the machine.
      PRESSO_ASSIGN(rates, calibrate(store));  // before CUDA is started, which it measures
      calibrate_gpu_queries(store, *rates);
    }
    std::optional<Devices> devices;
    std::optional<gpu::QueryCompilerInfo> compiler;
    if (devices_) {
      devices = gpu_devices();
      auto found = gpu_query_compiler();
      if (found.ok()) compiler = std::move(*found);
    }
    if (json_) {
      print_output(reports_json(reports, texts_json_, blocks_, devices, compiler, rates));
    } else {
      if (rates) print_output(calibration_text(*rates, store));
      if (devices) print_output(devices_text(*devices));
      if (compiler) print_output(query_compiler_text(*compiler));
      std::string out = tables(reports);
      for (const std::string& text : texts_) out += (out.empty() ? "" : "\n") + text;
      print_output(out);
    }
    return exit_status();
  }

 private:
  /// Reads one file, or reports why not; problems of a file that could be read are reported, too. A
  /// damaged index sets the exit status, although the report is complete.
  void read(const std::string& path, std::vector<ArchiveReport>& reports) {
    const Result<InputFile> input = InputFile::open(path);
    if (!input.ok()) return error(path, input.error());
    const Status is_presso = check_is_presso(*input, path);
    if (!is_presso.ok() && is_text(path, *input)) return read_text(path, *input);
    if (!is_presso.ok()) return error(path, with_advice(is_presso.error()));
    Result<ArchiveReport> report = report_archive(path, *input, blocks_);
    if (!report.ok()) return error(path, report.error());
    if (report->truncated) {
      error(path, "truncated: no trailer at the end; " + grouped(report->blocks) +
                      " whole blocks found by their headers");
    } else if (report->index_rebuilt) {
      error(path, "the index is damaged; rebuilt from the block headers");
    }
    reports.push_back(std::move(*report));
  }

  /// A file about which nothing is known may be a text whose name does not say so.
  static Error with_advice(Error error) {
    if (error.what.empty()) error.what = "'--header auto' shows it as a text of rows";
    return error;
  }

  /// Whether a file that is not presso's is taken for a text with rows.
  bool is_text(const std::string& path, const InputFile& input) const {
    return input.size() > 0 && !has_suffix(path) &&
           (is_name_of_rows(path) || !text_.needs_table.empty());
  }

  /// Reads a text and keeps what is to be printed.
  void read_text(const std::string& path, const InputFile& input) {
    const Result<TableSummary> summary = report_text(path, input, text_, threads_);
    if (!summary.ok()) return error(path, summary.error());
    if (json_) {
      texts_json_.push_back(text_report_json(path, *summary));
    } else {
      texts_.push_back(text_report(path, *summary));
    }
  }

  /// All tables of the answer for people. A blank line stands between tables.
  std::string tables(const std::vector<ArchiveReport>& reports) const {
    std::string out = reports.empty() ? "" : files_table(reports);
    for (const ArchiveReport& report : reports) {
      if (report.times && !report.times->first.empty()) out += times_text(report);
    }
    for (const ArchiveReport& report : reports) {
      if (!report.table) continue;
      out += "\n" + terminal_text(report.path).text + ": " + grouped(report.table->rows) +
             " rows in " + grouped(report.table->row_groups) +
             (report.table->row_groups == 1 ? " row group\n" : " row groups\n") +
             columns_table(report);
    }
    if (!blocks_) return out;
    for (const ArchiveReport& report : reports) {
      if (!report.table)
        out += "\n" + terminal_text(report.path).text + ":\n" + blocks_table(report);
    }
    return out;
  }

  TableFlags text_;
  unsigned threads_ = 0;
  std::vector<std::string> texts_;  ///< the reports of texts, ready to print
  std::vector<std::string> texts_json_;
  bool blocks_ = false;
  bool devices_ = false;
  bool calibrate_ = false;
  bool json_ = false;
};

}  // namespace

std::unique_ptr<Command> make_info_command() {
  return std::make_unique<InfoCommand>();
}

}  // namespace presso::cli
