// SPDX-License-Identifier: MIT
// Columns of doubles and floats in generated code (query_kernel.cuh): the forms that usual vectors
// have, from which come the bits of values. A vector with more than a few exceptions is not usual,
// since all lanes look at each. It includes nothing that code which is compiled at run time may not
// include. Tests: tests/queries/doubles.txt.
#pragma once

#include "query/gpu/code/query_kernel.cuh"
#include "query/gpu/kernels/real_values.cuh"

namespace presso::gpu::code {

/// A vector's entry in a block's directory (FORMAT.md 16.2).
struct Entry {
  u32 offset;  ///< of its words, behind the directory
  u32 form;    ///< kind, width, width2, exceptions
  u64 base;

  PRESSO_DEVICE Entry(const u32* directory, u32 vector) {
    const u32* const from = directory + kEntryWords * vector;
    offset = simt::load_readonly(from);
    form = simt::load_readonly(from + 1);
    base = u64{simt::load_readonly(from + 3)} << kWordBits | simt::load_readonly(from + 2);
  }
};

/// What is known of a usual vector of doubles or floats beside its base and where its words begin.
struct RealVector {
  double power = 1;    ///< 10^f of ALP
  double inverse = 1;  ///< 10^-e
  u32 exceptions = 0;
  // Where parts begin, in words:
  u32 low_at = 0;
  u32 high_at = 0;
  u32 patches_at = 0;  ///< rows of exceptions, and their values behind them
};

/// A table of a task with columns of doubles or floats.
template <class Table>
struct RealTask : Table {
  static constexpr bool kHasReals = true;
  RealVector reals[Table::kBases][kTaskVectors];
};

/// 10^exponent, up to 18: exact.
PRESSO_DEVICE double real_power_of_ten(u32 exponent) {
  u64 power = 1;
  PRESSO_NO_UNROLL
  for (u32 i = 0; i < exponent; ++i) power *= 10;
  return static_cast<double>(power);
}

/// Fills in what is known of a vector of doubles or floats. False: it is not usual.
template <class Task>
PRESSO_DEVICE bool open_real(const TableBlock& block, const ColumnForm& form, u32 column,
                             u32 vector, u32 in_task, Task& task) {
  RealVector of;
  task.base[column][in_task] = 0;
  if (block.words == nullptr || block.width_bytes != form.real_bytes || !block.floating) {
    return false;
  }
  const bool is_plain = form.entry == kPlainEntry;
  if (block.is_plain != is_plain) return false;
  if (is_plain) {
    task.words[column][in_task] =
        block.words + u64{vector} * kVectorRows * block.width_bytes / sizeof(u32);
    task.reals[column][in_task] = of;
    return true;
  }
  constexpr u32 kAlp = 5;  // IntegerKind
  constexpr u32 kAlpRd = 6;
  const Entry entry(block.words, vector);
  of.exceptions = entry.form >> 24;
  if ((entry.form & low_ones(24)) != form.entry || of.exceptions > kMostUsualExceptions) {
    return false;
  }
  const u32* const words = block.words + directory_words(block) + entry.offset;
  const u32 kind = form.entry & 0xFF;
  const u32 width = form.entry >> 8 & 0xFF;
  const u32 rows = vector_rows(block.rows, vector);
  if (kind == kAlp) {
    const u32 exponents = simt::load_readonly(words);
    of.inverse = 1.0 / real_power_of_ten(exponents & 0xFF);
    of.power = real_power_of_ten(exponents >> 8 & 0xFF);
    of.low_at = 1;
  } else if (kind == kAlpRd) {
    of.low_at = 4 + lane_words(rows, form.entry >> 16);
  }
  of.high_at = of.low_at + lane_words(rows, width < kWordBits ? width : kWordBits);
  of.patches_at = of.high_at + lane_words(rows, width < kWordBits ? 0 : width - kWordBits);
  task.base[column][in_task] = entry.base;
  task.words[column][in_task] = words;
  task.reals[column][in_task] = of;
  return true;
}

/// Where the values of a vector are.
struct RealPlace {
  const u32* words;  ///< of the vector
  u64 base;
  u32 exists;  ///< lane mask of its rows
  const RealVector& of;

  /// Calls patch(step, i) for each exception of the lane's `steps` steps from `first` on.
  template <class Patch>
  PRESSO_DEVICE void for_each_patch(u32 first, u32 steps, const Patch& patch) const {
    PRESSO_NO_UNROLL
    for (u32 i = 0; i < of.exceptions; ++i) {
      const u32 row = half(of.patches_at, i);
      const u32 step = row / kWarpSize - first;
      if (step < steps && row % kWarpSize == simt::lane()) patch(step, i);
    }
  }
  /// What stands behind the rows of exceptions.
  PRESSO_DEVICE u64 patch_of_64(u32 i) const {
    const u32 at = of.patches_at + (of.exceptions + 1) / 2 + 2 * i;
    return u64{simt::load_readonly(words + at + 1)} << kWordBits | simt::load_readonly(words + at);
  }
  PRESSO_DEVICE u32 patch_of_16(u32 i) const {
    return half(of.patches_at + (of.exceptions + 1) / 2, i);
  }
  /// Half a word, counted from word `at` on.
  PRESSO_DEVICE u32 half(u32 at, u32 i) const {
    return simt::load_readonly(words + at + i / 2) >> i % 2 * 16 & 0xFFFF;
  }
};

template <class Task>
PRESSO_DEVICE RealPlace real_place(const Task& task, u32 column, u32 in_task, u64 base,
                                   u32 exists) {
  return {task.words[column][in_task], base, exists, task.reals[column][in_task]};
}

// Columns: a lane's values of kSteps steps in registers, once a chunk is loaded; at() reads a
// single one.

/// Values of 8 or 4 bytes as they lie in memory.
template <u32 kBytes, u32 kSteps>
struct PlainColumn {
  using Value = std::conditional_t<kBytes == 8, u64, u32>;
  Value values[kSteps];

  /// Rows that the vector has not are not read.
  static PRESSO_DEVICE Value at(const RealPlace& from, u32 step) {
    if ((from.exists >> step & 1) == 0) return 0;
    return simt::load_streaming(reinterpret_cast<const Value*>(from.words) + step * kLanes +
                                simt::lane());
  }
  PRESSO_DEVICE void load(const RealPlace& from, u32 chunk) {
    PRESSO_UNROLL
    for (u32 i = 0; i < kSteps; ++i) values[i] = at(from, chunk * kSteps + i);
  }
};

/// Bits, or numbers that stand for doubles: base + number, of kWidth bits, and exceptions. Made:
/// how a value is made of that.
template <class Made, u32 kWidth, u32 kSteps>
struct NumberColumn {
  u64 values[kSteps];

  static PRESSO_DEVICE u64 at(const RealPlace& from, u32 step) {
    const u32* const words = from.words + from.of.low_at + simt::lane();
    u64 value = Made::value(from, lane_value(words, kWidth, step));
    from.for_each_patch(step, 1, [&](u32, u32 i) { value = from.patch_of_64(i); });
    return value;
  }
  PRESSO_DEVICE void load(const RealPlace& from, u32 chunk) {
    Packed<kWidth, kSteps> packed;
    packed.load(from.words + from.of.low_at + simt::lane(), chunk);
    PRESSO_UNROLL
    for (u32 i = 0; i < kSteps; ++i) values[i] = Made::value(from, packed.number(i));
    from.for_each_patch(chunk * kSteps, kSteps, [&](u32 step, u32 i) {
      const u64 value = from.patch_of_64(i);
      PRESSO_UNROLL
      for (u32 s = 0; s < kSteps; ++s) values[s] = s == step ? value : values[s];
    });
  }
};

struct MadeOfBits {
  static PRESSO_DEVICE u64 value(const RealPlace& from, u32 number) { return from.base + number; }
};
/// Two multiplications, each of which rounds.
struct MadeOfDecimals {
  static PRESSO_DEVICE u64 value(const RealPlace& from, u32 number) {
    const auto decimal = static_cast<i64>(from.base + number);
    return __builtin_bit_cast(u64, static_cast<double>(decimal) * from.of.power * from.of.inverse);
  }
};
template <u32 kWidth, u32 kSteps>
using PackedReals = NumberColumn<MadeOfBits, kWidth, kSteps>;
template <u32 kWidth, u32 kSteps>
using AlpColumn = NumberColumn<MadeOfDecimals, kWidth, kSteps>;

/// Doubles whose lower kWidth bits, 48 to 63, are packed, and whose upper ones are one of eight,
/// which a code of kCodeBits bits chooses, or those of an exception.
template <u32 kWidth, u32 kCodeBits, u32 kSteps>
struct AlpRdColumn {
  static constexpr u32 kHighBits = kWidth - kWordBits;
  static constexpr u32 kCodesAt = 4;
  u64 values[kSteps];

  /// The upper parts, of two bytes each.
  struct Lefts {
    u32 lower[2] = {};  ///< their lower bytes
    u32 upper[2] = {};

    PRESSO_DEVICE explicit Lefts(const RealPlace& from) {
      PRESSO_UNROLL
      for (u32 i = 0; i < 8; ++i) {
        const u32 left = from.half(0, i);
        lower[i / 4] |= (left & 0xFF) << i % 4 * 8;
        upper[i / 4] |= (left >> 8) << i % 4 * 8;
      }
    }
    PRESSO_DEVICE u32 of(u32 code) const {
      return simt::byte_of(upper[0], upper[1], code) << 8 | simt::byte_of(lower[0], lower[1], code);
    }
  };

  static PRESSO_DEVICE u64 joined(u32 left, u32 high, u32 low) {
    return u64{left << kHighBits | high} << kWordBits | low;
  }
  static PRESSO_DEVICE u64 with_left(u64 value, u32 left) {
    return joined(left, static_cast<u32>(value >> kWordBits) & low_ones(kHighBits),
                  static_cast<u32>(value));
  }
  static PRESSO_DEVICE u64 at(const RealPlace& from, u32 step) {
    const u32* const mine = from.words + simt::lane();
    const u32 code = lane_value(mine + kCodesAt, kCodeBits, step);
    const u32 high = lane_value(mine + from.of.high_at, kHighBits, step);
    const u32 low = simt::load_readonly(mine + from.of.low_at + step * kLanes);
    u64 value = joined(Lefts(from).of(code), high, low);
    from.for_each_patch(step, 1,
                        [&](u32, u32 i) { value = with_left(value, from.patch_of_16(i)); });
    return value;
  }
  PRESSO_DEVICE void load(const RealPlace& from, u32 chunk) {
    const u32* const mine = from.words + simt::lane();
    Packed<kCodeBits, kSteps> codes;
    Packed<kHighBits, kSteps> high;
    Packed<kWordBits, kSteps> low;
    codes.load(mine + kCodesAt, chunk);
    high.load(mine + from.of.high_at, chunk);
    low.load(mine + from.of.low_at, chunk);
    const Lefts lefts(from);
    PRESSO_UNROLL
    for (u32 i = 0; i < kSteps; ++i) {
      values[i] = joined(lefts.of(codes.number(i)), high.number(i), low.number(i));
    }
    from.for_each_patch(chunk * kSteps, kSteps, [&](u32 step, u32 i) {
      const u32 left = from.patch_of_16(i);
      PRESSO_UNROLL
      for (u32 s = 0; s < kSteps; ++s) {
        values[s] = s == step ? with_left(values[s], left) : values[s];
      }
    });
  }
};

/// The lane mask of rows that a test holds for, by what a double is in the order of zones.
template <u32 kTest, u32 kColumn, u32 kBytes, class Columns>
PRESSO_DEVICE u32 real_test(const Columns& c) {
  const ConditionTest test = c.q.tests[kTest];
  const LeafRange range = c.q.ranges[u64{test.leaf} * c.q.table.slice_count + c.at.slice];
  if (range.count == LeafRange::kAll) return simt::kFullMask;
  if (test.part >= range.count) return 0;
  const ImageInterval interval = c.q.intervals[range.first + test.part];
  u32 mask = 0;
  PRESSO_UNROLL
  for (u32 step = 0; step < Columns::kSteps; ++step) {
    u64 bits = c.template real_bits<kColumn>(step);
    if constexpr (kBytes == 4) bits = real_of_float(static_cast<u32>(bits));
    const u64 image = image_of_double(bits);
    if (interval.least <= image && image <= interval.most) mask |= 1u << step;
  }
  return mask;
}

/// The lane mask of what a leaf allows, of any number of intervals.
template <u32 kLeaf, u32 kColumn, u32 kBytes, class Columns>
PRESSO_DEVICE u32 real_leaf(const Columns& c) {
  const LeafRange range = c.q.ranges[u64{kLeaf} * c.q.table.slice_count + c.at.slice];
  return rows_in_intervals<Columns::kSteps>(c.q, range, [&](u32 step) {
    const u64 bits = c.reader(0).template real_bits<kColumn>(step);
    return image_of_double(kBytes == 4 ? real_of_float(static_cast<u32>(bits)) : bits);
  });
}

/// A value that is not null, where `null` is what nulls become: a NaN becomes another one.
PRESSO_DEVICE i64 not_null(i64 value, i64 null) {
  return value == null ? value ^ 1 : value;
}

template <RealOperation kOperation>
PRESSO_DEVICE i64 real_step(i64 a, i64 b) {
  return static_cast<i64>(real_result(kOperation, static_cast<u64>(a), static_cast<u64>(b)));
}

// What cells take of a double (RealPart), whose number of units of 2^unit has limbs of kBits bits.
PRESSO_DEVICE u64 order_of_value(i64 value) {
  return order_of_real(static_cast<u64>(value));
}
template <u32 kBits, u32 kLimb>
PRESSO_DEVICE u64 limb_of(i64 value, i32 unit) {
  return RealLimb<kBits>(unit, kLimb)(static_cast<u64>(value));
}
/// Writes to `fault` where kLimbs limbs do not hold the double.
template <u32 kBits, u32 kLimbs>
PRESSO_DEVICE u64 specials_of(i64 value, i32 unit, u64* fault) {
  return checked_specials(RealUnits<kBits>(unit, kLimbs), static_cast<u64>(value), fault);
}

/// An exact sum of doubles that three limbs of 32 bits hold each: a number of units of 2^unit, of
/// 128 bits, with a sign.
struct RealSum {
  u64 low = 0;
  u64 high = 0;

  /// Returns what the double adds to the count of infinities and NaNs, as checked_specials(), which
  /// would shift the number once more.
  PRESSO_DEVICE u64 add(i64 value, i32 unit, u64* fault) {
    const u64 bits = static_cast<u64>(value);
    const u64 specials = specials_of_real(bits);
    if (specials != 0) return specials;
    const RealNumber real(bits);
    if (real.number == 0) return 0;
    const i32 up = real.exponent - unit;
    u64 lower = 0;
    u64 upper = 0;
    bool is_held = -64 < up && up < 64;
    if (up < 0) {
      lower = is_held ? real.number >> -up : 0;
      is_held = is_held && lower << -up == real.number;
    } else if (is_held) {
      lower = real.number << up;
      upper = real.number >> 1 >> (63 - up);
      is_held = upper >> kWordBits == 0;
    }
    if (!is_held) *fault = kRealIsOutside;
    // Minus a number is its complement and one.
    const u64 one = bits >> 63;
    lower ^= u64{0} - one;
    low += lower;
    high += (upper ^ (u64{0} - one)) + (low < lower ? 1 : 0);
    low += one;
    high += low < one ? 1 : 0;
    return 0;
  }
  /// What limb 0, 1 or 2 adds to its cell; the last one has the sign.
  PRESSO_DEVICE u64 limb(u32 number) const {
    if (number == 2) return high;
    return number == 0 ? low & low_ones(kWordBits) : low >> kWordBits;
  }
};

}  // namespace presso::gpu::code
