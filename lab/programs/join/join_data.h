// SPDX-License-Identifier: MIT
// Keys for both sides of a join of given sizes, repeats, skew and order, and how many pairs of rows
// have equal keys, counted while they are made.
#pragma once

#include <cstdint>
#include <vector>

namespace presso::bench {

enum class KeyOrder { kSorted, kShuffled };

struct JoinDataOptions {
  std::uint64_t build_rows = 1'500'000;
  std::uint64_t probe_rows = 6'000'000;
  std::uint64_t duplicates = 1;  ///< rows of the build side for each distinct key
  double zipf = 0;               ///< above 0: skew of the build side, in place of `duplicates`
  double match = 1;              ///< share of the probe rows that have a match
  std::uint64_t key_range = 0;   ///< keys are spread evenly below this; 0: random words
  KeyOrder build_order = KeyOrder::kSorted;
  KeyOrder probe_order = KeyOrder::kSorted;
};

struct JoinData {
  std::vector<std::uint64_t> build;
  std::vector<std::uint64_t> probe;
  std::uint64_t pairs = 0;
  std::uint64_t matches = 0;  ///< probe rows that have a match
};

JoinData make_join_data(const JoinDataOptions& options);

}  // namespace presso::bench
