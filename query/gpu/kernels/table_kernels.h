// SPDX-License-Identifier: MIT
// Interface of the kernels over tables, but those that are compiled for a query
// (code/kernel_compiler.h), so that the host code of querying on a GPU also runs
// without CUDA, in tests over the emulator. All functions enqueue on the stream and do not wait.
#pragma once

#include <memory>

#include "decompress/columns/gpu/column_batch.h"
#include "decompress/gpu/runtime/device.h"
#include "presso/device_join.h"
#include "query/gpu/kernels/group_merge_plan.h"
#include "query/gpu/kernels/group_part_plan.h"
#include "query/gpu/kernels/pipeline.h"
#include "query/gpu/kernels/usual_vectors.h"

namespace presso::gpu {

class TableKernels {
 public:
  virtual ~TableKernels() = default;

  /// Compares blocks with their checksums and checks all vectors; then status words are ErrorCodes.
  /// `entries`: device memory, as check_vectors_body() wants it.
  virtual Status check(const IntegerBatch& batch, const std::uint32_t* entries, Stream stream) = 0;
  /// Sets all cells to what they are without a row.
  virtual Status clear_cells(const Pipeline& pipeline, Stream stream) = 0;
  virtual Status list_groups(const Pipeline& pipeline, const GroupList& list, Stream stream) = 0;
  virtual GroupPartLimits group_part_limits() = 0;
  /// enqueue_group_parts() of group_part_steps.h.
  virtual Status sum_group_parts(const PartedRows& parts, Stream stream) = 0;
  /// enqueue_merge() of group_merge.cuh.
  virtual Status merge_groups(const GroupMerge& merge, Stream stream) = 0;
  virtual Status clear(Byte* memory, std::size_t bytes, Stream stream) = 0;
  /// The most shared memory that a thread block may have.
  virtual Result<std::uint32_t> most_shared_bytes() = 0;
  /// The size of the cache that all multiprocessors share.
  virtual Result<std::uint64_t> cache_bytes() = 0;
  // The bodies of usual_vectors.cuh.
  virtual Status find_vectors(const VectorFinding& finding, Stream stream) = 0;
  virtual Status measure_vectors(const VectorPacking& packing, Stream stream) = 0;
  virtual Status pack_vectors(const VectorPacking& packing, Stream stream) = 0;
  /// decode_others_body() of decode_others.cuh, for up to `vectors` vectors.
  virtual Status decode_others(const QueryArguments& arguments, std::uint32_t vectors,
                               Stream stream) = 0;
  /// enqueue_lookup() of lookup_steps.h.
  virtual Status build_lookup(const Lookup& to, const JoinRows& build, JoinTotals* totals,
                              Stream stream) = 0;
  /// enqueue_ascending() of lookup_steps.h.
  virtual Status build_ascending(const Lookup& to, const AscendingBuild& build, Stream stream) = 0;
  /// enqueue_counts() of lookup_steps.h.
  virtual Status count_rows_of_keys(const Lookup& in, const JoinRows& build, std::uint32_t* counts,
                                    Stream stream) = 0;
};

/// On a device, as list_devices() counts; where the build has CUDA.
std::shared_ptr<TableKernels> cuda_table_kernels(int device);

}  // namespace presso::gpu
