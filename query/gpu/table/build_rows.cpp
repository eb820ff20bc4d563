// SPDX-License-Identifier: MIT
// Implements build_rows.h: makes room for a number of rows, has a pipeline write them, and tries
// fewer where the device has less memory. Rows that no pipeline can write are made by the CPU
// (host_rows.h) if the table has at most kMostHostRows rows. kUnsupported, which leaves the query
// to the CPU, where neither works or memory does not suffice.
#include "query/gpu/table/build_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "decompress/gpu/runtime/memory_parts.h"
#include "query/gpu/table/build_sides.h"
#include "query/run/join_build.h"
#include "query/run/query_device.h"

namespace presso::gpu {
namespace {

/// Of the table that a build side reads in order, where the CPU makes its rows.
constexpr std::uint64_t kMostHostRows = 20'000'000;

/// Whether rows' numbers are written for nothing but their order.
bool writes_numbers(const StageUse& use) {
  const auto is_number = [](const RowColumn& column) { return column.column == RowColumn::kOrder; };
  return use.may_search() && std::none_of(use.columns.begin(), use.columns.end(), is_number);
}

/// Of a build side's rows in device memory, beside the lookup itself.
std::uint64_t row_bytes(const StageUse& use, std::uint64_t rows, std::uint64_t table_rows,
                        bool on_host) {
  MemoryParts parts;
  parts.add(rows * sizeof(std::uint64_t));
  if (!on_host) parts.add(column_bytes(use, rows));
  // Where no form is asked for they are gone before a table is made, which takes more.
  if (use.form && writes_numbers(use)) parts.add(rows * sizeof(std::uint64_t));
  if (use.form == LookupForm::kAscending) parts.add(ordering_bytes(table_rows));
  if (use.finds_all()) parts.add(rows * sizeof(std::uint32_t));
  if (use.gives_build_rows()) parts.add(mark_bytes(rows));
  return parts.bytes() + MemoryParts::kAlignment;
}

/// Of the lookup that takes least, or that is asked for.
std::uint64_t least_lookup_bytes(const StageUse& use, std::uint64_t rows,
                                 const std::optional<LookupPlan::Range>& range) {
  const std::uint64_t bytes = LookupPlan(rows, range, use.form).bytes();
  return use.form ? bytes : std::min(bytes, LookupPlan(rows, std::nullopt).bytes());
}

/// What a build side may take.
std::uint64_t most_bytes(const RunSpace& space) {
  return space.memory.device_bytes_left() / 2;
}

/// Of those that the CPU has made, the ones whose keys are in the part.
HostRows rows_in_part(const HostRows& all, const KeyInterval& part) {
  HostRows some;
  some.columns.resize(all.columns.size());
  for (std::size_t row = 0; row < all.keys.size(); ++row) {
    const auto key = static_cast<std::int64_t>(all.keys[row]);
    if (key < part.least || key > part.most) continue;
    some.keys.push_back(all.keys[row]);
    for (std::size_t i = 0; i < some.columns.size(); ++i) {
      some.columns[i].push_back(all.columns[i][row]);
    }
  }
  return some;
}

/// Where the columns of so many rows are in the memory that begins at `values`.
std::vector<RowArray> arrays_at(Byte* values, const StageUse& use, std::uint64_t rows) {
  MemoryParts parts;
  std::vector<RowArray> columns;
  for (const RowColumn& column : use.columns) {
    const std::uint64_t place = parts.add(rows * (column.is_wide ? 8 : 4));
    columns.push_back({values + place, 0, column.is_wide});
  }
  return columns;
}

Result<RowMemory> memory_for(const RunSpace& space, const StageUse& use, std::uint64_t rows,
                             bool numbers, bool on_host) {
  rows = std::max<std::uint64_t>(rows, 1);
  RowMemory room;
  PRESSO_ASSIGN(room.keys, space.memory.allocate(rows * sizeof(std::uint64_t)));
  if (numbers) {
    PRESSO_ASSIGN(room.numbers, space.memory.allocate(rows * sizeof(std::uint64_t)));
  }
  if (use.columns.empty()) return room;
  if (on_host) {
    PRESSO_ASSIGN(room.host_values, space.memory.allocate_pinned(column_bytes(use, rows)));
  } else {
    PRESSO_ASSIGN(room.values, space.memory.allocate(column_bytes(use, rows)));
  }
  room.columns = arrays_at(on_host ? room.host_values.get() : room.values.get(), use, rows);
  return room;
}

}  // namespace

LookupPlan plan_lookup(const RunSpace& space, const StageUse& use, std::uint64_t rows,
                       const std::optional<LookupPlan::Range>& range) {
  const LookupPlan plan(rows, range, use.form);
  if (use.form) return plan;
  // Rows and their keys are in device memory already: more than half of what is left may be taken.
  const std::uint64_t bytes = plan.bytes() + (use.finds_all() ? 4 * rows : 0) +
                              (use.gives_build_rows() ? mark_bytes(rows) : 0);
  const LookupPlan table(rows, std::nullopt);
  if (use.ascends && plan.form() == LookupForm::kTable) {
    return LookupPlan(rows, range, LookupForm::kAscending);
  }
  return bytes > most_bytes(space) && table.bytes() < plan.bytes() ? table : plan;
}

std::uint64_t column_bytes(const StageUse& use, std::uint64_t rows) {
  MemoryParts parts;
  for (const RowColumn& column : use.columns) parts.add(rows * (column.is_wide ? 8 : 4));
  return parts.bytes();
}

std::uint64_t most_rows_that_fit(const RunSpace& space, const StageUse& use,
                                 std::uint64_t table_rows,
                                 const std::optional<LookupPlan::Range>& range,
                                 const std::optional<std::uint64_t>& host_bytes) {
  const std::uint64_t most = most_bytes(space);
  const auto fits = [&](std::uint64_t rows) {
    if (host_bytes && column_bytes(use, rows) > *host_bytes) return false;
    return row_bytes(use, rows, table_rows, host_bytes.has_value()) +
               least_lookup_bytes(use, rows, range) <=
           most;
  };
  std::uint64_t fitting = 0;
  std::uint64_t beyond = kMostLookupRows + 1;
  while (beyond - fitting > 1) {
    const std::uint64_t middle = fitting + (beyond - fitting) / 2;
    (fits(middle) ? fitting : beyond) = middle;
  }
  return fitting;
}

bool BuildRowMaker::tries_fewer(const Error& error, std::uint64_t rows) {
  constexpr std::uint64_t kFewRows = 1024;
  if (error.code != ErrorCode::kDeviceMemory || rows < kFewRows) return false;
  set_most_rows(rows / 8);
  return true;
}

/// False: the device, or the host for columns, has less memory than that.
Result<bool> BuildRowMaker::make_room(std::uint64_t rows, bool numbers, BuildRows& made) {
  auto memory = memory_for(space_, use_, rows, numbers, are_on_host());
  if (memory.ok()) {
    made.memory = std::move(*memory);
    return true;
  }
  if (memory.error().code == ErrorCode::kOutOfMemory && are_on_host() && rows > 1) {
    set_most_rows(0);
    return false;
  }
  if (tries_fewer(memory.error(), rows)) return false;
  return std::move(memory.error());
}

/// How many rows the pipeline has left.
Result<std::uint64_t> BuildRowMaker::run(query::Execution& scan, const PipelineBuilder& builder,
                                         const Pipeline& pipeline) const {
  PipelineRun run(space_);
  PRESSO_TRY(run.begin(pipeline));
  PRESSO_TRY(
      run_over_tables(space_, scan, builder, run, [](const LoadedTable&) { return Status(); }));
  return run.matched();
}

/// Tells the pipeline where its outputs go.
void BuildRowMaker::direct(Pipeline& pipeline, const PipelineBuilder& builder, BuildRows& made) {
  RowMemory& memory = made.memory;
  pipeline.output[0].to.values = memory.keys.get();
  for (std::size_t i = 0; i < memory.columns.size(); ++i) {
    pipeline.output[i + 1].to = memory.columns[i];
  }
  const std::optional<std::size_t> order = builder.order_output();
  if (memory.numbers.get() != nullptr) pipeline.output[*order].to.values = memory.numbers.get();
  made.order.reset();
  // Of rows that are joined to several the numbers are far more than rows.
  if (!order || builder.bits_of_repeats() != 0) return;
  made.order = RowOrder{static_cast<const std::uint64_t*>(pipeline.output[*order].to.values),
                        builder.order_limit()};
}

/// For build sides that are joined to these rows before: what is left beside the rows' own columns,
/// or half, where it is not known how many there are.
std::uint64_t BuildRowMaker::host_bytes_of_nested() const {
  if (!on_host_) return host_bytes_;
  const std::uint64_t own = counted_ ? column_bytes(use_, *counted_) : host_bytes_ / 2;
  return host_bytes_ - std::min(host_bytes_, own);
}

/// The rows that a pipeline over the build side's table leaves. It counts those for which there is
/// no room.
Status BuildRowMaker::write(query::Execution& scan, BuildRows& made) {
  PipelineBuilder builder(scan, codes_);
  PRESSO_TRY(builder.add_conditions());
  PRESSO_TRY(builder.add_joins());
  const bool numbers = writes_numbers(use_) && use_.columns.size() + 1 < kMostRowArrays;
  PRESSO_TRY(builder.add_rows(use_, part_, numbers));
  PRESSO_ASSIGN(const std::vector<BuildSide> sides,
                build_sides(space_, scan, builder, codes_, host_bytes_of_nested()));
  nested_bytes_ = host_bytes_of(sides);
  PRESSO_ASSIGN(Pipeline pipeline, builder.finish());
  place_sides(builder, sides, pipeline);
  PRESSO_ASSIGN(const DeviceMemory placed, place_values(space_, builder, pipeline));
  made.order_bits = builder.order_bits();
  // Where keys of its own build sides repeat there may be more than the table has.
  for (std::uint64_t wanted = counted_.value_or(table_rows());;) {
    made.memory = {};
    const std::uint64_t most = most_rows(range_);
    const std::uint64_t room = std::min(wanted, most);
    PRESSO_ASSIGN(const bool has_room, make_room(room, numbers, made));
    if (!has_room) continue;
    pipeline.most_rows_out = room;
    direct(pipeline, builder, made);
    auto rows = run(scan, builder, pipeline);
    // Pinned memory is given back only when nothing is written there any more.
    if (!rows.ok() && are_on_host()) static_cast<void>(space_.device().wait(space_.stream));
    if (!rows.ok() && rows.error().code == ErrorCode::kDeviceMemory && room < wanted) {
      return refused("a build side for which there may be too little device memory");
    }
    PRESSO_ASSIGN(made.rows, std::move(rows));
    made.fit = made.rows <= room;
    if (made.fit || made.rows > most) break;
    wanted = made.rows;
  }
  if (!made.fit) made.memory = {};
  return {};
}

/// The same of rows that the CPU has made.
Status BuildRowMaker::copy(BuildRows& made) {
  HostRows some;
  if (!part_.is_all()) some = rows_in_part(*host_rows_, part_);
  const HostRows& rows = part_.is_all() ? *host_rows_ : some;
  made.rows = rows.keys.size();
  made.order_bits = static_cast<unsigned>(std::bit_width(host_rows_->keys.size()));
  if (made.rows > most_rows(range_)) return {};
  PRESSO_ASSIGN(made.fit, make_room(made.rows, false, made));
  if (!made.fit) return {};
  made.order = RowOrder{};
  PRESSO_TRY(space_.copy_there(made.memory.keys.get(), rows.keys.data(), 8 * made.rows));
  for (std::size_t i = 0; i < made.memory.columns.size(); ++i) {
    PRESSO_TRY(copy_column(rows.columns[i], made.memory.columns[i]));
  }
  return {};
}

Status BuildRowMaker::copy_column(const std::vector<std::int64_t>& values,
                                  const RowArray& to) const {
  std::vector<std::int32_t> narrow;
  if (!to.is_wide) {
    narrow.resize(values.size());
    std::transform(values.begin(), values.end(), narrow.begin(),
                   [](std::int64_t value) { return static_cast<std::int32_t>(value); });
  }
  const void* const from = to.is_wide ? static_cast<const void*>(values.data()) : narrow.data();
  const std::uint64_t bytes = values.size() * (to.is_wide ? 8 : 4);
  if (!are_on_host()) return space_.copy_there(to.values, from, bytes);
  if (bytes != 0) std::memcpy(to.values, from, bytes);
  return {};
}

/// Has something done with the build side's table.
template <class Work>
Status BuildRowMaker::with_scan(const Work& work) {
  query::Execution scan(parent_, use_.stage->build, parent_.memory_bytes);
  PRESSO_TRY(query::start_build_scan(scan));
  PRESSO_TRY(work(scan));
  parent_.summary.bytes_stored += scan.summary.bytes_stored;
  parent_.summary.bytes_resident += scan.summary.bytes_resident;
  parent_.summary.blocks_skipped += scan.summary.blocks_skipped;
  if (!has_notes_) {
    parent_.notes.insert(parent_.notes.end(), scan.notes.begin(), scan.notes.end());
  }
  has_notes_ = true;
  return {};
}

Result<BuildRows> BuildRowMaker::make(const KeyInterval& part,
                                      const std::optional<LookupPlan::Range>& range,
                                      const std::optional<std::uint64_t>& rows) {
  part_ = part;
  range_ = range;
  counted_ = rows;
  BuildRows made;
  if (!host_rows_) {
    const query::ReadState before(parent_);
    const Status written = with_scan([&](query::Execution& scan) { return write(scan, made); });
    nested_bytes_ = 0;  // they are gone
    if (written.ok()) {
      by_pipeline_ = true;
      return made;
    }
    // Other parts have numbers by which a pipeline puts rows in order.
    const bool is_last_word = written.error().code != ErrorCode::kUnsupported || by_pipeline_ ||
                              table_rows() > kMostHostRows;
    if (is_last_word) return written.error();
    made = {};
    before.restore(parent_);
    PRESSO_TRY(with_scan([&](query::Execution& scan) -> Status {
      PRESSO_ASSIGN(host_rows_, rows_by_cpu(scan, use_));
      return {};
    }));
    who_ = " by the CPU (" + written.error().what + ")";
  }
  PRESSO_TRY(copy(made));
  return made;
}

}  // namespace presso::gpu
