// SPDX-License-Identifier: MIT
// Queries of one step each, which are timed on a GPU to learn what its steps cost
// (gpu_query_rates.h). The tables are made up, the same on every machine, and are loaded to the
// GPU's memory several times, so that a fast GPU has enough to do and its caches do not hold them.
// With usual sizes everything together takes about three seconds, most of it for the tables.
// Tested by tests/simt/gpu_probes_test.cpp.
#pragma once

#include "tools/device/gpu.h"
#include "tools/device/gpu_query_rates.h"

namespace presso::cli {

struct GpuProbeSizes {
  std::uint32_t rows = 1u << 21;         ///< of the table of numbers
  std::uint32_t string_rows = 1u << 18;  ///< of the table of strings
  std::uint32_t copies = 128;            ///< of the numbers: 2^28 rows
  std::uint32_t string_copies = 32;      ///< of the strings: 2^23 rows
  int runs = 3;                          ///< of each query, behind one that does not count

  /// As many copies as a quarter of the free memory has room for, at least one of each.
  static GpuProbeSizes for_memory(std::uint64_t free_bytes);
};

/// Errors: kUnsupported where a query is the CPU's, those of gpu.h and of queries.
Result<GpuQueryTimes> time_gpu_queries(std::shared_ptr<QueryDevice> device,
                                       const GpuProbeSizes& sizes);

/// Opens the GPU and measures. `context_seconds`: what the start of CUDA has taken before. Errors:
/// the same; kUnsupported where the device has no clock.
Result<GpuQueryRates> measure_gpu_queries(double context_seconds);

}  // namespace presso::cli
