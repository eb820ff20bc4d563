// SPDX-License-Identifier: MIT
// The files of tests/queries, whose form tests/queries/README.md describes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tests/simt/query_tables.h"

namespace presso::test {

/// Words after a key, by the key: what a test runs, or expects.
using Settings = std::map<std::string, std::string>;

struct QueryStatement {
  std::string text;
  Settings expected;  ///< over the test's
};

/// Alternatives for a {name} in statements.
using Alternatives = std::map<std::string, std::vector<std::string>>;

struct QueryTest {
  std::string name;
  int line = 0;
  /// "ROWS/GROUP_ROWS" for tables that have none, or the form of tables of the maker "keyed".
  std::vector<std::string> sizes;
  Settings runs;
  Settings expected;
  std::map<std::string, std::uint64_t> least;  ///< runs of a kind
  std::map<std::string, std::uint64_t> most;
  std::vector<QueryStatement> statements;
};

struct QueryFile {
  std::string name;
  std::string path;
  std::map<std::string, TableRecipe> tables;
  Alternatives alternatives;
  std::vector<QueryTest> tests;
};

/// What is wrong with a file is thrown as std::runtime_error, with the line.
QueryFile read_query_file(const std::filesystem::path& path);

/// The statements of a test: each with all alternatives, or as many as it draws at random.
std::vector<QueryStatement> statements_of(const QueryFile& file, const QueryTest& test,
                                          bool takes_few);

/// The tables of a file where those without a size have this one.
std::map<std::string, TableRecipe> tables_of(const QueryFile& file, const std::string& size);

/// Return the tables of a file of tests/queries, and the statements of one of its tests, for tests
/// that ask them in other ways. `size` is that of tables_of().
QueryTables query_tables(const std::string& file, const std::string& size = "");
std::vector<std::string> query_statements(const std::string& file, const std::string& test);

}  // namespace presso::test
