// SPDX-License-Identifier: MIT
// A cache for looking up dictionary entries among the keys of a build side. The row groups of a
// table mostly have the same strings, and a table of the few that occur stays in the cache, where
// the table of all keys does not: 18 ns an entry instead of 40, with a million keys of 15 bytes and
// 5,290 entries in each of 292 row groups (query_rate on a semi join of these). Tested through
// tests/unit/query/run/join_scan_test.cpp.
//
// Only strings are cached here. Words need no cache, since they are looked up in the join's table
// directly.
#pragma once

#include <mutex>
#include <vector>

#include "query/group/key_table.h"
#include "query/join/key_numbers.h"

namespace presso::query {

/// Belongs to one build side. Guarded by a mutex, which is held for a batch of entries; entries are
/// looked up once per row group, so it is rarely contended.
class KnownEntries {
 public:
  /// As numbers.find(), where `numbers` must be the same at every call; `hashes` are those of the
  /// keys. Thread-safe.
  void find(const join::KeyNumbers<StringRef>& numbers, const StringRef* keys,
            const std::uint64_t* hashes, std::uint32_t count, std::uint64_t* words,
            std::uint64_t* bits);

 private:
  /// With more entries than this nothing is remembered any more.
  static constexpr std::uint32_t kMostEntries = 50'000;

  std::mutex mutex_;
  grouping::KeyTable<StringRef> entries_;
  std::vector<std::uint64_t> words_;  ///< by number in entries_: the number among the keys
  std::vector<char> known_;           ///< by number in entries_: whether it is a key
};

}  // namespace presso::query
