// SPDX-License-Identifier: MIT
// The model of --device=auto: which device is faster for a file.
//
//   CPU seconds = max(plain / CPU rate, written)
//   GPU seconds = start + max(stored / copy-in rate, plain / work rate, copied out, written)
//
//   start       until the first block can be sent: CUDA's context, pinned memory, kernels (0.45 s
//               on a machine with an H200). 0 once the process has used the GPU
//   copied out  plain / copy-out rate, 0 where the content is only checked or searched
//   written     plain / 2.5 GB/s to a file or pipe, by the one thread that writes in order, and 0
//               where nothing is written: this often makes both sides equal, and then the CPU has
//               it
//
// The rates are those of this machine (device_rates.h). The time that a large file took replaces
// them for the files after it. Only decoding and searching of whole files are modelled;
// query_choice.h is for queries. Tested by tests/unit/tools/device_choice_test.cpp.
#pragma once

#include <cstdint>

#include "tools/device/device_rates.h"

namespace presso::cli {

/// A file to decode or to search.
struct DecodeWork {
  std::uint64_t stored_bytes = 0;
  std::uint64_t plain_bytes = 0;
  bool keeps_output = true;
};

/// The choice for one command; not thread-safe.
class DeviceChoice {
 public:
  /// `cpu_rate` is in plain bytes a second, of all threads together.
  DeviceChoice(const GpuCosts& costs, double cpu_rate) : costs_(costs), cpu_rate_(cpu_rate) {}

  double cpu_seconds(const DecodeWork& work) const;
  double gpu_seconds(const DecodeWork& work) const;
  bool gpu_is_faster(const DecodeWork& work) const;
  /// Whether the GPU can be faster for any content of a file of this size. If not, one need not
  /// look into the file.
  bool gpu_may_be_faster(std::uint64_t stored_bytes, bool keeps_output) const;

  /// Take over the time of a file, starting left out.
  void measured_cpu(const DecodeWork& work, double seconds);
  void measured_gpu(const DecodeWork& work, double seconds);
  void gpu_started() { costs_.start_seconds = 0; }

 private:
  GpuCosts costs_;
  double cpu_rate_;
  double gpu_rate_ = 0;  ///< plain bytes a second that the last large file reached on the GPU
};

}  // namespace presso::cli
