// SPDX-License-Identifier: MIT
// Implements zone_counts.h, which counts the slices that zones rule out: walks the directories of
// row groups only; no block of any column is read.
#include "query/filter/zone_counts.h"

#include <algorithm>

#include "query/filter/filter_run.h"

namespace presso::query {
namespace {

/// Whether zones prove that some condition fails for all rows of [first, first + rows).
bool is_ruled_out(const std::vector<Condition>& conditions, const GroupReader& group,
                  std::uint32_t first, std::uint32_t rows) {
  return std::any_of(conditions.begin(), conditions.end(), [&](const Condition& condition) {
    return answer_by_zones(condition.filter, group, first, rows) == Answer::kNone;
  });
}

}  // namespace

Result<ZoneCounts> count_by_zones(const std::vector<Table>& tables, const FilterPlan& plan,
                                  const std::vector<std::size_t>& columns,
                                  const std::atomic<bool>* cancelled) {
  ZoneCounts counts;
  ReadCounters counters;
  SliceSource source(tables, columns, counters, cancelled);
  while (true) {
    PRESSO_ASSIGN(const std::optional<Slice> slice, source.next());
    counts.stored_bytes = source.stored_bytes();
    if (!slice) return counts;
    ++counts.slices;
    const bool skipped =
        is_ruled_out(plan.conditions, *slice->group->reader, slice->first, slice->rows);
    counts.skipped += skipped ? 1 : 0;
    counts.skipped_rows += skipped ? slice->rows : 0;
  }
}

Result<std::vector<bool>> groups_by_zones(const Table& table,
                                          const std::vector<Condition>& conditions,
                                          const std::atomic<bool>* cancelled) {
  std::vector<bool> wanted(static_cast<std::size_t>(table.row_groups()), true);
  for (std::size_t number = 0; number < wanted.size() && !conditions.empty(); ++number) {
    if (cancelled != nullptr && cancelled->load()) return make_error(ErrorCode::kCancelled);
    const auto group = GroupReader::open(table, number);
    if (!group.ok()) continue;
    wanted[number] = false;
    const std::uint32_t rows = (*group)->rows();
    for (std::uint32_t first = 0; first < rows && !wanted[number]; first += kSliceRows) {
      wanted[number] =
          !is_ruled_out(conditions, **group, first, std::min(kSliceRows, rows - first));
    }
  }
  return wanted;
}

}  // namespace presso::query
