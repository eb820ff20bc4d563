// SPDX-License-Identifier: MIT
// Join keys that are strings stored as dictionary codes: each entry of a row group's dictionary is
// looked up among the build side's keys once, and rows are then matched by code (source L20 in
// docs/sources.md). Costs O(entries) for each row group, and 16 bytes and a bit for each entry.
// Tested through tests/unit/query/run/join_scan_test.cpp (StringsInDictionariesAreTestedByCode).
#pragma once

#include <memory>
#include <vector>

#include "query/rows/slice_reader.h"
#include "query/run/join_build.h"

namespace presso::query {

/// The keys of one dictionary, indexed by code. Immutable once made; shared by threads.
struct EntryWords {
  /// For each code the word that stands for its string in the join (JoinKeys), if it is known, and
  /// the hash of the string, which divided joins need.
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> hashes;
  /// One bit for each code: whether the build side may have this string.
  std::vector<std::uint64_t> known;
  /// Whether it may have any; if not, the row group has no partner at all.
  bool any_known = false;
};

/// The keys of `column`'s dictionary in the row group that `reader` is at; made once for all
/// threads. Valid until the reader's next open(). Errors: those of reading the dictionary.
Result<const EntryWords*> entry_words(const JoinKeys& keys, SliceReader& reader,
                                      std::size_t column);

/// Fills `scratch` with hashes and words of the selected rows, as JoinKeys would from strings, and
/// scratch.known with the bits of rows that may have a partner. Returns the bits of rows that are
/// not NULL, or nullptr if all are.
Result<const std::uint64_t*> words_by_code(const EntryWords& entries, SliceReader& reader,
                                           std::size_t column, std::uint32_t vector,
                                           const Selection& selection, JoinKeys::Scratch& scratch);

}  // namespace presso::query
