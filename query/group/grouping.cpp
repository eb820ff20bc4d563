// SPDX-License-Identifier: MIT
// Chooses a strategy by the range of the keys' codes, the expected groups and the memory: an array
// with a place for each code (kDense) if that is short enough, otherwise a table (kHash), or
// partitions (kRadix) if many groups are expected. A strategy that the user asks for is taken if
// the keys allow it. The thresholds were measured: NOTES.md, "Which strategy". Tested by
// tests/unit/query/group/grouping_test.cpp.
#include "query/group/grouping.h"

#include <algorithm>

#include "query/group/strategies.h"

namespace presso::query {
namespace {

using grouping::KeyCoder;

/// Longer arrays are not made, even if kDense was asked for.
constexpr std::uint64_t kMostPlaces = std::uint64_t{1} << 28;
/// An array with at most this many places is never slower than a table, however few are used.
constexpr std::uint64_t kFewPlaces = std::uint64_t{1} << 17;
/// Longer arrays are faster if at least one in this number of places is used, up to kManyPlaces;
/// beyond that partitions are.
constexpr std::uint64_t kPlacesForGroup = 16;
/// The longest array that is chosen.
constexpr std::uint64_t kManyPlaces = std::uint64_t{8} << 20;
/// From this number of groups on, partitions are faster than one table for all groups.
constexpr std::uint64_t kManyGroups = 400'000;

/// About how many bytes a place of an array takes: row count, first row and aggregates.
std::uint64_t place_bytes(const GroupingPlan& plan) {
  std::uint64_t bytes = 12;
  for (const AggregateSpec& spec : plan.aggregates) {
    const bool is_free = spec.kind == AggregateKind::kCountRows;
    bytes += is_free ? 0 : spec.argument == Physical::kInt64 ? 8 : 24;
  }
  return bytes;
}

/// Whether an array is expected to be fastest, and all threads' arrays fit into a quarter of the
/// memory.
bool prefers_array(const GroupingPlan& plan, const KeyCoder& coder) {
  if (coder.form() != KeyCoder::Form::kWord || coder.range() > kManyPlaces) return false;
  const auto places = static_cast<std::uint64_t>(coder.range());
  if (places * place_bytes(plan) > plan.memory_bytes / 4 / std::max(plan.threads, 1u)) return false;
  if (places <= kFewPlaces) return true;
  const std::uint64_t rows = plan.rows == 0 ? places : plan.rows;
  const std::uint64_t groups = plan.expected_groups == 0 ? rows / 4 : plan.expected_groups;
  return places / kPlacesForGroup <= std::min(groups, rows);
}

/// What kAuto means for this plan.
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
