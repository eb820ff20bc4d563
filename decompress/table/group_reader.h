// SPDX-License-Identifier: MIT
// A row group as queries read it (FORMAT.md 15.3): its directory, and what all threads share of
// its columns, namely dictionaries, token dictionaries and places of strings. These are decoded
// when they are first asked for, and kept. Thread-safe. column_slice.h reads rows through it.
// Tested by tests/unit/decompress/table/group_reader_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "decompress/table/block_reader.h"
#include "decompress/table/kept_directories.h"
#include "decompress/table/packed_group.h"
#include "decompress/table/row_group_decoder.h"
#include "format/columns/row_group.h"
#include "format/columns/table_file.h"
#include "format/columns/token_dictionary.h"
#include "presso/byte_stream.h"
#include "presso/decompress.h"
#include "presso/table.h"

namespace presso {

/// Access to the private parts of an opened table, for the classes of this room.
struct TableAccess {
  static const TableIndex& index(const Table& table) { return *table.index_; }
  static const RandomAccess& file(const Table& table) { return *table.file_; }
  static const DecodeOptions& options(const Table& table) { return table.options_; }
  static UnpackedGroups& unpacked(const Table& table) { return *table.unpacked_; }
  /// nullptr: directories are read each time.
  static const std::shared_ptr<KeptDirectories>& directories(const Table& table) {
    return table.directories_;
  }
  static std::shared_ptr<KeptDirectories>& directories(Table& table) { return table.directories_; }
};

/// The directory of a row group, as it is kept or else as it is read now. Row groups that are
/// packed come unpacked, with their blocks.
Result<std::shared_ptr<const GroupDirectory>> directory_of(const Table& table, std::uint64_t group,
                                                           ReadCounters* counters = nullptr);
/// The decoder of a row group with this directory. Keeps all by reference.
RowGroupDecoder decoder_of(const Table& table, std::uint64_t group, const GroupDirectory& directory,
                           ReadCounters* counters = nullptr);

/// A row group, shared by all threads that read it, mostly through std::shared_ptr. Memory: the
/// directory, and those dictionaries and offsets that were asked for.
class GroupReader {
 public:
  /// Reads the directory, unless it is kept (kept_directories.h). `table` is copied (its file must
  /// live on); `counters` may be nullptr, else is kept by reference.
  static Result<std::shared_ptr<const GroupReader>> open(const Table& table, std::uint64_t group,
                                                         ReadCounters* counters = nullptr);

  std::uint64_t group() const { return group_; }
  /// Unique among all objects of the process; from 1 on.
  std::uint64_t id() const { return id_; }
  std::uint32_t rows() const { return directory().rows; }
  std::uint64_t first_row() const { return place().first_row; }  ///< in the table
  const TableSchema& schema() const;                             ///< of the row group's member
  const RowGroup& directory() const { return directory_->row_group; }
  const ColumnChunk& chunk(std::size_t column) const { return directory().columns[column]; }

  /// The range of the values of rows [first, first + rows), joined from the zones of the blocks
  /// that hold them. It is never too narrow but may be too wide. For strings, and if the zone of a
  /// block is not known, kZoneKnown is not set. `nulls` is an upper bound.
  ColumnZone zone(std::size_t column, std::uint32_t first, std::uint32_t rows) const;
  /// False if no row of [first, first + rows) of a dictionary column is the string with this
  /// hash (XXH3, checksum64()); true also if that is not known.
  bool may_hold(std::size_t column, std::uint32_t first, std::uint32_t rows,
                std::uint64_t hash) const;
  /// What reading some rows of a column costs: stored bytes, and number, of the column's blocks
  /// that hold some of these rows or that all rows need (dictionaries, lengths of strings stored as
  /// bytes). Which blocks of bytes hold the rows is estimated. The planner weighs columns by it.
  struct BlockCost {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
  };
  BlockCost cost(std::size_t column, std::uint32_t first, std::uint32_t rows) const;

  /// The dictionary, or the tokens, of a column with that representation (kInvalidArgument for
  /// others). They are decoded once and kept as long as this object; an error is kept, too.
  Result<const DictionaryEntries*> dictionary(std::size_t column) const;
  Result<const TokenDictionary*> tokens(std::size_t column) const;
  /// For a column of strings stored as bytes: rows + 1 offsets into all of its bytes.
  Result<const std::vector<std::int64_t>*> string_offsets(std::size_t column) const;

  /// The blocks `first` to `end` - 1 of the directory.
  struct BlockRange {
    std::uint32_t first = 0;
    std::uint32_t end = 0;
  };
  /// The blocks of a column's stream that hold some of its rows [begin, end); for the stream of
  /// bytes, some of its bytes.
  BlockRange blocks_of(std::size_t column, ColumnStream stream, std::uint64_t begin,
                       std::uint64_t end) const;
  /// The first row of a block; in the stream bytes the first byte.
  std::uint64_t begin_of(std::uint32_t block) const { return directory_->begins[block]; }
  const RowGroupDecoder& decoder() const { return decoder_; }
  const BlockReader& blocks() const { return decoder_.blocks(); }

 private:
  /// A value that is made once for all threads.
  template <class T>
  struct Once {
    std::once_flag flag;
    std::optional<Result<T>> made;
  };
  struct Shared {
    Once<DictionaryEntries> dictionary;
    Once<TokenDictionary> tokens;
    Once<std::vector<std::int64_t>> offsets;
  };

  GroupReader(const Table& table, std::uint64_t group,
              std::shared_ptr<const GroupDirectory> directory, ReadCounters* counters);
  const GroupPlace& place() const { return TableAccess::index(table_).groups()[group_]; }
  BlockRange stream_blocks(std::size_t column, ColumnStream stream) const;
  template <class T, class Make>
  Result<const T*> once(std::size_t column, Representation representation, Once<T> Shared::*part,
                        const Make& make) const;

  Table table_;
  std::uint64_t group_;
  std::uint64_t id_;
  std::shared_ptr<const GroupDirectory> directory_;
  RowGroupDecoder decoder_;
  std::unique_ptr<Shared[]> shared_;
};

}  // namespace presso
