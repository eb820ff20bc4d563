// SPDX-License-Identifier: MIT
// Reads Arrow's IPC files (Feather version 2, `.arrow`) and IPC streams (`.arrows`) as columns of
// tables. The code is presso's own, as for Parquet (tools/parquet/parquet_reader.h). It reads
// metadata versions 4 and 5, bodies that are compressed with LZ4 or zstd, dictionaries with their
// deltas and, in streams, replacements. Columns get the types that the import of Arrow's C
// interface gives them (presso/compress_arrow.h); ipc_schema.h says how others are shown.
//
// Big-endian files, unions and Feather version 1 are declined. Every length, reference and offset
// is checked; errors name the message, its place and the column. Tested by
// tests/cli/test_arrow_files.py and tests/differential/arrow_oracle.py.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "decompress/arrow/ipc_format.h"
#include "presso/byte_stream.h"
#include "tools/arrow/ipc_arrays.h"
#include "tools/io/column_file.h"

namespace presso::cli {

/// Whether a file that begins with these bytes is an Arrow file or stream. Eight bytes are enough.
bool begins_arrow(Bytes begun);

/// An open file, which is kept by reference.
class ArrowFile final : public ColumnFile {
 public:
  /// Reads the schema and the dictionaries; of a stream those before the first batch. Errors:
  /// kInvalidArgument, kUnsupported, those of the file.
  static Result<std::unique_ptr<ArrowFile>> open(const RandomAccess& file);
  ~ArrowFile() override;

  const TableSchema& schema() const override { return schema_; }
  const std::vector<std::string>& notes() const override { return notes_; }
  std::string_view kind() const override { return "arrow"; }
  Status read(std::span<const std::size_t> columns, unsigned threads,
              const OnRows& on_rows) const override;

 private:
  struct Message;
  class Rows;
  /// Where a message of a file begins, and what it has.
  struct Block {
    std::uint64_t at = 0;
    IpcHeader header = IpcHeader::kRecordBatch;
  };

  explicit ArrowFile(const RandomAccess& file) : file_(file) {}
  Status open_file();
  Status open_stream();
  Status take_fields(const FlatTable& schema);
  void add_blocks(Bytes blocks, IpcHeader header);
  Status add_dictionaries(const IpcField& field);
  Status finish_schema();
  Result<Message> message_at(std::uint64_t at) const;
  Status read_dictionary(const Message& message, IpcDictionaries& dictionaries) const;
  template <class OnMessage>
  Status each_message(const OnMessage& on_message) const;

  const RandomAccess& file_;
  bool is_stream_ = false;
  std::uint64_t begin_ = 0;    ///< of a stream's messages after the schema
  std::vector<Block> blocks_;  ///< of a file
  std::vector<IpcField> fields_;
  std::map<std::int64_t, const IpcField*> values_;  ///< the types of dictionaries, by number
  IpcDictionaries dictionaries_;                    ///< of a file, or those of a stream's beginning
  TableSchema schema_;
  std::vector<std::string> notes_;
};

}  // namespace presso::cli
