// SPDX-License-Identifier: MIT
// Rates are in powers of 1000 and for plain text, unless the table says otherwise. Tested by
// tests/unit/tools/calibration_report_test.cpp.
#include "tools/info/calibration_report.h"

#include <cstdio>

#include "tools/info/devices_report.h"
#include "tools/info/table.h"
#include "tools/io/progress.h"

namespace presso::cli {
namespace {

/// Seconds with two digits, enough for starts of a GPU.
std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f s", seconds);
  return text;
}

/// The CPU's measured rates as a table. One thread and all threads stand beside each other, since
/// memory may limit the latter.
std::string cpu_text(const MachineRates& rates) {
  const CpuRates& cpu = rates.cpu;
  Table table({"one thread", "all threads", "of plain text"}, 2);
  table.add({rate_text(cpu.decode_one_thread), rate_text(cpu.decode_all_threads), "decode"});
  table.add({rate_text(cpu.search_one_thread), rate_text(cpu.search_all_threads), "search"});
  return "CPU: " + rates.cpu_name + "\n" + table.text();
}

/// A time in nanoseconds with three digits after the point.
std::string nanoseconds_text(double nanoseconds) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f ns", nanoseconds);
  return text;
}

/// What a step of a query costs, on one thread, in nanoseconds. The CPU's rates of queries are
/// those of one thread; queries divide them by their threads.
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

/// The GPU's measured rates, or why there are none. A start counts once a command, so it stands
/// apart from the rate.
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

/// The time of a GPU's step, for which a thousandth of a nanosecond is much: in ps, ns or us.
std::string picoseconds_text(double nanoseconds) {
  const char* unit = "ps";
  double value = nanoseconds * 1e3;
  for (const char* const larger : {"ns", "us"}) {
    if (value < 1000) break;
    value /= 1000;
    unit = larger;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.3g %s", value, unit);
  return text;
}

/// What a step of a query costs on the GPU; empty where there is none. A failure is said here,
/// because the other rates of the GPU were measured.
std::string gpu_query_text(const MachineRates& rates) {
  if (!rates.gpu) return "";
  if (!rates.gpu_query) {
    return "queries on the GPU were not measured: " + rates.why_no_gpu_query->text() + "\n";
  }
  const GpuQueryRates& gpu = *rates.gpu_query;
  Table table({"GPU", "step of a query"}, 1);
  const auto add = [&table](double ns, const std::string& step) {
    table.add({picoseconds_text(ns), step});
  };
  for (std::size_t i = 0; i < gpu.compare_ns.size(); ++i) {
    add(gpu.compare_ns[i],
        "compare a number of up to " + std::to_string(GpuQueryRates::kWidths[i]) + " bits");
  }
  add(gpu.byte_ns, "read a stored byte");
  add(gpu.token_byte_ns, "search a stored byte of tokens");
  add(gpu.text_byte_ns, "decode and search a byte of text");
  add(gpu.step_ns, "step of an expression");
  add(gpu.sum_ns, "add up a number");
  add(gpu.group_ns, "add a row to one of few groups");
  // The numbers of groups and keys are those that gpu_probes.cpp makes.
  add(gpu.cached_group_ns, "add a row to one of 65,536 groups");
  add(gpu.far_group_ns, "add a row to one of 2,097,152 groups");
  add(gpu.group_back_ns, "bring a group back");
  add(gpu.lookup_ns, "look a key up among 65,536");
  add(gpu.far_lookup_ns, "look a key up among 2,097,152");
  add(gpu.branch_ns, "look whether a vector has rows left");
  add(gpu.pass_ns, "pass a row on in a bitmap");
  add(gpu.kernel_ns, "start a kernel");
  // Reading is shown as a rate, which can be compared with that of a disk.
  table.add({rate_text(1e9 / gpu.read_ns), "read files, of stored bytes"});
  table.add({rate_text(1e9 / gpu.thread_read_ns), "read files with one thread"});
  table.add({seconds_text(gpu.start_seconds), "start"});
  table.add({seconds_text(gpu.compile_seconds), "compile code that is not known"});
  return table.text();
}

}  // namespace

/// All that was measured, and where it is kept for later commands, or why it is not kept. A store
/// that cannot be written is no error: the rates are shown all the same.
std::string calibration_text(const MachineRates& rates, const MeasurementStore& store) {
  std::string where = "kept in " + store.path();
  if (!rates.kept) {
    where = "not kept: ";
    where += store.path().empty() ? "no cache folder" : store.path() + " cannot be written";
  }
  return cpu_text(rates) + query_text(rates.query) + gpu_text(rates) + gpu_query_text(rates) +
         where + "\n";
}

}  // namespace presso::cli
