// SPDX-License-Identifier: MIT
// Decides which device a command's files go to, from --device and, with auto, from what the rates
// of this machine predict. The rates are looked up, or measured, when the first file asks. Falling
// back to the CPU when a GPU fails is the library's task; this class only remembers that it has
// happened. Tested by tests/cli/test_device.py.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include "tools/device/calibrate.h"
#include "tools/device/device_choice.h"
#include "tools/device/flags_device.h"

namespace presso::cli {

/// The selector of one command. leave_gpu() may be called by any thread, everything else by one.
class DeviceSelector {
 public:
  enum class Task { kDecode, kSearch };
  /// Called once, when the GPU is given up, with the file's name ("" in the middle of one) and the
  /// reason.
  using OnLeave = std::function<void(const std::string& name, const std::string& text)>;

  /// To be made after the flags were read; they are kept by reference. `threads` 0 means all.
  DeviceSelector(const DeviceFlags& flags, unsigned threads, Task task, OnLeave on_leave)
      : flags_(flags), threads_(threads), task_(task), on_leave_(std::move(on_leave)) {}
  DeviceSelector(const DeviceSelector&) = delete;
  DeviceSelector& operator=(const DeviceSelector&) = delete;

  bool is_cpu() const { return flags_.device == DeviceFlags::Device::kCpu; }
  bool is_gpu() const { return flags_.device == DeviceFlags::Device::kGpu; }
  bool is_auto() const { return flags_.device == DeviceFlags::Device::kAuto; }

  /// The options to open the GPU with. With auto the library goes on with the CPU if the GPU fails.
  gpu::GpuOptions gpu_options();
  /// Notes that the GPU is open, so that starting it costs nothing any more.
  void gpu_opened() {
    if (choice_) choice_->gpu_started();
  }

  /// With auto: whether the GPU can be predicted to be faster for a compressed file of this size,
  /// so that it pays to look into the file.
  bool may_take_gpu(std::uint64_t stored_bytes, bool keeps_output);
  /// With auto: whether it is predicted to be faster. Measures the rates of this machine first, if
  /// they are not known and the work is worth that.
  bool takes_gpu(const DecodeWork& work);
  /// With auto, after these two: why there is no GPU to choose, if there is none.
  const std::optional<Error>& no_gpu() const { return no_gpu_; }

  void leave_gpu(const std::string& name, const Error& error);
  bool has_left_gpu() const { return has_left_gpu_; }

  /// Take over the time of a file, for the choices after it.
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
