// SPDX-License-Identifier: MIT
// The parts of tables that pipelines run over, one after another: row groups read from files when
// they are needed, row groups of tables that are in device memory already, or both if only some of
// the columns are there. Tested by tests/simt/device_table_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "query/gpu/table/resident_table.h"
#include "query/gpu/table/slice_blocks.h"

namespace presso::gpu {

/// What is wanted of tables.
struct WantedParts {
  std::vector<std::size_t> columns;             ///< of the tables
  std::uint32_t string_columns = 0;             ///< bits of these, whose strings are wanted
  WantsRows wants;                              ///< slices of which it wants no row are left out
  std::uint64_t most_rows = ~std::uint64_t{0};  ///< of a part, if it is more than a row group
  bool takes_bytes = false;                     ///< StringLoading::takes_bytes
};

/// Not thread-safe.
class TableParts {
 public:
  /// All but `wanted` are kept by reference. `counters` counts what is read, by so many threads.
  TableParts(const RunSpace& space, const std::vector<Table>& tables, WantedParts wanted,
             ReadCounters& counters, unsigned threads);

  /// The next part, whose columns are those that are wanted, in this order; nullopt after the last
  /// one. `most_bytes` of device memory, and errors: as for TableLoader::next().
  Result<std::optional<LoadedTable>> next(std::uint64_t most_bytes);
  /// How many bytes of device memory the parts take that are under way.
  std::uint64_t bytes_under_way() const { return loader_ ? loader_->bytes_under_way() : 0; }
  /// TableLoader::times().
  LoadTimes times() const { return loader_ ? loader_->times() : LoadTimes(); }

  /// Whether columns are in device memory.
  bool has_residents() const { return !residents_.empty(); }
  /// The wanted columns that are not.
  const std::vector<std::size_t>& missing() const { return missing_; }

  // About the blocks of the wanted columns:
  /// In the row groups so far; of those in device memory in all.
  std::uint64_t stored_bytes() const;
  /// In these, not looked at, since zones rule them out.
  std::uint64_t blocks_skipped() const;
  /// Taken from device memory.
  std::uint64_t resident_bytes() const { return used_.bytes; }

 private:
  /// Where a wanted column comes from.
  struct Source {
    bool is_resident = false;
    std::size_t missing = 0;  ///< else its number among these
  };
  /// A row group in device memory.
  struct ResidentGroup {
    const ResidentTable& table;
    ResidentTable::Place place;
  };

  void find_residents(const std::vector<std::size_t>& columns);
  ResidentGroup resident_group(std::size_t table, std::uint64_t group) const;
  Result<std::optional<LoadedTable>> next_of_residents();
  Status add_slices(LoadedTable& part, LoadedGroup group) const;
  Result<LoadedTable> with_residents(LoadedTable read);
  std::optional<UsualForm> common_form(std::size_t column) const;
  void add_column(LoadedTable& part, std::size_t column, LoadedTable& read) const;
  void add_strings(LoadedTable& part, std::size_t group, LoadedTable& read) const;
  void count_used(const LoadedTable& part);
  Status place(LoadedTable& part) const;

  const RunSpace& space_;
  const std::vector<Table>& tables_;
  WantedParts wanted_;
  ReadCounters& counters_;
  std::uint64_t blocks_before_;                                  ///< of `counters_`
  std::vector<std::shared_ptr<const ResidentTable>> residents_;  ///< by table; empty: none
  std::vector<Source> sources_;                                  ///< by wanted column
  std::vector<std::size_t> missing_;
  std::optional<TableLoader> loader_;  ///< of what is missing
  query::RowGroupCursor at_group_;     ///< the next one, where nothing is missing
  // Blocks of columns that are in device memory: all of them, and those that were used.
  GroupReader::BlockCost all_;
  GroupReader::BlockCost used_;
};

}  // namespace presso::gpu
