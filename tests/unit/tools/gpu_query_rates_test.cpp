// SPDX-License-Identifier: MIT
// Rates of queries on a GPU: worked out of times that are made up, kept in the user's store and
// found again.
#include "tools/device/gpu_query_rates.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

namespace presso::cli::gpu_query_rates_test {
namespace {

namespace fs = std::filesystem;

constexpr double kRows = 1 << 26;
constexpr double kBytesOfColumns[] = {0.51, 1.01, 1.52, 2.51, 6.02};

/// A device whose steps take what `rates` say.
GpuQueryTimes times_by(const GpuQueryRates& rates) {
  const auto of = [&rates](double row_ns, double row_bytes = 1) {
    const double kernel_ns = rates.kernel_ns + row_ns * kRows;
    return GpuQueryTime{0, kernel_ns, 2 * kernel_ns, kRows, row_bytes * kRows, 0};
  };
  GpuQueryTimes times;
  times.few_rows = {0, rates.kernel_ns, 1e6, 1024, 1536, 0};
  for (std::size_t i = 0; i < times.compared.size(); ++i) {
    times.compared[i] =
        of(rates.compare_ns[i] + rates.byte_ns * kBytesOfColumns[i], kBytesOfColumns[i]);
  }
  times.tokens = of(9 * rates.token_byte_ns, 9);
  times.text = of(16 * rates.text_byte_ns, 16);
  times.computed = of(kComputedSteps * rates.step_ns + 4 * rates.byte_ns, 4);
  times.summed = of(rates.sum_ns + 2.5 * rates.byte_ns, 2.5);
  times.few_groups = of(rates.group_ns + 3.5 * rates.byte_ns, 3.5);
  times.cached_groups = of(rates.cached_group_ns + 4.5 * rates.byte_ns, 4.5);
  times.far_groups = of(rates.far_group_ns + 5 * rates.byte_ns, 5);
  times.far_groups.groups = 1e6;
  times.far_groups.total_ns = times.far_groups.kernel_ns + 1e6 * rates.group_back_ns;
  times.cached_keys = of(rates.lookup_ns + 2 * rates.byte_ns, 2);
  times.far_keys = of(rates.far_lookup_ns + 6 * rates.byte_ns, 6);
  times.together = of(0.001);
  times.branched = of(0.001 + rates.branch_ns / 1024);
  times.none = of(0.0008);
  times.passed = of(0.0008 + rates.pass_ns);
  times.passed.kernel_ns += rates.kernel_ns;
  times.read = of(0.002, 8);
  times.read.total_ns = times.read.kernel_ns + times.read.bytes * rates.read_ns;
  times.read_by_thread = of(0.002, 8);
  times.read_by_thread.total_ns =
      times.read_by_thread.kernel_ns + times.read_by_thread.bytes * rates.thread_read_ns;
  times.start_seconds = rates.start_seconds;
  times.compile_seconds = rates.compile_seconds;
  return times;
}

GpuQueryRates odd_rates() {
  GpuQueryRates rates;
  rates.compare_ns = {0.0004, 0.00055, 0.0005, 0.0008, 0.0005};
  rates.byte_ns = 0.00021;
  rates.pass_ns = 0.0002;
  rates.kernel_ns = 4321;
  rates.group_back_ns = 37;
  rates.start_seconds = 0.25;
  rates.compile_seconds = 0.75;
  return rates;
}

TEST(RatesOfGpuQueries, AreThoseOfTheDeviceThatWasTimed) {
  GpuQueryRates straight = odd_rates();
  straight.compare_ns.fill(0.0005);  // times are on a line
  const Measurements found = to_measurements(rates_of(times_by(straight)));
  for (const auto& [name, value] : to_measurements(straight)) {
    EXPECT_NEAR(found.at(name), value, 1e-6 * value + 1e-9) << name;
  }
}

/// Comparing and reading together give back each time, wherever it lies beside the line.
TEST(RatesOfGpuQueries, FitEachWidth) {
  const GpuQueryRates rates = odd_rates();
  const GpuQueryRates found = rates_of(times_by(rates));
  EXPECT_NEAR(found.byte_ns, rates.byte_ns, 0.2 * rates.byte_ns);
  for (std::size_t i = 0; i < rates.compare_ns.size(); ++i) {
    EXPECT_NEAR(found.compare_ns[i] + found.byte_ns * kBytesOfColumns[i],
                rates.compare_ns[i] + rates.byte_ns * kBytesOfColumns[i], 1e-9);
  }
}

/// Measured on an H200, where numbers of 48 bits take far longer than their bytes do.
TEST(RatesOfGpuQueries, FitNumbersWhoseCompareIsSlow) {
  GpuQueryRates rates = odd_rates();
  rates.byte_ns = 0.0001;
  rates.compare_ns = {0.00058, 0.0005, 0.0005, 0.0005, 0.0055};
  const GpuQueryRates found = rates_of(times_by(rates));
  for (std::size_t i = 0; i < rates.compare_ns.size(); ++i) {
    EXPECT_NEAR(found.compare_ns[i] + found.byte_ns * kBytesOfColumns[i],
                rates.compare_ns[i] + rates.byte_ns * kBytesOfColumns[i], 1e-9);
  }
}

/// However times are, reading takes no more than three quarters of any.
TEST(RatesOfGpuQueries, LeaveSomethingToComparing) {
  GpuQueryRates rates = odd_rates();
  rates.byte_ns = 0.001;
  rates.compare_ns = {0.00001, 0.00001, 0.00001, 0.00001, 0.00001};
  const GpuQueryRates found = rates_of(times_by(rates));
  for (std::size_t i = 0; i < rates.compare_ns.size(); ++i) {
    EXPECT_GE(found.compare_ns[i], 0.25 * rates.byte_ns * kBytesOfColumns[i]);
  }
}

TEST(RatesOfGpuQueries, AreNoNoise) {
  GpuQueryTimes times = times_by(GpuQueryRates());
  std::swap(times.together, times.branched);
  std::swap(times.none, times.passed);
  std::swap(times.compared.front(), times.compared.back());
  std::swap(times.compared.front().bytes, times.compared.back().bytes);
  for (const GpuQueryTimes& odd : {times, GpuQueryTimes()}) {
    const Measurements usual = to_measurements(GpuQueryRates());
    for (const auto& [name, value] : to_measurements(rates_of(odd))) {
      EXPECT_GE(value, usual.at(name) / 16) << name;
    }
  }
}

TEST(RatesOfGpuQueries, ComeBackFromTheirNumbers) {
  const auto again = gpu_query_rates_of(to_measurements(odd_rates()));
  ASSERT_TRUE(again);
  EXPECT_EQ(to_measurements(*again), to_measurements(odd_rates()));
  EXPECT_EQ(again->compare_ns, odd_rates().compare_ns);
}

TEST(RatesOfGpuQueries, AreRefusedWhereANumberIsMissingOrNotPositive) {
  for (const auto& [name, value] : to_measurements(odd_rates())) {
    Measurements numbers = to_measurements(odd_rates());
    numbers[name] = -value;
    EXPECT_FALSE(gpu_query_rates_of(numbers)) << name;
    numbers.erase(name);
    EXPECT_FALSE(gpu_query_rates_of(numbers)) << name;
  }
}

TEST(RatesOfGpuQueries, AreKeptByDevice) {
  std::string folder = (fs::temp_directory_path() / "presso_gpu_rates_XXXXXX").string();
  ASSERT_NE(mkdtemp(folder.data()), nullptr);
  const std::string path = folder + "/measurements";
  const MeasurementStore store(path);
  // What an older presso has kept of the device says nothing of queries.
  ASSERT_TRUE(store.save("one GPU, presso " PRESSO_VERSION, {{"copy_in_rate", 5e10}}));
  EXPECT_FALSE(kept_gpu_query_rates(store, "one GPU"));
  ASSERT_TRUE(keep_gpu_query_rates(store, "one GPU", odd_rates()));
  const auto kept = kept_gpu_query_rates(store, "one GPU");
  ASSERT_TRUE(kept);
  EXPECT_EQ(to_measurements(*kept), to_measurements(odd_rates()));
  EXPECT_FALSE(kept_gpu_query_rates(store, "another GPU"));
  forget_gpu_query_rates(store, "one GPU");
  EXPECT_FALSE(kept_gpu_query_rates(store, "one GPU"));
  EXPECT_TRUE(store.find("one GPU, presso " PRESSO_VERSION));
  std::ofstream(path, std::ios::app) << "damage\n";
  EXPECT_FALSE(kept_gpu_query_rates(store, "one GPU"));
  EXPECT_FALSE(keep_gpu_query_rates(MeasurementStore(""), "one GPU", odd_rates()));
  std::error_code problem;
  fs::remove_all(folder, problem);
}

}  // namespace
}  // namespace presso::cli::gpu_query_rates_test
