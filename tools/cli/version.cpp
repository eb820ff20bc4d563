// SPDX-License-Identifier: MIT
// Answers presso --version -v: what this build can do on this machine, for bug reports. The lines
// name the version of the file format, the CPU level that this process chose, and the GPUs, since
// these decide speed and results of a reported problem. Tested by tests/cli/test_frame.py.
#include "presso/cpu.h"
#include "presso/wire.h"
#include "tools/cli/driver.h"

namespace presso::cli {
namespace {

std::string features_line() {
  std::string out;
  for (const std::string_view name : cpu_features()) out += " " + std::string(name);
  return out.empty() ? " none" : out;
}

}  // namespace

// PRESSO_VERSION comes from CMakeLists.txt.
std::string version_text() {
  return "presso " PRESSO_VERSION "\n";
}

std::string version_details(const std::string& gpus) {
  std::string out = "file format:   version " + std::to_string(kFormatVersion) + "\n";
  out += "CPU back ends:";
  for (const CpuLevel level : supported_cpu_levels()) {
    out += " " + std::string(name(level)) + (level == cpu_level() ? " (in use)" : "");
  }
  out += "\nCPU features: " + features_line() + "\n";
  out += "GPUs:          " + gpus + "\n";
  return out;
}

}  // namespace presso::cli
