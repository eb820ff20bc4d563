// SPDX-License-Identifier: MIT
// Which device is faster for a query: the model of --device=auto of select, join and sql.
//
//   CPU seconds = what one thread takes (presso::QueryForecast) / threads
//   GPU seconds = start + passes x stored bytes x what reading and copying one takes
//                 + what kernels take, and bringing groups back (presso::QueryForecast)
//
// Both leave out what the CPU does in any case: sorting, and writing the answer. All is by rates of
// this machine (gpu_query_rates.h). Bytes are read no faster than by all threads, nor than by the
// query's threads one by one. The CPU's part is counted rather too low, since a GPU that is wrongly
// left alone costs less than one that is started in vain.
// Tested by tests/unit/tools/query_choice_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "presso/query.h"

namespace presso::cli {

struct QueryTimes {
  double cpu_seconds = 0;
  double gpu_seconds = 0;

  bool gpu_is_faster() const { return gpu_seconds < cpu_seconds; }
  /// "the CPU, 0.05 s against 0.41 s on the GPU": the choice first.
  std::string text() const;
};

/// `gpu`: by which the forecast was made. `threads`: that the query may use, 1 or more.
QueryTimes query_times(const QueryForecast& forecast, const GpuQueryRates& gpu, unsigned threads);

/// Whether any query over tables of so many rows and stored bytes may take the CPU longer than the
/// GPU takes to start, so that it pays to make a forecast, which reads directories.
bool forecast_may_pay(std::uint64_t rows, std::uint64_t stored_bytes, const GpuQueryRates& gpu,
                      unsigned threads);

}  // namespace presso::cli
