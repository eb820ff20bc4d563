// SPDX-License-Identifier: MIT
// A row group as queries read it (FORMAT.md 15.3): its directory, and what all threads share of its
// columns: dictionaries, token dictionaries, places of strings. These are decoded when they are
// first asked for. Thread-safe. column_slice.h reads rows through it.
// Tested by tests/unit/decompress/table/column_slice_test.cpp.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "format/columns/row_group.h"
#include "format/columns/table_file.h"
#include "format/columns/token_dictionary.h"
#include "presso/byte_stream.h"
#include "presso/decompress.h"
#include "presso/table.h"

namespace presso {

/// What was read, over all row groups of a query.
struct ReadCounters {
  std::atomic<std::uint64_t> bytes{0};   ///< stored bytes of blocks
  std::atomic<std::uint64_t> blocks{0};
};

/// The entries of a dictionary column: entry i is bytes [offsets[i], offsets[i + 1]).
struct DictionaryEntries {
  std::vector<std::int64_t> offsets;  ///< one more than entries
  Buffer bytes;
  std::uint32_t size() const { return static_cast<std::uint32_t>(offsets.size() - 1); }
  Bytes entry(std::uint32_t code) const {
    return {bytes.data() + offsets[code],
            static_cast<std::size_t>(offsets[code + 1] - offsets[code])};
  }
};

/// A row group of an opened table, without reading anything: what Table's index knows of it.
struct TableAccess {
  static const TableIndex& index(const Table& table);
  static const RandomAccess& file(const Table& table);
  static const DecodeOptions& options(const Table& table);
};

class GroupReader {
 public:
  /// Reads the directory. `table` is copied (its file must live on); `counters` may be nullptr, else
  /// is kept by reference.
  static Result<std::shared_ptr<const GroupReader>> open(const Table& table, std::uint64_t group,
                                                         ReadCounters* counters = nullptr);

  std::uint64_t group() const;
  std::uint32_t rows() const;
  std::uint64_t first_row() const;  ///< in the table
  const TableSchema& schema() const;
  const RowGroup& directory() const;
  const ColumnChunk& chunk(std::size_t column) const { return directory().columns[column]; }

  /// Between which values rows [first, first + rows) of the column lie, by the zones of the blocks
  /// of the stream values or codes that hold them. For columns of strings and where a zone is not
  /// known, kZoneKnown is not set.
  ColumnZone zone(std::size_t column, std::uint32_t first, std::uint32_t rows) const;
  /// False where no row of [first, first + rows) of a dictionary column is the string with this
  /// hash (XXH3, checksum64()); true where that is not known.
  bool may_hold(std::size_t column, std::uint32_t first, std::uint32_t rows,
                std::uint64_t hash) const;
  /// Stored bytes and number of the column's blocks that hold some of these rows, or that all rows
  /// need (dictionaries).
  struct BlockCost {
    std::uint64_t bytes = 0;
    std::uint64_t blocks = 0;
  };
  BlockCost cost(std::size_t column, std::uint32_t first, std::uint32_t rows) const;

  /// Of a column with that representation; decoded once, kept as long as this object.
  Result<const DictionaryEntries*> dictionary(std::size_t column) const;
  Result<const TokenDictionary*> tokens(std::size_t column) const;
  /// Of a column of strings that are stored as bytes: rows + 1 offsets into all of them.
  Result<const std::vector<std::int64_t>*> string_offsets(std::size_t column) const;

 private:
  // The implementer decides; column_slice.cpp may be a friend.
};

}  // namespace presso
