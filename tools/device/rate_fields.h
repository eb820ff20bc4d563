// SPDX-License-Identifier: MIT
// Turns structs of rates into numbers by name, as a MeasurementStore keeps them, and back. Tested
// by tests/unit/tools/gpu_query_rates_test.cpp and query_rates_test.cpp.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "tools/device/measurement_store.h"

namespace presso::cli {

/// One rate of a struct and its name in the store.
template <class Rates>
struct RateField {
  const char* name;
  double Rates::*value;
};

template <class Rates, std::size_t kCount>
Measurements to_numbers(const Rates& rates, const RateField<Rates> (&fields)[kCount]) {
  Measurements numbers;
  for (const auto& field : fields) numbers[field.name] = rates.*field.value;
  return numbers;
}

/// The number of that name; nullopt if there is none, or it cannot have been measured because it is
/// not above zero.
inline std::optional<double> rate_of(const Measurements& numbers, const std::string& name) {
  const auto found = numbers.find(name);
  if (found == numbers.end() || !(found->second > 0)) return std::nullopt;
  return found->second;
}

/// A struct of rates with these fields set; nullopt if one of them cannot be.
template <class Rates, std::size_t kCount>
std::optional<Rates> from_numbers(const Measurements& numbers,
                                  const RateField<Rates> (&fields)[kCount]) {
  Rates rates;
  for (const auto& field : fields) {
    const auto rate = rate_of(numbers, field.name);
    if (!rate) return std::nullopt;
    rates.*field.value = *rate;
  }
  return rates;
}

/// The name of a section with rates of queries on a device. It names the version of presso, since
/// another one may have other rates.
inline std::string query_section_of(const std::string& identity, const char* version) {
  return identity + ", queries, presso " + version;
}

}  // namespace presso::cli
