// SPDX-License-Identifier: MIT
#include "tools/device/gpu_query_rates.h"

#include <algorithm>

#include "tools/device/rate_fields.h"

namespace presso::cli {
namespace {

constexpr RateField<GpuQueryRates> kFields[] = {
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
};

std::string compare_name(std::size_t width) {
  return "compare_" + std::to_string(GpuQueryRates::kWidths[width]) + "_bits_ns";
}

std::string section_of(const std::string& identity) {
  return query_section_of(identity, PRESSO_VERSION);
}

/// Of what a usual GPU takes: where the difference of two times is less it is taken to be noise.
constexpr double kLeastShare = 1.0 / 16;

double at_least(double ns, double usual_ns) {
  return std::max(ns, kLeastShare * usual_ns);
}

double row_ns(const GpuQueryTime& time) {
  return time.kernel_ns / std::max(time.rows, 1.0);
}

double row_bytes(const GpuQueryTime& time) {
  return time.bytes / std::max(time.rows, 1.0);
}

const GpuQueryRates kUsual;

void rate_columns(const GpuQueryTimes& times, GpuQueryRates& rates) {
  constexpr auto kCount = static_cast<double>(GpuQueryRates::kWidths.size());
  double bytes = 0, ns = 0;
  for (const GpuQueryTime& one : times.compared) {
    bytes += row_bytes(one) / kCount;
    ns += row_ns(one) / kCount;
  }
  double both = 0, squares = 0;
  for (const GpuQueryTime& one : times.compared) {
    both += (row_bytes(one) - bytes) * (row_ns(one) - ns);
    squares += (row_bytes(one) - bytes) * (row_bytes(one) - bytes);
  }
  rates.byte_ns = at_least(squares > 0 ? both / squares : 0, kUsual.byte_ns);
  for (std::size_t i = 0; i < times.compared.size(); ++i) {
    const GpuQueryTime& one = times.compared[i];
    rates.compare_ns[i] =
        at_least(row_ns(one) - rates.byte_ns * row_bytes(one), kUsual.compare_ns[i]);
  }
}

/// What of a row is left when its columns have been read.
double without_bytes(const GpuQueryTime& time, const GpuQueryRates& rates) {
  return row_ns(time) - rates.byte_ns * row_bytes(time);
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
  set(&GpuQueryRates::token_byte_ns, times.tokens.kernel_ns / std::max(times.tokens.bytes, 1.0));
  set(&GpuQueryRates::text_byte_ns, times.text.kernel_ns / std::max(times.text.bytes, 1.0));
  set(&GpuQueryRates::step_ns, without_bytes(times.computed, rates) / kComputedSteps);
  set(&GpuQueryRates::sum_ns, without_bytes(times.summed, rates));
  set(&GpuQueryRates::group_ns, without_bytes(times.few_groups, rates));
  set(&GpuQueryRates::cached_group_ns, without_bytes(times.cached_groups, rates));
  const GpuQueryTime& far = times.far_groups;
  set(&GpuQueryRates::far_group_ns, without_bytes(far, rates));
  set(&GpuQueryRates::group_back_ns, (far.total_ns - far.kernel_ns) / std::max(far.groups, 1.0));
  set(&GpuQueryRates::lookup_ns, without_bytes(times.cached_keys, rates));
  set(&GpuQueryRates::far_lookup_ns, without_bytes(times.far_keys, rates));
  set(&GpuQueryRates::branch_ns, 1024 * (row_ns(times.branched) - row_ns(times.together)));
  set(&GpuQueryRates::kernel_ns, times.few_rows.kernel_ns);
  set(&GpuQueryRates::pass_ns, (times.passed.kernel_ns - times.none.kernel_ns - rates.kernel_ns) /
                                   std::max(times.none.rows, 1.0));
  set(&GpuQueryRates::read_ns, read_ns(times.read));
  set(&GpuQueryRates::thread_read_ns, read_ns(times.read_by_thread));
  set(&GpuQueryRates::start_seconds, times.start_seconds);
  return rates;
}

Measurements to_measurements(const GpuQueryRates& rates) {
  Measurements numbers = to_numbers(rates, kFields);
  for (std::size_t i = 0; i < rates.compare_ns.size(); ++i) {
    numbers[compare_name(i)] = rates.compare_ns[i];
  }
  return numbers;
}

std::optional<GpuQueryRates> gpu_query_rates_of(const Measurements& numbers) {
  std::optional<GpuQueryRates> rates = from_numbers(numbers, kFields);
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
  const auto numbers = store.find(section_of(gpu_identity));
  return numbers ? gpu_query_rates_of(*numbers) : std::nullopt;
}

bool keep_gpu_query_rates(const MeasurementStore& store, const std::string& gpu_identity,
                          const GpuQueryRates& rates) {
  return store.save(section_of(gpu_identity), to_measurements(rates));
}

void forget_gpu_query_rates(const MeasurementStore& store, const std::string& gpu_identity) {
  store.save(section_of(gpu_identity), {{"failed", 1}});
}

}  // namespace presso::cli
