// SPDX-License-Identifier: MIT
// Rows in which something must stand: the prefilter of regular expressions (scan/regex/prefilter.h)
// sweeps the text of all rows at once for the strings or bytes that every match has, and only rows
// with a candidate are tested. Rows without one cost what the sweep costs.
// Tested by tests/unit/scan/strings/string_test_test.cpp.
#pragma once

#include <memory>

#include "presso/cpu.h"
#include "scan/regex/prefilter.h"
#include "scan/strings/row_test.h"

namespace presso::query {

struct SweptPlan {
  scan_detail::PrefilterPlan prefilter;  ///< exists()
  /// If not 0, a candidate is a literal of so many bytes, and rows that hold one match.
  std::size_t exact_bytes = 0;
  std::string name;  ///< for describe()
};

/// `test` decides rows with a candidate, and single strings.
std::unique_ptr<const RowTest> make_swept(SweptPlan plan, std::unique_ptr<const RowTest> test,
                                          CpuLevel level);

}  // namespace presso::query
