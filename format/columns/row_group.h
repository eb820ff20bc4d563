// SPDX-License-Identifier: MIT
// The directory of a row group (FORMAT.md 15.3). A table's rows are cut into row groups; in each,
// every column has one or more blocks that are coded on their own. The directory says how each
// column is represented, and for each block its size, its rows and the least and greatest value in
// it (its zone). It stands before the blocks, so that a reader of a pipe can pass over columns, and
// one with random access needs a single small read. About 20 bytes a block, and 2 to 8 a column.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "presso/table_schema.h"
#include "presso/wire.h"

namespace presso {

constexpr std::uint32_t kMaxGroupRows = 1u << 24;
constexpr std::uint32_t kMaxGroupValues = 1u << 26;  ///< rows times stored columns
constexpr std::uint64_t kMaxRowGroupPayload = 256u << 20;
/// The limit of a row group's text, and of all bytes in its string columns.
constexpr std::uint64_t kMaxGroupTextBytes = std::uint64_t{1} << 32;
constexpr std::uint32_t kMaxDictionaryEntries = 65536;
constexpr std::uint64_t kMaxEntryBytes = 2u << 20;  ///< of all entries of a dictionary column

/// The most rows that a row group of this many stored columns may have.
inline std::uint32_t most_group_rows(std::size_t columns) {
  const std::size_t most = kMaxGroupValues / std::max<std::size_t>(columns, 1);
  return static_cast<std::uint32_t>(std::min<std::size_t>(most, kMaxGroupRows));
}

/// How a column is stored in one row group. The numbers are stored in files.
enum class Representation : Byte {
  kNull = 0,        ///< all rows are null: no blocks
  kPlain = 1,       ///< values
  kDictionary = 2,  ///< strings: lengths and bytes of the entries, codes
  kToken = 3,       ///< strings: token dictionary, token counts, tokens
  kBytes = 4,       ///< strings: lengths, bytes
  kExactLines = 5,  ///< after the last column, where the text is exact: row numbers, lengths, bytes
  kPacked = 6,      ///< a field of packed rows (packed_rows.h), for any column
};

/// Which part of a column a block holds: a representation stores a column as one or more streams,
/// each in blocks of its own. A column's streams stand in this order. Values of the streams of
/// integers (kEntryLengths, kRows, kValues, kCodes, kLengths, kTokenCounts) and of kValidity are
/// coded as integer_layout.h says, or as bytes (raw, Byte or Bit). The numbers are stored in files.
enum class ColumnStream : Byte {
  kValidity = 0,         ///< bits, 1 where there is a value; absent where there is no null
  kEntryLengths = 1,     ///< of a dictionary's entries: integers of 4 bytes
  kEntryBytes = 2,       ///< of all entries, one after another: raw, Byte or Bit
  kTokenDictionary = 3,  ///< token_dictionary.h: raw, Byte or Bit
  kRows = 4,             ///< row numbers of exact lines: integers of 4 bytes
  kValues = 5,           ///< values of any type except strings: integers of the type's bytes
  kCodes = 6,            ///< of a dictionary: integers of 4 bytes
  kLengths = 7,          ///< of strings: integers of 8 bytes
  kTokenCounts = 8,      ///< of strings: integers of 4 bytes
  kTokens = 9,           ///< tokens
  kBytes = 10,           ///< of strings, one after another: raw, Byte or Bit
  kPackedRows = 11,      ///< of the first column that is packed, for all of them: raw, Byte or Bit
  kTextCuts = 12,        ///< of this column, too, where packed rows are the text (text_cuts.h)
};
constexpr Byte kLastStream = static_cast<Byte>(ColumnStream::kTextCuts);

// Flags of ColumnBlock::zone_flags: what `least` and `most` say.
constexpr Byte kZoneKnown = 1;    ///< least and most are right for all values that are not null
constexpr Byte kZoneHasNan = 2;   ///< there are NaNs, which least and most leave out
constexpr Byte kZoneHasNull = 4;  ///< there are nulls, which they leave out
constexpr Byte kZoneNoValue = 8;  ///< all are null or NaN
constexpr Byte kAllZoneFlags = 15;

/// Whether blocks of this stream carry the range of the column's values: it is the stream that has
/// an entry for each row.
constexpr bool holds_zones(ColumnStream stream) {
  return stream == ColumnStream::kValues || stream == ColumnStream::kCodes ||
         stream == ColumnStream::kLengths || stream == ColumnStream::kTokenCounts;
}

/// One block as the directory describes it.
struct ColumnBlock {
  std::uint32_t stored_bytes = 0;
  std::uint32_t plain_bytes = 0;
  /// Rows (entries, exact lines) whose values begin in the block; 0 where it only continues one.
  std::uint32_t rows = 0;
  ColumnStream stream = ColumnStream::kValues;
  Byte zone_flags = 0;
  // The zone: images (zone_image.h) of the least and the greatest value.
  std::uint64_t least = 0;
  std::uint64_t most = 0;
  // In blocks of kCodes, bit (checksum64 >> 58) is set for each string that occurs. A search for a
  // string skips the block where its bit is 0.
  std::uint64_t presence = 0;
};

/// One column of a row group as the directory describes it.
struct ColumnChunk {
  Representation representation = Representation::kNull;
  std::uint32_t nulls = 0;
  std::uint32_t distinct = 0;     ///< an estimate; exact for dictionaries; 0: not known
  std::uint32_t entries = 0;      ///< of a dictionary; of a packed column its field, from 1 on
  std::uint64_t value_bytes = 0;  ///< strings: bytes of all rows, repeated ones counted each time
  std::uint32_t first_block = 0;  ///< in RowGroup::blocks
  std::uint32_t blocks = 0;
};

/// A whole directory. Owned by value; blocks are found by ColumnChunk::first_block.
struct RowGroup {
  std::uint32_t rows = 0;
  std::uint64_t text_bytes = 0;      ///< of the rows as text; 0 unless TableSchema::exact
  std::uint64_t text_lines = 0;      ///< line feeds of it
  std::uint64_t text_checksum = 0;   ///< checksum64 of it
  std::vector<ColumnChunk> columns;  ///< of the schema, then of exact lines and of spellings
  std::vector<ColumnBlock> blocks;   ///< column by column, in file order

  /// Bytes of all blocks in the file.
  std::uint64_t stored_bytes() const;
  /// Whether some columns are packed.
  bool is_packed() const;
  /// Whether they are packed as the row group's text.
  bool is_text() const;
};

/// The number of columns whose fields have spellings, which exact tables store.
inline std::size_t spelled_columns(const TableSchema& schema) {
  if (!schema.exact) return 0;
  return static_cast<std::size_t>(
      std::count_if(schema.columns.begin(), schema.columns.end(),
                    [](const ColumnSchema& column) { return column.spelled; }));
}
/// The number of columns that a row group of such a table stores. Where the text is exact, a column
/// of rows that are stored as text and the columns of spellings follow the schema's.
inline std::size_t stored_columns(const TableSchema& schema) {
  return schema.columns.size() + (schema.exact ? 1 : 0) + spelled_columns(schema);
}

/// Returns the payload of a directory that parse_row_group() would take.
std::vector<Byte> serialise_row_group(const RowGroup& group);
/// Checks everything that can be judged without the blocks: sizes within limits, streams that
/// belong to the representation and stand in order, rows that add up. Error: kBadRowGroup,
/// naming the column.
Result<RowGroup> parse_row_group(Bytes payload, const TableSchema& schema);

}  // namespace presso
