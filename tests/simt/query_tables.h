// SPDX-License-Identifier: MIT
// The tables of tests/queries by their names, made when a statement first asks for one.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "presso/query.h"

namespace presso::test {

/// How a table is made, as tests/queries/README.md says it.
struct TableRecipe {
  std::string maker;  ///< "columns", or one of the makers there
  std::uint32_t rows = 0;
  std::uint32_t group_rows = 0;
  std::size_t times = 1;                  ///< what columns call so
  bool grows = false;                     ///< rows are for one time
  std::vector<std::string> columns = {};  ///< lines of column_maker.h
  std::vector<std::string> files =
      {};  ///< names of the tables whose rows these are, one after another
};

class QueryTables {
 public:
  explicit QueryTables(std::map<std::string, TableRecipe> recipes);
  ~QueryTables();

  /// Returns the files of a table. None, and a failure of the test, where there is no such table.
  std::vector<Table> files(const std::string& name);
  /// Names of the tables that a statement reads, each once.
  static std::vector<std::string> names_in(const std::string& statement);
  Query query_of(const std::string& statement);

 private:
  struct Made;
  const Made& made(const std::string& name);

  std::map<std::string, TableRecipe> recipes_;
  std::map<std::string, std::shared_ptr<const Made>> tables_;
};

}  // namespace presso::test
