// SPDX-License-Identifier: MIT
// Finds, once a table has come to stay in device memory, where the codes of each 32 rows of its
// tokens begin, so that few rows can be tested without decoding the counts of all. Tested by
// tests/queries/tokens.txt.
#pragma once

#include <vector>

#include "query/gpu/table/loaded_table.h"

namespace presso::gpu {

class StringPlaces {
 public:
  /// Sets LoadedStrings::step_begins, which takes 4 bytes for 32 rows, for as many row groups as
  /// there is memory for, and of which counts and codes agree: others are tested, and their errors
  /// reported, as if this had not been called. The blocks have been compared with their checksums.
  /// Waits. Errors: kOutOfMemory, kDeviceLost.
  static Status make(const RunSpace& space, LoadedTable& table);

 private:
  StringPlaces(const RunSpace& space, LoadedTable& table) : space_(space), table_(table) {}
  std::uint32_t rows_of(const LoadedStrings& strings) const;
  bool is_whole(const LoadedStrings& strings) const;
  Status make_some(const std::vector<LoadedStrings*>& some);

  const RunSpace& space_;
  LoadedTable& table_;
};

}  // namespace presso::gpu
