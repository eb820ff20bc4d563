// SPDX-License-Identifier: MIT
// Results of window functions on their way back to the order of the input: in memory, where each
// goes to its place, or sorted by row number by way of files where they take more than their share.
// Tested through tests/unit/query/window/window_test.cpp.
#pragma once

#include <memory>
#include <span>

#include "query/window/window_call.h"

namespace presso::query {

/// The results of calls that were computed together.
class ResultStore {
 public:
  /// `schema`: a column for each call. `rows`: how many there will be. `share`: how many stores
  /// share the memory for results.
  static Result<std::unique_ptr<ResultStore>> make(const TableSchema& schema, std::uint64_t rows,
                                                   std::size_t share, const QueryOptions& options);
  virtual ~ResultStore() = default;
  /// Takes the results of a chunk. Strings are copied.
  virtual Status take(const WindowChunk& chunk, std::span<const WindowResult> results) = 0;
  /// Returns the results of the next `rows` rows of the input. Called after all were taken.
  virtual Result<ResultBatch> next(std::uint32_t rows) = 0;
};

}  // namespace presso::query
