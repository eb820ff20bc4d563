// SPDX-License-Identifier: MIT
// Expressions of one column with few different values: the CPU computes them once for each value,
// and a program on the GPU looks the results up. This gives years of dates, and any test of
// dictionary strings, without kernels for them (dictionary predicates of source L20, extended to
// all expressions). Host code that knows no device. Tested by tests/queries/one_table.txt.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "query/compute/graph.h"
#include "query/rows/key_codes.h"

namespace presso::gpu {

/// What values an expression's column has.
struct ValueDomain {
  std::size_t column = 0;  ///< of the graph
  bool nullable = false;   ///< then the expression must be null where the column is
  // Integers:
  std::int64_t least = 0;
  std::uint64_t count = 0;
  /// Strings, in place of integers: by number, and null_number().
  const query::KeyCodes* codes = nullptr;
};

struct ExpressionValues {
  std::vector<std::int64_t> values;  ///< by value from the least on, or by the number of a string
  bool has_nulls = false;            ///< some are null though the column is not; they are 0
};

/// Nothing where the expression has a value though the column has none, where it fails for a value,
/// and where it is null for one though no step may fail: then it is rather computed.
std::optional<ExpressionValues> values_of_expression(const query::Graph& graph, query::NodeId id,
                                                     const ValueDomain& domain);

/// Such an array of a pipeline.
struct ValueTable {
  Byte array = 0;  ///< of Pipeline::arrays
  std::vector<std::int64_t> values;
  bool is_wide = false;  ///< some need 64 bits, else all have 32, signed
};

}  // namespace presso::gpu
