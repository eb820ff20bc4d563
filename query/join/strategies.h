// SPDX-License-Identifier: MIT
// The strategies, each a subclass of JoinTable in a file of its own. For each there is a function
// that builds the table, and one that predicts its memory, buffer by buffer, from the facts of the
// keys. join_table.cpp chooses among them. All throw std::bad_alloc, which JoinTable::build() turns
// into kOutOfMemory; build functions check the predicted memory before they allocate.
#pragma once

#include "query/join/build_rows.h"

namespace presso::query::join {

// kMerge, merge_table.cpp: sorted keys, searched by galloping. Refuses keys that do not ascend.
BuildResult build_merge(const BuildInput& input);
JoinMemory predict_merge(const JoinTablePlan& plan, const JoinKeyFacts& facts);

// kDirect, direct_table.cpp: an array over the range of keys.
BuildResult build_direct(const BuildInput& input);
JoinMemory predict_direct(const JoinTablePlan& plan, const JoinKeyFacts& facts);

// kUnchained, unchained_table.cpp: a directory of slots whose tuples lie together.
BuildResult build_unchained(const BuildInput& input);
JoinMemory predict_unchained(const JoinTablePlan& plan, const JoinKeyFacts& facts);

}  // namespace presso::query::join
