// SPDX-License-Identifier: MIT
// Tables and queries of the programs that measure queries on a GPU.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "presso/query.h"

namespace presso {

/// Tables in files that stay open.
class OpenTables {
 public:
  Result<Table> open(const std::string& path);

 private:
  std::vector<std::unique_ptr<FdRandomAccess>> files_;
};

/// A statement of SQL, with its tables.
struct Statement {
  std::vector<Table> tables;
  Query query;
};
Result<Statement> statement_of(OpenTables& files, const std::string& text);

/// `text`: "WHERE | GROUP BY | AGGREGATES" of `table`, or a statement of SQL.
Result<Query> query_of(OpenTables& files, const Table& table, const std::string& text);

/// Measures one after another, and says what went wrong with which; returns the exit status.
int measure_all(std::span<const std::string> texts,
                const std::function<Status(const std::string& text)>& measure);

}  // namespace presso
