// SPDX-License-Identifier: MIT
// The tables of the laboratory; lab_join_table.cpp chooses. They throw std::bad_alloc.
#pragma once

#include "lab/join/lab_join_table.h"

namespace presso::query::join::lab {

BuildResult build_chained(const LabInput& input);
JoinMemory predict_chained(const Plan& plan, const JoinKeyFacts& facts);

BuildResult build_open(const LabInput& input);
JoinMemory predict_open(const Plan& plan, const JoinKeyFacts& facts);

/// Sets `plan`.doublings.
BuildResult build_distinct(const LabInput& input, Plan& plan);
JoinMemory predict_distinct(const Plan& plan, const JoinKeyFacts& facts);

BuildResult build_radix(const LabInput& input);
JoinMemory predict_radix(const Plan& plan, const JoinKeyFacts& facts);

BuildResult build_nested_loop(const LabInput& input);
JoinMemory predict_nested_loop(const Plan& plan, const JoinKeyFacts& facts);

BuildResult build_sort_merge(const LabInput& input);
JoinMemory predict_sort_merge(const Plan& plan, const JoinKeyFacts& facts);

}  // namespace presso::query::join::lab
