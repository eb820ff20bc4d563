// SPDX-License-Identifier: MIT
// Implements build_sides.h: makes the rows of each build side, chooses a lookup by the range and
// order of their keys, and builds it. What a pipeline cannot do is kUnsupported, which leaves the
// query to the CPU. So is a strategy that the user has chosen and the keys do not allow, unless the
// CPU must not take over (cpu_fallback); then it is kInvalidArgument.
#include "query/gpu/table/build_sides.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "decompress/gpu/runtime/memory_parts.h"
#include "query/filter/zone_counts.h"
#include "query/gpu/table/build_passes.h"
#include "query/gpu/table/resident_table.h"
#include "query/rows/table_facts.h"
#include "query/run/query_device.h"

namespace presso::gpu {

// --- one side

/// The keys of a part that lookups know, which others lie beside.
std::optional<LookupPlan::Range> BuildSideMaker::range_of(const KeyInterval& part) const {
  std::optional<LookupPlan::Range> range = builder_.key_range(use_);
  if (!range || part.is_all()) return range;
  const std::int64_t least = std::max(static_cast<std::int64_t>(range->least), part.least);
  const std::int64_t most = std::min(static_cast<std::int64_t>(range->most), part.most);
  if (least > most) return std::nullopt;
  return LookupPlan::Range{static_cast<std::uint64_t>(least), static_cast<std::uint64_t>(most)};
}

/// The strategy that is asked for does not suit the keys: an error, or the CPU's.
Error BuildSideMaker::unfit(const char* why) const {
  if (parent_.options.cpu_fallback) return refused(why);
  return make_error(ErrorCode::kInvalidArgument, why);
}

/// `rows`: how many there are, where that is known.
Result<bool> BuildSideMaker::make(const KeyInterval& part, const std::optional<std::uint64_t>& rows,
                                  BuildSide& side) {
  const DeviceStep step(space_.device(), "build side");
  side = {};
  if (use_.form == LookupForm::kArray && !LookupPlan::may_be_array(builder_.key_range(use_))) {
    return unfit(
        "a direct join on a GPU needs keys of the build side in a range of fewer than 2^32");
  }
  const std::optional<LookupPlan::Range> range = range_of(part);
  PRESSO_ASSIGN(BuildRows made, rows_.make(part, range, rows));
  side.rows = made.rows;
  side.order_bits = made.order_bits;
  if (!made.fit) return false;
  side.values = std::move(made.memory.values);
  side.host_values = std::move(made.memory.host_values);
  side.columns = std::move(made.memory.columns);
  for (RowArray& column : side.columns) column.count = static_cast<std::uint32_t>(side.rows);
  const Status done = make_lookup(made, range, side);
  if (done.ok()) return true;
  if (!rows_.tries_fewer(done.error(), side.rows)) return done.error();
  side = {};
  side.rows = made.rows;
  side.order_bits = made.order_bits;
  return false;
}

namespace {

std::string name_of(const LookupPlan& plan) {
  switch (plan.form()) {
    case LookupForm::kTable:
      return "a table of keys";
    case LookupForm::kAscending:
      return "ascending keys";
    case LookupForm::kArray:
      break;
  }
  return "an array of " + grouped(plan.places()) + " places";
}

JoinRows join_rows(const BuildRows& rows) {
  JoinRows build;
  build.d_keys = rows.memory.keys.get();
  build.count = static_cast<std::uint32_t>(rows.rows);
  return build;
}

}  // namespace

Result<bool> BuildSideMaker::make_on_host(const KeyInterval& part, BuildSide& side) {
  const std::uint64_t rows = side.rows;
  const unsigned order_bits = side.order_bits;
  put_columns(true);
  const Result<bool> made = make(part, rows, side);
  put_columns(false);
  if (made.ok() && *made) return true;
  side = {};
  side.rows = rows;
  side.order_bits = order_bits;
  const bool goes_on =
      made.ok() || made.error().code == ErrorCode::kUnsupported || is_out_of_memory(made.error());
  if (goes_on) return false;
  return made.error();
}

/// False: the keys do not ascend.
Result<bool> BuildSideMaker::build_ascending(const BuildRows& rows, BuildSide& side) {
  AscendingBuild build;
  build.keys = reinterpret_cast<const std::uint64_t*>(rows.memory.keys.get());
  build.count = static_cast<std::uint32_t>(rows.rows);
  build.numbers = rows.order->numbers;
  build.most_numbers = rows.order->limit;
  DeviceMemory memory;
  if (build.numbers != nullptr) {
    PRESSO_ASSIGN(memory, space_.memory.allocate(ordering_bytes(build.most_numbers)));
    build.memory = memory.get();
  }
  build.facts = reinterpret_cast<AscendingFacts*>(side.structure.get());
  PRESSO_TRY(space_.kernels.build_ascending(side.lookup, build, space_.stream));
  AscendingFacts found;
  PRESSO_TRY(space_.copy_back(&found, build.facts, sizeof found));
  side.repeats = found.repeats != 0;
  return found.descends == 0;
}

/// An array or a table.
Status BuildSideMaker::build_other(const JoinRows& build, BuildSide& side) {
  auto* const totals = reinterpret_cast<JoinTotals*>(side.structure.get());
  PRESSO_TRY(space_.kernels.build_lookup(side.lookup, build, totals, space_.stream));
  JoinTotals found;
  PRESSO_TRY(space_.copy_back(&found, totals, sizeof found));
  side.repeats = found.has_duplicates != 0;
  return {};
}

/// Gives what it has become: of keys that turn out not to ascend a table, where nothing was asked
/// for.
Result<LookupPlan> BuildSideMaker::build_lookup(BuildRows& rows, LookupPlan plan, BuildSide& side) {
  const LookupPlan table(rows.rows, std::nullopt, LookupForm::kTable);
  if (plan.form() == LookupForm::kAscending) {
    if (!rows.order && use_.form) {
      return unfit("a merge join on a GPU whose build side may have several rows of one row");
    }
    const bool takes_more = !rows.order || plan.bytes() + rows.memory.numbers.bytes() +
                                                   ordering_bytes(rows.order->limit) >
                                               table.bytes();
    if (takes_more && !use_.form) plan = table;
  }
  for (;; plan = table) {
    side.structure = {};
    if (plan.form() != LookupForm::kAscending) rows.memory.numbers = {};
    PRESSO_ASSIGN(side.structure, space_.memory.allocate(MemoryParts::kAlignment + plan.bytes()));
    side.lookup = plan.at(side.structure.get() + MemoryParts::kAlignment);
    side.lookup.next = reinterpret_cast<std::uint32_t*>(side.next.get());
    if (plan.form() != LookupForm::kAscending) {
      PRESSO_TRY(build_other(join_rows(rows), side));
      return plan;
    }
    PRESSO_ASSIGN(const bool ascends, build_ascending(rows, side));
    if (ascends) return plan;
    if (use_.form) return unfit("a merge join needs keys of the build side that ascend");
  }
}

Status BuildSideMaker::make_lookup(BuildRows& rows, const std::optional<LookupPlan::Range>& range,
                                   BuildSide& side) {
  if (use_.finds_all()) {
    const std::uint64_t count = std::max<std::uint64_t>(side.rows, 1);
    PRESSO_ASSIGN(side.next, space_.memory.allocate(count * sizeof(std::uint32_t)));
  }
  if (use_.gives_build_rows()) {
    PRESSO_ASSIGN(side.marks, space_.memory.allocate(mark_bytes(side.rows)));
  }
  PRESSO_ASSIGN(const LookupPlan plan,
                build_lookup(rows, plan_lookup(space_, use_, side.rows, range), side));
  const bool counts = side.repeats && builder_.may_count(use_);
  if (!side.repeats || counts) {
    side.lookup.next = nullptr;
    side.next = {};
  }
  if (counts) {
    PRESSO_ASSIGN(side.counts, space_.memory.allocate(side.rows * sizeof(std::uint32_t)));
    PRESSO_TRY(space_.kernels.count_rows_of_keys(
        side.lookup, join_rows(rows), reinterpret_cast<std::uint32_t*>(side.counts.get()),
        space_.stream));
  }
  structure_ = name_of(plan) + (side.repeats ? ", keys repeat" : "") + (counts ? ", counted" : "");
  return {};
}

// --- all sides

std::uint64_t host_bytes_of(const std::vector<BuildSide>& sides) {
  std::uint64_t bytes = 0;
  for (const BuildSide& side : sides) bytes += side.host_values.bytes();
  return bytes;
}

std::uint64_t host_bytes_left(const RunSpace& space, const query::Execution& execution,
                              const std::vector<BuildSide>& sides) {
  const std::uint64_t most =
      most_host_bytes(execution.memory_bytes, space.memory.limits().pinned_bytes);
  return most - std::min(most, host_bytes_of(sides));
}

std::string host_text(const StageUse& use, std::uint64_t rows) {
  return ", columns of " + grouped(column_bytes(use, rows)) + " bytes in host memory";
}

Result<HostColumns> host_columns(const RunSpace& space, const query::Execution& execution,
                                 const PipelineBuilder& builder, const StageUse& use,
                                 std::uint64_t rows, double passes) {
  const auto number = [](std::uint64_t count) { return static_cast<double>(count); };
  HostColumns of;
  of.rows = number(rows);
  of.columns = number(use.columns.size());
  of.row_bytes = number(column_bytes(use, rows)) / std::max(of.rows, 1.0);
  of.passes = passes;
  const auto all = query::rows_of(execution.sources[use.stage->build.root]);
  of.matches = number(query::rows_of(execution.tables)) * execution.plan.selectivity *
               std::min(1.0, of.rows / std::max(number(all), 1.0));
  of.is_resident = space.residents != nullptr &&
                   space.residents->have_values(execution.tables, builder.columns());
  PRESSO_ASSIGN(const query::ZoneCounts zones,
                query::count_by_zones(execution.tables, execution.plan, builder.columns(),
                                      execution.options.cancelled));
  of.pass_bytes = number(zones.stored_bytes);
  return of;
}

namespace {

/// How many passes more there would be with the side in parts; infinite: it cannot be.
double passes_more(const BuildSideMaker& maker, std::uint64_t rows) {
  const std::uint64_t most = maker.most_rows({});
  const double parts = static_cast<double>(rows) * 9 / 8 / static_cast<double>(most);
  if (most == 0 || parts > kMostPasses) return std::numeric_limits<double>::infinity();
  return std::max(1.0, std::ceil(parts) - 1);
}

/// A side that does not fit into device memory, with columns in host memory, where that is better
/// than passes, or `may_divide` says that these cannot be.
Result<bool> make_on_host(const RunSpace& space, const query::Execution& execution,
                          const PipelineBuilder& builder, const StageUse& use, bool may_divide,
                          BuildSideMaker& maker, BuildSide& side) {
  if (!maker.may_be_on_host(side.rows)) return false;
  const double passes = may_divide && builder.key_bounds(use).has_value()
                            ? passes_more(maker, side.rows)
                            : std::numeric_limits<double>::infinity();
  PRESSO_ASSIGN(const HostColumns costs,
                host_columns(space, execution, builder, use, side.rows, passes));
  if (seconds_on_host(costs, space.rates) >= seconds_of_passes(costs, space.rates)) return false;
  return maker.make_on_host({}, side);
}

/// The sides of all stages but one, for which there must be room beside them.
Result<std::vector<BuildSide>> build_sides_but(const RunSpace& space, query::Execution& execution,
                                               PipelineBuilder& builder, ColumnCodes& codes,
                                               std::uint64_t host_bytes,
                                               const std::optional<LargeSide>& in_parts,
                                               std::optional<LargeSide>* large) {
  std::vector<BuildSide> sides(builder.stages().size());
  for (std::size_t stage = 0; stage < sides.size(); ++stage) {
    BuildSide& side = sides[stage];
    const StageUse& use = builder.stages()[stage];
    if (in_parts && in_parts->stage == stage) {
      // Whether keys repeat is not known before all parts have been made. Of each there are no more
      // rows than fit.
      const std::uint64_t rows = std::min(in_parts->rows / 2, in_parts->most_rows);
      PRESSO_TRY(builder.set_side(stage, rows, true, in_parts->order_bits));
      continue;
    }
    const std::uint64_t taken = std::min(host_bytes, host_bytes_of(sides));
    BuildSideMaker maker(space, execution, builder, codes, use, host_bytes - taken);
    PRESSO_ASSIGN(bool fits, maker.make({}, side));
    const bool is_large = !fits;
    if (is_large) {
      PRESSO_ASSIGN(fits, make_on_host(space, execution, builder, use,
                                       large != nullptr && !in_parts, maker, side));
    }
    if (!fits) {
      if (large != nullptr) *large = {stage, side.rows, maker.most_found(), side.order_bits};
      return refused("a build side for which there may be too little device memory");
    }
    PRESSO_TRY(builder.set_side(stage, side.rows, side.repeats, side.order_bits));
    const std::string& name = execution.query.joins->sources[use.stage->build.root].name;
    execution.notes.push_back("on the GPU: " + grouped(side.rows) + " rows of " + name +
                              maker.who() + ", " + maker.structure() +
                              (is_large ? host_text(use, side.rows) : ""));
  }
  return sides;
}

/// What a column has for the build rows.
Result<std::vector<std::int64_t>> key_values_of(const RunSpace& space, const BuildSide& side,
                                                std::size_t column) {
  const RowArray& array = side.columns[column];
  std::vector<std::int64_t> values(static_cast<std::size_t>(side.rows));
  std::vector<Byte> bytes(values.size() * (array.is_wide ? 8 : 4));
  if (side.host_values.get() == nullptr) {
    PRESSO_TRY(space.copy_back(bytes.data(), array.values, bytes.size()));
  } else {
    PRESSO_TRY(space.device().wait(space.stream));
    if (!bytes.empty()) std::memcpy(bytes.data(), array.values, bytes.size());
  }
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = array.is_wide ? load<std::int64_t>(bytes.data() + 8 * i)
                              : std::int64_t{load<std::int32_t>(bytes.data() + 4 * i)};
  }
  return values;
}

Status finish(const RunSpace& space, query::Execution& execution, QueryPipeline& made,
              std::optional<LargeSide>* large) {
  PRESSO_ASSIGN(made.sides,
                build_sides_but(space, execution, made.builder, made.codes,
                                host_bytes_left(space, execution, {}), made.in_parts, large));
  PRESSO_ASSIGN(const std::uint64_t table_bytes, first_table_bytes(space));
  PRESSO_ASSIGN(made.pipeline, made.builder.finish(table_bytes));
  place_sides(made.builder, made.sides, made.pipeline);
  PRESSO_ASSIGN(made.arrays, place_values(space, made.builder, made.pipeline));
  return make_build_row_pipelines(made);
}

/// What no pipeline adds up is known before anything is read for keys that are strings.
Status check_aggregates(const query::GroupInput& input) {
  using query::AggregateKind;
  for (const query::AggregateSpec& spec : input.plan().aggregates) {
    const bool counts = spec.kind == AggregateKind::kCountRows ||
                        spec.kind == AggregateKind::kCount ||
                        spec.kind == AggregateKind::kCountDistinct;
    if (counts || spec.argument == query::Physical::kInt64 ||
        spec.argument == query::Physical::kDouble) {
      continue;
    }
    return refused("aggregates of other than numbers of 64 bits");
  }
  return {};
}

/// Strings of a joined table that the CPU has numbered may be of build sides that it makes.
Result<StringKeyNumbers> numbers_of_key(const query::Execution& execution, query::NodeId key,
                                        ColumnCodes& codes) {
  const query::BoundQuery& bound = execution.query;
  const std::size_t column = bound.input->at(key).column;
  const bool is_of_root =
      execution.tree == nullptr || bound.joins->source_of(column) == execution.tree->root;
  return codes.of_key(column, is_of_root);
}

/// The values of the argument of count(distinct).
Result<DistinctValues> distinct_values(const query::Execution& execution,
                                       const query::GroupInput& input, query::NodeId node,
                                       ColumnCodes& codes) {
  DistinctValues values;
  values.node = node;
  values.spec = input.key_spec(node);
  if (execution.query.input->is_column(node)) {
    PRESSO_ASSIGN(values.numbers, numbers_of_key(execution, node, codes));
  }
  return values;
}

/// What keys of groups have in the pipelines of all passes.
struct GroupsAsked {
  const query::GroupInput& input;
  std::uint64_t rows = 0;  ///< that sums have room for, at least
  bool by_rows = false;
  std::vector<StringKeyNumbers> numbers;  ///< by key
};

/// Whether later passes have groups, of which each counts another argument of count(distinct): else
/// the first one would run in vain. Columns of strings, which may have to be numbered for it, are
/// not looked at. `made`: before its own groups.
Status check_later_passes(const query::Execution& execution, const GroupsAsked& asked,
                          const AggregateChoice& first, QueryPipeline& made) {
  for (const query::NodeId node : query::distinct_arguments(execution.query)) {
    const query::Graph& graph = *execution.query.input;
    const bool is_string_column =
        graph.is_column(node) && graph.at(node).physical == query::Physical::kString;
    if (is_string_column || node == first.distinct) continue;
    PRESSO_ASSIGN(const DistinctValues values,
                  distinct_values(execution, asked.input, node, made.codes));
    const AggregateChoice choice{node, false};
    const auto add = [&](bool by_rows, PipelineBuilder& builder) {
      return builder.add_groups(asked.input, asked.numbers, asked.rows, by_rows, choice, values);
    };
    PipelineBuilder builder(made.builder);
    Status added = add(asked.by_rows, builder);
    if (!added.ok() && builder.row_stage()) {
      PipelineBuilder by_keys(made.builder);
      added = add(false, by_keys);
    }
    PRESSO_TRY(added);
  }
  return {};
}

Status add_groups(query::Execution& execution, const query::GroupInput& input, std::uint64_t rows,
                  bool by_rows, const AggregateChoice& choice, QueryPipeline& made) {
  const query::BoundQuery& bound = execution.query;
  std::vector<std::size_t> coded;  // keys
  for (std::size_t i = 0; i < bound.keys.size(); ++i) {
    const query::Node& node = bound.input->at(bound.keys[i]);
    if (node.kind != query::Node::Kind::kColumn) continue;
    if (input.codes()[i] != nullptr) {
      made.codes.know(node.column, *input.codes()[i]);
    } else {
      coded.push_back(i);
    }
  }
  PRESSO_TRY(made.builder.add_conditions());
  PRESSO_TRY(made.builder.add_joins());
  PRESSO_TRY(check_aggregates(input));
  GroupsAsked asked{input, rows, by_rows, std::vector<StringKeyNumbers>(bound.keys.size())};
  for (const std::size_t i : coded) {
    PRESSO_ASSIGN(asked.numbers[i], numbers_of_key(execution, bound.keys[i], made.codes));
  }
  if (choice.others) PRESSO_TRY(check_later_passes(execution, asked, choice, made));
  std::optional<DistinctValues> distinct;
  if (choice.distinct) {
    PRESSO_ASSIGN(distinct, distinct_values(execution, input, *choice.distinct, made.codes));
  }
  return made.builder.add_groups(input, asked.numbers, rows, by_rows, choice, distinct);
}

/// Makes the pipeline, to which `add` adds what the query asks for, whether groups may be told by
/// build rows; and again where that cannot be, or a build side has to be made in parts.
template <class Add>
Result<std::unique_ptr<QueryPipeline>> make_pipeline(const RunSpace& space,
                                                     query::Execution& execution, const Add& add) {
  const query::ReadState before(execution);
  std::optional<LargeSide> in_parts;
  bool may_count = true;
  for (bool by_rows = true;;) {
    auto made = std::make_unique<QueryPipeline>(execution, space);
    if (!may_count) made->builder.walk_all_pairs();
    made->in_parts = in_parts;
    if (in_parts) made->builder.make_in_parts(in_parts->stage);
    std::optional<LargeSide> large;
    const auto attempt = [&]() -> Status {
      PRESSO_TRY(add(*made, by_rows));
      return finish(space, execution, *made, &large);
    };
    const Status done = attempt();
    if (done.ok()) return made;
    if (done.error().code != ErrorCode::kUnsupported) return done.error();
    const bool are_told_by_rows = made->builder.row_stage().has_value();
    if (large && !in_parts) {
      in_parts = large;
    } else if (made->builder.counts_pairs()) {
      may_count = false;  // which takes steps, or pairs may be too many to be counted
      before.restore(execution);
      continue;
    } else if (!are_told_by_rows) {
      return done.error();
    }
    // A table of groups can do what build rows cannot.
    by_rows = false;
    before.restore(execution);
  }
}

}  // namespace

Result<std::vector<BuildSide>> build_sides(const RunSpace& space, query::Execution& execution,
                                           PipelineBuilder& builder, ColumnCodes& codes,
                                           std::uint64_t host_bytes) {
  return build_sides_but(space, execution, builder, codes, host_bytes, std::nullopt, nullptr);
}

void place_sides(const PipelineBuilder& builder, const std::vector<BuildSide>& sides,
                 Pipeline& pipeline) {
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const StageUse& use = builder.stages()[i];
    pipeline.lookups[i] = sides[i].lookup;
    pipeline.marks[i] = reinterpret_cast<std::uint32_t*>(sides[i].marks.get());
    for (std::size_t k = 0; k < sides[i].columns.size(); ++k) {
      pipeline.arrays[use.arrays[k]] = sides[i].columns[k];
    }
    if (use.counts) {
      pipeline.arrays[*use.counts] = {sides[i].counts.get(),
                                      static_cast<std::uint32_t>(sides[i].rows), false};
    }
  }
}

Status make_build_row_pipelines(QueryPipeline& made) {
  made.of_build_rows.clear();
  for (std::size_t stage = 0; stage < made.sides.size(); ++stage) {
    if (!made.builder.stages()[stage].gives_build_rows()) continue;
    PRESSO_ASSIGN(Pipeline pipeline, made.builder.of_build_rows(stage, made.pipeline));
    made.of_build_rows.push_back({stage, pipeline});
  }
  return {};
}

Result<std::uint64_t> first_table_bytes(const RunSpace& space) {
  PRESSO_ASSIGN(const std::uint64_t cache_bytes, space.kernels.cache_bytes());
  return cache_bytes / 8 * 5;
}

Result<std::unique_ptr<QueryPipeline>> make_group_pipeline(const RunSpace& space,
                                                           query::Execution& execution,
                                                           const query::GroupInput& input,
                                                           std::uint64_t rows,
                                                           const AggregateChoice& choice) {
  return make_pipeline(space, execution, [&](QueryPipeline& made, bool by_rows) {
    return add_groups(execution, input, rows, by_rows, choice, made);
  });
}

Result<std::unique_ptr<QueryPipeline>> make_row_pipeline(const RunSpace& space,
                                                         query::Execution& execution,
                                                         const std::vector<std::size_t>& columns) {
  return make_pipeline(space, execution, [&](QueryPipeline& made, bool) -> Status {
    PRESSO_TRY(made.builder.add_conditions());
    PRESSO_TRY(made.builder.add_joins());
    return made.builder.add_result(columns);
  });
}

Result<DeviceMemory> place_values(const RunSpace& space, const PipelineBuilder& builder,
                                  Pipeline& pipeline) {
  struct Array {
    Byte number;
    bool is_wide;
    std::uint32_t count;
    const void* values;
    std::uint64_t place;
    std::uint64_t bytes() const { return std::uint64_t{count} * (is_wide ? 8 : 4); }
  };
  std::vector<Array> arrays;
  for (const RowCodes& one : builder.row_codes()) {
    if (one.codes == nullptr) {
      pipeline.arrays[one.array] = one.there;
      continue;
    }
    const std::vector<std::uint32_t>& numbers = one.codes->numbers_of_rows();
    arrays.push_back(
        {one.array, false, static_cast<std::uint32_t>(numbers.size()), numbers.data(), 0});
  }
  std::vector<std::vector<std::int32_t>> narrow;
  for (const ValueTable& table : builder.value_tables()) {
    const void* values = table.values.data();
    if (!table.is_wide) {
      narrow.emplace_back(table.values.begin(), table.values.end());
      values = narrow.back().data();
    }
    arrays.push_back(
        {table.array, table.is_wide, static_cast<std::uint32_t>(table.values.size()), values, 0});
  }
  MemoryParts parts;
  for (Array& array : arrays) array.place = parts.add(array.bytes());
  if (parts.bytes() == 0) return DeviceMemory();
  PRESSO_ASSIGN(DeviceMemory memory, space.memory.allocate(parts.bytes()));
  for (const Array& array : arrays) {
    Byte* const to = memory.get() + array.place;
    PRESSO_TRY(space.copy_there(to, array.values, array.bytes()));
    pipeline.arrays[array.number] = {to, array.count, array.is_wide};
  }
  return memory;
}

Result<RowKeys> keys_of_rows(const RunSpace& space, const QueryPipeline& of) {
  RowKeys keys;
  if (!of.builder.row_stage()) return keys;
  const BuildSide& side = of.sides[*of.builder.row_stage()];
  for (const PipelineBuilder::Key& key : of.builder.keys()) {
    keys.emplace_back();
    if (!key.of_row) continue;
    PRESSO_ASSIGN(keys.back(), key_values_of(space, side, *key.of_row));
  }
  return keys;
}

}  // namespace presso::gpu
