// SPDX-License-Identifier: MIT
#include "scan/gpu/table/build_sides.h"

#include <algorithm>
#include <bit>

#include "decompress/gpu/runtime/memory_parts.h"
#include "scan/gpu/table/host_rows.h"
#include "scan/query/join_build.h"
#include "scan/query/query_device.h"
#include "scan/query/table_facts.h"

namespace presso::gpu {
namespace {

/// Of the table that a build side reads in order, where the CPU makes its rows.
constexpr std::uint64_t kMostHostRows = 20'000'000;

/// Of all stages, one after another, which `builder` is told about. Adds to the execution's summary
/// and notes.
Result<std::vector<BuildSide>> build_sides(const RunSpace& space, query::Execution& execution,
                                           PipelineBuilder& builder, ColumnCodes& codes);

/// Of a bit for each row, in whole slices.
constexpr std::uint64_t mark_bytes(std::uint64_t rows) {
  return (rows / kMaxIntegerRows + 1) * kMaxIntegerRows / 8;
}

/// Where a build side's rows go.
struct RowMemory {
  DeviceMemory keys;
  DeviceMemory values;
  std::vector<RowArray> columns;
};

Result<RowMemory> make_room(const RunSpace& space, const StageUse& use, std::uint64_t rows) {
  if (rows > kMostLookupRows) return refused("a build side of more than 2^31 rows");
  rows = std::max<std::uint64_t>(rows, 1);
  MemoryParts parts;
  std::vector<std::uint64_t> places;
  for (const RowColumn& column : use.columns) {
    places.push_back(parts.add(rows * (column.is_wide ? 8 : 4)));
  }
  if (rows * sizeof(std::uint64_t) + parts.bytes() > space.memory.device_bytes_left() / 2) {
    return refused("a build side for which there may be too little device memory");
  }
  RowMemory room;
  PRESSO_ASSIGN(room.keys, space.memory.allocate(rows * sizeof(std::uint64_t)));
  if (use.columns.empty()) return room;
  PRESSO_ASSIGN(room.values, space.memory.allocate(parts.bytes()));
  for (std::size_t i = 0; i < use.columns.size(); ++i) {
    room.columns.push_back({room.values.get() + places[i], 0, use.columns[i].is_wide});
  }
  return room;
}

/// Tells the pipeline, which `builder` has finished, where all arrays are.
Result<DeviceMemory> place_arrays(const RunSpace& space, const PipelineBuilder& builder,
                                  const std::vector<BuildSide>& sides, Pipeline& pipeline) {
  for (std::size_t i = 0; i < sides.size(); ++i) {
    const StageUse& use = builder.stages()[i];
    pipeline.lookups[i] = sides[i].lookup;
    pipeline.marks[i] = reinterpret_cast<std::uint32_t*>(sides[i].marks.get());
    for (std::size_t k = 0; k < use.arrays.size(); ++k) {
      pipeline.arrays[use.arrays[k]] = sides[i].columns[k];
    }
  }
  return place_values(space, builder, pipeline);
}

/// The rows of a stage's build side, with their keys.
Status write_rows(const RunSpace& space, query::Execution& scan, ColumnCodes& codes,
                  const StageUse& use, RowMemory& room, BuildSide& side) {
  PipelineBuilder builder(scan, codes);
  PRESSO_TRY(builder.add_conditions());
  PRESSO_TRY(builder.add_joins());
  PRESSO_TRY(builder.add_rows(use));
  PRESSO_ASSIGN(const std::vector<BuildSide> sides, build_sides(space, scan, builder, codes));
  PRESSO_ASSIGN(Pipeline pipeline, builder.finish());
  PRESSO_ASSIGN(const DeviceMemory placed, place_arrays(space, builder, sides, pipeline));
  // Where keys of its own build sides repeat there may be more.
  for (std::uint64_t most = query::rows_of(scan.tables);;) {
    PRESSO_ASSIGN(room, make_room(space, use, most));
    pipeline.most_rows_out = most;
    pipeline.output[0].to.values = room.keys.get();
    for (std::size_t i = 0; i < room.columns.size(); ++i) {
      pipeline.output[i + 1].to = room.columns[i];
    }
    PipelineRun run(space);
    PRESSO_TRY(run.begin(pipeline));
    PRESSO_TRY(
        run_over_tables(space, scan, builder, run, [](const LoadedTable&) { return Status(); }));
    PRESSO_ASSIGN(side.rows, run.matched());
    if (side.rows <= most) break;
    most = side.rows;
    room = {};
  }
  side.order_bits = builder.order_bits();
  return {};
}

/// The same of rows that the CPU makes.
Status copy_rows(const RunSpace& space, query::Execution& scan, ColumnCodes&, const StageUse& use,
                 RowMemory& room, BuildSide& side) {
  PRESSO_ASSIGN(const HostRows rows, rows_by_cpu(scan, use));
  side.rows = rows.keys.size();
  side.order_bits = static_cast<unsigned>(std::bit_width(side.rows));
  PRESSO_ASSIGN(room, make_room(space, use, side.rows));
  PRESSO_TRY(space.copy_there(room.keys.get(), rows.keys.data(), 8 * side.rows));
  for (std::size_t i = 0; i < room.columns.size(); ++i) {
    const std::vector<std::int64_t>& values = rows.columns[i];
    const RowArray& to = room.columns[i];
    if (to.is_wide) {
      PRESSO_TRY(space.copy_there(to.values, values.data(), 8 * side.rows));
    } else {
      std::vector<std::int32_t> narrow(values.size());
      std::transform(values.begin(), values.end(), narrow.begin(),
                     [](std::int64_t value) { return static_cast<std::int32_t>(value); });
      PRESSO_TRY(space.copy_there(to.values, narrow.data(), 4 * side.rows));
    }
  }
  return {};
}

/// By a pipeline, or by the CPU if that is none; what has to be said of that.
Result<std::string> make_rows(const RunSpace& space, query::Execution& parent, ColumnCodes& codes,
                              const StageUse& use, RowMemory& room, BuildSide& side) {
  const auto attempt = [&](const auto& make) -> Status {
    query::Execution scan(parent, use.stage->build);
    PRESSO_TRY(query::start_build_scan(scan, parent, *use.stage, parent.memory_bytes));
    PRESSO_TRY(make(space, scan, codes, use, room, side));
    parent.summary.bytes_stored += scan.summary.bytes_stored;
    parent.summary.bytes_resident += scan.summary.bytes_resident;
    parent.summary.blocks_skipped += scan.summary.blocks_skipped;
    parent.notes.insert(parent.notes.end(), scan.notes.begin(), scan.notes.end());
    return {};
  };
  const Status by_gpu = attempt(write_rows);
  if (by_gpu.ok()) return std::string();
  if (by_gpu.error().code != ErrorCode::kUnsupported) return by_gpu.error();
  room = {};
  if (query::rows_of((*parent.sources)[use.stage->build.root]) > kMostHostRows) {
    return by_gpu.error();
  }
  PRESSO_TRY(attempt(copy_rows));
  return " by the CPU (" + by_gpu.error().what + ")";
}

Result<BuildSide> build_side(const RunSpace& space, query::Execution& parent,
                             const PipelineBuilder& builder, ColumnCodes& codes,
                             const StageUse& use) {
  const DeviceStep step(space.device(), "build side");
  BuildSide side;
  RowMemory room;
  PRESSO_ASSIGN(const std::string who, make_rows(space, parent, codes, use, room, side));
  side.values = std::move(room.values);
  side.columns = std::move(room.columns);
  for (RowArray& column : side.columns) column.count = static_cast<std::uint32_t>(side.rows);

  const LookupPlan plan(side.rows, builder.key_range(use));
  PRESSO_ASSIGN(side.structure, space.memory.allocate(MemoryParts::kAlignment + plan.bytes()));
  side.lookup = plan.at(side.structure.get() + MemoryParts::kAlignment);
  if (use.finds_all()) {
    const std::uint64_t rows = std::max<std::uint64_t>(side.rows, 1);
    PRESSO_ASSIGN(side.next, space.memory.allocate(rows * sizeof(std::uint32_t)));
    side.lookup.next = reinterpret_cast<std::uint32_t*>(side.next.get());
  }
  if (use.gives_build_rows()) {
    PRESSO_ASSIGN(side.marks, space.memory.allocate(mark_bytes(side.rows)));
  }
  JoinRows build;
  build.d_keys = room.keys.get();
  build.count = static_cast<std::uint32_t>(side.rows);
  auto* const totals = reinterpret_cast<JoinTotals*>(side.structure.get());
  PRESSO_TRY(space.kernels.build_lookup(side.lookup, build, totals, space.stream));
  JoinTotals found;
  PRESSO_TRY(space.copy_back(&found, totals, sizeof found));
  side.repeats = found.has_duplicates != 0;
  if (!side.repeats) {
    side.lookup.next = nullptr;
    side.next = {};
  }
  const std::string& name = parent.query.joins->sources[use.stage->build.root].name;
  parent.notes.push_back(
      "on the GPU: " + grouped(side.rows) + " rows of " + name + who + ", " +
      (plan.is_array() ? "an array of " + grouped(plan.places()) + " places" : "a table of keys") +
      (side.repeats ? ", keys repeat" : ""));
  return side;
}

/// What an array has for the build rows.
Result<std::vector<std::int64_t>> values_of(const RunSpace& space, const RowArray& array,
                                            std::uint64_t rows) {
  std::vector<std::int64_t> values(static_cast<std::size_t>(rows));
  std::vector<Byte> bytes(values.size() * (array.is_wide ? 8 : 4));
  PRESSO_TRY(space.copy_back(bytes.data(), array.values, bytes.size()));
  for (std::size_t i = 0; i < values.size(); ++i) {
    values[i] = array.is_wide ? load<std::int64_t>(bytes.data() + 8 * i)
                              : std::int64_t{load<std::int32_t>(bytes.data() + 4 * i)};
  }
  return values;
}

Result<std::vector<BuildSide>> build_sides(const RunSpace& space, query::Execution& execution,
                                           PipelineBuilder& builder, ColumnCodes& codes) {
  std::vector<BuildSide> sides;
  for (const StageUse& use : builder.stages()) {
    PRESSO_ASSIGN(BuildSide side, build_side(space, execution, builder, codes, use));
    PRESSO_TRY(builder.set_side(sides.size(), side.rows, side.repeats, side.order_bits));
    sides.push_back(std::move(side));
  }
  return sides;
}

Status finish(const RunSpace& space, query::Execution& execution, QueryPipeline& made) {
  PRESSO_ASSIGN(made.sides, build_sides(space, execution, made.builder, made.codes));
  // Groups are mostly fewer than rows: a table that stays in the cache, beside what is read, comes
  // first (10^6 keys: 5.6 ms in half of it, 5.0 in five eighths, 5.4 in all of it).
  PRESSO_ASSIGN(const std::uint64_t cache_bytes, space.kernels.cache_bytes());
  PRESSO_ASSIGN(made.pipeline, made.builder.finish(cache_bytes / 8 * 5));
  PRESSO_ASSIGN(made.arrays, place_arrays(space, made.builder, made.sides, made.pipeline));
  for (std::size_t stage = 0; stage < made.sides.size(); ++stage) {
    if (!made.builder.stages()[stage].gives_build_rows()) continue;
    PRESSO_ASSIGN(Pipeline pipeline, made.builder.of_build_rows(stage, made.pipeline));
    made.of_build_rows.push_back({stage, pipeline});
  }
  return {};
}

Status fill(const RunSpace& space, query::Execution& execution, const query::GroupInput& input,
            std::uint64_t rows, bool by_rows, QueryPipeline& made) {
  PipelineBuilder& builder = made.builder;
  const query::BoundQuery& bound = execution.query;
  std::vector<const query::KeyCodes*> codes(bound.keys.size());
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const query::Node& node = bound.input->at(bound.keys[i]);
    if (node.kind != query::Node::Kind::kColumn) continue;
    if (input.codes()[i] != nullptr) {
      made.codes.know(node.column, *input.codes()[i]);
    } else {
      PRESSO_ASSIGN(codes[i], made.codes.of(node.column));
    }
  }
  PRESSO_TRY(builder.add_conditions());
  PRESSO_TRY(builder.add_joins());
  PRESSO_TRY(builder.add_groups(input, codes, rows, by_rows));
  return finish(space, execution, made);
}

}  // namespace

Result<std::unique_ptr<QueryPipeline>> make_group_pipeline(const RunSpace& space,
                                                           query::Execution& execution,
                                                           const query::GroupInput& input,
                                                           std::uint64_t rows) {
  auto made = std::make_unique<QueryPipeline>(execution);
  const query::ReadState before(execution);
  const Status done = fill(space, execution, input, rows, true, *made);
  if (done.ok()) return made;
  // A table of groups can do what build rows cannot.
  const bool by_rows = made->builder.row_stage().has_value();
  if (!by_rows || done.error().code != ErrorCode::kUnsupported) return done.error();
  before.restore(execution);
  made = std::make_unique<QueryPipeline>(execution);
  PRESSO_TRY(fill(space, execution, input, rows, false, *made));
  return made;
}

Result<std::unique_ptr<QueryPipeline>> make_row_pipeline(const RunSpace& space,
                                                         query::Execution& execution,
                                                         const std::vector<std::size_t>& columns) {
  auto made = std::make_unique<QueryPipeline>(execution);
  PRESSO_TRY(made->builder.add_conditions());
  PRESSO_TRY(made->builder.add_joins());
  PRESSO_TRY(made->builder.add_result(columns));
  PRESSO_TRY(finish(space, execution, *made));
  return made;
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

Status clear_marks(const RunSpace& space, const QueryPipeline& of) {
  for (const BuildSide& side : of.sides) {
    if (side.marks.bytes() == 0) continue;
    PRESSO_TRY(space.kernels.clear(side.marks.get(), static_cast<std::size_t>(side.marks.bytes()),
                                   space.stream));
  }
  return {};
}

Status run_over_build_rows(const RunSpace& space, const QueryPipeline& of, PipelineRun& run,
                           const std::function<Status(std::size_t)>& done) {
  // One stage after another: what comes out of one may be partners of the next.
  for (const BuildRowPipeline& one : of.of_build_rows) {
    PRESSO_TRY(run.prepare_build_rows(one.pipeline, of.sides[one.stage].rows));
    PRESSO_TRY(run.enqueue());
    PRESSO_TRY(space.device().wait(space.stream));
    PRESSO_TRY(done(one.stage));
  }
  return {};
}

Result<RowKeys> keys_of_rows(const RunSpace& space, const QueryPipeline& of) {
  RowKeys keys;
  if (!of.builder.row_stage()) return keys;
  const BuildSide& side = of.sides[*of.builder.row_stage()];
  for (const PipelineBuilder::Key& key : of.builder.keys()) {
    keys.emplace_back();
    if (!key.of_row) continue;
    PRESSO_ASSIGN(keys.back(), values_of(space, side.columns[*key.of_row], side.rows));
  }
  return keys;
}

}  // namespace presso::gpu
