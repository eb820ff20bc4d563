// SPDX-License-Identifier: MIT
// Tables that stay in device memory (presso/device_table.h): their columns are loaded once, and
// later queries over the same files find the blocks here. Tested by
// tests/simt/device_table_test.cpp.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "query/gpu/table/loaded_table.h"

namespace presso::gpu {

/// Does not change once it is loaded, so that several threads may read it.
class ResidentTable {
 public:
  /// Loads `columns` of tables that have the same ones. Dictionaries are read, too, and stay in
  /// host memory. Waits. Errors: those of TableLoader::next().
  static Result<std::shared_ptr<const ResidentTable>> load(const RunSpace& space,
                                                           std::vector<Table> tables,
                                                           std::vector<std::size_t> columns,
                                                           unsigned threads);

  const std::vector<Table>& tables() const { return tables_; }
  /// The tables' columns that are loaded, in the order of loaded().
  const std::vector<std::size_t>& columns() const { return columns_; }
  const LoadedTable& loaded() const { return loaded_; }
  /// Stored bytes of blocks that were read to load it.
  std::uint64_t bytes_read() const { return bytes_read_; }

  /// A table's number, by its opened file; nothing: it is none of these.
  std::optional<std::size_t> find_table(const Table& table) const;
  /// A column's number in loaded().
  std::optional<std::size_t> find_column(std::size_t column) const;
  /// A row group's number in loaded(), and that of its first slice.
  struct Place {
    std::size_t group = 0;
    std::size_t first_slice = 0;
  };
  Place place(std::size_t table, std::uint64_t group) const { return places_[table][group]; }
  /// A column's strings in a row group, both by their numbers in loaded(); nullptr: there are none.
  const LoadedStrings* strings(std::size_t column, std::size_t group) const;
  /// The sample of the first row group that has tokens of the column; there must be one.
  const StringSample& sample(std::size_t column) const;
  /// Whether rows' values can be taken from loaded(), by the number there: not so where they are
  /// tokens or bytes somewhere.
  bool has_values(std::size_t column) const;

 private:
  ResidentTable(std::vector<Table> tables, std::vector<std::size_t> columns)
      : tables_(std::move(tables)), columns_(std::move(columns)) {}
  Status read_dictionaries(unsigned threads) const;
  void find_places();

  std::vector<Table> tables_;
  std::vector<std::size_t> columns_;
  ReadCounters counters_;  ///< the readers in `loaded_` add to it as long as they live
  LoadedTable loaded_;
  std::uint64_t bytes_read_ = 0;
  std::vector<std::vector<Place>> places_;                  ///< by table and row group
  std::vector<std::vector<const LoadedStrings*>> strings_;  ///< by column and row group
};

/// The tables that are in a device's memory, as long as somebody has them. Thread-safe.
class ResidentTables {
 public:
  void add(std::shared_ptr<const ResidentTable> table);
  /// For each of `tables` the one that has the most of `columns`; nothing where one of `tables` is
  /// in none. What is found stays in device memory as long as it is held.
  std::optional<std::vector<std::shared_ptr<const ResidentTable>>> find(
      const std::vector<Table>& tables, const std::vector<std::size_t>& columns) const;
  /// A row group of one of them, which it keeps; nullptr: there is none.
  std::shared_ptr<const GroupReader> group(const Table& table, std::uint64_t group) const;
  /// Whether all values of the columns can be taken from what find() gives.
  bool have_values(const std::vector<Table>& tables, const std::vector<std::size_t>& columns) const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::weak_ptr<const ResidentTable>> tables_;
};

}  // namespace presso::gpu
