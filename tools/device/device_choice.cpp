// SPDX-License-Identifier: MIT
// All functions are arithmetic on a few numbers and are asked once a file. Tested by
// tests/unit/tools/device_choice_test.cpp.
#include "tools/device/device_choice.h"

#include <algorithm>

namespace presso::cli {
namespace {

// The rate in bytes a second at which one thread writes to a file or pipe.
constexpr double kWriteRate = 2.5e9;
/// The largest ratio that is reckoned with: blocks of a single byte repeated reach a few thousand,
/// text hardly ever more than this.
constexpr std::uint64_t kMostRatio = 100;
/// The least plain size whose time says something; that of smaller files is mostly the start of
/// threads.
constexpr std::uint64_t kMeasuredBytes = 64u << 20;

/// The seconds for writing the text, which one thread does in order on either device.
double written(const DecodeWork& work) {
  return work.keeps_output ? static_cast<double>(work.plain_bytes) / kWriteRate : 0;
}

}  // namespace

double DeviceChoice::cpu_seconds(const DecodeWork& work) const {
  return std::max(static_cast<double>(work.plain_bytes) / cpu_rate_, written(work));
}

// A rate that was reached by a large file is better than the sum of the modelled steps.
double DeviceChoice::gpu_seconds(const DecodeWork& work) const {
  const auto stored = static_cast<double>(work.stored_bytes);
  const auto plain = static_cast<double>(work.plain_bytes);
  if (gpu_rate_ > 0) return costs_.start_seconds + std::max(plain / gpu_rate_, written(work));
  const double copied_out = work.keeps_output ? plain / costs_.copy_out_rate : 0;
  return costs_.start_seconds + std::max({stored / costs_.copy_in_rate, plain / costs_.work_rate,
                                          copied_out, written(work)});
}

bool DeviceChoice::gpu_is_faster(const DecodeWork& work) const {
  return costs_.copy_in_rate > 0 && gpu_seconds(work) < cpu_seconds(work);
}

/// The content may be anything, so the largest usual ratio is assumed.
bool DeviceChoice::gpu_may_be_faster(std::uint64_t stored_bytes, bool keeps_output) const {
  const DecodeWork most{stored_bytes, stored_bytes * kMostRatio, keeps_output};
  return costs_.copy_in_rate > 0 && cpu_seconds(most) > costs_.start_seconds;
}

/// A small file would tell more about the start of threads than about the rate.
void DeviceChoice::measured_cpu(const DecodeWork& work, double seconds) {
  if (work.plain_bytes < kMeasuredBytes || seconds <= 0) return;
  cpu_rate_ = static_cast<double>(work.plain_bytes) / seconds;
}

void DeviceChoice::measured_gpu(const DecodeWork& work, double seconds) {
  if (work.plain_bytes < kMeasuredBytes || seconds <= 0) return;
  gpu_rate_ = static_cast<double>(work.plain_bytes) / seconds;
}

}  // namespace presso::cli
