// SPDX-License-Identifier: MIT
// Chooses the kernel that probably tests the rows of a token column fastest. It runs the automaton
// over the first rows of the column on the CPU, counts what each kernel would do with them, and
// multiplies by measured times of an H100 (lab/results/gpu-strings.csv). Walking every row
// (row_walk.cuh) depends on how soon rows are decided and by how much the longest of 32 rows
// exceeds the others; sweeping (row_sweep.cuh) depends on how many rows are suspects. The choice
// affects time only, never the answer. Host code. Tested by
// tests/unit/query/gpu/string_choice_test.cpp.
#pragma once

#include <cstdint>
#include <vector>

#include "query/gpu/strings/string_table.h"

namespace presso::gpu {

/// The rows at the front of a column that a choice looks at; that takes about 0.1 ms.
constexpr std::uint32_t kSampleRows = 4096;

/// Rows of the column, and the codes of all of them one after another.
struct StringSample {
  std::vector<std::uint32_t> counts;  ///< the number of codes of each row
  std::vector<std::uint16_t> codes;   ///< codes of all these rows; less than kMaxTokens
};

/// Returns a layout that has room for the automaton: kSweep if that is estimated to be faster,
/// otherwise kClasses if it fits, otherwise kWide. Without rows in the sample, rows are walked.
StringLayout choose_layout(const TokenFunctions& functions, const StringSample& sample);

}  // namespace presso::gpu
