// SPDX-License-Identifier: MIT
// Conditions on the scanned table (the root of the joins, query/plan/join_plan.h) that follow from
// the keys of build sides: a row whose key the build side does not have is dropped by the scan
// already (a semi-join reduction). If that is all that a semi or anti join wants, the scan has
// decided it and nothing is joined. Few keys, or keys without gaps, become intervals of the column,
// which are tested on packed values; all others go through the KeyTest interface
// (query/filter/key_test.h). Declines joins that must keep rows without a partner. Tested by
// tests/unit/query/run/join_scan_test.cpp.
#pragma once

#include <optional>
#include <vector>

#include "query/run/join_build.h"

namespace presso::query {

/// Whether rows of the root may be tested for their keys of a stage before they are joined: the
/// keys are computed from columns of the root alone, computing them cannot fail, and no earlier
/// stage has to see the rows that this test drops.
bool can_ask_in_scan(const BoundQuery& query, const JoinTree& tree, std::size_t stage);

/// Whether to test at all if `rows` rows of the build side are kept. It pays if rows without a
/// partner are dropped and are likely to exist, because the build side lacks rows of its table or
/// is small. Always true for semi and anti joins without further conditions.
bool is_worth_asking(const BoundQuery& query, const JoinTree& tree, const BoundStage& stage,
                     double rows);

/// Whether the scan can do all the work of a stage. `is_whole` says that all keys are known at
/// once. Exact answers are needed, which a filter of words may not give; key_condition() checks
/// that.
bool is_decided_by_scan(const Execution& execution, const BoundStage& stage, bool is_whole);

/// Whether an inner join only chooses rows of the probe side if its keys turn out to be unique,
/// since no column of the build side is needed. The scan then does all its work.
bool may_only_choose(const Execution& execution, const BuiltStage& built);

/// A condition for the scan.
struct KeyCondition {
  Condition condition;
  /// Whether the stage has nothing left to do.
  bool decides = false;
};
/// The condition of a stage whose build side exists; it refers to `built`, which must live as long
/// as the condition is tested. `is_parted` says that `built` has only some of the keys. nullopt if
/// no test is worth it.
std::optional<KeyCondition> key_condition(const Execution& execution, std::size_t stage,
                                          const BuiltStage& built, bool is_parted);

/// Adds a condition to a plan: before all conditions that cost much more, or at the end if the user
/// has dictated the plan.
void add_condition(FilterPlan& plan, Condition condition, bool is_given);

}  // namespace presso::query
