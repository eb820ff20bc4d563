// SPDX-License-Identifier: MIT
// Operations on doubles in a program (RealOperation). Each result passes through the bits of a
// register before another operation reads it, so the compiler cannot fuse two operations into one
// that rounds only once: results equal those of a CPU, except for a NaN's payload, which no program
// exposes. One copy serves all kernels. Tests: tests/queries/doubles.txt.
#pragma once

#include "query/gpu/kernels/real_parts.cuh"

namespace presso::gpu {

PRESSO_DEVICE double real_of(u64 bits) {
  return __builtin_bit_cast(double, bits);
}
PRESSO_DEVICE bool is_nan(double value) {
  return value != value;
}
PRESSO_DEVICE bool is_less(double a, double b) {
  return a < b || (is_nan(b) && !is_nan(a));
}
PRESSO_DEVICE bool is_equal(double a, double b) {
  return a == b || (is_nan(a) && is_nan(b));
}

/// A float as a double with the same value. NaNs keep their sign and payload, as on a CPU, and
/// become quiet.
PRESSO_DEVICE u64 real_of_float(u32 bits) {
  const u32 magnitude = bits & ~(u32{1} << 31);
  if (magnitude > 0x7F800000u) {
    const u64 sign = u64{bits >> 31} << 63;
    return sign | kQuietNan | u64{magnitude & 0x7FFFFFu} << (kMantissaBits - 23);
  }
  return __builtin_bit_cast(u64, static_cast<double>(__builtin_bit_cast(float, bits)));
}

/// Bits of a double, or a truth.
PRESSO_DEVICE u64 real_result(RealOperation operation, u64 a_bits, u64 b_bits) {
  const double a = real_of(a_bits);
  const double b = real_of(b_bits);
  double result = 0;
  switch (operation) {
    case RealOperation::kAdd:
      result = a + b;
      break;
    case RealOperation::kSubtract:
      result = a - b;
      break;
    case RealOperation::kMultiply:
      result = a * b;
      break;
    case RealOperation::kDivide:
      result = a / b;
      break;
    case RealOperation::kNegate:
      return a_bits ^ kImageTopBit;
    case RealOperation::kMagnitude:
      return a_bits & ~kImageTopBit;
    case RealOperation::kToFloat:
      result = static_cast<double>(static_cast<float>(a));
      break;
    case RealOperation::kOfFloat:
      return a_bits == u64{kNoFloat} ? b_bits : real_of_float(static_cast<u32>(a_bits));
    case RealOperation::kOfInteger:
      result = static_cast<double>(static_cast<std::int64_t>(a_bits)) / b;
      break;
    case RealOperation::kKey:
      if (a_bits == b_bits) return b_bits;
      if (a == 0) return 0;
      return is_nan(a) ? kQuietNan : a_bits;
    case RealOperation::kEqual:
      return is_equal(a, b) ? 1 : 0;
    case RealOperation::kNotEqual:
      return is_equal(a, b) ? 0 : 1;
    case RealOperation::kLess:
      return is_less(a, b) ? 1 : 0;
    case RealOperation::kLessEqual:
      return is_less(b, a) ? 0 : 1;
  }
  return __builtin_bit_cast(u64, result);
}

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
