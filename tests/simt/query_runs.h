// SPDX-License-Identifier: MIT
// How the statements of a test in tests/queries are asked on the device of tests: with which
// limits of memory, strategies of joins and settings, one run for each combination.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "presso/query.h"
#include "tests/simt/emulated_query_device.h"
#include "tests/simt/query_file.h"

namespace presso::test {

/// One way to ask.
struct QueryRun {
  static constexpr std::uint64_t kAll = ~std::uint64_t{0};
  gpu::MemoryLimits limits = {};
  std::uint64_t device_bytes = kAll;  ///< that the device really has
  std::optional<JoinStrategy> strategy;
  std::uint64_t sum_rows = 0;  ///< for which sums have room in each form but the largest; 0: usual
  std::optional<std::uint32_t> part_rows;  ///< of groups that are made part by part, at most
  std::optional<std::uint32_t> part_bits;  ///< 2^part_bits such parts, of larger tables
  std::uint64_t hash_bits = kAll;
  std::optional<std::uint64_t> rates;  ///< a number of rates_of()
  std::optional<std::uint64_t> plan;   ///< the seed of random_plan()
  std::uint32_t seed = 1;

  bool has_little_memory() const {
    return limits.device_bytes != kAll || limits.pinned_bytes != kAll || device_bytes != kAll;
  }
  std::string text() const;
  std::shared_ptr<EmulatedFaults> faults() const;
  std::shared_ptr<QueryDevice> device(const std::shared_ptr<EmulatedFaults>& faults) const;
  QueryOptions options(const Query& query, std::shared_ptr<QueryDevice> device) const;
};

/// 0: kernels start for nothing and pass rows on for little, but to read bytes is dear; others are
/// at random.
GpuQueryRates rates_of(std::uint64_t number);

/// A plan of the conditions on rows of the query's first table, in a random order and with random
/// connectors: of one kind, or where `seed` divides by four of all kinds.
std::string random_plan(const Query& query, std::uint64_t seed);

/// Returns all combinations of what a test says after "run". With `takes_few` there are fewer that
/// differ only in how much memory there is.
std::vector<QueryRun> runs_of(const QueryTest& test, bool takes_few);

}  // namespace presso::test
