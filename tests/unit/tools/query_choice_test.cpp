// SPDX-License-Identifier: MIT
// The model behind --device=auto of select, join and sql.
#include "tools/device/query_choice.h"

#include <gtest/gtest.h>

namespace presso::cli::query_choice_test {
namespace {

/// A GPU that starts in 0.35 s, and to which blocks come at 20 GB/s, or 4 GB/s by one thread.
GpuQueryRates fast_gpu() {
  GpuQueryRates gpu;
  gpu.start_seconds = 0.35;
  gpu.read_ns = 0.05;
  gpu.thread_read_ns = 0.25;
  return gpu;
}

/// Its kernels take a tenth of a nanosecond for a row.
QueryForecast forecast_of(double rows, double ns_a_row, double bytes_a_row = 6) {
  QueryForecast forecast;
  forecast.rows = rows;
  forecast.cpu_ns = rows * ns_a_row;
  forecast.gpu_ns = rows * 0.1;
  forecast.stored_bytes = rows * bytes_a_row;
  return forecast;
}

TEST(QueryChoice, IsTheSumThatIsDocumented) {
  QueryForecast forecast = forecast_of(1e9, 8, 7);
  forecast.gpu_ns += 5e7;
  const QueryTimes times = query_times(forecast, fast_gpu(), 16, true);
  EXPECT_DOUBLE_EQ(times.cpu_seconds, 8.0 / 16);
  EXPECT_DOUBLE_EQ(times.gpu_seconds, 0.35 + 7.0 / 20 + 0.1 + 0.05);
  EXPECT_FALSE(times.gpu_is_faster());
}

TEST(QueryChoice, BlocksComeNoFasterThanTheThreadsReadThemOrAllTogether) {
  const QueryForecast forecast = forecast_of(1e9, 8, 8);
  EXPECT_DOUBLE_EQ(query_times(forecast, fast_gpu(), 1, true).gpu_seconds, 0.35 + 8.0 / 4 + 0.1);
  EXPECT_DOUBLE_EQ(query_times(forecast, fast_gpu(), 5, true).gpu_seconds, 0.35 + 8.0 / 20 + 0.1);
  GpuQueryRates slow = fast_gpu();
  slow.read_ns = 1;
  EXPECT_DOUBLE_EQ(query_times(forecast, slow, 16, true).gpu_seconds, 0.35 + 8.0 / 1 + 0.1);
}

TEST(QueryChoice, EachPassReadsTheBlocks) {
  QueryForecast forecast = forecast_of(1e9, 8, 8);
  forecast.gpu_passes = 3;
  EXPECT_DOUBLE_EQ(query_times(forecast, fast_gpu(), 16, true).gpu_seconds,
                   0.35 + 3 * 8.0 / 20 + 0.1);
}

TEST(QueryChoice, CodeThatIsNotKnownIsCompiled) {
  GpuQueryRates gpu = fast_gpu();
  gpu.compile_seconds = 0.2;
  const QueryForecast forecast = forecast_of(1e9, 8, 8);
  const double known = query_times(forecast, gpu, 16, true).gpu_seconds;
  EXPECT_DOUBLE_EQ(query_times(forecast, gpu, 16, false).gpu_seconds, known + 0.2);
}

TEST(QueryChoice, TheStartIsTheCpusGain) {
  EXPECT_FALSE(query_times(forecast_of(6e7, 14), fast_gpu(), 16, true).gpu_is_faster());
  EXPECT_FALSE(query_times(forecast_of(6e7, 70, 1), fast_gpu(), 16, true).gpu_is_faster());
  EXPECT_TRUE(query_times(forecast_of(6e8, 70, 1), fast_gpu(), 16, true).gpu_is_faster());
  EXPECT_TRUE(query_times(forecast_of(6e7, 14, 1), fast_gpu(), 1, true).gpu_is_faster());
}

TEST(QueryChoice, AQueryThatReadsMuchAndComputesLittleIsTheCpus) {
  EXPECT_FALSE(query_times(forecast_of(1e11, 1), fast_gpu(), 16, true).gpu_is_faster());
}

TEST(QueryChoice, AnyQueryThatIsFasterThereIsWorthAForecast) {
  std::size_t faster = 0;
  for (const unsigned threads : {1u, 4u, 64u}) {
    for (double rows = 1e5; rows < 1e11; rows *= 3) {
      for (const double ns : {1.0, 10.0, 100.0}) {
        const QueryForecast forecast = forecast_of(rows, ns, 1);
        if (!query_times(forecast, fast_gpu(), threads, true).gpu_is_faster()) continue;
        ++faster;
        EXPECT_TRUE(forecast_may_pay(static_cast<std::uint64_t>(rows),
                                     static_cast<std::uint64_t>(rows), fast_gpu(), threads));
      }
    }
  }
  EXPECT_GT(faster, 20u);
  EXPECT_FALSE(forecast_may_pay(1'000'000, 6'000'000, fast_gpu(), 1));
}

TEST(QueryChoice, SaysTheChoiceFirst) {
  EXPECT_EQ((QueryTimes{0.05, 0.41}.text()), "the CPU, 0.05 s against 0.41 s on the GPU");
  EXPECT_EQ((QueryTimes{0.4, 1234.5}.text()), "the CPU, 0.4 s against 1234 s on the GPU");
  EXPECT_EQ((QueryTimes{2.04, 0.41}.text()), "the GPU, 0.41 s against 2 s on the CPU");
}

}  // namespace
}  // namespace presso::cli::query_choice_test
