// SPDX-License-Identifier: MIT
// Implements joined_rows.h: makes room for as many rows as there is device memory for, copies these
// back, and goes on with the next. kUnsupported, which leaves the query to the CPU, where the
// joined rows take more than half of the query's memory on the host, or the device has too little
// for a few thousand rows.
#include "query/gpu/table/joined_rows.h"

#include <algorithm>

#include "decompress/gpu/runtime/memory_parts.h"
#include "format/threads/parallel.h"

namespace presso::gpu {

using query::Physical;
using query::RowStore;
using query::StringRef;
using query::grouping::Column;
using query::grouping::ResultColumn;

namespace {

/// How many rows of a table in device memory are joined at a time, at most.
constexpr std::uint64_t kMostJoinedRows = std::uint64_t{1} << 26;
/// How many rows a thread puts in their places at a time.
constexpr std::size_t kJoinedPortion = 1 << 15;

constexpr std::uint64_t array_bytes(bool is_wide) {
  return is_wide ? 8 : 4;
}

}  // namespace

Result<std::vector<RowStore>> JoinedRows::run() {
  copy_strings();
  find_arrays();
  PipelineRun pipeline_run(space_);
  PRESSO_TRY(pipeline_run.begin(made_.pipeline));
  const PipelineBuilder& builder = made_.builder;
  PassActions actions;
  actions.most_rows = kMostJoinedRows;
  actions.table = [&](const LoadedTable& table) { return take_table(pipeline_run, table); };
  actions.build_rows = [&](std::size_t stage) {
    return take(pipeline_run, builder.first_build_row(stage), builder.build_row_limit(stage));
  };
  PRESSO_TRY(run_passes(space_, execution_, made_, pipeline_run, actions));
  if (!waiting_.empty()) {
    PRESSO_TRY(put_in_order(waiting_, 0, builder.first_build_row(builder.stages().size())));
  }
  execution_.summary.rows_matched = 0;
  for (const RowStore& store : stores_) execution_.summary.rows_matched += store.rows();
  return std::move(stores_);
}

Status JoinedRows::take_table(PipelineRun& run, const LoadedTable& table) {
  const auto first_row = [&table](const LoadedSlice& slice) {
    return table.groups()[slice.group].first_row + slice.first;
  };
  // Between them there may be slices that zones have ruled out.
  const LoadedSlice& last = table.slices().back();
  const std::uint64_t begin = first_row(table.slices().front());
  return take(run, begin, first_row(last) + last.rows - begin);
}

/// The kernel has run, and has counted the rows for which there was no room: then it runs again.
/// `first_row`, `row_count`: by which rows they are in order, in all tables together.
Status JoinedRows::take(PipelineRun& run, std::uint64_t first_row, std::uint64_t row_count) {
  PRESSO_ASSIGN(const std::uint64_t rows, run.take_written());
  if (rows == 0) return {};
  PRESSO_TRY(check_memory(rows));
  if (rows <= room_) {
    PRESSO_TRY(take_written(rows));
  } else {
    PRESSO_TRY(make_room(run, rows));
    PRESSO_TRY(take_in_parts(run, rows));
  }
  // Rows of later passes may belong between them.
  if (made_.in_parts) return {};
  PRESSO_TRY(put_in_order(waiting_, first_row, row_count));
  waiting_.clear();
  return {};
}

/// Runs again, over as many tasks at a time as are thought to have no more rows than there is room
/// for, where all of them have `rows`.
Status JoinedRows::take_in_parts(PipelineRun& run, std::uint64_t rows) {
  const std::uint32_t all = run.tasks();
  std::uint32_t step = all;
  if (rows > room_) {
    const double share = static_cast<double>(room_) / static_cast<double>(rows);
    step = std::max(1u, static_cast<std::uint32_t>(share * all));
  }
  for (std::uint32_t first = 0; first < all;) {
    PRESSO_TRY(execution_.check_cancelled());
    const std::uint32_t count = std::min(step, all - first);
    run.set_tasks(first, first + count);
    PRESSO_TRY(run.enqueue());
    PRESSO_TRY(space_.device().wait(space_.stream));
    PRESSO_ASSIGN(const std::uint64_t written, run.take_written());
    if (written > room_) {
      if (count == 1) {
        return refused("many joined rows for few, for which there may be too little device memory");
      }
      step = count / 2;
      continue;
    }
    PRESSO_TRY(take_written(written));
    first += count;
    if (written < room_ / 2) step = std::min(count * 2, all);
  }
  return {};
}

/// Brings back the rows that the last run has written.
Status JoinedRows::take_written(std::uint64_t rows) {
  if (rows == 0) return {};
  const DeviceStep step(space_.device(), "rows back");
  PRESSO_ASSIGN(Written written, copy_back(rows));
  waiting_.push_back(std::move(written));
  return {};
}

/// Checks that the host has memory for the rows that wait and `rows` more, each of them twice: as
/// they are written, and where they belong.
Status JoinedRows::check_memory(std::uint64_t rows) const {
  for (const Written& written : waiting_) rows += written.rows;
  constexpr std::uint64_t kOfOrder = 4 * sizeof(std::uint64_t);
  std::uint64_t row_bytes = kOfOrder;
  for (const RowColumn& column : made_.builder.result_columns()) {
    row_bytes +=
        array_bytes(column.is_wide) + (column.has_truth ? array_bytes(false) : 0) +
        query::physical_bytes(column.codes != nullptr ? Physical::kString : Physical::kInt64);
  }
  if (bytes_ + rows * row_bytes <= execution_.memory_bytes / 2) return {};
  return refused("joined rows that take more than half of the memory");
}

/// Makes room for `rows` rows, or for as many as the device has memory for.
Status JoinedRows::make_room(PipelineRun& run, std::uint64_t rows) {
  constexpr std::uint64_t kLeastRoom = 1 << 12;
  memory_ = {};
  room_ = 0;
  bool is_scarce = false;
  for (;; rows = (rows + 1) / 2) {
    MemoryParts parts;
    begins_ = {parts.add(rows * sizeof(std::uint64_t))};
    for (const bool is_wide : wide_arrays_)
      begins_.push_back(parts.add(rows * array_bytes(is_wide)));
    if (parts.bytes() > space_.memory.device_bytes_left() / 4) {
      if (rows > kLeastRoom) continue;
      return refused("joined rows for which there may be too little device memory");
    }
    // Where that is more than there is, as much again is left to what is loaded next.
    Result<DeviceMemory> made = space_.memory.allocate(parts.bytes() * (is_scarce ? 2 : 1));
    if (made.ok() && is_scarce) {
      *made = {};
      made = space_.memory.allocate(parts.bytes());
    }
    if (made.ok()) {
      memory_ = std::move(*made);
      break;
    }
    if (made.error().code != ErrorCode::kDeviceMemory || rows <= kLeastRoom) return made.error();
    is_scarce = true;
  }
  std::vector<void*> arrays;
  for (const std::uint64_t begin : begins_) arrays.push_back(memory_.get() + begin);
  run.set_outputs(arrays, rows);
  room_ = rows;
  return {};
}

Result<JoinedRows::Written> JoinedRows::copy_back(std::uint64_t rows) const {
  Written written;
  written.rows = rows;
  written.order.extend_unset(static_cast<std::size_t>(rows));
  PRESSO_TRY(space_.copy_back(written.order.data(), memory_.get(), rows * sizeof(std::uint64_t)));
  for (std::size_t i = 0; i < wide_arrays_.size(); ++i) {
    const std::uint64_t bytes = rows * array_bytes(wide_arrays_[i]);
    Column<Byte>& array = written.arrays.emplace_back();
    array.extend_unset(static_cast<std::size_t>(bytes));
    PRESSO_TRY(space_.copy_back(array.data(), memory_.get() + begins_[i + 1], bytes));
  }
  return written;
}

/// As take() says, of rows that have been written by several runs.
Status JoinedRows::put_in_order(std::vector<Written>& from, std::uint64_t first_row,
                                std::uint64_t row_count) {
  const unsigned bits = made_.builder.bits_of_repeats();
  std::uint64_t rows = 0;
  for (const Written& written : from) rows += written.rows;
  query::grouping::RowRanks ranks(row_count << bits, rows);
  for (Written& written : from) {
    for (std::size_t i = 0; i < written.rows; ++i) written.order[i] -= first_row << bits;
    ranks.add({written.order.data(), static_cast<std::size_t>(written.rows)});
  }
  ranks.finish();

  std::vector<Physical> physical;
  for (const RowColumn& column : made_.builder.result_columns()) {
    physical.push_back(column.codes != nullptr ? Physical::kString
                       : column.is_real        ? Physical::kDouble
                                               : Physical::kInt64);
  }
  RowStore& store = stores_.emplace_back(std::move(physical));
  store.resize_unset(static_cast<std::size_t>(rows));
  bytes_ += store.bytes();
  store.keep(arena_);
  for (std::size_t i = 0; i < made_.builder.result_columns().size(); ++i) {
    const RowColumn& column = made_.builder.result_columns()[i];
    if (column.null_value || column.has_truth) store.validity(i);
  }
  for (const Written& written : from) PRESSO_TRY(write_rows(written, ranks, store));
  store.drop_idle_validity();
  return {};
}

/// Each to its place.
Status JoinedRows::write_rows(const Written& from, const query::grouping::RowRanks& ranks,
                              RowStore& to) const {
  const auto rows = static_cast<std::size_t>(from.rows);
  return for_each_in_parallel((rows + kJoinedPortion - 1) / kJoinedPortion, execution_.threads,
                              [&](std::size_t portion, unsigned) {
                                const std::size_t first = portion * kJoinedPortion;
                                const std::size_t count = std::min(kJoinedPortion, rows - first);
                                std::vector<std::uint64_t> places(count);
                                ranks.rank(from.order.data() + first,
                                           static_cast<std::uint32_t>(count), places.data());
                                for (std::size_t i = 0; i < array_of_.size(); ++i) {
                                  write_column(from, i, first, count, places, to);
                                }
                                return Status();
                              });
}

void JoinedRows::write_column(const Written& from, std::size_t column, std::size_t first,
                              std::size_t count, const std::vector<std::uint64_t>& places,
                              RowStore& to) const {
  const RowColumn& about = made_.builder.result_columns()[column];
  const std::size_t array = array_of_[column];
  const Byte* const values = from.arrays[array].data() + first * array_bytes(about.is_wide);
  const Byte* const truths =
      about.has_truth ? from.arrays[array + 1].data() + first * array_bytes(false) : nullptr;
  Byte* const out = to.values(column);
  const bool has_nulls = about.null_value || about.has_truth;
  const ResultColumn result{out, has_nulls ? to.validity(column) : nullptr};
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t value = about.is_wide ? load<std::int64_t>(values + 8 * i)
                                             : std::int64_t{load<std::int32_t>(values + 4 * i)};
    const bool is_null = about.has_truth ? load<std::int32_t>(truths + 4 * i) == 0
                                         : about.null_value && value == *about.null_value;
    if (is_null) result.set_null(places[i]);
    if (about.codes == nullptr) {
      store(out + 8 * places[i], is_null ? std::int64_t{0} : value);
    } else {
      reinterpret_cast<StringRef*>(out)[places[i]] =
          is_null ? StringRef() : strings_[column][static_cast<std::size_t>(value)];
    }
  }
}

void JoinedRows::find_arrays() {
  for (const RowColumn& column : made_.builder.result_columns()) {
    array_of_.push_back(wide_arrays_.size());
    wide_arrays_.push_back(column.is_wide);
    if (column.has_truth) wide_arrays_.push_back(false);
  }
}

void JoinedRows::copy_strings() {
  for (const RowColumn& column : made_.builder.result_columns()) {
    strings_.emplace_back();
    if (column.codes != nullptr) strings_.back() = copied_strings(*column.codes, *arena_);
  }
}

}  // namespace presso::gpu
