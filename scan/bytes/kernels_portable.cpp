// SPDX-License-Identifier: MIT
// The kernels without vector registers, for CPUs that have none of the levels and for comparison in
// tests: eight bytes at a time in a 64-bit word where that pays.
#include "scan/bytes/kernels.h"

#include <bit>

namespace presso::scan_detail {
namespace portable {
namespace {

constexpr std::uint64_t kOnes = 0x0101010101010101u;
constexpr std::uint64_t kHighBits = 0x8080808080808080u;

/// A word with 0x80 in each byte of `word` that is zero. It is exact, unlike the shorter trick with
/// a borrow, which may also mark the byte after a zero.
std::uint64_t zero_bytes(std::uint64_t word) {
  const std::uint64_t low = (word & ~kHighBits) + ~kHighBits;
  return ~(low | word | ~kHighBits);
}

/// A word with 0x80 for each of the eight bytes from `at` that passes the place's comparison.
std::uint64_t hits(const PairProbe::Place& place, const Byte* at) {
  const std::uint64_t word = load<std::uint64_t>(at + place.offset);
  return zero_bytes((word & (kOnes * place.mask)) ^ (kOnes * place.value));
}

bool passes(const PairProbe::Place& place, const Byte* at) {
  return (at[place.offset] & place.mask) == place.value;
}

/// Eight places at a time in a word, then one by one.
std::size_t find_pairs(const PairProbe& probe, const Byte* text, std::size_t from,
                       std::size_t limit, CandidateBatch& batch) {
  while (from + 8 <= limit) {
    if (!batch.has_room()) return from;
    std::uint64_t both = hits(probe.first, text + from) & hits(probe.second, text + from);
    for (; both != 0; both &= both - 1) {
      batch.at[batch.count++] = from + static_cast<std::size_t>(std::countr_zero(both) / 8);
    }
    from += 8;
  }
  for (; from < limit; ++from) {
    if (!batch.has_room()) return from;
    if (passes(probe.first, text + from) && passes(probe.second, text + from)) {
      batch.at[batch.count++] = from;
    }
  }
  return from;
}

/// The test of one place, for the end of the text and for this whole level.
bool passes(const NibbleProbe& probe, const Byte* at) {
  unsigned buckets = 0xFF;
  for (std::uint32_t i = 0; i < probe.width; ++i) {
    buckets &= probe.low[i][at[i] & 15] & probe.high[i][at[i] >> 4];
  }
  return buckets != 0;
}

/// One place at a time: without a shuffle instruction tables of nibbles are no faster.
std::size_t find_nibbles(const NibbleProbe& probe, const Byte* text, std::size_t from,
                         std::size_t limit, CandidateBatch& batch) {
  for (; from < limit; ++from) {
    if (!passes(probe, text + from + probe.offset)) continue;
    if (!batch.has_room()) return from;
    batch.at[batch.count++] = from;
  }
  return from;
}

/// Whether all terms hold at `at`, which has to have `reach` bytes after it.
bool passes(const SequenceProbe& probe, const Byte* at) {
  for (std::uint32_t i = 0; i < probe.term_count; ++i) {
    const SequenceProbe::Term& term = probe.terms[i];
    for (std::uint32_t place = 0; place < term.run; ++place) {
      if (!probe.sets[term.set].holds(at[term.offset + place])) return false;
    }
  }
  return true;
}

std::size_t find_sequences(const SequenceProbe& probe, const Byte* text, std::size_t from,
                           std::size_t limit, CandidateBatch& batch) {
  for (; from < limit; ++from) {
    if (!passes(probe, text + from)) continue;
    if (!batch.has_room()) return from;
    batch.at[batch.count++] = from;
  }
  return from;
}

/// Counts eight bytes at a time, by the exact test for zero bytes.
std::size_t count_byte(const Byte* text, std::size_t size, Byte value) {
  std::size_t count = 0;
  std::size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    const std::uint64_t word = load<std::uint64_t>(text + i) ^ (kOnes * value);
    count += static_cast<std::size_t>(std::popcount(zero_bytes(word)));
  }
  for (; i < size; ++i) count += text[i] == value;
  return count;
}

}  // namespace
}  // namespace portable

const Kernels Kernels::portable = {portable::find_pairs, portable::find_nibbles,
                                   portable::find_sequences, portable::count_byte};

}  // namespace presso::scan_detail
