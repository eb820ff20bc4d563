// SPDX-License-Identifier: MIT
// Keys of many shapes for both sides of a join, and which rows belong together by a plain map.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "query/join/join_table.h"

namespace presso::query::join::test {

using Words = std::vector<std::uint64_t>;

struct JoinCase {
  std::string name;
  Words build;
  Words probe;
  Words build_validity;  ///< empty: no nulls
  Words probe_validity;

  BuildKeys build_keys() const {
    return {build, build_validity.empty() ? nullptr : build_validity.data()};
  }
  const std::uint64_t* probe_bits() const {
    return probe_validity.empty() ? nullptr : probe_validity.data();
  }
};

/// Ranks 0 to limit - 1, the first ones more often: rank r in proportion to 1 / (r + 1)^exponent.
Words zipf_keys(std::size_t count, std::uint32_t limit, double exponent, std::uint64_t seed);
/// A bit for each of `count` rows, set but for one of `one_in`.
Words some_bits(std::size_t count, std::uint32_t one_in, std::uint64_t seed);

/// Dense, strided, random, skewed, equal, none at all, extremes; with and without nulls, sorted and
/// not.
std::vector<JoinCase> join_cases(std::size_t build_rows, std::size_t probe_rows);

/// The rows of the build side for each row of the probe side.
std::vector<std::vector<std::uint32_t>> expected_rows(const JoinCase& which);

}  // namespace presso::query::join::test
