// SPDX-License-Identifier: MIT
#include "lab/join/lab_join_table.h"

#include "lab/join/strategies.h"

namespace presso::query::join::lab {
namespace {

BuildResult build_one(const LabInput& input, Plan& plan) {
  switch (plan.which) {
    case Strategy::kChained:
      return build_chained(input);
    case Strategy::kOpen:
      return build_open(input);
    case Strategy::kDistinct:
      return build_distinct(input, plan);
    case Strategy::kRadix:
      return build_radix(input);
    case Strategy::kNestedLoop:
      return build_nested_loop(input);
    case Strategy::kSortMerge:
      break;
  }
  return build_sort_merge(input);
}

}  // namespace

Result<std::unique_ptr<JoinTable>> build(Plan& plan, const BuildKeys& keys) {
  if (keys.keys.size() >= kMostBuildRows) {
    return make_error(ErrorCode::kInvalidArgument,
                      "the build side of a join has more than 2^32 - 3 rows");
  }
  return without_bad_alloc([&]() -> BuildResult {
    plan.threads = std::max(1u, plan.threads);
    plan.doublings = 0;
    PRESSO_ASSIGN(const JoinKeyFacts facts, facts_of(keys, plan.threads));
    return build_one({plan, keys, facts}, plan);
  });
}

JoinMemory predict(const Plan& plan, const JoinKeyFacts& facts) {
  switch (plan.which) {
    case Strategy::kChained:
      return predict_chained(plan, facts);
    case Strategy::kOpen:
      return predict_open(plan, facts);
    case Strategy::kDistinct:
      return predict_distinct(plan, facts);
    case Strategy::kRadix:
      return predict_radix(plan, facts);
    case Strategy::kNestedLoop:
      return predict_nested_loop(plan, facts);
    case Strategy::kSortMerge:
      break;
  }
  return predict_sort_merge(plan, facts);
}

}  // namespace presso::query::join::lab
