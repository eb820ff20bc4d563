// SPDX-License-Identifier: MIT
// Which vector back end runs on this machine. Every engine that has several registers one function
// per level and picks the highest that the CPU has; all give identical output.
#pragma once

#include <string_view>
#include <vector>

namespace presso {

enum class CpuLevel { kPortable = 0, kAvx2 = 1, kAvx512 = 2 };

/// The level to use: the best that this CPU supports, or the one that the environment variable
/// PRESSO_FORCE_BACKEND names (portable, avx2, avx512) where the CPU supports it. Decided once.
CpuLevel cpu_level();
/// All levels that this CPU supports, lowest first: tests run each.
std::vector<CpuLevel> supported_cpu_levels();
std::string_view name(CpuLevel level);

}  // namespace presso
