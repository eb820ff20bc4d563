// SPDX-License-Identifier: MIT
// A dictionary of whole strings: entries in order of first appearance, and a code for each row.
// Gives up as soon as it cannot pay any more, so a column without repetition costs little.
#pragma once

#include <optional>
#include <vector>

#include "presso/column_data.h"

namespace presso {

struct StringDictionary {
  std::vector<std::uint32_t> codes;          ///< of each row; of a null, the code before it
  std::vector<std::uint32_t> entry_lengths;  ///< bytes
  std::vector<Byte> entries;
  std::vector<std::uint64_t> presence_bits;  ///< a word with one bit set, for each entry
};

/// nullopt where there are more than kMaxDictionaryEntries or kMaxEntryBytes, or where most of many
/// rows are different.
std::optional<StringDictionary> build_dictionary(const ColumnView& strings);

}  // namespace presso
