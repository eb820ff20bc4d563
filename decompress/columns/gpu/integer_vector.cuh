// SPDX-License-Identifier: MIT
// Decodes one vector of up to 1,024 integers (FORMAT.md 16.2) by one warp, and hands it to a
// *sink* step by step:
//
//   sink(step, value)        value of row kWarpSize * step + lane, in every lane, steps in order
//   sink(step, low, high)   for pairs (16 bytes)
//
// All lanes call a sink together, for every step that has a row; in the last step, lanes whose
// row is n or above get undefined values. So a filter, a probe or a sum takes values from
// registers, and writing them (integer_decoder.cuh) is one sink of several. Word, u32 or u64,
// is the arithmetic's type: values of up to 4 bytes are right modulo 2^32. The vector must have
// passed warp_check_vector().
//
// The kinds of vectors (IntegerKind): 0 packed; 1 delta-1, differences to the row before; 2
// delta-32, differences to the row 32 before; 3 runs; 4 pairs, values of 16 bytes; 5 ALP, doubles
// that were decimals; 6 ALP-RD, other doubles, split into a left part from a dictionary of eight
// and a packed right part; 7 bitmaps of bools. Only kinds 0, 5 and 6 have exceptions, values that
// are stored whole; bools also come in kind 0, as a constant with exceptions.
//
// Packed words are staged in the warp's part of shared memory (`staging`, staging_words<Word>()
// words). For runs the packed words are read from global memory; what is staged are the decoded
// values of the runs, so that each lane can take that of the run its row is in. Delta-1 costs a
// scan over lanes for each step, delta-32 a single addition. Exceptions are put into their step's
// values before the sink sees them, by a map of their rows. No collective operation stands in
// divergent code. Tested by tests/simt/integer_column_suite.cpp.
#pragma once

#include "decompress/columns/gpu/lane_values.cuh"

namespace presso::gpu {

template <class Word>
struct IntegerVector {
  const u32* words;  ///< the vector's words, in global memory
  u32* staging;      ///< the warp's staging area, in shared memory
  VectorEntry entry;
  Word divisor;
  u32 n;
  u32 runs;  ///< how many runs there are in kind 3; 0 in all others

  PRESSO_DEVICE IntegerKind kind() const { return static_cast<IntegerKind>(entry.kind); }
};

/// Room for a vector of the widest values, or for one value of each run. A map of rows, 32 words,
/// needs less.
template <class Word>
PRESSO_HD constexpr u32 staging_words() {
  return kVectorRows * static_cast<u32>(sizeof(Word) / sizeof(u32));
}

// --- exceptions

/// The map of the `count` rows at `rows`; uses the staging area.
PRESSO_DEVICE RowMap map_of_rows(const u32* rows, u32 count, u32* staging) {
  simt::warp_sync();
  staging[simt::lane()] = 0;
  simt::warp_sync();
  for (u32 i = simt::lane(); i < count; i += kWarpSize) {
    const u32 row = half_word(rows, i);
    simt::atomic_or(staging + row / kWarpSize, 1u << row % kWarpSize);
  }
  simt::warp_sync();
  return RowMap::of(staging[simt::lane()]);
}

/// The exceptions of a vector. It must be made before the words are staged, since it uses the
/// staging area for a moment.
class Exceptions {
 public:
  template <class Word>
  PRESSO_DEVICE explicit Exceptions(const IntegerVector<Word>& of)
      : count_(of.entry.exceptions),
        values_(of.words + exceptions_at(of.entry, of.n) + exception_row_words(count_)) {
    if (count_ == 0) return;
    map_ = map_of_rows(of.words + exceptions_at(of.entry, of.n), count_, of.staging);
  }

  /// Returns `value`, or the exception that replaces it.
  template <class Word>
  PRESSO_DEVICE Word in_place_of(Word value, u32 step) const {
    if (count_ == 0) return value;
    const MapStep here(map_, step);
    if (!here.has_row()) return value;
    const u32* const image = values_ + 2 * here.rank();
    if constexpr (sizeof(Word) == 8) {
      return two_words(image);
    } else {
      return simt::load_readonly(image);
    }
  }
  /// Kind 6: returns `left`, the upper bits of a double (at most 16), or the exception that
  /// replaces it.
  PRESSO_DEVICE u32 left_in_place_of(u32 left, u32 step) const {
    if (count_ == 0) return left;
    const MapStep here(map_, step);
    return here.has_row() ? half_word(values_, here.rank()) : left;
  }

 private:
  u32 count_;
  const u32* values_;
  RowMap map_;
};

// --- kinds 0 to 2: packed, delta-1, delta-32

/// Kind 2, delta-32: this lane's row of the first 32, which are packed one after another, not by
/// lanes, with `width` bits each. The caller multiplies it by the divisor and adds the first value.
template <class Word>
PRESSO_DEVICE Word first_row(const u32* words, u32 n, u32 width) {
  if (width == 0 || simt::lane() >= n) return 0;
  const u32 bit = simt::lane() * width;
  const u32* const from = words + bit / kWordBits;
  const u32 shift = bit % kWordBits;
  const u32 here = shift + width;  // 1 to 95 bits of the words from `from` on
  const u32 first = simt::load_readonly(from);
  const u32 second = here > kWordBits ? simt::load_readonly(from + 1) : 0;
  const u32 third = here > 2 * kWordBits ? simt::load_readonly(from + 2) : 0;
  const u32 low = simt::funnel_shift_right(first, second, shift);
  if constexpr (sizeof(Word) == 4) {
    return low & low_ones(width);
  } else {
    if (width <= kWordBits) return low & low_ones(width);
    const u32 high = simt::funnel_shift_right(second, third, shift);
    return low | u64{high & low_ones(width - kWordBits)} << kWordBits;
  }
}

/// Values of delta-1: sums over rows, beginning with the last row of the step before.
template <class Word, class Sink>
PRESSO_DEVICE void for_each_delta_1(const IntegerVector<Word>& of, const PackedLane<Word>& packed,
                                    u32 n, Word first, const Sink& sink) {
  const Word base = static_cast<Word>(of.entry.base);
  Word last = first;
  for (u32 step = 0; step < steps_of(n); ++step) {
    const bool is_first = step == 0 && simt::lane() == 0;
    const Word difference = is_first ? Word{0} : base + of.divisor * packed.at(step);
    const Word value = last + scan_lanes(difference);
    last = simt::shuffle(value, kWarpSize - 1);
    sink(step, value);
  }
}

/// n values of one of the kinds 0 to 2 whose words begin at `words`, without exceptions.
/// `place` is given the first word of the packed part and returns where to read it; it may
/// stage it.
template <class Word, class Place, class Sink>
PRESSO_DEVICE void for_each_plain(const IntegerVector<Word>& of, IntegerKind kind, const u32* words,
                                  u32 n, const Place& place, const Sink& sink) {
  const Word base = static_cast<Word>(of.entry.base);
  const u32 width = of.entry.width;
  if (kind == IntegerKind::kPacked) {
    const auto packed = packed_lane<Word>(place(words), n, width);
    for (u32 step = 0; step < steps_of(n); ++step) sink(step, base + of.divisor * packed.at(step));
    return;
  }
  const Word first = static_cast<Word>(two_words(words));
  if (kind == IntegerKind::kDelta1) {
    for_each_delta_1<Word>(of, packed_lane<Word>(place(words + 2), n, width), n, first, sink);
    return;
  }
  const u32 first_words = first_rows_words(n, of.entry.width2);
  Word value = first + of.divisor * first_row<Word>(words + 2, n, of.entry.width2);
  const auto packed = packed_lane<Word>(place(words + 2 + first_words), n, width);
  sink(0, value);
  for (u32 step = 1; step < steps_of(n); ++step) {
    value += base + of.divisor * packed.at(step);
    sink(step, value);
  }
}

// --- the other kinds

/// Kind 3. The values of the runs are in kind 0, 1 or 2, which stands in the entry's place for the
/// number of exceptions.
template <class Word, class Sink>
PRESSO_DEVICE void for_each_of_runs(const IntegerVector<Word>& of, const Sink& sink) {
  const RowMap starts = RowMap::of(simt::load_readonly(of.words + simt::lane()));
  Word* const values = reinterpret_cast<Word*>(of.staging);
  simt::warp_sync();
  for_each_plain<Word>(
      of, static_cast<IntegerKind>(of.entry.exceptions), of.words + kRunMapWords, of.runs,
      [](const u32* words) { return words; },
      [&](u32 step, Word value) { values[step * kWarpSize + simt::lane()] = value; });
  simt::warp_sync();
  for (u32 step = 0; step < steps_of(of.n); ++step) {
    const MapStep here(starts, step);
    sink(step, values[here.rank() + (here.has_row() ? 1 : 0) - 1]);
  }
}

/// 10^exponent, up to 18: exact.
PRESSO_DEVICE double power_of_ten(u32 exponent) {
  u64 power = 1;
  for (u32 i = 0; i < exponent; ++i) power *= 10;
  return static_cast<double>(power);
}

/// Kind 5: integer * 10^f * 10^-e, where e is the lowest byte of the first word and f the next one.
/// The two multiplications are rounded one by one, so compilers must not contract them. The
/// quotient is the double nearest to the negative power of ten, since division rounds correctly.
template <class Sink>
PRESSO_DEVICE void for_each_alp(const IntegerVector<u64>& of, const Sink& sink) {
  const u32 exponents = simt::load_readonly(of.words);
  const double inverse = 1.0 / power_of_ten(exponents & 0xFF);
  const double power = power_of_ten(exponents >> 8 & 0xFF);
  const Exceptions exceptions(of);
  stage_words(of.words + 1, packed_words(of.n, of.entry.width), of.staging);
  const auto packed = packed_lane<u64>(of.staging, of.n, of.entry.width);
  for (u32 step = 0; step < steps_of(of.n); ++step) {
    const auto integer = static_cast<std::int64_t>(of.entry.base + packed.at(step));
    const double value = static_cast<double>(integer) * power * inverse;
    sink(step, exceptions.in_place_of(__builtin_bit_cast(u64, value), step));
  }
}

/// Kind 6. The codes, which choose left parts, are read from global memory: they have at most three
/// words a lane.
template <class Sink>
PRESSO_DEVICE void for_each_alp_rd(const IntegerVector<u64>& of, const Sink& sink) {
  constexpr u32 kCodesAt = kAlpRdEntries / 2;
  const u32 left_of_lane = half_word(of.words, simt::lane() % kAlpRdEntries);
  const Exceptions exceptions(of);
  const u32* const codes = of.words + kCodesAt + simt::lane();
  const u32* const rights = of.words + kCodesAt + lane_words(of.n, of.entry.width2);
  stage_words(rights, packed_words(of.n, of.entry.width), of.staging);
  const auto packed = packed_lane<u64>(of.staging, of.n, of.entry.width);
  for (u32 step = 0; step < steps_of(of.n); ++step) {
    const u32 code = lane_value(codes, of.entry.width2, step);
    const u32 left = exceptions.left_in_place_of(simt::shuffle(left_of_lane, code), step);
    sink(step, u64{left} << of.entry.width | packed.at(step));
  }
}

/// Kind 4, pairs: the high half is read from global memory, since the low one may fill the staging
/// area.
template <class Sink>
PRESSO_DEVICE void for_each_pair(const IntegerVector<u64>& of, const Sink& sink) {
  const u64 high_base = two_words(of.words);
  const u32 low_words = packed_words(of.n, of.entry.width);
  stage_words(of.words + 2, low_words, of.staging);
  const auto low = packed_lane<u64>(of.staging, of.n, of.entry.width);
  const auto high = packed_lane<u64>(of.words + 2 + low_words, of.n, of.entry.width2);
  for (u32 step = 0; step < steps_of(of.n); ++step) {
    sink(step, of.entry.base + low.at(step), high_base + high.at(step));
  }
}

/// Every kind except those of bools and pairs.
template <class Word, class Sink>
PRESSO_DEVICE void for_each_value(const IntegerVector<Word>& of, const Sink& sink) {
  const IntegerKind kind = of.kind();
  if (kind == IntegerKind::kRuns) return for_each_of_runs(of, sink);
  if constexpr (sizeof(Word) == 8) {
    if (kind == IntegerKind::kAlp) return for_each_alp(of, sink);
    if (kind == IntegerKind::kAlpRd) return for_each_alp_rd(of, sink);
  }
  const auto stage = [&](const u32* packed) {
    stage_words(packed, packed_words(of.n, of.entry.width), of.staging);
    return static_cast<const u32*>(of.staging);
  };
  if (kind != IntegerKind::kPacked || of.entry.exceptions == 0) {
    for_each_plain<Word>(of, kind, of.words, of.n, stage, sink);
    return;
  }
  const Exceptions exceptions(of);
  for_each_plain<Word>(of, kind, of.words, of.n, stage, [&](u32 step, Word value) {
    sink(step, exceptions.in_place_of(value, step));
  });
}

/// Bools: the bits of this lane's step, rows kWarpSize * lane and following; bits of rows n and
/// above are 0.
PRESSO_DEVICE u32 bool_bits(const IntegerVector<u32>& of) {
  const u32 begin = simt::lane() * kWarpSize;
  const u32 rows = of.n > begin ? of.n - begin : 0;
  const u32 mask = low_ones(rows < kWordBits ? rows : kWordBits);
  if (of.kind() == IntegerKind::kBitmap) {
    return rows == 0 ? 0 : simt::load_readonly(of.words + simt::lane()) & mask;
  }
  const u32 constant = (of.entry.base & 1) != 0 ? simt::kFullMask : 0;
  const u32* const exceptional = of.words + exceptions_at(of.entry, of.n);
  const u32* const images = exceptional + exception_row_words(of.entry.exceptions);
  u32* const flips = of.staging;
  flips[simt::lane()] = 0;
  simt::warp_sync();
  for (u32 i = simt::lane(); i < of.entry.exceptions; i += kWarpSize) {
    const u32 row = half_word(exceptional, i);
    const u32 flip = (simt::load_readonly(images + 2 * i) ^ constant) & 1;
    simt::atomic_or(flips + row / kWarpSize, flip << row % kWarpSize);
  }
  simt::warp_sync();
  return (constant ^ flips[simt::lane()]) & mask;
}

}  // namespace presso::gpu
