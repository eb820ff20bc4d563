// SPDX-License-Identifier: MIT
// Searches files on the device that --device asks for, and with auto makes the choice for each
// file. If the GPU is not suited to a search, or fails, the library goes on with the CPU. Tested by
// tests/cli/test_scan_device.py. It declines nothing by itself: a search always gets an answer, on
// the CPU if need be.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "tools/device/device_selector.h"
#include "tools/scan/scan_input.h"

namespace presso::cli {

/// The device of one command, which opens the GPU at most once.
class ScanDevice {
 public:
  /// Keeps both by reference.
  ScanDevice(const ScanSettings& settings, const Pattern& pattern);

  /// To be called before the first file. With --device=gpu the GPU is opened here, so that its
  /// absence is one error and not one for each file.
  Status start();

  /// Searches a file as presso::scan() does.
  Result<ScanSummary> scan(const std::string& name, ScanInput& input, const ScanOptions& options,
                           const LineCallback& on_line);

  /// Where the last file was searched, for --explain: "on the GPU" and how, or "on the CPU" and
  /// why.
  const std::string& where() const { return where_; }

 private:
  /// Opens the GPU's engine and compiles the pattern for it.
  Status open();
  /// Why a file is for the CPU, or nullopt; the steps of scan() follow in their order.
  std::optional<std::string> reason_for_cpu(const std::string& name, ScannedFile* file,
                                            const ScanOptions& options, bool has_callback);
  std::optional<std::string> slower_on_gpu(ScannedFile& file, const ScanOptions& options);
  /// Why the CPU is the better choice, for messages.
  std::string why_cpu_is_faster();
  Result<ScanSummary> scan_on_gpu(ScannedFile& file, const ScanOptions& options,
                                  const LineCallback& on_line);
  void tell(const std::string& name, const std::string& why_cpu);

  const ScanSettings& settings_;
  const Pattern& pattern_;
  DeviceSelector selector_;
  std::unique_ptr<FileSearch> gpu_;
  std::optional<bool> has_gpu_;  ///< once --explain has asked
  DecodeWork work_;              ///< the file's
  std::string where_;
  std::string said_;  ///< the last reason why a file was not searched by --device=gpu
};

}  // namespace presso::cli
