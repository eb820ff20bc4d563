// SPDX-License-Identifier: MIT
// presso train: makes a dictionary for many small files. This file reads the documents, or an even
// selection of at most 128 MiB of them, into memory; train_dictionary() does the rest. Memory:
// these documents, and what training takes. A file that cannot be opened, or is no regular one, is
// reported and left out; an error while a file is read ends the command without a dictionary.
// Tested by tests/cli/test_compress.py.
#include <unistd.h>

#include <algorithm>

#include "presso/byte_stream.h"
#include "presso/train.h"
#include "presso/wire.h"
#include "tools/cli/bind.h"
#include "tools/cli/message.h"
#include "tools/compress/commands.h"
#include "tools/compress/file_job.h"
#include "tools/io/flags_files.h"

namespace presso::cli {
namespace {

// The most that is read, and the size of a dictionary without --size.
constexpr std::uint64_t kMostRead = 128u << 20;
constexpr std::uint32_t kUsualBytes = 112u << 10;

const CommandInfo kTrainInfo = {
    .name = "train",
    .summary = "make a dictionary of what files have in common",
    .operands = "FILE...",
    .description =
        "Small files compress badly on their own. This command collects what they share into a "
        "dictionary, which 'presso compress --dict FILE' then uses for each of them. Give it at "
        "least a hundred files of a kind, with a hundred times as many bytes as the dictionary is "
        "to have. If there are more than 128 MiB, an even selection is read. A dictionary has no "
        "format of its own: any file can be one.",
    .examples = {{"presso train -o json.dict samples/*.json", "a dictionary"},
                 {"presso compress --dict json.dict --dict-by-name *.json", "use it"},
                 {"presso cat --dict json.dict 1.json.presso", "read what was compressed with it"}},
    .exit_status =
        "0 if the dictionary was written, 2 after any error, even if a dictionary was made of the "
        "files that could be read.",
};

/// A file to train on, with its size, from which the documents are sampled.
struct ListedFile {
  std::string path;
  std::uint64_t bytes;
};

/// The command. Files that cannot be opened are reported and left out.
class TrainCommand final : public Command {
 public:
  const CommandInfo& info() const override { return kTrainInfo; }

  std::vector<Flag> flags() override {
    std::vector<Flag> flags = {
        {.short_name = 'o',
         .name = "output",
         .value_name = "OUT",
         .category = kOutput,
         .brief = "write the dictionary to OUT; - is standard output",
         .default_value = "standard output",
         .completion = Completion::kFile,
         .apply = text_into(output_)},
        {.short_name = 'f',
         .name = "force",
         .category = kOutput,
         .brief = "overwrite OUT, write to a terminal",
         .apply = set(files_.force)},
        {.short_name = 'r',
         .name = "recursive",
         .category = kSelection,
         .brief = "take the files below directories",
         .apply = set(files_.recursive)},
        {.name = "size",
         .value_name = "SIZE",
         .category = kCompression,
         .brief = "bytes of the dictionary at most, 256 to 4M",
         .text = "It has fewer if the files repeat less.",
         .default_value = "112K",
         .apply = number_into(bytes_, 256, kMaxDictionaryBytes)},
        {.name = "block-size",
         .value_name = "SIZE",
         .category = kCompression,
         .brief = "the block size that the files will be compressed with",
         .text = "Larger files are cut into blocks of this size.",
         .default_value = "256K",
         .apply = number_into(block_bytes_, kMinBlockBytes, kMaxBlockBytes)},
    };
    append(flags, message_flags());
    return flags;
  }

  /// Trains on all files at once. A file that cannot be opened is reported and left out; nothing is
  /// written if reading fails or the files repeat nothing.
  Result<int> run(std::vector<std::string> operands) override {
    if (operands.empty()) {
      return make_error(ErrorCode::kInvalidArgument, "no file given to train on");
    }
    // This is asked first, because training takes a while.
    if (!may_write()) return exit_status();
    remove_unfinished_files_on_signals();
    for (const std::string& path : expand_operands(operands, files_.recursive)) list(path);
    const Result<std::vector<Byte>> content = without_bad_alloc([&] { return train(); });
    if (!content.ok()) {
      error(problem_path_.empty() ? "train" : problem_path_, content.error());
      // An empty dictionary would be a file that no command accepts.
    } else if (content->empty()) {
      error("train", "the files repeat nothing among each other; no dictionary was written");
    } else {
      write(*content);
    }
    return exit_status();
  }

 private:
  /// Notes a file and its size, so that the selection can be spread evenly.
  void list(const std::string& path) {
    const Result<InputFile> input = InputFile::open(path, InputFile::Directories::kRefusedWithHint);
    if (!input.ok()) return error(shown_name(path), input.error());
    if (!input->is_regular()) return error(shown_name(path), "is not a regular file");
    files_listed_.push_back({path, input->size()});
    listed_bytes_ += input->size();
  }

  /// Reads the selection and trains on it. The spans point into documents_.
  Result<std::vector<Byte>> train() {
    for (const ListedFile& file : files_listed_) PRESSO_TRY(read_selection(file));
    return train_dictionary(std::vector<Bytes>(documents_.begin(), documents_.end()), bytes_);
  }

  /// Reads documents from a file. A document is what will be decoded on its own: a file, or a block
  /// of one. Errors: those of reading; problem_path_ then names the file.
  Status read_selection(const ListedFile& listed) {
    problem_path_ = listed.path;
    PRESSO_ASSIGN(const InputFile input, InputFile::open(listed.path));
    const FdRandomAccess file(input.fd(), input.size());
    for (std::uint64_t at = 0; at < listed.bytes; at += block_bytes_) {
      const std::uint64_t bytes = std::min<std::uint64_t>(block_bytes_, listed.bytes - at);
      // Every file is opened even if none of its blocks is read, so that unreadable ones are
      // noticed.
      if (!is_selected(bytes)) continue;
      documents_.emplace_back(static_cast<std::size_t>(bytes));
      PRESSO_TRY(file.read_at(at, documents_.back()));
    }
    problem_path_.clear();
    return {};
  }

  /// Whether to read the next document, which has `bytes` bytes. Documents are spread evenly: the
  /// bytes read so far are to the bytes seen so far as kMostRead is to all. No random numbers are
  /// needed, so that the same files give the same dictionary.
  bool is_selected(std::uint64_t bytes) {
    seen_bytes_ += bytes;
    const double part = static_cast<double>(seen_bytes_) / static_cast<double>(listed_bytes_);
    const std::uint64_t most = std::min(listed_bytes_, kMostRead);
    const auto wanted = static_cast<std::uint64_t>(part * static_cast<double>(most) + 0.5);
    if (read_bytes_ + bytes > std::min(wanted, most)) return false;
    read_bytes_ += bytes;
    return true;
  }

  /// Standard output is meant by "-" and by no -o at all.
  bool to_stdout() const { return output_.empty() || output_ == kStandardInput; }

  /// Whether the output may be written; asked first, because making a dictionary takes a while.
  /// Returns false after reporting an error.
  bool may_write() const {
    if (files_.force) return true;
    if (to_stdout()) {
      if (isatty(STDOUT_FILENO) == 0) return true;
      error("train", "no dictionary written to a terminal; -o names a file, -f writes it");
      return false;
    }
    if (!would_be_replaced(output_)) return true;
    error(output_, "exists; not overwritten (-f overwrites)");
    return false;
  }

  /// Writes the dictionary, which appears under its name when it is complete.
  void write(Bytes content) {
    if (exit_status() != 0) warning("train", "files that could not be read are left out");
    Result<OutputFile> output = to_stdout()
                                    ? Result<OutputFile>(OutputFile::standard_output())
                                    : OutputFile::create(output_, {.overwrite = files_.force});
    if (!output.ok()) return error(output_, output.error());
    Status done = output->sink().write(content);
    if (done.ok()) done = output->commit({});
    if (!done.ok()) return error(output->name(), done.error());
    verbose(output->name(), grouped(content.size()) + " bytes from " +
                                std::to_string(documents_.size()) + " documents");
  }

  FileOptions files_;
  std::string output_;
  std::uint32_t bytes_ = kUsualBytes;
  std::uint32_t block_bytes_ = kDefaultBlockBytes;
  std::vector<ListedFile> files_listed_;
  std::uint64_t listed_bytes_ = 0;
  std::uint64_t seen_bytes_ = 0;  ///< of listed_bytes_: selected or passed over
  std::uint64_t read_bytes_ = 0;
  std::vector<std::vector<Byte>> documents_;  ///< those selected
  std::string problem_path_;                  ///< the file that could not be read
};

}  // namespace

std::unique_ptr<Command> make_train_command() {
  return std::make_unique<TrainCommand>();
}

}  // namespace presso::cli
