// SPDX-License-Identifier: MIT
// presso test: decodes everything, compares every checksum and writes nothing. It costs about what
// decompressing to nowhere costs; a damaged file is decoded twice, the second time to name every
// damaged block. A pipe cannot be read again, so there only the first damage is found. Of a regular
// file that decodes without an error, search index, line facts and times, which decoding does not
// need, are checked, too; for times it is decoded once more. Tables are checked like files of
// bytes, and their zones are compared with the rows. It needs one buffer for each thread and no
// disk space. Tested by tests/cli/test_decompress.py.
#include <unistd.h>

#include "format/block_filter.h"
#include "format/line_facts.h"
#include "presso/decompress.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/compress/file_job.h"
#include "tools/compress/flags_dictionary.h"
#include "tools/decompress/commands.h"
#include "tools/decompress/damage.h"
#include "tools/decompress/file_decoder.h"
#include "tools/decompress/time_check.h"
#include "tools/io/progress.h"

namespace presso::cli {
namespace {

const CommandInfo kInfo = {
    .name = "test",
    .summary = "check the contents of compressed files",
    .operands = "[FILE... | -]",
    .description =
        "Decodes every block, compares every checksum and the index, and names each damaged "
        "block with its offsets. In a pipe only the first damage is found.",
    .examples = {{"presso test app.log.presso", "silent, status 0: intact"},
                 {"presso test -v *.presso", "a line for each file"},
                 {"presso test -r logs", "all .presso files below a directory"}},
    .exit_status = "0 if all files are intact, 2 otherwise.",
    .operand_completion = Completion::kPressoFile,
};

/// The command.
class TestCommand final : public Command {
 public:
  const CommandInfo& info() const override { return kInfo; }

  std::vector<Flag> flags() override {
    std::vector<Flag> flags = {{.short_name = 'r',
                                .name = "recursive",
                                .category = kSelection,
                                .brief = "test the .presso files below directories",
                                .apply = set(files_.recursive)},
                               known_dictionary_flag(dictionaries_),
                               threads_flag(threads_)};
    append(flags, device_flags(device_));
    append(flags, message_flags());
    flags.push_back(progress_flag(files_.progress));
    return flags;
  }

  /// Files are checked one after another, each on all threads or on the GPU.
  Result<int> run(std::vector<std::string> operands) override {
    PRESSO_ASSIGN(const std::vector<std::string> inputs, job_inputs(std::move(operands), files_));
    decoder_.emplace(device_, threads_);
    const Status started = decoder_->start();
    if (!started.ok()) {
      error("--device=gpu", started.error());
      return exit_status();
    }
    for (const std::string& path : inputs) {
      if (!files_.recursive || has_suffix(path) || path == kStandardInput) test_file(path);
    }
    return exit_status();
  }

 private:
  /// Checks one file. It is decoded strictly first, which checks index and trailer too; if that
  /// fails, the whole file is decoded once more to name every damaged block.
  void test_file(const std::string& path) {
    const Result<InputFile> input = InputFile::open(path, InputFile::Directories::kRefusedWithHint);
    if (!input.ok()) return error(shown_name(path), input.error());
    const auto strict = decode(path, *input, false);
    if (strict.ok()) {
      test_tail(path, *input);
      return verbose(shown_name(path), "intact: " + grouped(strict->blocks) + " blocks, " +
                                           grouped(strict->plain_bytes) + " bytes" +
                                           std::string(decoder_->where()));
    }
    // A pipe cannot be read again, so it gets one message.
    const bool again = input->is_regular() && lseek(input->fd(), 0, SEEK_SET) == 0;
    const bool damaged =
        is_damage(strict.error().code) && strict.error().code != ErrorCode::kMissingDictionary;
    if (!again || !damaged) return error(shown_name(path), strict.error());
    const auto salvaged = decode(path, *input, true);
    const bool named = salvaged.ok() && salvaged->damaged_blocks != 0;
    if (!named) error(shown_name(path), strict.error());
    if (strict.error().code == ErrorCode::kNotPresso && !salvaged.ok()) return;
    warning(shown_name(path), verdict(salvaged));
  }

  /// What is left of a damaged file, and what to do about it.
  std::string verdict(const Result<DecompressSummary>& salvaged) const {
    if (!salvaged.ok() || (salvaged->plain_bytes == 0 && has_lost_content_)) {
      return "damaged; nothing of the content can be read";
    }
    const char* const columns =
        is_in_column_ ? "; 'presso cat --columns' reads the columns that are intact" : "";
    const std::string bytes = grouped(salvaged->plain_bytes) + " bytes";
    if (!has_lost_content_) {
      return "damaged, but all content is intact (" + bytes +
             "); 'presso decompress --salvage' writes it, and compressing it again mends the file";
    }
    return "damaged; " + bytes + " are intact, 'presso decompress --salvage' writes them" + columns;
  }

  /// Reads the search index and the line facts of a file, which decoding skips. Damage there costs
  /// no content.
  void test_tail(const std::string& path, const InputFile& input) const {
    if (!input.is_regular()) return;
    const FdRandomAccess file(input.fd(), input.size());
    const auto index = ArchiveIndex::open(file);
    if (!index.ok()) return;
    for (const ArchiveMember& member : index->members()) {
      const auto filter = read_filter(file, member);
      if (!filter.ok()) complain_of_extra(path, "search index", filter.error());
      const auto lines = read_line_facts(file, member);
      if (!lines.ok()) complain_of_extra(path, "count of lines", lines.error());
    }
    DecodeOptions options;
    options.dictionaries = dictionaries_;
    const Status times = check_times(file, options, threads_);
    if (!times.ok()) complain_of_extra(path, "table of times", times.error());
  }
  static void complain_of_extra(const std::string& path, const char* name, const Error& problem) {
    error(shown_name(path), std::string("the ") + name + " is damaged (" + problem.message() +
                                "); all content is intact, and compressing it again restores it");
  }

  /// Decodes to nowhere. `salvage` goes on after damage and reports each place.
  Result<DecompressSummary> decode(const std::string& path, const InputFile& input, bool salvage) {
    Progress progress(shown_name(path), input.size(), files_.progress);
    DamageReporter damage(shown_name(path), input);
    DecompressOptions options;
    options.threads = threads_;
    options.salvage = salvage;
    options.decode.dictionaries = dictionaries_;
    // The least and greatest values of tables are compared with the rows, which decoding alone does
    // not need.
    options.decode.check_zones = true;
    options.on_damage = [&damage](const DecodedBlock& block) { damage.report(block); };
    options.on_progress = [&progress](std::uint64_t compressed, std::uint64_t plain) {
      progress.update(compressed, plain);
      return true;
    };
    auto decoded = decoder_->decode(shown_name(path), input, nullptr, options);
    has_lost_content_ = damage.has_lost_content();
    is_in_column_ = damage.is_in_column();
    return decoded;
  }

  FileOptions files_;
  DeviceFlags device_;
  std::optional<FileDecoder> decoder_;
  unsigned threads_ = 0;
  bool has_lost_content_ = false;  ///< what the last decode() found, as is_in_column_
  bool is_in_column_ = false;
  std::vector<std::shared_ptr<const Dictionary>> dictionaries_;
};

}  // namespace

std::unique_ptr<Command> make_test_command() {
  return std::make_unique<TestCommand>();
}

}  // namespace presso::cli
