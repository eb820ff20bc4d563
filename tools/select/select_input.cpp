// SPDX-License-Identifier: MIT
// Opens an input of a query as a table (select_input.h). Loading takes two passes over a text, one
// for types and one for values, and the loaded table stays in memory until the query ends. A table
// of presso is not copied. Declines devices without an end, other formats such as Avro
// (kUnsupported), streams that are longer than this machine's memory (kOutOfMemory) or have a line
// of more than 256 MiB, and tables that were cut off (kTruncated). Tested by
// tests/cli/test_select.py and tests/cli/test_unusual_files.py.
#include "tools/select/select_input.h"

#include <unistd.h>

#include <algorithm>

#include "compress/table/text/piece_reader.h"
#include "format/damaged_magic.h"
#include "presso/compress_table.h"
#include "presso/decompress.h"
#include "presso/stopwatch.h"
#include "presso/wire.h"
#include "tools/cli/message.h"
#include "tools/columns/load_columns.h"
#include "tools/compress/file_job.h"
#include "tools/compress/table_input.h"
#include "tools/compress/table_report.h"
#include "tools/io/foreign_source.h"
#include "tools/io/progress.h"

namespace presso::cli {
namespace {

// The least room that a stream is given at a time.
constexpr std::size_t kReadBytes = 1u << 20;
constexpr std::size_t kNamesBytes = 256u << 10;  ///< hold the names of the columns

/// Stored text from its beginning, decompressed if another program compressed it.
class StoredText {
 public:
  explicit StoredText(const RandomAccess& stored) : stored_(stored, 0, stored.size()) {}

  /// `format` is what foreign_format() found; kNone leaves the text as it is.
  Status decompress(ForeignFormat format) {
    if (format == ForeignFormat::kNone) return {};
    PRESSO_ASSIGN(plain_, open_foreign(format, stored_));
    return {};
  }
  ByteSource& source() { return plain_ ? *plain_ : stored_; }

 private:
  RangeSource stored_;
  std::unique_ptr<ByteSource> plain_;
};

/// The name of a format that would be read as text by mistake; nullptr if it is none of them. The
/// magic numbers are those at the beginning of the formats' files.
const char* other_format(Bytes begun) {
  const std::string_view text(reinterpret_cast<const char*>(begun.data()), begun.size());
  if (text.starts_with("FEA1")) return "a Feather file of version 1";
  if (text.starts_with("SQLite form")) return "an SQLite database";
  if (text.starts_with("PK\3\4")) return "a zip archive";
  if (text.starts_with("Obj\1")) return "an Avro file";
  if (text.starts_with("ORC") && text.find('\0') != text.npos) return "an ORC file";
  if (text.starts_with("7z\xBC\xAF")) return "a 7z archive";
  if (text.starts_with("Rar!\x1A")) return "a RAR archive";
  return nullptr;
}

/// The memory of this machine. Without an answer from the system there is no limit.
std::uint64_t memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGE_SIZE);
  if (pages <= 0 || page_bytes <= 0) return ~std::uint64_t{0};
  return static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes);
}

/// The path without ".presso" or the suffix of another compressor, which names the kind of text.
std::string without_suffixes(const std::string& path) {
  if (!has_suffix(path)) return without_compression_suffix(path);
  return path.substr(0, path.size() - kSuffix.size());
}

}  // namespace

/// Opens a file of any kind that a query takes, by its first bytes: a table, a compressed text, or
/// a plain text, which becomes a table in memory.
Result<std::unique_ptr<SelectInput>> SelectInput::open(const std::string& path,
                                                       const SelectInputOptions& options) {
  PRESSO_ASSIGN(InputFile file, InputFile::open(path));
  PRESSO_TRY(file.check_has_end());
  std::unique_ptr<SelectInput> input(new SelectInput(path, std::move(file)));
  // A stream may be longer than memory, which is an error and no crash.
  PRESSO_TRY(without_bad_alloc([&] { return input->read(options); }));
  return input;
}

/// Tells the format from the first bytes and makes a table of the input.
Status SelectInput::read(const SelectInputOptions& options) {
  PRESSO_TRY(find_bytes());
  Byte begin[kMagicEvidenceBytes];
  const auto got = static_cast<std::size_t>(std::min<std::uint64_t>(stored_->size(), sizeof begin));
  const MutableBytes begun(begin, got);
  PRESSO_TRY(stored_->read_at(0, begun));
  // A table is read where it lies; a text that presso compressed is decompressed into memory.
  if (begins_table(begun)) return open_table();
  if (got >= sizeof kFileMagic && has_file_magic(begin)) {
    PRESSO_TRY(decompress(options.threads));
    return begins_columns(held_) ? load_columns(options) : load_text({}, options);
  }
  if (begins_columns(begun)) return load_columns(options);
  // As text it would give an answer that nobody meant.
  PRESSO_TRY(check_promise(path_));
  return load_text(begun, options);
}

/// Sets up the bytes of the input. A file that claims to be empty, as those of /proc do, is read as
/// a pipe.
Status SelectInput::find_bytes() {
  const bool at_begin = !file_.is_standard_input() || lseek(file_.fd(), 0, SEEK_CUR) == 0;
  if (file_.size() == 0 || !at_begin) return read_all();
  stored_ = std::make_unique<FdRandomAccess>(file_.fd(), file_.size());
  return {};
}

/// Reads a stream to its end. The room grows by half each time, so that copying stays linear.
Status SelectInput::read_all() {
  FdSource source(file_.fd());
  std::vector<Byte> bytes;
  for (;;) {
    const std::size_t before = bytes.size();
    bytes.resize(before + std::max(kReadBytes, before / 2));
    const MutableBytes room = MutableBytes(bytes).subspan(before);
    // A piece is read in full before it is checked, so the checks cost little.
    PRESSO_ASSIGN(const std::size_t got, read_fully(source, room));
    PRESSO_TRY(check_read(Bytes(bytes).first(before + got), before));
    if (got == room.size()) continue;
    bytes.resize(before + got);
    hold(std::move(bytes));
    return {};
  }
}

/// Refuses an input that seems to have no end: a stream without line ends, or one that is longer
/// than the memory. `before` is the number of bytes that have been checked. Errors:
/// kInvalidArgument, kOutOfMemory.
Status SelectInput::check_read(Bytes text, std::size_t before) {
  const auto is_line_end = [](Byte byte) { return byte == '\n' || byte == '\r'; };
  const Bytes added = text.subspan(before);
  const auto last = std::find_if(added.rbegin(), added.rend(), is_line_end);
  if (last != added.rend())
    line_begin_ = text.size() - static_cast<std::size_t>(last - added.rbegin());
  if (text.size() - line_begin_ > kMaxRowBytes) {
    return make_error(ErrorCode::kInvalidArgument,
                      "has a line of more than 256 MiB, so it is not a table");
  }
  if (text.size() <= memory_bytes()) return {};
  return make_error(
      ErrorCode::kOutOfMemory,
      "is longer than this machine's memory; of a file only a part is held at a time");
}

/// Takes the place of the file: from here on the input is these bytes.
void SelectInput::hold(std::vector<Byte> bytes) {
  stored_.reset();
  held_ = std::move(bytes);
  stored_ = std::make_unique<MemoryRandomAccess>(held_);
}

/// Decompresses the whole text into memory, for files that are no tables. Errors: those of
/// decompress_stream(), with the damaged block.
Status SelectInput::decompress(unsigned threads) {
  RangeSource source(*stored_, 0, stored_->size());
  std::vector<Byte> plain;
  VectorSink sink(plain);
  DecompressOptions options;
  options.threads = threads;
  PRESSO_TRY(decompress_stream(source, sink, options));
  hold(std::move(plain));
  return {};
}

/// Loads text as a table. The text is read twice, the first time for the types of its columns.
/// `begun` are its first bytes, if they may be those of another program's format.
Status SelectInput::load_text(Bytes begun, const SelectInputOptions& options) {
  if (const char* format = other_format(begun)) {
    return make_error(ErrorCode::kUnsupported,
                      "is " + std::string(format) + ", which presso does not read");
  }
  PRESSO_ASSIGN(const ForeignFormat format, foreign_format(begun));
  // Text that presso has decompressed has no first bytes here, and is no stored file any more.
  const bool is_stored_file = begun.data() != nullptr;
  if (is_stored_file && format == ForeignFormat::kNone) {
    PRESSO_TRY(check_is_plain(begun, stored_.get(), path_));
  }
  StoredText text(*stored_);
  StoredText again(*stored_);
  PRESSO_TRY(text.decompress(format));
  PRESSO_TRY(again.decompress(format));
  Progress progress(name_, format == ForeignFormat::kNone ? stored_->size() : 0, options.progress);
  // The table is made for this query alone, so nothing is kept that only serves to restore the
  // text, and time is not spent on a small size.
  TableOptions table = options.text->options;
  table.text.name = without_suffixes(path_);
  table.types.insert(table.types.end(), options.types.begin(), options.types.end());
  table.exact = false;
  table.quick = true;
  table.compress.threads = options.threads;
  table.compress.on_progress = [&progress](std::uint64_t plain, std::uint64_t) {
    progress.update(plain, plain);
    return true;
  };
  if (options.names_only) return load_names(text.source(), table);
  if (options.bad_rows != nullptr) {
    if (is_input_itself(file_, options.text->bad_rows)) {
      return make_error(ErrorCode::kInvalidArgument, "is what --bad-rows names; not written");
    }
    const bool is_first = options.types.empty();
    table.on_bad_rows = [&options, is_first](Bytes rows) {
      return is_first ? options.bad_rows->write(rows) : Status();
    };
  }
  std::vector<Byte> loaded;
  VectorSink sink(loaded);
  const Stopwatch time;
  PRESSO_ASSIGN(const TableSummary summary,
                format == ForeignFormat::kNone
                    ? compress_table(*stored_, sink, table)
                    : compress_table(text.source(), &again.source(), sink, table));
  is_text_ = true;
  const bool is_first = options.types.empty();
  for (const std::string& note : summary.notes) {
    if (is_first) notice(name_, note);
  }
  if (is_first && summary.bad_rows > 0)
    warning(name_, bad_rows_text(summary, options.text->bad_rows));
  verbose(name_, "loaded into memory: " + grouped(summary.rows) + " rows, " +
                     grouped(summary.plain_bytes) + " bytes of text, " +
                     rate_text(static_cast<double>(summary.plain_bytes) / time.seconds()));
  hold(std::move(loaded));
  return open_table();
}

/// Loads the columns of a Parquet or Arrow file as a table. Names and types stand in its metadata.
Status SelectInput::load_columns(const SelectInputOptions& options) {
  PRESSO_ASSIGN(std::unique_ptr<ColumnFile> file, open_columns(*stored_));
  Progress progress(name_, 0, options.progress);
  ColumnLoad load;
  load.quick = true;
  load.names_only = options.names_only;
  load.needs = [&options](const std::string& name) { return options.columns.needs(name); };
  load.compress.threads = options.threads;
  load.compress.on_progress = [&progress](std::uint64_t plain, std::uint64_t) {
    progress.update(plain, plain);
    return true;
  };
  std::vector<Byte> loaded;
  VectorSink sink(loaded);
  const Stopwatch time;
  const std::uint64_t left_out =
      options.conditions == nullptr ? 0 : file->leave_out(*options.conditions);
  if (left_out > 0) {
    verbose(name_, grouped(left_out) + " rows are left out, as the ranges of row groups tell");
  }
  PRESSO_ASSIGN(const TableSummary summary, write_column_table(*file, sink, load));
  verbose(name_, "loaded into memory: " + grouped(summary.rows) + " rows, " +
                     grouped(summary.plain_bytes) + " bytes of values, " +
                     rate_text(static_cast<double>(summary.plain_bytes) / time.seconds()));
  if (!options.text->options.types.empty()) {
    warning(name_, "is " + std::string(words_of_kind(file->kind())) +
                       ", whose types --schema does not change; CAST does");
  }
  for (const std::string& note : summary.notes) notice(name_, note);
  hold(std::move(loaded));
  PRESSO_TRY(open_table());
  return add_missing_columns(file->schema());
}

/// The question does not name these columns, but the table has them: for messages, and so that
/// several files have the same ones.
Status SelectInput::add_missing_columns(const TableSchema& all) {
  if (table_->schema().columns.size() == all.columns.size()) return {};
  std::vector<ArrangedColumn> columns;
  for (const ColumnSchema& column : all.columns) {
    const auto stored = table_->find_column(column.name);
    columns.push_back({column, stored});
    columns.back().schema.nullable = column.nullable || !stored;
  }
  PRESSO_ASSIGN(table_, table_->arranged(std::move(columns)));
  return {};
}

/// Makes a table of the text's first lines, which is enough for the names of its columns.
Status SelectInput::load_names(ByteSource& text, const TableOptions& options) {
  std::vector<Byte> lines(kNamesBytes);
  PRESSO_ASSIGN(const std::size_t got, read_fully(text, lines));
  lines.resize(got);
  // The last line may have been cut in two by the limit, so it is left out.
  const auto end = std::find(lines.rbegin(), lines.rend(), Byte{'\n'}).base();
  if (got == kNamesBytes && end != lines.begin()) lines.erase(end, lines.end());
  MemorySource source(lines);
  std::vector<Byte> loaded;
  VectorSink sink(loaded);
  TableOptions table = options;
  // Rows that do not fit the columns are no matter for names.
  table.on_bad_rows = [](Bytes) { return Status(); };
  PRESSO_TRY(compress_table(source, nullptr, sink, table));
  is_text_ = true;
  hold(std::move(loaded));
  return open_table();
}

/// Opens the bytes as a table, with a warning if its index had to be rebuilt. Error: kTruncated.
Status SelectInput::open_table() {
  PRESSO_ASSIGN(table_, presso::Table::open(*stored_));
  if (table_->cut_off()) {
    return make_error(ErrorCode::kTruncated,
                      "the end of the file is missing; rows may be missing after row " +
                          grouped(table_->rows()) + ", so there is no answer");
  }
  if (table_->rebuilt()) warning(name_, "the index is damaged; rebuilt from the row groups");
  return {};
}

}  // namespace presso::cli
