// SPDX-License-Identifier: MIT
// What the steps of a query cost on this machine's CPU (presso/query.h): measured once, kept in the
// user's store, and used for every later query. Small queries do without, so that they begin at
// once. Tested by tests/unit/tools/query_rates_test.cpp.
#pragma once

#include <cstdint>
#include <optional>

#include "presso/query.h"
#include "tools/device/measurement_store.h"

namespace presso::cli {

/// The least stored bytes for which a plan that suits the machine saves more than the 0.2 s of
/// measuring.
constexpr std::uint64_t kMeasuredFromBytes = std::uint64_t{64} << 20;
/// Below this size not even the store is looked at.
constexpr std::uint64_t kKeptFromBytes = std::uint64_t{4} << 20;

/// The rates for a query over tables of `stored_bytes`: those of the store, newly measured ones, or
/// those that are built in.
QueryRates query_rates(const MeasurementStore& store, std::uint64_t stored_bytes);

/// Measures anew; sets `kept` to whether the store could be written.
QueryRates calibrate_queries(const MeasurementStore& store, bool& kept);

Measurements to_measurements(const QueryRates& rates);
/// The rates from the numbers of a store; nullopt if a number is missing or cannot have been
/// measured.
std::optional<QueryRates> query_rates_of(const Measurements& numbers);

}  // namespace presso::cli
