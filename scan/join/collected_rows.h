// SPDX-License-Identifier: MIT
// Rows of a key that do not lie side by side in a table, put together for a Found. A key that is
// looked up more than once in one call is put together once, so that they are never more than the
// build side has.
// Tested by tests/unit/scan/join/join_table_test.cpp.
#pragma once

#include "scan/join/build_rows.h"
#include "scan/values/hash.h"

namespace presso::query::join {

/// A small table within the Found: from the first row of a key to where its rows begin in
/// found.collected, and where they end.
class CollectedRows {
 public:
  CollectedRows(Found& found, std::size_t keys) : found_(found), bits_(bits_for(2 * keys + 2)) {
    found_.collected.clear();
    found_.numbers.assign(std::size_t{3} << bits_, 0);
  }

  /// A key whose first row is `head`; append(rows) adds all of them to a vector.
  template <class Append>
  void add(std::uint32_t head, Append&& append, std::uint32_t& first, std::uint32_t& count) {
    std::size_t at = static_cast<std::uint32_t>(hash_word(head)) & ((std::size_t{1} << bits_) - 1);
    std::uint32_t* slot = found_.numbers.data() + 3 * at;
    while (slot[0] != 0 && slot[0] != head + 1) {
      at = (at + 1) & ((std::size_t{1} << bits_) - 1);
      slot = found_.numbers.data() + 3 * at;
    }
    if (slot[0] == 0) {
      slot[0] = head + 1;
      slot[1] = static_cast<std::uint32_t>(found_.collected.size());
      append(found_.collected);
      slot[2] = static_cast<std::uint32_t>(found_.collected.size());
    }
    first = slot[1];
    count = slot[2] - slot[1];
  }
  void finish() { found_.rows = found_.collected.data(); }

 private:
  Found& found_;
  const unsigned bits_;
};

}  // namespace presso::query::join
