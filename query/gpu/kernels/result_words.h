// SPDX-License-Identifier: MIT
// Numbers with a meaning of their own in what a query's kernels read and write. Code that is
// compiled at run time includes this header. Tests: tests/queries/one_table.txt.
#pragma once

#include <cstdint>

namespace presso::gpu {

/// A flag of Pipeline::code_begins: each code is its number.
constexpr std::uint32_t kCodesAreNumbers = std::uint32_t{1} << 31;
constexpr std::uint64_t kNoRowYet = ~std::uint64_t{0};  ///< the first row of a group without rows
// A table of groups that are found by their keys (group_table.cuh) has:
constexpr std::uint32_t kBucketKeys = 4;
constexpr std::uint64_t kNoKey = std::uint64_t{1} << 63;  ///< of a place that has no group
// Faults, which make all else that a kernel has written useless:
constexpr std::uint64_t kTableIsFull = 1;    ///< keys have found no place
constexpr std::uint64_t kKeyIsOutside = 2;   ///< of the range that zones give its column
constexpr std::uint64_t kRealIsOutside = 3;  ///< of what limbs hold (RealPart)
constexpr std::uint64_t kOtherForm = 4;      ///< a vector has a form that no directory has told

}  // namespace presso::gpu
