// SPDX-License-Identifier: MIT
// Very many groups whose keys are far apart (GroupPlace::kParts). In a hash table in device memory,
// each row would cost two random memory sectors, one for its key and one for its cells. Instead,
// the pipeline writes what it would add (a row's key, its order, and a word for each cell), and
// kernels partition these rows by the hashes of their keys, in two levels, until the groups of a
// part fit into a thread block's shared memory, where they are added up (group_parts.cuh). This
// file is host code. Tested by tests/simt/group_parts_test.cpp.
#pragma once

#include "query/gpu/kernels/group_part_plan.h"
#include "query/gpu/table/group_rows.h"
#include "query/gpu/table/run_space.h"

namespace presso::gpu {

/// Has the pipeline, whose table of groups was full, add its groups up part by part; false: it
/// cannot, or there is not memory enough. `rows`: that it gives at most, as far as is known, all of
/// them in order by numbers below `order_limit`.
bool take_parts(const RunSpace& space, std::uint64_t rows, std::uint64_t order_limit,
                Pipeline& pipeline);
/// Gives the pipeline its table of groups again, of the size that it had.
void leave_parts(Pipeline& pipeline);

/// Into how many parts `parts.rows` rows are divided, and how many groups have room at a time.
void plan_parts(const GroupPartLimits& limits, PartedRows& parts);

/// The rows of a pipeline whose groups are made part by part, and these groups.
class PartedGroups {
 public:
  /// Kept by reference.
  explicit PartedGroups(const RunSpace& space) : space_(space) {}

  /// Gives back all memory.
  void clear();
  /// Gives the pipeline, for which take_parts() has decided, memory for its rows, and lets its
  /// program end with the keys of groups. After clear(). Errors: kDeviceMemory, kDeviceLost.
  Status begin(Pipeline& pipeline);
  /// After all rows: makes groups of the `rows` that the pipeline has written; false: there were
  /// more of them than memory. Waits. Sets the pipeline's fault to kTableIsFull where a part has
  /// too many rows for one thread block. Errors: kDeviceLost.
  Result<bool> make(const Pipeline& pipeline, std::uint64_t rows);
  /// In any order, as GroupList has them; device memory.
  const std::uint64_t* records() const { return plan_.records; }
  std::uint64_t count() const { return count_; }

 private:
  struct ArrayPlaces;

  Status place_parts(const ArrayPlaces& bundles, std::uint64_t record_bytes, std::uint64_t rows);

  const RunSpace& space_;
  DeviceMemory rows_;
  DeviceMemory parts_;  ///< rows between two levels, then records; and how they are divided
  PartedRows plan_;
  std::uint64_t count_ = 0;  ///< of groups
};

}  // namespace presso::gpu
