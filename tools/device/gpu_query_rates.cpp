// SPDX-License-Identifier: MIT
#include "tools/device/gpu_query_rates.h"

#include <algorithm>

namespace presso::cli {
namespace {

struct Field {
  const char* name;
  double GpuQueryRates::*value;
};

constexpr Field kFields[] = {
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

/// Another version of presso may have other rates, since its code may differ.
std::string section_of(const std::string& identity) {
  return identity + ", queries, presso " PRESSO_VERSION;
}

/// What differences of times may come to where these are next to nothing.
constexpr double kLeastNs = 1e-7;

double positive(double ns) {
  return std::max(ns, kLeastNs);
}

double row_ns(const GpuQueryTime& time) {
  return time.kernel_ns / std::max(time.rows, 1.0);
}

double row_bytes(const GpuQueryTime& time) {
  return time.bytes / std::max(time.rows, 1.0);
}

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
  rates.byte_ns = positive(squares > 0 ? both / squares : 0);
  for (std::size_t i = 0; i < times.compared.size(); ++i) {
    const GpuQueryTime& one = times.compared[i];
    rates.compare_ns[i] = positive(row_ns(one) - rates.byte_ns * row_bytes(one));
  }
}

/// What of a row is left when its columns have been read.
double without_bytes(const GpuQueryTime& time, const GpuQueryRates& rates) {
  return row_ns(time) - rates.byte_ns * row_bytes(time);
}

double read_ns(const GpuQueryTime& time) {
  return positive((time.total_ns - time.kernel_ns) / std::max(time.bytes, 1.0));
}

}  // namespace

GpuQueryRates rates_of(const GpuQueryTimes& times) {
  GpuQueryRates rates;
  rate_columns(times, rates);
  rates.token_byte_ns = positive(times.tokens.kernel_ns / std::max(times.tokens.bytes, 1.0));
  rates.text_byte_ns = positive(times.text.kernel_ns / std::max(times.text.bytes, 1.0));
  rates.step_ns = positive(without_bytes(times.computed, rates) / kComputedSteps);
  rates.sum_ns = positive(without_bytes(times.summed, rates));
  rates.group_ns = positive(row_ns(times.few_groups));
  rates.cached_group_ns = positive(row_ns(times.cached_groups));
  rates.far_group_ns = positive(row_ns(times.far_groups));
  const GpuQueryTime& far = times.far_groups;
  rates.group_back_ns = positive((far.total_ns - far.kernel_ns) / std::max(far.groups, 1.0));
  rates.lookup_ns = positive(row_ns(times.cached_keys));
  rates.far_lookup_ns = positive(row_ns(times.far_keys));
  rates.branch_ns = positive(1024 * (row_ns(times.branched) - row_ns(times.together)));
  rates.kernel_ns = positive(times.few_rows.kernel_ns);
  rates.pass_ns = positive((times.passed.kernel_ns - times.none.kernel_ns - rates.kernel_ns) /
                           std::max(times.none.rows, 1.0));
  rates.read_ns = read_ns(times.read);
  rates.thread_read_ns = read_ns(times.read_by_thread);
  rates.start_seconds = positive(times.start_seconds);
  return rates;
}

Measurements to_measurements(const GpuQueryRates& rates) {
  Measurements numbers;
  for (const Field& field : kFields) numbers[field.name] = rates.*field.value;
  for (std::size_t i = 0; i < rates.compare_ns.size(); ++i) {
    numbers[compare_name(i)] = rates.compare_ns[i];
  }
  return numbers;
}

std::optional<GpuQueryRates> gpu_query_rates_of(const Measurements& numbers) {
  bool is_whole = true;
  const auto take = [&](const std::string& name, double& value) {
    const auto found = numbers.find(name);
    is_whole = is_whole && found != numbers.end() && found->second > 0;
    if (is_whole) value = found->second;
  };
  GpuQueryRates rates;
  for (const Field& field : kFields) take(field.name, rates.*field.value);
  for (std::size_t i = 0; i < rates.compare_ns.size(); ++i) {
    take(compare_name(i), rates.compare_ns[i]);
  }
  return is_whole ? std::optional(rates) : std::nullopt;
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

}  // namespace presso::cli
