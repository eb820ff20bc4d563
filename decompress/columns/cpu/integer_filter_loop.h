// SPDX-License-Identifier: MIT
// The loops that the levels with vector registers share. Included once for each level, inside
// its namespace, after the level's `Lanes` and its loops over values that are not packed
// (bytes_range(), halves_range(), longs_range(), floats_range(), doubles_range()). Nothing of the
// standard library is used (format/cpu_loops.h).
//
// `Lanes` compares the 32 values of a step: at `words` is the first word of each lane, and the
// value is the field of kWidth bits from bit kShift on, which may go on in the next word.
// Fields are moved to the upper end of their word, not to the lower one: the bits below them
// then need no mask, because the bounds are made to hold for whatever stands there. So a value
// costs a shift, a subtraction and a comparison. Everything is unrolled over the 32 steps by
// templates on the width.

/// Steps 2 * kPair and 2 * kPair + 1, which make a word of the bitmap.
template <u32 kWidth, u32 kPair, class Bounds>
inline void range_pair(const u8* words, const Bounds& bounds, u64* bits) {
  constexpr u32 kFirst = 2 * kPair * kWidth;
  constexpr u32 kSecond = kFirst + kWidth;
  bits[kPair] = Lanes::join(
      Lanes::template range<kWidth, kFirst % 32>(words + 128 * (kFirst / 32), bounds),
      Lanes::template range<kWidth, kSecond % 32>(words + 128 * (kSecond / 32), bounds));
}

/// All 16 words of the bitmap, unrolled.
template <u32 kWidth, class Bounds, u32... kPairs>
inline void range_pairs(const u8* words, const Bounds& bounds, u64* bits, Steps<kPairs...>) {
  (range_pair<kWidth, kPairs>(words, bounds, bits), ...);
}

// Bounds are shifted to the upper end, and the span filled with ones below.
template <u32 kWidth>
void range_of_width(const PackedRange& range, u64* bits) {
  constexpr u32 kUnused = 32 - kWidth;
  const u32 below = kUnused == 0 ? 0 : (u32{1} << kUnused) - 1;
  const typename Lanes::Bounds bounds(range.low << kUnused, range.span << kUnused | below);
  range_pairs<kWidth>(range.words, bounds, bits, typename MakeSteps<16>::type{});
}

/// As range_pair(), with a set instead of a range.
template <u32 kWidth, u32 kPair>
inline void set_pair(const u8* words, const typename Lanes::Set& set, u64* bits) {
  constexpr u32 kFirst = 2 * kPair * kWidth;
  constexpr u32 kSecond = kFirst + kWidth;
  bits[kPair] =
      Lanes::join(Lanes::template set<kWidth, kFirst % 32>(words + 128 * (kFirst / 32), set),
                  Lanes::template set<kWidth, kSecond % 32>(words + 128 * (kSecond / 32), set));
}

/// All 16 words, unrolled.
template <u32 kWidth, u32... kPairs>
inline void set_pairs(const u8* words, const typename Lanes::Set& set, u64* bits,
                      Steps<kPairs...>) {
  (set_pair<kWidth, kPairs>(words, set, bits), ...);
}

// The table is loaded into registers once for all 32 steps.
template <u32 kWidth>
void set_of_width(const PackedSet& packed, u64* bits) {
  const typename Lanes::Set set(packed.table);
  set_pairs<kWidth>(packed.words, set, bits, typename MakeSteps<16>::type{});
}

/// Functions by width - 1, so that the width is looked at once a vector.
struct Tables {
  void (*range[32])(const PackedRange&, u64*);
  void (*set[kMaxSetWidth])(const PackedSet&, u64*);
};
/// One function for each width from 1 on.
template <u32... kRanges, u32... kSets>
constexpr Tables make_tables(Steps<kRanges...>, Steps<kSets...>) {
  return {{range_of_width<kRanges + 1>...}, {set_of_width<kSets + 1>...}};
}
constexpr Tables kTables =
    make_tables(typename MakeSteps<32>::type{}, typename MakeSteps<kMaxSetWidth>::type{});

/// `range.width` is 1 to 32, of which the caller has made sure.
inline void packed_range(const PackedRange& range, u64* bits) {
  kTables.range[range.width - 1](range, bits);
}

inline void packed_set(const PackedSet& set, u64* bits) {
  kTables.set[set.width - 1](set, bits);
}

/// Where the bits of consecutive runs differ, a bit is put on the row where the later run
/// begins (with PDEP); the bit of each row is then the parity of these bits up to it, a prefix
/// exclusive-or.
inline void spread_runs(const u8* map, const u64* run_bits, u64* bits) {
  u64 before = 0;  // the bit of the run before
  u64 inside = 0;  // all ones where the row before is wanted
  u32 run = 0;
  for (u32 i = 0; i < 16; ++i) {
    u64 starts;
    __builtin_memcpy(&starts, map + 8 * i, sizeof starts);
    // The bits of the runs that begin in these 64 rows, of which a part may be in the next
    // word.
    const u32 shift = run % 64;
    u64 wanted = run / 64 < 16 ? run_bits[run / 64] >> shift : 0;
    if (shift != 0 && run / 64 < 15) wanted |= run_bits[run / 64 + 1] << (64 - shift);
    u64 rows = _pdep_u64(wanted ^ (wanted << 1 | before), starts);
    const u32 count = static_cast<u32>(__builtin_popcountll(starts));
    if (count != 0) before = wanted >> (count - 1) & 1;
    run += count;
    for (u32 distance = 1; distance < 64; distance *= 2) rows ^= rows << distance;
    bits[i] = rows ^ inside;
    inside = u64{0} - (bits[i] >> 63);
  }
}

void words_range(const ValueRange& range, u64* bits) {
  const Lanes::Bounds bounds(static_cast<u32>(range.low), static_cast<u32>(range.span));
  for (u32 i = 0; i < 16; ++i) {
    bits[i] = Lanes::join(Lanes::range<32, 0>(range.values + 256 * i, bounds),
                          Lanes::range<32, 0>(range.values + 256 * i + 128, bounds));
  }
}

/// Signed and unsigned ranges alike; there is a loop for each width.
void value_range(const ValueRange& range, u64* bits) {
  switch (range.width_bytes) {
    case 1:
      return bytes_range(range, bits);
    case 2:
      return halves_range(range, bits);
    case 4:
      return words_range(range, bits);
    default:
      return longs_range(range, bits);
  }
}

/// A loop without the test for NaN is compiled apart.
void real_range(const RealRange& range, u64* bits) {
  if (range.width_bytes == 4) {
    return range.nan ? floats_range<true>(range, bits) : floats_range<false>(range, bits);
  }
  return range.nan ? doubles_range<true>(range, bits) : doubles_range<false>(range, bits);
}
