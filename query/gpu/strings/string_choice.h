// SPDX-License-Identifier: MIT
// By which kernel the rows of a token column are tested fastest: what each would do with a few
// rows, times what that takes, measured (gpu-strings.csv). Where every row is walked it counts how
// soon rows are decided and how much longer the longest of 32 rows is, where they are swept how
// many are suspects. Host code. Tested by tests/unit/query/gpu/string_choice_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "query/gpu/strings/string_table.h"

namespace presso::gpu {

/// Rows that a choice looks at, the first of a column; some 0.1 ms.
constexpr std::uint32_t kSampleRows = 4096;

struct StringSample {
  std::vector<std::uint32_t> counts;  ///< of each row's codes
  std::vector<std::uint16_t> codes;   ///< of all these rows; less than kMaxTokens
};

/// A layout that has room for the automaton. A sample without rows stands for nothing known.
StringLayout choose_layout(const TokenFunctions& functions, const StringSample& sample);

}  // namespace presso::gpu
