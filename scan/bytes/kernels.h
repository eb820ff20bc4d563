// SPDX-License-Identifier: MIT
// The inner loops of searching, one set per CPU level. Each sweeps a text for positions that may
// begin a match ("candidates") and gathers them in batches, so that its registers and masks are not
// set up anew for every hit. All levels find exactly the same candidates. A rare string is found at
// 3.6 GB/s by the portable kernels and at 65 to 72 by the vector kernels (scan/NOTES.md). Tested by
// tests/unit/scan/bytes/scan_kernels_test.cpp at every alignment and length.
#pragma once

#include <cstddef>
#include <cstdint>

#include "presso/bytes.h"

namespace presso::scan_detail {

/// The furthest byte after a candidate that any probe may look at.
constexpr std::size_t kMaxReach = 128;

/// A batch of candidates, as offsets from the text's beginning, ascending.
struct CandidateBatch {
  static constexpr std::size_t kCapacity = 512;
  /// A kernel stops when fewer places are free than one of its steps can fill.
  static constexpr std::size_t kStep = 256;

  std::size_t count = 0;
  std::size_t at[kCapacity];

  // Inlined in any build, as no function of a CPU level may be shared with another.
  [[gnu::always_inline]] bool has_room() const { return count + kStep <= kCapacity; }
};

/// Looks for two bytes at fixed distances. p is a candidate if both bytes, each after a mask, have
/// the wanted values. The masks drop the bits in which the cases of a letter differ; 0xFF compares
/// exactly.
struct PairProbe {
  /// A byte that has to stand at `offset`, once the mask is applied.
  struct Place {
    std::uint32_t offset = 0;
    Byte mask = 0xFF;
    Byte value = 0;
  };
  Place first;
  Place second;
};

/// Looks for a few strings by up to three of their bytes (the idea of Hyperscan's Teddy). p is a
/// candidate if, in each of `width` bytes from p + offset, the tables of the low and the high
/// nibble share a bucket bit, and one bucket survives all of them.
struct NibbleProbe {
  static constexpr std::size_t kMaxWidth = 3;

  std::uint32_t offset = 0;
  std::uint32_t width = 1;
  alignas(16) Byte low[kMaxWidth][16] = {};
  alignas(16) Byte high[kMaxWidth][16] = {};
};

/// Looks for sets of bytes at fixed distances. p is a candidate if, for each term, the bytes from p
/// + offset to p + offset + run - 1 are all in the term's set. Sets are two nibble tables as above:
/// exact if at most 8 of the set's 16 rows differ, else a little larger.
struct SequenceProbe {
  static constexpr std::size_t kMaxSets = 3;
  static constexpr std::size_t kMaxTerms = 6;
  static constexpr std::uint32_t kMaxReach = 64;  ///< offset + run

  /// A set of bytes in the form that a shuffle instruction looks up: a row for each nibble.
  struct Set {
    alignas(16) Byte low[16] = {};
    alignas(16) Byte high[16] = {};
    bool holds(Byte byte) const { return (low[byte & 15] & high[byte >> 4]) != 0; }
  };
  /// `run` bytes in a row, from `offset` on, that are in a set.
  struct Term {
    std::uint32_t set = 0;
    std::uint32_t offset = 0;
    std::uint32_t run = 1;
  };

  std::uint32_t set_count = 0;
  std::uint32_t term_count = 0;
  std::uint32_t reach = 0;  ///< furthest byte after a candidate that a term reads
  Set sets[kMaxSets];
  Term terms[kMaxTerms];
};

/// Sweeps [from, limit) of `text` for candidates, appends them to `batch`, and returns where to go
/// on: `limit`, or less if the batch is full. Reads text up to limit - 1 + the probe's furthest
/// byte, and no further.
using FindPairs = std::size_t (*)(const PairProbe& probe, const Byte* text, std::size_t from,
                                  std::size_t limit, CandidateBatch& batch);
using FindNibbles = std::size_t (*)(const NibbleProbe& probe, const Byte* text, std::size_t from,
                                    std::size_t limit, CandidateBatch& batch);
using FindSequences = std::size_t (*)(const SequenceProbe& probe, const Byte* text,
                                      std::size_t from, std::size_t limit, CandidateBatch& batch);
/// Counts the bytes of [text, text + size) that equal `value`.
using CountByte = std::size_t (*)(const Byte* text, std::size_t size, Byte value);

/// The kernels of one CPU level. All levels find the same candidates.
struct Kernels {
  FindPairs find_pairs;
  FindNibbles find_nibbles;
  FindSequences find_sequences;
  CountByte count_byte;

  /// One set a level; loops_for() of format/cpu_loops.h picks one.
  static const Kernels portable, avx2, avx512;
};

}  // namespace presso::scan_detail
