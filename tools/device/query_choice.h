// SPDX-License-Identifier: MIT
// The model of --device=auto of select, join and sql: which device is faster for a query.
//
//   CPU seconds = what one thread takes (presso::QueryForecast) / threads
//   GPU seconds = start + compiling, if the query's code is not known
//                 + passes x stored bytes x what reading and copying one takes
//                 + what kernels take, and bringing groups back (presso::QueryForecast)
//
// Both leave out the work that the CPU does in any case: sorting, and writing the answer. All
// figures come from rates of this machine (gpu_query_rates.h). Bytes are read no faster than all
// threads read them, and no faster than the query's threads one by one would. The CPU's part is
// counted rather too low, since a GPU that is wrongly left alone costs less than one that is
// started in vain. Tested by tests/unit/tools/query_choice_test.cpp.
#pragma once

#include <cstdint>
#include <string>

#include "presso/query.h"

namespace presso::cli {

/// The predicted times of a query.
struct QueryTimes {
  double cpu_seconds = 0;
  double gpu_seconds = 0;

  bool gpu_is_faster() const { return gpu_seconds < cpu_seconds; }
  /// The choice in words, "the CPU, 0.05 s against 0.41 s on the GPU".
  std::string text() const;
};

/// Predicts the times. `gpu` are the rates by which the forecast was made; `threads`, at least 1,
/// is how many the query may use; `is_known`: the query's code need not be compiled.
QueryTimes query_times(const QueryForecast& forecast, const GpuQueryRates& gpu, unsigned threads,
                       bool is_known);

/// Whether some query over tables of this many rows and stored bytes may take the CPU longer than
/// the GPU takes to start. Otherwise a forecast, which reads directories, does not pay.
bool forecast_may_pay(std::uint64_t rows, std::uint64_t stored_bytes, const GpuQueryRates& gpu,
                      unsigned threads);

}  // namespace presso::cli
