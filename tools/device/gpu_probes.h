// SPDX-License-Identifier: MIT
// Times queries of one step each on a GPU, to learn what its steps cost (gpu_query_rates.h). The
// tables are made up, the same on every machine, and are loaded to the GPU's memory several times,
// so that a fast GPU has enough to do and its caches do not hold them. With the usual sizes
// everything together takes some seconds, most of them for making the tables. Tested by
// tests/simt/gpu_probes_test.cpp.
#pragma once

#include "tools/device/gpu.h"
#include "tools/device/gpu_query_rates.h"

namespace presso::cli {

/// How much data the queries run over.
struct GpuProbeSizes {
  std::uint32_t rows = 1u << 21;         ///< of the table of numbers
  std::uint32_t string_rows = 1u << 18;  ///< of the table of strings
  std::uint32_t copies = 128;            ///< of the numbers: 2^28 rows
  std::uint32_t string_copies = 32;      ///< of the strings: 2^23 rows
  int runs = 9;                          ///< of each query, after one that does not count

  /// The sizes for a GPU: as many copies as a quarter of its free memory has room for, and at least
  /// one of each.
  static GpuProbeSizes for_memory(std::uint64_t free_bytes);
};

/// Runs all queries. Errors: kUnsupported if a query goes to the CPU, and those of gpu.h and of
/// queries.
Result<GpuQueryTimes> time_gpu_queries(std::shared_ptr<QueryDevice> device,
                                       const GpuProbeSizes& sizes);

/// Opens the GPU and measures. `context_seconds` is the time that the start of CUDA took before.
/// Errors as above; kUnsupported if the device has no clock.
Result<GpuQueryRates> measure_gpu_queries(double context_seconds);

}  // namespace presso::cli
