// SPDX-License-Identifier: MIT
// presso --version -v: what this build can do on this machine, for bug reports.
#include "presso/cpu.h"
#include "presso/wire.h"
#include "tools/cli/driver.h"

namespace presso::cli {
namespace {

std::string cpu_features() {
  std::string out;
#if defined(__x86_64__)
  const auto add = [&out](const char* name, bool present) {
    if (present) out += std::string(" ") + name;
  };
  add("sse4.2", __builtin_cpu_supports("sse4.2"));
  add("avx2", __builtin_cpu_supports("avx2"));
  add("bmi2", __builtin_cpu_supports("bmi2"));
  add("avx512bw", __builtin_cpu_supports("avx512bw"));
  add("avx512vl", __builtin_cpu_supports("avx512vl"));
  add("avx512vbmi2", __builtin_cpu_supports("avx512vbmi2"));
#endif
  return out.empty() ? " none" : out;
}

}  // namespace

std::string version_text() {
  return "presso " PRESSO_VERSION "\n";
}

std::string version_details(const std::string& gpus) {
  std::string out = "file format:   version " + std::to_string(kFormatVersion) + "\n";
  out += "CPU back ends:";
  for (const CpuLevel level : supported_cpu_levels()) {
    out += " " + std::string(name(level)) + (level == cpu_level() ? " (in use)" : "");
  }
  out += "\nCPU features: " + cpu_features() + "\n";
  out += "GPUs:          " + gpus + "\n";
  return out;
}

}  // namespace presso::cli
