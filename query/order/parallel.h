// SPDX-License-Identifier: MIT
// Steps of sorting that threads do side by side.
// Tested by tests/unit/query/order/ordering_test.cpp.
#pragma once

#include "presso/ordered_pipeline.h"

namespace presso::query {

/// Calls `work(i)`, which gives a Status, for i below `count`, each by one of the threads. The
/// first error ends it.
template <class Work>
Status for_each_in_parallel(std::size_t count, unsigned threads, const Work& work) {
  std::size_t next = 0;
  return run_ordered<std::size_t, Status>(
      {threads, 0},
      [&]() -> Result<std::optional<std::size_t>> {
        if (next == count) return std::optional<std::size_t>();
        return std::optional<std::size_t>(next++);
      },
      [&](std::size_t i, unsigned) {
        return without_bad_alloc([&]() -> Status { return work(i); });
      },
      [](Status status) -> Result<bool> {
        if (!status.ok()) return std::move(status.error());
        return true;
      });
}

}  // namespace presso::query
