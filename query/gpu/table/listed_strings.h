// SPDX-License-Identifier: MIT
// Copies strings that were numbered in device memory (string_index.h) back to the host: those whose
// numbers occur among groups. Tested by tests/queries/strings.txt.
#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include "query/gpu/kernels/string_index.h"
#include "query/gpu/table/run_space.h"
#include "query/values/row_store.h"

namespace presso::gpu {

/// Strings by number, of those numbers only that are wanted.
class ListedStrings {
 public:
  /// Nothing is wanted.
  ListedStrings() = default;
  /// All numbers are below `limit`.
  explicit ListedStrings(std::uint32_t limit) : wanted_(limit / kBits + 1) {}

  void want(std::uint32_t number) { wanted_[number / kBits] |= bit_of(number); }
  /// Copies the strings that are wanted to `arena`. Waits. Errors: kUnsupported where there is too
  /// little device memory; kOutOfMemory, kDeviceLost.
  Status fetch(const RunSpace& space, const StringIndex& index, query::StringArena& arena);
  /// Of a number that was wanted, after fetch().
  query::StringRef at(std::uint32_t number) const {
    const std::uint64_t below = wanted_[number / kBits] & (bit_of(number) - 1);
    return strings_[before_[number / kBits] + static_cast<std::uint32_t>(std::popcount(below))];
  }

 private:
  static constexpr std::uint32_t kBits = 64;
  static std::uint64_t bit_of(std::uint32_t number) { return std::uint64_t{1} << number % kBits; }
  std::vector<std::uint32_t> numbers();

  std::vector<std::uint64_t> wanted_;      ///< bits by number
  std::vector<std::uint32_t> before_;      ///< bits before each word
  std::vector<query::StringRef> strings_;  ///< of the bits, in their order
};

}  // namespace presso::gpu
