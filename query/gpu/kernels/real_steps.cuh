// SPDX-License-Identifier: MIT
// Operations on doubles in a program (RealOperation). Each result passes through the bits of a
// register before another operation reads it, so the compiler cannot fuse two operations into one
// that rounds only once: results equal those of a CPU, except for a NaN's payload, which no program
// exposes. One copy serves all kernels. Tests: tests/queries/doubles.txt.
#pragma once

#include "query/gpu/kernels/real_parts.cuh"

namespace presso::gpu {

/// A lane's values of a register, or the constant.
struct RealOperand {
  const Byte* from;  ///< nullptr: the constant
  bool is_wide;
  u64 constant;

  PRESSO_DEVICE u64 at(u32 k) const {
    if (from == nullptr) return constant;
    if (is_wide) return reinterpret_cast<const u64*>(from)[k * kWarpSize];
    const u32 number = reinterpret_cast<const u32*>(from)[k * kWarpSize];
    return static_cast<u64>(std::int64_t{static_cast<std::int32_t>(number)});
  }
};

/// Step kReal for a lane's first `count` values; registers begin at `registers_at` of shared
/// memory.
PRESSO_DEVICE_CALL void run_real(const PipelineStep& step, u32 registers_at, u32 count) {
  const auto operand = [&](bool is_constant, RegisterPlace place) -> RealOperand {
    return {is_constant ? nullptr : register_at(registers_at, place), place.is_wide(),
            static_cast<u64>(step.constant)};
  };
  const RealOperand a = operand(step.a_is_constant, step.a);
  const RealOperand b = operand(step.b_is_constant, step.b);
  const auto operation = static_cast<RealOperation>(step.column);
  Byte* const to = register_at(registers_at, step.to);
  PRESSO_NO_UNROLL
  for (u32 k = 0; k < count; ++k) {
    const u64 result = real_result(operation, a.at(k), b.at(k));
    if (step.to.is_wide()) {
      reinterpret_cast<u64*>(to)[k * kWarpSize] = result;
    } else {
      reinterpret_cast<u32*>(to)[k * kWarpSize] = static_cast<u32>(result);
    }
  }
}

}  // namespace presso::gpu
