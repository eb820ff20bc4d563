// SPDX-License-Identifier: MIT
// A table loaded several times, as one table, so that it is larger than any cache.
#pragma once

#include <vector>

#include "lab/programs/table_gpu/plain_columns.h"
#include "query/gpu/table/pipeline_builder.h"
#include "query/gpu/table/run_space.h"

namespace presso {

class TableCopies {
 public:
  /// One, as it is stored: first() and what belongs to it.
  Status load_first(const gpu::RunSpace& space, const std::vector<Table>& tables,
                    const gpu::PipelineBuilder& builder);
  /// So many together, in a layout.
  Status load_all(const gpu::RunSpace& space, const std::vector<Table>& tables,
                  const gpu::PipelineBuilder& builder, unsigned copies, ColumnLayout layout);

  const gpu::LoadedTable& first() const { return tables_[0]; }
  /// Those that hold strings: all that are as they are stored.
  std::vector<const gpu::LoadedTable*> stored() const;
  /// Of all together.
  const gpu::TableBlocks& blocks() const { return blocks_; }
  std::uint64_t bytes_read() const { return bytes_; }
  std::uint64_t rows() const { return tables_[0].rows() * copies_; }

 private:
  Status load_stored(const gpu::RunSpace& space, const std::vector<Table>& tables,
                     const gpu::PipelineBuilder& builder);
  Status load_plain(const gpu::RunSpace& space, const std::vector<std::size_t>& columns,
                    ColumnLayout layout);
  Status join_blocks(const gpu::RunSpace& space);

  ReadCounters counters_;  ///< readers of the tables add to it as long as they live
  unsigned copies_ = 1;
  std::uint64_t bytes_ = 0;
  std::vector<gpu::LoadedTable> tables_;
  std::vector<gpu::DeviceMemory> plain_;
  std::vector<std::vector<gpu::TableBlock>> blocks_of_;  ///< by copy
  std::vector<gpu::TableSlice> slices_;                  ///< of one
  gpu::DeviceMemory memory_;
  gpu::TableBlocks blocks_;
};

}  // namespace presso
