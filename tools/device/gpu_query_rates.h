// SPDX-License-Identifier: MIT
// Works out what the steps of a query cost on this machine's GPU (presso/query.h) from the queries
// that were timed there (gpu_probes.h). The rates are kept in the user's store beside what else is
// known of the device, and later queries use them for --device=auto and for plans. A device that
// was measured by a presso that did not time queries counts as not measured. Tested by
// tests/unit/tools/gpu_query_rates_test.cpp.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "presso/query.h"
#include "tools/device/measurement_store.h"

namespace presso::cli {

/// The least times that some runs of a query over tables in a GPU's memory took, and how much it
/// worked on. The first run is not one of them.
struct GpuQueryTime {
  double first_ns = 0;   ///< the first run, which compiles the query's code
  double kernel_ns = 0;  ///< by the device's clock
  double total_ns = 0;   ///< the whole query
  double rows = 0;
  double bytes = 0;  ///< stored bytes of the columns that it names; of text its plain bytes
  double groups = 0;
};

/// The times of all queries of gpu_probes.h.
struct GpuQueryTimes {
  GpuQueryTime few_rows;  ///< that hardly take longer than the start of a kernel
  /// A count by a condition on a packed column, each of another width of GpuQueryRates::kWidths.
  std::array<GpuQueryTime, GpuQueryRates::kWidths.size()> compared;
  GpuQueryTime tokens;    ///< a condition on strings that are stored so
  GpuQueryTime text;      ///< on strings that are stored as bytes
  GpuQueryTime computed;  ///< a condition that takes kComputedSteps
  GpuQueryTime summed;
  GpuQueryTime few_groups;  ///< a count and a sum of each
  GpuQueryTime cached_groups;
  GpuQueryTime far_groups;
  GpuQueryTime cached_keys;  ///< each row looks for a partner
  GpuQueryTime far_keys;
  GpuQueryTime together;  ///< two conditions, half of the rows each, without a branch
  GpuQueryTime branched;  ///< the same with one
  GpuQueryTime none;      ///< a condition that leaves no row
  GpuQueryTime passed;    ///< the same, and a kernel that goes on with what it has left
  GpuQueryTime read;      ///< from files, with all threads
  GpuQueryTime read_by_thread;
  double start_seconds = 0;
  double compile_seconds = 0;  ///< of the first query's code, with the compiler's own start
};

/// The steps that query/gpu counts for the expression that GpuQueryTimes::computed tests.
constexpr double kComputedSteps = 9;

/// The rates that follow from the times. None is less than a sixteenth of GpuQueryRates's own
/// default, whatever was measured, because differences of times may be noise.
GpuQueryRates rates_of(const GpuQueryTimes& times);

Measurements to_measurements(const GpuQueryRates& rates);
/// The rates from the numbers of a store; nullopt if a number is missing or cannot have been
/// measured.
std::optional<GpuQueryRates> gpu_query_rates_of(const Measurements& numbers);

/// The rates that the store has of a GPU; `gpu_identity` is as gpu.h gives it.
std::optional<GpuQueryRates> kept_gpu_query_rates(const MeasurementStore& store,
                                                  const std::string& gpu_identity);
/// Stores the rates; returns false if that fails.
bool keep_gpu_query_rates(const MeasurementStore& store, const std::string& gpu_identity,
                          const GpuQueryRates& rates);

/// Notes that the GPU was measured in vain, so that nothing is known of it any more.
void forget_gpu_query_rates(const MeasurementStore& store, const std::string& gpu_identity);

}  // namespace presso::cli
