// SPDX-License-Identifier: MIT
// Plain loops over vectors of values that are worth being compiled for each CPU level: arithmetic
// of 64-bit integers, codes to numbers, keys to digits. All levels give the same. The loops stand
// in loops_body.h. Tested by tests/unit/query/values/loops_test.cpp.
#pragma once

#include <cstdint>

#include "presso/cpu.h"

namespace presso::query {

/// All sums and products are modulo 2^64. `to` may be one of the inputs.
struct ValueLoops {
  void (*add)(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t count,
              std::uint64_t* to);
  void (*subtract)(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t count,
                   std::uint64_t* to);
  void (*multiply)(const std::uint64_t* a, const std::uint64_t* b, std::uint32_t count,
                   std::uint64_t* to);
  /// to[i] = from[i]
  void (*widen)(const std::uint32_t* from, std::uint32_t count, std::uint64_t* to);
  /// to[i] = table[codes[i]]; of `entries` entries, which are followed by as many as make 16.
  void (*look_up)(const std::uint32_t* table, std::uint32_t entries, const std::uint32_t* codes,
                  std::uint32_t count, std::uint64_t* to);
  /// to[i] = values[i] - least
  void (*offsets)(const std::uint64_t* values, std::uint64_t least, std::uint32_t count,
                  std::uint64_t* to);
  /// to[i] += (values[i] - least) * stride
  void (*add_digits)(const std::uint64_t* values, std::uint64_t least, std::uint64_t stride,
                     std::uint32_t count, std::uint64_t* to);
};

const ValueLoops& value_loops_portable();
const ValueLoops& value_loops_avx2();
const ValueLoops& value_loops_avx512();
const ValueLoops& value_loops_for(CpuLevel level);
/// Those for this machine.
const ValueLoops& value_loops();

}  // namespace presso::query
