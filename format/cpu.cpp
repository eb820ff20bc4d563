// SPDX-License-Identifier: MIT
#include "presso/cpu.h"

#include <cstdlib>

namespace presso {
namespace {

bool supports(CpuLevel level) {
#if defined(__x86_64__)
  switch (level) {
    case CpuLevel::kPortable:
      return true;
    case CpuLevel::kAvx2:
      return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
             __builtin_cpu_supports("bmi2");
    case CpuLevel::kAvx512Vbmi2:
      // VBMI2 has the byte-wise expand that places escapes of the Byte coding. Without it wider
      // registers gain nothing (scan/NOTES.md, "Without VBMI2").
      return supports(CpuLevel::kAvx2) && __builtin_cpu_supports("avx512f") &&
             __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
             __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vbmi2");
  }
#endif
  return level == CpuLevel::kPortable;
}

CpuLevel decide() {
  const std::vector<CpuLevel> levels = supported_cpu_levels();
  const char* forced = std::getenv("PRESSO_FORCE_BACKEND");
  if (forced != nullptr) {
    for (const CpuLevel level : levels) {
      if (name(level) == forced) return level;
    }
  }
  return levels.back();
}

}  // namespace

CpuLevel cpu_level() {
  static const CpuLevel level = decide();
  return level;
}

std::vector<CpuLevel> supported_cpu_levels() {
  std::vector<CpuLevel> levels;
  for (const CpuLevel level : {CpuLevel::kPortable, CpuLevel::kAvx2, CpuLevel::kAvx512Vbmi2}) {
    if (supports(level)) levels.push_back(level);
  }
  return levels;
}

std::string_view name(CpuLevel level) {
  switch (level) {
    case CpuLevel::kPortable:
      return "portable";
    case CpuLevel::kAvx2:
      return "avx2";
    case CpuLevel::kAvx512Vbmi2:
      return "avx512vbmi2";
  }
  return "unknown";
}

}  // namespace presso
