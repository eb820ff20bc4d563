// SPDX-License-Identifier: MIT
// The choice of a strategy; the figures behind it are in query/group/NOTES.md.
#include "query/group/grouping.h"

#include <algorithm>

#include "query/group/strategies.h"

namespace presso::query {
namespace {

using grouping::KeyCoder;

/// Longer arrays are not made, even if asked for.
constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 28;
/// An array of so many places is never slower than a table, however few of them are used.
constexpr std::uint64_t kFewPlaces = std::uint64_t{1} << 17;
/// Longer arrays win where at least one place of this many is used,
constexpr std::uint64_t kPlacesForGroup = 16;
/// up to this length; from then on partitions win.
constexpr std::uint64_t kManyPlaces = std::uint64_t{8} << 20;
/// From so many groups on partitions are faster than a table for all of them.
constexpr std::uint64_t kManyGroups = 400'000;

/// Roughly, of one place: its rows, first row and aggregates.
std::uint64_t place_bytes(const GroupingPlan& plan) {
  std::uint64_t bytes = 12;
  for (const AggregateSpec& spec : plan.aggregates) {
    const bool is_free = spec.kind == AggregateKind::kCountRows;
    bytes += is_free ? 0 : spec.argument == Physical::kInt64 ? 8 : 24;
  }
  return bytes;
}

bool prefers_array(const GroupingPlan& plan, const KeyCoder& coder) {
  if (coder.form() != KeyCoder::Form::kWord || coder.range() > kManyPlaces) return false;
  const auto places = static_cast<std::uint64_t>(coder.range());
  if (places * place_bytes(plan) > plan.memory_bytes / 4 / std::max(plan.threads, 1u)) return false;
  if (places <= kFewPlaces) return true;
  const std::uint64_t rows = plan.rows == 0 ? places : plan.rows;
  const std::uint64_t groups = plan.expected_groups == 0 ? rows / 4 : plan.expected_groups;
  return places / kPlacesForGroup <= std::min(groups, rows);
}

GroupStrategy choose(const GroupingPlan& plan, const KeyCoder& coder) {
  if (prefers_array(plan, coder)) return GroupStrategy::kDense;
  return plan.expected_groups >= kManyGroups ? GroupStrategy::kRadix : GroupStrategy::kHash;
}

}  // namespace

Result<std::unique_ptr<Grouping>> Grouping::make(const GroupingPlan& plan) {
  return without_bad_alloc([&]() -> Result<std::unique_ptr<Grouping>> {
    const KeyCoder coder(plan.keys);
    const bool is_chosen_here = plan.strategy == GroupStrategy::kAuto;
    const GroupStrategy strategy = is_chosen_here ? choose(plan, coder) : plan.strategy;
    if (plan.keys.empty()) return grouping::make_dense_grouping(plan, coder);
    if (strategy != GroupStrategy::kDense) {
      const std::uint64_t most_in_table = is_chosen_here ? kManyGroups : ~std::uint64_t{0};
      return grouping::make_table_grouping(plan, coder, strategy, most_in_table);
    }
    if (coder.form() != KeyCoder::Form::kWord || coder.range() > kMostPlaces) {
      return make_error(ErrorCode::kInvalidArgument,
                        "groups cannot be found by an array: the keys have no small range");
    }
    return grouping::make_dense_grouping(plan, coder);
  });
}

}  // namespace presso::query
