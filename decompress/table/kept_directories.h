// SPDX-License-Identifier: MIT
// Directories of row groups that stay in memory after they were read, for a query, which opens its
// row groups several times: to plan, to sample, to collect dictionaries, and in each pass. They are
// kept in the order in which they are read until the memory that they may take is used up; the
// directories of further row groups are read from the file each time. Thread-safe.
// Tested by tests/unit/decompress/table/group_reader_test.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "format/columns/row_group.h"
#include "format/threads/memory_budget.h"
#include "presso/byte_stream.h"

namespace presso {

class Table;

/// A row group's directory, and where its blocks begin.
struct GroupDirectory {
  explicit GroupDirectory(RowGroup from, Buffer blocks_in_memory = {});

  RowGroup row_group;
  Buffer blocks;              ///< of a row group that was packed; empty: they are in the file
  MemoryRandomAccess memory;  ///< of `blocks`
  /// For each block its first row; for blocks of the stream bytes, the first byte.
  std::vector<std::uint64_t> begins;

  bool is_in_memory() const { return blocks.size() != 0; }
  std::uint64_t bytes() const;  ///< of memory
};

/// The kept directories of one table.
class KeptDirectories {
 public:
  /// `budget` limits the memory of all tables that share it.
  KeptDirectories(std::uint64_t row_groups, std::shared_ptr<MemoryBudget> budget)
      : directories_(static_cast<std::size_t>(row_groups)), budget_(std::move(budget)) {}

  /// nullptr: the directory is not kept.
  std::shared_ptr<const GroupDirectory> find(std::uint64_t group) const;
  /// Keeps the directory if there is memory left for it.
  void keep(std::uint64_t group, std::shared_ptr<const GroupDirectory> directory);

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const GroupDirectory>> directories_;  ///< by row group
  std::shared_ptr<MemoryBudget> budget_;
};

/// Has each of the tables, and the copies that are made of them from now on, keep the directories
/// that are read through them. `budget` limits their memory.
void keep_directories(std::vector<Table>& tables, const std::shared_ptr<MemoryBudget>& budget);

}  // namespace presso
