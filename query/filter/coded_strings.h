// SPDX-License-Identifier: MIT
// Evaluates string conditions on columns that a row group stores as codes, which avoids decoding
// text. Dictionary columns: the condition is evaluated once for each entry and becomes a set of
// codes, which rows are looked up in (source L20 in docs/sources.md). Token columns, whose strings
// are sequences of codes of up to 4,096 tokens (FORMAT.md 17): the test becomes an automaton over
// token codes. Byte columns have no codes: their text is searched. Results are made once for each
// row group and condition and shared by all threads.
//
// Memory: one bit for each entry of the dictionary. Tested by
// tests/unit/query/filter/filter_run_test.cpp.
#pragma once

#include <optional>

#include "query/plan/filter.h"
#include "query/rows/slice_reader.h"

namespace presso::query {

/// One bit for each dictionary code, set where the entry passes; bit c is bit c % 64 of word c /
/// 64.
using CodeSet = std::vector<std::uint64_t>;

/// The entries whose strings a kText filter lets pass; the filter's negation is applied already.
/// The result stays valid while the reader's slice is open, as does that of entries_by_program().
/// Errors: those of reading the dictionary.
Result<const CodeSet*> matching_entries(const Filter& filter, SliceReader& reader);

/// The column whose dictionary entries can stand for the rows of `program`: the program reads this
/// column alone, and the row group stores it as a dictionary with at most half as many entries as
/// rows. nullopt: evaluate row by row.
std::optional<std::size_t> coded_column(const Program& program, const GroupContext& group);

/// Result of a truth-valued program for each entry of a dictionary.
struct ProgramOutcome {
  /// Whether the program gave a result for every entry; otherwise the members below are incomplete.
  bool usable = false;
  /// The entries for which the filter holds.
  CodeSet entries;
  /// Whether the filter holds for NULL.
  bool null_passes = false;
};
/// The entries for which a kExpression filter holds. Precondition: coded_column() named a column.
Result<const ProgramOutcome*> entries_by_program(const Filter& filter, SliceReader& reader);

/// Searches all rows of the open slice, in a column of tokens or of bytes. Sets bit i of `found`
/// (one bit for each row of a slice, zeroed by the caller) where row i passes the test; the
/// filter's negation and NULLs are left to the caller. Rows without a bit in `alive` need not be
/// searched.
Status find_in_slice(const Filter& filter, SliceReader& reader, const std::uint64_t* alive,
                     std::uint64_t* found);
/// Searches one vector of kBatchRows rows, as find_in_slice() does for a slice. All 16 words of
/// `found` are written; bits past the last row are 0.
Status find_in_vector(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                      const std::uint64_t* alive, std::uint64_t* found);

}  // namespace presso::query
