// SPDX-License-Identifier: MIT
// If memory does not suffice for all groups, a query runs once for each part of its keys
// (GroupingPlan::part). This removes from a vector the rows whose keys belong to another part:
// codes, arguments and row numbers are compacted together. Later steps need not know of parts.
// Tested by tests/unit/query/group/grouping_test.cpp.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "presso/byte_stream.h"
#include "query/group/grouping.h"
#include "query/values/hash.h"

namespace presso::query::grouping {

/// Rows on their way to their groups.
struct InputRows {
  RowNumbers numbers;
  std::span<const VectorView> arguments;
  std::uint32_t count = 0;
};

/// Chooses the rows of a part, with scratch memory for one thread. Kept rows need explicit numbers,
/// as they are no longer consecutive.
class RowParts {
 public:
  /// Keeps the rows whose hashes fall into the part; `codes` and `hashes` are compacted in place.
  /// Views of the result are valid until the next call.
  template <class Key>
  InputRows select(const InputRows& rows, std::uint32_t part, std::uint32_t parts, Key* codes,
                   std::uint64_t* hashes) {
    std::uint32_t kept = 0;
    for (std::uint32_t i = 0; i < rows.count; ++i) {
      places_[kept] = static_cast<std::uint16_t>(i);
      codes[kept] = codes[i];
      hashes[kept] = hashes[i];
      kept += part_of(hashes[i], parts) == part ? 1 : 0;
    }
    return gather(rows, kept);
  }

 private:
  struct Gathered {
    Buffer values;
    std::array<std::uint64_t, kBatchWords> validity;
  };
  InputRows gather(const InputRows& rows, std::uint32_t kept);
  VectorView gather(const VectorView& view, std::uint32_t kept, Gathered& to) const;

  std::array<std::uint16_t, kBatchRows> places_;
  std::array<std::uint64_t, kBatchRows> numbers_;
  std::vector<Gathered> gathered_;
  std::vector<VectorView> views_;
};

}  // namespace presso::query::grouping
