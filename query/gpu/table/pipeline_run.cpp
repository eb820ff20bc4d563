// SPDX-License-Identifier: MIT
// Implements pipeline_run.h: places a pipeline's cells, bitmaps and tasks in device memory, and
// enqueues its kernels. Errors: those of the device, and kInvalidArgument for a key outside of its
// column's range.
#include "query/gpu/table/pipeline_run.h"

#include <algorithm>

namespace presso::gpu {

Status PipelineRun::begin(const Pipeline& pipeline, bool wants_rows) {
  pipeline_ = pipeline;
  wants_rows_ = wants_rows;
  shape_.reset();
  constexpr std::uint64_t kMatchedBytes = MemoryParts::kAlignment;
  const bool has_cells = pipeline_.place != GroupPlace::kNone &&
                         pipeline_.place != GroupPlace::kRows &&
                         pipeline_.place != GroupPlace::kParts;
  const std::uint64_t cells = has_cells ? group_bytes(pipeline_) : 0;
  cells_ = {};
  has_too_many_rows_ = false;
  parts_.clear();
  if (pipeline_.place == GroupPlace::kParts) PRESSO_TRY(parts_.begin(pipeline_));
  PRESSO_ASSIGN(cells_, space_.memory.allocate(kMatchedBytes + cells));
  pipeline_.matched = reinterpret_cast<std::uint64_t*>(cells_.get());
  pipeline_.rows_out = pipeline_.matched + 1;
  pipeline_.fault = pipeline_.matched + 2;
  pipeline_.table_keys = reinterpret_cast<std::uint64_t*>(cells_.get() + kMatchedBytes);
  pipeline_.cells_out = pipeline_.table_keys + table_places(pipeline_);
  PRESSO_TRY(space_.kernels.clear(cells_.get(), kMatchedBytes, space_.stream));
  if (cells == 0) return {};
  return space_.kernels.clear_cells(pipeline_, space_.stream);
}

Status PipelineRun::prepare(const LoadedTable& table, const TableBlocks& blocks,
                            const LeafTables& leaves, const KeyCodeTables& codes) {
  if (wants_rows_) {
    const std::uint64_t bytes = std::uint64_t{blocks.slice_count} * kMaxIntegerRows / 8;
    PRESSO_ASSIGN(bits_, space_.memory.allocate(bytes));
    pipeline_.matched_bits = reinterpret_cast<std::uint32_t*>(bits_.get());
    PRESSO_TRY(space_.kernels.clear(bits_.get(), static_cast<std::size_t>(bytes), space_.stream));
  }
  Upload upload;
  const std::size_t ranges = upload.add(leaves.ranges);
  const std::size_t intervals = upload.add(leaves.intervals);
  const std::size_t bits = upload.add(leaves.code_bits);
  const std::size_t begins = upload.add(codes.begins);
  const std::size_t numbers = upload.add(codes.numbers);
  // The code reads the numbers of eight codes at once, also those behind the last one.
  const std::vector<std::uint32_t> behind(std::size_t{1} << kMostMappedBits);
  upload.add(behind);
  PRESSO_TRY(copy_prepared(upload));
  const Byte* const there = prepared_.get();
  pipeline_.table = blocks;
  set_tasks(0, tasks());
  pipeline_.ranges = upload.at<LeafRange>(there, ranges);
  pipeline_.intervals = upload.at<ImageInterval>(there, intervals);
  pipeline_.code_bits = upload.at<std::uint32_t>(there, bits);
  pipeline_.code_begins = upload.at<std::uint32_t>(there, begins);
  pipeline_.code_numbers = upload.at<std::uint32_t>(there, numbers);
  pipeline_.row_groups = static_cast<std::uint32_t>(table.groups().size());
  return prepare_code(&table, leaves, codes);
}

Status PipelineRun::prepare_code(const LoadedTable* table, const LeafTables& leaves,
                                 const KeyCodeTables& codes) {
  code_.reset();
  const QueryShape* const before = table != nullptr && shape_ ? &*shape_ : nullptr;
  PRESSO_ASSIGN(code_, KernelRun::make(space_, pipeline_, table, leaves, codes, before));
  if (table != nullptr) shape_ = code_->shape();
  return {};
}

Status PipelineRun::copy_prepared(const Upload& upload) {
  // A condition like `c is null` has nothing to look up.
  if (upload.bytes() == 0) return {};
  PRESSO_ASSIGN(pinned_, space_.memory.allocate_pinned(upload.bytes()));
  PRESSO_ASSIGN(prepared_, space_.memory.allocate(upload.bytes()));
  upload.write(pinned_.get());
  return space_.device().copy_in(prepared_.get(), pinned_.get(),
                                 static_cast<std::size_t>(upload.bytes()), space_.stream);
}

void PipelineRun::go_on_with(const Pipeline& pipeline) {
  const Pipeline before = pipeline_;
  pipeline_ = pipeline;
  pipeline_.place = before.place;
  pipeline_.groups = before.groups;
  pipeline_.table_buckets = before.table_buckets;
  pipeline_.table_probes = before.table_probes;
  pipeline_.table_keys = before.table_keys;
  pipeline_.cells_out = before.cells_out;
  pipeline_.matched = before.matched;
  pipeline_.rows_out = before.rows_out;
  pipeline_.fault = before.fault;
  pipeline_.most_rows_out = before.most_rows_out;
  for (std::uint32_t i = 0; i < pipeline_.outputs; ++i) {
    pipeline_.output[i].to.values = before.output[i].to.values;
  }
}

Status PipelineRun::prepare_build_rows(const Pipeline& pipeline, std::uint64_t rows) {
  go_on_with(pipeline);
  std::vector<TableSlice> slices;
  for (std::uint64_t first = 0; first < rows; first += kMaxIntegerRows) {
    const std::uint64_t left = std::min<std::uint64_t>(rows - first, kMaxIntegerRows);
    slices.push_back({first, static_cast<std::uint32_t>(left), 0});
  }
  Upload upload;
  const std::size_t place = upload.add(slices);
  PRESSO_TRY(copy_prepared(upload));
  pipeline_.table = {};
  pipeline_.table.slices = upload.at<TableSlice>(prepared_.get(), place);
  pipeline_.table.slice_count = static_cast<std::uint32_t>(slices.size());
  set_tasks(0, tasks());
  return prepare_code(nullptr, {}, {});
}

void PipelineRun::set_conditions(const std::vector<ConditionStep>& steps, const StringRows& strings,
                                 const std::uint32_t* rows_before) {
  pipeline_.condition_steps = static_cast<Byte>(steps.size());
  std::copy(steps.begin(), steps.end(), pipeline_.conditions);
  for (std::size_t i = 0; i < strings.size(); ++i) pipeline_.row_bits[i] = strings.bits(i);
  if (rows_before != nullptr) pipeline_.row_bits[kBitsBefore] = rows_before;
}

Status PipelineRun::enqueue() {
  return code_->enqueue(pipeline_);
}

void PipelineRun::set_tasks(std::uint32_t first, std::uint32_t end) {
  pipeline_.first_task = first;
  pipeline_.end_task = end;
}

void PipelineRun::set_outputs(const std::vector<void*>& arrays, std::uint64_t rows) {
  for (std::size_t i = 0; i < arrays.size(); ++i) pipeline_.output[i].to.values = arrays[i];
  pipeline_.most_rows_out = rows;
}

Result<std::uint64_t> PipelineRun::take_written() {
  PRESSO_ASSIGN(const std::uint64_t rows, word(pipeline_.rows_out));
  auto* const there = reinterpret_cast<Byte*>(pipeline_.rows_out);
  PRESSO_TRY(space_.kernels.clear(there, sizeof rows, space_.stream));
  return rows;
}

Result<std::uint64_t> PipelineRun::word(const std::uint64_t* there) const {
  std::uint64_t word = 0;
  PRESSO_TRY(space_.copy_back(&word, there, sizeof word));
  return word;
}

Status PipelineRun::make_groups() {
  if (pipeline_.place != GroupPlace::kParts) return {};
  const DeviceStep step(space_.device(), "groups of parts");
  PRESSO_ASSIGN(const std::uint64_t rows, word(pipeline_.rows_out));
  PRESSO_ASSIGN(const bool is_made, parts_.make(pipeline_, rows));
  has_too_many_rows_ = !is_made;
  return {};
}

Result<std::uint64_t> PipelineRun::matched() {
  return word(pipeline_.matched);
}

Result<std::uint64_t> PipelineRun::fault() {
  PRESSO_ASSIGN(const std::uint64_t fault, word(pipeline_.fault));
  if (fault == 0 && has_too_many_rows_) return kTableIsFull;
  if (fault == kOtherForm) {
    return make_error(ErrorCode::kDeviceLost, "a vector's form is not what its block tells");
  }
  if (fault != kKeyIsOutside) return fault;
  return make_error(ErrorCode::kInvalidArgument, "a key is outside of its column's range");
}

Result<std::vector<std::uint64_t>> PipelineRun::rows() {
  std::vector<std::uint64_t> bits(std::size_t{pipeline_.table.slice_count} * kMaxIntegerRows / 64);
  PRESSO_TRY(space_.copy_back(bits.data(), bits_.get(), bits.size() * sizeof bits[0]));
  return bits;
}

Status PipelineRun::list(const TakeGroups& take) const {
  if (pipeline_.place != GroupPlace::kParts) return list_groups(space_, pipeline_, take);
  PRESSO_TRY(take(parts_.records(), parts_.count()));
  return space_.device().wait(space_.stream);
}

void PipelineRun::drop_groups() {
  drop_rows();
  cells_ = {};
}

Result<GroupRecords> PipelineRun::groups() {
  const DeviceStep step(space_.device(), "groups back");
  if (pipeline_.place != GroupPlace::kParts) return groups_of(space_, pipeline_);
  GroupRecords found;
  found.words = record_words(pipeline_);
  if (parts_.count() != 0) {
    PRESSO_TRY(copy_groups(space_, parts_.records(), parts_.count(), found));
  }
  drop_rows();
  return found;
}

}  // namespace presso::gpu
