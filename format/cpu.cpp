// SPDX-License-Identifier: MIT
// Which CPU level the fast loops use: portable, AVX2, or AVX-512 with VBMI2. It is found once, by
// CPUID and XGETBV, and is then the same for the whole process. PRESSO_FORCE_BACKEND names a lower
// level, for tests and measurements; a name that is unknown or not supported is ignored.
// Tested by tests/unit/format/cpu_test.cpp.
#include "presso/cpu.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace presso {
namespace {

#if defined(__x86_64__)

// __builtin_cpu_supports() is not asked: where a compiler's own run-time library stands in for
// libgcc, as zig's does, it answers "no" to everything, and the portable code would run.
struct CpuidLeaf {
  std::uint32_t eax = 0, ebx = 0, ecx = 0, edx = 0;
};

/// One CPUID leaf; all zero where the CPU does not know it.
CpuidLeaf read_leaf(std::uint32_t number) {
  CpuidLeaf leaf;
  __get_cpuid_count(number, 0, &leaf.eax, &leaf.ebx, &leaf.ecx, &leaf.edx);
  return leaf;
}

/// XCR0: one bit for each set of registers that the system saves when it switches threads. A
/// CPU may have AVX where the system does not save its registers: it must not be used then.
std::uint32_t saved_registers(const CpuidLeaf& first) {
  constexpr std::uint32_t kOsxsave = 1u << 27;
  if ((first.ecx & kOsxsave) == 0) return 0;
  std::uint32_t low, high;
  __asm__("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}

/// The names of features that both CPU and system support, as Linux spells them.
std::vector<std::string_view> read_features() {
  constexpr std::uint32_t kNone = 0, kAvx = 0x06, kAvx512 = 0xe6;  // registers that are needed
  const CpuidLeaf first = read_leaf(1), seventh = read_leaf(7);
  const std::uint32_t saved = saved_registers(first);
  struct Feature {
    std::string_view name;
    std::uint32_t word;
    int bit;
    std::uint32_t registers;
  };
  std::vector<std::string_view> names;
  for (const Feature& feature : std::initializer_list<Feature>{
           {"sse4_2", first.ecx, 20, kNone},
           {"popcnt", first.ecx, 23, kNone},
           {"avx2", seventh.ebx, 5, kAvx},
           {"bmi1", seventh.ebx, 3, kNone},
           {"bmi2", seventh.ebx, 8, kNone},
           {"avx512f", seventh.ebx, 16, kAvx512},
           {"avx512bw", seventh.ebx, 30, kAvx512},
           {"avx512vl", seventh.ebx, 31, kAvx512},
           {"avx512dq", seventh.ebx, 17, kAvx512},
           {"avx512_vbmi2", seventh.ecx, 6, kAvx512},
       }) {
    const bool present = (feature.word >> feature.bit & 1) != 0;
    if (present && (saved & feature.registers) == feature.registers) names.push_back(feature.name);
  }
  return names;
}

#else

std::vector<std::string_view> read_features() {
  return {};
}

#endif

bool has_all(std::initializer_list<std::string_view> names) {
  const std::vector<std::string_view>& features = cpu_features();
  return std::all_of(names.begin(), names.end(), [&features](std::string_view name) {
    return std::find(features.begin(), features.end(), name) != features.end();
  });
}

bool supports(CpuLevel level) {
  switch (level) {
    case CpuLevel::kPortable:
      return true;
    case CpuLevel::kAvx2:
      return has_all({"avx2", "bmi1", "bmi2"});
    case CpuLevel::kAvx512Vbmi2:
      // VBMI2 has the byte-wise expand that places escapes of the Byte coding. Without it wider
      // registers gain nothing (scan/NOTES.md, "Without VBMI2").
      return supports(CpuLevel::kAvx2) &&
             has_all({"avx512f", "avx512bw", "avx512vl", "avx512dq", "avx512_vbmi2"});
  }
  return false;
}

/// The highest level that is supported, or the one that the environment asks for.
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

const std::vector<std::string_view>& cpu_features() {
  static const std::vector<std::string_view> features = read_features();
  return features;
}

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
