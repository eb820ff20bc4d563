// SPDX-License-Identifier: MIT
// Turns the columns of a row group into stored blocks and their directory (FORMAT.md 15.3). Numbers
// become blocks of integers; strings are represented in whichever way a trial on a sample says is
// smallest: a dictionary of whole strings, tokens, or bytes of the Bit or Byte coding. Row groups
// do not depend on each other, so each thread has an encoder of its own and the output does not
// depend on their number. Tested by tests/unit/compress/table/row_group_test.cpp.
#pragma once

#include <span>

#include "compress/encode/block_encoder.h"
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

/// How blocks of bytes are coded.
struct TableParameters {
  EncoderParameters strings;
  EncoderParameters integers;
};

/// Without a level it is 6: most of a table are integers and codes, so that this takes a few
/// percent more time than level 3. From level 7 on blocks have 4 MiB. Integers are coded at level 4
/// where strings are at 5 to 9: these prefer long matches far away, which in arrays of numbers cost
/// up to a third (a table of sensors' readings, 2026).
TableParameters table_parameters(const CompressOptions& options);

struct EncodedRowGroup {
  RowGroup directory;
  Buffer blocks;
};

class RowGroupEncoder {
 public:
  /// `schema` is kept by reference.
  RowGroupEncoder(const TableSchema& schema, const TableParameters& parameters)
      : schema_(schema),
        block_bytes_(parameters.strings.parser.block_bytes),
        bytes_encoder_(parameters.strings),
        integers_encoder_(parameters.integers) {}

  /// `columns`: in the order of the schema, all with the same number of rows, 1 .. kMaxGroupRows.
  /// `text`: where schema.exact.
  EncodedRowGroup encode(std::span<const ColumnView> columns, const GroupText& text);

 private:
  static void encode_exact_lines(const ExactLines& lines, BlockAppender& to);

  const TableSchema& schema_;
  std::uint32_t block_bytes_;
  BlockEncoder bytes_encoder_;
  BlockEncoder integers_encoder_;
};

}  // namespace presso
