// SPDX-License-Identifier: MIT
// Which vector back end runs on this machine. Every engine that has several registers one function
// per level and picks the highest that the CPU has; all give identical output.
#pragma once

#include <string_view>
#include <vector>

namespace presso {

/// Each has what those below it have.
enum class CpuLevel {
  kPortable = 0,
  kAvx2 = 1,         ///< AVX2, BMI1 and BMI2
  kAvx512Vbmi2 = 2,  ///< and AVX-512 F, BW, VL and VBMI2: Ice Lake, Zen 4
};

/// The level to use: the fastest that this CPU supports, or the one that the environment variable
/// PRESSO_FORCE_BACKEND names (portable, avx2, avx512vbmi2) where the CPU supports it.
/// Decided once.
CpuLevel cpu_level();
/// All levels that this CPU supports, lowest first: tests run each.
std::vector<CpuLevel> supported_cpu_levels();
std::string_view name(CpuLevel level);
/// What this CPU has, and its system lets us use, of the instruction sets that are asked for, by
/// the names of Linux's /proc/cpuinfo: "avx2", "avx512_vbmi2". Empty on other machines than x86-64.
const std::vector<std::string_view>& cpu_features();

}  // namespace presso
