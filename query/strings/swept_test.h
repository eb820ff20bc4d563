// SPDX-License-Identifier: MIT
// Tests for rows in which something must stand: the text of all rows is swept for it at once
// (text_sweep.h), and only rows with a hit are tested. Rows without a hit cost only the sweep. If
// several things must stand there, the first text that is searched shows which is the rarest. Where
// even that one is common, or few rows are alive, rows are tested one by one. Tested by
// tests/unit/query/strings/string_test_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "presso/cpu.h"
#include "query/strings/row_test.h"
#include "query/strings/text_sweep.h"

namespace presso::query {

/// What can be swept for.
struct SweptPlan {
  std::vector<TextSweep> sweeps;  ///< at least one
  std::string name;               ///< for describe()
};

/// `test` decides about rows with a hit, and about single strings.
std::unique_ptr<const RowTest> make_swept(SweptPlan plan, std::unique_ptr<const RowTest> test,
                                          CpuLevel level);
/// For rows that hold these literals in this order; `test` says the same of a single string.
/// plan.sweeps[i] sweeps for literals[numbers[i]], so a hit need not be looked for again.
std::unique_ptr<const RowTest> make_swept_in_order(SweptPlan plan,
                                                   const std::vector<std::string>& literals,
                                                   std::vector<std::size_t> numbers,
                                                   std::unique_ptr<const RowTest> test,
                                                   CpuLevel level);

}  // namespace presso::query
