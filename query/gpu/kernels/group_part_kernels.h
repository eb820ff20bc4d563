// SPDX-License-Identifier: MIT
// Launches the kernels of groups that are made part by part (group_parts.cuh) and of groups that
// are merged for count(distinct) (group_merge.cuh). They are compiled apart from the pipelines'
// kernels. Nothing waits. Tests: tests/simt/group_parts_test.cpp runs the same steps in the
// emulator.
#pragma once

#include "decompress/gpu/runtime/device.h"
#include "query/gpu/kernels/group_merge_plan.h"
#include "query/gpu/kernels/group_part_plan.h"

namespace presso::gpu {

GroupPartLimits group_part_limits(std::uint32_t shared_bytes);
/// Enqueues all kernels on the current device, and does not wait.
Status sum_group_parts(const PartedRows& parts, Stream stream);
/// Enqueues the kernel on the current device, and does not wait.
Status merge_groups(const GroupMerge& merge, Stream stream);

}  // namespace presso::gpu
