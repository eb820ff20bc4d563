// SPDX-License-Identifier: MIT
#include "scan/gpu/table/query_on_gpu.h"

#include <algorithm>

#include "scan/group/ratio.h"
#include "scan/query/table_facts.h"

namespace presso::gpu {
namespace {

using query::AggregateKind;
using query::Int128;
using query::Physical;
using query::RowStore;

/// What row groups may take of the device's memory at a time; of a smaller limit a half.
constexpr std::uint64_t kMostLoadedBytes = std::uint64_t{1} << 30;

/// Rows of an answer from the cells of groups.
class GroupTable {
 public:
  GroupTable(const PipelineBuilder& builder, const query::BoundQuery& bound,
             const query::GroupInput& input, const std::vector<std::uint64_t>& cells)
      : builder_(builder), bound_(bound), input_(input), cells_(cells) {
    for (std::uint64_t group = 0; group < builder.groups(); ++group) {
      if (row_count(group) != 0 || bound.keys.empty()) groups_.push_back(group);
    }
    std::sort(groups_.begin(), groups_.end(),
              [this](std::uint64_t a, std::uint64_t b) { return first_row(a) < first_row(b); });
  }

  RowStore make() {
    std::vector<Physical> physical;
    for (std::size_t i = 0; i < bound_.keys.size(); ++i) physical.push_back(Physical::kInt64);
    for (const query::AggregateSpec& spec : input_.plan().aggregates) {
      physical.push_back(spec.kind == AggregateKind::kSum       ? Physical::kInt128
                         : spec.kind == AggregateKind::kAverage ? Physical::kDouble
                                                                : Physical::kInt64);
    }
    RowStore rows(physical);
    rows.resize_unset(groups_.size());
    for (std::size_t i = 0; i < bound_.keys.size(); ++i) write_key(rows, i);
    for (std::size_t i = 0; i < bound_.aggregates.size(); ++i) write_aggregate(rows, i);
    rows.drop_idle_validity();
    return rows;
  }

 private:
  std::uint64_t row_count(std::uint64_t group) const {
    if (builder_.counts_rows()) return cells_[group];
    return first_row(group) == ~std::uint64_t{0} ? 0 : 1;
  }
  std::uint64_t first_row(std::uint64_t group) const { return cells_[builder_.groups() + group]; }
  std::uint64_t cell(std::size_t i, std::uint64_t group) const {
    return cells_[(kGroupCells + i) * builder_.groups() + group];
  }

  static void set_null(RowStore& rows, std::size_t column, std::uint64_t row) {
    rows.validity(column)[row / 64] &= ~(std::uint64_t{1} << (row % 64));
  }

  void write_key(RowStore& rows, std::size_t i) const {
    const PipelineBuilder::Key& key = builder_.keys()[i];
    auto* const to = reinterpret_cast<std::int64_t*>(rows.values(i));
    for (std::size_t row = 0; row < groups_.size(); ++row) {
      const std::uint64_t value = groups_[row] / key.stride % key.values;
      const bool is_null = key.nullable && value == key.values - 1;
      to[row] =
          is_null ? 0 : static_cast<std::int64_t>(static_cast<std::uint64_t>(key.least) + value);
      if (is_null) set_null(rows, i, row);
    }
  }

  Int128 sum_of(const CellsOfAggregate& of, std::uint64_t group) const {
    const std::uint64_t low = cell(*of.low, group);
    if (!of.high) return static_cast<std::int64_t>(low);
    return (Int128{static_cast<std::int64_t>(cell(*of.high, group))} << 32) +
           static_cast<Int128>(low);
  }

  void write_aggregate(RowStore& rows, std::size_t i) const {
    const std::size_t column = bound_.keys.size() + i;
    const CellsOfAggregate& of = builder_.aggregates()[i];
    const query::AggregateSpec& spec = input_.plan().aggregates[i];
    Byte* const to = rows.values(column);
    for (std::size_t row = 0; row < groups_.size(); ++row) {
      const std::uint64_t group = groups_[row];
      const std::uint64_t count = of.count ? cell(*of.count, group) : row_count(group);
      switch (spec.kind) {
        case AggregateKind::kCountRows:
          store(to + 8 * row, row_count(group));
          continue;
        case AggregateKind::kCount:
          store(to + 8 * row, count);
          continue;
        case AggregateKind::kSum:
          store(to + 16 * row, count == 0 ? Int128{0} : sum_of(of, group));
          break;
        case AggregateKind::kAverage: {
          query::grouping::WideSum sum;
          if (count != 0) sum.add(sum_of(of, group));
          store(to + 8 * row,
                count == 0 ? 0.0 : query::grouping::average_rounded(sum, spec.scale, count));
          break;
        }
        default:
          store(to + 8 * row,
                count == 0 ? std::uint64_t{0} : cell(*of.low, group) ^ (std::uint64_t{1} << 63));
      }
      if (count == 0) set_null(rows, column, row);
    }
  }

  const PipelineBuilder& builder_;
  const query::BoundQuery& bound_;
  const query::GroupInput& input_;
  const std::vector<std::uint64_t>& cells_;
  std::vector<std::uint64_t> groups_;
};

/// Whether zones leave a slice open.
WantsRows wanted_by(const query::FilterPlan& plan) {
  return
      [&plan](const GroupReader& group, std::uint32_t first, std::uint32_t rows) -> Result<bool> {
        return std::none_of(plan.conditions.begin(), plan.conditions.end(),
                            [&](const query::Condition& condition) {
                              return query::answer_by_zones(condition.filter, group, first, rows) ==
                                     query::Answer::kNone;
                            });
      };
}

}  // namespace

Status QueryOnGpu::run(query::Execution& execution, const PipelineBuilder& builder,
                       PipelineRun& run, Stream stream, const query::GroupInput* input,
                       const std::function<Status(const DeviceTable&)>& done) {
  TableLoader loader(memory_, *kernels_, execution.tables, builder.columns(), *execution.counters,
                     builder.string_columns());
  const WantsRows wants = wanted_by(execution.plan);
  for (;;) {
    if (execution.options.cancelled != nullptr &&
        execution.options.cancelled->load(std::memory_order_relaxed)) {
      return make_error(ErrorCode::kCancelled);
    }
    PRESSO_ASSIGN(
        const std::optional<DeviceTable> table,
        loader.next(stream, std::min(kMostLoadedBytes, memory_.limits().device_bytes / 2), wants));
    if (!table) break;
    PRESSO_ASSIGN(const LeafTables leaves,
                  builder.leaf_tables(*table, query::physical_of(execution.scan.columns)));
    const CodeTables codes = input == nullptr ? CodeTables{} : builder.code_tables(*table, *input);
    PRESSO_ASSIGN(const TableConditions conditions, builder.conditions_over(*table));
    StringRows strings(memory_, *strings_, stream);
    PRESSO_TRY(strings.prepare({&*table}, conditions.strings));
    run.set_conditions(conditions.steps, strings);
    PRESSO_TRY(run.prepare(*table, table->blocks(), leaves, codes));
    PRESSO_TRY(strings.enqueue());
    PRESSO_TRY(run.enqueue());
    PRESSO_TRY(device_->wait(stream));
    PRESSO_TRY(strings.check());
    PRESSO_TRY(done(*table));
  }
  execution.summary.bytes_read = execution.counters->bytes;
  execution.summary.blocks_read = execution.counters->blocks;
  execution.summary.bytes_stored = loader.stored_bytes();
  execution.summary.blocks_skipped =
      loader.blocks() - std::min<std::uint64_t>(loader.blocks(), execution.summary.blocks_read);
  return {};
}

Result<RowStore> QueryOnGpu::groups(query::Execution& execution, const query::GroupInput& input) {
  const query::BoundQuery& bound = execution.query;
  PipelineBuilder builder(*bound.input, execution.plan);
  PRESSO_TRY(builder.add_conditions());
  PRESSO_TRY(builder.add_groups(bound, input, execution.summary.rows_in));
  PRESSO_ASSIGN(const Pipeline pipeline, builder.finish());
  PRESSO_ASSIGN(const OwnedStream stream, make_stream(*device_));
  PipelineRun pipeline_run(memory_, *kernels_, stream.get());
  PRESSO_TRY(pipeline_run.begin(pipeline));
  PRESSO_TRY(run(execution, builder, pipeline_run, stream.get(), &input,
                 [](const DeviceTable&) { return Status(); }));
  PRESSO_ASSIGN(execution.summary.rows_matched, pipeline_run.matched());
  std::vector<std::uint64_t> cells{execution.summary.rows_matched, 0};
  if (!builder.counts_only()) {
    PRESSO_ASSIGN(cells, pipeline_run.cells());
  }
  return GroupTable(builder, bound, input, cells).make();
}

Result<std::shared_ptr<const query::MatchedRows>> QueryOnGpu::rows(query::Execution& execution) {
  PipelineBuilder builder(*execution.query.input, execution.plan);
  PRESSO_TRY(builder.add_conditions());
  PRESSO_ASSIGN(const Pipeline pipeline, builder.finish());
  PRESSO_ASSIGN(const OwnedStream stream, make_stream(*device_));
  PipelineRun pipeline_run(memory_, *kernels_, stream.get());
  PRESSO_TRY(pipeline_run.begin(pipeline, true));
  auto matched = std::make_shared<query::MatchedRows>();
  PRESSO_TRY(run(execution, builder, pipeline_run, stream.get(), nullptr,
                 [&](const DeviceTable& table) -> Status {
                   PRESSO_ASSIGN(const std::vector<std::uint64_t> bits, pipeline_run.rows());
                   for (std::size_t i = 0; i < table.slices().size(); ++i) {
                     const LoadedSlice& slice = table.slices()[i];
                     const LoadedGroup& group = table.groups()[slice.group];
                     const auto from =
                         bits.begin() + static_cast<std::ptrdiff_t>(i * query::kSliceWords);
                     if (std::none_of(from, from + query::kSliceWords,
                                      [](std::uint64_t word) { return word != 0; })) {
                       continue;
                     }
                     std::copy_n(from, query::kSliceWords,
                                 matched->add(group.table, group.reader->group(), slice.first));
                   }
                   return {};
                 }));
  return std::shared_ptr<const query::MatchedRows>(std::move(matched));
}

}  // namespace presso::gpu
