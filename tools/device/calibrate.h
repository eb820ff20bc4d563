// SPDX-License-Identifier: MIT
// Measures how fast this machine's CPU and GPU decode and search, once, and keeps that in the
// user's store, and what the steps of queries cost (query_rates.h). Everything together takes
// under two seconds: 0.1 s for the sample, 0.15 s for each of eight rates, 0.2 s for queries, and
// the start of CUDA.
#pragma once

#include <optional>

#include "tools/device/device_rates.h"
#include "tools/device/gpu.h"
#include "tools/device/query_rates.h"

namespace presso::cli {

struct MachineRates {
  std::string cpu_name;
  CpuRates cpu;
  QueryRates query;
  std::string gpu_name;
  std::optional<GpuRates> gpu;
  std::optional<Error> why_no_gpu = {};
  bool kept = false;  ///< in the store
};

/// Measures what this machine has and saves it. Errors: those of the CPU's part, kOutOfMemory; that
/// nothing can be saved is none.
Result<MachineRates> calibrate(const MeasurementStore& store);

/// The GPU's rates in the store; nullopt where it was not measured, or in vain.
std::optional<GpuRates> kept_gpu_rates(const MeasurementStore& store,
                                       const std::string& gpu_identity);

/// The rates in the store. `measured`: both the CPU's and the GPU's were found; else they are
/// guessed.
struct KnownRates {
  CpuRates cpu;
  GpuRates gpu;
  bool measured = false;
};
KnownRates known_rates(const MeasurementStore& store, const std::string& gpu_identity);

}  // namespace presso::cli
