// SPDX-License-Identifier: MIT
// Builds the table of unchained_table.h and predicts its memory: the directory, and tuples twice
// while they are partitioned.
#include "query/join/unchained_table.h"

namespace presso::query::join {

BuildResult build_unchained(const BuildInput& input) {
  PRESSO_TRY(check_memory(input.plan, predict_unchained(input.plan, input.facts)));
  auto table = std::make_unique<UnchainedTable>(input);
  PRESSO_TRY(table->fill(input));
  return std::unique_ptr<JoinTable>(std::move(table));
}

JoinMemory predict_unchained(const JoinTablePlan&, const JoinKeyFacts& facts) {
  const std::uint64_t tuples = column_bytes<std::uint32_t>(3 * facts.keys);
  return JoinMemory{{{"directory", column_bytes<std::uint64_t>(unchained_slots(facts) + 1)},
                     {"tuples", tuples},
                     {"partitions", tuples, false}}};
}

}  // namespace presso::query::join
