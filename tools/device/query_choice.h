// SPDX-License-Identifier: MIT
// Which device is faster for a query: the model of --device=auto of select, join and sql.
//
//   CPU seconds = what one thread takes (presso::QueryForecast) / threads
//   GPU seconds = start + stored bytes / rate of reading and copying
//                 + rows x 0.1 ns + groups x 50 ns
//
// Both leave out what the CPU does in any case: sorting, and writing the answer. The start is that
// of searches (device_rates.h), which begin with the same work. Reading and copying: as fast as
// blocks are copied in, but no more than whole queries reach from files, 20 GB/s, and 4 GB/s for
// one thread. The CPU's part is counted rather too low and the GPU's too high, since a GPU that is
// wrongly left alone costs less than one that is started in vain (scan/gpu/table/NOTES.md).
// Tested by tests/unit/tools/query_choice_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "presso/query.h"
#include "tools/device/device_rates.h"

namespace presso::cli {

struct QueryTimes {
  double cpu_seconds = 0;
  double gpu_seconds = 0;

  bool gpu_is_faster() const { return gpu_seconds < cpu_seconds; }
  /// "the CPU, 0.05 s against 0.41 s on the GPU": the choice first.
  std::string text() const;
};

/// `threads`: that the query may use, 1 or more.
QueryTimes query_times(const QueryForecast& forecast, const GpuRates& gpu, unsigned threads);

/// Whether any query over tables of so many rows and stored bytes may take the CPU longer than the
/// GPU takes to start, so that it pays to make a forecast, which reads directories.
bool forecast_may_pay(std::uint64_t rows, std::uint64_t stored_bytes, const GpuRates& gpu,
                      unsigned threads);

}  // namespace presso::cli
