// SPDX-License-Identifier: MIT
// Which device is faster for a file: the model behind --device=auto.
//
//   CPU seconds = max(plain / (1.5 GB/s x threads), written)
//   GPU seconds = start + max(read, stored / copy rate, plain / decode rate, copied out, written)
//
//   start       0.28 s where CUDA is yet to be started, pinned memory allocated and kernels loaded
//               (CUDA's context is 0.12 of it), 0 for the files after the first
//   read        stored / (7.5 GB/s x threads, at most 40 GB/s), from the page cache
//   copied out  plain / copy rate, 0 where the content is only checked
//   written     plain / 2.5 GB/s to a file or pipe, by the one thread that writes in order, and 0
//               where the content is only checked: mostly this makes both sides equal, and then the
//               CPU has it
//
// Rates are of an H200 machine (tools/device/gpu_cuda.cpp), CPU decoding as in the README. They are
// replaced by measured ones as soon as a large file has gone each way.
#pragma once

#include <cstdint>

#include "tools/device/gpu.h"

namespace presso::cli {

/// One file to decode.
struct DecodeWork {
  std::uint64_t stored_bytes = 0;
  std::uint64_t plain_bytes = 0;
  bool keeps_output = true;
};

class DeviceChoice {
 public:
  /// `cpu_rate`: plain bytes a second of all threads together; 0: that of decoding.
  DeviceChoice(const GpuCosts& costs, unsigned threads, double cpu_rate = 0);

  double cpu_seconds(const DecodeWork& work) const;
  double gpu_seconds(const DecodeWork& work) const;
  bool gpu_is_faster(const DecodeWork& work) const;
  /// Whether it can be for any content of a file of this size, so that one need not look into it.
  bool gpu_may_be_faster(std::uint64_t stored_bytes, bool keeps_output) const;

  /// What a file took, starting left out.
  void measured_cpu(const DecodeWork& work, double seconds);
  void measured_gpu(const DecodeWork& work, double seconds);
  void gpu_started() { costs_.start_seconds = 0; }

 private:
  GpuCosts costs_;
  double read_rate_;
  double cpu_rate_;
  double gpu_rate_ = 0;  ///< measured: plain bytes a second, all in all
};

}  // namespace presso::cli
