// SPDX-License-Identifier: MIT
#include "scan/query/zone_counts.h"

#include <algorithm>

namespace presso::query {

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
    const bool skipped = std::any_of(
        plan.conditions.begin(), plan.conditions.end(), [&](const Condition& condition) {
          return answer_by_zones(condition.filter, *slice->group->reader, slice->first,
                                 slice->rows) == Answer::kNone;
        });
    counts.skipped += skipped ? 1 : 0;
    counts.skipped_rows += skipped ? slice->rows : 0;
  }
}

}  // namespace presso::query
