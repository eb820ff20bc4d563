// SPDX-License-Identifier: MIT
// The arrays of a merge of groups for count(distinct), on which the kernel (group_merge.cuh) and
// the host (query/gpu/table/group_merge.h) agree. Trivially copyable; all arrays are device memory.
// Tests: tests/queries/distinct.txt.
#pragma once

#include <cstdint>

#include "query/gpu/kernels/pipeline.h"

namespace presso::gpu {

struct GroupMerge {
  /// From one record to the next, as of GroupList.
  PRESSO_HD constexpr std::uint32_t record_words() const { return kGroupCells + cells + 1u; }
  /// The words of a group that is made: its first row, its cells, and the number of its different
  /// values.
  PRESSO_HD constexpr std::uint32_t words_of_group() const { return kGroupCells + cells + 1u; }

  const std::uint64_t* records = nullptr;  ///< of groups; their numbers are key * values + value
  std::uint64_t count = 0;
  std::uint64_t values = 0;  ///< 0: the value is all of the number, and there is no key
  bool has_null = false;     ///< the value may be null, which is `null_value` then
  bool in_shared = false;    ///< groups are so few that a thread block has cells of its own
  Byte cells = 0;
  PipelineCell::Kind kinds[kMostPipelineCells] = {};  ///< of cells, and the count's
  std::uint64_t null_value = 0;
  // As of Pipeline, of the groups that are made: numbered by their keys, or in a table.
  std::uint64_t groups = 0;
  std::uint32_t group_words = 0;
  std::uint32_t table_buckets = 0;  ///< 0: there is no table
  std::uint32_t table_probes = 0;
  std::uint64_t* table_keys = nullptr;
  std::uint64_t* cells_out = nullptr;
  std::uint64_t* fault = nullptr;
};

}  // namespace presso::gpu
