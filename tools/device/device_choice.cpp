// SPDX-License-Identifier: MIT
#include "tools/device/device_choice.h"

#include <algorithm>

namespace presso::cli {
namespace {

constexpr double kWriteRate = 2.5e9;
/// The largest ratio that is reckoned with: blocks of a single byte repeated reach a few thousand,
/// text hardly ever more than this.
constexpr std::uint64_t kMostRatio = 100;
/// The least plain size whose time says something; that of smaller files is mostly the start of
/// threads.
constexpr std::uint64_t kMeasuredBytes = 64u << 20;

double written(const DecodeWork& work) {
  return work.keeps_output ? static_cast<double>(work.plain_bytes) / kWriteRate : 0;
}

}  // namespace

double DeviceChoice::cpu_seconds(const DecodeWork& work) const {
  return std::max(static_cast<double>(work.plain_bytes) / cpu_rate_, written(work));
}

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

bool DeviceChoice::gpu_may_be_faster(std::uint64_t stored_bytes, bool keeps_output) const {
  const DecodeWork most{stored_bytes, stored_bytes * kMostRatio, keeps_output};
  return costs_.copy_in_rate > 0 && cpu_seconds(most) > costs_.start_seconds;
}

void DeviceChoice::measured_cpu(const DecodeWork& work, double seconds) {
  if (work.plain_bytes < kMeasuredBytes || seconds <= 0) return;
  cpu_rate_ = static_cast<double>(work.plain_bytes) / seconds;
}

void DeviceChoice::measured_gpu(const DecodeWork& work, double seconds) {
  if (work.plain_bytes < kMeasuredBytes || seconds <= 0) return;
  gpu_rate_ = static_cast<double>(work.plain_bytes) / seconds;
}

}  // namespace presso::cli
