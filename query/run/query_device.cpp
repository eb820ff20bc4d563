// SPDX-License-Identifier: MIT
// Implements query_device.h, the CPU's side of working with a device: whether to ask it for rows,
// what to do if it declines or fails, and the bitmaps of the rows that it has found.
#include "query/run/query_device.h"

#include <algorithm>

#include "query/filter/filter_run.h"

namespace presso::query {
namespace {

/// The most rows for which a query counts as ending early.
constexpr std::uint64_t kFewRows = 1'000'000;

}  // namespace

ReadState::ReadState(const Execution& execution)
    : bytes_(execution.counters->bytes),
      blocks_(execution.counters->blocks),
      summary_(execution.summary),
      notes_(execution.notes) {}

/// The blocks that were read in vain were read all the same, but belong to no answer.
void ReadState::restore(Execution& execution) const {
  execution.counters->bytes = bytes_;
  execution.counters->blocks = blocks_;
  execution.summary = summary_;
  execution.notes = notes_;
}

/// A device that failed is dropped for the rest of the run; one that declined may be asked for
/// less.
bool goes_on_without_device(Execution& execution, const ReadState& before, const Error& error) {
  const bool is_refused = error.code == ErrorCode::kUnsupported;
  const bool may_fail = execution.options.cpu_fallback && is_of_the_device(error.code);
  if (!is_refused && !may_fail) return false;
  before.restore(execution);
  execution.summary.why_cpu = is_refused ? error.what : error.message();
  if (!is_refused) execution.device = nullptr;
  return true;
}

std::uint64_t* MatchedRows::add(std::size_t table, std::uint64_t group, std::uint32_t first) {
  auto& bits = slices_[{table, group, first}];
  bits.resize(kSliceWords);
  return bits.data();
}

const std::uint64_t* MatchedRows::find(std::size_t table, std::uint64_t group,
                                       std::uint32_t first) const {
  const auto found = slices_.find({table, group, first});
  return found == slices_.end() ? nullptr : found->second.data();
}

OpenGroup group_opener(const Execution& execution) {
  return
      [device = execution.device.get()](
          const Table& table, std::uint64_t group) -> Result<std::shared_ptr<const GroupReader>> {
        auto kept = device != nullptr ? device->kept_group(table, group) : nullptr;
        if (kept != nullptr) return kept;
        return GroupReader::open(table, group);
      };
}

/// An order needs all rows, whatever the limit.
bool wants_few_rows(const BoundQuery& query) {
  return query.sort_keys.empty() && query.last_row() <= kFewRows;
}

std::vector<NodeId> distinct_arguments(const BoundQuery& query) {
  std::vector<NodeId> arguments;
  for (const AggregateCall& call : query.aggregates) {
    if (call.kind != AggregateKind::kCountDistinct) continue;
    const bool is_known =
        std::find(arguments.begin(), arguments.end(), *call.argument) != arguments.end();
    if (!is_known) arguments.push_back(*call.argument);
  }
  return arguments;
}

/// A device finds only the rows here; the CPU computes what is wanted of them.
Status match_on_device(Execution& execution) {
  QueryDevice* const device = execution.device.get();
  if (device == nullptr) return {};
  QuerySummary& summary = execution.summary;
  const BoundQuery& query = execution.query;
  if (execution.joins != nullptr) {
    if (summary.why_cpu.empty()) summary.why_cpu = "joined rows, where they are not grouped";
  } else if (execution.plan.conditions.empty()) {
    if (summary.why_cpu.empty()) summary.why_cpu = "there is no condition";
  } else if (!query.grouped() && wants_few_rows(query)) {
    summary.why_cpu = "few rows are asked for";
  } else {
    const ReadState before(execution);
    auto rows = device->rows(execution);
    if (rows.ok()) {
      execution.matched = std::move(*rows);
      summary.device = device->name();
      summary.on_device = "conditions";
    } else if (!goes_on_without_device(execution, before, rows.error())) {
      return std::move(rows.error());
    }
  }
  return {};
}

}  // namespace presso::query
