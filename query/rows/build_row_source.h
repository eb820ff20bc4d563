// SPDX-License-Identifier: MIT
// Hands out the row numbers of a build side, the table of a join that is kept in memory, 65,536 at
// a time as threads take them, after all other rows have been joined: right and full joins then
// give those rows that have found no partner. Tested through tests/unit/query/run/join_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "presso/error.h"
#include "query/rows/slices.h"

namespace presso::query {

/// The rows [first, first + count) of the build side of a stage.
struct BuildRows {
  std::size_t stage = 0;
  std::uint64_t first = 0;
  std::uint32_t count = 0;
};

/// Goes over all rows of one build side once, in ascending order, which is the order of such rows
/// in the answer. Not thread-safe.
class BuildRowSource {
 public:
  BuildRowSource(std::size_t stage, std::uint64_t rows) : stage_(stage), rows_(rows) {}
  /// Returns the next rows; nullopt at the end.
  Result<std::optional<BuildRows>> next() {
    if (at_ >= rows_) return std::optional<BuildRows>();
    const auto count = static_cast<std::uint32_t>(std::min<std::uint64_t>(kSliceRows, rows_ - at_));
    at_ += count;
    return std::optional(BuildRows{stage_, at_ - count, count});
  }

 private:
  std::size_t stage_;
  std::uint64_t rows_;
  std::uint64_t at_ = 0;
};

}  // namespace presso::query
