// SPDX-License-Identifier: MIT
// The fast decoders of one vector of coding 4 (integers), one for each CPU level, and the plain
// struct that they take. Vectors must have been checked (format/columns/integer_layout.h):
// these functions cannot fail.
//
// The kinds of vectors (IntegerKind): 0 packed; 1 differences to the row before; 2 differences to
// the row 32 before; 3 runs; 4 pairs, values of 16 bytes; 5 ALP, doubles that were decimals; 6
// ALP-RD, other doubles; 7 bitmaps of bools.
#pragma once

#include <cstdint>

namespace presso {

/// A checked vector; the fields of its entry and of its block.
struct IntegerVectorJob {
  const std::uint8_t* words;  ///< the vector's first word; its entry says how many follow
  std::uint8_t* out;          ///< room for exactly `rows` values
  std::uint64_t base;
  std::uint64_t divisor;
  std::uint32_t rows;
  std::uint32_t runs;           ///< kind 3: how many there are
  std::uint32_t exceptions_at;  ///< kinds 0, 5 and 6: where exceptions begin, in words
  std::uint8_t kind;
  std::uint8_t width;
  std::uint8_t width2;
  std::uint8_t exceptions;
  std::uint8_t width_bytes;
};

/// One set a level; loops_for() of format/cpu_loops.h picks one.
struct IntegerVectorLoops {
  void (*decode)(const IntegerVectorJob& job);

  static const IntegerVectorLoops portable, avx2, avx512;
};

}  // namespace presso
