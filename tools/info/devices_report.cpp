// SPDX-License-Identifier: MIT
// Listing starts CUDA, which takes longer than everything else that `presso info` does. Tested by
// tests/cli/test_device.py.
#include "tools/info/devices_report.h"

#include "tools/cli/bind.h"
#include "tools/cli/terminal_text.h"
#include "tools/info/table.h"

namespace presso::cli {
namespace {

/// The reason, or the description of its code where the error has no text.
std::string why_none(const Error& error) {
  return "none: " + (error.what.empty() ? std::string(describe(error.code)) : error.what);
}

/// The compute capability, "9.0".
std::string capability(const gpu::DeviceInfo& info) {
  return std::to_string(info.major) + "." + std::to_string(info.minor);
}

/// Memory in MiB, rounded down.
std::string mebibytes(std::uint64_t bytes) {
  return grouped(bytes >> 20) + " MiB";
}

/// One GPU as a row of the table.
Table::Row row(const gpu::DeviceInfo& info) {
  return {std::to_string(info.index),
          capability(info),
          mebibytes(info.total_memory_bytes),
          mebibytes(info.free_memory_bytes),
          std::to_string(info.multiprocessors),
          std::to_string(info.clock_khz / 1000) + " MHz",
          mebibytes(info.l2_bytes),
          gpu::cuda_version_text(info.driver_version),
          info.name};
}

}  // namespace

/// A table of the GPUs, or why there are none. Only the name is aligned to the left, as all other
/// columns are numbers.
std::string devices_text(const Devices& devices) {
  if (!devices.ok()) return "GPUs: " + why_none(devices.error()) + "\n";
  Table table({"GPU", "capability", "memory", "free", "SMs", "clock", "L2", "CUDA", "name"}, 8);
  for (const gpu::DeviceInfo& info : *devices) table.add(row(info));
  return table.text();
}

/// Paths may have control characters.
std::string query_compiler_text(const gpu::QueryCompilerInfo& info) {
  std::string out = "compiler of GPU queries: ";
  out += info.version.empty() ? "none: " + info.why_no_library
                              : "NVRTC " + info.version + ", " + info.library;
  out += "\ncompiled GPU queries: ";
  if (info.why_no_cache.empty()) {
    out += grouped(info.cache_files) + " in " + info.cache_folder + ", " +
           size_text(info.cache_bytes) + " of at most " + size_text(info.most_cache_bytes);
  } else {
    out += "are not kept";
    if (!info.cache_folder.empty()) out += " in " + info.cache_folder;
    out += ": " + info.why_no_cache;
  }
  return terminal_lines(out) + "\n";
}

/// The GPUs in one line, for --version and bug reports. The reason why there is none belongs into a
/// bug report as well.
std::string devices_line(const Devices& devices) {
  if (!devices.ok()) return why_none(devices.error());
  std::string out;
  for (const gpu::DeviceInfo& info : *devices) {
    out += (out.empty() ? "" : ", ") + info.name + " (" + capability(info) + ")";
  }
  return out;
}

}  // namespace presso::cli
