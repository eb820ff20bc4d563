// SPDX-License-Identifier: MIT
// The kernels for vector registers, compiled once for AVX2 and once for AVX-512
// (presso_cpu_levels). All that differs is V, the operations on registers:
//
//   Reg, Hits                a register of kBytes bytes; a set of its byte positions
//   load, splat, table16     unaligned load; one byte or one 16-byte table in every lane
//   bit_and, low_nibbles, high_nibbles, shuffle
//   equal, nonzero           -> Hits
//   both, either, any, bits  on Hits; bit i of bits() is byte i
//
// Nothing of the standard library is used (format/cpu_loops.h).
#include <immintrin.h>

#include "scan/bytes/kernels.h"

namespace presso::scan_detail {
namespace PRESSO_LEVEL {
namespace {

#if defined(PRESSO_AVX512)

/// Sets of byte positions are mask registers here.
struct V {
  using Reg = __m512i;
  using Hits = __mmask64;
  static constexpr std::size_t kBytes = 64;

  static Reg load(const Byte* from) { return _mm512_loadu_si512(from); }
  static Reg splat(Byte value) { return _mm512_set1_epi8(static_cast<char>(value)); }
  static Reg table16(const Byte* from) {
    return _mm512_maskz_broadcast_i32x4(0xFFFF,
                                        _mm_load_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static Reg bit_and(Reg a, Reg b) { return _mm512_and_si512(a, b); }
  static Reg low_nibbles(Reg a) { return bit_and(a, splat(15)); }
  static Reg high_nibbles(Reg a) { return bit_and(_mm512_srli_epi16(a, 4), splat(15)); }
  static Reg shuffle(Reg table, Reg index) { return _mm512_shuffle_epi8(table, index); }
  static Hits equal(Reg a, Reg b) { return _mm512_cmpeq_epi8_mask(a, b); }
  static Hits nonzero(Reg a) { return _mm512_test_epi8_mask(a, a); }
  static Hits both(Hits a, Hits b) { return a & b; }
  static Hits either(Hits a, Hits b) { return a | b; }
  static bool any(Hits a) { return a != 0; }
  static std::uint64_t bits(Hits a) { return a; }
};

#else

/// Sets of byte positions are registers here, with 0xFF for a hit.
struct V {
  using Reg = __m256i;
  using Hits = __m256i;
  static constexpr std::size_t kBytes = 32;

  static Reg load(const Byte* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  static Reg splat(Byte value) { return _mm256_set1_epi8(static_cast<char>(value)); }
  static Reg table16(const Byte* from) {
    return _mm256_broadcastsi128_si256(_mm_load_si128(reinterpret_cast<const __m128i*>(from)));
  }
  static Reg bit_and(Reg a, Reg b) { return _mm256_and_si256(a, b); }
  static Reg low_nibbles(Reg a) { return bit_and(a, splat(15)); }
  static Reg high_nibbles(Reg a) { return bit_and(_mm256_srli_epi16(a, 4), splat(15)); }
  static Reg shuffle(Reg table, Reg index) { return _mm256_shuffle_epi8(table, index); }
  static Hits equal(Reg a, Reg b) { return _mm256_cmpeq_epi8(a, b); }
  static Hits nonzero(Reg a) {
    return _mm256_xor_si256(equal(a, _mm256_setzero_si256()), splat(0xFF));
  }
  static Hits both(Hits a, Hits b) { return _mm256_and_si256(a, b); }
  static Hits either(Hits a, Hits b) { return _mm256_or_si256(a, b); }
  static bool any(Hits a) { return _mm256_testz_si256(a, a) == 0; }
  static std::uint64_t bits(Hits a) { return static_cast<std::uint32_t>(_mm256_movemask_epi8(a)); }
};

#endif

/// Appends the hits among the `wanted` bits of a register at `base`.
inline void append(V::Hits hits, std::size_t base, std::uint64_t wanted, CandidateBatch& batch) {
  for (std::uint64_t bits = V::bits(hits) & wanted; bits != 0; bits &= bits - 1) {
    batch.at[batch.count++] = base + static_cast<std::size_t>(__builtin_ctzll(bits));
  }
}

/// Runs `test(at) -> Hits` over [from, limit). `reach` is how far after a candidate the test looks.
/// Four registers make a step: if nothing is found, the branch on their union is the only one. The
/// end of the text is copied to a buffer from which a whole register can be read.
template <class Test>
inline std::size_t sweep(const Test& test, std::size_t reach, const Byte* text, std::size_t from,
                         std::size_t limit, CandidateBatch& batch) {
  constexpr std::size_t kBytes = V::kBytes;
  static_assert(4 * kBytes <= CandidateBatch::kStep);
  constexpr std::uint64_t kAll = ~std::uint64_t{0};
  while (from + 4 * kBytes <= limit) {
    const auto hits0 = test(text + from);
    const auto hits1 = test(text + from + kBytes);
    const auto hits2 = test(text + from + 2 * kBytes);
    const auto hits3 = test(text + from + 3 * kBytes);
    if (V::any(V::either(V::either(hits0, hits1), V::either(hits2, hits3)))) {
      if (!batch.has_room()) return from;
      append(hits0, from, kAll, batch);
      append(hits1, from + kBytes, kAll, batch);
      append(hits2, from + 2 * kBytes, kAll, batch);
      append(hits3, from + 3 * kBytes, kAll, batch);
    }
    from += 4 * kBytes;
  }
  if (!batch.has_room()) return from;
  for (; from + kBytes <= limit; from += kBytes) append(test(text + from), from, kAll, batch);
  if (from < limit) {
    Byte end[kBytes + kMaxReach] = {};
    __builtin_memcpy(end, text + from, limit - from + reach);
    append(test(end), from, (std::uint64_t{1} << (limit - from)) - 1, batch);
  }
  return limit;
}

/// The test of a pair probe; without masks it saves two instructions a register.
template <bool kMasked>
struct PairTest {
  explicit PairTest(const PairProbe& probe)
      : offset1(probe.first.offset),
        offset2(probe.second.offset),
        mask1(V::splat(probe.first.mask)),
        mask2(V::splat(probe.second.mask)),
        value1(V::splat(probe.first.value)),
        value2(V::splat(probe.second.value)) {}

  V::Hits operator()(const Byte* at) const {
    V::Reg bytes1 = V::load(at + offset1);
    V::Reg bytes2 = V::load(at + offset2);
    if constexpr (kMasked) {
      bytes1 = V::bit_and(bytes1, mask1);
      bytes2 = V::bit_and(bytes2, mask2);
    }
    return V::both(V::equal(bytes1, value1), V::equal(bytes2, value2));
  }

  std::size_t offset1, offset2;
  V::Reg mask1, mask2, value1, value2;
};

std::size_t find_pairs(const PairProbe& probe, const Byte* text, std::size_t from,
                       std::size_t limit, CandidateBatch& batch) {
  const std::size_t reach =
      probe.first.offset > probe.second.offset ? probe.first.offset : probe.second.offset;
  if (probe.first.mask == 0xFF && probe.second.mask == 0xFF) {
    return sweep(PairTest<false>(probe), reach, text, from, limit, batch);
  }
  return sweep(PairTest<true>(probe), reach, text, from, limit, batch);
}

/// The test of a nibble probe: two table look-ups (byte shuffles) for each byte of its width.
template <std::uint32_t kWidth>
struct NibbleTest {
  explicit NibbleTest(const NibbleProbe& probe) : offset(probe.offset) {
    for (std::uint32_t i = 0; i < kWidth; ++i) {
      low[i] = V::table16(probe.low[i]);
      high[i] = V::table16(probe.high[i]);
    }
  }

  V::Hits operator()(const Byte* at) const {
    V::Reg buckets = lookup(0, at + offset);
    for (std::uint32_t i = 1; i < kWidth; ++i) {
      buckets = V::bit_and(buckets, lookup(i, at + offset + i));
    }
    return V::nonzero(buckets);
  }

  V::Reg lookup(std::uint32_t i, const Byte* at) const {
    const V::Reg bytes = V::load(at);
    return V::bit_and(V::shuffle(low[i], V::low_nibbles(bytes)),
                      V::shuffle(high[i], V::high_nibbles(bytes)));
  }

  std::size_t offset;
  V::Reg low[kWidth], high[kWidth];
};

std::size_t find_nibbles(const NibbleProbe& probe, const Byte* text, std::size_t from,
                         std::size_t limit, CandidateBatch& batch) {
  const std::size_t reach = probe.offset + probe.width - 1;
  switch (probe.width) {
    case 1:
      return sweep(NibbleTest<1>(probe), reach, text, from, limit, batch);
    case 2:
      return sweep(NibbleTest<2>(probe), reach, text, from, limit, batch);
    default:
      return sweep(NibbleTest<3>(probe), reach, text, from, limit, batch);
  }
}

/// A word whose bit i says that bits i + offset to i + offset + run - 1 of high:low are all set.
/// The length of runs doubles with each step.
inline std::uint64_t run_bits(std::uint64_t low, std::uint64_t high,
                              const SequenceProbe::Term& term) {
  auto bits = ((static_cast<unsigned __int128>(high) << 64) | low) >> term.offset;
  std::uint32_t length = 1;
  while (length < term.run) {
    const std::uint32_t more = length < term.run - length ? length : term.run - length;
    bits &= bits >> more;
    length += more;
  }
  return static_cast<std::uint64_t>(bits);
}

/// The sweep of a sequence probe. It classifies 64 bytes at a time into one bit mask for each set
/// and then works on the masks alone, which costs the same however many terms look at a set.
template <std::uint32_t kSets>
struct SequenceSweep {
  explicit SequenceSweep(const SequenceProbe& wanted) : probe(wanted) {
    for (std::uint32_t i = 0; i < kSets; ++i) {
      low_rows[i] = V::table16(probe.sets[i].low);
      high_rows[i] = V::table16(probe.sets[i].high);
    }
  }

  /// Tells which of the 64 bytes at `at` are in each set.
  void classify(const Byte* at, std::uint64_t (&bits)[kSets]) const {
    for (std::uint32_t i = 0; i < kSets; ++i) bits[i] = 0;
    for (std::size_t part = 0; part < 64; part += V::kBytes) {
      const V::Reg bytes = V::load(at + part);
      const V::Reg low = V::low_nibbles(bytes);
      const V::Reg high = V::high_nibbles(bytes);
      for (std::uint32_t i = 0; i < kSets; ++i) {
        const auto rows = V::bit_and(V::shuffle(low_rows[i], low), V::shuffle(high_rows[i], high));
        bits[i] |= V::bits(V::nonzero(rows)) << part;
      }
    }
  }

  /// The candidates among the 64 places whose bytes have the masks `low`; `high` are the masks of
  /// the next 64 bytes.
  std::uint64_t candidates(const std::uint64_t (&low)[kSets],
                           const std::uint64_t (&high)[kSets]) const {
    std::uint64_t all = ~std::uint64_t{0};
    for (std::uint32_t i = 0; i < probe.term_count && all != 0; ++i) {
      const SequenceProbe::Term& term = probe.terms[i];
      all &= run_bits(low[term.set], high[term.set], term);
    }
    return all;
  }

  static void append_bits(std::uint64_t bits, std::size_t base, CandidateBatch& batch) {
    for (; bits != 0; bits &= bits - 1) {
      batch.at[batch.count++] = base + static_cast<std::size_t>(__builtin_ctzll(bits));
    }
  }

  std::size_t run(const Byte* text, std::size_t from, std::size_t limit, CandidateBatch& batch) {
    const std::size_t readable = limit + probe.reach;
    std::uint64_t low[kSets] = {}, high[kSets] = {};
    if (from + 128 <= readable && from < limit) classify(text + from, low);
    while (from + 128 <= readable && from + 64 <= limit) {
      if (!batch.has_room()) return from;
      classify(text + from + 64, high);
      append_bits(candidates(low, high), from, batch);
      __builtin_memcpy(low, high, sizeof(low));
      from += 64;
    }
    for (; from < limit; from += 64) {
      if (!batch.has_room()) return from;
      append_end(text, from, limit, readable, batch);
    }
    return limit;
  }

  /// Handles the end, where fewer bytes than two blocks are left: they are copied to where both
  /// blocks can be read.
  void append_end(const Byte* text, std::size_t from, std::size_t limit, std::size_t readable,
                  CandidateBatch& batch) const {
    Byte end[128] = {};
    const std::size_t left = readable - from;
    __builtin_memcpy(end, text + from, left < 128 ? left : 128);
    std::uint64_t low[kSets] = {}, high[kSets] = {};
    classify(end, low);
    classify(end + 64, high);
    const std::uint64_t wanted =
        limit - from >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (limit - from)) - 1;
    append_bits(candidates(low, high) & wanted, from, batch);
  }

  const SequenceProbe& probe;
  V::Reg low_rows[kSets], high_rows[kSets];
};

std::size_t find_sequences(const SequenceProbe& probe, const Byte* text, std::size_t from,
                           std::size_t limit, CandidateBatch& batch) {
  switch (probe.set_count) {
    case 1:
      return SequenceSweep<1>(probe).run(text, from, limit, batch);
    case 2:
      return SequenceSweep<2>(probe).run(text, from, limit, batch);
    default:
      return SequenceSweep<3>(probe).run(text, from, limit, batch);
  }
}

std::size_t count_byte(const Byte* text, std::size_t size, Byte value) {
  const V::Reg wanted = V::splat(value);
  std::size_t count = 0;
  std::size_t i = 0;
  for (; i + 4 * V::kBytes <= size; i += 4 * V::kBytes) {
    for (std::size_t part = 0; part < 4; ++part) {
      const auto hits = V::equal(V::load(text + i + part * V::kBytes), wanted);
      count += static_cast<std::size_t>(__builtin_popcountll(V::bits(hits)));
    }
  }
  for (; i < size; ++i) count += text[i] == value;
  return count;
}

}  // namespace
}  // namespace PRESSO_LEVEL

const Kernels Kernels::PRESSO_LEVEL = {PRESSO_LEVEL::find_pairs, PRESSO_LEVEL::find_nibbles,
                                       PRESSO_LEVEL::find_sequences, PRESSO_LEVEL::count_byte};

}  // namespace presso::scan_detail
