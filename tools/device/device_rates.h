// SPDX-License-Identifier: MIT
// How fast this machine's CPU and GPU decode and search: measured once (calibrate.h), kept in the
// user's cache (measurement_store.h), or guessed with care. Tested by
// tests/unit/tools/device_rates_test.cpp.
#pragma once

#include <optional>
#include <string>

#include "tools/device/measurement_store.h"

namespace presso::cli {

/// The rates of the CPU, in plain bytes a second from compressed blocks.
struct CpuRates {
  double decode_one_thread = 0;
  double decode_all_threads = 0;
  double search_one_thread = 0;  ///< decoding them included
  double search_all_threads = 0;

  /// The rate of `threads` threads, which is at most that of all threads together.
  double decode(unsigned threads) const;
  double search(unsigned threads) const;
};

/// The costs of one kind of work on a GPU, for the choice of --device=auto (device_choice.h).
struct GpuCosts {
  double start_seconds = 0;  ///< until the first block can be sent: CUDA, memory, kernels
  double copy_in_rate = 0;   ///< stored bytes a second, read and copied to the GPU; 0: no GPU
  double copy_out_rate = 0;  ///< plain bytes a second
  double work_rate = 0;      ///< plain bytes a second that are decoded, or decoded and searched
};

/// The rates of a GPU, from which the costs of both kinds of work are made.
struct GpuRates {
  double decode_start_seconds = 0;
  double search_start_seconds = 0;
  double copy_in_rate = 0;
  double copy_out_rate = 0;
  double decode_rate = 0;
  double search_rate = 0;

  GpuCosts of_decoding() const;
  GpuCosts of_searching() const;
};

/// The rates assumed for hardware that was not measured: much of the CPU and little of the GPU,
/// since a GPU that is wrongly left alone costs less than one that is started in vain.
CpuRates guessed_cpu_rates(unsigned threads);
GpuRates guessed_gpu_rates();

Measurements to_measurements(const CpuRates& rates);
Measurements to_measurements(const GpuRates& rates);
/// The rates from the numbers of a store; nullopt if a number is missing or cannot have been
/// measured.
std::optional<CpuRates> cpu_rates_of(const Measurements& numbers);
std::optional<GpuRates> gpu_rates_of(const Measurements& numbers);

/// The CPU's model, level and number of threads, which is what its rates depend on: "Intel(R)
/// Xeon(R) ..., 16 threads".
std::string cpu_identity();
/// The models of this machine's GPUs and the version of the driver, from the files that NVIDIA's
/// driver shows in `folder`, without starting CUDA. Empty if there are no such files.
std::string gpu_identity_of(const std::string& folder);

}  // namespace presso::cli
