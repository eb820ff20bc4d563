// SPDX-License-Identifier: MIT
// Which vector code runs on this machine. Every engine that has several versions registers one
// function per level and picks the highest level that the CPU supports; all versions give identical
// output. Tested by tests/unit/format/cpu_test.cpp.
#pragma once

#include <string_view>
#include <vector>

namespace presso {

/// Each level includes the levels below it.
enum class CpuLevel {
  kPortable = 0,
  kAvx2 = 1,         ///< AVX2, BMI1 and BMI2
  kAvx512Vbmi2 = 2,  ///< and AVX-512 F, BW, VL, DQ and VBMI2: Ice Lake, Zen 4
};

/// Returns the level to use: the highest one that this CPU supports, or the one that the
/// environment variable PRESSO_FORCE_BACKEND names (portable, avx2, avx512vbmi2) if the CPU
/// supports it. Decided once per process.
CpuLevel cpu_level();
/// All levels that this CPU supports, lowest first: tests run each.
std::vector<CpuLevel> supported_cpu_levels();
std::string_view name(CpuLevel level);
/// Returns which of the instruction sets that presso asks for this CPU has and the system allows,
/// by the names of Linux's /proc/cpuinfo: "avx2", "avx512_vbmi2". Empty on machines other than
/// x86-64.
const std::vector<std::string_view>& cpu_features();

}  // namespace presso
