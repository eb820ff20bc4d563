// SPDX-License-Identifier: MIT
// Whether the keys of a table ascend from its first row to its last, as those of a table that is
// sorted by them do. Told from what zones say of row groups and files, and from the values of a few
// vectors between the first and the last row, so it may be wrong: only speed must depend on it.
// Takes about a millisecond where zones do not tell at once.
// Tested by tests/unit/query/run/key_order_test.cpp.
#pragma once

#include <map>
#include <mutex>
#include <utility>

#include "query/run/execution.h"

namespace presso::query {

/// What keys_ascend() has found of columns of a query's sources, so that each is sampled once,
/// whoever asks. Thread-safe.
class KeyOrders {
 public:
  /// `column`: of the source. `find`: finds it where it is not known yet.
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

/// Of a join's keys, nodes of `input.query.input`, in the rows of a source. False for several
/// keys, keys that are not a column of integers, dates or the like below conversions, and columns
/// with nulls.
bool keys_ascend(const RunInput& input, std::size_t source, const std::vector<NodeId>& keys);

}  // namespace presso::query
