// SPDX-License-Identifier: MIT
// Rows in which something must stand: the text of all rows is swept for it at once (text_sweep.h),
// and only rows with a place are tested. Rows without one cost what the sweep costs. Of several
// things that must stand there the first text that is searched says which is the rarest; where it
// is common all the same, or few rows are alive, rows are tested one by one. Tested by
// tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "presso/cpu.h"
#include "query/strings/row_test.h"
#include "query/strings/text_sweep.h"

namespace presso::query {

struct SweptPlan {
  std::vector<TextSweep> sweeps;  ///< at least one
  std::string name;               ///< for describe()
};

/// `test` decides rows with a place, and single strings.
std::unique_ptr<const RowTest> make_swept(SweptPlan plan, std::unique_ptr<const RowTest> test,
                                          CpuLevel level);
/// For rows that hold these literals one behind another; `test` says the same of a string.
/// plan.sweeps[i] is for literals[numbers[i]].
std::unique_ptr<const RowTest> make_swept_in_order(SweptPlan plan,
                                                   const std::vector<std::string>& literals,
                                                   std::vector<std::size_t> numbers,
                                                   std::unique_ptr<const RowTest> test,
                                                   CpuLevel level);

}  // namespace presso::query
