// SPDX-License-Identifier: MIT
// Reads columns of one row group (FORMAT.md 15.3). Only the blocks that hold the wanted rows
// are read and decoded. Bad blocks give errors with the block and its offset in the file. Sizes
// were checked against limits when the directory was parsed, so nothing larger is allocated.
// Thread-safe, as it has no state but its inputs. Tested by
// tests/unit/decompress/table/row_group_test.cpp.
#pragma once

#include <span>
#include <vector>

#include "decompress/table/block_reader.h"
#include "format/columns/row_group.h"
#include "format/columns/token_dictionary.h"
#include "presso/column_data.h"
#include "presso/decompress.h"

namespace presso {

/// The entries of a dictionary column: entry i is bytes [offsets[i], offsets[i + 1]).
struct DictionaryEntries {
  std::vector<std::int64_t> offsets;  ///< one more than there are entries
  Buffer bytes;
  std::uint32_t size() const { return static_cast<std::uint32_t>(offsets.size() - 1); }
  std::int64_t length(std::uint32_t code) const { return offsets[code + 1] - offsets[code]; }
  Bytes entry(std::uint32_t code) const {
    return {bytes.data() + offsets[code], static_cast<std::size_t>(length(code))};
  }
};

/// The decoder of one row group: for exports, checks and GPU loaders, and for queries where blocks
/// are cut in a way that ColumnSlice cannot use. It reads what is asked for anew each time and
/// keeps nothing; GroupReader keeps what queries need often.
class RowGroupDecoder {
 public:
  /// Keeps `schema`, `group`, `file` and `counters` by reference. `blocks_offset`: where the
  /// first block begins in `file`. `first_offset` is added to offsets in errors, for a file
  /// that is a part of another one.
  RowGroupDecoder(const TableSchema& schema, const RowGroup& group, const RandomAccess& file,
                  std::uint64_t blocks_offset, std::uint64_t first_offset = 0,
                  const DecodeOptions& options = {}, ReadCounters* counters = nullptr);

  /// `rows` rows of a column of the schema from `first` on; kInvalidArgument if not all are in
  /// the row group. Validity bits after the last row are 0.
  Result<ColumnData> read(std::size_t column, std::uint32_t first, std::uint32_t rows) const;
  /// Returns all exact lines: rows that are stored as text, too, because their values do not print
  /// back to the same bytes. Empty if the table was not made to give its text back exactly.
  Result<ExactLines> exact_lines() const;
  /// What all rows of a string column need: the entries of one with a dictionary, the tokens of
  /// one with tokens, and the offsets of one stored as bytes (where each row begins, and the
  /// end). The column must have that representation.
  Result<DictionaryEntries> dictionary(std::size_t column) const;
  Result<TokenDictionary> tokens(std::size_t column) const;
  Result<std::vector<std::int64_t>> string_offsets(std::size_t column) const;
  /// Values of numbers, bools or a stream of integers: `rows` values from `first` on, of
  /// `width_bytes` each (0: bits, which must be 0 before). Buffer::kSlack bytes after them are
  /// overwritten.
  Status read_stream(std::size_t column, ColumnStream stream, Byte width_bytes, std::uint32_t first,
                     std::uint32_t rows, Byte* into) const {
    return read_integers(group_.columns[column], stream, width_bytes, {first, rows}, into);
  }
  const BlockReader& blocks() const { return blocks_; }
  /// Reads and decodes every block.
  Status check() const;

 private:
  /// Rows of the row group.
  struct RowRange {
    std::uint32_t first;
    std::uint32_t rows;
    std::uint32_t end() const { return first + rows; }
  };

  // One function for each representation, and the parts that they share.
  Result<ColumnData> read_rows(std::size_t column, RowRange range) const;
  Status read_validity(const ColumnChunk& chunk, RowRange range, std::vector<Byte>& validity) const;
  Result<ExactLines> read_exact_lines() const;
  Status read_spellings(std::vector<ColumnData>& spellings) const;
  Status read_integers(const ColumnChunk& chunk, ColumnStream stream, Byte width_bytes,
                       RowRange range, Byte* into) const;
  Result<std::vector<std::uint32_t>> read_numbers_of_4_bytes(const ColumnChunk& chunk,
                                                             ColumnStream stream,
                                                             RowRange range) const;
  Status read_all_bytes(const ColumnChunk& chunk, ColumnStream stream, std::uint64_t size,
                        Buffer& into) const;
  Result<DictionaryEntries> read_entries(const ColumnChunk& chunk) const;
  Result<TokenDictionary> read_token_dictionary(const ColumnChunk& chunk) const;
  Result<std::vector<std::int64_t>> read_offsets(const ColumnChunk& chunk,
                                                 std::uint32_t rows) const;
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
  BlockReader blocks_;
};

}  // namespace presso
