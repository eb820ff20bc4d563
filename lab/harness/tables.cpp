// SPDX-License-Identifier: MIT
#include "lab/harness/tables.h"

#include <deque>
#include <iostream>
#include <sstream>

#include "lab/harness/files.h"
#include "presso/sql.h"

namespace presso::harness {

Result<Table> open_table(const std::string& path) {
  static std::deque<FdRandomAccess> files;
  PRESSO_ASSIGN(const FdRandomAccess file, open_file(path));
  return Table::open(files.emplace_back(file));
}

Result<Statement> statement_of(const std::string& text) {
  PRESSO_ASSIGN(const SqlQuery statement, parse_sql(text));
  std::vector<Table> tables;
  PRESSO_ASSIGN(Table first, open_table(statement.from.path));
  tables.push_back(std::move(first));
  for (const SqlJoin& join : statement.joins) {
    PRESSO_ASSIGN(Table other, open_table(join.source.path));
    tables.push_back(std::move(other));
  }
  return Statement{tables, Query::from(statement, text, tables)};
}

Result<Query> query_of(const std::vector<Table>& tables, const std::string& text) {
  if (text.starts_with("select ")) {
    PRESSO_ASSIGN(Statement statement, statement_of(text));
    return std::move(statement.query);
  }
  std::string where, group_by, aggregates;
  std::stringstream parts(text);
  std::getline(std::getline(std::getline(parts, where, '|'), group_by, '|'), aggregates);
  Query query = Query::from(tables);
  if (where.find_first_not_of(' ') != std::string::npos) query.where(where);
  if (group_by.find_first_not_of(' ') != std::string::npos) query.group_by(group_by);
  query.aggregate(aggregates);
  return query;
}

int measure_all(std::span<const std::string> texts,
                const std::function<Status(const std::string& text)>& measure) {
  int status = 0;
  for (const std::string& text : texts) {
    const Status done = measure(text);
    if (done.ok()) continue;
    std::cerr << text << ": " << done.error().message() << '\n';
    status = 1;
  }
  return status;
}

}  // namespace presso::harness
