// SPDX-License-Identifier: MIT
// Build rows by their keys, for kernels that look keys up beside other work (query/gpu/table): an
// array over the range of keys, one table of keys, or keys that ascend. Keys are 64-bit images of
// values. Trivially copyable, host and device.
#pragma once

#include <cstdint>
#include <optional>

#include "presso/device_join.h"

namespace presso::gpu {

enum class LookupForm : std::uint8_t {
  kArray,      ///< a place for each key of a range
  kTable,      ///< one table of keys, open addressing
  kAscending,  ///< keys that ascend, as signed numbers, and are searched
};

struct Lookup {
  /// An array: of key least + i the build row, or kNoRow. Ascending keys: the row of each.
  std::uint32_t* places = nullptr;
  std::uint64_t least = 0;
  std::uint64_t last = 0;        ///< the greatest key minus least
  void* units = nullptr;         ///< a table: of key_table.cuh; ascending: the keys
  std::uint32_t unit_count = 0;  ///< ascending: as many as there are rows
  LookupForm form = LookupForm::kTable;
  /// Of a build row: another one with its key, or kNoRow. nullptr: one of a key's rows will do.
  std::uint32_t* next = nullptr;
};

/// Which form it has, and how much device memory it takes.
class LookupPlan {
 public:
  /// The build side's keys are between these; nothing: that is not known.
  struct Range {
    std::uint64_t least = 0;
    std::uint64_t most = 0;
  };
  /// Whether an array of the range can be numbered at all.
  static bool may_be_array(const std::optional<Range>& range);

  /// `rows`: at most kMostLookupRows. `form`: that is asked for, where it can be had; none: what is
  /// probably fastest.
  LookupPlan(std::uint64_t rows, const std::optional<Range>& range,
             std::optional<LookupForm> form = std::nullopt);

  LookupForm form() const { return form_; }
  std::uint64_t places() const { return places_; }
  std::uint64_t bytes() const { return bytes_; }
  /// `memory`: so many bytes, at a multiple of 256.
  Lookup at(void* memory) const;

 private:
  LookupForm form_ = LookupForm::kTable;
  std::uint64_t places_ = 0;  ///< of an array
  std::uint64_t least_ = 0;
  std::uint64_t units_ = 0;
  std::uint64_t bytes_ = 0;
};

/// What is found of ascending keys.
struct AscendingFacts {
  std::uint32_t repeats = 0;
  std::uint32_t descends = 0;  ///< a key is less than the one before it: they cannot be searched
};

/// Build rows of which a lookup of ascending keys is made. Device memory.
struct AscendingBuild {
  const std::uint64_t* keys = nullptr;  ///< by row
  const std::uint64_t* numbers =
      nullptr;                      ///< by row: in the table, each once; or null: as they are
  std::uint64_t most_numbers = 0;   ///< numbers are below
  std::uint32_t count = 0;          ///< of rows
  void* memory = nullptr;           ///< ordering_bytes(), while that is done
  AscendingFacts* facts = nullptr;  ///< are set
};

/// Device memory to put rows in order whose numbers are below `most_numbers`.
std::uint64_t ordering_bytes(std::uint64_t most_numbers);

/// Whose table has units that 32 bits can number.
inline constexpr std::uint64_t kMostLookupRows = (std::uint64_t{1} << 31) - 2;

}  // namespace presso::gpu
