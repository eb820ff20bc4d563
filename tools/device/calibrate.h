// SPDX-License-Identifier: MIT
// Measures how fast this machine's CPU and GPU decode and search and what the steps of queries cost
// (query_rates.h), once, and keeps that in the user's store. Everything together takes under two
// seconds: 0.1 s for the sample, 0.15 s for each of eight rates, 0.2 s for queries, and the start
// of CUDA. Queries on a GPU take three more seconds and are measured only for those who ask for
// them (presso info --calibrate). Tested by tests/unit/tools/device_rates_test.cpp and
// tests/cli/test_device.py. Whoever needs rates calls known_rates(), which never measures.
#pragma once

#include <optional>

#include "tools/device/device_rates.h"
#include "tools/device/gpu.h"
#include "tools/device/gpu_query_rates.h"
#include "tools/device/query_rates.h"

namespace presso::cli {

/// All that was measured on this machine, and why something was not.
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

/// Measures what this machine has and saves it. Errors: those of the CPU's part, kOutOfMemory. A
/// GPU that fails, and a store that cannot be written, are no errors; the result says so.
Result<MachineRates> calibrate(const MeasurementStore& store);

/// Measures queries on the GPU, too, if calibrate() has found one; adds the outcome to `rates` and
/// saves it. Takes about ten seconds.
void calibrate_gpu_queries(const MeasurementStore& store, MachineRates& rates);

/// The rates of queries on this machine's GPU, if the store has them and it can be told without
/// starting CUDA which GPU that is.
std::optional<GpuQueryRates> known_gpu_query_rates(const MeasurementStore& store);

/// The rates in the store. `measured` means that both the CPU's and the GPU's were found; otherwise
/// guesses stand for what is missing.
struct KnownRates {
  CpuRates cpu;
  GpuRates gpu;
  bool measured = false;
};
KnownRates known_rates(const MeasurementStore& store, const std::string& gpu_identity);

}  // namespace presso::cli
