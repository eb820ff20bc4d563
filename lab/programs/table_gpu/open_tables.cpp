// SPDX-License-Identifier: MIT
#include "lab/programs/table_gpu/open_tables.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <iostream>

#include "presso/sql.h"

namespace presso {
namespace {

std::vector<std::string> parts_of(const std::string& query) {
  std::vector<std::string> parts(1);
  for (const char letter : query) {
    if (letter == '|') {
      parts.emplace_back();
    } else {
      parts.back() += letter;
    }
  }
  parts.resize(3);
  return parts;
}

}  // namespace

Result<Table> OpenTables::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat about {};
  if (fd < 0 || fstat(fd, &about) != 0) {
    return make_error(ErrorCode::kIo, path + " cannot be read");
  }
  files_.push_back(std::make_unique<FdRandomAccess>(fd, static_cast<std::uint64_t>(about.st_size)));
  return Table::open(*files_.back());
}

Result<Statement> statement_of(OpenTables& files, const std::string& text) {
  PRESSO_ASSIGN(const SqlQuery statement, parse_sql(text));
  std::vector<Table> tables;
  PRESSO_ASSIGN(Table first, files.open(statement.from.path));
  tables.push_back(std::move(first));
  for (const SqlJoin& join : statement.joins) {
    PRESSO_ASSIGN(Table other, files.open(join.source.path));
    tables.push_back(std::move(other));
  }
  return Statement{tables, Query::from(statement, text, tables)};
}

Result<Query> query_of(OpenTables& files, const Table& table, const std::string& text) {
  if (text.rfind("select ", 0) == 0) {
    PRESSO_ASSIGN(Statement statement, statement_of(files, text));
    return std::move(statement.query);
  }
  const std::vector<std::string> parts = parts_of(text);
  Query query = Query::from(table);
  if (parts[0].find_first_not_of(' ') != std::string::npos) query.where(parts[0]);
  if (parts[1].find_first_not_of(' ') != std::string::npos) query.group_by(parts[1]);
  query.aggregate(parts[2]);
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

}  // namespace presso
