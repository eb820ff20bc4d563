// SPDX-License-Identifier: MIT
// The bound in forecast_may_pay() is generous, since a forecast that is made in vain costs little.
// Tested by tests/unit/tools/query_choice_test.cpp.
#include "tools/device/query_choice.h"

#include <algorithm>
#include <cstdio>

namespace presso::cli {
namespace {

/// More than a row costs that is joined several times and grouped, and more than a stored byte of
/// text costs that is decoded and searched.
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

QueryTimes query_times(const QueryForecast& forecast, const GpuQueryRates& gpu, unsigned threads,
                       bool is_known) {
  const double read_ns = std::max(gpu.read_ns, gpu.thread_read_ns / threads);
  QueryTimes times;
  times.cpu_seconds = forecast.cpu_ns * 1e-9 / threads;
  times.gpu_seconds =
      gpu.start_seconds + (is_known ? 0 : gpu.compile_seconds) +
      1e-9 * (forecast.gpu_passes * forecast.stored_bytes * read_ns + forecast.gpu_ns);
  return times;
}

bool forecast_may_pay(std::uint64_t rows, std::uint64_t stored_bytes, const GpuQueryRates& gpu,
                      unsigned threads) {
  const double most_ns =
      kMostRowNs * static_cast<double>(rows) + kMostByteNs * static_cast<double>(stored_bytes);
  return most_ns * 1e-9 / threads > gpu.start_seconds;
}

}  // namespace presso::cli
