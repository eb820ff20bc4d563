// SPDX-License-Identifier: MIT
// Which columns a question can need, so that the others of a Parquet or Arrow file are not read.
// Tested by tests/cli/test_parquet.py.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "presso/statement.h"

namespace presso::cli {

/// The names that a question has, in lower case.
class NeededColumns {
 public:
  /// All columns are needed.
  NeededColumns() = default;
  explicit NeededColumns(const SqlStatement& question) : names_(columns_named(question)) {}

  /// The name of a field, `a.b`, may have been written as a whole or in parts.
  bool needs(const std::string& column) const;

 private:
  std::optional<std::set<std::string>> names_;
};

}  // namespace presso::cli
