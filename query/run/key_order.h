// SPDX-License-Identifier: MIT
// Finds out whether the keys of a table ascend from its first row to its last, as in a table that
// is sorted by them; a merge join is then possible. The evidence is zones (the least and greatest
// value) of row groups and the values of a few vectors spread over the table, so the answer may be
// wrong: only speed may depend on it, never correctness. Takes about a millisecond if zones do not
// decide at once. Tested by tests/unit/query/run/key_order_test.cpp.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "query/run/execution.h"

namespace presso::query {

/// Remembers what keys_ascend() has found for columns of a query's sources, so that each column is
/// sampled once. Thread-safe: a mutex is held while a column is sampled.
class KeyOrders {
 public:
  /// Returns what is known of `column`, numbered within its source, or calls `find` and remembers
  /// its answer.
  template <class Find>
  bool ascends(std::size_t source, std::size_t column, const Find& find) {
    const std::lock_guard lock(mutex_);
    const auto known = known_.find({source, column});
    if (known != known_.end()) return known->second;
    return known_[{source, column}] = find();
  }

 private:
  std::mutex mutex_;
  std::map<std::pair<std::size_t, std::size_t>, bool> known_;
};

/// Whether a join's keys, nodes of `input.query.input`, ascend in the rows of a source. Returns
/// false for several keys, for keys that are not a column of integers, dates or the like below
/// conversions, and for columns with NULLs.
bool keys_ascend(const RunInput& input, std::size_t source, const std::vector<NodeId>& keys);

}  // namespace presso::query
