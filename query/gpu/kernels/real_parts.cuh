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

/// A limb of kBits bits of doubles that kSpecials or kMinus has no objection to.
template <u32 kBits>
struct RealLimb {
  std::int32_t lowest;  ///< exponent of its lowest bit

  PRESSO_DEVICE explicit RealLimb(const PipelineCell& cell)
      : lowest(cell.unit + static_cast<std::int32_t>(kBits * cell.column)) {}

  PRESSO_DEVICE u64 operator()(u64 bits) const {
    if ((bits & kRealInfinity) == kRealInfinity) return 0;
    const RealNumber real(bits);
    const std::int32_t up = lowest - real.exponent;
    constexpr auto kWordSigned = static_cast<std::int32_t>(kWordBits);
    u32 limb = 0;
    if (up >= 0 && up < 2 * kWordSigned) {
      limb = static_cast<u32>(real.number >> up);
    } else if (up < 0 && up > -kWordSigned) {
      limb = static_cast<u32>(real.number << -up);
    }
    if constexpr (kBits < kWordBits) limb &= low_ones(kBits);
    return (bits & kImageTopBit) != 0 ? u64{0} - limb : u64{limb};
  }
};

/// The units of a cell whose limbs have kBits bits.
template <u32 kBits>
struct RealUnits {
  std::int32_t unit;
  std::int32_t room;  ///< bits of all limbs

  PRESSO_DEVICE explicit RealUnits(const PipelineCell& cell)
      : unit(cell.unit), room(static_cast<std::int32_t>(kBits * cell.column)) {}

  /// Whether a finite double is a whole number of them that the limbs hold.
  PRESSO_DEVICE bool hold(u64 bits) const {
    const RealNumber real(bits);
    if (real.number == 0) return true;
    const std::int32_t above = real.exponent - unit;  // of the number's lowest bit
    constexpr auto kBitsOfNumber = static_cast<std::int32_t>(2 * kWordBits);
    if (above < 0) {
      if (above <= -kBitsOfNumber) return false;
      if ((real.number & ((u64{1} << -above) - 1)) != 0) return false;
    }
    const std::int32_t left = room - above;
    if (left >= kBitsOfNumber) return true;
    return left >= 0 && real.number >> left == 0;
  }
};

/// kSpecialPlus and kSpecialMinus of a double, which is finite without either.
PRESSO_DEVICE u64 specials_of_real(u64 bits) {
  const u64 magnitude = bits & ~kImageTopBit;
  if (magnitude < kRealInfinity) return 0;
  if (magnitude > kRealInfinity) return kSpecialPlus | kSpecialMinus;
  return magnitude == bits ? kSpecialPlus : kSpecialMinus;
}

/// The same; where limbs do not hold the double, that is written to `fault`.
template <u32 kBits>
PRESSO_DEVICE u64 checked_specials(const RealUnits<kBits>& units, u64 bits, u64* fault) {
  const u64 specials = specials_of_real(bits);
  if (specials == 0 && !units.hold(bits)) *fault = kRealIsOutside;
  return specials;
}

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
  const RealUnits<kWordBits> units(cell);
  const RealUnits<kShortBits> short_units(cell);
  switch (cell.part) {
    case RealPart::kOrder:
      return take([](u64 bits) { return order_of_real(bits); });
    case RealPart::kLimb:
      return take(RealLimb<kWordBits>(cell));
    case RealPart::kShortLimb:
      return take(RealLimb<kShortBits>(cell));
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
