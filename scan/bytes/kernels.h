// SPDX-License-Identifier: MIT
// The inner loops of searching, one set per CPU level: each sweeps a text for positions that may
// begin a match ("candidates") and gathers them in batches, so that its registers and masks are not
// set up anew for every hit. All levels find exactly the same candidates.
// Tested by tests/unit/scan/bytes/scan_kernels_test.cpp at every alignment and length.
#pragma once

#include <cstddef>
#include <cstdint>

#include "presso/bytes.h"
#include "presso/cpu.h"

namespace presso::scan_detail {

/// No probe looks further than this many bytes after a candidate.
constexpr std::size_t kMaxReach = 128;

/// Offsets of candidates from the text's beginning, ascending.
struct CandidateBatch {
  static constexpr std::size_t kCapacity = 512;
  /// A kernel stops when fewer places are free than one of its steps can fill.
  static constexpr std::size_t kStep = 256;

  std::size_t count = 0;
  std::size_t at[kCapacity];

  bool has_room() const { return count + kStep <= kCapacity; }
};

/// Candidate p: two chosen bytes from p on, each after a mask, have the wanted values. The masks
/// drop the bits in which the cases of a letter differ; 0xFF compares exactly.
struct PairProbe {
  struct Place {
    std::uint32_t offset = 0;
    Byte mask = 0xFF;
    Byte value = 0;
  };
  Place first;
  Place second;
};

/// Candidate p: in each of `width` bytes from p + offset the low nibble's and the high nibble's
/// table share a bucket bit, and one bucket survives all of them (the idea of Hyperscan's Teddy).
struct NibbleProbe {
  static constexpr std::size_t kMaxWidth = 3;

  std::uint32_t offset = 0;
  std::uint32_t width = 1;
  alignas(16) Byte low[kMaxWidth][16] = {};
  alignas(16) Byte high[kMaxWidth][16] = {};
};

/// Candidate p: for each term, the bytes from p + offset to p + offset + run - 1 are all in the
/// term's set. Sets of bytes are two nibble tables, as above: exact where at most 8 of the set's 16
/// rows differ, else a little larger.
struct SequenceProbe {
  static constexpr std::size_t kMaxSets = 3;
  static constexpr std::size_t kMaxTerms = 6;
  static constexpr std::uint32_t kMaxReach = 64;  ///< offset + run

  struct Set {
    alignas(16) Byte low[16] = {};
    alignas(16) Byte high[16] = {};
    bool holds(Byte byte) const { return (low[byte & 15] & high[byte >> 4]) != 0; }
  };
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

/// Sweeps candidates p in [from, limit) of `text` into `batch` and returns where to go on: `limit`,
/// or less where the batch is full. Reads text up to limit - 1 + the probe's furthest byte, no
/// more.
using FindPairs = std::size_t (*)(const PairProbe& probe, const Byte* text, std::size_t from,
                                  std::size_t limit, CandidateBatch& batch);
using FindNibbles = std::size_t (*)(const NibbleProbe& probe, const Byte* text, std::size_t from,
                                    std::size_t limit, CandidateBatch& batch);
using FindSequences = std::size_t (*)(const SequenceProbe& probe, const Byte* text,
                                      std::size_t from, std::size_t limit, CandidateBatch& batch);
/// How many bytes of [text, text + size) equal `value`.
using CountByte = std::size_t (*)(const Byte* text, std::size_t size, Byte value);

struct Kernels {
  FindPairs find_pairs;
  FindNibbles find_nibbles;
  FindSequences find_sequences;
  CountByte count_byte;
};

extern const Kernels kPortableKernels;
#if defined(__x86_64__)
extern const Kernels kAvx2Kernels;
extern const Kernels kAvx512Kernels;
#endif

const Kernels& kernels(CpuLevel level);

}  // namespace presso::scan_detail
