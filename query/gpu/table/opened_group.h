// SPDX-License-Identifier: MIT
// A row group whose blocks are to be loaded: which of its slices are wanted, and which blocks these
// need. Several threads may open row groups at once. Tested with loaded_table.h.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "query/gpu/table/block_job.h"
#include "query/gpu/table/loaded_table.h"

namespace presso::gpu {

struct OpenedGroup {
  LoadedGroup group;
  std::vector<LoadedSlice> slices;  ///< the wanted ones
  std::uint64_t rows = 0;           ///< of these
  GroupReader::BlockCost all;       ///< of the columns, wanted or not
  // By numbers that count from 0 in this row group, as these do of slices:
  std::vector<BlockJob> jobs;
  std::vector<std::vector<TableBlock>> blocks;  ///< by column, then by slice
  std::vector<LoadedStrings> strings;

  /// Of device memory.
  std::uint64_t bytes() const;
};

/// Where a row group is.
struct GroupToOpen {
  std::size_t table = 0;
  std::uint64_t group = 0;
  std::uint64_t first_row = 0;  ///< of its table, in all tables together
};

/// Errors: those of the directory, of `wants`; kUnsupported, as check_form() says.
Result<OpenedGroup> open_group(const std::vector<Table>& tables, const GroupToOpen& place,
                               std::span<const std::size_t> columns, const StringLoading& strings,
                               const WantsRows& wants, ReadCounters& counters);

/// What a block takes in device memory.
constexpr std::uint64_t kBlockAlignment = 16;
constexpr std::uint64_t block_room(std::uint64_t stored_bytes) {
  return (stored_bytes + kBlockAlignment - 1) / kBlockAlignment * kBlockAlignment;
}

}  // namespace presso::gpu
