// SPDX-License-Identifier: MIT
// Loops that are compiled once for each CPU level, and the choice among them at run time. A set of
// loops is a struct of function pointers, with a static member for each level that the set has:
//
//   struct SumLoops {
//     std::int64_t (*sum)(const std::int64_t* values, std::uint32_t count);
//     static const SumLoops portable, avx2, avx512;
//   };
//
// presso_cpu_levels() in cmake/presso_targets.cmake compiles the loops; it says how their files are
// called and what they find defined. Files that are compiled for a level must not include this
// header, since it brings functions of the standard library: a copy of one that was compiled for
// AVX2 could be the one that the linker keeps for the whole program.
#pragma once

#include "presso/cpu.h"

namespace presso {

/// Returns the loops of the set for a level that the CPU has: those of the highest level up to it
/// that the set has. Machines other than x86-64 have the portable ones alone.
template <class Loops>
const Loops& loops_for([[maybe_unused]] CpuLevel level = cpu_level()) {
#if defined(__x86_64__)
  if constexpr (requires { Loops::avx512; }) {
    if (level >= CpuLevel::kAvx512Vbmi2) return Loops::avx512;
  }
  if (level >= CpuLevel::kAvx2) return Loops::avx2;
#endif
  return Loops::portable;
}

}  // namespace presso
