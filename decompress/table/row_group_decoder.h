// SPDX-License-Identifier: MIT
// Reads columns of one row group (FORMAT.md 15.3): only the blocks that hold the rows asked for are
// read and decoded. Bad blocks give errors with the block and its offset in the file; sizes were
// checked against limits when the directory was parsed, so nothing larger is allocated.
// Thread-safe: it holds no state but what it is made from.
// Tested by tests/unit/decompress/table/row_group_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "format/columns/row_group.h"
#include "format/columns/token_dictionary.h"
#include "presso/column_data.h"
#include "presso/decompress.h"

namespace presso {

class RowGroupDecoder {
 public:
  /// `schema`, `group` and `file` are kept by reference. `blocks_offset`: of the first block in
  /// `file`. `first_offset` is added to offsets in errors, for a file that is part of another one.
  RowGroupDecoder(const TableSchema& schema, const RowGroup& group, const RandomAccess& file,
                  std::uint64_t blocks_offset, std::uint64_t first_offset = 0,
                  const DecodeOptions& options = {});

  /// `rows` rows of a column of the schema from `first` on; kInvalidArgument where not all are in
  /// the row group. Bits behind the last row are 0.
  Result<ColumnData> read(std::size_t column, std::uint32_t first, std::uint32_t rows) const;
  /// All of them; empty where the schema is not exact.
  Result<ExactLines> exact_lines() const;
  /// Reads and decodes every block.
  Status check() const;

 private:
  struct RowRange {
    std::uint32_t first;
    std::uint32_t rows;
    std::uint32_t end() const { return first + rows; }
  };

  Result<ColumnData> read_rows(std::size_t column, RowRange range) const;
  Status read_validity(const ColumnChunk& chunk, RowRange range, std::vector<Byte>& validity) const;
  Result<ExactLines> read_exact_lines() const;
  Error at_block(Error error, std::uint32_t block) const;
  Result<Buffer> read_stored(std::uint32_t block) const;
  Status decode_integer_block(std::uint32_t block, Byte width_bytes, Byte* into) const;
  Status decode_bytes_block(std::uint32_t block, Byte* into) const;
  Status decode_stored_bytes(std::uint32_t block, const Buffer& stored, Byte* into) const;
  Status read_integers(const ColumnChunk& chunk, ColumnStream stream, Byte width_bytes,
                       RowRange range, Byte* into) const;
  Result<std::vector<std::uint32_t>> read_numbers_of_4_bytes(const ColumnChunk& chunk,
                                                             ColumnStream stream,
                                                             RowRange range) const;
  Status read_all_bytes(const ColumnChunk& chunk, ColumnStream stream, std::uint64_t size,
                        Buffer& into) const;
  Status read_numbers(const ColumnChunk& chunk, RowRange range, ColumnData& column) const;
  Status read_dictionary(const ColumnChunk& chunk, RowRange range, ColumnData& column) const;
  Status read_tokens(const ColumnChunk& chunk, RowRange range, ColumnData& column) const;
  Status decode_token_block(const TokenDictionary& tokens, std::uint32_t block,
                            std::span<const std::uint32_t> counts, MutableBytes into,
                            std::int64_t* offsets) const;
  static Status keep_rows(ColumnData& column, std::uint32_t first, std::uint32_t rows);
  Status read_bytes(const ColumnChunk& chunk, RowRange range, ColumnData& column) const;
  Status read_byte_strings(const ColumnChunk& chunk, std::uint32_t all_rows, RowRange range,
                           std::vector<std::int64_t>& offsets, Buffer& values) const;

  const TableSchema& schema_;
  const RowGroup& group_;
  const RandomAccess& file_;
  std::uint64_t first_offset_;
  DecodeOptions options_;
  std::vector<std::uint64_t> block_offsets_;
};

}  // namespace presso
