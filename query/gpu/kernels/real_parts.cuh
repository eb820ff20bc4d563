// SPDX-License-Identifier: MIT
// How doubles are added up in cells of 64-bit integers. The CPU adds doubles exactly, as integers
// of a common unit, and rounds once (query/group/double_sum_state.cpp), so any other exact sum
// gives the same bits. Here a number of units is cut into limbs of 32 bits, each added up in a cell
// of its own with the value's sign, without carries. That suffices for 2^31 rows; for up to 2^47
// rows, limbs have 16 bits, and integers that would overflow two cells are cut in the same way. The
// host combines the limbs.
//
// All of it is integer arithmetic in functions that are not inlined, so that queries without
// doubles do not pay for it. Tests: tests/queries/doubles.txt.
#pragma once

#include "query/gpu/kernels/pipeline.h"
#include "query/gpu/kernels/pipeline_vector.cuh"
#include "query/gpu/kernels/real_values.cuh"

namespace presso::gpu {

/// A piece of an integer that two cells may not hold.
PRESSO_DEVICE u64 part_of_integer(const PipelineCell& cell, u64 bits) {
  const u32 at = kShortBits * cell.column;
  if (cell.part == RealPart::kIntegerBits) return bits >> at & low_ones(kShortBits);
  if (cell.part == RealPart::kIntegerTop) {
    return static_cast<u64>(static_cast<std::int64_t>(bits) >> at);
  }
  return bits;
}

/// What a cell takes of doubles or integers, of a lane's rows whose bit is set: from the cell's
/// register to a wide one. Registers begin at `registers_at` of shared memory. Called once for a
/// chunk, so that kernels keep nothing of it in their own registers. Each part has a loop of its
/// own: to choose it for each value took a fifth of the time of sums of doubles.
PRESSO_DEVICE_CALL void take_parts(const PipelineCell& cell, u32 registers_at, RegisterPlace to,
                                   u32 rows, u64* fault) {
  const Byte* const from = register_at(registers_at, cell.from);
  auto* const out = reinterpret_cast<u64*>(register_at(registers_at, to));
  const auto take = [&](const auto& part) {
    for (u32 left = rows; left != 0; left &= left - 1) {
      const u32 item = (simt::find_first_set(left) - 1) * kWarpSize;
      out[item] = part(reinterpret_cast<const u64*>(from)[item]);
    }
  };
  const RealUnits<kWordBits> units(cell.unit, cell.column);
  const RealUnits<kShortBits> short_units(cell.unit, cell.column);
  switch (cell.part) {
    case RealPart::kOrder:
      return take([](u64 bits) { return order_of_real(bits); });
    case RealPart::kLimb:
      return take(RealLimb<kWordBits>(cell.unit, cell.column));
    case RealPart::kShortLimb:
      return take(RealLimb<kShortBits>(cell.unit, cell.column));
    case RealPart::kSpecials:
      return take([&](u64 bits) { return checked_specials(units, bits, fault); });
    case RealPart::kPlus:
      return take([](u64 bits) { return specials_of_real(bits) & kSpecialPlus; });
    case RealPart::kMinus:
      return take(
          [&](u64 bits) { return checked_specials(short_units, bits, fault) / kSpecialMinus; });
    case RealPart::kNone:
    case RealPart::kIntegerBits:
    case RealPart::kIntegerTop:
      break;
  }
  for (u32 left = rows; left != 0; left &= left - 1) {
    const u32 item = (simt::find_first_set(left) - 1) * kWarpSize;
    const u64 value =
        cell.from.is_wide()
            ? reinterpret_cast<const u64*>(from)[item]
            : static_cast<u64>(std::int64_t{reinterpret_cast<const std::int32_t*>(from)[item]});
    out[item] = part_of_integer(cell, value);
  }
}

}  // namespace presso::gpu
