// SPDX-License-Identifier: MIT
// Numbers of strings for a query, by column: each is made once, whoever asks for it (KeyCodes).
// Tested through tests/simt/query_on_gpu_test.cpp.
#pragma once

#include <map>
#include <memory>

#include "scan/query/execution.h"
#include "scan/query/key_codes.h"

namespace presso::gpu {

class ColumnCodes {
 public:
  /// Of the whole query, not of a build side: kept by reference. What is read counts for it.
  explicit ColumnCodes(query::Execution& execution) : execution_(execution) {}

  /// Numbers that there are already; kept by reference.
  void know(std::size_t column, const query::KeyCodes& codes) { known_[column] = &codes; }
  /// `column`: of BoundQuery::columns. nullptr: it is not stored as a dictionary everywhere, and
  /// its table has too many rows; or its strings take too much memory. Errors: those of reading.
  Result<const query::KeyCodes*> of(std::size_t column);

 private:
  Result<std::unique_ptr<query::KeyCodes>> make(std::size_t column) const;

  query::Execution& execution_;
  std::map<std::size_t, const query::KeyCodes*> known_;
  std::vector<std::unique_ptr<query::KeyCodes>> own_;
};

}  // namespace presso::gpu
