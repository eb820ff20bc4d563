// SPDX-License-Identifier: MIT
#include "tools/device/query_choice.h"

#include <algorithm>
#include <cstdio>

namespace presso::cli {
namespace {

/// Whole queries from files, by 16 threads, reached 14 to 32 GB/s where they read 350 MB and more
/// (tools/bench/results/gpu-whole-queries.csv); one thread reads blocks at 4.2 to 5.1 GB/s.
constexpr double kReadRate = 20e9;
constexpr double kReadRateOfThread = 4e9;
/// Kernels take 0.02 to 0.16 ns a row (scan/gpu/table/NOTES.md).
constexpr double kKernelNs = 0.1;
/// To bring a group back and put it in its place: 47 ms for 10^6 groups.
constexpr double kGroupNs = 50;
/// More than a row takes that is joined several times and grouped, and a stored byte of text that
/// is decoded and searched.
constexpr double kMostRowNs = 200;
constexpr double kMostByteNs = 5;

std::string seconds_text(double seconds) {
  char text[32];
  std::snprintf(text, sizeof text, seconds < 10 ? "%.2g s" : "%.0f s", seconds);
  return text;
}

}  // namespace

std::string QueryTimes::text() const {
  const std::string cpu = seconds_text(cpu_seconds);
  const std::string gpu = seconds_text(gpu_seconds);
  if (gpu_is_faster()) return "the GPU, " + gpu + " against " + cpu + " on the CPU";
  return "the CPU, " + cpu + " against " + gpu + " on the GPU";
}

QueryTimes query_times(const QueryForecast& forecast, const GpuRates& gpu, unsigned threads) {
  const double read_rate = std::min({gpu.copy_in_rate, kReadRate, kReadRateOfThread * threads});
  QueryTimes times;
  times.cpu_seconds = forecast.cpu_ns * 1e-9 / threads;
  times.gpu_seconds = gpu.search_start_seconds + forecast.stored_bytes / read_rate +
                      1e-9 * (kKernelNs * forecast.rows + kGroupNs * forecast.groups);
  return times;
}

bool forecast_may_pay(std::uint64_t rows, std::uint64_t stored_bytes, const GpuRates& gpu,
                      unsigned threads) {
  const double most_ns =
      kMostRowNs * static_cast<double>(rows) + kMostByteNs * static_cast<double>(stored_bytes);
  return most_ns * 1e-9 / threads > gpu.search_start_seconds;
}

}  // namespace presso::cli
