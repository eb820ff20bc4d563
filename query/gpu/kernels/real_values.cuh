// SPDX-License-Identifier: MIT
// Doubles as kernels compute with them, from bits to bits: the operations of a program, how a
// double is cut into limbs that are added up exactly, and numbers in the order of doubles. No
// compiler may fuse two operations into one that rounds only once: the code of a query is compiled
// without fusing. Results then equal those of a CPU, except for a NaN's payload, which no program
// exposes. It includes nothing that code which is compiled at run time may not include.
//
// The CPU adds doubles exactly, as integers of a common unit, and rounds once
// (query/group/double_sum_state.cpp), so any other exact sum gives the same bits. Here a number of
// units is cut into limbs of 32 bits, each added up in a cell of its own with the value's sign,
// without carries. That suffices for 2^31 rows; for up to 2^47 rows, limbs have 16 bits, and
// integers that would overflow two cells are cut in the same way. The host combines the limbs.
// Tests: tests/queries/doubles.txt.
#pragma once

#include "query/gpu/kernels/packed_range.cuh"
#include "query/gpu/kernels/real_operations.h"
#include "query/gpu/kernels/result_words.h"

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

/// A limb of kBits bits of doubles that RealUnits hold: number `limb` of a number of 2^unit.
template <u32 kBits>
struct RealLimb {
  std::int32_t lowest;  ///< exponent of its lowest bit

  PRESSO_DEVICE RealLimb(std::int32_t unit, u32 limb)
      : lowest(unit + static_cast<std::int32_t>(kBits * limb)) {}

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

/// The units, 2^unit, of a sum whose limbs have kBits bits.
template <u32 kBits>
struct RealUnits {
  std::int32_t unit;
  std::int32_t room;  ///< bits of all limbs

  PRESSO_DEVICE RealUnits(std::int32_t lowest, u32 limbs)
      : unit(lowest), room(static_cast<std::int32_t>(kBits * limbs)) {}

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

/// Returns specials_of_real(), and writes kRealIsOutside to `fault` where limbs do not hold the
/// double.
template <u32 kBits>
PRESSO_DEVICE u64 checked_specials(const RealUnits<kBits>& units, u64 bits, u64* fault) {
  const u64 specials = specials_of_real(bits);
  if (specials == 0 && !units.hold(bits)) *fault = kRealIsOutside;
  return specials;
}

// --- operations

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

// --- order

/// The zone image of a double, as double_image() gives it; NaN is the greatest.
PRESSO_DEVICE u64 image_of_double(u64 bits) {
  const u64 magnitude = bits & ~kImageTopBit;
  if (magnitude > 0x7FF0000000000000u) return ~u64{0};
  if (magnitude == 0) return kImageTopBit;
  return (bits & kImageTopBit) != 0 ? ~bits : bits | kImageTopBit;
}

}  // namespace presso::gpu
