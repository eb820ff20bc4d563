// SPDX-License-Identifier: MIT
// The text that becomes a table: of a file twice, once for the types of its columns, of a pipe
// once. What gzip, zstd or lz4 wrote is decompressed on the way. Tested by tests/cli/test_table.py.
#pragma once

#include <memory>
#include <string>

#include "presso/byte_stream.h"
#include "tools/io/foreign_source.h"
#include "tools/io/input_file.h"

namespace presso::cli {

class TableInput {
 public:
  /// `input` is kept by reference, at its begin. Errors: kIo; kUnsupported for a format whose
  /// library this build lacks.
  static Result<TableInput> open(const InputFile& input);

  ByteSource& text() { return *text_.source(); }
  /// The same once more; nullptr for a pipe.
  ByteSource* text_again() { return again_.source(); }
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

  std::unique_ptr<FdRandomAccess> file_;
  Buffer begun_;
  ForeignFormat format_ = ForeignFormat::kNone;
  Text text_;
  Text again_;
};

/// `path` without `.gz`, `.zst` or `.lz4`.
std::string without_compression_suffix(const std::string& path);

}  // namespace presso::cli
