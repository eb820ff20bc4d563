// SPDX-License-Identifier: MIT
// Implements query_on_gpu.h: runs a query's pipeline, and again with more room or another place for
// groups where the first one did not suffice. kUnsupported, which leaves the query to the CPU,
// where there may be too little device memory for the groups.
#include "query/gpu/table/query_on_gpu.h"

#include <algorithm>

#include "query/gpu/table/build_passes.h"
#include "query/gpu/table/group_merge.h"
#include "query/gpu/table/joined_rows.h"
#include "query/gpu/table/kernel_costs.h"
#include "query/rows/table_facts.h"

namespace presso::gpu {

using query::RowStore;

namespace {

/// How many rows sums have room for at first, in as few cells as may be: more than these are rare
/// where rows have several partners.
std::uint64_t expected_rows(const query::Execution& execution, const SumLimits& limits) {
  constexpr std::uint64_t kMostPartners = 16;
  const std::uint64_t rows = execution.summary.rows_in;
  if (execution.joins == nullptr || rows > limits.limbs) return rows;
  return std::min({rows * kMostPartners, limits.limbs, execution.query.most_rows});
}

/// Waits for a query's work on the device when it ends, whatever has become of it: the next one
/// gets memory that it used.
struct AtRest {
  Device& device;
  Stream stream;
  ~AtRest() { static_cast<void>(device.wait(stream)); }
};

/// What a query's kernels cost, where somebody wants to know.
class WantedCosts {
 public:
  explicit WantedCosts(query::Execution& execution) : execution_(execution) {}

  QueryCosts* get() {
    const bool are_wanted = execution_.is_analyzed || execution_.options.times_kernels;
    return are_wanted ? &costs_ : nullptr;
  }
  /// Once all kernels have run.
  void tell() {
    execution_.summary.kernel_seconds = costs_.seconds();
    if (!execution_.is_analyzed) return;
    for (std::string& line : costs_.lines()) execution_.notes.push_back(std::move(line));
  }

 private:
  query::Execution& execution_;
  QueryCosts costs_;
};

Status check_group_strategy(const query::Execution& execution) {
  const bool is_auto = execution.options.group_strategy == GroupStrategy::kAuto;
  if (is_auto || execution.query.keys.empty()) return {};
  return refused("a strategy of groups was asked for");
}

/// Where a table of groups was too small: their rows are divided into parts, or, where that cannot
/// be, or was tried, the table is made larger.
Status find_room_for_groups(const RunSpace& space, query::Execution& execution,
                            std::uint64_t most_rows, QueryPipeline& groups) {
  Pipeline& pipeline = groups.pipeline;
  if (pipeline.place == GroupPlace::kParts) {
    leave_parts(pipeline);
    groups.needs_table = true;
  }
  // Rows of build sides, and of their parts, come to the groups by pipelines of their own.
  const bool has_one_pipeline = groups.of_build_rows.empty() && !groups.in_parts;
  const std::vector<StageUse>& stages = groups.builder.stages();
  const bool multiplies = std::any_of(stages.begin(), stages.end(),
                                      [](const StageUse& use) { return use.multiplies(); });
  if (!multiplies) most_rows = query::rows_of(execution.tables);
  if (has_one_pipeline && !groups.needs_table &&
      take_parts(space, most_rows, groups.builder.order_limit(), pipeline)) {
    execution.notes.push_back("on the GPU: rows in parts, by what they are grouped by");
    return {};
  }
  if (!groups.builder.enlarge_table(pipeline)) {
    return refused("keys of groups that have too many others near them");
  }
  execution.notes.push_back("on the GPU: a larger table of groups, of " +
                            grouped(table_places(pipeline)) + " places");
  return {};
}

/// Changes the pipeline so that what was met does not happen again.
Status go_round(const RunSpace& space, std::uint64_t fault, query::Execution& execution,
                std::uint64_t most_rows, QueryPipeline& groups) {
  ++execution.summary.passes;
  if (fault == kTableIsFull) return find_room_for_groups(space, execution, most_rows, groups);
  // More limbs are more words for each row, for which there may be no room.
  if (groups.pipeline.place == GroupPlace::kParts) leave_parts(groups.pipeline);
  std::vector<Pipeline*> pipelines = {&groups.pipeline};
  for (BuildRowPipeline& one : groups.of_build_rows) pipelines.push_back(&one.pipeline);
  if (!groups.builder.add_limbs(pipelines)) {
    return refused("sums of doubles that are too far from each other");
  }
  execution.notes.push_back("on the GPU: sums of doubles in more cells");
  return {};
}

/// Over all tables; again, from the first pass on, where a table of groups was too small, or cells
/// of doubles. Gives the rows that matched; nothing: they are more than sums have room for, of
/// which nothing more is read then.
Result<std::optional<std::uint64_t>> run_until_all_have_groups(const RunSpace& space,
                                                               query::Execution& execution,
                                                               std::uint64_t most_rows,
                                                               QueryPipeline& groups,
                                                               PipelineRun& run) {
  const Pipeline& pipeline = groups.pipeline;
  std::uint64_t matched = 0;
  const auto have_room = [&] { return matched <= groups.builder.most_rows(); };
  const auto count = [&]() -> Status {
    PRESSO_ASSIGN(matched, run.matched());
    return have_room() ? Status() : refused("sums of more rows than there is room for");
  };
  PassActions actions;
  actions.table = [&](const LoadedTable&) { return count(); };
  actions.build_rows = [&](std::size_t) { return count(); };
  const auto run_once = [&]() -> Result<std::uint64_t> {
    PRESSO_TRY(run.begin(pipeline));
    PRESSO_TRY(run_passes(space, execution, groups, run, actions));
    PRESSO_TRY(run.make_groups());
    return run.fault();
  };
  for (;;) {
    const bool by_parts = pipeline.place == GroupPlace::kParts;
    // Half of it is for what is loaded of the table, and there are build sides.
    if (!by_parts && group_bytes(pipeline) > space.memory.device_bytes_left() / 4) {
      return refused("groups for which there may be too little device memory");
    }
    matched = 0;
    Result<std::uint64_t> fault = run_once();
    if (!have_room()) return std::optional<std::uint64_t>();
    // Rows in parts may have left too little memory for the rest; a table of groups may do with
    // that.
    if (by_parts && !fault.ok() &&
        (fault.error().code == ErrorCode::kDeviceMemory ||
         fault.error().code == ErrorCode::kUnsupported)) {
      fault = kTableIsFull;
    }
    PRESSO_TRY(fault);
    if (*fault == 0) return std::optional(matched);
    run.drop_rows();
    PRESSO_TRY(go_round(space, *fault, execution, most_rows, groups));
  }
}

/// All pairs, where rows that match stand for several.
std::uint64_t pairs_of(const QueryPipeline& groups, const GroupRecords& records) {
  std::uint64_t pairs = 0;
  for (const auto& piece : records.pieces) {
    for (std::size_t at = 0; at < piece.size(); at += records.words) {
      pairs += piece[at + kGroupCells + *groups.builder.pair_count()];
    }
  }
  return pairs;
}

/// Of the choice, between the same groups in the same order.
void copy_counts(const query::BoundQuery& query, const AggregateChoice& choice, RowStore& from,
                 RowStore& to) {
  for (std::size_t i = 0; i < query.aggregates.size(); ++i) {
    if (!choice.gives(query.aggregates[i])) continue;
    const std::size_t column = query.keys.size() + i;
    std::copy_n(from.values(column), to.rows() * sizeof(std::int64_t), to.values(column));
  }
}

/// Of the notes from `first` on, those that there are before go: passes make the same build sides.
void drop_repeated(std::vector<std::string>& notes, std::size_t first) {
  const auto begin = notes.begin() + static_cast<std::ptrdiff_t>(first);
  notes.erase(std::remove_if(begin, notes.end(),
                             [&](const std::string& note) {
                               return std::find(notes.begin(), begin, note) != begin;
                             }),
              notes.end());
}

}  // namespace

Result<RowStore> QueryOnGpu::groups(query::Execution& execution, const query::GroupInput& input) {
  PRESSO_TRY(check_group_strategy(execution));
  PRESSO_ASSIGN(const OwnedStream stream, make_stream(*device_));
  const AtRest at_rest{*device_, stream.get()};
  PinnedPieces pinned(memory_);
  const KeptQueue::Lent queue = queue_.lend(execution.threads);
  WantedCosts costs(execution);
  const RunSpace space = this->space(pinned, *queue, stream.get(), costs.get());
  const std::vector<query::NodeId> distinct = query::distinct_arguments(execution.query);
  AggregateChoice choice;
  if (!distinct.empty()) choice.distinct = distinct[0];
  PRESSO_ASSIGN(RowStore all, groups(space, execution, input, choice));
  choice.others = false;
  for (std::size_t i = 1; i < distinct.size(); ++i) {
    choice.distinct = distinct[i];
    ++execution.summary.passes;
    const std::size_t told = execution.notes.size();
    PRESSO_ASSIGN(RowStore counted, groups(space, execution, input, choice));
    drop_repeated(execution.notes, told);
    copy_counts(execution.query, choice, counted, all);
  }
  costs.tell();
  return all;
}

/// The aggregates of the choice; others are whatever stands there.
Result<RowStore> QueryOnGpu::groups(const RunSpace& space, query::Execution& execution,
                                    const query::GroupInput& input, const AggregateChoice& choice) {
  const query::ReadState before(execution);
  const std::uint64_t most_rows = std::min(execution.query.most_rows, sums_.most);
  for (std::uint64_t rows = expected_rows(execution, sums_);;) {
    PRESSO_ASSIGN(const auto groups, make_group_pipeline(space, execution, input, rows, choice));
    PipelineRun pipeline_run(space);
    PRESSO_ASSIGN(const auto matched,
                  run_until_all_have_groups(space, execution, rows, *groups, pipeline_run));
    if (matched) {
      PRESSO_ASSIGN(FoundGroups found, find_groups(space, *groups, *matched, pipeline_run));
      if (found.matched <= groups->builder.most_rows()) {
        return answer(space, execution, input, *groups, found);
      }
    }
    if (rows >= most_rows) return refused("sums of more than " + grouped(rows) + " joined rows");
    rows = most_rows;
    before.restore(execution);
    ++execution.summary.passes;
    execution.notes.push_back("on the GPU: sums of many joined rows in more cells");
  }
}

/// Brings back what the run has made of the `matched` rows.
Result<FoundGroups> QueryOnGpu::find_groups(const RunSpace& space, const QueryPipeline& groups,
                                            std::uint64_t matched, PipelineRun& run) {
  FoundGroups found;
  found.matched = matched;
  if (groups.builder.distinct()) {
    PRESSO_ASSIGN(const std::uint64_t table_bytes, first_table_bytes(space));
    PRESSO_ASSIGN(found.records, merged_groups(space, groups.builder, table_bytes, run));
  } else if (!groups.builder.counts_only()) {
    PRESSO_ASSIGN(found.records, run.groups());
  }
  if (groups.builder.pair_count()) found.matched = pairs_of(groups, found.records);
  return found;
}

/// Makes the answer of what has come back, and fetches the keys that are missing in it.
Result<RowStore> QueryOnGpu::answer(const RunSpace& space, query::Execution& execution,
                                    const query::GroupInput& input, const QueryPipeline& groups,
                                    FoundGroups& found) {
  execution.summary.rows_matched = found.matched;
  PRESSO_ASSIGN(found.row_keys, keys_of_rows(space, groups));
  PRESSO_TRY(fetch_strings(space, groups.builder, found));
  const DeviceStep step(*device_, "groups in order");
  return rows_of_groups(groups.builder, execution, input, found);
}

Result<std::vector<RowStore>> QueryOnGpu::joined_rows(query::Execution& execution,
                                                      const std::vector<std::size_t>& columns) {
  PRESSO_ASSIGN(const OwnedStream stream, make_stream(*device_));
  const AtRest at_rest{*device_, stream.get()};
  PinnedPieces pinned(memory_);
  const KeptQueue::Lent queue = queue_.lend(execution.threads);
  WantedCosts costs(execution);
  const RunSpace space = this->space(pinned, *queue, stream.get(), costs.get());
  PRESSO_ASSIGN(const auto made, make_row_pipeline(space, execution, columns));
  JoinedRows rows(space, execution, *made);
  PRESSO_ASSIGN(std::vector<RowStore> stores, rows.run());
  costs.tell();
  return stores;
}

Result<std::shared_ptr<const query::MatchedRows>> QueryOnGpu::rows(query::Execution& execution) {
  ColumnCodes codes(execution);
  PipelineBuilder builder(execution, codes);
  PRESSO_TRY(builder.add_conditions());
  PRESSO_ASSIGN(Pipeline pipeline, builder.finish());
  PRESSO_ASSIGN(const OwnedStream stream, make_stream(*device_));
  const AtRest at_rest{*device_, stream.get()};
  PinnedPieces pinned(memory_);
  const KeptQueue::Lent queue = queue_.lend(execution.threads);
  WantedCosts costs(execution);
  const RunSpace space = this->space(pinned, *queue, stream.get(), costs.get());
  PRESSO_ASSIGN(const DeviceMemory values, place_values(space, builder, pipeline));
  PipelineRun pipeline_run(space);
  PRESSO_TRY(pipeline_run.begin(pipeline, true));
  auto matched = std::make_shared<query::MatchedRows>();
  PRESSO_TRY(run_over_tables(
      space, execution, builder, pipeline_run, [&](const LoadedTable& table) -> Status {
        PRESSO_ASSIGN(const std::vector<std::uint64_t> bits, pipeline_run.rows());
        for (std::size_t i = 0; i < table.slices().size(); ++i) {
          const LoadedSlice& slice = table.slices()[i];
          const LoadedGroup& group = table.groups()[slice.group];
          const auto from = bits.begin() + static_cast<std::ptrdiff_t>(i * query::kSliceWords);
          if (std::none_of(from, from + query::kSliceWords,
                           [](std::uint64_t word) { return word != 0; })) {
            continue;
          }
          std::copy_n(from, query::kSliceWords,
                      matched->add(group.table, group.reader->group(), slice.first));
        }
        return {};
      }));
  PRESSO_TRY(pipeline_run.fault());
  costs.tell();
  return std::shared_ptr<const query::MatchedRows>(std::move(matched));
}

Result<std::shared_ptr<const ResidentTable>> QueryOnGpu::load(std::vector<Table> tables,
                                                              std::vector<std::size_t> columns,
                                                              unsigned threads) {
  PRESSO_ASSIGN(const OwnedStream stream, make_stream(*device_));
  const AtRest at_rest{*device_, stream.get()};
  PinnedPieces pinned(memory_);
  const KeptQueue::Lent queue = queue_.lend(threads);
  const RunSpace space = this->space(pinned, *queue, stream.get());
  PRESSO_ASSIGN(auto table,
                ResidentTable::load(space, std::move(tables), std::move(columns), threads));
  residents_.add(table);
  return table;
}

}  // namespace presso::gpu
