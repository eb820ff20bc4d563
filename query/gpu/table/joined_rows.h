// SPDX-License-Identifier: MIT
// Returns joined rows that are not grouped: kernels write the wanted columns in any order, along
// with the number that gives each row its place, and host threads put the copied rows in order.
// Tested by tests/queries/joins.txt.
#pragma once

#include <memory>
#include <vector>

#include "query/gpu/table/build_passes.h"
#include "query/group/group_output.h"

namespace presso::gpu {

class JoinedRows {
 public:
  /// All are kept by reference.
  JoinedRows(const RunSpace& space, query::Execution& execution, QueryPipeline& made)
      : space_(space), execution_(execution), made_(made) {}

  /// In the order of the answer: the columns of the pipeline's result_columns(). Where the device
  /// has not room for all rows of a part of the table they come in several runs over it. Waits.
  /// Errors: kUnsupported, where they take more than half of the memory, or those of a single task
  /// do not fit on the device; those of run_passes().
  Result<std::vector<query::RowStore>> run();

 private:
  /// What kernels have written for some rows.
  struct Written {
    std::uint64_t rows = 0;
    query::grouping::Column<std::uint64_t> order;
    std::vector<query::grouping::Column<Byte>> arrays;
  };

  Status take_table(PipelineRun& run, const LoadedTable& table);
  Status take(PipelineRun& run, std::uint64_t first_row, std::uint64_t row_count);
  Status take_in_parts(PipelineRun& run, std::uint64_t rows);
  Status take_written(std::uint64_t rows);
  Status check_memory(std::uint64_t rows) const;
  Status make_room(PipelineRun& run, std::uint64_t rows);
  Result<Written> copy_back(std::uint64_t rows) const;
  Status put_in_order(std::vector<Written>& from, std::uint64_t first_row, std::uint64_t row_count);
  Status write_rows(const Written& from, const query::grouping::RowRanks& ranks,
                    query::RowStore& to) const;
  void write_column(const Written& from, std::size_t column, std::size_t first, std::size_t count,
                    const std::vector<std::uint64_t>& places, query::RowStore& to) const;
  void copy_strings();
  void find_arrays();

  const RunSpace& space_;
  query::Execution& execution_;
  QueryPipeline& made_;
  std::uint64_t room_ = 0;  ///< rows for which `memory_` suffices
  DeviceMemory memory_;
  std::vector<std::uint64_t> begins_;  ///< of the arrays in it, that of orders first
  std::vector<bool> wide_arrays_;      ///< by array behind that: 64 bits, else 32
  std::vector<std::size_t> array_of_;  ///< by column: the first one of these that it has
  std::vector<Written> waiting_;       ///< for the rows of later runs
  std::shared_ptr<query::StringArena> arena_ = std::make_shared<query::StringArena>();
  std::vector<std::vector<query::StringRef>> strings_;  ///< by column and number
  std::uint64_t bytes_ = 0;                             ///< of `stores_`
  std::vector<query::RowStore> stores_;
};

}  // namespace presso::gpu
