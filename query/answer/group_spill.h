// SPDX-License-Identifier: MIT
// Groups through temporary files, for groups that fit into memory neither at once nor in the few
// passes of run_groups.cpp: keys and arguments of all rows are sorted by parts of the keys' hashes,
// and each part is grouped as it is read back. Reads the tables once; each matching row is written
// and read back. Grouping a part uses one thread. Tested by
// tests/unit/query/answer/query_test.cpp and tests/cli/test_select_failures.py.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "query/run/group_input.h"

namespace presso::query {

/// Used once: run().
class GroupSpill {
 public:
  /// Keeps references to the first two arguments. GroupingPlan::parts is the number of parts.
  GroupSpill(Execution& execution, const GroupInput& input, const GroupingPlan& plan)
      : execution_(execution), input_(input), plan_(plan) {}

  /// Gives the groups to `ordering`, part by part; the number of a group's first row follows its
  /// aggregates as the last column. Rows that wait in memory, and the groups of one part, may take
  /// `memory_bytes` each. Error: kOutOfMemory with an empty text if a part does not fit, so that
  /// the caller retries with more parts; those of the disk.
  Status run(Ordering& ordering, std::uint64_t memory_bytes);
  /// How groups were found in the last part, for --explain.
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
