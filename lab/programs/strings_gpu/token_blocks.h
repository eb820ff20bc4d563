// SPDX-License-Identifier: MIT
// A token column of a table file as its blocks are stored, with its text for the CPU.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "format/columns/integer_layout.h"
#include "format/columns/token_dictionary.h"
#include "presso/error.h"
#include "presso/table.h"
#include "query/strings/string_test.h"

namespace presso::gpu::bench {

struct StoredTokens {
  std::vector<Byte> payload;
  std::vector<std::uint32_t> counts;  ///< of each row's codes
  std::uint32_t codes = 0;
};

struct StoredCounts {
  IntegerParameters parameters;
  std::vector<Byte> payload;
};

struct StoredGroup {
  const TokenDictionary& tokens() const { return *dictionary; }

  std::uint32_t rows = 0;
  const TokenDictionary* dictionary = nullptr;
  std::vector<StoredTokens> blocks;
  std::vector<StoredCounts> counts;  ///< those that are stored as integers
  ColumnData text;
};

/// Keeps the readers that dictionaries belong to.
class StoredColumn {
 public:
  /// All row groups of `column` whose representation is that with tokens; kInvalidArgument where
  /// there are none.
  static Result<StoredColumn> read(const Table& table, const std::string& column);

  const std::vector<StoredGroup>& groups() const { return groups_; }
  std::uint64_t rows() const;
  std::uint64_t codes() const;
  std::uint64_t text_bytes() const;
  std::uint64_t payload_bytes() const;

 private:
  std::vector<std::shared_ptr<const void>> readers_;
  std::vector<StoredGroup> groups_;
};

/// A bit for each row of each block, in words of each block's own, by the test over the text.
std::vector<std::uint32_t> bits_on_cpu(const query::StringTest& test, const StoredGroup& group);

}  // namespace presso::gpu::bench
