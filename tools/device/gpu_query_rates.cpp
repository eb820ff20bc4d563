// SPDX-License-Identifier: MIT
// A rate is the difference of two times by the number of rows or bytes. Tested by
// tests/unit/tools/gpu_query_rates_test.cpp.
#include "tools/device/gpu_query_rates.h"

#include <algorithm>
#include <limits>
#include <span>

#include "tools/device/rate_fields.h"

namespace presso::cli {
namespace {

constexpr RateField<GpuQueryRates> kGpuQueryFields[] = {
    {"byte_ns", &GpuQueryRates::byte_ns},
    {"token_byte_ns", &GpuQueryRates::token_byte_ns},
    {"text_byte_ns", &GpuQueryRates::text_byte_ns},
    {"step_ns", &GpuQueryRates::step_ns},
    {"sum_ns", &GpuQueryRates::sum_ns},
    {"group_ns", &GpuQueryRates::group_ns},
    {"cached_group_ns", &GpuQueryRates::cached_group_ns},
    {"far_group_ns", &GpuQueryRates::far_group_ns},
    {"group_back_ns", &GpuQueryRates::group_back_ns},
    {"lookup_ns", &GpuQueryRates::lookup_ns},
    {"far_lookup_ns", &GpuQueryRates::far_lookup_ns},
    {"branch_ns", &GpuQueryRates::branch_ns},
    {"pass_ns", &GpuQueryRates::pass_ns},
    {"kernel_ns", &GpuQueryRates::kernel_ns},
    {"read_ns", &GpuQueryRates::read_ns},
    {"thread_read_ns", &GpuQueryRates::thread_read_ns},
    {"start_seconds", &GpuQueryRates::start_seconds},
    {"compile_seconds", &GpuQueryRates::compile_seconds},
};

std::string compare_name(std::size_t width) {
  return "compare_" + std::to_string(GpuQueryRates::kWidths[width]) + "_bits_ns";
}

std::string gpu_section_of(const std::string& identity) {
  return query_section_of(identity, PRESSO_VERSION);
}

/// The least share of a usual GPU's rate; if the difference of two times is less, it is taken to be
/// noise.
constexpr double kLeastShare = 1.0 / 16;

double at_least(double ns, double usual_ns) {
  return std::max(ns, kLeastShare * usual_ns);
}

/// How long a query's kernel took without its start.
double running_ns(const GpuQueryTime& time, const GpuQueryTimes& times) {
  return std::max(time.kernel_ns - times.few_rows.kernel_ns, 0.0);
}

double row_ns(const GpuQueryTime& time, const GpuQueryTimes& times) {
  return running_ns(time, times) / std::max(time.rows, 1.0);
}

double byte_ns(const GpuQueryTime& time, const GpuQueryTimes& times) {
  return running_ns(time, times) / std::max(time.bytes, 1.0);
}

double row_bytes(const GpuQueryTime& time) {
  return time.bytes / std::max(time.rows, 1.0);
}

const GpuQueryRates kUsual;

/// Rates columns. Reading a stored byte costs what the times of conditions grow with the stored
/// bytes (a least-squares fit), but at most three quarters of any of these times; comparing is the
/// rest. Numbers of more than 32 bits are compared by other instructions and are left out of the
/// fit.
void rate_columns(const GpuQueryTimes& times, GpuQueryRates& rates) {
  constexpr std::size_t kNarrow = GpuQueryRates::kWidths.size() - 1;
  static_assert(GpuQueryRates::kWidths[kNarrow] == 64);
  constexpr double kMostOfAll = 0.75;
  double bytes = 0, ns = 0, most = std::numeric_limits<double>::max();
  for (const GpuQueryTime& one : times.compared) {
    most = std::min(most, kMostOfAll * row_ns(one, times) / std::max(row_bytes(one), 1e-3));
  }
  const std::span narrow(times.compared.data(), kNarrow);
  for (const GpuQueryTime& one : narrow) {
    bytes += row_bytes(one) / kNarrow;
    ns += row_ns(one, times) / kNarrow;
  }
  double both = 0, squares = 0;
  for (const GpuQueryTime& one : narrow) {
    both += (row_bytes(one) - bytes) * (row_ns(one, times) - ns);
    squares += (row_bytes(one) - bytes) * (row_bytes(one) - bytes);
  }
  rates.byte_ns = at_least(std::min(squares > 0 ? both / squares : 0, most), kUsual.byte_ns);
  for (std::size_t i = 0; i < times.compared.size(); ++i) {
    const GpuQueryTime& one = times.compared[i];
    rates.compare_ns[i] =
        at_least(row_ns(one, times) - rates.byte_ns * row_bytes(one), kUsual.compare_ns[i]);
  }
}

double read_ns(const GpuQueryTime& time) {
  return (time.total_ns - time.kernel_ns) / std::max(time.bytes, 1.0);
}

}  // namespace

GpuQueryRates rates_of(const GpuQueryTimes& times) {
  GpuQueryRates rates;
  rate_columns(times, rates);
  const auto set = [&rates](double GpuQueryRates::*rate, double ns) {
    rates.*rate = at_least(ns, kUsual.*rate);
  };
  // This is the share of a row's time that is left when its columns have been read.
  const auto of_row = [&](const GpuQueryTime& time) {
    return row_ns(time, times) - rates.byte_ns * row_bytes(time);
  };
  set(&GpuQueryRates::token_byte_ns, byte_ns(times.tokens, times));
  set(&GpuQueryRates::text_byte_ns, byte_ns(times.text, times));
  set(&GpuQueryRates::step_ns, of_row(times.computed) / kComputedSteps);
  set(&GpuQueryRates::sum_ns, of_row(times.summed));
  set(&GpuQueryRates::group_ns, of_row(times.few_groups));
  set(&GpuQueryRates::cached_group_ns, of_row(times.cached_groups));
  const GpuQueryTime& far = times.far_groups;
  set(&GpuQueryRates::far_group_ns, of_row(far));
  set(&GpuQueryRates::group_back_ns, (far.total_ns - far.kernel_ns) / std::max(far.groups, 1.0));
  set(&GpuQueryRates::lookup_ns, of_row(times.cached_keys));
  set(&GpuQueryRates::far_lookup_ns, of_row(times.far_keys));
  set(&GpuQueryRates::branch_ns,
      1024 * (row_ns(times.branched, times) - row_ns(times.together, times)));
  set(&GpuQueryRates::kernel_ns, times.few_rows.kernel_ns);
  set(&GpuQueryRates::pass_ns,
      (running_ns(times.passed, times) - times.none.kernel_ns) / std::max(times.none.rows, 1.0));
  set(&GpuQueryRates::read_ns, read_ns(times.read));
  set(&GpuQueryRates::thread_read_ns, read_ns(times.read_by_thread));
  set(&GpuQueryRates::start_seconds, times.start_seconds);
  set(&GpuQueryRates::compile_seconds, times.compile_seconds);
  return rates;
}

Measurements to_measurements(const GpuQueryRates& rates) {
  Measurements numbers = to_numbers(rates, kGpuQueryFields);
  for (std::size_t i = 0; i < rates.compare_ns.size(); ++i) {
    numbers[compare_name(i)] = rates.compare_ns[i];
  }
  return numbers;
}

std::optional<GpuQueryRates> gpu_query_rates_of(const Measurements& numbers) {
  std::optional<GpuQueryRates> rates = from_numbers(numbers, kGpuQueryFields);
  if (!rates) return std::nullopt;
  for (std::size_t i = 0; i < rates->compare_ns.size(); ++i) {
    const auto rate = rate_of(numbers, compare_name(i));
    if (!rate) return std::nullopt;
    rates->compare_ns[i] = *rate;
  }
  return rates;
}

std::optional<GpuQueryRates> kept_gpu_query_rates(const MeasurementStore& store,
                                                  const std::string& gpu_identity) {
  const auto numbers = store.find(gpu_section_of(gpu_identity));
  return numbers ? gpu_query_rates_of(*numbers) : std::nullopt;
}

bool keep_gpu_query_rates(const MeasurementStore& store, const std::string& gpu_identity,
                          const GpuQueryRates& rates) {
  return store.save(gpu_section_of(gpu_identity), to_measurements(rates));
}

void forget_gpu_query_rates(const MeasurementStore& store, const std::string& gpu_identity) {
  store.save(gpu_section_of(gpu_identity), {{"failed", 1}});
}

}  // namespace presso::cli
