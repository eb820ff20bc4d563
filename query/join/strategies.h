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

BuildResult build_unchained(const BuildInput& input);
JoinMemory predict_unchained(const JoinTablePlan& plan, const JoinKeyFacts& facts);

}  // namespace presso::query::join
