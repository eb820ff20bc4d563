// SPDX-License-Identifier: MIT
// Tables and queries of the programs that measure queries on a GPU.
#pragma once

#include <memory>
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

}  // namespace presso
