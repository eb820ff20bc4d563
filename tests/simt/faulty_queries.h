// SPDX-License-Identifier: MIT
// Queries on an emulated GPU of which one allocation or launch after another fails.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>

#include "tests/simt/emulated_query_device.h"
#include "tests/simt/queried_table.h"
#include "tests/support/sanitized.h"

namespace presso::test {

/// Nothing is left behind, and the answer is right where there is one, by the CPU. Of each kind of
/// fault more than `least_errors` are to be errors, or all where there are no more; where tests are
/// sanitized, and fewer faults are tried, one. Of more allocations or launches than `most_faults`
/// some fail, spread evenly.
inline void expect_faults_are_told(
    const Query& query, std::uint64_t least_errors, std::uint64_t most_faults,
    const std::function<QueryOptions(const std::shared_ptr<EmulatedFaults>&)>& options) {
  const auto whole = std::make_shared<EmulatedFaults>();
  const Answer right = answer_with(query, options(whole));
  ASSERT_EQ(right.summary.why_cpu, "");
  struct Fault {
    std::uint64_t count;
    std::uint64_t EmulatedFaults::*which;
    const char* message;
  };
  for (const Fault& fault :
       {Fault{whole->allocations, &EmulatedFaults::allocation, "out of device memory"},
        Fault{whole->pinned_allocations, &EmulatedFaults::pinned_allocation, "out of memory"},
        Fault{whole->launches, &EmulatedFaults::launch, "GPU failed"}}) {
    ASSERT_GE(fault.count, 3u);
    std::uint64_t errors = 0;
    for (std::uint64_t i = 0; i < fault.count;
         i += 1 + fault.count / (kIsSanitized ? 12 : most_faults)) {
      const auto faults = std::make_shared<EmulatedFaults>();
      (*faults).*fault.which = i;
      const Answer found = answer_with(query, options(faults));
      if (found.text.substr(0, 6) == "error:") {
        EXPECT_NE(found.text.find(fault.message), std::string::npos) << found.text;
        ++errors;
      } else {
        EXPECT_EQ(found.text, right.text);
        EXPECT_NE(found.summary.why_cpu, "");
      }
      EXPECT_EQ(faults->live_bytes, 0u);
      EXPECT_EQ(faults->live_handles, 0u);
    }
    EXPECT_GT(errors, kIsSanitized ? 0u : std::min(least_errors, fault.count - 1));
  }
}

}  // namespace presso::test
