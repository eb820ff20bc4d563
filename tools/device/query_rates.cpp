// SPDX-License-Identifier: MIT
// The rates of a query's steps are stored under these names. A store without one of them counts as
// one without rates. Measuring takes 0.2 s and is left out for small tables, which gain nothing by
// a better plan. Tested by tests/unit/tools/query_rates_test.cpp.
#include "tools/device/query_rates.h"

#include "tools/device/device_rates.h"
#include "tools/device/rate_fields.h"

namespace presso::cli {
namespace {

constexpr RateField<QueryRates> kQueryFields[] = {
    {"compare_ns", &QueryRates::compare_ns}, {"decode_ns", &QueryRates::decode_ns},
    {"compute_ns", &QueryRates::compute_ns}, {"byte_ns", &QueryRates::byte_ns},
    {"list_ns", &QueryRates::list_ns},       {"bitmap_ns", &QueryRates::bitmap_ns},
    {"branch_ns", &QueryRates::branch_ns},   {"read_ns", &QueryRates::read_ns},
    {"group_ns", &QueryRates::group_ns},     {"join_ns", &QueryRates::join_ns},
};
constexpr std::size_t kMostTogether = 64;

std::string together_name(std::size_t conditions) {
  return "together_" + std::to_string(conditions);
}

std::string section() {
  return query_section_of(cpu_identity(), PRESSO_VERSION);
}

std::optional<QueryRates> kept_rates(const MeasurementStore& store) {
  const auto numbers = store.find(section());
  return numbers ? query_rates_of(*numbers) : std::nullopt;
}

}  // namespace

Measurements to_measurements(const QueryRates& rates) {
  Measurements numbers = to_numbers(rates, kQueryFields);
  for (std::size_t i = 0; i < rates.together.size(); ++i) {
    numbers[together_name(i + 1)] = rates.together[i];
  }
  return numbers;
}

std::optional<QueryRates> query_rates_of(const Measurements& numbers) {
  std::optional<QueryRates> rates = from_numbers(numbers, kQueryFields);
  if (!rates) return std::nullopt;
  rates->together.clear();
  while (rates->together.size() < kMostTogether) {
    const auto rate = rate_of(numbers, together_name(rates->together.size() + 1));
    if (!rate) break;
    rates->together.push_back(*rate);
  }
  if (rates->together.empty()) return std::nullopt;
  return rates;
}

QueryRates calibrate_queries(const MeasurementStore& store, bool& kept) {
  QueryRates rates = measure_query_rates();
  kept = store.save(section(), to_measurements(rates));
  return rates;
}

QueryRates query_rates(const MeasurementStore& store, std::uint64_t stored_bytes) {
  if (stored_bytes < kKeptFromBytes) return {};
  if (auto rates = kept_rates(store)) return std::move(*rates);
  if (stored_bytes < kMeasuredFromBytes) return {};
  // Rates are not measured if they could not be kept, since every query would measure again, nor
  // while another process measures, since both would get too little of the machine.
  const auto lock = store.try_lock();
  if (!lock) return {};
  bool kept = false;
  return calibrate_queries(store, kept);
}

}  // namespace presso::cli
