// SPDX-License-Identifier: MIT
// presso decompress: FILE.presso becomes FILE again. presso cat is the same command with standard
// output as its only output. This file opens and names files, restores time and mode, and reports;
// file_decoder.h decodes. Parts are written by --bytes, --blocks, --rows and --columns. Tested by
// tests/cli/test_decompress.py. A damaged file leaves no output file unless --salvage is given; on
// standard output, the blocks before the damage have been written. What it declines: parts of a
// pipe, parts together with --salvage, and options about rows for a file of bytes.
#include <unistd.h>

#include <charconv>

#include "presso/decompress.h"
#include "presso/scan.h"
#include "presso/stopwatch.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/compress/file_job.h"
#include "tools/decompress/commands.h"
#include "tools/decompress/damage.h"
#include "tools/decompress/file_decoder.h"
#include "tools/decompress/flags_decompress.h"
#include "tools/decompress/flags_rows.h"
#include "tools/decompress/shown_rows.h"
#include "tools/io/presso_check.h"
#include "tools/io/progress.h"
#include "tools/select/select_output.h"
#include "tools/times/time_window.h"

namespace presso::cli {
namespace {

constexpr std::string_view kExitStatus =
    "0 if everything was written, 2 after any error and after --salvage of a damaged file. It is "
    "no error if the reader of standard output goes away.";

const CommandInfo kDecompressInfo = {
    .name = "decompress",
    .summary = "restore compressed files, whole or in part",
    .operands = "[FILE... | -]",
    .description =
        "FILE.presso becomes FILE, with the time and mode that FILE had; FILE.presso stays. "
        "Without FILE, or with -, standard input is decompressed to standard output. All cores "
        "work on one file, or a GPU if that is faster. Every block is compared with its checksum. "
        "After an error there is no output file, unless --salvage asks for what is intact. Runs of "
        "zeros become holes of a sparse file.",
    .examples = {{"presso decompress app.log.presso", "makes app.log"},
                 {"presso decompress --bytes 256K:64K app.log.presso", "64 KiB from the middle"},
                 {"presso decompress --salvage -o rest.log bad.presso", "what is intact"}},
    .exit_status = kExitStatus,
    .operand_completion = Completion::kPressoFile,
};

const CommandInfo kCatInfo = {
    .name = "cat",
    .summary = "write the content of compressed files to standard output",
    .operands = "[FILE... | -]",
    .description = "The same as 'presso decompress -c': several files come one after another.",
    .examples = {{"presso cat app.log.presso | head", "the first lines"},
                 {"presso cat --blocks 1-2 app.log.presso", "two blocks"},
                 {"presso cat --since -15m app.log.presso", "the last quarter of an hour"},
                 {"presso cat --columns id,price --rows 1-10 orders.csv.presso", "of a table"}},
    .exit_status = kExitStatus,
    .operand_completion = Completion::kPressoFile,
};

/// The time that was stored with the file; nullopt if there is none that can be read.
std::optional<timespec> modified_time(const Metadata& metadata) {
  const std::optional<std::int64_t> value = metadata.modified();
  if (!value) return std::nullopt;
  constexpr std::int64_t kSecond = 1000000000;
  // Division rounds towards zero, but the part below a second must not be negative.
  const std::int64_t below = (*value % kSecond + kSecond) % kSecond;
  return timespec{(*value - below) / kSecond, below};
}

/// The stored mode, in which the group and others lose the rights to read and write that they do
/// not have for `input`: if a compressed file was made private, its content stays private. The
/// owner's rights are as stored. A file without a mode gets that of the compressed file; nullopt if
/// that is a pipe or standard input.
std::optional<mode_t> restored_mode(const Metadata& metadata, const InputFile& input) {
  const std::string* text = metadata.find("mode");
  if (!input.is_regular() || input.is_standard_input()) return std::nullopt;
  const mode_t of_input = input.about().st_mode & 0777;
  unsigned stored = of_input;
  if (text != nullptr) {
    const auto [end, problem] =
        std::from_chars(text->data(), text->data() + text->size(), stored, 8);
    if (problem != std::errc() || end != text->data() + text->size()) stored = of_input;
  }
  // The right to execute is left, since it shows no content.
  constexpr mode_t kOthersReadWrite = 066;
  return stored & 0777 & ~(kOthersReadWrite & ~of_input);
}

/// Both commands; `cat_` says which.
class DecompressCommand final : public Command {
 public:
  explicit DecompressCommand(bool cat) : cat_(cat) { files_.to_stdout = cat; }

  const CommandInfo& info() const override { return cat_ ? kCatInfo : kDecompressInfo; }

  std::vector<Flag> flags() override {
    std::vector<Flag> flags;
    if (!cat_) flags = file_flags(files_);
    append(flags, decode_flags(decode_));
    append(flags, row_flags(rows_));
    append(flags, time_flags(time_flags_));
    append(flags, device_flags(device_));
    append(flags, message_flags());
    flags.push_back(progress_flag(files_.progress));
    return flags;
  }

  /// Checks which options go together, starts the device, and decodes the files one after another.
  /// A file that fails is reported, and the others are decoded all the same. Errors that are
  /// returned are about the command line; nothing has been opened by then.
  Result<int> run(std::vector<std::string> operands) override {
    PRESSO_ASSIGN(const std::vector<std::string> inputs, job_inputs(std::move(operands), files_));
    if (decode_.is_range() && decode_.salvage) {
      return make_error(ErrorCode::kInvalidArgument,
                        "--salvage works on whole files, not with --bytes or --blocks");
    }
    if (rows_.any() && (decode_.is_range() || decode_.salvage)) {
      return make_error(ErrorCode::kInvalidArgument,
                        rows_.given + " does not go with --bytes, --blocks or --salvage");
    }
    if (time_flags_.limits()) {
      if (rows_.any() || decode_.is_range()) {
        return make_error(ErrorCode::kInvalidArgument,
                          "--since and --until do not go with --bytes, --blocks or --rows");
      }
      PRESSO_ASSIGN(times_, time_window(time_flags_));
    }
    // A part of a file is no replacement for it, so it goes to standard output unless a name is
    // given.
    if (is_part() && files_.output.empty()) files_.to_stdout = true;
    if (rows_.is_arrow()) PRESSO_TRY(check_arrow_output(inputs.size()));
    // The device is opened before the first file, so that a missing GPU is one error.
    decoder_.emplace(device_, decode_.threads);
    const Status started = decoder_->start();
    if (!started.ok()) {
      error("--device=gpu", started.error());
      return exit_status();
    }
    remove_unfinished_files_on_signals();
    for (const std::string& path : inputs) {
      // A directory may hold other files, which are passed over; to name one is a mistake.
      if (!files_.recursive || has_suffix(path) || path == kStandardInput) decompress_file(path);
    }
    if (inputs.size() > 1) {
      verbose("total", std::to_string(done_files_) + " files, " + grouped(done_bytes_) + " bytes");
    }
    return exit_status();
  }

 private:
  /// Whether only a part of each file is written.
  bool is_part() const { return decode_.is_range() || rows_.any() || times_.has_value(); }

  /// Refuses Arrow output that nobody could read: several streams in a row, or a terminal. Error:
  /// kInvalidArgument.
  Status check_arrow_output(std::size_t inputs) const {
    if (inputs > 1 || files_.recursive) {
      return make_error(ErrorCode::kInvalidArgument,
                        "--format=arrow writes one stream: of one FILE");
    }
    if (!files_.to_stdout || files_.force || isatty(STDOUT_FILENO) == 0) return {};
    return make_error(ErrorCode::kInvalidArgument,
                      "an Arrow stream is not written to a terminal; 'presso decompress -o' names "
                      "a file");
  }

  /// Finds the output's name for one file, and decodes to it. An output that exists, or is the
  /// input itself, is refused by open_output().
  void decompress_file(const std::string& path) {
    const Result<InputFile> input = InputFile::open(
        path, cat_ ? InputFile::Directories::kRefused : InputFile::Directories::kRefusedWithHint);
    if (!input.ok()) return error(shown_name(path), input.error());
    if (is_part() || !has_suffix(path)) {
      const Status is_presso = check_is_presso(*input, path);
      if (!is_presso.ok()) return error(shown_name(path), is_presso.error());
    }
    OutputRequest request{.path = files_.output, .sparse = true};
    if (files_.output.empty() && !files_.to_stdout && path != kStandardInput) {
      // Whoever leaves out -o trusts that the name can be derived, so that an unknown ending is an
      // error and no guess.
      if (!has_suffix(path)) {
        return error(shown_name(path), "does not end in .presso; name the output with -o or -c");
      }
      request.path = path.substr(0, path.size() - kSuffix.size());
    }
    std::optional<OutputFile> output = open_output(*input, request, files_);
    if (output) decompress_to(path, *input, *output);
  }

  /// Decodes an opened input into an opened output, by one of the three ways that the flags ask
  /// for. The input is removed only after a complete output of a whole, undamaged file.
  void decompress_to(const std::string& path, const InputFile& input, OutputFile& output) {
    const Stopwatch time;
    DecompressSummary summary;
    const Status done = rows_.any()          ? write_selected_rows(path, input, output)
                        : times_             ? write_lines(input, output, summary)
                        : decode_.is_range() ? write_range(path, input, output, summary)
                                             : write_whole(path, input, output, summary);
    // Nothing was committed; the temporary file is removed with `output`.
    if (!done.ok()) return report(path, done.error(), output);
    FileAttributes attributes = attributes_of(input);
    attributes.mode = restored_mode(summary.metadata, input);
    if (const auto modified = modified_time(summary.metadata)) attributes.modified = modified;
    // A part, or a file with damage, does not replace the input.
    FileOptions finishing = files_;
    if (summary.damaged_blocks != 0 || is_part()) finishing.remove_source = false;
    if (!finish_output(path, input, output, attributes, finishing)) return;
    if (summary.damaged_blocks != 0) {
      warning(shown_name(path), grouped(summary.plain_bytes) +
                                    " intact bytes written, damaged in " +
                                    grouped(summary.damaged_blocks) +
                                    (summary.damaged_blocks == 1 ? " place" : " places"));
    }
    ++done_files_;
    done_bytes_ += summary.plain_bytes;
    verbose(shown_name(path),
            grouped(summary.plain_bytes) + " bytes, " +
                rate_text(static_cast<double>(summary.plain_bytes) / time.seconds()) +
                std::string(decoder_->where()));
  }

  /// Reports a failure; damage comes with a hint to --salvage, unless that was given and failed.
  void report(const std::string& path, const Error& problem, OutputFile& output) const {
    // A closed pipe is no failure here: `presso cat x | head` has all that it wants.
    report_failure(shown_name(path), problem, output, true);
    const bool damaged = is_damage(problem.code) && problem.code != ErrorCode::kNotPresso &&
                         problem.code != ErrorCode::kMissingDictionary;
    if (!damaged || decode_.is_range() || output.sink().failed()) return;
    warning(shown_name(path),
            decode_.salvage ? "the file's beginning, without which nothing can be salvaged, is "
                              "damaged"
                            : "--salvage writes every block that is intact");
  }

  bool is_on_terminal() const { return files_.to_stdout && isatty(STDOUT_FILENO) != 0; }

  /// Tells how much of a long table a terminal does not show.
  static void tell_rest(const std::string& path, const presso::Table& table) {
    inform(shown_name(path), "the first " + std::to_string(kTerminalRows) + " lines of " +
                                 grouped(table.rows()) +
                                 " rows are shown; a pipe or a file gets all of them");
  }

  /// Writes the beginning of a long table's text to a terminal. Returns false, and has written
  /// nothing, for other files and outputs, and for files that are damaged.
  Result<bool> write_beginning(const std::string& path, const InputFile& input,
                               OutputFile& output) const {
    const bool is_file = input.is_regular() && !input.is_standard_input();
    if (!is_on_terminal() || !is_file || decode_.salvage) return false;
    const FdRandomAccess file(input.fd(), input.size());
    const auto table = presso::Table::open(file, decode_.options());
    if (!table.ok() || table->cut_off() || table->rows() <= kTerminalRows) return false;
    PRESSO_TRY(write_first_lines(*table, file, kTerminalRows, output.sink()));
    tell_rest(path, *table);
    return true;
  }

  /// Decodes all of a file, or shows its beginning. `summary` is set only if the first succeeds.
  Status write_whole(const std::string& path, const InputFile& input, OutputFile& output,
                     DecompressSummary& summary) {
    PRESSO_ASSIGN(const bool is_shown, write_beginning(path, input, output));
    if (is_shown) return {};
    Progress progress(shown_name(path), input.size(), files_.progress);
    DamageReporter damage(shown_name(path), input);
    DecompressOptions options;
    options.decode = decode_.options();
    options.threads = decode_.threads;
    options.salvage = decode_.salvage;
    options.on_damage = [&damage](const DecodedBlock& block) { damage.report(block); };
    options.on_progress = [&progress](std::uint64_t compressed, std::uint64_t plain) {
      progress.update(compressed, plain);
      return true;
    };
    PRESSO_ASSIGN(summary, decoder_->decode(shown_name(path), input, &output.sink(), options));
    return {};
  }

  /// Writes the rows and columns of a table that were asked for. A table that was cut off gives
  /// what it has, and an error if that is not all. Errors: kUnsupported for a pipe,
  /// kInvalidArgument for a file that is no table or lacks a column.
  Status write_selected_rows(const std::string& path, const InputFile& input,
                             OutputFile& output) const {
    if (!input.is_regular()) {
      return make_error(ErrorCode::kUnsupported, rows_.given + " needs a file, not a pipe");
    }
    const FdRandomAccess file(input.fd(), input.size());
    auto table = presso::Table::open(file, decode_.options());
    // kContent means that the file is presso's but of the other kind.
    if (!table.ok() && table.error().code == ErrorCode::kContent) {
      return make_error(ErrorCode::kInvalidArgument,
                        "is not a table, which " + rows_.given + " asks for");
    }
    if (!table.ok()) return std::move(table.error());
    PRESSO_ASSIGN(RowsOptions options, rows_options(rows_, *table, decode_.threads));
    const bool is_cut = is_on_terminal() && rows_.is_preview() && table->rows() > kTerminalRows;
    if (rows_.is_aligned()) {
      AlignedStyle style = is_on_terminal() ? terminal_style() : AlignedStyle{};
      if (is_cut) style.most_rows = kTerminalRows;
      style.shows_more = "--rows";
      PRESSO_TRY(write_aligned_rows(*table, options, style, output.sink()));
    } else if (rows_.is_arrow()) {
      PRESSO_TRY(write_arrow(*table, arrow_options(options), output.sink()));
    } else {
      if (is_cut) options.rows = kTerminalRows;
      PRESSO_TRY(write_rows(*table, options, output.sink()));
      if (is_cut) tell_rest(path, *table);
    }
    // A cut-off table is no error for rows that lie before the cut.
    const bool has_all =
        options.rows <= table->rows() && options.first_row <= table->rows() - options.rows;
    if (!table->cut_off() || has_all) return {};
    return make_error(
        ErrorCode::kTruncated,
        "the end of the file is missing; rows may be missing after row " + grouped(table->rows()));
  }

  /// Writes the lines of the times that were asked for; blocks without any are not read where the
  /// file says which these are. Errors: those of scan().
  Status write_lines(const InputFile& input, OutputFile& output, DecompressSummary& summary) const {
    ScanOptions options;
    options.threads = decode_.threads;
    options.decode = decode_.options();
    options.fail_fast = !decode_.salvage;
    options.times = times_;
    if (input.is_regular() && !time_flags_.year) {
      options.times->latest = latest_of(input.about());
    }
    PRESSO_ASSIGN(const Pattern all, Pattern::compile_literals({""}));
    Status written;
    const auto write_line = [&](const MatchedLine& line) {
      written = output.sink().write(line.text);
      summary.plain_bytes += line.text.size();
      return written.ok();
    };
    const FdRandomAccess file(input.fd(), input.size());
    FdSource stream(input.fd());
    const bool is_file = input.is_regular() && !input.is_standard_input();
    Result<ScanSummary> found =
        is_file ? scan(file, all, options, write_line) : scan(stream, all, options, write_line);
    PRESSO_TRY(std::move(written));
    if (!found.ok() && found.error().code == ErrorCode::kInvalidArgument) {
      found.error().what += kTimeAdvice;
    }
    if (!found.ok()) return std::move(found.error());
    summary.damaged_blocks = found->damaged_blocks;
    return {};
  }

  /// Writes a part of a file of bytes; only the blocks that hold it are decoded. Errors:
  /// kUnsupported for a pipe or a table; kInvalidArgument for a part after the end.
  Status write_range(const std::string& path, const InputFile& input, OutputFile& output,
                     DecompressSummary& summary) {
    if (!input.is_regular()) {
      return make_error(ErrorCode::kUnsupported, "--bytes and --blocks need a file, not a pipe");
    }
    const FdRandomAccess file(input.fd(), input.size());
    const DecodeOptions options = decode_.options();
    auto archive = CompressedFile::open(file, options);
    if (!archive.ok() && archive.error().code == ErrorCode::kContent) {
      return make_error(ErrorCode::kUnsupported,
                        "is a table, of which --bytes and --blocks write nothing; use --rows");
    }
    if (!archive.ok()) return std::move(archive.error());
    // The part is settled once the index is known, which tells the file's size.
    PRESSO_ASSIGN(const PlainSpan span, selected_span(*archive, decode_));
    PRESSO_ASSIGN(summary.plain_bytes,
                  decoder_->decode_span(shown_name(path), file, std::move(*archive), span, options,
                                        output.sink()));
    return {};
  }

  bool cat_;
  FileOptions files_;
  DecodeFlags decode_;
  RowFlags rows_;
  TimeSettings time_flags_;
  std::optional<TimeWindow> times_;
  DeviceFlags device_;
  std::optional<FileDecoder> decoder_;
  std::uint64_t done_files_ = 0;
  std::uint64_t done_bytes_ = 0;
};

}  // namespace

std::unique_ptr<Command> make_decompress_command() {
  return std::make_unique<DecompressCommand>(false);
}

std::unique_ptr<Command> make_cat_command() {
  return std::make_unique<DecompressCommand>(true);
}

}  // namespace presso::cli
