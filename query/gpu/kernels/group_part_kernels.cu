// SPDX-License-Identifier: MIT
// Implements group_part_kernels.h: launches the kernels of group_parts.cuh and group_merge.cuh on a
// stream, and says how much shared memory a part's table may take.
#include "query/gpu/kernels/group_part_kernels.h"

#include <algorithm>
#include <bit>

#include "query/gpu/join/join_launcher.cuh"
#include "query/gpu/kernels/group_merge.cuh"
#include "query/gpu/kernels/group_part_steps.h"

namespace presso::gpu {
GroupPartLimits group_part_limits(std::uint32_t shared_bytes) {
  // Two thread blocks of a multiprocessor have tables: 227 KiB, of which CUDA takes one each. A
  // thread block has something beside its table.
  constexpr std::uint32_t kBeside = 4 << 10;
  const std::uint32_t table_bytes = std::min<std::uint32_t>(104 << 10, shared_bytes - kBeside);
  // Parts are counted in shared memory, a word each.
  const auto words = static_cast<std::uint32_t>(shared_bytes / sizeof(std::uint32_t));
  const std::uint32_t most_bits = std::min<std::uint32_t>(15, std::bit_width(words) - 1);
  // Half a millisecond or so of one thread block, while others have nothing left to do.
  constexpr std::uint32_t kMostPartRows = 1 << 18;
  return {table_bytes, most_bits, kMostPartRows};
}

Status sum_group_parts(const PartedRows& parts, Stream stream) {
  JoinLauncher launcher(stream);
  return enqueue_group_parts<GroupPartThreads>(parts, launcher);
}

Status merge_groups(const GroupMerge& merge, Stream stream) {
  JoinLauncher launcher(stream);
  return enqueue_merge<kMergeThreads>(merge, launcher);
}

}  // namespace presso::gpu
