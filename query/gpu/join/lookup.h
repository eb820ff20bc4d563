// SPDX-License-Identifier: MIT
// Build rows by their keys, for kernels that look keys up among other work (query/gpu/table): an
// array over the range of keys, one table of keys, or ascending keys. LookupPlan chooses one of
// them for presso sql and presso join, whose tables query/gpu/table/pipeline_joins.cpp joins;
// device_join_plan.h chooses for the library's DeviceJoiner only. Keys are 64-bit images of
// values. Trivially copyable structs for host and device; building is in build_lookup.h. Tested by
// tests/simt/ascending_lookup_test.cpp and tests/queries/ascending_keys.txt.
#pragma once

#include <cstdint>
#include <optional>

#include "presso/device_join.h"
#include "query/gpu/join/lookup_arrays.h"

namespace presso::gpu {

/// Decides the form, and how much device memory it takes.
class LookupPlan {
 public:
  /// The least and greatest key of the build side; absent if unknown.
  struct Range {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
  };
  /// Whether the places of an array for this range can be numbered at all.
  static bool may_be_array(const std::optional<Range>& range);

  /// `rows` is at most kMostLookupRows. `form` is used if it is possible; without it the form that
  /// is probably fastest is chosen.
  LookupPlan(std::uint64_t rows, const std::optional<Range>& range,
             std::optional<LookupForm> form = std::nullopt);

  LookupForm form() const { return form_; }
  /// Places of an array; 0 for other forms.
  std::uint64_t places() const { return places_; }
  std::uint64_t bytes() const { return bytes_; }
  /// Returns the lookup at `memory`, which has bytes() bytes at a multiple of 256.
  Lookup at(void* memory) const;

 private:
  LookupForm form_ = LookupForm::kTable;
  /// Places of an array; 0 for other forms.
  std::uint64_t places_ = 0;
  std::uint64_t least_ = 0;
  std::uint64_t units_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Results of checking keys that should ascend.
struct AscendingFacts {
  std::uint32_t repeats = 0;
  std::uint32_t descends = 0;  ///< a key is less than the one before it, so they cannot be searched
};

/// The build rows from which a lookup of ascending keys is made. Device memory.
struct AscendingBuild {
  const std::uint64_t* keys = nullptr;  ///< the key of each row
  /// For each row its number in the table, which no other row has; null: rows are in order.
  const std::uint64_t* numbers = nullptr;
  std::uint64_t most_numbers = 0;   ///< all numbers are below this
  std::uint32_t count = 0;          ///< the number of rows
  void* memory = nullptr;           ///< ordering_bytes() bytes, needed while it is made
  AscendingFacts* facts = nullptr;  ///< written
};

/// Returns the device memory for putting rows in order whose numbers are below `most_numbers`.
std::uint64_t ordering_bytes(std::uint64_t most_numbers);

/// The most rows of a table whose units 32 bits can number.
inline constexpr std::uint64_t kMostLookupRows = (std::uint64_t{1} << 31) - 2;

}  // namespace presso::gpu
