// SPDX-License-Identifier: MIT
// Turns the members of JSON rows (json_tokenizer.h) into the fields of records (csv_tokenizer.h),
// which inference and column building take: every key gets a column, and every row has a field for
// each column, empty and without quotes for nulls and for keys that it lacks. If a row has a key
// twice, the last one counts. A row's keys mostly follow one another as in earlier rows, so each is
// first compared with the key that came next the last time. Tested through
// tests/unit/compress/table/json_loader_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compress/table/text/csv_tokenizer.h"
#include "compress/table/text/json_tokenizer.h"

namespace presso {

/// The columns of a table by their keys. Not for several threads.
class JsonKeys {
 public:
  JsonKeys() = default;
  explicit JsonKeys(const std::vector<std::string>& names);

  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  /// The column of each of the batch's members; unknown keys become columns if `add` is set,
  /// and otherwise are kUnknown.
  void resolve(const JsonBatch& batch, Bytes text, bool add, std::vector<std::uint32_t>& columns);
  /// The column of a key without escapes; an unknown one is added, or kUnknown.
  std::uint32_t find_or_add(const std::string& name, bool add);
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::uint32_t slow_find(const JsonMember& member, Bytes text, bool add);

  std::vector<std::string> names_;
  std::vector<std::string> written_;  ///< the key as it last stood in the text, with its escapes
  std::unordered_map<std::string, std::uint32_t> columns_;
  // The column that is expected next, by the column before plus 1; at 0 a row's first one.
  std::vector<std::uint32_t> next_;
};

/// How many rows a batch should have, so that their fields stay within a core's caches: fewer for
/// more columns.
std::size_t json_batch_rows(std::size_t columns);

/// Fills `records` with a field for each row and column. raw[column]: strings keep quotes and
/// escapes.
void spread_members(const JsonBatch& batch, const std::vector<std::uint32_t>& column_of_member,
                    const std::vector<bool>& raw, RecordBatch& records);

}  // namespace presso
