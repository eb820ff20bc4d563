// SPDX-License-Identifier: MIT
// Searches files on the device that --device asks for: the choice for each file, and the way back
// to the CPU where the GPU cannot.
#pragma once

#include <atomic>
#include <optional>
#include <string>

#include "tools/device/device_choice.h"
#include "tools/scan/scan_input.h"

namespace presso::cli {

class ScanDevice {
 public:
  /// All is kept by reference.
  ScanDevice(const ScanSettings& settings, const Pattern& pattern);
  ScanDevice(const ScanDevice&) = delete;
  ScanDevice& operator=(const ScanDevice&) = delete;

  /// Before the first file. With --device=gpu the GPU is opened here, so that its absence is one
  /// error and not one for each file.
  Status start();

  /// As presso::scan() does.
  Result<ScanSummary> scan(const std::string& name, ScanInput& input, const ScanOptions& options,
                           const LineCallback& on_line);

  /// Of the last file, for --explain: "on the GPU" and how, or "on the CPU" and why.
  const std::string& where() const { return where_; }

 private:
  using Device = DeviceFlags::Device;

  Status open();
  std::optional<std::string> reason_for_cpu(const std::string& name, const ScanInput& input,
                                            const ScanOptions& options, bool has_callback);
  std::optional<std::string> slower_on_gpu(const ScanInput& input, const ScanOptions& options);
  std::string why_cpu_is_faster();
  std::optional<Result<ScanSummary>> try_gpu(const std::string& name, const ScanInput& input,
                                             const ScanOptions& options,
                                             const LineCallback& on_line);
  void leave_gpu(const std::string& name, const Error& error);

  const ScanSettings& settings_;
  const Pattern& pattern_;
  DeviceChoice choice_;
  std::optional<GpuSearch> gpu_;
  std::optional<bool> has_gpu_;  ///< once --explain has asked
  std::atomic<bool> gpu_failed_{false};
  DecodeWork work_;  ///< the file's
  std::string where_;
  std::string said_;  ///< why --device=gpu was left to the CPU, once
};

}  // namespace presso::cli
