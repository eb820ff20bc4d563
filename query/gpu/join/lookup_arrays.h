// SPDX-License-Identifier: MIT
// What kernels read of build sides in device memory: lookups of their keys (lookup.h makes them),
// and values of their rows. It includes nothing but what code that is compiled at run time may
// include. Trivially copyable, for host and device. Tests: tests/queries/joins.txt.
#pragma once

#include <cstdint>

#include "presso/no_row.h"

namespace presso::gpu {

/// Lookups and arrays of a query, at most.
constexpr std::uint32_t kMostLookups = 8;
constexpr std::uint32_t kMostRowArrays = 16;

/// How build rows are found.
enum class LookupForm : std::uint8_t {
  kArray,      ///< a place for each key of a range (key_array.cuh)
  kTable,      ///< one hash table of keys (key_table.cuh)
  kAscending,  ///< keys that ascend as signed numbers and are searched (key_search.cuh)
};

/// A lookup in device memory, as kernels take it.
struct Lookup {
  /// For an array: the build row of key least + i, or kNoRow. For ascending keys: the row of each.
  std::uint32_t* places = nullptr;
  std::uint64_t least = 0;
  std::uint64_t last = 0;        ///< the greatest key minus the least one
  void* units = nullptr;         ///< for a table: its units; for ascending keys: the keys
  std::uint32_t unit_count = 0;  ///< for ascending keys: the number of rows
  LookupForm form = LookupForm::kTable;
  /// For each build row another row with the same key, or kNoRow. nullptr if one row of a key is
  /// enough.
  std::uint32_t* next = nullptr;
};

/// A value for each row of a build side, or for each value of a column.
struct RowArray {
  void* values = nullptr;
  std::uint32_t count = 0;  ///< the number of values that are read
  bool is_wide = false;     ///< 64 bits, else 32, signed
};

}  // namespace presso::gpu
