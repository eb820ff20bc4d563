// SPDX-License-Identifier: MIT
// Groups by way of a file: keys and arguments of all rows are sorted by parts of the keys, in
// temporary files where memory does not hold them, and each part is grouped as it is read back.
// Tested by tests/unit/query/answer/query_test.cpp and tests/cli/test_select_failures.py.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "query/run/group_input.h"

namespace presso::query {

class GroupSpill {
 public:
  /// The first two are kept by reference. `plan`: GroupingPlan::parts says how many parts.
  GroupSpill(Execution& execution, const GroupInput& input, const GroupingPlan& plan)
      : execution_(execution), input_(input), plan_(plan) {}

  /// Gives `ordering` the groups, part by part, each with the number of its first row behind its
  /// aggregates. Rows that wait in memory and the groups of a part may take `memory_bytes` each.
  /// kOutOfMemory, with `what` empty: there must be more parts.
  Status run(Ordering& ordering, std::uint64_t memory_bytes);
  /// How groups were found in the last part.
  const std::string& describe() const { return how_; }

 private:
  const BoundQuery& query() const { return execution_.query; }
  void parts_of(const std::vector<VectorView>& keys, std::uint32_t count,
                std::vector<std::int64_t>& parts) const;
  OrderingPlan file_plan(std::uint64_t memory_bytes) const;
  Status write_rows(Ordering& file);
  Result<std::unique_ptr<Grouping>> grouping_of_part() const;
  Status close_part(std::unique_ptr<Grouping>& grouping, Ordering& ordering);
  Status add_rows_of_part(Grouping& grouping, const RowStore& rows, std::uint64_t first,
                          std::uint32_t count, std::uint64_t number);
  Status read_parts(Ordering& file, Ordering& ordering);

  Execution& execution_;
  const GroupInput& input_;
  GroupingPlan plan_;
  std::string how_;
};

}  // namespace presso::query
