// SPDX-License-Identifier: MIT
// A dictionary of whole strings: entries in the order of first appearance, and a code for each
// row. It gives up as soon as it cannot pay any more, so a column without repetition costs
// little.
#pragma once

#include <optional>
#include <vector>

#include "presso/column_data.h"

namespace presso {

struct StringDictionary {
  std::vector<std::uint32_t> codes;  ///< a code for each row; nulls have the code before them
  std::vector<std::uint32_t> entry_lengths;  ///< bytes
  std::vector<Byte> entries;
  // for each entry a word with one bit set, for ColumnBlock::presence
  std::vector<std::uint64_t> presence_bits;
};

/// Nullopt if there are more than kMaxDictionaryEntries or kMaxEntryBytes, or if most of the
/// first rows are different.
std::optional<StringDictionary> build_dictionary(const ColumnView& strings);

}  // namespace presso
