// SPDX-License-Identifier: MIT
#include "lab/programs/table_gpu/rate_device.h"

#include <algorithm>
#include <optional>

#include "lab/harness/timing.h"
#include "presso/stopwatch.h"
#include "query/rows/table_facts.h"

namespace presso {

struct RateDevice::Prepared {
  explicit Prepared(const gpu::RunSpace& space) : strings(space) {}

  /// Of the kernel before this one; nullptr: there is none.
  const std::uint32_t* rows_before() const {
    return before.empty() ? nullptr : before.back()->run->row_bits();
  }

  gpu::LeafTables leaves;
  gpu::KeyCodeTables codes;
  gpu::TableConditions conditions;
  gpu::StringRows strings;
  std::vector<std::unique_ptr<Prepared>> before;  ///< kernels; these have none before
  // Of a kernel before:
  const gpu::PipelineBuilder* builder = nullptr;
  gpu::DeviceMemory values;
  std::unique_ptr<gpu::PipelineRun> run;
};

namespace {

/// Repeats the ranges of each leaf's slices, once for each copy of the table.
void repeat_ranges(gpu::LeafTables& leaves, std::size_t slices, unsigned copies) {
  std::vector<gpu::LeafRange> ranges;
  for (std::size_t leaf = 0; leaf < leaves.ranges.size() / slices; ++leaf) {
    const auto begin = leaves.ranges.begin() + static_cast<std::ptrdiff_t>(leaf * slices);
    for (unsigned i = 0; i < copies; ++i) {
      ranges.insert(ranges.end(), begin, begin + static_cast<std::ptrdiff_t>(slices));
    }
  }
  leaves.ranges = std::move(ranges);
}

/// Groups by their numbers or keys, which are their last words.
std::vector<const std::uint64_t*> in_order(const gpu::GroupRecords& groups) {
  std::vector<const std::uint64_t*> all;
  for (const auto& piece : groups.pieces) {
    for (std::size_t i = 0; i < piece.size(); i += groups.words) all.push_back(piece.data() + i);
  }
  const std::size_t last = groups.words - 1;
  std::sort(all.begin(), all.end(),
            [last](const std::uint64_t* a, const std::uint64_t* b) { return a[last] < b[last]; });
  return all;
}

/// Whether so many copies add up in word `i` of a group: else it has of all what it has of one.
bool is_sum(const gpu::Pipeline& pipeline, std::size_t i) {
  using Kind = gpu::PipelineCell::Kind;
  if (i < gpu::kGroupCells || i == gpu::kGroupCells + pipeline.cells) return false;
  const Kind kind = pipeline.cell[i - gpu::kGroupCells].kind;
  return kind != Kind::kMin && kind != Kind::kMax;
}

/// Which cell has the upper halves of the sum whose lower ones cell `low` has; nothing: it has
/// none.
std::optional<std::size_t> upper_half_of(const gpu::Pipeline& pipeline, std::size_t low) {
  using Kind = gpu::PipelineCell::Kind;
  if (low < gpu::kGroupCells || low >= gpu::kGroupCells + pipeline.cells) return std::nullopt;
  const gpu::PipelineCell& of = pipeline.cell[low - gpu::kGroupCells];
  for (std::size_t i = 0; of.kind == Kind::kSumLow && i < pipeline.cells; ++i) {
    const gpu::PipelineCell& other = pipeline.cell[i];
    if (other.kind == Kind::kSumHigh && other.from.bits == of.from.bits) {
      return gpu::kGroupCells + i;
    }
  }
  return std::nullopt;
}

/// Whether the cells of words `i` and i + 1 are neighbouring limbs of a sum of doubles.
bool has_next_limb(const gpu::Pipeline& pipeline, std::size_t i) {
  if (i < gpu::kGroupCells || i + 1 >= gpu::kGroupCells + pipeline.cells) return false;
  const gpu::PipelineCell& of = pipeline.cell[i - gpu::kGroupCells];
  const gpu::PipelineCell& next = pipeline.cell[i + 1 - gpu::kGroupCells];
  return of.part == gpu::RealPart::kLimb && next.part == of.part && next.column == of.column + 1;
}

/// Returns a group's words with each sum multiplied by `times`. Several cells may share a sum in
/// many ways; here upper halves have been added to lower ones, and every limb except the last one
/// has 32 bits, so that equal sums have equal words.
std::vector<std::uint64_t> whole_sums(const gpu::Pipeline& pipeline, const std::uint64_t* words,
                                      std::size_t count, std::uint64_t times) {
  constexpr unsigned kHalf = 32;  // allow(bare-32): bits
  std::vector<std::uint64_t> whole(words, words + count);
  for (std::size_t i = 0; i < count; ++i) {
    if (is_sum(pipeline, i)) whole[i] *= times;
  }
  for (std::size_t i = 0; i < count; ++i) {
    if (has_next_limb(pipeline, i)) {
      const auto carry = static_cast<std::int64_t>(whole[i]) >> kHalf;
      whole[i] -= static_cast<std::uint64_t>(carry) << kHalf;
      whole[i + 1] += static_cast<std::uint64_t>(carry);
    }
    const auto upper = upper_half_of(pipeline, i);
    if (!upper) continue;
    whole[i] += whole[*upper] << kHalf;
    whole[*upper] = 0;
  }
  return whole;
}

}  // namespace

Status RateDevice::prepare(const gpu::RunSpace& space, const query::Execution& execution,
                           const gpu::PipelineBuilder& builder, const TableCopies& tables,
                           unsigned copies, Prepared& made) {
  const gpu::LoadedTable& first = tables.first();
  PRESSO_ASSIGN(made.leaves,
                builder.leaf_tables(first, query::physical_of(execution.scan.columns)));
  repeat_ranges(made.leaves, first.slices().size(), copies);
  made.codes = builder.code_tables(first);
  PRESSO_ASSIGN(made.conditions, builder.conditions_over(first));
  PRESSO_TRY(
      made.strings.prepare(tables.stored(), made.conditions.strings, made.conditions.few_are_left));
  PRESSO_TRY(prepare_before(space, execution, builder, tables, copies, made));
  return space.device().wait(space.stream);
}

Status RateDevice::prepare_before(const gpu::RunSpace& space, const query::Execution& execution,
                                  const gpu::PipelineBuilder& builder, const TableCopies& tables,
                                  unsigned copies, Prepared& made) {
  for (const auto& kernel : builder.kernels_before()) {
    auto before = std::make_unique<Prepared>(space);
    PRESSO_TRY(prepare(space, execution, kernel->builder, tables, copies, *before));
    before->builder = &kernel->builder;
    gpu::Pipeline pipeline = kernel->pipeline;
    PRESSO_ASSIGN(before->values, gpu::place_values(space, kernel->builder, pipeline));
    before->run = std::make_unique<gpu::PipelineRun>(space);
    PRESSO_TRY(before->run->begin(pipeline, true));
    before->run->set_conditions(before->conditions.steps, before->strings, made.rows_before());
    PRESSO_TRY(
        before->run->prepare(tables.first(), tables.blocks(), before->leaves, before->codes));
    made.before.push_back(std::move(before));
  }
  return {};
}

/// All kernels before the last one, as KernelsBefore::enqueue().
Status RateDevice::enqueue_before(Prepared& prepared, const TableCopies& tables, unsigned copies,
                                  gpu::KernelMeter& meter) {
  const std::uint32_t* left = nullptr;
  for (const auto& kernel : prepared.before) {
    PRESSO_TRY(meter.begin());
    PRESSO_TRY(kernel->strings.enqueue(left));
    left = kernel->run->row_bits();
    PRESSO_TRY(kernel->run->enqueue());
    PRESSO_TRY(
        meter.add(*kernel->builder, kernel->conditions, *kernel->run, tables.first(), copies));
  }
  return {};
}

/// Enqueues the kernels that list all groups, as PipelineRun::groups() does, without their way to
/// the host: pieces go to the same memory one after another.
Status RateDevice::list(const gpu::RunSpace& space, const gpu::Pipeline& pipeline,
                        const gpu::DeviceMemory& memory) {
  if (!pipeline.has_groups) return {};
  gpu::GroupList list;
  list.count = reinterpret_cast<std::uint64_t*>(memory.get());
  list.records = reinterpret_cast<std::uint64_t*>(memory.get() + gpu::MemoryParts::kAlignment);
  const std::uint64_t words =
      (memory.bytes() - gpu::MemoryParts::kAlignment) / sizeof(std::uint64_t);
  while (list.end < pipeline.groups) {
    list.begin = list.end;
    list.end = std::min(pipeline.groups, list.begin + words / gpu::record_words(pipeline));
    PRESSO_TRY(space.kernels.clear(memory.get(), gpu::MemoryParts::kAlignment, space.stream));
    PRESSO_TRY(space.kernels.list_groups(pipeline, list, space.stream));
  }
  return {};
}

/// For groups, as queries find it: rows in parts, or else a larger table.
bool RateDevice::find_room(const gpu::RunSpace& space, gpu::QueryPipeline& made) const {
  if (made.pipeline.place == gpu::GroupPlace::kParts) {
    gpu::leave_parts(made.pipeline);
    made.needs_table = true;
  }
  const bool may_take_parts = made.of_build_rows.empty() && !made.needs_table;
  const std::uint64_t order_limit = made.builder.order_limit() * options_.copies;
  return (may_take_parts && gpu::take_parts(space, most_rows_, order_limit, made.pipeline)) ||
         made.builder.enlarge_table(made.pipeline);
}

/// Seconds from clearing the groups until they are listed in device memory; where a table of groups
/// was too small, those of a larger one.
Result<double> RateDevice::run(const gpu::RunSpace& space, gpu::QueryPipeline& made,
                               const TableCopies& tables, unsigned copies, Prepared& prepared,
                               Found* found, gpu::KernelCosts* costs) {
  for (;;) {
    if (costs != nullptr) costs->clear();
    gpu::KernelMeter meter(space, costs);
    gpu::PipelineRun run(space);
    PRESSO_TRY(run.begin(made.pipeline));
    run.set_conditions(prepared.conditions.steps, prepared.strings, prepared.rows_before());
    PRESSO_TRY(run.prepare(tables.first(), tables.blocks(), prepared.leaves, prepared.codes));
    const bool by_parts = made.pipeline.place == gpu::GroupPlace::kParts;
    const std::uint64_t list_bytes =
        by_parts ? 0 : made.pipeline.groups * gpu::record_words(made.pipeline) * 8;
    PRESSO_ASSIGN(
        const gpu::DeviceMemory listed,
        space.memory.allocate(gpu::MemoryParts::kAlignment + std::min(list_bytes, kMostListBytes)));
    PRESSO_TRY(space.device().wait(space.stream));
    const bool has_groups = made.pipeline.has_groups;
    const Stopwatch time;
    if (has_groups && !by_parts) {
      PRESSO_TRY(space.kernels.clear_cells(run.pipeline(), space.stream));
    }
    PRESSO_TRY(enqueue_before(prepared, tables, copies, meter));
    PRESSO_TRY(meter.begin());
    PRESSO_TRY(prepared.strings.enqueue(prepared.rows_before()));
    PRESSO_TRY(run.enqueue());
    PRESSO_TRY(run.make_groups());
    PRESSO_TRY(meter.add(made.builder, prepared.conditions, run, tables.first(), copies));
    if (has_groups && !by_parts) PRESSO_TRY(list(space, run.pipeline(), listed));
    PRESSO_TRY(space.device().wait(space.stream));
    const double seconds = time.seconds();
    PRESSO_TRY(meter.finish());
    PRESSO_ASSIGN(const std::uint64_t fault, run.fault());
    if (fault == gpu::kRealIsOutside) {
      return make_error(ErrorCode::kUnsupported, "doubles that are too far from each other");
    }
    if (fault != 0) {
      if (find_room(space, made)) continue;
      return make_error(ErrorCode::kDeviceMemory, "keys of groups find no place");
    }
    if (found == nullptr) return seconds;
    PRESSO_ASSIGN(found->matched, run.matched());
    if (made.pipeline.place == gpu::GroupPlace::kNone) return seconds;
    PRESSO_ASSIGN(found->groups, run.groups());
    return seconds;
  }
}

Status RateDevice::compare(const gpu::Pipeline& pipeline, const Found& one) const {
  bool is_same = found_.matched == one.matched * options_.copies;
  const std::vector<const std::uint64_t*> of_one = in_order(one.groups);
  const std::vector<const std::uint64_t*> of_all = in_order(found_.groups);
  is_same = is_same && of_all.size() == of_one.size();
  for (std::size_t group = 0; is_same && group < of_one.size(); ++group) {
    const std::size_t words = one.groups.words;
    is_same = whole_sums(pipeline, of_all[group], words, 1) ==
              whole_sums(pipeline, of_one[group], words, options_.copies);
  }
  if (is_same) return {};
  return make_error(ErrorCode::kDeviceLost, "copies give something else than one: they match " +
                                                std::to_string(found_.matched) + " rows, " +
                                                std::to_string(one.matched));
}

Status RateDevice::measure(query::Execution& execution, const query::GroupInput& input) {
  PRESSO_ASSIGN(const gpu::OwnedStream stream, gpu::make_stream(memory_.device()));
  gpu::PinnedPieces pinned(memory_);
  gpu::RunSpace space{memory_, kernels_, strings_, pinned, stream.get()};
  space.compiler = options_.compiler;
  most_rows_ = execution.summary.rows_in * options_.copies;
  for (const query::AggregateCall& call : execution.query.aggregates) {
    if (call.kind == query::AggregateKind::kCountDistinct) return gpu::refused("count(distinct)");
  }
  PRESSO_ASSIGN(const auto made, gpu::make_group_pipeline(space, execution, input, most_rows_, {}));
  if (made->in_parts) return gpu::refused("a build side that has to be made in parts");
  Found one;
  {
    TableCopies table;
    PRESSO_TRY(table.load_first(space, execution.tables, made->builder));
    Prepared prepared(space);
    PRESSO_TRY(prepare(space, execution, made->builder, table, 1, prepared));
    PRESSO_TRY(run(space, *made, table, 1, prepared, &one, nullptr));
  }
  TableCopies tables;
  PRESSO_TRY(
      tables.load_all(space, execution.tables, made->builder, options_.copies, options_.layout));
  Prepared prepared(space);
  PRESSO_TRY(prepare(space, execution, made->builder, tables, options_.copies, prepared));
  constexpr int kWarmUps = 2;
  std::vector<double> times;
  std::vector<gpu::KernelCosts> of_runs;
  for (int i = 0; i < options_.runs + kWarmUps; ++i) {
    const bool is_last = i + 1 == options_.runs + kWarmUps;
    PRESSO_ASSIGN(const double seconds,
                  run(space, *made, tables, options_.copies, prepared, is_last ? &found_ : nullptr,
                      options_.times_kernels ? &costs_ : nullptr));
    if (i < kWarmUps) continue;
    times.push_back(seconds);
    of_runs.push_back(costs_);
  }
  take_times(of_runs);
  for (const auto& kernel : prepared.before) PRESSO_TRY(kernel->strings.check());
  PRESSO_TRY(prepared.strings.check());
  PRESSO_TRY(compare(made->pipeline, one));
  median_ = harness::summary(std::move(times)).median;
  rows_read_ = tables.rows();
  bytes_ = tables.bytes_read();
  return {};
}

/// The median of what each kernel took.
void RateDevice::take_times(const std::vector<gpu::KernelCosts>& of_runs) {
  for (std::size_t i = 0; i < costs_.size(); ++i) {
    std::vector<double> times;
    for (const gpu::KernelCosts& run : of_runs) times.push_back(run[i].seconds);
    costs_[i].seconds = harness::summary(std::move(times)).median;
  }
}

Result<query::RowStore> RateDevice::groups(query::Execution& execution,
                                           const query::GroupInput& input) {
  const Status measured = measure(execution, input);
  if (!measured.ok()) why_not_ = measured.error().message();
  return make_error(ErrorCode::kUnsupported, "it was timed");
}

}  // namespace presso
