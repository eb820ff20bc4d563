// SPDX-License-Identifier: MIT
// Converts the cells that a pipeline has filled into groups in the form of Grouping::finish().
// Tested by tests/queries/one_table.txt.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "query/gpu/table/listed_strings.h"
#include "query/gpu/table/pipeline_builder.h"
#include "query/group/column.h"
#include "query/values/row_store.h"

namespace presso::gpu {

/// The values of keys that build rows tell (PipelineBuilder::row_stage()), by key and row; the
/// lists of other keys are empty.
using RowKeys = std::vector<std::vector<std::int64_t>>;

/// Groups, in any order, as GroupList has them: `words` of 64 bits each.
struct GroupRecords {
  std::size_t words = 0;
  std::vector<query::grouping::Column<std::uint64_t>> pieces;
};

struct FoundGroups {
  std::uint64_t matched = 0;  ///< rows
  GroupRecords records;       ///< nothing where rows are only counted
  RowKeys row_keys;
  /// By key, of those that are strings which the device has numbered; others have none.
  std::vector<ListedStrings> strings;
  std::shared_ptr<query::StringArena> arena;  ///< of these strings
};

/// Fetches the strings that the keys of the groups have, where the device has numbered these.
/// Waits. Errors: those of ListedStrings::fetch(); kInvalidArgument where a key is outside of the
/// range that its column has.
Status fetch_strings(const RunSpace& space, const PipelineBuilder& builder, FoundGroups& groups);

/// The strings of `codes` by number, whose bytes are copied to `arena`.
std::vector<query::StringRef> copied_strings(const query::KeyCodes& codes,
                                             query::StringArena& arena);

/// In the order of the groups' first rows. Uses the execution's threads.
Result<query::RowStore> rows_of_groups(const PipelineBuilder& builder,
                                       const query::Execution& execution,
                                       const query::GroupInput& input, const FoundGroups& from);

}  // namespace presso::gpu
