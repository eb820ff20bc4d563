// SPDX-License-Identifier: MIT
// The choice of a strategy.
#include "scan/group/grouping.h"

#include "scan/group/strategies.h"

namespace presso::query {
namespace {

using grouping::KeyCoder;

/// Arrays longer than this are not made, whatever is asked for.
constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 28;
constexpr std::uint64_t kDensePlaces = std::uint64_t{1} << 16;

GroupStrategy choose(const GroupingPlan& plan, const KeyCoder& coder) {
  if (coder.form() == KeyCoder::Form::kWord && coder.range() <= kDensePlaces) {
    return GroupStrategy::kDense;
  }
  (void)plan;
  return GroupStrategy::kHash;
}

}  // namespace

Result<std::unique_ptr<Grouping>> Grouping::make(const GroupingPlan& plan) {
  return without_bad_alloc([&]() -> Result<std::unique_ptr<Grouping>> {
    const KeyCoder coder(plan.keys);
    const GroupStrategy strategy =
        plan.strategy == GroupStrategy::kAuto ? choose(plan, coder) : plan.strategy;
    if (plan.keys.empty()) return grouping::make_dense_grouping(plan, coder);
    if (strategy != GroupStrategy::kDense) {
      return grouping::make_table_grouping(plan, coder, strategy);
    }
    if (coder.form() != KeyCoder::Form::kWord || coder.range() > kMostPlaces) {
      return make_error(ErrorCode::kInvalidArgument,
                        "groups cannot be found by an array: the keys have no small range");
    }
    return grouping::make_dense_grouping(plan, coder);
  });
}

}  // namespace presso::query
