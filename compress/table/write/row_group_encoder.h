// SPDX-License-Identifier: MIT
// Turns the columns of a row group into stored blocks and their directory (FORMAT.md 15.3). Numbers
// become blocks of integers; strings are represented in whichever way a trial on a sample says is
// smallest: a dictionary of whole strings, tokens, or bytes of the Bit or Byte coding. Row groups
// do not depend on each other, so each thread has an encoder of its own and the output does not
// depend on their number. Tested by tests/unit/compress/table/row_group_test.cpp.
#pragma once

#include <span>

#include "compress/table/write/table_encoders.h"
#include "format/columns/row_group.h"
#include "presso/column_data.h"

namespace presso {

/// What the text of a row group adds to its columns.
struct GroupText {
  std::uint64_t bytes = 0;
  std::uint64_t lines = 0;  ///< line feeds
  std::uint64_t checksum = 0;
  const ExactLines* exact = nullptr;
};

class BlockAppender;

struct EncodedRowGroup {
  RowGroup directory;
  Buffer blocks;
};

class RowGroupEncoder {
 public:
  /// `schema` is kept by reference.
  RowGroupEncoder(const TableSchema& schema, const TableParameters& parameters)
      : schema_(schema), encoders_(parameters) {}

  /// `columns`: in the order of the schema, all with the same number of rows, 1 .. kMaxGroupRows.
  /// `text`: where schema.exact. `room`: memory that the blocks may use, its content is dropped.
  EncodedRowGroup encode(std::span<const ColumnView> columns, const GroupText& text,
                         Buffer room = {});

 private:
  static void encode_exact_lines(const ExactLines& lines, BlockAppender& to);

  const TableSchema& schema_;
  TableEncoders encoders_;
};

}  // namespace presso
