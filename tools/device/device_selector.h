// SPDX-License-Identifier: MIT
// Which device a command's files are for: what --device says and, with auto, what the rates of this
// machine predict. These are looked up, or measured, when the first file asks. Falling back to the
// CPU when a GPU fails is the library's business; this only remembers that it has happened.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "tools/device/calibrate.h"
#include "tools/device/device_choice.h"
#include "tools/device/flags_device.h"

namespace presso::cli {

class DeviceSelector {
 public:
  enum class Task { kDecode, kSearch };
  /// Called once, when the GPU is given up: about which file ("" in the middle of one), and why.
  using OnLeave = std::function<void(const std::string& name, const std::string& text)>;

  /// After the flags were read; they are kept by reference. `threads`: 0 for all.
  DeviceSelector(const DeviceFlags& flags, unsigned threads, Task task, OnLeave on_leave)
      : flags_(flags), threads_(threads), task_(task), on_leave_(std::move(on_leave)) {}
  DeviceSelector(const DeviceSelector&) = delete;
  DeviceSelector& operator=(const DeviceSelector&) = delete;

  bool is_cpu() const { return flags_.device == DeviceFlags::Device::kCpu; }
  bool is_gpu() const { return flags_.device == DeviceFlags::Device::kGpu; }
  bool is_auto() const { return flags_.device == DeviceFlags::Device::kAuto; }

  /// To open the GPU with. With auto the library goes on with the CPU where the GPU fails.
  gpu::GpuOptions gpu_options();
  /// Starting it is no cost any more.
  void gpu_opened() {
    if (choice_) choice_->gpu_started();
  }

  /// With auto: whether the GPU may be predicted to be faster for a compressed file of this size,
  /// so that it pays to look into it.
  bool may_take_gpu(std::uint64_t stored_bytes, bool keeps_output);
  /// With auto: whether it is. Measures the rates of this machine first, if they are not known and
  /// the work is worth it.
  bool takes_gpu(const DecodeWork& work);
  /// With auto, after these two: why there is no GPU to choose.
  const std::optional<Error>& no_gpu() const { return no_gpu_; }

  void leave_gpu(const std::string& name, const Error& error);
  bool has_left_gpu() const { return has_left_gpu_; }

  /// What a file took, for the choices after it.
  void measured_cpu(const DecodeWork& work, double seconds);
  void measured_gpu(const DecodeWork& work, double seconds);

 private:
  DeviceChoice choice_of(const KnownRates& rates) const;
  DeviceChoice& choice();
  void measure();

  const DeviceFlags& flags_;
  unsigned threads_;
  Task task_;
  OnLeave on_leave_;
  std::optional<DeviceChoice> choice_;
  std::optional<Error> no_gpu_;
  std::string gpu_identity_;
  bool is_measured_ = false;
  std::atomic<bool> has_left_gpu_{false};
};

}  // namespace presso::cli
