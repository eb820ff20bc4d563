// SPDX-License-Identifier: MIT
// Builds a dictionary of a column's different strings, for one row group: entries in the order of
// first appearance, and a code, the entry's number, for each row. It gives up as soon as the
// dictionary cannot pay any more, so a column without repetition costs little.
#pragma once

#include <optional>
#include <vector>

#include "presso/column_data.h"

namespace presso {

/// The dictionary and the codes of all rows.
struct StringDictionary {
  std::vector<std::uint32_t> codes;  ///< a code for each row; nulls have the code before them
  std::vector<std::uint32_t> entry_lengths;  ///< bytes
  std::vector<Byte> entries;
  // For each entry a word with one bit set, for ColumnBlock::presence.
  std::vector<std::uint64_t> presence_bits;
};

/// Nullopt if there are more than kMaxDictionaryEntries or kMaxEntryBytes, or if most of the
/// first rows are different.
std::optional<StringDictionary> build_dictionary(const ColumnView& strings);

}  // namespace presso
