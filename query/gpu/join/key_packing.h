// SPDX-License-Identifier: MIT
// Several key columns as one number of 32 or 64 bits: how they are packed, and the arguments of the
// kernels that do so. Trivially copyable structs for host and device; no CUDA. Tested by
// tests/simt/device_joiner_keys_test.cpp.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "presso/device_join.h"
#include "query/gpu/join/lookup.h"

namespace presso::gpu {

/// A key column of one side, which becomes (key - least) * factor.
struct KeyPart {
  const void* d_keys = nullptr;  ///< the column, at a multiple of the size of its values
  const std::uint32_t* d_valid = nullptr;
  std::uint32_t key_bytes = 8;  ///< 4 or 8
  std::uint64_t least = 0;      ///< the bits of the least build key
  std::uint64_t last = 0;       ///< the greatest build key minus the least one
  std::uint64_t factor = 0;
};

/// One side's columns that become one.
struct PackedKeys {
  KeyPart parts[kMostJoinKeys];
  std::uint32_t part_count = 0;
  std::uint32_t rows = 0;
  const std::uint32_t* d_selected = nullptr;
  // Results. Keys are written only for rows whose bit is set in d_valid.
  void* d_keys = nullptr;
  std::uint32_t key_bytes = 8;  ///< 4 or 8
  /// A bit for each row, in whole words: the row is selected, and all its keys exist and lie in
  /// their ranges.
  std::uint32_t* d_valid = nullptr;
};

/// One side's keys of 64 bits, which become numbers.
struct NumberedSide {
  JoinRows rows;
  /// Written for each row: kNoRow if it takes no part or its key has no number.
  std::uint32_t* d_numbers = nullptr;
};

/// Arguments for numbering both sides. A key's number is one of the build rows that have it.
struct KeyNumbers {
  Lookup lookup;  ///< the lookup of the build side's keys, which is not built yet
  JoinTotals* d_totals = nullptr;
  NumberedSide build;
  NumberedSide probe;
};

/// The factors of a mixed-radix number. `last` is the greatest number.
struct KeyFactors {
  std::vector<std::uint64_t> factors;
  std::uint64_t last = 0;  ///< the greatest sum
};
/// Returns factors for columns whose greatest key minus the least one is lasts[i]. Rows with
/// different keys have different sums, which ascend as the keys do, the first column counting most.
/// Nothing if the greatest sum takes more than 64 bits.
std::optional<KeyFactors> choose_factors(const std::vector<std::uint64_t>& lasts);

}  // namespace presso::gpu
