// SPDX-License-Identifier: MIT
// What 'presso info --calibrate' says of a machine whose rates are made up.
#include "tools/info/calibration_report.h"

#include <gtest/gtest.h>

namespace presso::cli::calibration_report_test {
namespace {

MachineRates rates_of_machine() {
  MachineRates rates;
  rates.cpu_name = "a CPU";
  rates.cpu = {1e9, 2e9, 3e9, 4e9};
  rates.gpu_name = "a GPU";
  rates.gpu = GpuRates{0.5, 0.4, 5e10, 4e10, 6e11, 5e11};
  rates.gpu_query.emplace();
  rates.kept = true;
  return rates;
}

void expect_lines(const std::string& text, const std::vector<std::string>& lines) {
  for (const std::string& line : lines) {
    EXPECT_NE(text.find(line + "\n"), std::string::npos) << line << '\n' << text;
  }
}

TEST(CalibrationReport, HasTheStepsOfQueriesOnTheGpu) {
  MachineRates rates = rates_of_machine();
  GpuQueryRates& gpu = *rates.gpu_query;
  gpu.compare_ns = {0.0004, 0.00055, 0.0006, 0.0007, 0.0012};
  gpu.step_ns = 0.005;
  gpu.kernel_ns = 5400;
  gpu.group_back_ns = 47;
  gpu.read_ns = 0.04;
  gpu.thread_read_ns = 0.25;
  gpu.start_seconds = 0.35;
  gpu.compile_seconds = 0.42;
  const std::string text = calibration_text(rates, MeasurementStore("/a/store"));
  expect_lines(
      text,
      {"   0.4 ps  compare a number of up to 4 bits", "  0.55 ps  compare a number of up to 8 bits",
       "   1.2 ps  compare a number of up to 64 bits", "     5 ps  step of an expression",
       "    47 ns  bring a group back", "   5.4 us  start a kernel",
       "4.00 GB/s  read files with one thread", "   0.35 s  start",
       "   0.42 s  compile code that is not known", "kept in /a/store"});
}

TEST(CalibrationReport, SaysWhyQueriesWereNotMeasured) {
  MachineRates rates = rates_of_machine();
  rates.gpu_query.reset();
  rates.why_no_gpu_query = make_error(ErrorCode::kUnsupported, "the device has no clock");
  const std::string text = calibration_text(rates, MeasurementStore("/a/store"));
  EXPECT_NE(text.find("queries on the GPU were not measured: "), std::string::npos) << text;
  EXPECT_NE(text.find("the device has no clock\n"), std::string::npos) << text;
  // Without a GPU there is nothing to say of its queries.
  rates.gpu.reset();
  rates.why_no_gpu = make_error(ErrorCode::kNoDevice, "no GPU");
  EXPECT_EQ(calibration_text(rates, MeasurementStore("/a/store")).find("queries on"),
            std::string::npos);
}

}  // namespace
}  // namespace presso::cli::calibration_report_test
