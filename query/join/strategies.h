// SPDX-License-Identifier: MIT
// The strategies, each a JoinTable of its own; join_table.cpp chooses. Each says what it needs as
// JoinTable::predict() does. They throw std::bad_alloc.
#pragma once

#include "query/join/build_rows.h"

namespace presso::query::join {

BuildResult build_merge(const BuildInput& input);
JoinMemory predict_merge(const JoinTablePlan& plan, const JoinKeyFacts& facts);

BuildResult build_direct(const BuildInput& input);
JoinMemory predict_direct(const JoinTablePlan& plan, const JoinKeyFacts& facts);

/// kUnchained and kRadix.
BuildResult build_unchained(const BuildInput& input);
JoinMemory predict_unchained(const JoinTablePlan& plan, const JoinKeyFacts& facts);

BuildResult build_chained(const BuildInput& input);
JoinMemory predict_chained(const JoinTablePlan& plan, const JoinKeyFacts& facts);

BuildResult build_open(const BuildInput& input);
JoinMemory predict_open(const JoinTablePlan& plan, const JoinKeyFacts& facts);

BuildResult build_distinct(const BuildInput& input);
JoinMemory predict_distinct(const JoinTablePlan& plan, const JoinKeyFacts& facts);

BuildResult build_nested_loop(const BuildInput& input);
JoinMemory predict_nested_loop(const JoinTablePlan& plan, const JoinKeyFacts& facts);

BuildResult build_sort_merge(const BuildInput& input);
JoinMemory predict_sort_merge(const JoinTablePlan& plan, const JoinKeyFacts& facts);

}  // namespace presso::query::join
