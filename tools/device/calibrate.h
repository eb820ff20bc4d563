// SPDX-License-Identifier: MIT
// Measures how fast this machine's CPU and GPU decode and search, once, and keeps that in the
// user's store, and what the steps of queries cost (query_rates.h). Everything together takes
// under two seconds: 0.1 s for the sample, 0.15 s for each of eight rates, 0.2 s for queries, and
// the start of CUDA. Queries on a GPU take three more, and are left to those who ask for them.
#pragma once

#include <optional>

#include "tools/device/device_rates.h"
#include "tools/device/gpu.h"
#include "tools/device/gpu_query_rates.h"
#include "tools/device/query_rates.h"

namespace presso::cli {

struct MachineRates {
  std::string cpu_name;
  CpuRates cpu;
  QueryRates query;
  std::string gpu_name;
  std::optional<GpuRates> gpu;
  std::optional<Error> why_no_gpu = {};
  double context_seconds = 0;  ///< that the start of CUDA took, as part of the GPU's starts
  std::optional<GpuQueryRates> gpu_query = {};
  std::optional<Error> why_no_gpu_query = {};  ///< of a GPU whose other rates were measured
  bool kept = false;                           ///< in the store
};

/// Measures what this machine has and saves it. Errors: those of the CPU's part, kOutOfMemory; that
/// nothing can be saved is none.
Result<MachineRates> calibrate(const MeasurementStore& store);

/// Queries on the GPU, too, where calibrate() has found one: what has come of it is added to
/// `rates` and saved. Takes about three seconds.
void calibrate_gpu_queries(const MeasurementStore& store, MachineRates& rates);

/// Those of queries on the GPU that there is, as far as the store has them and it is known without
/// starting CUDA which one it is.
std::optional<GpuQueryRates> known_gpu_query_rates(const MeasurementStore& store);

/// The rates in the store. `measured`: both the CPU's and the GPU's were found; else they are
/// guessed.
struct KnownRates {
  CpuRates cpu;
  GpuRates gpu;
  bool measured = false;
};
KnownRates known_rates(const MeasurementStore& store, const std::string& gpu_identity);

}  // namespace presso::cli
