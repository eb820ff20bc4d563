// SPDX-License-Identifier: MIT
// Keys that are strings stored as codes of a dictionary: each entry of a row group's dictionary is
// looked up once, its rows by their codes (L20).
// Tested through tests/unit/query/run/join_test.cpp.
#pragma once

#include <memory>
#include <vector>

#include "query/rows/slice_reader.h"
#include "query/run/join_build.h"

namespace presso::query {

/// By code.
struct EntryWords {
  std::vector<std::uint64_t> words;
  std::vector<std::uint64_t> hashes;
  std::vector<std::uint64_t> known;  ///< a bit each: whether the build side may have it
  bool any_known = false;
};

/// Of the dictionary of `column` in the row group that `reader` is at, made once for all threads.
/// Valid until the reader's next open().
Result<const EntryWords*> entry_words(const JoinKeys& keys, SliceReader& reader,
                                      std::size_t column);

/// Hashes and words of the selected rows, as JoinKeys makes them of strings, in `scratch`. Returns
/// the bits of those without a null in `validity`, nullptr: all; sets scratch.known to those that
/// may have a partner.
Result<const std::uint64_t*> words_by_code(const EntryWords& entries, SliceReader& reader,
                                           std::size_t column, std::uint32_t vector,
                                           const Selection& selection, JoinKeys::Scratch& scratch);

}  // namespace presso::query
