// SPDX-License-Identifier: MIT
// Decides in which of the kinds 0 to 3 of coding 4 (IntegerKind, integer_layout.h) a vector of up
// to 1,024 integers is laid out, and writes it. Part of integer_encoder.h; it has no state. Doubles
// have kinds of their own (alp_encoder.h), as have bools and values of 16 bytes.
#pragma once

#include <bit>

#include "compress/columns/integer_loops.h"
#include "format/columns/integer_layout.h"
#include "presso/byte_stream.h"

namespace presso {

template <class U>
constexpr std::uint32_t bits_of(U value) {
  return static_cast<std::uint32_t>(std::bit_width(value));
}

/// A vector's values as the loops of integer_loops.h see them: signed, in 32 or 64 bits.
template <class U>
struct VectorValues {
  alignas(64) U of[kVectorRows];
  std::uint32_t n;
};

/// One layout of a vector and its size in 32-bit words. Bases are numbers as the loops see them,
/// not as they are stored.
template <class U>
struct VectorPlan {
  IntegerKind kind = IntegerKind::kPacked;
  IntegerKind runs_kind = IntegerKind::kPacked;
  std::uint32_t width = 0;
  std::uint32_t width2 = 0;
  std::uint32_t words = 0;
  U base = 0;
  U first_base = 0;  ///< kind 2: base of the first 32 rows
  std::uint32_t exceptions = 0;
  // Exceptions are the rows where value - origin (or origin - value) reaches the threshold.
  U origin = 0;
  U threshold = 0;
  bool down = false;
};

/// The smallest of the kinds 0, 1 and 2 without exceptions.
template <class U>
VectorPlan<U> plan_plain(const VectorStatistics<U>& of, std::uint32_t n, U divisor);

/// The smallest of the kinds 0 to 3, with exceptions where they save something.
template <class U>
VectorPlan<U> plan_vector(const VectorValues<U>& values, const ExactDivision<U>& division,
                          const IntegerLoops& loops);

/// Appends `n` packed values of `width` bits (0 to 32); nothing at width 0. `values` has room for
/// kVectorRows; those after the first `n` may be overwritten.
void append_packed(std::uint32_t* values, std::uint32_t n, std::uint32_t width,
                   const IntegerLoops& loops, Buffer& to);

/// How values become the 64-bit images that are stored: a flipped top bit is flipped back, and
/// the sign extended.
struct ImageRule {
  bool is_flipped = false;
  bool extends_sign = false;

  std::uint64_t of(std::uint64_t value) const {
    return is_flipped ? value ^ std::uint64_t{1} << 63 : value;
  }
  std::uint64_t of(std::uint32_t value) const {
    const std::uint32_t plain = is_flipped ? value ^ std::uint32_t{1} << 31 : value;
    return extends_sign ? of_difference(plain) : plain;
  }
  static std::uint64_t of_difference(std::uint64_t value) { return value; }
  static std::uint64_t of_difference(std::uint32_t value) {
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)});
  }
};

/// Appends the vector's words and fills all of `entry` except the word offset.
template <class U>
void append_vector(const VectorValues<U>& values, const VectorPlan<U>& plan,
                   const ExactDivision<U>& division, const ImageRule& images,
                   const IntegerLoops& loops, VectorEntry& entry, Buffer& to);

/// Appends two 32-bit words, the lower one first.
void append_words(Buffer& to, std::uint64_t two_words);

}  // namespace presso
