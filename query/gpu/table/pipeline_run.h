// SPDX-License-Identifier: MIT
// Runs a pipeline over tables in device memory and returns its results. A run is begin(), then
// prepare() and enqueue() for each loaded table, then matched(), rows() or groups(). Tested by
// tests/queries/one_table.txt.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "query/gpu/table/group_lists.h"
#include "query/gpu/table/group_parts.h"
#include "query/gpu/table/kernel_run.h"
#include "query/gpu/table/pipeline_builder.h"
#include "query/gpu/table/run_space.h"
#include "query/gpu/table/string_rows.h"
#include "query/gpu/table/upload.h"

namespace presso::gpu {

class PipelineRun {
 public:
  /// Kept by reference.
  explicit PipelineRun(const RunSpace& space) : space_(space), parts_(space) {}

  /// Clears the cells. `wants_rows`: which rows match, not only how many. Errors: kDeviceMemory,
  /// kDeviceLost.
  Status begin(const Pipeline& pipeline, bool wants_rows = false);
  /// Before prepare(), where a table has columns of tokens or kernels run before this one: the
  /// conditions over it, the rows that `strings` finds, and those that the kernel before has left
  /// (nullptr: there is none).
  void set_conditions(const std::vector<ConditionStep>& steps, const StringRows& strings,
                      const std::uint32_t* rows_before = nullptr);
  /// Copies to the device what the pipeline asks of a table, and compiles the code that runs it,
  /// unless there is such code. `blocks`: the table's, or those of several of the same kind.
  /// Errors: those of KernelRun::make().
  Status prepare(const LoadedTable& table, const TableBlocks& blocks, const LeafTables& leaves,
                 const KeyCodeTables& codes);
  /// Between runs over the tables: the next one is of this pipeline, which differs from the one
  /// that has begun by its build sides and constants only; what becomes of rows goes where it went.
  void go_on_with(const Pipeline& pipeline);
  /// After all tables: the next rows are those of a build side, of which there are so many.
  /// `pipeline`: PipelineBuilder::of_build_rows() of the one that has begun; what it makes of its
  /// rows goes where that of the tables' rows went.
  Status prepare_build_rows(const Pipeline& pipeline, std::uint64_t rows);
  /// Enqueues the kernels for the table that was prepared, which are done before anything of it
  /// may go.
  Status enqueue();
  /// What the next launches are for: tasks of the table that was prepared, from `first` to before
  /// `end`, until another one is prepared.
  void set_tasks(std::uint32_t first, std::uint32_t end);
  std::uint32_t tasks() const { return pipeline_.table.tasks(); }
  /// Of a pipeline that writes rows: to where, room for `rows` of them each.
  void set_outputs(const std::vector<void*>& arrays, std::uint64_t rows);
  /// How many rows have been written, or found no room, since this was asked the last time.
  Result<std::uint64_t> take_written();
  /// After all tables, of GroupPlace::kParts: makes the groups. Waits. Errors: kDeviceLost.
  Status make_groups();
  /// Gives back the memory of rows in parts.
  void drop_rows() { parts_.clear(); }
  /// Rows that matched.
  Result<std::uint64_t> matched();
  /// The code that was compiled for the table that was prepared.
  const std::string& source() const { return code_->source(); }
  /// As kernels get it.
  const Pipeline& pipeline() const { return pipeline_; }
  /// In device memory, which rows of the table that was prepared last match, as
  /// Pipeline::row_bits; nullptr: that is not wanted.
  const std::uint32_t* row_bits() const { return pipeline_.matched_bits; }
  /// Which rows of the table that was prepared last match: 1,024 words of 64 bits for each slice.
  Result<std::vector<std::uint64_t>> rows();
  /// What makes all else useless, kTableIsFull or kRealIsOutside; 0: nothing. kInvalidArgument
  /// where a key is outside of the range that its column has.
  Result<std::uint64_t> fault();
  /// The groups that have rows, in any order; without groups what became of all rows.
  Result<GroupRecords> groups();
  /// The same groups as records in device memory, so many at a time. Waits.
  Status list(const TakeGroups& take) const;
  /// Gives back the memory of all groups: nothing may be asked any more.
  void drop_groups();

 private:
  Result<std::uint64_t> word(const std::uint64_t* there) const;
  Status copy_prepared(const Upload& upload);
  Status prepare_code(const LoadedTable* table, const LeafTables& leaves,
                      const KeyCodeTables& codes);

  const RunSpace& space_;
  Pipeline pipeline_;
  PinnedMemory pinned_;
  DeviceMemory prepared_;
  DeviceMemory cells_;  ///< behind the words of Pipeline::matched, rows_out and fault
  PartedGroups parts_;
  bool has_too_many_rows_ = false;   ///< for what `parts_` has memory for
  std::unique_ptr<KernelRun> code_;  ///< for what was prepared
  std::optional<QueryShape> shape_;  ///< of the code for the table before
  bool wants_rows_ = false;
  DeviceMemory bits_;
};

}  // namespace presso::gpu
