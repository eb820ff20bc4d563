// SPDX-License-Identifier: MIT
// What became of entries of dictionaries that were looked up among the keys of a build side: row
// groups of one table have mostly the same strings, and a table of the few that occur stays in the
// cache, where one of all keys does not: 18 ns an entry in place of 40, with a million keys of
// 15 bytes and 5,290 entries in each of 292 row groups (query_rate on a semi join of these).
// Tested through tests/unit/query/run/join_scan_test.cpp.
#pragma once

#include <mutex>
#include <vector>

#include "query/group/key_table.h"
#include "query/join/key_numbers.h"

namespace presso::query {

class KnownEntries {
 public:
  /// As KeyNumbers::find() of `numbers`, which are the same at every call; `hashes` are given. By
  /// any number of threads.
  void find(const join::KeyNumbers<StringRef>& numbers, const StringRef* keys,
            const std::uint64_t* hashes, std::uint32_t count, std::uint64_t* words,
            std::uint64_t* bits);

 private:
  /// Beyond, strings are as good as new each time.
  static constexpr std::uint32_t kMostEntries = 50'000;

  std::mutex mutex_;
  grouping::KeyTable<StringRef> entries_;
  std::vector<std::uint64_t> words_;  ///< by number in entries_
  std::vector<char> known_;           ///< likewise
};

}  // namespace presso::query
