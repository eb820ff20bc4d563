// SPDX-License-Identifier: MIT
#include "tools/info/calibration_report.h"

#include <cstdio>

#include "tools/info/devices_report.h"
#include "tools/info/table.h"
#include "tools/io/progress.h"

namespace presso::cli {
namespace {

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", seconds);
  return text;
}

std::string cpu_text(const MachineRates& rates) {
  const CpuRates& cpu = rates.cpu;
  Table table({"one thread", "all threads", "of plain text"}, 2);
  table.add({rate_text(cpu.decode_one_thread), rate_text(cpu.decode_all_threads), "decode"});
  table.add({rate_text(cpu.search_one_thread), rate_text(cpu.search_all_threads), "search"});
  return "CPU: " + rates.cpu_name + "\n" + table.text();
}

std::string nanoseconds_text(double nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ns", nanoseconds);
  return text;
}

std::string query_text(const QueryRates& rates) {
  Table table({"one thread", "step of a query"}, 1);
  table.add({nanoseconds_text(rates.compare_ns), "compare a packed number"});
  table.add({nanoseconds_text(rates.decode_ns), "decode a number"});
  table.add({nanoseconds_text(rates.compute_ns), "step of an expression"});
  table.add({nanoseconds_text(rates.byte_ns), "decode and search a byte of text"});
  table.add({nanoseconds_text(rates.list_ns), "pass a row on in a list"});
  table.add({nanoseconds_text(rates.bitmap_ns), "pass a row on in a bitmap"});
  table.add({nanoseconds_text(rates.branch_ns), "look whether a vector has rows left"});
  table.add({nanoseconds_text(rates.read_ns), "read and verify a stored byte"});
  table.add({nanoseconds_text(rates.group_ns), "add a row to one of a thousand groups"});
  table.add({nanoseconds_text(rates.join_ns), "look a key up among a million"});
  return table.text();
}

std::string gpu_text(const MachineRates& rates) {
  if (!rates.gpu) return devices_text(*rates.why_no_gpu);
  const GpuRates& gpu = *rates.gpu;
  Table table({"rate", "start", "of plain text"}, 2);
  table.add({rate_text(gpu.decode_rate), seconds_text(gpu.decode_start_seconds), "decode"});
  table.add({rate_text(gpu.search_rate), seconds_text(gpu.search_start_seconds), "search"});
  table.add({rate_text(gpu.copy_out_rate), "", "decode and copy back"});
  table.add({rate_text(gpu.copy_in_rate), "", "copy in, of stored bytes"});
  return "GPU: " + rates.gpu_name + "\n" + table.text();
}

}  // namespace

std::string calibration_text(const MachineRates& rates, const MeasurementStore& store) {
  std::string where = "kept in " + store.path();
  if (!rates.kept) {
    where = "not kept: ";
    where += store.path().empty() ? "no cache folder" : store.path() + " cannot be written";
  }
  return cpu_text(rates) + query_text(rates.query) + gpu_text(rates) + where + "\n";
}

}  // namespace presso::cli
