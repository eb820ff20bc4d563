// SPDX-License-Identifier: MIT
// Rows of a build side that come out when all others have been joined, a slice's number at a time,
// as threads take them. Tested through tests/unit/query/run/join_test.cpp.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "presso/error.h"
#include "query/rows/slices.h"

namespace presso::query {

struct BuildRows {
  std::size_t stage = 0;
  std::uint64_t first = 0;
  std::uint32_t count = 0;
};

class BuildRowSource {
 public:
  BuildRowSource(std::size_t stage, std::uint64_t rows) : stage_(stage), rows_(rows) {}
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
