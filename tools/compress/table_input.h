// SPDX-License-Identifier: MIT
// The text that becomes a table: a file that can be read at any place; a file that gzip, zstd or
// lz4 wrote, which is decompressed twice, once to find out the types of its columns; or a pipe,
// whose types are found out from its beginning. Parquet and Arrow files have columns in place of
// text. Tested by tests/cli/test_table.py. Decompressing twice costs time and no memory; holding
// the text would cost memory.
#pragma once

#include <memory>
#include <string>

#include "presso/byte_stream.h"
#include "presso/compress_table.h"
#include "tools/io/column_file.h"
#include "tools/io/foreign_source.h"
#include "tools/io/input_file.h"

namespace presso::cli {

/// One input of compress_table(). Memory: 12 bytes at the beginning, and the buffers of a decoder.
class TableInput {
 public:
  /// Opens the text. `input` is kept by reference and must be at its beginning. Errors: kIo;
  /// kInvalidArgument for a device without an end; kUnsupported for a format whose library this
  /// build lacks, or that presso does not read.
  static Result<TableInput> open(const InputFile& input);

  /// Runs compress_table() on it; to be called once. Of a Parquet or Arrow file the columns are
  /// written.
  Result<TableSummary> compress(ByteSink& sink, const TableOptions& options);
  /// Runs describe_table_text() on it; to be called once.
  Result<TableSummary> describe(const TableOptions& options);
  bool is_compressed() const { return format_ != ForeignFormat::kNone; }
  bool has_columns() const { return columns_ != nullptr; }

 private:
  /// A chain of sources: the stored bytes, perhaps with the beginning that was read put back in
  /// front, perhaps decompressed.
  struct Text {
    std::unique_ptr<ByteSource> stored;
    std::unique_ptr<ByteSource> prefixed;
    std::unique_ptr<ByteSource> plain;
    ByteSource* source() const { return plain ? plain.get() : below(); }
    ByteSource* below() const { return prefixed ? prefixed.get() : stored.get(); }
  };
  /// Puts a decompressor between the stored bytes and the reader.
  Status decompress(Text& text) const;

  /// Opens a Parquet or Arrow file; one from a pipe is read as a whole first.
  Status open_columns();
  Result<TableSummary> compress_columns(ByteSink& sink, const TableOptions& options);

  std::unique_ptr<FdRandomAccess> file_;  ///< nullptr for a pipe
  std::vector<Byte> piped_;               ///< a file of columns from a pipe
  std::unique_ptr<MemoryRandomAccess> in_memory_;
  std::unique_ptr<ColumnFile> columns_;
  Buffer begun_;
  ForeignFormat format_ = ForeignFormat::kNone;
  Text text_;
  Text again_;
};

/// The name without a suffix `.gz`, `.zst` or `.lz4`.
std::string without_compression_suffix(const std::string& path);

}  // namespace presso::cli
