// SPDX-License-Identifier: MIT
// Conditions on columns of strings whose row group stores them as codes: they are asked of each
// entry of the dictionary once and become a set of codes (L20); tests of tokens become an automaton
// over codes. Made once for each row group and condition, for all threads.
#pragma once

#include <optional>

#include "query/plan/filter.h"
#include "query/rows/slice_reader.h"

namespace presso::query {

using CodeSet = std::vector<std::uint64_t>;  ///< a bit a code

/// The entries whose strings a kText filter lets pass. Valid while the reader's slice is open, as
/// what entries_by_program() gives.
Result<const CodeSet*> matching_entries(const Filter& filter, SliceReader& reader);

/// The column, where the program reads no other one and it is a dictionary in this row group.
std::optional<std::size_t> coded_column(const Program& program, const GroupContext& group);

struct ProgramOutcome {
  bool usable = false;  ///< it gave a result for every entry
  CodeSet entries;
  bool null_passes = false;
};
/// The entries for which a kExpression filter gives true.
Result<const ProgramOutcome*> entries_by_program(const Filter& filter, SliceReader& reader);

/// Sets the bits of the slice's rows whose strings pass the test (not negated), of a column of
/// tokens or bytes.
Status find_in_slice(const Filter& filter, SliceReader& reader, const std::uint64_t* alive,
                     std::uint64_t* found);
/// The same of one vector; bits behind its rows become 0.
Status find_in_vector(const Filter& filter, SliceReader& reader, std::uint32_t vector,
                      const std::uint64_t* alive, std::uint64_t* found);

}  // namespace presso::query
