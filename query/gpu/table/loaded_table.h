// SPDX-License-Identifier: MIT
// Tables in device memory: the blocks of some columns in their stored form. They are compared with
// their checksums and validated on the device when they arrive, so that kernels can read them any
// number of times without checking bounds. Blocks of text are checked later, when they are decoded.
// Tested by tests/queries/one_table.txt.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "decompress/columns/gpu/column_batch.h"
#include "decompress/gpu/runtime/memory.h"
#include "decompress/table/group_reader.h"
#include "query/gpu/kernels/column_forms.h"
#include "query/gpu/kernels/table_block.h"
#include "query/gpu/strings/string_choice.h"
#include "query/gpu/table/load_times.h"
#include "query/gpu/table/run_space.h"
#include "query/rows/row_group_cursor.h"

namespace presso::gpu {

/// A slice as the host knows it.
struct LoadedSlice {
  std::uint32_t group = 0;  ///< in LoadedTable::groups()
  std::uint32_t first = 0;  ///< of its rows, in the row group
  std::uint32_t rows = 0;
  std::uint64_t first_row = 0;  ///< in all tables together
};

/// A row group of which slices were loaded.
struct LoadedGroup {
  std::shared_ptr<const GroupReader> reader;
  std::size_t table = 0;
  std::uint64_t first_row = 0;  ///< in all tables together
};

/// A column's strings in a row group, as they are stored: tokens or bytes. Of tokens the blocks
/// that have rows of loaded slices, of bytes all. Blocks lie in device memory and are not bound to
/// slices.
struct LoadedStrings {
  struct Counts {
    std::uint32_t block = 0;  ///< of the row group, for errors
    std::uint32_t first_row = 0;
    ColumnPayload payload;
    IntegerParameters parameters;
    bool is_plain = false;  ///< the payload is the counts
  };
  struct Codes {
    std::uint32_t block = 0;
    std::uint32_t first_row = 0;
    std::uint32_t rows = 0;
    std::uint32_t codes = 0;
    ColumnPayload payload;
    std::uint32_t first_code = 0;  ///< of all of the row group, where step_begins is known
  };
  /// A block of bytes, which no decoder has seen yet.
  struct Text {
    std::uint32_t block = 0;
    std::uint32_t stored_bytes = 0;
    std::uint32_t plain_bytes = 0;
    const Byte* stored = nullptr;  ///< as in the file, with its header, which is as it must be
  };
  std::uint32_t column = 0;    ///< of those that were asked for
  std::uint32_t group = 0;     ///< in LoadedTable::groups()
  std::vector<Counts> counts;  ///< of codes, of 4 bytes each; or of bytes, of 8
  std::vector<Codes> codes;
  std::vector<Text> text;
  bool has_bytes = false;    ///< it has no tokens
  bool is_verified = false;  ///< payloads, but those of text, were compared with their checksums
  /// In device memory, of tables that stay (string_places.h): for each 32 rows of
  /// the row group, how many codes are before them. Counts and codes have been checked, and a block
  /// of counts begins at each multiple of kMaxIntegerRows. nullptr: not known.
  const std::uint32_t* step_begins = nullptr;
  StringSample sample;  ///< the first rows, of a column's first row group only
};

/// The form that the vectors of a column have been brought to (usual_columns.h): numbers of one
/// width above a base.
struct UsualForm {
  Byte width = 0;
  std::uint64_t divisor = 1;
  std::uint64_t others = 0;  ///< vectors that are still stored otherwise

  bool is_same(const UsualForm& other) const {
    return width == other.width && divisor == other.divisor;
  }
};

/// Some row groups; move-only. The memory is given back with it, when the device has no more use
/// for it: whoever enqueued work on it waits first.
class LoadedTable {
 public:
  /// Device memory; columns are those that were asked for, in that order.
  const TableBlocks& blocks() const { return blocks_; }
  const std::vector<LoadedSlice>& slices() const { return slices_; }
  const std::vector<LoadedGroup>& groups() const { return groups_; }
  /// The strings of columns that row groups store as tokens or bytes; these are in no block of
  /// blocks().
  const std::vector<LoadedStrings>& strings() const { return strings_; }
  /// In which forms the vectors of each column are stored.
  const std::vector<ColumnForms>& vector_forms() const { return vector_forms_; }
  /// The form of TableBlock::places of the column's blocks; nothing: these have none.
  const std::optional<UsualForm>& form_of(std::size_t column) const { return forms_[column]; }
  std::uint64_t rows() const { return rows_; }
  /// All of it was in device memory before the query.
  bool is_resident() const { return is_resident_; }
  /// The same as blocks() has in device memory, of a column for each slice.
  const std::vector<TableBlock>& blocks_of(std::size_t column) const {
    return host_blocks_[column];
  }
  /// How many bytes of device memory are given back with it.
  std::uint64_t device_bytes() const;
  /// For measurements in which the same rows lie in device memory otherwise than here.
  void set_vector_forms(std::vector<ColumnForms> forms) {
    vector_forms_ = std::move(forms);
    forms_.assign(vector_forms_.size(), std::nullopt);
  }

 private:
  friend class LoadingPart;
  friend class TableParts;    ///< table_parts.h
  friend class UsualColumns;  ///< usual_columns.h
  friend class StringPlaces;  ///< string_places.h

  std::vector<DeviceMemory> memory_;
  std::vector<std::shared_ptr<const void>> keeps_;  ///< what owns the rest of the memory
  TableBlocks blocks_;
  std::vector<std::vector<TableBlock>> host_blocks_;  ///< by column, then by slice
  std::vector<LoadedSlice> slices_;
  std::vector<LoadedGroup> groups_;
  std::vector<LoadedStrings> strings_;
  std::vector<ColumnForms> vector_forms_;
  std::vector<std::optional<UsualForm>> forms_;
  std::uint64_t rows_ = 0;
  bool is_resident_ = false;
};

/// Which of a row group's rows are wanted; a slice of which none is does not come to the device.
/// Several threads ask at once.
using WantsRows =
    std::function<Result<bool>(const GroupReader& group, std::uint32_t first, std::uint32_t rows)>;

/// What a TableLoader is to do with columns that are strings stored as tokens or bytes.
struct StringLoading {
  /// Bits of the columns, by their numbers among those that are loaded, whose strings are wanted:
  /// of others only nulls come. Nothing: all are wanted.
  std::optional<std::uint32_t> wanted;
  bool is_verified = false;  ///< payloads are compared with their checksums as they are read
  bool takes_bytes = false;  ///< else a column of bytes whose strings are wanted is kUnsupported
};

/// kUnsupported, with the reason, where a column of a row group is stored in a form that kernels do
/// not read: but for bytes as these are not seen before they are loaded.
Status check_form(const GroupReader& group, std::size_t column);

class LoadingPart;
struct OpenedGroup;

/// Loads the row groups of tables, part by part. While the caller does something with a part,
/// threads read the next ones. Not thread-safe. What it gives may be used by whatever is enqueued
/// after that, on any stream.
class TableLoader {
 public:
  /// All but `strings` are kept by reference. `columns`: of the tables, which have the same ones;
  /// each a number or strings. `counters` counts what is read,
  /// by so many threads. `wants` is asked for each slice once.
  TableLoader(const RunSpace& space, const std::vector<Table>& tables,
              std::vector<std::size_t> columns, ReadCounters& counters, unsigned threads,
              WantsRows wants, StringLoading strings = {});
  ~TableLoader();

  /// The next row groups that have wanted rows, at least one; nullopt after the last one. Waits
  /// until they are there and checked, and before that for all work on the space's stream, whose
  /// memory it may get. Parts that are under way and this one take at most `most_bytes` of device
  /// memory, if a row group does not take more.
  ///
  /// Errors: those of the files with block and offset, as a CPU reports them, after the parts
  /// before; kUnsupported where a column is stored in another form than this can read, with `what`
  /// saying which; kDeviceMemory, kOutOfMemory, kDeviceLost. After an error it is of no use.
  Result<std::optional<LoadedTable>> next(std::uint64_t most_bytes);
  /// All row groups that have wanted rows, in one part; nullopt: none has. In place of next().
  Result<std::optional<LoadedTable>> load_all();

  /// How many bytes of device memory the parts take that are under way.
  std::uint64_t bytes_under_way() const;
  /// The times so far, all except LoadTimes::running.
  LoadTimes times() const;
  // How many bytes and blocks the columns have in the row groups so far, wanted or not:
  std::uint64_t stored_bytes() const { return stored_.bytes; }
  std::uint64_t blocks() const { return stored_.blocks; }

 private:
  struct Threads;
  enum class Extent { kPart, kAll };

  Status start();
  Result<OpenedGroup*> peek_group();
  Status open_groups();
  Status plan(std::uint64_t most_bytes);
  Status begin_planned(Extent extent);
  void begin_ahead(std::uint64_t most_bytes);
  Result<LoadedTable> finish_first();
  Result<std::optional<LoadedTable>> next_part(std::uint64_t most_bytes, Extent extent);

  const RunSpace& space_;
  const std::vector<Table>& tables_;
  std::vector<std::size_t> columns_;
  ReadCounters& counters_;
  unsigned thread_count_;
  WantsRows wants_;
  StringLoading strings_;
  GroupReader::BlockCost stored_;
  LoadTimes times_;
  query::RowGroupCursor at_group_;  ///< behind those that are open
  std::vector<Result<OpenedGroup>> opened_;
  std::size_t at_opened_ = 0;                       ///< the next one in these
  std::unique_ptr<Threads> threads_;                ///< once there is something to load
  std::unique_ptr<LoadingPart> planned_;            ///< has not begun
  std::deque<std::unique_ptr<LoadingPart>> begun_;  ///< under way, the next one first
};

}  // namespace presso::gpu
