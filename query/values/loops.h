// SPDX-License-Identifier: MIT
// Plain loops over vectors of values that are worth compiling for each CPU level: arithmetic of
// 64-bit integers, numbers for dictionary codes, and digits of packed keys. All levels give the
// same results. The loops themselves are in loops_body.h. Tested by
// tests/unit/query/values/loops_test.cpp.
#pragma once

#include <cstdint>

namespace presso::query {

/// The loops of one level. Sums and products are modulo 2^64; `to` may be one of the inputs, which
/// otherwise do not overlap it.
struct ValueLoops {
  void (*add)(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t count,
              std::uint64_t* to);
  void (*subtract)(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t count,
                   std::uint64_t* to);
  void (*multiply)(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t count,
                   std::uint64_t* to);
  /// to[i] = from[i]
  void (*widen)(const std::uint32_t* from, std::uint32_t count, std::uint64_t* to);
  /// to[i] = table[codes[i]]. The table has `entries` entries, and memory for at least 16.
  void (*look_up)(const std::uint32_t* table, std::uint32_t entries, const std::uint32_t* codes,
                  std::uint32_t count, std::uint64_t* to);
  /// to[i] = values[i] - least
  void (*offsets)(const std::uint64_t* values, std::uint64_t least, std::uint32_t count,
                  std::uint64_t* to);
  /// to[i] += (values[i] - least) * stride: one digit of a number in mixed radix, which packs
  /// several key columns into one word.
  void (*add_digits)(const std::uint64_t* values, std::uint64_t least, std::uint64_t stride,
                     std::uint32_t count, std::uint64_t* to);

  /// One set a level; loops_for() of format/cpu_loops.h picks one.
  static const ValueLoops portable, avx2, avx512;
};

}  // namespace presso::query
