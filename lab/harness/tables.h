// SPDX-License-Identifier: MIT
// Tables and queries of the programs that measure queries.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "presso/query.h"

namespace presso::harness {

/// Opens a table file, which stays open until the process ends.
Result<Table> open_table(const std::string& path);

/// A statement of SQL, with its tables.
struct Statement {
  std::vector<Table> tables;
  Query query;
};
Result<Statement> statement_of(const std::string& text);

/// `text`: "WHERE | GROUP BY | AGGREGATES" of `tables`, or a statement of SQL.
Result<Query> query_of(const std::vector<Table>& tables, const std::string& text);

/// Measures one after another, and says what went wrong with which; returns the exit status.
int measure_all(std::span<const std::string> texts,
                const std::function<Status(const std::string& text)>& measure);

}  // namespace presso::harness
