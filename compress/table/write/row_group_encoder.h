// SPDX-License-Identifier: MIT
// Turns the columns of a row group into stored blocks and their directory (FORMAT.md 15.3,
// format/columns/row_group.h). Numbers become blocks of integers, or of bytes where that is much
// smaller (block_appender.h). Strings are represented as string_choice.h chooses: by a dictionary
// of whole strings, by tokens, or by bytes of the Bit or Byte coding. Row groups are independent,
// so each thread has an encoder, and the output does not depend on their number. Tested by
// tests/unit/decompress/table/row_group_test.cpp.
#pragma once

#include <span>

#include "compress/table/write/table_encoders.h"
#include "format/columns/row_group.h"
#include "presso/column_data.h"

namespace presso {

/// What the directory tells of the text, and the lines that cannot be printed back.
struct GroupText {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;  ///< line feeds
  std::uint64_t checksum = 0;
  const ExactLines* exact = nullptr;
  Bytes plain;  ///< the text itself, if row groups may be stored as text
};

class BlockAppender;

/// A directory and the blocks that it describes, one after another in its order.
struct EncodedRowGroup {
  RowGroup directory;
  Buffer blocks;
};

/// For one thread; encoders keep their tables from one row group to the next.
class RowGroupEncoder {
 public:
  /// Keeps `schema` by reference.
  RowGroupEncoder(const TableSchema& schema, const TableParameters& parameters)
      : schema_(schema), encoders_(parameters) {}

  /// `columns`: in the order of the schema, all with the same number of rows, 1 .. kMaxGroupRows.
  /// `text`: where schema.exact. `room`: memory that the blocks may use, its content is dropped.
  EncodedRowGroup encode(std::span<const ColumnView> columns, const GroupText& text,
                         Buffer room = {});

 private:
  /// The streams of lines that the columns cannot print back byte for byte.
  static void encode_exact_lines(const ExactLines& lines, BlockAppender& to);
  void list_columns(std::span<const ColumnView> columns, const ExactLines& exact,
                    RowGroup& directory) const;
  void encode_spellings(const ExactLines& exact, std::uint32_t rows, BlockAppender& to);

  const TableSchema& schema_;
  TableEncoders encoders_;
};

}  // namespace presso
