// SPDX-License-Identifier: MIT
// From the members of JSON rows to the fields of records, which inference and column building take:
// every key gets a column, and every row a field for each column, those of keys that it does not
// have, and of nulls, empty and without quotes. Of a key that a row has twice the last one counts.
// A row's keys mostly follow one another as in rows before, so each is first compared with the key
// that followed the one before it the last time. Tested through json_loader_test.cpp.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "compress/table/text/csv_tokenizer.h"
#include "compress/table/text/json_tokenizer.h"

namespace presso {

class JsonKeys {
 public:
  JsonKeys() = default;
  explicit JsonKeys(const std::vector<std::string>& names);

  static constexpr std::uint32_t kUnknown = ~std::uint32_t{0};
  /// The column of each of the batch's members; unknown keys become columns where `add` says so.
  void resolve(const JsonBatch& batch, Bytes text, bool add, std::vector<std::uint32_t>& columns);
  std::uint32_t find_or_add(const std::string& name, bool add);
  const std::vector<std::string>& names() const { return names_; }

 private:
  std::uint32_t slow_find(const JsonMember& member, Bytes text, bool add);

  std::vector<std::string> names_;
  std::vector<std::string> written_;  ///< as the key stood last, with its escapes
  std::unordered_map<std::string, std::uint32_t> columns_;
  std::vector<std::uint32_t> next_;  ///< by the column before plus 1; 0: at a row's begin
};

/// Rows in a batch: so many that their fields stay within a core's caches.
std::size_t json_batch_rows(std::size_t columns);

/// `raw[column]`: strings with their quotes and escapes, as they stand.
void spread_members(const JsonBatch& batch, const std::vector<std::uint32_t>& column_of_member,
                    const std::vector<bool>& raw, RecordBatch& records);

}  // namespace presso
