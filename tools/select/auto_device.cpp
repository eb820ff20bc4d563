// SPDX-License-Identifier: MIT
// Every question that can be answered without starting CUDA comes first. Tested by
// tests/cli/test_device.py; the comparison of times itself by
// tests/unit/tools/query_choice_test.cpp.
#include "tools/select/auto_device.h"

#include "presso/ordered_pipeline.h"
#include "tools/device/gpu.h"
#include "tools/device/query_choice.h"

namespace presso::cli {
namespace {

/// The choice of the CPU with its reason.
AutoDevice the_cpu(const std::string& why) {
  return {false, false, "the CPU: " + why};
}

/// Whether a strategy of groups is asked for, which only the CPU has. Strategies of joins a GPU
/// has, too, and plans it follows, or says why it cannot. Whoever names such a strategy wants to
/// see it run.
bool asks_for_a_way(const QueryOptions& options) {
  return options.group_strategy != GroupStrategy::kAuto;
}

}  // namespace

/// Decides without starting CUDA as long as possible, since starting it takes longer than many
/// queries: first what rules the GPU out, then a bound on what could be won, and only then a
/// forecast from the measured rates.
AutoDevice choose_device(const PreparedQuery& query, const QueryOptions& options,
                         std::uint64_t rows, std::uint64_t stored_bytes, bool code_cache) {
  if (asks_for_a_way(options)) return the_cpu("a way that is the CPU's is asked for");
  // Which GPU there is can be read from the driver's files; that costs no start.
  const Result<std::string> identity = gpu_identity_without_start();
  if (!identity.ok()) return the_cpu(identity.error().text());
  const std::optional<GpuQueryRates>& rates = options.gpu_rates;
  if (!rates) {
    return the_cpu("the GPU's rates are not known; 'presso info --calibrate' measures them");
  }
  // The bound: as long as the whole query on the CPU takes less than CUDA's start, no forecast can
  // favour the GPU, and making one would read the files.
  const unsigned threads = threads_or_all(options.threads);
  if (!forecast_may_pay(rows, stored_bytes, *rates, threads)) {
    return the_cpu("the tables are read before a GPU has started");
  }
  const Result<QueryForecast> forecast = query.forecast();
  if (!forecast.ok()) return the_cpu(forecast.error().text());
  // The plan itself may need the CPU, for example for a type that no kernel has.
  if (!forecast->why_cpu.empty()) return the_cpu(forecast->why_cpu);
  const bool is_known = code_cache && gpu_knows_query(query.shape());
  const QueryTimes times = query_times(*forecast, *rates, threads, is_known);
  return {times.gpu_is_faster(), true, times.text()};
}

}  // namespace presso::cli
