// SPDX-License-Identifier: MIT
#include "scan/gpu/table/pipeline_run.h"

#include <algorithm>

#include "scan/gpu/table/upload.h"

namespace presso::gpu {

Status PipelineRun::begin(const Pipeline& pipeline, bool wants_rows) {
  pipeline_ = pipeline;
  wants_rows_ = wants_rows;
  if (pipeline_.place == GroupPlace::kDevice) {
    PRESSO_ASSIGN(const std::uint32_t most, space_.kernels.most_shared_bytes());
    pipeline_.place = place_of_groups(pipeline_, most);
  }
  constexpr std::uint64_t kMatchedBytes = MemoryParts::kAlignment;
  std::uint64_t cells = 0;
  if (pipeline_.place != GroupPlace::kNone && pipeline_.place != GroupPlace::kRows) {
    cells = pipeline_.groups * (pipeline_.cells + kGroupCells) * sizeof(std::uint64_t);
  }
  PRESSO_ASSIGN(cells_, space_.memory.allocate(kMatchedBytes + cells));
  pipeline_.matched = reinterpret_cast<std::uint64_t*>(cells_.get());
  pipeline_.rows_out = pipeline_.matched + 1;
  pipeline_.cells_out = reinterpret_cast<std::uint64_t*>(cells_.get() + kMatchedBytes);
  PRESSO_TRY(space_.kernels.clear(cells_.get(), kMatchedBytes, space_.stream));
  if (cells == 0) return {};
  return space_.kernels.clear_cells(pipeline_, space_.stream);
}

Status PipelineRun::prepare(const DeviceTable& table, const TableBlocks& blocks,
                            const LeafTables& leaves, const CodeTables& codes) {
  if (wants_rows_) {
    const std::uint64_t bytes = std::uint64_t{blocks.slice_count} * kMaxIntegerRows / 8;
    PRESSO_ASSIGN(bits_, space_.memory.allocate(bytes));
    pipeline_.matched_bits = reinterpret_cast<std::uint32_t*>(bits_.get());
    PRESSO_TRY(space_.kernels.clear(bits_.get(), static_cast<std::size_t>(bytes), space_.stream));
  }
  PRESSO_ASSIGN(const std::uint32_t shared, space_.kernels.most_shared_bytes());
  shape_ = shape_of(pipeline_, table.needs(), shared);
  PRESSO_ASSIGN(thread_blocks_, space_.kernels.thread_blocks(pipeline_, shape_));
  const std::uint64_t scratch = scratch_bytes(pipeline_, shape_, thread_blocks_);
  if (scratch > scratch_.bytes()) {
    PRESSO_ASSIGN(scratch_, space_.memory.allocate(scratch));
  }
  Upload upload;
  const std::size_t ranges = upload.add(leaves.ranges);
  const std::size_t intervals = upload.add(leaves.intervals);
  const std::size_t bits = upload.add(leaves.code_bits);
  const std::size_t begins = upload.add(codes.begins);
  const std::size_t numbers = upload.add(codes.numbers);
  // A condition like `c is null` has nothing to look up.
  if (upload.bytes() != 0) {
    PRESSO_ASSIGN(pinned_, space_.memory.allocate_pinned(upload.bytes()));
    PRESSO_ASSIGN(prepared_, space_.memory.allocate(upload.bytes()));
    upload.write(pinned_.get());
    PRESSO_TRY(space_.device().copy_in(prepared_.get(), pinned_.get(),
                                       static_cast<std::size_t>(upload.bytes()), space_.stream));
  }
  const Byte* const there = prepared_.get();
  pipeline_.table = blocks;
  pipeline_.ranges = upload.at<LeafRange>(there, ranges);
  pipeline_.intervals = upload.at<ImageInterval>(there, intervals);
  pipeline_.code_bits = upload.at<std::uint32_t>(there, bits);
  pipeline_.code_begins = upload.at<std::uint32_t>(there, begins);
  pipeline_.code_numbers = upload.at<std::uint32_t>(there, numbers);
  pipeline_.row_groups = static_cast<std::uint32_t>(table.groups().size());
  return {};
}

void PipelineRun::set_conditions(const std::vector<ConditionStep>& steps,
                                 const StringRows& strings) {
  pipeline_.condition_steps = static_cast<Byte>(steps.size());
  std::copy(steps.begin(), steps.end(), pipeline_.conditions);
  for (std::size_t i = 0; i < strings.size(); ++i) pipeline_.row_bits[i] = strings.bits(i);
}

Status PipelineRun::enqueue() {
  auto* const scratch = reinterpret_cast<std::uint64_t*>(scratch_.get());
  return space_.kernels.run(pipeline_, shape_, scratch, thread_blocks_, space_.stream);
}

Result<std::uint64_t> PipelineRun::matched() {
  std::vector<std::uint64_t> rows(1);
  PRESSO_TRY(space_.copy_back(rows.data(), pipeline_.matched, sizeof rows[0]));
  return rows[0];
}

Result<std::vector<std::uint64_t>> PipelineRun::rows() {
  std::vector<std::uint64_t> bits(std::size_t{pipeline_.table.slice_count} * kMaxIntegerRows / 64);
  PRESSO_TRY(space_.copy_back(bits.data(), bits_.get(), bits.size() * sizeof bits[0]));
  return bits;
}

Result<std::vector<std::uint64_t>> PipelineRun::cells() {
  std::vector<std::uint64_t> all(pipeline_.groups * (pipeline_.cells + kGroupCells));
  PRESSO_TRY(space_.copy_back(all.data(), pipeline_.cells_out, all.size() * sizeof all[0]));
  return all;
}

}  // namespace presso::gpu
