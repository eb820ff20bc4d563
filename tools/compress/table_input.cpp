// SPDX-License-Identifier: MIT
// Opens the text that becomes a table (table_input.h). Only the first bytes are looked at before
// the library reads the text. Declines devices without an end (kInvalidArgument) and compressed
// formats that presso, or this build, cannot read (kUnsupported). Tested by tests/cli/test_table.py
// and tests/cli/test_unusual_files.py.
#include "tools/compress/table_input.h"

#include <algorithm>

#include "tools/columns/load_columns.h"

namespace presso::cli {

/// Opens a table's text, which is plain or compressed by another tool. A regular file can be read
/// twice, once to find out the types; a pipe is read once.
Result<TableInput> TableInput::open(const InputFile& input) {
  PRESSO_TRY(input.check_has_end());
  TableInput opened;
  opened.begun_.resize_discarding(kForeignBytes);
  std::size_t got = 0;
  // A file that claims to be empty, as those of /proc do, is read as a pipe.
  if (input.is_regular() && !input.is_standard_input() && input.size() > 0) {
    opened.file_ = std::make_unique<FdRandomAccess>(input.fd(), input.size());
    got = static_cast<std::size_t>(std::min<std::uint64_t>(input.size(), kForeignBytes));
    PRESSO_TRY(opened.file_->read_at(0, MutableBytes(opened.begun_.data(), got)));
    // Two independent readers of the same file: one finds out the types, the other reads the
    // values.
    for (Text* text : {&opened.text_, &opened.again_}) {
      text->stored = std::make_unique<RangeSource>(*opened.file_, 0, input.size());
    }
  } else {
    opened.text_.stored = std::make_unique<FdSource>(input.fd());
    PRESSO_ASSIGN(got, read_fully(*opened.text_.stored, opened.begun_.mutable_bytes()));
    opened.text_.prefixed =
        std::make_unique<PrefixedSource>(opened.begun_.bytes().first(got), *opened.text_.stored);
  }
  // The format is told by the content, so the name may be any.
  if (begins_columns(opened.begun_.bytes().first(got))) {
    PRESSO_TRY(opened.open_columns());
    return opened;
  }
  PRESSO_ASSIGN(opened.format_, foreign_format(opened.begun_.bytes().first(got)));
  if (opened.is_compressed()) {
    PRESSO_TRY(opened.decompress(opened.text_));
    if (opened.again_.stored) PRESSO_TRY(opened.decompress(opened.again_));
  }
  return opened;
}

Status TableInput::open_columns() {
  if (!file_) {
    VectorSink all(piped_);
    Buffer room;
    room.resize_discarding(1u << 20);
    for (std::size_t got = 1; got > 0;) {
      PRESSO_ASSIGN(got, read_fully(*text_.source(), room.mutable_bytes()));
      PRESSO_TRY(all.write(room.bytes().first(got)));
    }
    in_memory_ = std::make_unique<MemoryRandomAccess>(piped_);
  }
  const RandomAccess* const stored = file_ ? static_cast<RandomAccess*>(file_.get())
                                           : static_cast<RandomAccess*>(in_memory_.get());
  PRESSO_ASSIGN(columns_, presso::cli::open_columns(*stored));
  return {};
}

Result<TableSummary> TableInput::compress_columns(ByteSink& sink, const TableOptions& options) {
  ColumnLoad load;
  load.compress = options.compress;
  load.quick = options.quick;
  load.types = options.types;
  load.sort = options.sort;
  return write_column_table(*columns_, sink, load);
}

/// A file that is not compressed can be cut into parts that are parsed at the same time.
Result<TableSummary> TableInput::compress(ByteSink& sink, const TableOptions& options) {
  if (columns_) return compress_columns(sink, options);
  if (file_ && !is_compressed()) return compress_table(*file_, sink, options);
  return compress_table(*text_.source(), again_.source(), sink, options);
}

Result<TableSummary> TableInput::describe(const TableOptions& options) {
  if (columns_) return describe_columns(*columns_, options.compress.threads);
  if (file_ && !is_compressed()) return describe_table_text(*file_, options);
  return describe_table_text(*text_.source(), again_.source(), options);
}

/// Error: kUnsupported where the library is missing.
Status TableInput::decompress(Text& text) const {
  PRESSO_ASSIGN(text.plain, open_foreign(format_, *text.below()));
  return {};
}

/// The name without .gz, .zst or .lz4, from which the output's name is made.
std::string without_compression_suffix(const std::string& path) {
  for (const std::string_view suffix : {".gz", ".zst", ".lz4"}) {
    const std::string_view text(path);
    if (text.size() > suffix.size() && text.ends_with(suffix)) {
      return path.substr(0, path.size() - suffix.size());
    }
  }
  return path;
}

}  // namespace presso::cli
