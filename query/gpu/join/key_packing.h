// SPDX-License-Identifier: MIT
// Several columns of keys as one number of 32 or 64 bits: how they are packed, and what the kernels
// that do so are given. Trivially copyable structs of device memory, host and device; no CUDA.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/device_join.h"
#include "query/gpu/join/lookup.h"

namespace presso::gpu {

/// A column of keys of one side, which becomes (key - least) * factor.
struct KeyPart {
  const void* d_keys = nullptr;  ///< at a multiple of their size
  const std::uint32_t* d_valid = nullptr;
  std::uint32_t key_bytes = 8;  ///< 4 or 8
  std::uint64_t least = 0;      ///< the bits of the least build key
  std::uint64_t last = 0;       ///< the greatest build key minus the least one
  std::uint64_t factor = 0;
};

/// One side's columns on their way to one.
struct PackedKeys {
  KeyPart parts[kMostJoinKeys];
  std::uint32_t part_count = 0;
  std::uint32_t rows = 0;
  const std::uint32_t* d_selected = nullptr;
  // What is written.
  void* d_keys = nullptr;       ///< of rows whose bit is set
  std::uint32_t key_bytes = 8;  ///< 4 or 8
  /// A bit a row, whole words: the row is selected, and all its keys are there and in their ranges.
  std::uint32_t* d_valid = nullptr;
};

/// Keys of 64 bits of one side, which become numbers.
struct NumberedSide {
  JoinRows rows;
  /// Written, by row: kNoRow where it takes no part, or its key has no number.
  std::uint32_t* d_numbers = nullptr;
};

/// A key's number is one of the build rows that have it.
struct KeyNumbers {
  Lookup lookup;  ///< of the build side's keys, not built yet
  JoinTotals* d_totals = nullptr;
  NumberedSide build;
  NumberedSide probe;
};

/// Factors for columns of which the greatest key minus the least one is `lasts`, so that rows with
/// other keys have other sums, which ascend as the keys do, the first column's first. Nothing: the
/// greatest sum takes more than 64 bits.
struct KeyFactors {
  std::vector<std::uint64_t> factors;
  std::uint64_t last = 0;  ///< the greatest sum
};
std::optional<KeyFactors> choose_factors(const std::vector<std::uint64_t>& lasts);

}  // namespace presso::gpu
