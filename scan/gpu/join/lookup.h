// SPDX-License-Identifier: MIT
// Build rows by their keys, for kernels that look keys up beside other work (scan/gpu/table): an
// array over the range of keys, or one table of keys. Keys are 64-bit images of values. Trivially
// copyable, host and device.
#pragma once

#include <cstdint>
#include <optional>

#include "presso/device_join.h"

namespace presso::gpu {

struct Lookup {
  std::uint32_t* places = nullptr;  ///< of key least + i: a build row, or kNoRow
  std::uint64_t least = 0;
  std::uint64_t last = 0;  ///< the greatest key minus least
  void* units = nullptr;   ///< where there are no places: of key_table.cuh
  std::uint32_t unit_count = 0;
  /// Of a build row: another one with its key, or kNoRow. nullptr: one of a key's rows will do.
  std::uint32_t* next = nullptr;
};

/// Which of the two it is, and how much device memory it takes.
class LookupPlan {
 public:
  /// The build side's keys are between these; nothing: that is not known.
  struct Range {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
  };
  /// `rows`: at most kMostLookupRows.
  LookupPlan(std::uint64_t rows, const std::optional<Range>& range);

  bool is_array() const { return places_ != 0; }
  std::uint64_t places() const { return places_; }
  std::uint64_t bytes() const { return bytes_; }
  /// `memory`: so many bytes, at a multiple of 256.
  Lookup at(void* memory) const;

 private:
  std::uint64_t places_ = 0;  ///< of an array
  std::uint64_t least_ = 0;
  std::uint64_t units_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Whose table has units that 32 bits can number.
inline constexpr std::uint64_t kMostLookupRows = (std::uint64_t{1} << 31) - 2;

}  // namespace presso::gpu
