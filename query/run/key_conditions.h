// SPDX-License-Identifier: MIT
// What build sides tell of the rows of the table that is scanned, as conditions beside its own: a
// row whose key the build side has not is dropped by the scan already, and where that is all that a
// semi or anti join asks for, the scan has decided it. Few keys, or keys without a gap, are
// intervals of the column and tested on packed values, as any others; else key_test.h asks.
// Tested by tests/unit/query/run/join_scan_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "query/run/join_build.h"

namespace presso::query {

/// Whether rows of the root can be asked for their keys of a stage before they are joined: these
/// are made of the root alone, nothing fails in making them, and no stage before has to see the
/// rows that this one drops.
bool can_ask_in_scan(const BoundQuery& query, const JoinTree& tree, std::size_t stage);

/// Whether to ask at all, where `rows` rows of the build side are kept: where rows without a
/// partner are dropped, and there are likely some, since the build side has not all rows of its
/// table, or is small. Always where a semi or anti join asks for nothing else.
bool is_worth_asking(const BoundQuery& query, const JoinTree& tree, const BoundStage& stage,
                     double rows);

/// Whether nothing is left of a stage when the scan knows which keys there are: `is_whole`, all of
/// them. That takes an exact answer, which a filter of words may not have.
bool is_decided_by_scan(const Execution& execution, const BoundStage& stage, bool is_whole);

struct KeyCondition {
  Condition condition;
  bool decides = false;  ///< the stage has nothing left to do
};
/// Of a stage whose build side is there; it is kept by reference, and must be as long as the
/// condition is tested. `is_parted`: it has only some of the keys. nullopt: nothing is worth
/// asking.
std::optional<KeyCondition> key_condition(const Execution& execution, std::size_t stage,
                                          const BuiltStage& built, bool is_parted);

/// A plan with one more condition, which is tested before all that costs much more; last of all
/// where the plan was given by somebody.
void add_condition(FilterPlan& plan, Condition condition, bool is_given);

}  // namespace presso::query
