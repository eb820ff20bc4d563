// SPDX-License-Identifier: MIT
// What cells take of doubles. The CPU adds doubles as whole numbers of a unit, exactly, and rounds
// once (scan/group/double_sum_state.cpp), so that any other exact sum gives the same bits: here a
// number of units is cut into limbs of 32 bits, each of which is added up in a cell of its own,
// with the value's sign. No carries are needed for up to 2^31 rows. The host puts limbs together.
//
// All of it is integer arithmetic on the bits, in functions that are called, so that queries
// without doubles do not pay for it. Tests: tests/simt/query_doubles_on_gpu_test.cpp.
#pragma once

#include "scan/gpu/table/pipeline.h"
#include "scan/gpu/table/pipeline_vector.cuh"

namespace presso::gpu {

inline constexpr u32 kMantissaBits = 52;
inline constexpr u64 kRealInfinity = u64{0x7FF} << kMantissaBits;
inline constexpr u64 kQuietNan = u64{0x7FF8} << 48;

/// A number whose order is that of doubles: -0 is less than 0, and all NaNs are one, which is the
/// greatest.
PRESSO_DEVICE u64 order_of_real(u64 bits) {
  if ((bits & ~kImageTopBit) > kRealInfinity) bits = kQuietNan;
  return (bits & kImageTopBit) != 0 ? ~bits : bits | kImageTopBit;
}

/// A finite double as number * 2^exponent, without its sign.
struct RealNumber {
  u64 number;
  std::int32_t exponent;

  PRESSO_DEVICE explicit RealNumber(u64 bits) {
    const u32 field = static_cast<u32>(bits >> kMantissaBits) & 0x7FFu;
    const u64 fraction = bits & ((u64{1} << kMantissaBits) - 1);
    number = field == 0 ? fraction : fraction | u64{1} << kMantissaBits;
    exponent = static_cast<std::int32_t>(field == 0 ? 1 : field) - 1075;
  }
};

/// Limb `cell.column` of a double that RealPart::kSpecials has no objection to.
PRESSO_DEVICE u64 limb_of_real(u64 bits, const PipelineCell& cell) {
  if ((bits & kRealInfinity) == kRealInfinity) return 0;
  const RealNumber real(bits);
  // By how much the limb's lowest bit stands above the number's.
  const std::int32_t up =
      cell.unit + static_cast<std::int32_t>(kWordBits * cell.column) - real.exponent;
  constexpr auto kWordSigned = static_cast<std::int32_t>(kWordBits);
  u32 limb = 0;
  if (up >= 0 && up < 2 * kWordSigned) {
    limb = static_cast<u32>(real.number >> up);
  } else if (up < 0 && up > -kWordSigned) {
    limb = static_cast<u32>(real.number << -up);
  }
  return (bits & kImageTopBit) != 0 ? u64{0} - limb : u64{limb};
}

/// Whether a finite double is a whole number of the cell's units, and one that its limbs hold.
PRESSO_DEVICE bool fits_limbs(u64 bits, const PipelineCell& cell) {
  const RealNumber real(bits);
  if (real.number == 0) return true;
  const std::int32_t above = real.exponent - cell.unit;  // of the number's lowest bit
  if (above < 0) {
    if (above <= -static_cast<std::int32_t>(2 * kWordBits)) return false;
    if ((real.number & ((u64{1} << -above) - 1)) != 0) return false;
  }
  const std::int32_t room = static_cast<std::int32_t>(kWordBits * cell.column) - above;
  if (room >= static_cast<std::int32_t>(2 * kWordBits)) return true;
  return room >= 0 && real.number >> room == 0;
}

/// What a cell takes of a double. Where its limbs do not hold it, that is written to `fault`.
PRESSO_DEVICE u64 part_of_real(const PipelineCell& cell, u64 bits, u64* fault) {
  if (cell.part == RealPart::kOrder) return order_of_real(bits);
  if (cell.part == RealPart::kLimb) return limb_of_real(bits, cell);
  const u64 magnitude = bits & ~kImageTopBit;
  if (magnitude > kRealInfinity) return kSpecialPlus | kSpecialMinus;
  if (magnitude == kRealInfinity) return magnitude == bits ? kSpecialPlus : kSpecialMinus;
  if (!fits_limbs(bits, cell)) *fault = kRealIsOutside;
  return 0;
}

/// The same of a lane's rows whose bit is set: from the cell's register to another wide one.
/// Registers begin at `registers_at` of shared memory. Called once for a chunk, so that kernels
/// keep nothing of it in their own registers.
PRESSO_DEVICE_CALL void take_parts(const PipelineCell& cell, u32 registers_at, RegisterPlace to,
                                   u32 rows, u64* fault) {
  const auto* const from = reinterpret_cast<const u64*>(register_at(registers_at, cell.from));
  auto* const out = reinterpret_cast<u64*>(register_at(registers_at, to));
  for (u32 left = rows; left != 0; left &= left - 1) {
    const u32 item = (simt::find_first_set(left) - 1) * kWarpSize;
    out[item] = part_of_real(cell, from[item], fault);
  }
}

}  // namespace presso::gpu
