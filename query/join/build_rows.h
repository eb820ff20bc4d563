// SPDX-License-Identifier: MIT
// What all join tables share while they are built: walking over the rows of a build side that have
// a key, dividing rows among threads, sizes of tables, and the check that memory suffices. Internal
// to this room; tested through tests/unit/query/join/join_table_test.cpp.
#pragma once

#include <algorithm>

#include "presso/error.h"
#include "query/group/column.h"
#include "query/join/join_table.h"
#include "query/values/vector.h"

namespace presso::query::join {

using grouping::Column;

/// Returns the bytes that a Column with `count` values takes, which is what predict() adds up.
template <class T>
std::uint64_t column_bytes(std::uint64_t count) {
  return Column<T>().growth_bytes(static_cast<std::size_t>(count));
}

/// Calls take(key, row) for the rows in [first, end) that have a key, in ascending order.
template <class Take>
void for_each_key(const BuildKeys& keys, std::uint64_t first, std::uint64_t end, Take&& take) {
  if (keys.validity == nullptr) {
    for (std::uint64_t row = first; row < end; ++row) {
      take(keys.keys[row], static_cast<std::uint32_t>(row));
    }
    return;
  }
  for (std::uint64_t row = first; row < end; ++row) {
    if (has_bit(keys.validity, row)) take(keys.keys[row], static_cast<std::uint32_t>(row));
  }
}

/// Everything that a strategy is built from. `facts.unique` is what is known so far: true only if
/// the keys ascend strictly.
struct BuildInput {
  const JoinTablePlan& plan;
  const BuildKeys& keys;
  JoinKeyFacts facts;
  std::uint64_t rows() const { return facts.rows; }
};

using BuildResult = Result<std::unique_ptr<JoinTable>>;

/// Returns kOutOfMemory, with all buffers in its text, if `memory` is more than the plan allows.
Status check_memory(const JoinTablePlan& plan, const JoinMemory& memory);

/// Computes the facts of the keys in one pass, on all threads. That keys are unique is recognised
/// only if they ascend; otherwise the table finds it out.
Result<JoinKeyFacts> facts_of(const BuildKeys& keys, unsigned threads);

/// Returns where part `part` of `parts` of a range of rows begins: a multiple of 64, so that two
/// threads never write to one word of a bitmap, or the end.
inline std::uint64_t part_begin(std::uint64_t rows, std::uint64_t part, std::uint64_t parts) {
  const std::uint64_t words = (rows + 63) / 64;
  return std::min(rows, words * part / parts * 64);
}

/// Returns the least n, from 0 to 32, for which 2^n is at least `count`.
inline unsigned bits_for(std::uint64_t count) {
  unsigned bits = 0;
  while ((std::uint64_t{1} << bits) < count) ++bits;
  return bits;
}

}  // namespace presso::query::join
