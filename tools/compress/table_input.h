// SPDX-License-Identifier: MIT
// The text that becomes a table: a file that can be read at any place, a file that is decompressed
// on the way (what gzip, zstd or lz4 wrote) twice, once for the types of its columns, or a pipe.
// Tested by tests/cli/test_table.py.
#pragma once

#include <memory>
#include <string>

#include "presso/byte_stream.h"
#include "presso/compress_table.h"
#include "tools/io/foreign_source.h"
#include "tools/io/input_file.h"

namespace presso::cli {

class TableInput {
 public:
  /// `input` is kept by reference, at its begin. Errors: kIo; kUnsupported for a format whose
  /// library this build lacks.
  static Result<TableInput> open(const InputFile& input);

  /// compress_table() of it.
  Result<TableSummary> compress(ByteSink& sink, const TableOptions& options);
  bool is_compressed() const { return format_ != ForeignFormat::kNone; }

 private:
  struct Text {
    std::unique_ptr<ByteSource> stored;
    std::unique_ptr<ByteSource> prefixed;
    std::unique_ptr<ByteSource> plain;
    ByteSource* source() const { return plain ? plain.get() : below(); }
    ByteSource* below() const { return prefixed ? prefixed.get() : stored.get(); }
  };
  Status decompress(Text& text) const;

  std::unique_ptr<FdRandomAccess> file_;  ///< nullptr for a pipe
  Buffer begun_;
  ForeignFormat format_ = ForeignFormat::kNone;
  Text text_;
  Text again_;
};

/// `path` without `.gz`, `.zst` or `.lz4`.
std::string without_compression_suffix(const std::string& path);

}  // namespace presso::cli
